"""The ranker `words`: EM over templates with a log-linear model of the text, learnt from answers alone.

The template model of `em.py` says how usual an equation is.  This model also reads the text: the words around a
quantity favour its role ("each" favours a factor), those around two quantities favour the operation that joins them, and
the question favours the last operation.  For an equation t of a problem x with n quantities,

    log P(t | x) = a log P(t | n) + sum over quantities i of U[features of i][role of i in t]
                   + sum over pairs i, j of V[features of i, j][relation of i and j in t]
                   + G[features of x][last operation of t, constants, repeated and omitted quantities]
                   + s flags of the steps of t (negative, not whole...)    - log of the sum over all equations

where the sum over all equations is that over the problem's `word_options.py`.  The weights maximize the probability of
the answers, P(answer | x) = (1 - P(none)) sum over candidates P(t | x) + P(none) P(answer | none), less a penalty on
their squares.  Nothing is fitted to gold.

A model would remember the candidates of the problems that it was trained on, so the problems are divided into parts and
each part is judged by a model of the others.  Problems that are not learnt from are judged by the mean of these models.
P(none) is then estimated from these judgements.  Cost: some seconds per thousand problems; no network is trained.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
import numpy as np

from ..records import CandidateSet, Label, Problem
from .em import EMOptions, Model
from .labels import make_label
from .prior_table import SHIPPED, PriorTable, load_prior
from .readings import ROLES, Array
from .word_features import text_features
from .word_options import Options, find_options

__all__ = ["WordOptions", "rank_words", "word_chances"]


class WordOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the training; `benchmarks/word_strengths.py` compares them on the answers of unseen problems."""

    epochs: int = 5
    rate: float = 0.01
    penalty: float = 10.0  # on the squares of the weights, per corpus
    parts: int = 5  # of the corpus, each judged by a model of the others
    batch: int = 64
    least: int = 3  # features of fewer problems are not used
    seed: int = 0


def rank_words(
    sets: Iterable[CandidateSet],
    problems: Mapping[str, Problem],
    *,
    prior: str = SHIPPED,
    options: WordOptions | None = None,
) -> Iterator[Label]:
    """Yield a label for each problem with candidates, in order; `prior` is "shipped", "none" or a prior table's path.

    >>> list(rank_words([], {}))
    []
    """
    given = list(sets)
    for found, row in zip(given, word_chances(given, problems, prior=prior, options=options), strict=True):
        if found.candidates:
            yield make_label(found, (row[:-1] / row.sum()).tolist(), ranker="words")


def word_chances(
    sets: Sequence[CandidateSet],
    problems: Mapping[str, Problem],
    *,
    unseen: Sequence[CandidateSet] = (),
    prior: str | PriorTable | None = SHIPPED,
    options: WordOptions | None = None,
) -> list[Array]:
    """As `em.em_chances`, from the texts of `problems` too: P of each candidate, and last that none is right.

    The problems of `unseen` come last; nothing is learnt from them.  A problem with too many quantities gets what the
    template model says.  The order of the problems makes no difference.
    """
    given = [*sets, *unseen]
    by_id = sorted((i for i, found in enumerate(given) if found.candidates), key=lambda i: given[i].id)
    chances = [np.zeros(1)] * len(given)
    if not by_id:
        return chances
    found = [given[i] for i in by_id]
    seen = np.asarray(by_id) < len(sets)
    text_free = EMOptions()
    model = Model(
        found,
        seen=seen,
        prior=load_prior(prior) if isinstance(prior, str) else prior,
        unmatched=sum(one.reason == "no-match" for one in sets),
    )
    posteriors = model.fit(text_free)
    template, kinds = model.chances(posteriors, text_free)
    own = find_options(model, found, template, template * kinds)
    texts = _Texts([problems[one.id] for one in found], seen, least=(options or WordOptions()).least)
    rows = _judge(own, texts, model, posteriors, options or WordOptions(), found)
    for i, row in zip(by_id, rows, strict=True):
        chances[i] = row
    return chances


class _Texts:
    """The features of some problems as numbers; only those that enough `seen` problems have are kept."""

    def __init__(self, problems: Sequence[Problem], seen: Array, *, least: int) -> None:
        texts = [text_features(problem) for problem in problems]
        self.counts = np.array([len(text.quantities) for text in texts])
        self.first_quantity = np.concatenate([[0], np.cumsum(self.counts)])[:-1]
        self.first_pair = np.concatenate([[0], np.cumsum(self.counts * (self.counts - 1) // 2)])[:-1]
        groups = ([text.quantities for text in texts], [text.pairs for text in texts], [[text.whole] for text in texts])
        self.sizes: list[int] = []
        self.features: tuple[Array, ...] = ()
        for group in groups:
            known = _known(group, seen, least)
            self.sizes.append(len(known))
            numbers = [[known[name] for name in names if name in known] for items in group for names in items]
            ends = np.cumsum([0, *map(len, numbers)])
            self.features += (ends, np.array([number for row in numbers for number in row], np.int64))


def _known(group: Sequence[Sequence[Sequence[str]]], seen: Array, least: int) -> dict[str, int]:
    times: Counter[str] = Counter()
    for items, counts in zip(group, seen.tolist(), strict=True):
        if counts:
            times.update({name for names in items for name in names})
    return {name: i for i, name in enumerate(sorted(name for name, count in times.items() if count >= least))}


class _Weights:
    """The weights of the model, one flat array with views, and the state of Adam."""

    def __init__(self, sizes: Sequence[int]) -> None:
        from .word_loops import EXTRAS, FLAGS, RELATIONS, ROOTS

        shapes = [(sizes[0], ROLES), (sizes[1], RELATIONS), (sizes[2], ROOTS + EXTRAS), (FLAGS + 1,)]
        self.ends = np.cumsum([0, *(int(np.prod(shape)) for shape in shapes)])
        self.shapes = shapes
        self.flat = np.zeros(self.ends[-1])
        self.flat[-1] = 1.0  # the template model's weight, a

    def views(self, flat: Array) -> tuple[Array, ...]:
        """A flat array as the four arrays of weights."""
        return tuple(
            flat[start:end].reshape(shape)
            for start, end, shape in zip(self.ends, self.ends[1:], self.shapes, strict=False)
        )


def _judge(
    own: Options,
    texts: _Texts,
    model: Model,
    posteriors: Array,
    options: WordOptions,
    sets: Sequence[CandidateSet],
) -> list[Array]:
    """The row of chances of each problem."""
    from .word_loops import learn

    seen = model.seen > 0
    beliefs = model.candidates(posteriors)
    answers = model.none.answers(EMOptions().answer_strength)
    usable = np.diff(own.start) > 0
    share = float(np.mean([1 - row.sum() for row, counts in zip(beliefs, seen, strict=True) if counts] or [0.2]))
    rng = np.random.default_rng(options.seed)
    part = rng.permutation(len(sets)) % options.parts
    logs = np.zeros(len(own.form))
    weights = _Weights(texts.sizes)
    mean = np.zeros_like(weights.flat)
    for number in range(options.parts):
        others = np.flatnonzero(usable & seen & (part != number))
        fitted = _fit(others, own, texts, answers, share, weights, options, rng)
        mean += fitted / options.parts
        mine = np.flatnonzero(usable & seen & (part == number))
        _score(learn, mine, own, texts, answers, share, weights.views(fitted), logs)
    _score(learn, np.flatnonzero(usable & ~seen), own, texts, answers, share, weights.views(mean), logs)

    rows, reached = [], np.zeros(len(sets))
    for p, found in enumerate(sets):
        first, end = own.start[p], own.start[p + 1]
        mine = slice(first, end)
        chance = np.zeros(len(found.candidates))
        np.add.at(chance, own.candidate[mine][own.own[mine]], np.exp(logs[mine][own.own[mine]]))
        rows.append(chance)
        reached[p] = chance.sum()
    for _ in range(100):
        nothing = share * answers / (share * answers + (1 - share) * reached + 1e-300)
        share = model.none.probability(np.where(usable, nothing, share), EMOptions().none_strength)
    result = []
    for p, row in enumerate(rows):
        if usable[p]:
            result.append(np.append(row * (1 - share), share * answers[p]))
        else:
            belief = beliefs[p]
            result.append(np.append(belief, max(1 - belief.sum(), 1e-12)) * model.evidence[p])
    return result


def _fit(
    problems: Array,
    own: Options,
    texts: _Texts,
    answers: Array,
    share: float,
    weights: _Weights,
    options: WordOptions,
    rng: np.random.Generator,
) -> Array:
    """The weights that predict the answers of some problems, as one flat array."""
    from .word_loops import adam, learn

    flat = weights.flat.copy()
    gradients, mean, square = (np.zeros_like(flat) for _ in range(3))
    logs = np.zeros(len(own.form))
    time = 0
    for _ in range(options.epochs):
        order = rng.permutation(problems)
        for first in range(0, len(order), options.batch):
            chosen = order[first : first + options.batch]
            _score(learn, chosen, own, texts, answers, share, weights.views(flat), logs, weights.views(gradients))
            gradients /= len(chosen)
            time += 1
            decay = 2 * options.penalty / len(problems)
            adam(flat, gradients, mean, square, options.rate, decay, time)
    return flat


def _score(
    learn: object,
    problems: Array,
    own: Options,
    texts: _Texts,
    answers: Array,
    share: float,
    weights: tuple[Array, ...],
    logs: Array,
    gradients: tuple[Array, ...] | None = None,
) -> None:
    options = (texts.first_quantity, texts.first_pair, *own.of_problems)
    given = weights if gradients is None else gradients
    learn(
        problems, texts.counts, texts.features, options, own.forms, answers, share, weights, given,
        gradients is not None, logs,
    )  # type: ignore[operator]  # fmt: skip
