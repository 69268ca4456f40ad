"""Train solvers of math word problems from answers alone, without gold equations.

The names below lead from a corpus file to an evaluated solver.  They are imported on first use, so `import weaksup`
loads neither numpy nor torch.  The rest is in the subpackages, in layers: storage, corpora, meaning,
search, measure, solvers, rankers, report, baselines, pipeline; grading serves `mwp-canon grade`.

>>> import weaksup as ws
>>> problems = ws.read_corpus("stories", size=50).problems
>>> sets = list(ws.search_problems(problems, ws.load_plan("paper")))
>>> labels = list(ws.rank_candidates("em", sets))
>>> len(labels) == sum(bool(found.candidates) for found in sets)
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import ConfigError, DataError, WeakSupError
from .late_imports import late_attributes
from .records import Candidate, CandidateSet, Label, Problem, Quantity

if TYPE_CHECKING:
    from .corpora import Corpus, read_corpus
    from .corpora.parts import split_corpus
    from .corpora.python_objects import read_objects
    from .measure.predictions import evaluate_solver
    from .measure.score import score_candidates, score_labels
    from .rankers.table import rank_candidates, rank_with_draft
    from .search.batch import search_problems
    from .search.plans import load_plan
    from .solvers.data.lessons import gold_lessons, label_lessons
    from .solvers.decoding.ensemble import Ensemble
    from .solvers.decoding.solver import Solver
    from .solvers.presets import preset
    from .solvers.training.loop import train_solver

__all__ = [
    "Candidate",
    "CandidateSet",
    "ConfigError",
    "Corpus",
    "DataError",
    "Ensemble",
    "Label",
    "Problem",
    "Quantity",
    "Solver",
    "WeakSupError",
    "evaluate_solver",
    "gold_lessons",
    "label_lessons",
    "load_plan",
    "preset",
    "rank_candidates",
    "rank_with_draft",
    "read_corpus",
    "read_objects",
    "score_candidates",
    "score_labels",
    "search_problems",
    "split_corpus",
    "train_solver",
]

__getattr__ = late_attributes(
    __name__,
    {
        "Corpus": "weaksup.corpora:Corpus",
        "Ensemble": "weaksup.solvers.decoding.ensemble:Ensemble",
        "Solver": "weaksup.solvers.decoding.solver:Solver",
        "evaluate_solver": "weaksup.measure.predictions:evaluate_solver",
        "gold_lessons": "weaksup.solvers.data.lessons:gold_lessons",
        "label_lessons": "weaksup.solvers.data.lessons:label_lessons",
        "load_plan": "weaksup.search.plans:load_plan",
        "preset": "weaksup.solvers.presets:preset",
        "rank_candidates": "weaksup.rankers.table:rank_candidates",
        "rank_with_draft": "weaksup.rankers.table:rank_with_draft",
        "read_corpus": "weaksup.corpora:read_corpus",
        "read_objects": "weaksup.corpora.python_objects:read_objects",
        "score_candidates": "weaksup.measure.score:score_candidates",
        "score_labels": "weaksup.measure.score:score_labels",
        "search_problems": "weaksup.search.batch:search_problems",
        "split_corpus": "weaksup.corpora.parts:split_corpus",
        "train_solver": "weaksup.solvers.training.loop:train_solver",
    },
)
