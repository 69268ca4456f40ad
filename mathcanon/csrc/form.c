/* The canonical form of a tree: the identity and the sign of canonical_form.py, character for character. */
#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const Form *one, const Form *other) {
    int shorter = one->length < other->length ? one->length : other->length;
    int found = memcmp(one->identity, other->identity, (size_t)shorter);
    return found ? found : (one->length > other->length) - (one->length < other->length);
}

static int compare_entries(const void *one, const void *other) {
    return compare(*(const Form *const *)one, *(const Form *const *)other);
}

static void sort(const Form **forms, int count) {
    if (count > 16) {
        qsort(forms, (size_t)count, sizeof *forms, compare_entries);
        return;
    }
    for (int i = 1; i < count; i++) {
        const Form *form = forms[i];
        int j = i;
        for (; j > 0 && compare(forms[j - 1], form) > 0; j--) forms[j] = forms[j - 1];
        forms[j] = form;
    }
}

static Form *new_form(Arena *arena, int kind, int sign) {
    Form *form = arena_take(arena, 1, sizeof *form);
    if (!form) return NULL;
    memset(form, 0, sizeof *form);
    form->kind = kind;
    form->sign = sign;
    return form;
}

/* Runs of digits are led by their length, so that N2 sorts before N10. */
static const Form *operand(Arena *arena, const char *name, int length) {
    Form *form = new_form(arena, OPERAND, 1);
    char *out = arena_take(arena, 2 * (size_t)length, 1);
    if (!form || !out) return NULL;
    int written = 0;
    for (int i = 0; i < length;) {
        int run = i;
        while (run < length && name[run] >= '0' && name[run] <= '9') run++;
        if (run - i >= 32) return NULL;
        if (run > i) {
            out[written++] = (char)(run - i);
            while (i < run) out[written++] = name[i++];
        } else {
            out[written++] = name[i++];
        }
    }
    form->identity = out;
    form->length = form->leaf = written;
    return form;
}

static const Form *number(Arena *arena, const Node *node) {
    enum { ROOM = 128 };
    Form *form = new_form(arena, NUMBER, 1);
    char *out = arena_take(arena, ROOM, 1);
    if (!form || !out) return NULL;
    int64_t whole = node->above / node->below, rest = node->above % node->below;
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%lld", (long long)whole);
    int written = snprintf(out, ROOM, "~%06d%s", count, digits);
    if (rest) {
        long long places = (long long)((__int128)rest * 1000000000000LL / node->below);
        written += snprintf(out + written, (size_t)(ROOM - written), ".%012lld:%llx:%llx", places, (long long)rest,
                            (long long)node->below);
    }
    if (written >= ROOM) return NULL;
    form->identity = out;
    form->length = form->leaf = written;
    return form;
}

static char *copy(char *out, const char *from, int length) {
    memcpy(out, from, (size_t)length);
    return out + length;
}

/* The identity of a sum or product: its smallest leaf, then its blocks with their marks. */
static const Form *grouped(Arena *arena, Form *form) {
    const Form *smallest = form->plus[0];
    if (form->minus_count && compare(form->minus[0], smallest) < 0) smallest = form->minus[0];
    size_t length = (size_t)smallest->leaf + 3;
    for (int i = 0; i < form->plus_count; i++) length += 1 + (size_t)form->plus[i]->length;
    for (int i = 0; i < form->minus_count; i++) length += 1 + (size_t)form->minus[i]->length;
    char *start = arena_take(arena, length, 1), *out = start;
    if (!start) return NULL;
    out = copy(out, smallest->identity, smallest->leaf);
    *out++ = '\0';
    *out++ = form->kind == SUM ? '(' : '[';
    for (int i = 0; i < form->plus_count; i++) {
        *out++ = form->kind == SUM ? '+' : '*';
        out = copy(out, form->plus[i]->identity, form->plus[i]->length);
    }
    for (int i = 0; i < form->minus_count; i++) {
        *out++ = form->kind == SUM ? '-' : '/';
        out = copy(out, form->minus[i]->identity, form->minus[i]->length);
    }
    *out++ = form->kind == SUM ? ')' : ']';
    form->identity = start;
    form->length = (int)length;
    form->leaf = smallest->leaf;
    return form;
}

static const Form *with_sign(Arena *arena, const Form *form, int sign) {
    Form *changed = arena_take(arena, 1, sizeof *changed);
    if (!changed) return NULL;
    *changed = *form;
    changed->sign = sign;
    return changed;
}

static const Form *power(Arena *arena, const Form *base, int exponent) {
    if (exponent == 1) return base;
    int sign = exponent % 2 ? base->sign : 1;
    if (base->kind == POWER) {
        exponent *= base->exponent;
        base = base->plus[0];
        if (exponent > MAX_EXPONENT || exponent < -MAX_EXPONENT) return NULL;
        if (exponent == 1) return with_sign(arena, base, sign);
    }
    Form *form = new_form(arena, POWER, sign);
    size_t room = (size_t)base->leaf + (size_t)base->length + 16;
    char *start = arena_take(arena, room, 1), *out = start;
    const Form **inner = arena_take(arena, 1, sizeof *inner);
    if (!form || !start || !inner) return NULL;
    out = copy(out, base->identity, base->leaf);
    *out++ = '\0';
    *out++ = '{';
    out = copy(out, base->identity, base->length);
    out += snprintf(out, room - (size_t)(out - start), "^%d}", exponent);
    inner[0] = base;
    form->plus = inner;
    form->plus_count = 1;
    form->exponent = exponent;
    form->identity = start;
    form->length = (int)(out - start);
    form->leaf = base->leaf;
    return form;
}

/* Move the blocks that are their own opposite from one side to the other. */
static void move_signless(const Form **from, int *from_count, const Form **to, int *to_count) {
    int kept = 0;
    for (int i = 0; i < *from_count; i++) {
        if (from[i]->sign) from[kept++] = from[i];
        else to[(*to_count)++] = from[i];
    }
    *from_count = kept;
}

/* The sign to take out so that the smallest block is added; 0 if all blocks with a sign cancel.  Both are sorted. */
static int orientation(const Form **added, int added_count, const Form **subtracted, int subtracted_count) {
    int i = 0, j = 0, any = 0;
    for (int k = 0; k < added_count; k++) any |= added[k]->sign != 0;
    if (!any) return -1;
    while (i < added_count || j < subtracted_count) {
        if (i < added_count && !added[i]->sign) {
            i++;
            continue;
        }
        const Form *least = i < added_count ? added[i] : subtracted[j];
        if (j < subtracted_count && compare(subtracted[j], least) < 0) least = subtracted[j];
        int balance = 0;
        for (; i < added_count && (!added[i]->sign || !compare(added[i], least)); i++) balance += added[i]->sign != 0;
        for (; j < subtracted_count && !compare(subtracted[j], least); j++) balance--;
        if (balance) return balance > 0 ? 1 : -1;
    }
    return 0;
}

static const Form *sum(Arena *arena, Form *form) {
    if (form->plus_count + form->minus_count == 1) { /* unary minus */
        const Form *only = form->plus_count ? form->plus[0] : form->minus[0];
        return with_sign(arena, only, only->sign ? (form->plus_count ? 1 : -1) : 0);
    }
    move_signless(form->minus, &form->minus_count, form->plus, &form->plus_count);
    sort(form->plus, form->plus_count);
    sort(form->minus, form->minus_count);
    form->sign = 0;
    if (!form->minus_count) {
        for (int i = 0; i < form->plus_count; i++) form->sign |= form->plus[i]->sign != 0;
    } else {
        form->sign = orientation(form->plus, form->plus_count, form->minus, form->minus_count);
        if (form->sign < 0) {
            const Form **plus = form->plus;
            int count = form->plus_count;
            form->plus = form->minus;
            form->plus_count = form->minus_count;
            form->minus = plus;
            form->minus_count = count;
            move_signless(form->minus, &form->minus_count, form->plus, &form->plus_count);
            sort(form->plus, form->plus_count);
        }
    }
    return form->plus_count ? grouped(arena, form) : NULL;
}

const Form *group(Arena *arena, const Tree *tree, const Node *node, const Form **done) {
    int kind = node->kind;
    size_t total = 0;
    for (int i = 0; i < node->count; i++) {
        const Form *part = done[tree->parts[node->first + i].node];
        total += part->kind == kind ? (size_t)(part->plus_count + part->minus_count) : 1;
    }
    Form *form = new_form(arena, kind, 1);
    const Form **plus = arena_take(arena, total, sizeof *plus), **minus = arena_take(arena, total, sizeof *minus);
    if (!form || !plus || !minus) return NULL;
    int plus_count = 0, minus_count = 0;
    for (int i = 0; i < node->count; i++) {
        const Part *entry = &tree->parts[node->first + i];
        const Form *part = done[entry->node];
        int straight = kind == SUM ? entry->mark == part->sign : entry->mark > 0;
        if (kind == PRODUCT) form->sign *= part->sign;
        if (part->kind != kind) {
            if (straight) plus[plus_count++] = part;
            else minus[minus_count++] = part;
            continue;
        }
        for (int k = 0; k < part->plus_count; k++) {
            if (straight) plus[plus_count++] = part->plus[k];
            else minus[minus_count++] = part->plus[k];
        }
        for (int k = 0; k < part->minus_count; k++) {
            if (straight) minus[minus_count++] = part->minus[k];
            else plus[plus_count++] = part->minus[k];
        }
    }
    form->plus = plus;
    form->minus = minus;
    form->plus_count = plus_count;
    form->minus_count = minus_count;
    if (kind == SUM) return sum(arena, form);
    sort(plus, plus_count);
    sort(minus, minus_count);
    return plus_count ? grouped(arena, form) : NULL;
}

const Form *canonical_form(Arena *arena, const Tree *tree) {
    const Form **done = arena_take(arena, (size_t)tree->node_count, sizeof *done);
    if (!done) return NULL;
    for (int i = 0; i < tree->node_count; i++) {
        const Node *node = &tree->nodes[i];
        switch (node->kind) {
        case OPERAND: done[i] = operand(arena, tree->text + node->start, node->length); break;
        case NUMBER: done[i] = number(arena, node); break;
        case POWER: done[i] = power(arena, done[tree->parts[node->first].node], node->exponent); break;
        default: done[i] = group(arena, tree, node, done);
        }
        if (!done[i]) return NULL;
    }
    return done[tree->root];
}
