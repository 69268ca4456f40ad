"""The EM of `weaksup.rankers.em` in plain Python: dictionaries, exact functions, no arrays.

The formulas are those of the module's docstring; templates, orders, shapes and roles are found by other means
(mathcanon's fingerprints, all renamings, walks over trees), so that agreement says something.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from itertools import islice, permutations, product
from typing import NamedTuple

from mathcanon import Expr, Product, Sum, fingerprint, parse
from weaksup.meaning.kinds import kind_of
from weaksup.rankers.em import EMOptions
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


def slow_posteriors(sets: Sequence[CandidateSet], options: EMOptions) -> list[list[float]]:
    """The belief in each candidate of each problem, slowly."""
    return _SlowEM(sets, options).run()


class _SlowEM:
    def __init__(self, sets: Sequence[CandidateSet], options: EMOptions) -> None:
        self.sets, self.options = sets, options
        self.by_size = Counter(len(problem.values) for problem in sets)
        self.rows: list[tuple[int, int, str, tuple[int, int]]] = []  # problem, candidate, reading, template
        self.simplest: dict[tuple[int, int], Template] = {}
        for p, problem in enumerate(sets):
            n = len(problem.values)
            for c, candidate in enumerate(problem.candidates):
                for text in readings(candidate.expr, problem.values, options.readings):
                    template = (fingerprint(parse(text)), n)
                    self.rows.append((p, c, text, template))
                    new = describe(text, n)
                    self.simplest[template] = min(new, self.simplest.get(template, new))
        self.kinds = [list(map(kind_of, problem.values, problem.surfaces)) for problem in sets]
        seen = Counter(kind for kinds in self.kinds for kind in kinds)
        self.anyhow = {kind: count / sum(seen.values()) for kind, count in seen.items()}

    def run(self) -> list[list[float]]:
        weights: list[float] | None = None
        for round_ in range(self.options.rounds):
            counts: dict[tuple[int, int], float] = defaultdict(float)
            for (*_, template), weight in zip(self.rows, weights or [], strict=False):
                counts[template] += weight
            warm = round_ < 4
            pooled = self.options.pool and not warm
            chance = self.pooled(counts) if pooled else self.by_stage(counts, 10 if warm else 1)
            belief = [chance[template] for *_, template in self.rows]
            if self.options.kinds and not warm:
                assert weights is not None
                belief = [a * b for a, b in zip(belief, self.kind_factors(weights, counts), strict=True)]
            total: dict[int, float] = defaultdict(float)
            for (p, *_), share in zip(self.rows, belief, strict=True):
                total[p] += share
            weights = [share / total[p] for (p, *_), share in zip(self.rows, belief, strict=True)]
        out = [[0.0] * len(problem.candidates) for problem in self.sets]
        for (p, c, *_), weight in zip(self.rows, weights or [], strict=True):
            out[p][c] += weight
        return out

    def by_stage(self, counts: dict[tuple[int, int], float], alpha: float) -> dict[tuple[int, int], float]:
        stage = {t: (t[1], d.left_out, d.again, d.constants) for t, d in self.simplest.items()}
        members = Counter(stage.values())
        heavy = {s: 0.1 + sum(counts[t] for t in stage if stage[t] == s) for s in members}
        total = {n: sum(heavy[s] for s in heavy if s[0] == n) for n in self.by_size}
        return {
            t: (counts[t] + alpha * heavy[s] / total[t[1]] / members[s]) / (self.by_size[t[1]] + alpha)
            for t, s in stage.items()
        }

    def pooled(self, counts: dict[tuple[int, int], float]) -> dict[tuple[int, int], float]:
        m = sum(self.by_size.values())
        a, b, c = (
            m * self.options.template_backoff,
            m * self.options.order_backoff,
            m * self.options.shape_backoff,
        )
        order = {t: order_of(d) for t, d in self.simplest.items()}
        of_order: dict[Hashable, Template] = {}
        for t, d in self.simplest.items():
            of_order[order[t]] = min(d, of_order.get(order[t], d))
        described = {t: of_order[order[t]] for t in self.simplest}
        shape_ways = {t: shape_and_ways(d) for t, d in described.items()}
        shape = {t: sw[0] for t, sw in shape_ways.items()}
        kind = {t: (len(d.used), d.leaves, d.again, d.constants) for t, d in described.items()}
        used = {t: (t[1], d.used) for t, d in self.simplest.items()}

        def gathered(level: dict[tuple[int, int], Hashable], plus: float = 0.0) -> dict[Hashable, float]:
            out: dict[Hashable, float] = dict.fromkeys(level.values(), plus)
            for t, name in level.items():
                out[name] += counts[t]
            return out

        orders, shapes = gathered(dict(order)), gathered(dict(shape))
        kinds, choices = gathered(dict(kind), 0.5), gathered(dict(used), 0.5)
        by_k: dict[int, float] = defaultdict(float)
        for t, d in self.simplest.items():
            by_k[len(d.used)] += counts[t]
        shapes_of_kind = Counter({shape[t]: kind[t] for t in kind}.values())
        kinds_total: dict[int, float] = defaultdict(float)
        for key, weight in kinds.items():
            kinds_total[key[0]] += weight  # type: ignore[index]
        choices_total: dict[int, float] = defaultdict(float)
        for key, weight in choices.items():
            choices_total[key[0]] += weight  # type: ignore[index]
        out = {}
        for t, d in self.simplest.items():
            k = len(d.used)
            of_kind = kinds[kind[t]] / kinds_total[k] / shapes_of_kind[kind[t]]
            of_shape = (shapes[shape[t]] + c * of_kind) / (by_k[k] + c)
            in_order = (orders[order[t]] + b * of_shape / shape_ways[t][1]) / (by_k[k] + b)
            of_used = choices[used[t]] / choices_total[t[1]]
            out[t] = (counts[t] + a * in_order * of_used) / (self.by_size[t[1]] + a)
        return out

    def entries(self) -> Iterator[tuple[int, tuple[int, int], int, Hashable, int]]:
        """Row, template, quantity, role, kind."""
        for row, (p, _, text, template) in enumerate(self.rows):
            for i, role in enumerate(roles_of(text, template[1])):
                yield row, template, i, role, self.kinds[p][i]

    def kind_factors(self, weights: list[float], counts: dict[tuple[int, int], float]) -> list[float]:
        by_role: dict[tuple[Hashable, int], float] = defaultdict(float)
        by_slot: dict[Hashable, float] = defaultdict(float)
        for row, template, i, role, kind in self.entries():
            by_role[role, kind] += weights[row]
            by_slot[template, i, kind] += weights[row]
        total: dict[Hashable, float] = defaultdict(float)
        for (role, _), weight in by_role.items():
            total[role] += weight
        logs = [0.0] * len(self.rows)
        backoff = self.options.kind_backoff
        for row, template, i, role, kind in self.entries():
            of_role = (by_role[role, kind] + 0.5 * self.anyhow[kind]) / (total[role] + 0.5)
            here = (by_slot[template, i, kind] + backoff * of_role) / (counts[template] + backoff)
            logs[row] += math.log(here / self.anyhow[kind])
        return [math.exp(self.options.kind_weight * log) for log in logs]
