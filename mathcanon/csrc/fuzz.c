/* libFuzzer's entry: two texts, parted by a newline, through everything that reads them; and the bytes as steps.
 *
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
 *         fuzz.c read.c form.c residue.c polynomial.c equal.c texts.c -o fuzz
 *     ./fuzz -max_total_time=600 -max_len=400 -dict=fuzz.dict
 */
#include "core.h"

#include <stdlib.h>
#include <string.h>

static int some_point(void *context, const char *name, int length, uint64_t *value) {
    uint64_t prime = *(uint64_t *)context;
    *value = 0;
    for (int i = 0; i < length; i++) *value = (*value * 31 + (unsigned char)name[i]) % prime;
    return 0;
}

static void read_one(const char *text, int length) {
    uint64_t primes[] = {2, 101, ((uint64_t)1 << 61) - 1, 9223372036854775783u};
    Arena arena;
    Tree tree;
    arena_open(&arena);
    if (!read_text(&arena, text, length, &tree)) {
        const Form *form = canonical_form(&arena, &tree);
        if (form && (form->length < form->leaf || form->sign < -1 || form->sign > 1)) abort();
        for (int i = 0; i < 4; i++) {
            uint64_t above, below;
            if (residue_of(&arena, &tree, primes[i], some_point, &primes[i], &above, &below) != DEFINED) continue;
            if (above >= primes[i] || below >= primes[i] || !below) abort();
            if (times_modulo(below, inverse_modulo(below, primes[i]), primes[i]) != 1) abort();
        }
    }
    arena_close(&arena);
}

static void write_one(const uint8_t *data, size_t size) {
    const Form leaves[] = {
        {.identity = "a", .length = 1, .leaf = 1, .sign = 1, .text = {"a", 1}},
        {.identity = "b", .length = 1, .leaf = 1, .sign = 1, .text = {"b", 1}},
        {.identity = "a\0{a^2}", .length = 7, .leaf = 1, .sign = 1, .text = {"a^2", 3}},
    };
    const Form *chosen[MAX_PLACES];
    int count = (int)(size / sizeof(uint16_t)) + 1;
    if (count > MAX_PLACES) count = MAX_PLACES;
    for (int i = 0; i < count; i++) chosen[i] = &leaves[i % 3];
    size_t used = (size_t)(count - 1) * sizeof(uint16_t);
    unsigned char *codes = malloc(used + !used);
    Arena arena;
    Span text;
    arena_open(&arena);
    if (codes) {
        if (used) memcpy(codes, data, used);
        for (int sign = -1; sign <= 1; sign += 2)
            if (!text_of_steps(&arena, chosen, count, codes, sign, &text) && (!text.start || text.length < 1)) abort();
    }
    arena_close(&arena);
    free(codes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 3 * MAX_TEXT) return 0;
    write_one(data, size);
    /* Copies of exactly the size, so that reading past an end is seen. */
    const uint8_t *newline = size ? memchr(data, '\n', size) : NULL;
    size_t left_size = newline ? (size_t)(newline - data) : size, right_size = newline ? size - left_size - 1 : 0;
    char *left = malloc(left_size + !left_size), *right = malloc(right_size + !right_size);
    if (left && right) {
        if (left_size) memcpy(left, data, left_size);
        if (right_size) memcpy(right, newline + 1, right_size);
        read_one(left, (int)left_size);
        read_one(right, (int)right_size);
        int found = compare_texts(left, (int)left_size, right, (int)right_size);
        int turned = compare_texts(right, (int)right_size, left, (int)left_size);
        /* Names are numbered from the left, so one of the two orders may have too many of them to answer. */
        if (found != NOT_MINE && turned != NOT_MINE && turned != found) abort();
        int same = compare_texts(left, (int)left_size, left, (int)left_size);
        if (same == DIFFERENT) abort();
    }
    free(left);
    free(right);
    return 0;
}
