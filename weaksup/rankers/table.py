"""The table of rankers: their names, the inputs they need, and where their functions are.

Everything that lists or checks rankers reads this table: configurations, options and their help, the arms of the
pipeline and the documentation.  A new ranker is a file in this folder and a line here.  The functions are imported only
when they are called, so the table itself imports neither numpy nor torch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..errors import ConfigError
from ..late_imports import find_name
from ..records import CandidateSet, Label, Problem

if TYPE_CHECKING:
    from .drafts import Draft, TrainDraft
    from .words import Search

__all__ = [
    "RANKERS",
    "Ranker",
    "check_needs",
    "check_prior",
    "check_rounds",
    "check_words",
    "find_ranker",
    "rank_candidates",
    "rank_with_draft",
    "rank_with_trained_drafts",
    "rank_with_words",
]


class Ranker(NamedTuple):
    """A line of the table.  Functions are given as `package.module:name`; empty means that the ranker has none."""

    about: str
    plain: str = ""  # (sets, *, seed) -> labels, from the candidates alone
    words: str = ""  # (sets, problems by id, *, search) -> labels, from the texts too, without a draft
    draft: str = ""  # (sets, problems by id, draft) -> labels
    rounds: str = ""  # (sets, problems by id, train_draft, *, rounds, unseen) -> labels, with drafts of its own
    prior: bool = False  # whether these functions take a prior over templates (`prior_table.py`)
    explores: bool = False  # whether its draft must also propose equations (`Draft.explore`)
    unseen: bool = False  # whether it also uses candidates of problems that its draft was not trained on


#: Every ranker, best first.
RANKERS: dict[str, Ranker] = {
    "em": Ranker(
        "templates, words and drafts, all problems with candidates",
        plain="weaksup.rankers.em:rank_em",
        words="weaksup.rankers.words:rank_words",
        draft="weaksup.rankers.em_draft:rank_em_draft",
        rounds="weaksup.rankers.em_rounds:rank_em_rounds",
        prior=True,
        unseen=True,
    ),
    "beam": Ranker(
        "Beam Ranker: draft on single candidates, its own right-valued equations added",
        draft="weaksup.rankers.basic:rank_beam",
        explores=True,
    ),
    "basic": Ranker("Basic Ranker: draft on single candidates", draft="weaksup.rankers.basic:rank_basic"),
    "random": Ranker("no ranking: any candidate", plain="weaksup.rankers.random_pick:rank_random"),
    "single": Ranker("problems with one candidate only", plain="weaksup.rankers.single:rank_single"),
}


def find_ranker(name: str) -> Ranker:
    """The ranker of this name; raises `ConfigError` for an unknown name."""
    if name not in RANKERS:
        raise ConfigError(f"unknown ranker {name!r}; one of {', '.join(RANKERS)}")
    return RANKERS[name]


def check_needs(name: str, *, draft: bool) -> None:
    """Raise `ConfigError` if the ranker needs a draft and there is none, or if there is one that it can't use."""
    ranker = find_ranker(name)
    if draft and not ranker.draft:
        raise ConfigError(f"ranker {name} does not use a model")
    if not draft and not ranker.plain:
        raise ConfigError(f"ranker {name} needs a draft model (--model or --scorer, or --drafts to train it)")


def check_words(name: str) -> None:
    """Raise `ConfigError` if the ranker can't read the texts without a draft."""
    if not find_ranker(name).words:
        able = ", ".join(other for other, ranker in RANKERS.items() if ranker.words)
        raise ConfigError(f"ranker {name} can't read the words of the texts without a draft; {able} can")


def check_rounds(name: str, rounds: int) -> None:
    """Raise `ConfigError` if the ranker can't train this number of drafts."""
    ranker = find_ranker(name)
    most = 1 if ranker.draft else 0
    if not ranker.rounds and rounds != most:
        raise ConfigError(f"ranker {name} trains {'one draft' if most else 'no drafts'}, not {rounds}")


def check_prior(name: str, prior: str | None) -> None:
    """Raise `ConfigError` if a prior is given to a ranker that has none, or if there is no such prior."""
    if prior is None:
        return
    if not find_ranker(name).prior:
        raise ConfigError(f"ranker {name} has no prior over templates")
    from .prior_table import load_prior

    load_prior(prior)


def _prior_of(name: str, prior: str | None) -> dict[str, str]:
    """The argument `prior` of the functions of a ranker, if it has one."""
    check_prior(name, prior)
    return {} if prior is None else {"prior": prior}


def rank_candidates(
    name: str, sets: Iterable[CandidateSet], *, seed: int = 0, prior: str | None = None
) -> Iterable[Label]:
    """Labels by a ranker that uses the candidates alone.

    Parameters
    ----------
    name
        A ranker of `RANKERS` that needs no draft.
    sets
        The candidates of the problems.
    seed
        For rankers that draw at random.
    prior
        For rankers with a prior over templates: "shipped", "none" or the path of a table.

    Returns
    -------
    iterable of Label
        One for each problem with candidates that the ranker labels, in order.
    """
    check_needs(name, draft=False)
    labels: Iterable[Label] = find_name(RANKERS[name].plain)(sets, seed=seed, **_prior_of(name, prior))
    return labels


def rank_with_words(
    name: str,
    sets: Sequence[CandidateSet],
    problems: Mapping[str, Problem],
    *,
    prior: str | None = None,
    search: Search | None = None,
) -> Iterable[Label]:
    """Labels by a ranker that reads the texts and needs no draft; raises `ConfigError` for any other.

    With `search`, the search that found the candidates, wrong answers calibrate the posteriors.
    """
    check_words(name)
    rank = find_name(RANKERS[name].words)
    labels: Iterable[Label] = rank(sets, problems, search=search, **_prior_of(name, prior))
    return labels


def rank_with_draft(
    name: str,
    sets: Sequence[CandidateSet],
    problems: Mapping[str, Problem],
    draft: Draft,
    *,
    prior: str | None = None,
) -> Iterable[Label]:
    """Labels by a ranker that uses a draft.

    Parameters
    ----------
    name
        A ranker of `RANKERS` that asks a draft.
    sets
        The candidates of the problems.
    problems
        The problems by id, with the texts that the draft reads; rankers do not read their gold equations.
    draft
        Any object with `score` and, for `beam`, `explore`; see `Draft`.
    prior
        As for `rank_candidates`.

    Returns
    -------
    iterable of Label
        One for each problem with candidates, in order.
    """
    check_needs(name, draft=True)
    labels: Iterable[Label] = find_name(RANKERS[name].draft)(sets, problems, draft, **_prior_of(name, prior))
    return labels


def rank_with_trained_drafts(
    name: str,
    sets: Sequence[CandidateSet],
    problems: Mapping[str, Problem],
    train_draft: TrainDraft,
    *,
    seed: int = 0,
    rounds: int = 1,
    unseen: Sequence[CandidateSet] = (),
    prior: str | None = None,
) -> Iterable[Label]:
    """Labels by any ranker, after training the drafts that it needs, if any.

    A ranker without rounds of its own uses one draft, trained on the problems with a single candidate.

    Parameters
    ----------
    name
        The name of the ranker, one of `RANKERS`.
    sets
        The candidate sets of the problems.
    problems
        The problems by id, whose texts are read.
    train_draft
        Called with lessons; returns a trained draft.
    seed
        For rankers that draw at random.
    rounds
        The number of drafts.
    unseen
        The candidate sets of problems that no draft is trained on; `problems` must have these problems too.
    prior
        "shipped", "none" or the path of a prior table.  None is the default of the ranker.

    Returns
    -------
    iterable of Label
        A label for each problem with candidates, in order.

    Raises
    ------
    ConfigError
        If there is no such ranker, or it does not use drafts or a prior.
    """
    ranker = find_ranker(name)
    if ranker.rounds:
        given = _prior_of(name, prior)
        rank = find_name(ranker.rounds)
        labels: Iterable[Label] = rank(sets, problems, train_draft, rounds=rounds, unseen=unseen, **given)
        return labels
    check_prior(name, prior)
    if ranker.draft:
        single = {label.id: label for label in rank_candidates("single", sets)}
        return rank_with_draft(name, sets, problems, train_draft("single", single, soft="none"))
    return rank_candidates(name, sets, seed=seed)
