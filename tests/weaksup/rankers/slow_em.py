"""The EM of `weaksup.rankers.em` in plain Python: dictionaries, exact functions, no arrays.

The formulas are those of the docstrings (`em_prior`, `em_kinds`, `em_answers`); counts without a problem are made by
counting the other problems; templates, orders, shapes and roles are found by other means
(mathcanon's fingerprints, all renamings, walks over trees), so that agreement says something.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import islice, permutations, product
from typing import NamedTuple

from mathcanon import Expr, Product, Sum, count, evaluate, fingerprint, parse
from weaksup.meaning.kinds import KINDS, kind_of
from weaksup.rankers.em import EMOptions
from weaksup.rankers.em_answers import universal
from weaksup.rankers.prior_table import PriorTable
from weaksup.records import CandidateSet

CONSTANTS = ("1", "3.14")
LEAF = re.compile(r"N\d+|\b1\b|3\.14")


def renamed(text: str, names: dict[str, str]) -> str:
    return LEAF.sub(lambda found: names.get(found[0], found[0]), text)


def readings(text: str, values: Sequence[str], limit: int) -> list[str]:
    """Every way to put other leaves of equal value in the places of the leaves."""
    worth = {f"N{i}": Fraction(value) for i, value in enumerate(values)} | {c: Fraction(c) for c in CONSTANTS}
    leaves = LEAF.findall(text)
    choices = [[name for name in worth if worth[name] == worth[leaf]] for leaf in leaves]
    found = []
    for chosen in islice(product(*choices), limit):
        rest = iter(chosen)
        found.append(LEAF.sub(lambda _, rest=rest: next(rest), text))  # type: ignore[misc]
    return found


class Template(NamedTuple):
    """What a reading says about its template."""

    leaves: int
    left_out: int
    again: int
    constants: tuple[int, ...]
    names: tuple[int, ...]
    text: str

    @property
    def used(self) -> tuple[str, ...]:
        return tuple(sorted({leaf for leaf in LEAF.findall(self.text) if leaf[0] == "N"}, key=lambda n: int(n[1:])))


def describe(text: str, n: int) -> Template:
    leaves = LEAF.findall(text)
    times = Counter(leaf for leaf in leaves if leaf[0] == "N")
    constants = tuple(leaves.count(constant) for constant in CONSTANTS)
    names = tuple(int(leaf[1:]) if leaf[0] == "N" else ~CONSTANTS.index(leaf) for leaf in leaves)
    return Template(len(leaves), n - len(times), sum(times.values()) - len(times), constants, names, text)


def order_of(template: Template) -> tuple[int, int]:
    names = {name: f"N{i}" for i, name in enumerate(template.used)}
    return fingerprint(parse(renamed(template.text, names))), len(names)


def shape_and_ways(template: Template) -> tuple[Hashable, int]:
    used = template.used
    functions = {
        fingerprint(parse(renamed(template.text, dict(zip(used, names, strict=True)))))
        for names in permutations([f"N{i}" for i in range(len(used))])
    }
    return (min(functions), len(used)), len(functions)


def roles_of(text: str, n: int) -> list[Hashable]:
    """What happens to each quantity: the two innermost operations, with the side of the operand."""
    found: dict[str, list[Hashable]] = defaultdict(list)

    def walk(node: Expr, path: tuple[str, ...]) -> None:
        if isinstance(node, Sum):
            for mark, child in node.terms:
                walk(child, ("+" if mark > 0 else "-", *path))
        elif isinstance(node, Product):
            for mark, child in node.factors:
                walk(child, ("*" if mark > 0 else "/", *path))
        else:
            found[str(node)].append(path[:2])

    walk(parse(text), ())
    return [
        "left out" if not found[f"N{i}"] else "again" if len(found[f"N{i}"]) > 1 else found[f"N{i}"][0]
        for i in range(n)
    ]


def is_constant(text: str) -> bool:
    """Whether the value does not depend on the quantities; two points are enough for the expressions of the tests."""
    points = [{f"N{i}": Fraction(7919 * (i + shift), 13 + i) for i in range(9)} for shift in (1, 2)]
    return evaluate(text, points[0]) == evaluate(text, points[1])


def slow_posteriors(
    sets: Sequence[CandidateSet], options: EMOptions, prior: PriorTable | None = None, unmatched: int = 0
) -> list[list[float]]:
    """The belief in each candidate of each problem, slowly."""
    return _SlowEM(sets, options, prior, unmatched).run()


Row = tuple[int, int, str, tuple[int, int]]  # problem, candidate, reading, template


class _SlowEM:
    def __init__(
        self, sets: Sequence[CandidateSet], options: EMOptions, prior: PriorTable | None, unmatched: int
    ) -> None:
        self.sets, self.options, self.unmatched = sets, options, unmatched
        self.rows: list[Row] = []
        self.table: list[tuple[float, Row]] = []  # the templates of the prior table, with their weights
        self.simplest: dict[tuple[int, int], Template] = {}
        for p, problem in enumerate(sets):
            for c, candidate in enumerate(problem.candidates):
                for text in readings(candidate.expr, problem.values, options.readings):
                    self.rows.append((p, c, text, self.template(text, len(problem.values))))
        self.roles: dict[tuple[Hashable, int], float] = defaultdict(float)
        for corpus in () if prior is None else prior.corpora:
            total = sum(sum(counts.values()) for counts in corpus.templates.values())
            for n, counts in corpus.templates.items():
                for text, times in counts.items():
                    weight = options.prior_problems * times / total / len(prior.corpora)  # type: ignore[union-attr]
                    self.table.append((weight, (-1, 0, text, self.template(text, int(n)))))
            for number, row in enumerate(corpus.roles):
                for kind, times in enumerate(row):
                    share = times / corpus.problems / len(prior.corpora)  # type: ignore[union-attr]
                    self.roles[ROLE_NAMES[number], kind] += options.prior_problems * share
        self.kinds = [list(map(kind_of, problem.values, problem.surfaces)) for problem in sets]
        seen = Counter(kind for kinds in self.kinds for kind in kinds)
        self.anyhow = {kind: (seen[kind] + 0.5) / (sum(seen.values()) + 0.5 * KINDS) for kind in range(KINDS)}
        self.classify()

    def template(self, text: str, n: int) -> tuple[int, int]:
        name = (fingerprint(parse(text)), n)
        new = describe(text, n)
        self.simplest[name] = min(new, self.simplest.get(name, new))
        return name

    def classify(self) -> None:
        """The classes of each template, by level."""
        order = {t: order_of(d) for t, d in self.simplest.items()}
        of_order: dict[Hashable, Template] = {}
        for t, d in self.simplest.items():
            of_order[order[t]] = min(d, of_order.get(order[t], d))
        self.described = {t: of_order[order[t]] for t in self.simplest}
        shape_ways = {t: shape_and_ways(d) for t, d in self.described.items()}
        self.ways = {t: ways for t, (_, ways) in shape_ways.items()}
        self.levels: dict[str, dict[tuple[int, int], Hashable]] = {
            "template": {t: t for t in self.simplest},
            "order": dict(order),
            "shape": {t: shape for t, (shape, _) in shape_ways.items()},
            "kind": {t: (len(d.used), d.leaves, d.again, d.constants) for t, d in self.described.items()},
            "used": {t: (t[1], d.used) for t, d in self.simplest.items()},
            "n": {t: t[1] for t in self.simplest},
            "k": {t: len(d.used) for t, d in self.described.items()},
            "k of n": {t: (t[1], len(self.described[t].used)) for t in self.simplest},
        }

    def run(self) -> list[list[float]]:
        weights = [0.0] * len(self.rows)
        nothing: list[float] | None = None
        for _ in range(self.options.rounds):
            belief = [0.0] * len(self.rows)
            for p in range(len(self.sets)):
                others = [(w, row) for w, row in zip(weights, self.rows, strict=True) if row[0] != p]
                counts = self.counts([*others, *self.table])
                for i, row in enumerate(self.rows):
                    if row[0] == p and not is_constant(row[2]):
                        belief[i] = self.chance(counts, row[3])
                if self.options.kinds:
                    for i, factor in self.kind_factors(p, others).items():
                        belief[i] *= factor
            none = self.none_right(nothing) if self.options.none else 0.0
            total = [none * self.answer_chance(p) for p in range(len(self.sets))]
            nothing = total[:]
            for (p, *_), share in zip(self.rows, belief, strict=True):
                total[p] += (1 - none) * share
            weights = [(1 - none) * share / total[p] for (p, *_), share in zip(self.rows, belief, strict=True)]
            nothing = [part / whole for part, whole in zip(nothing, total, strict=True)]
        out = [[0.0] * len(problem.candidates) for problem in self.sets]
        for (p, c, *_), weight in zip(self.rows, weights, strict=True):
            out[p][c] += weight
        return out

    def counts(self, rows: Sequence[tuple[float, Row]]) -> dict[str, dict[Hashable, float]]:
        found: dict[str, dict[Hashable, float]] = {name: defaultdict(float) for name in self.levels}
        for weight, (*_, template) in rows:
            for name, level in self.levels.items():
                found[name][level[template]] += weight
        return found

    def chance(self, counts: dict[str, dict[Hashable, float]], t: tuple[int, int]) -> float:
        """P(template | n), by the formulas of `em_prior`."""
        options, d, n = self.options, self.described[t], t[1]
        k = len(d.used)
        c = {name: counts[name][level[t]] for name, level in self.levels.items()}
        extras = d.leaves - k
        kinds_alike = (extras + 1) * (extras + 2) / 2
        kind = (c["kind"] + options.kind_strength * 0.8 * 0.2**extras / kinds_alike) / (c["k"] + options.kind_strength)
        repeats = math.comb(k + d.again - 1, d.again) if k else 1
        orders = count(d.leaves) * repeats / 2**d.again / math.factorial(extras - d.again)
        b, s = options.order_strength, options.shape_strength
        shape = (c["shape"] + s * kind / orders * self.ways[t]) / (c["k"] + s)
        order = (c["order"] + b * shape / self.ways[t]) / (c["k"] + b)
        size = (c["k of n"] + options.size_strength * 0.8 * 0.2 ** (n - k)) / (c["n"] + options.size_strength)
        used = (c["used"] + options.used_strength * size / math.comb(n, k)) / (c["n"] + options.used_strength)
        return (c["template"] + options.template_strength * order * used) / (c["n"] + options.template_strength)

    def kind_factors(self, p: int, others: Sequence[tuple[float, Row]]) -> dict[int, float]:
        by_cell, by_role = defaultdict(float, self.roles), defaultdict(float)
        for (role, _), weight in self.roles.items():
            by_role[role] += weight
        by_slot: dict[Hashable, float] = defaultdict(float)
        by_template: dict[Hashable, float] = defaultdict(float)
        for weight, (q, _, text, template) in others:
            by_template[template] += weight
            for i, role in enumerate(roles_of(text, template[1])):
                by_cell[role, self.kinds[q][i]] += weight
                by_role[role] += weight
                by_slot[template, i, self.kinds[q][i]] += weight
        found = {}
        d, e = self.options.number_strength, self.options.role_strength
        for row, (q, _, text, template) in enumerate(self.rows):
            if q == p:
                found[row] = 1.0
                for i, role in enumerate(roles_of(text, template[1])):
                    kind = self.kinds[p][i]
                    of_role = (by_cell[role, kind] + e * self.anyhow[kind]) / (by_role[role] + e)
                    here = (by_slot[template, i, kind] + d * of_role) / (by_template[template] + d)
                    found[row] *= here / self.anyhow[kind]
        return found

    def none_right(self, nothing: list[float] | None) -> float:
        if nothing is None:
            return 0.2
        strength = self.options.none_strength
        return (sum(nothing) + self.unmatched + 0.2 * strength) / (len(nothing) + self.unmatched + strength)

    def answer_chance(self, p: int) -> float:
        answer, strength = self.sets[p].answer, self.options.answer_strength
        same = sum(problem.answer == answer for problem in self.sets) - 1
        return (same + strength * universal(Fraction(answer))) / (len(self.sets) - 1 + strength)


#: The roles by number, as the prior table has them: named as `roles_of` does.
ROLE_NAMES: dict[int, Hashable] = {0: "left out", 1: "again", 2: ()} | {
    3 + i + 4 * j: (inner, *outer) for i, inner in enumerate("+-*/") for j, outer in enumerate(["", *"+-*/"])
}
