/* Plain infix text to a tree, by the rules of notation/infix.py; and the arena. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

void arena_open(Arena *arena) {
    arena->chunks = NULL;
    arena->next = arena->first;
    arena->left = sizeof arena->first;
    arena->total = 0;
}

void *arena_take(Arena *arena, size_t count, size_t size) {
    if (count > MAX_MEMORY / (size ? size : 1)) return NULL;
    size_t wanted = (count * size + 15) & ~(size_t)15;
    if (wanted > arena->left) {
        size_t room = wanted > 65536 ? wanted : 65536;
        if (arena->total + room > MAX_MEMORY) return NULL;
        Chunk *chunk = malloc(room + 16);
        if (!chunk) return NULL;
        chunk->before = arena->chunks;
        arena->chunks = chunk;
        arena->next = (char *)chunk + 16;
        arena->left = room;
        arena->total += room;
    }
    void *taken = arena->next;
    arena->next += wanted;
    arena->left -= wanted;
    return taken;
}

void arena_close(Arena *arena) {
    while (arena->chunks) {
        Chunk *before = arena->chunks->before;
        free(arena->chunks);
        arena->chunks = before;
    }
}

static int is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/* The text and a place in it; `at` is '\0' past the end, which no plain text contains. */
typedef struct {
    const char *text;
    int length;
} Text;

static char at(Text text, int place) { return place < text.length ? text.text[place] : '\0'; }

static int skip_blanks(Text text, int place) {
    while (is_blank(at(text, place))) place++;
    return place;
}

/* Digits from *place on, which moves; NOT_MINE if there are none or too many to count with. */
static int64_t read_digits(Text text, int *place) {
    int64_t value = 0;
    int start = *place;
    while (is_digit(at(text, *place))) {
        if (*place - start >= 15) return NOT_MINE;
        value = value * 10 + (at(text, (*place)++) - '0');
    }
    return *place > start ? value : NOT_MINE;
}

static int add_node(Tree *tree, int kind) {
    if (tree->node_count >= tree->room) return NOT_MINE;
    Node *node = &tree->nodes[tree->node_count];
    memset(node, 0, sizeof *node);
    node->kind = kind;
    node->raised = 1;
    return tree->node_count++;
}

static int add_group(Tree *tree, int kind, const Part *parts, int count) {
    int node = add_node(tree, kind);
    if (node < 0 || count > 2 * tree->room - tree->part_count) return NOT_MINE;
    memcpy(tree->parts + tree->part_count, parts, (size_t)count * sizeof *parts);
    for (int i = 0; i < count; i++)
        if (tree->nodes[parts[i].node].raised > tree->nodes[node].raised)
            tree->nodes[node].raised = tree->nodes[parts[i].node].raised;
    tree->nodes[node].first = tree->part_count;
    tree->nodes[node].count = count;
    tree->part_count += count;
    return node;
}

static int add_number(Tree *tree, int64_t above, int64_t below) {
    int node = add_node(tree, NUMBER);
    if (node < 0) return NOT_MINE;
    int64_t a = above, b = below;
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    tree->nodes[node].above = above / a;
    tree->nodes[node].below = below / a;
    tree->plain_operands = 0;
    return node;
}

/* A number such as 12, 0.5, .5, 40%; *place moves behind it. */
static int read_decimal(Tree *tree, Text text, int *place) {
    int64_t value = 0, below = 1;
    int start = *place;
    if (at(text, *place) != '.') value = read_digits(text, place);
    if (value < 0 || at(text, *place) == '(') return NOT_MINE; /* a mixed number */
    if (at(text, *place) == '.') {
        int after = ++*place;
        while (is_digit(at(text, *place))) {
            if (*place - start > 15) return NOT_MINE;
            value = value * 10 + (at(text, (*place)++) - '0');
            below *= 10;
        }
        if (*place == after && after == start + 1) return NOT_MINE; /* a lonely point */
    }
    int percent = skip_blanks(text, *place);
    if (at(text, percent) == '%') {
        below *= 100;
        *place = percent + 1;
    }
    return add_number(tree, value, below);
}

/* A fraction such as (1/6) is one number, (4/2) a division.  Returns NOT_MINE without moving if there is none. */
static int read_fraction(Tree *tree, Text text, int *place) {
    int here = skip_blanks(text, *place + 1);
    int64_t above = read_digits(text, &here);
    here = skip_blanks(text, here);
    if (above < 0 || at(text, here) != '/') return NOT_MINE;
    here = skip_blanks(text, here + 1);
    int64_t below = read_digits(text, &here);
    here = skip_blanks(text, here);
    if (below < 0 || at(text, here) != ')') return NOT_MINE;
    *place = here + 1;
    if (below && above % below) return add_number(tree, above, below);
    Part two[2] = {{add_number(tree, above, 1), 1}, {add_number(tree, below, 1), -1}};
    if (two[0].node < 0 || two[1].node < 0) return NOT_MINE;
    return add_group(tree, PRODUCT, two, 2);
}

/* ^2, **2, ^-1 after a value; *place moves behind it. */
static int read_power(Tree *tree, Text text, int *place, int base) {
    int here = skip_blanks(text, *place + (at(text, *place) == '^' ? 1 : 2));
    int minus = at(text, here) == '-';
    if (minus) here = skip_blanks(text, here + 1);
    int64_t exponent = read_digits(text, &here);
    if (exponent < 0 || exponent > 100) return NOT_MINE;
    int next = skip_blanks(text, here);
    char c = at(text, next);
    if (c == '.' || c == '%' || c == '(' || c == '^' || (c == '*' && at(text, next + 1) == '*')) return NOT_MINE;
    Part one = {base, 1};
    int node = add_group(tree, POWER, &one, 1);
    if (node < 0) return NOT_MINE;
    tree->nodes[node].exponent = (int)(minus ? -exponent : exponent);
    tree->nodes[node].raised *= exponent ? (int)exponent : 1;
    if (tree->nodes[node].raised > MAX_EXPONENT) return NOT_MINE;
    tree->plain_operands = 0;
    *place = here;
    return node;
}

typedef struct {
    int terms, factors; /* where those of the bracket begin on the two stacks */
    int sign, exponent;
    char open;
} Frame;

typedef struct {
    Part *terms, *factors;
    int term_count, factor_count, room;
    Frame now;
} Stacks;

static int push(Part *stack, int *count, int room, int node, int mark) {
    if (*count >= room) return NOT_MINE;
    stack[*count].node = node;
    stack[(*count)++].mark = mark;
    return 0;
}

/* The product that ends here, with `value` as its last factor; `value` itself if there is no other. */
static int end_product(Tree *tree, Stacks *stacks, int value) {
    if (stacks->factor_count == stacks->now.factors) return value;
    if (push(stacks->factors, &stacks->factor_count, stacks->room, value, stacks->now.exponent)) return NOT_MINE;
    value = add_group(tree, PRODUCT, stacks->factors + stacks->now.factors, stacks->factor_count - stacks->now.factors);
    stacks->factor_count = stacks->now.factors;
    stacks->now.exponent = 1;
    return value;
}

static int end_sum(Tree *tree, Stacks *stacks, int value) {
    value = end_product(tree, stacks, value);
    if (value < 0 || (stacks->term_count == stacks->now.terms && stacks->now.sign > 0)) return value;
    if (push(stacks->terms, &stacks->term_count, stacks->room, value, stacks->now.sign)) return NOT_MINE;
    value = add_group(tree, SUM, stacks->terms + stacks->now.terms, stacks->term_count - stacks->now.terms);
    stacks->term_count = stacks->now.terms;
    return value;
}

static char closing(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

int read_text(Arena *arena, const char *characters, int length, Tree *tree) {
    if (length <= 0 || length > MAX_TEXT) return NOT_MINE;
    Text text = {characters, length};
    int room = length + 1;
    memset(tree, 0, sizeof *tree);
    tree->text = characters;
    tree->room = room;
    tree->plain_operands = 1;
    tree->nodes = arena_take(arena, (size_t)room, sizeof *tree->nodes);
    tree->parts = arena_take(arena, 2 * (size_t)room, sizeof *tree->parts);
    Stacks stacks = {NULL, NULL, 0, 0, room, {0, 0, 1, 1, '\0'}};
    stacks.terms = arena_take(arena, (size_t)room, sizeof *stacks.terms);
    stacks.factors = arena_take(arena, (size_t)room, sizeof *stacks.factors);
    int deepest = length < MAX_BRACKETS ? length : MAX_BRACKETS, depth = 0;
    Frame *frames = arena_take(arena, (size_t)deepest, sizeof *frames);
    if (!tree->nodes || !tree->parts || !stacks.terms || !stacks.factors || !frames) return NOT_MINE;
    int value = -1; /* the node just read; -1 where an operand is due */
    int place = 0;
    while ((place = skip_blanks(text, place)) < length) {
        char c = at(text, place);
        if (value < 0) {
            if (is_letter(c)) {
                if ((value = add_node(tree, OPERAND)) < 0) return NOT_MINE;
                tree->nodes[value].start = place;
                while (is_letter(at(text, place)) || is_digit(at(text, place))) place++;
                tree->nodes[value].length = place - tree->nodes[value].start;
            } else if (is_digit(c) || c == '.') {
                if ((value = read_decimal(tree, text, &place)) < 0) return NOT_MINE;
            } else if (c == '(' || c == '[' || c == '{') {
                int before = tree->node_count, from = place;
                if (c == '(' && (value = read_fraction(tree, text, &place)) >= 0) continue;
                if (place != from || tree->node_count != before || depth >= deepest) return NOT_MINE;
                frames[depth++] = stacks.now;
                stacks.now = (Frame){stacks.term_count, stacks.factor_count, 1, 1, c};
                place++;
            } else if (c == '-') {
                stacks.now.sign = -stacks.now.sign;
                place++;
            } else {
                return NOT_MINE;
            }
        } else if (c == '^' || (c == '*' && at(text, place + 1) == '*')) {
            if ((value = read_power(tree, text, &place, value)) < 0) return NOT_MINE;
        } else if (c == '*' || c == '/' || c == ':') {
            if (push(stacks.factors, &stacks.factor_count, room, value, stacks.now.exponent)) return NOT_MINE;
            stacks.now.exponent = c == '*' ? 1 : -1;
            value = -1;
            place++;
        } else if (c == '+' || c == '-') {
            if ((value = end_product(tree, &stacks, value)) < 0) return NOT_MINE;
            if (push(stacks.terms, &stacks.term_count, room, value, stacks.now.sign)) return NOT_MINE;
            stacks.now.sign = c == '+' ? 1 : -1;
            value = -1;
            place++;
        } else if (c == ')' || c == ']' || c == '}') {
            if (!depth || closing(stacks.now.open) != c) return NOT_MINE;
            if ((value = end_sum(tree, &stacks, value)) < 0) return NOT_MINE;
            stacks.now = frames[--depth];
            place++;
        } else {
            return NOT_MINE;
        }
    }
    if (value < 0 || depth) return NOT_MINE;
    tree->root = end_sum(tree, &stacks, value);
    return tree->root < 0 ? NOT_MINE : 0;
}
