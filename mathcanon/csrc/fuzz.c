/* libFuzzer's entry: two texts, parted by a newline, through everything that reads them.
 *
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
 *         fuzz.c read.c form.c residue.c polynomial.c equal.c -o fuzz
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 3 * MAX_TEXT) return 0;
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
