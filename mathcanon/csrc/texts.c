/* Binary steps to the text of their canonical form, times a sign: what reaching/texts.py writes, character for character.
 *
 * Each step gets its texts when it is made, from those of its blocks, so nothing here recurs.
 */
#include "core.h"

#include <string.h>

enum { PLUS, MINUS, MULTIPLY, DIVIDE }; /* as in reaching/program.py */
enum { PLACE_BITS = 5, PLACE = (1 << PLACE_BITS) - 1 };

static char *append(char *out, char mark, Span text, int in_brackets) {
    if (mark) *out++ = mark;
    if (in_brackets) *out++ = '(';
    memcpy(out, text.start, (size_t)text.length);
    out += text.length;
    if (in_brackets) *out++ = ')';
    return out;
}

/* The blocks of one side and then of the other, each after its mark, but for the first.  The opposite of `turned`, if it
 * is one of them, replaces its text. */
static int write_blocks(Arena *arena, const Form *form, int swapped, const Form *turned, Span *text) {
    const Form **first = swapped ? form->minus : form->plus, **second = swapped ? form->plus : form->minus;
    int first_count = swapped ? form->minus_count : form->plus_count;
    int count = form->plus_count + form->minus_count, is_product = form->kind == PRODUCT;
    size_t room = 0;
    for (int i = 0; i < count; i++) {
        const Form *block = i < first_count ? first[i] : second[i - first_count];
        room += (size_t)(block == turned ? block->opposite : block->text).length + 3;
    }
    char *start = arena_take(arena, room, 1), *out = start;
    if (!start) return NOT_MINE;
    for (int i = 0; i < count; i++) {
        const Form *block = i < first_count ? first[i] : second[i - first_count];
        char mark = i < first_count ? (is_product ? '*' : '+') : (is_product ? '/' : '-');
        Span words = block == turned ? block->opposite : block->text;
        if (block == turned) turned = NULL; /* only once: equal blocks may be one form */
        out = append(out, i ? mark : '\0', words, is_product && block->kind == SUM);
    }
    text->start = start;
    text->length = (int)(out - start);
    return 0;
}

/* The first block in which a subtraction occurs; in a product only sums can take the minus. */
static const Form *first_polar(const Form *form) {
    for (int i = 0; i < form->plus_count + form->minus_count; i++) {
        const Form *block = i < form->plus_count ? form->plus[i] : form->minus[i - form->plus_count];
        if (block->opposite.start && (form->kind == SUM || block->kind == SUM)) return block;
    }
    return NULL;
}

/* A sum of which nothing is subtracted: the opposite of one block, minus the others. */
static int write_opposite_sum(Arena *arena, const Form *form, const Form *polar, Span *text) {
    size_t room = (size_t)polar->opposite.length;
    for (int i = 0; i < form->plus_count; i++) room += (size_t)form->plus[i]->text.length + 1;
    char *start = arena_take(arena, room, 1);
    if (!start) return NOT_MINE;
    char *out = append(start, '\0', polar->opposite, 0);
    int met = 0;
    for (int i = 0; i < form->plus_count; i++) {
        if (form->plus[i] == polar && !met++) continue;
        out = append(out, '-', form->plus[i]->text, 0);
    }
    text->start = start;
    text->length = (int)(out - start);
    return 0;
}

static int write_texts(Arena *arena, Form *form) {
    if (write_blocks(arena, form, 0, NULL, &form->text)) return NOT_MINE;
    if (form->kind == SUM && form->minus_count) return write_blocks(arena, form, 1, NULL, &form->opposite);
    const Form *polar = first_polar(form);
    if (!polar) return 0;
    if (form->kind == SUM) return write_opposite_sum(arena, form, polar, &form->opposite);
    return write_blocks(arena, form, 0, polar, &form->opposite);
}

int text_of_steps(Arena *arena, const Form *const *leaves, int count, const unsigned char *codes, int sign, Span *text) {
    const Form *done[MAX_PLACES];
    Part parts[2];
    Tree tree = {.parts = parts};
    if (count < 1 || 2 * count - 1 > MAX_PLACES) return NOT_MINE;
    for (int i = 0; i < count; i++) done[i] = leaves[i];
    for (int place = count; place < 2 * count - 1; place++, codes += sizeof(uint16_t)) {
        uint16_t code;
        memcpy(&code, codes, sizeof code);
        int operator = code >> 2 * PLACE_BITS, left = code >> PLACE_BITS & PLACE, right = code & PLACE;
        if (operator > DIVIDE || left >= place || right >= place) return NOT_MINE;
        parts[0] = (Part){left, 1};
        parts[1] = (Part){right, operator == MINUS || operator == DIVIDE ? -1 : 1};
        Node node = {.kind = operator <= MINUS ? SUM : PRODUCT, .first = 0, .count = 2};
        const Form *made = group(arena, &tree, &node, done);
        if (!made || write_texts(arena, (Form *)made)) return NOT_MINE;
        done[place] = made;
    }
    const Form *last = done[2 * count - 2];
    *text = sign * (last->sign ? last->sign : 1) > 0 ? last->text : last->opposite;
    return text->start ? 0 : NOT_MINE;
}
