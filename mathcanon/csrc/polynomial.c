/* Ratios of sparse polynomials in up to eight operands, with 64-bit coefficients; what overflows is not mine. */
#include "core.h"

#include <string.h>

#define MAX_DEGREE 120    /* of each ratio, so that an exponent of a product of two stays below 256 */
#define MAX_PRODUCTS 8192 /* of terms */

static int constant(Arena *arena, int64_t value, Polynomial *out) {
    out->monomials = arena_take(arena, 1, sizeof *out->monomials);
    out->coefficients = arena_take(arena, 1, sizeof *out->coefficients);
    if (!out->monomials || !out->coefficients) return NOT_MINE;
    out->count = value != 0;
    out->monomials[0] = 0;
    out->coefficients[0] = value;
    return 0;
}

static int is_one(const Polynomial *p) { return p->count == 1 && !p->monomials[0] && p->coefficients[0] == 1; }

static int is_same(const Polynomial *p, const Polynomial *q) {
    size_t count = (size_t)p->count;
    return p->count == q->count && !memcmp(p->monomials, q->monomials, count * sizeof *p->monomials) &&
           !memcmp(p->coefficients, q->coefficients, count * sizeof *p->coefficients);
}

/* p + sign * q, by merging */
static int plus(Arena *arena, const Polynomial *p, const Polynomial *q, int sign, Polynomial *out) {
    size_t room = (size_t)p->count + (size_t)q->count + 1;
    uint64_t *monomials = arena_take(arena, room, sizeof *monomials);
    int64_t *coefficients = arena_take(arena, room, sizeof *coefficients);
    if (!monomials || !coefficients) return NOT_MINE;
    int i = 0, j = 0, count = 0;
    while (i < p->count || j < q->count) {
        int take_p = j >= q->count || (i < p->count && p->monomials[i] <= q->monomials[j]);
        int take_q = i >= p->count || (j < q->count && q->monomials[j] <= p->monomials[i]);
        uint64_t monomial = take_p ? p->monomials[i] : q->monomials[j];
        int64_t one = take_p ? p->coefficients[i++] : 0, other = take_q ? q->coefficients[j++] : 0, total;
        int overflow = sign > 0 ? __builtin_add_overflow(one, other, &total) : __builtin_sub_overflow(one, other, &total);
        if (overflow) return NOT_MINE;
        if (total) {
            monomials[count] = monomial;
            coefficients[count++] = total;
        }
    }
    *out = (Polynomial){count, monomials, coefficients};
    return 0;
}

static int times(Arena *arena, const Polynomial *p, const Polynomial *q, Polynomial *out) {
    if (is_one(p) || is_one(q)) {
        *out = is_one(p) ? *q : *p;
        return 0;
    }
    if ((int64_t)p->count * q->count > MAX_PRODUCTS) return NOT_MINE;
    if (p->count > q->count) {
        const Polynomial *shorter = q;
        q = p;
        p = shorter;
    }
    Polynomial total;
    if (constant(arena, 0, &total)) return NOT_MINE;
    for (int i = 0; i < p->count; i++) {
        Polynomial row = {q->count, arena_take(arena, (size_t)q->count, sizeof *row.monomials),
                          arena_take(arena, (size_t)q->count, sizeof *row.coefficients)};
        if (!row.monomials || !row.coefficients) return NOT_MINE;
        for (int j = 0; j < q->count; j++) {
            row.monomials[j] = p->monomials[i] + q->monomials[j];
            if (__builtin_mul_overflow(p->coefficients[i], q->coefficients[j], &row.coefficients[j])) return NOT_MINE;
        }
        if (!i) total = row;
        else if (plus(arena, &total, &row, 1, &total)) return NOT_MINE;
    }
    *out = total;
    return 0;
}

static int raised(Arena *arena, const Polynomial *base, int exponent, Polynomial *out) {
    if (constant(arena, 1, out)) return NOT_MINE;
    for (int i = 0; i < exponent; i++)
        if (times(arena, out, base, out)) return NOT_MINE;
    return 0;
}

static Ratio upside_down(Ratio ratio) { return (Ratio){ratio.below, ratio.above}; }

static int add_term(Arena *arena, Ratio *total, const Ratio *term, int sign) {
    if (is_same(&total->below, &term->below)) return plus(arena, &total->above, &term->above, sign, &total->above);
    Polynomial cross;
    if (times(arena, &total->above, &term->below, &total->above) || times(arena, &term->above, &total->below, &cross) ||
        times(arena, &total->below, &term->below, &total->below))
        return NOT_MINE;
    return plus(arena, &total->above, &cross, sign, &total->above);
}

int ratio_of(Arena *arena, const Tree *tree, Ratio *ratio) {
    Ratio *done = arena_take(arena, (size_t)tree->node_count, sizeof *done);
    int *degrees = arena_take(arena, (size_t)tree->node_count, sizeof *degrees);
    Polynomial one;
    if (!done || !degrees || constant(arena, 1, &one)) return NOT_MINE;
    for (int i = 0; i < tree->node_count; i++) {
        const Node *node = &tree->nodes[i];
        Ratio value = {one, one};
        int64_t degree = 0;
        if (node->kind == OPERAND) {
            if (node->name < 0 || node->name >= MAX_NAMES || constant(arena, 1, &value.above)) return NOT_MINE;
            value.above.monomials[0] = (uint64_t)1 << (8 * node->name);
            degree = 1;
        } else if (node->kind == NUMBER) {
            if (constant(arena, node->above, &value.above) || constant(arena, node->below, &value.below)) return NOT_MINE;
        } else if (node->kind == POWER) {
            Ratio base = done[tree->parts[node->first].node];
            int exponent = node->exponent;
            if (exponent < 0) {
                if (!base.above.count) return ZERO_DIVISOR;
                base = upside_down(base);
                exponent = -exponent;
            }
            degree = (int64_t)degrees[tree->parts[node->first].node] * exponent;
            if (degree > MAX_DEGREE) return NOT_MINE;
            if (raised(arena, &base.above, exponent, &value.above) || raised(arena, &base.below, exponent, &value.below))
                return NOT_MINE;
        } else {
            for (int k = 0; k < node->count; k++) degree += degrees[tree->parts[node->first + k].node];
            if (degree > MAX_DEGREE) return NOT_MINE;
            if (node->kind == SUM && constant(arena, 0, &value.above)) return NOT_MINE;
            for (int k = 0; k < node->count; k++) {
                const Part *part = &tree->parts[node->first + k];
                Ratio item = done[part->node];
                if (node->kind == SUM) {
                    if (add_term(arena, &value, &item, part->mark)) return NOT_MINE;
                    continue;
                }
                if (part->mark < 0) {
                    if (!item.above.count) return ZERO_DIVISOR;
                    item = upside_down(item);
                }
                if (times(arena, &value.above, &item.above, &value.above) ||
                    times(arena, &value.below, &item.below, &value.below))
                    return NOT_MINE;
            }
        }
        done[i] = value;
        degrees[i] = (int)degree;
    }
    *ratio = done[tree->root];
    return DEFINED;
}

int same_ratio(Arena *arena, const Ratio *one, const Ratio *other) {
    Polynomial left, right;
    if (times(arena, &one->above, &other->below, &left) || times(arena, &other->above, &one->below, &right)) return NOT_MINE;
    return is_same(&left, &right);
}
