/* The compiled core: plain infix text to a canonical form, a residue, a ratio of polynomials; steps to text.
 *
 * Python defines what is right.  Every function here either gives the answer of the Python code or returns NOT_MINE,
 * and then the Python code runs: for anything unusual, too long or too large, and when memory runs out.
 *
 * The text comes from strangers.  So there is no recursion (nodes are stored after those below them, and loops go over
 * them in order), no static buffer (an arena per call), and each array knows its size.
 */
#ifndef MATHCANON_CORE_H
#define MATHCANON_CORE_H

#include <stddef.h>
#include <stdint.h>

#define NOT_MINE (-1)
#define MAX_TEXT 2000        /* characters */
#define MAX_BRACKETS 200     /* deep */
#define MAX_EXPONENT 10000   /* of a power of a power, as in expr.py */
#define MAX_MEMORY (4 << 20) /* bytes of an arena: bounds the work, too */

/* Memory that is freed as a whole. */
typedef struct Chunk {
    struct Chunk *before;
} Chunk;

typedef struct {
    Chunk *chunks;
    char *next;
    size_t left, total;
    _Alignas(16) char first[12288]; /* enough for most texts, without malloc */
} Arena;

void arena_open(Arena *arena);
void *arena_take(Arena *arena, size_t count, size_t size); /* NULL if there is no more */
void arena_close(Arena *arena);

enum { OPERAND, NUMBER, POWER, SUM, PRODUCT };

typedef struct {
    int node;
    int mark; /* the sign of a term, the exponent 1 or -1 of a factor */
} Part;

typedef struct {
    int kind;
    int exponent;             /* of a power */
    int raised;               /* how often powers multiply out some leaf, at the most */
    int first, count;         /* its parts */
    int start, length;        /* the place of an operand in the text */
    int name;                 /* the number of an operand in a Names */
    int64_t above, below;     /* a number in lowest terms, not negative */
} Node;

typedef struct {
    const char *text;
    Node *nodes;
    Part *parts;
    int node_count, part_count;
    int room; /* for nodes; for parts twice that */
    int root;
    int plain_operands; /* no numbers and no powers */
} Tree;

/* read.c: text to a tree. */
int read_text(Arena *arena, const char *text, int length, Tree *tree);

/* form.c: the canonical form, as `canonical_form` makes it. */
typedef struct {
    const char *start;
    int length;
} Span;

typedef struct Form {
    const char *identity;
    int length;
    int leaf; /* the length of the smallest leaf, with which the identity begins */
    int sign, kind, exponent;
    const struct Form **plus, **minus; /* the base of a power is plus[0] */
    int plus_count, minus_count;
    Span text, opposite; /* texts.c: as it is written, and times -1 if a subtraction occurs in it */
} Form;

const Form *canonical_form(Arena *arena, const Tree *tree); /* NULL: not mine */
const Form *group(Arena *arena, const Tree *tree, const Node *node, const Form **done); /* a sum or product of these */

/* texts.c: binary steps, the 16-bit codes of reaching/trace.py, to the text of their canonical form. */
#define MAX_PLACES 32 /* leaves and steps */

int text_of_steps(Arena *arena, const Form *const *leaves, int count, const unsigned char *codes, int sign, Span *text);

/* residue.c: the value at a point modulo a prime below 2^63, as numerator and denominator. */
enum { DEFINED, ZERO_DIVISOR };
typedef int (*PointFunction)(void *context, const char *name, int length, uint64_t *value); /* nonzero: stop */

uint64_t times_modulo(uint64_t a, uint64_t b, uint64_t prime);
uint64_t inverse_modulo(uint64_t a, uint64_t prime);
int residue_of(Arena *arena, const Tree *tree, uint64_t prime, PointFunction point, void *context,
               uint64_t *above, uint64_t *below);

/* equal.c: whether two texts are the same function. */
enum { DIFFERENT, SAME_STRUCTURE, SAME_FUNCTION, UNDEFINED };
int compare_texts(const char *left, int left_length, const char *right, int right_length);

/* polynomial.c: ratios of sparse integer polynomials. */
typedef struct {
    int count;
    uint64_t *monomials; /* eight exponents of eight bits, ascending */
    int64_t *coefficients;
} Polynomial;

#define MAX_NAMES 8

typedef struct {
    Polynomial above, below;
} Ratio;

int ratio_of(Arena *arena, const Tree *tree, Ratio *ratio); /* DEFINED, ZERO_DIVISOR or NOT_MINE */
int same_ratio(Arena *arena, const Ratio *one, const Ratio *other); /* 0, 1 or NOT_MINE */

#endif
