"""How much a corpus itself says about templates, beside the prior, and how many problems more would help.

In a Dirichlet prior of strength A, a corpus of N problems has the weight N / (N + A) in what is believed, and the prior
has the rest.  The order of quantities in a template is the level that all problems share, so its strength is taken.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from .em import EMOptions

__all__ = ["Evidence", "weigh"]

_ENOUGH = 0.75  # the weight from which a corpus speaks for itself


class Evidence(NamedTuple):
    """The weight of a corpus beside the prior, and the number of problems that it lacks to speak for itself."""

    share: float
    lacking: int
    note: str


def weigh(problems: int, options: EMOptions | None = None) -> Evidence:
    """The weight of a corpus with so many labelled problems.

    >>> options = EMOptions(order_strength=100.0)
    >>> weigh(40, options).lacking, weigh(300, options)
    (260, Evidence(share=0.75, lacking=0, note=''))
    """
    strength = (options or EMOptions()).order_strength
    share = problems / (problems + strength)
    lacking = max(ceil(strength * _ENOUGH / (1 - _ENOUGH)) - problems, 0)
    note = (
        f"The corpus is small: what is believed about templates is {100 * share:.0f}% from its own problems, the rest "
        f"from the prior.  About {lacking:,} problems more would help."
    )
    return Evidence(share, lacking, note if lacking else "")
