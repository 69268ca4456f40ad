"""What the ComSearch paper (EACL 2023) reports, all of it on Math23K; beside other data its figures mean nothing.

Percents as published.  Its main method is the Beam Ranker; its ablations are of the GTS solver.
"""

from __future__ import annotations

__all__ = [
    "ARM_ANSWERS",
    "ARM_LABELS",
    "ARM_MULTIPLE",
    "CANDIDATES_MULTIPLE",
    "CANDIDATES_SINGLE",
    "RECALL",
    "TEST_ANSWERS",
    "is_math23k",
]

#: Test answer accuracy of the weakly supervised solvers.
TEST_ANSWERS = {"gts": 60.0, "g2t": 60.5}
#: Problems with at least one candidate, of all 23,162.
RECALL = 94.5
#: Micro equation accuracy of candidates on train.
CANDIDATES_SINGLE, CANDIDATES_MULTIPLE = 81.4, 2.7
#: Micro equation accuracy of labels on train: of problems with several candidates, and of all.
ARM_MULTIPLE = {"basic": 45.6, "beam": 47.7}
ARM_LABELS = {"beam": 76.3}
#: Test answer accuracy of the ablations (GTS): no multiple data, no ranking, no beam search.
ARM_ANSWERS = {"beam": 60.0, "single": 57.5, "random": 56.3, "basic": 59.2}


def is_math23k(data: str) -> bool:
    """
    >>> is_math23k("math23k"), is_math23k("Math 23K"), is_math23k("stories")
    (True, True, False)
    """
    return "math23k" in data.lower().replace(" ", "").replace("_", "").replace("-", "")
