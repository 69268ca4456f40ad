/* Whether two texts are the same function: a residue tells most different ones apart, then the exact way decides. */
#include "core.h"

#include <string.h>

#define PRIME (((uint64_t)1 << 61) - 1)
#define MAX_OPERANDS 64

typedef struct {
    const char *start[MAX_OPERANDS];
    int length[MAX_OPERANDS];
    int count;
} Names;

/* Give each operand the number of its name; 1 if each occurs once, 0 if not. */
static int number_operands(Tree *tree, Names *names) {
    uint64_t seen = 0;
    int once = tree->plain_operands;
    for (int i = 0; i < tree->node_count; i++) {
        Node *node = &tree->nodes[i];
        if (node->kind != OPERAND) continue;
        const char *name = tree->text + node->start;
        int found = 0;
        while (found < names->count && (names->length[found] != node->length ||
                                        memcmp(names->start[found], name, (size_t)node->length)))
            found++;
        if (found == names->count) {
            if (found == MAX_OPERANDS) return NOT_MINE;
            names->start[found] = name;
            names->length[found] = node->length;
            names->count++;
        }
        if (seen >> found & 1) once = 0;
        seen |= (uint64_t)1 << found;
        node->name = found;
    }
    return once;
}

/* A point that is not secret: where values differ, that is a proof, and equality is settled exactly. */
static int open_point(void *context, const char *name, int length, uint64_t *value) {
    (void)context;
    uint64_t hash = 14695981039346656037u;
    for (int i = 0; i < length; i++) hash = (hash ^ (unsigned char)name[i]) * 1099511628211u;
    hash = (hash ^ hash >> 31) * 0x9E3779B97F4A7C15u;
    *value = (hash ^ hash >> 29) % (PRIME - 1) + 1;
    return 0;
}

static int compare_trees(Arena *arena, Tree *one, Tree *other) {
    uint64_t above, below, over, under;
    int first = residue_of(arena, one, PRIME, open_point, NULL, &above, &below);
    int second = residue_of(arena, other, PRIME, open_point, NULL, &over, &under);
    if (first < 0 || second < 0) return NOT_MINE;
    if (first == DEFINED && second == DEFINED && times_modulo(above, under, PRIME) != times_modulo(over, below, PRIME))
        return DIFFERENT;
    Names names;
    names.count = 0;
    int once = number_operands(one, &names), other_once = number_operands(other, &names);
    if (once < 0 || other_once < 0) return NOT_MINE;
    if (once && other_once) {
        const Form *form = canonical_form(arena, one), *other_form = canonical_form(arena, other);
        if (!form || !other_form) return NOT_MINE;
        int same = form->sign == other_form->sign && form->length == other_form->length &&
                   !memcmp(form->identity, other_form->identity, (size_t)form->length);
        return same ? SAME_STRUCTURE : DIFFERENT;
    }
    Ratio ratio, other_ratio;
    int defined = ratio_of(arena, one, &ratio), other_defined = ratio_of(arena, other, &other_ratio);
    if (defined < 0 || other_defined < 0) return NOT_MINE; /* Python may be less certain */
    if (defined == ZERO_DIVISOR || other_defined == ZERO_DIVISOR) return UNDEFINED;
    int same = same_ratio(arena, &ratio, &other_ratio);
    return same < 0 ? NOT_MINE : same ? SAME_FUNCTION : DIFFERENT;
}

int compare_texts(const char *left, int left_length, const char *right, int right_length) {
    Arena arena;
    Tree one, other;
    arena_open(&arena);
    int found = NOT_MINE;
    if (!read_text(&arena, left, left_length, &one) && !read_text(&arena, right, right_length, &other))
        found = compare_trees(&arena, &one, &other);
    arena_close(&arena);
    return found;
}
