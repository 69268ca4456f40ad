"""Grades as rewards for reinforcement learning, and as a metric.

The functions follow the conventions of TRL, verl and Hugging Face `evaluate`, none of which is imported.  They keep no
state, so they can be called from any number of threads and processes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from .grading import GRADES, Grade, grade_many

__all__ = ["WEIGHTS", "GradeMetric", "trl_reward", "verl_compute_score"]

#: The reward of each grade, unless a caller gives other weights.
WEIGHTS: Mapping[str, float] = MappingProxyType(
    {"same-method": 1.0, "same-value": 0.5, "different": 0.0, "unreadable": 0.0}
)


def trl_reward(
    completions: Sequence[Any],
    solution: Sequence[str],
    *,
    question: Sequence[str] | None = None,
    weights: Mapping[str, float] = WEIGHTS,
    tolerance: Any = 0,
    **kwargs: Any,
) -> list[float | None]:
    """The reward of each completion, as TRL's `GRPOTrainer` asks for it: `reward_funcs=[trl_reward]`.

    Parameters
    ----------
    completions
        Texts, or conversations, of which the last message counts.
    solution
        The right solutions: the column `solution` of the dataset.
    question
        The texts of the problems, if the dataset has a column `question`.
    weights
        Maps grades to rewards; a grade that is missing from it keeps its reward of `WEIGHTS`.
    tolerance
        As for `grade`.
    **kwargs
        Other columns of the dataset, which are not used.

    Returns
    -------
    list
        A reward for each completion.  It is None, so that the trainer leaves the sample out, where the right solution
        itself can't be read.

    Notes
    -----
    The cost is that of `grade` for each completion.

    Examples
    --------
    >>> trl_reward(["150*2-50=250", "150+50*2=250", "no idea"], ["150*2-50"] * 3)
    [1.0, 0.5, 0.0]
    >>> trl_reward(["#### 5", "#### 5"], ["2+3", "unknown"], weights={"same-value": 1})
    [1.0, None]
    """
    worth = _complete(weights)
    questions = question if question is not None else [None] * len(completions)
    triples = zip(map(_text_of, completions), solution, questions, strict=True)
    return [_reward(grade, worth) for grade in grade_many(triples, tolerance=tolerance)]


def verl_compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any] | None = None,
    *,
    weights: Mapping[str, float] = WEIGHTS,
    tolerance: Any = 0,
    **kwargs: Any,
) -> float:
    """The score of one solution, as verl's `custom_reward_function` asks for it.

    Parameters
    ----------
    data_source
        The name of the dataset, which is not used.
    solution_str
        What the model wrote.
    ground_truth
        The right solution.
    extra_info
        If it has a `question`, this is taken as the text of the problem.
    weights
        Maps grades to rewards; a grade that is missing from it keeps its reward of `WEIGHTS`.
    tolerance
        As for `grade`.
    **kwargs
        Other arguments of verl, which are not used.

    Returns
    -------
    float
        The reward of the grade. verl wants a number for every sample, so one whose right solution can't be read scores
        as "unreadable".

    Notes
    -----
    The cost is that of `grade`.

    Examples
    --------
    >>> verl_compute_score("gsm8k", "48+48/2 = 72", "48/2=24; 48+24=72 #### 72")
    1.0
    """
    question = (extra_info or {}).get("question")
    found = next(iter(grade_many([(solution_str, ground_truth, question)], tolerance=tolerance)))
    return _complete(weights)[found]


class GradeMetric:
    """A metric with the `compute(predictions=, references=)` of Hugging Face `evaluate`.

    >>> scores = GradeMetric().compute(predictions=["2*3+1", "3+4", "8"], references=["1+2*3"] * 3)
    >>> round(scores["answer_accuracy"], 3), round(scores["method_accuracy"], 3), scores["unreadable"]
    (0.667, 0.333, 0.0)
    """

    def __init__(self, *, tolerance: Any = 0, workers: int = 1) -> None:
        self.tolerance, self.workers = tolerance, workers

    def compute(
        self, *, predictions: Sequence[Any], references: Sequence[Any], questions: Sequence[str] | None = None
    ) -> dict[str, float]:
        """The share of each grade; `answer_accuracy` counts the right answers, `method_accuracy` the right methods."""
        asked = questions if questions is not None else [None] * len(predictions)
        triples = zip(predictions, references, asked, strict=True)
        counts = Counter(map(str, grade_many(triples, workers=self.workers, tolerance=self.tolerance)))
        shares = {kind: counts[kind] / max(1, len(predictions)) for kind in GRADES}
        right = shares["same-method"] + shares["same-value"]
        return {"answer_accuracy": right, "method_accuracy": shares["same-method"], **shares}


def _complete(weights: Mapping[str, float]) -> dict[str, float]:
    unknown = set(weights) - set(GRADES)
    if unknown:
        raise ValueError(f"unknown grade: {', '.join(sorted(unknown))}; the grades are {', '.join(GRADES)}")
    return {kind: float(weights.get(kind, WEIGHTS[kind])) for kind in GRADES}


def _reward(grade: Grade, worth: Mapping[str, float]) -> float | None:
    return None if grade.gold is None else worth[grade]


def _text_of(completion: Any) -> Any:
    """The text of a completion: itself, or the last message of a conversation."""
    if isinstance(completion, Sequence) and not isinstance(completion, str) and completion:
        last = completion[-1]
        return last.get("content") if isinstance(last, Mapping) else last
    return completion
