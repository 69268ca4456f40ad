"""The figures of the ComSearch paper (EACL 2023).  All are on Math23K and not comparable with other data.

Percentages are as published; the comments name the paper's tables.  Its main method is the Beam Ranker; its ablations
use the GTS solver.
"""

from __future__ import annotations

from typing import NamedTuple

from ..measure.sizes import SIZES

__all__ = [
    "ABLATION",
    "ANSWERS_BY_QUANTITIES",
    "ARM_ANSWERS",
    "ARM_LABELS",
    "ARM_MULTIPLE",
    "BASELINE_RECALL",
    "CANDIDATES_ALL",
    "CANDIDATES_MULTIPLE",
    "CANDIDATES_SINGLE",
    "CASES_RIGHT",
    "CHECKER",
    "CROSS_VALIDATION",
    "LARGEST_SET",
    "MACRO_BY_QUANTITIES",
    "MICRO_BY_QUANTITIES",
    "ORACLE_GAP",
    "RECALL",
    "RECALL_BY_QUANTITIES",
    "RECALL_SHORT_LONG",
    "RESULTS",
    "SEARCH_PERCENT",
    "SEARCH_SPACE",
    "SEARCH_STATISTICS",
    "TEST_ANSWERS",
    "TEST_PROPORTION",
    "Answers",
    "SpaceSizes",
    "is_math23k",
]


class Answers(NamedTuple):
    """Answer accuracies, with what the paper calls the variance of three runs if it gives one."""

    valid: float | None
    test: float
    valid_spread: float | None = None
    test_spread: float | None = None


class SpaceSizes(NamedTuple):
    """A row of the table of search-space sizes (tab:compress)."""

    none: int
    brackets: int
    commutative: int
    full: int
    ratio: float


#: Search space by number of variables (tab:compress).
SEARCH_SPACE = {
    1: SpaceSizes(1, 1, 1, 1, 1),
    2: SpaceSizes(8, 8, 6, 6, 1.3),
    3: SpaceSizes(192, 144, 108, 68, 2.8),
    4: SpaceSizes(9_216, 5_184, 3_816, 1_170, 7.9),
    5: SpaceSizes(737_280, 311_040, 224_640, 27_142, 27.2),
    6: SpaceSizes(88_473_600, 27_993_600, 19_841_760, 793_002, 111.6),
}

#: Problems, in total and by the outcome of the search (tab:search_stat).
SEARCH_STATISTICS = {
    "problems": 23_162,
    "too-many-quantities": 233,
    "power": 51,
    "single": 17_959,
    "multiple": 3_947,
    "covered": 21_906,
}
#: The same in percent of all problems; `covered` is truncated, not rounded.
SEARCH_PERCENT = {"too-many-quantities": 1.0, "power": 0.2, "single": 77.5, "multiple": 17.0, "covered": 94.5}
LARGEST_SET = 3_914  # candidates of one problem (its appendix)
#: Problems with at least one candidate, of all 23,162 (tab:search_stat).
RECALL = SEARCH_PERCENT["covered"]
BASELINE_RECALL = {"warm": 14.5, "warm-beam": 80.1, "lbf": 80.1}
#: Recall by number of variables (tab:coverage), and with up to 3 or at least 4 variables (tab:long_short).
RECALL_BY_QUANTITIES = {
    "lbf": dict(zip(SIZES, (91.5, 86.8, 88.8, 31.1, 25.0, 38.4), strict=True)),
    "ours": dict(zip(SIZES, (67.0, 93.4, 96.4, 98.1, 94.4, 73.8), strict=True)),
}
RECALL_SHORT_LONG = {"lbf": (88.1, 30.9), "ours": (94.4, 94.5)}

#: Answer accuracy of the solvers (tab:result).
RESULTS = {
    "gts": {
        "warm": Answers(None, 12.8),
        "warm-beam": Answers(None, 54.3),
        "lbf": Answers(57.2, 55.4, 0.5, 0.5),
        "lbf-memory": Answers(56.6, 55.1, 6.9, 6.2),
        "ours": Answers(61.0, 60.0, 0.3, 0.3),
        "supervised": Answers(None, 75.6),
    },
    "g2t": {
        "warm": Answers(None, 13.5),
        "warm-beam": Answers(None, 56.0),
        "ours": Answers(61.7, 60.5, 1.1, 0.6),
        "supervised": Answers(None, 77.4),
    },
}
#: Test answer accuracy of the weakly supervised solvers.
TEST_ANSWERS = {solver: rows["ours"].test for solver, rows in RESULTS.items()}

#: Answer accuracy of the ablations (GTS, tab:ab): no multiple data, no ranking, no beam search.
ABLATION = {
    "beam": Answers(61.0, 60.0),
    "single": Answers(58.9, 57.5),
    "random": Answers(57.3, 56.3),
    "basic": Answers(60.1, 59.2),
}
#: The same, test part only.
ARM_ANSWERS = {arm: answers.test for arm, answers in ABLATION.items()}

#: Stands below every table that shows how many equations the paper found right.
CHECKER = (
    "The paper judged equations with its own checker, which is about as strict as law structure: compare its figures "
    "with ours by that law only."
)
#: Micro equation accuracy of candidates on train (tab:eq_oracle).
CANDIDATES_SINGLE, CANDIDATES_MULTIPLE, CANDIDATES_ALL = 81.4, 2.7, 23.0
#: Micro equation accuracy of labels on train: for problems with several candidates, and for all.
ARM_MULTIPLE = {"basic": 45.6, "beam": 47.7}
ARM_LABELS = {"beam": 76.3}

#: By number of variables (tab:len): label accuracy on train, answer accuracy on test, and share of the test problems.
MICRO_BY_QUANTITIES = {
    "lbf": dict(zip(SIZES, (91.8, 82.9, 54.2, 38.0, 8.6, 5.1), strict=True)),
    "ours": dict(zip(SIZES, (96.3, 94.8, 78.9, 58.0, 31.1, 50.6), strict=True)),
}
MACRO_BY_QUANTITIES = {
    "lbf": dict(zip(SIZES, (88.2, 78.1, 57.4, 13.6, 4.2, 1.2), strict=True)),
    "ours": dict(zip(SIZES, (64.9, 88.7, 76.1, 57.4, 29.4, 38.1), strict=True)),
}
ANSWERS_BY_QUANTITIES = {
    "lbf": dict(zip(SIZES, (75.0, 75.2, 56.2, 4.8, 3.2, 0.0), strict=True)),
    "ours": dict(zip(SIZES, (50.0, 73.4, 62.9, 25.8, 16.1, 30.1), strict=True)),
}
TEST_PROPORTION = dict(zip(SIZES, (1.6, 33.1, 48.5, 12.4, 3.1, 1.3), strict=True))

#: Five-fold cross-validation, GTS (text of the section on results), with what the paper calls its variance.
CROSS_VALIDATION = {"lbf-memory": (56.3, 6.2), "ours": (59.7, 1.0)}

#: Right candidates of the three examples of the case study (tab:case).
CASES_RIGHT = (1, 0, 1)

#: The gap between weak labels and gold labels of the same problems (fig:oracle has no numbers; text: "around 10%").
ORACLE_GAP = 10


def is_math23k(data: str) -> bool:
    """
    >>> is_math23k("math23k"), is_math23k("Math 23K"), is_math23k("stories")
    (True, True, False)
    """
    return "math23k" in data.lower().replace(" ", "").replace("_", "").replace("-", "")
