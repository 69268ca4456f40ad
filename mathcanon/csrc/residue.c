/* Values modulo a prime, as in equality/fingerprints.py. */
#include "core.h"

uint64_t times_modulo(uint64_t a, uint64_t b, uint64_t prime) { return (uint64_t)((unsigned __int128)a * b % prime); }

static uint64_t plus_modulo(uint64_t a, uint64_t b, uint64_t prime) {
    uint64_t total = a + b; /* below 2^64, because both are below a prime below 2^63 */
    return total >= prime ? total - prime : total;
}

static uint64_t power_modulo(uint64_t base, int exponent, uint64_t prime) {
    uint64_t result = 1;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) result = times_modulo(result, base, prime);
        base = times_modulo(base, base, prime);
    }
    return result;
}

/* Extended Euclid; `a` is not divisible by the prime. */
uint64_t inverse_modulo(uint64_t a, uint64_t prime) {
    int64_t old = 0, now = 1;
    uint64_t rest = prime, divisor = a % prime;
    while (divisor > 1) {
        int64_t quotient = (int64_t)(rest / divisor);
        uint64_t next_rest = rest % divisor;
        int64_t next = old - quotient * now;
        rest = divisor;
        divisor = next_rest;
        old = now;
        now = next;
    }
    return now < 0 ? (uint64_t)(now + (int64_t)prime) : (uint64_t)now;
}

typedef struct {
    uint64_t above, below;
} Residue;

static Residue upside_down(Residue value) { return (Residue){value.below, value.above}; }

static Residue sum(const Tree *tree, const Node *node, const Residue *done, uint64_t prime) {
    Residue total = {0, 1};
    for (int i = 0; i < node->count; i++) {
        const Part *part = &tree->parts[node->first + i];
        Residue term = done[part->node];
        if (part->mark < 0 && term.above) term.above = prime - term.above;
        if (term.below != total.below) {
            total.above = times_modulo(total.above, term.below, prime);
            term.above = times_modulo(term.above, total.below, prime);
            total.below = times_modulo(total.below, term.below, prime);
        }
        total.above = plus_modulo(total.above, term.above, prime);
    }
    return total;
}

int residue_of(Arena *arena, const Tree *tree, uint64_t prime, PointFunction point, void *context,
               uint64_t *above, uint64_t *below) {
    Residue *done = arena_take(arena, (size_t)tree->node_count, sizeof *done);
    if (!done) return NOT_MINE;
    for (int i = 0; i < tree->node_count; i++) {
        const Node *node = &tree->nodes[i];
        Residue value = {1, 1};
        if (node->kind == OPERAND) {
            if (point(context, tree->text + node->start, node->length, &value.above)) return NOT_MINE;
        } else if (node->kind == NUMBER) {
            value = (Residue){(uint64_t)node->above % prime, (uint64_t)node->below % prime};
            if (!value.below) return ZERO_DIVISOR;
        } else if (node->kind == POWER) {
            Residue base = done[tree->parts[node->first].node];
            int exponent = node->exponent;
            if (exponent < 0) {
                if (!base.above) return ZERO_DIVISOR;
                base = upside_down(base);
                exponent = -exponent;
            }
            value = (Residue){power_modulo(base.above, exponent, prime), power_modulo(base.below, exponent, prime)};
        } else if (node->kind == SUM) {
            value = sum(tree, node, done, prime);
        } else {
            for (int k = 0; k < node->count; k++) {
                const Part *part = &tree->parts[node->first + k];
                Residue factor = done[part->node];
                if (part->mark < 0) {
                    if (!factor.above) return ZERO_DIVISOR;
                    factor = upside_down(factor);
                }
                value.above = times_modulo(value.above, factor.above, prime);
                value.below = times_modulo(value.below, factor.below, prime);
            }
        }
        done[i] = value;
    }
    *above = done[tree->root].above;
    *below = done[tree->root].below;
    return DEFINED;
}
