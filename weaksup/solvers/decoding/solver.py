"""A trained solver: problems -> equations with their values and probabilities.

The trees of the beam are evaluated exactly.  Trees that mean the same function of the quantities are one prediction,
whose probability is their sum; a tree without a value (division by zero) is dropped.  An answer model and an equation
model, if there are such, reweight the predictions by their values and by their equations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Self

import msgspec
import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from mathcanon import Expr, evaluate
from mathcanon.errors import MathCanonError
from mathcanon.files import AnyPath

from ...corpora.implied import add_implied
from ...corpora.lexicons import load_lexicons
from ...corpora.problems import segment_text
from ...corpora.quantities import language_of
from ...errors import ConfigError, DataError
from ...meaning.operand_names import by_name
from ...meaning.value_level import expression_function
from ...meaning.writing import equation_text
from ...records import Problem
from ...storage.json_files import write_json
from ...storage.run_files import ANSWERS, ENCODER, EQUATIONS, MODEL_CONFIG, VOCABULARY, WEIGHTS
from ..data.batches import Example, bucketed, make_batch
from ..data.lessons import Cells, example_of
from ..data.trees import expression_of
from ..data.vocabulary import Vocabulary
from ..network.model_files import ModelInfo, load_model, save_tensors
from ..network.pretrained import save_definition
from ..presets import SolverConfig
from .answer_model import AnswerModel
from .beam import Hypothesis, beam_search
from .equation_model import EquationModel
from .second_opinions import plausibility

__all__ = ["Prediction", "Solver", "find_device", "read_trees", "text_problem"]

_LEAST = 1e-300


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """An equation that a solver proposes for a problem."""

    expr: str  # over N0, N1...
    equation: str  # in the problem's own numbers
    value: str  # exact
    probability: float  # summed over the beam's trees with this meaning, and reweighted by the second opinions

    @property
    def exact(self) -> Fraction:
        return Fraction(self.value)


class Solver:
    """A model with its vocabulary."""

    def __init__(
        self,
        config: SolverConfig,
        vocabulary: Vocabulary,
        model: nn.Module,
        *,
        cells: Cells | None = None,
        answers: AnswerModel | None = None,
        equations: EquationModel | None = None,
    ) -> None:
        self.config, self.vocabulary, self.model = config, vocabulary, model
        self.answers, self.equations = answers, equations
        self.cells = cells or {}  # replace those that g2t would find (`groups.align_groups`)
        self._index = vocabulary.index()

    @classmethod
    def load(
        cls, folder: AnyPath, *, device: str = "cpu", answer_model: bool = True, equation_model: bool = True
    ) -> Self:
        """Load a model folder, with the second opinions that it has; raises `DataError` if it is damaged."""
        info, vocabulary, model = load_model(folder, find_device(device))
        values, exprs = Path(folder) / ANSWERS, Path(folder) / EQUATIONS
        answers = AnswerModel.load(values, vocabulary) if answer_model and values.exists() else None
        equations = EquationModel.load(exprs) if equation_model and exprs.exists() else None
        return cls(info.solver, vocabulary, model, answers=answers, equations=equations)

    def save(self, folder: AnyPath) -> None:
        """Write a model folder."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        write_json(place / MODEL_CONFIG, ModelInfo(solver=self.config))
        write_json(place / VOCABULARY, self.vocabulary)
        if self.config.encoder is not None and Path(self.config.encoder) != place / ENCODER:
            save_definition(self.config.encoder, place / ENCODER)
        save_tensors(place / WEIGHTS, self.model.state_dict())
        if self.answers is not None:
            self.answers.save(place / ANSWERS)
        if self.equations is not None:
            self.equations.save(place / EQUATIONS)

    @property
    def device(self) -> torch.device:
        return next(self.model.parameters()).device

    def solve(
        self, text: str, *, beam: int = 5, language: str = "", number_words: bool = True, lexicon: str = "none"
    ) -> list[Prediction]:
        """Predictions for a text in English or Chinese, most likely first; raises `DataError` for an empty text.

        For a text without a number, equations have only constants, if the solver knows any.  Number words (two, half a
        dozen) are quantities unless `number_words` is False.  `lexicon` chooses the words that imply a quantity, as in
        `read_corpus`; use that of the training corpus.
        """
        problem = text_problem(text, language=language, number_words=number_words, lexicon=lexicon)
        return self.predict([problem], beam=beam)[0]

    def predict(self, problems: Sequence[Problem], *, beam: int = 5, batch_size: int = 64) -> list[list[Prediction]]:
        """For each problem, the beam's equations that have a value, most likely first."""
        found: list[list[Prediction]] = [[] for _ in problems]
        for place, hypotheses in self.decode(problems, beam=beam, batch_size=batch_size):
            found[place] = self.read(problems[place], hypotheses)
        return found

    def decode(
        self, problems: Sequence[Problem], *, beam: int = 5, batch_size: int = 64
    ) -> Iterator[tuple[int, list[Hypothesis]]]:
        """Yield the index of each problem and its beam, short texts first."""
        self.model.eval()
        examples = [self.example(problem) for problem in problems]
        readable = [i for i, example in enumerate(examples) if example.words]
        for chosen in bucketed([len(examples[i].words) for i in readable], batch_size=batch_size):
            places = [readable[i] for i in chosen.tolist()]
            batch = make_batch(
                [examples[i] for i in places],
                operators=len(self.vocabulary.operators),
                constants=len(self.vocabulary.constants),
                device=self.device,
            )
            yield from zip(places, beam_search(self.model, batch, beam=beam), strict=True)  # type: ignore[arg-type]

    def example(self, problem: Problem) -> Example:
        known = self.cells.get(problem.id)
        return example_of(problem, self.vocabulary, self.config, self._index, cells=known)

    def read(self, problem: Problem, hypotheses: Sequence[Hypothesis]) -> list[Prediction]:
        """The predictions that the trees of a problem amount to, most likely first."""
        trees = [(self.prefix(hypothesis), float(np.exp(hypothesis.log_probability))) for hypothesis in hypotheses]
        return read_trees(problem, trees, plausibility=self.plausibility)

    def prefix(self, hypothesis: Hypothesis) -> tuple[str, ...]:
        """The tree of a hypothesis as a prefix sequence, which does not depend on the vocabulary."""
        return tuple([self.vocabulary.text(token) for token in hypothesis.tokens])

    def plausibility(self, problem: Problem, found: Sequence[tuple[Expr, Fraction]]) -> npt.NDArray[np.float64]:
        """What the second opinions add to the log-probability of each equation with its value; zeros without any."""
        return plausibility([self], problem, found)

    def judge_values(self, problem: Problem, values: Sequence[Fraction]) -> list[float] | None:
        """The answer model's score of each value; None if there is no answer model."""
        if self.answers is None:
            return None
        words = self.vocabulary.word_numbers(problem, self._index, kinds=True)
        return self.answers.score(problem, values, words=words)

    def judge_equations(self, problem: Problem, exprs: Sequence[Expr]) -> list[float] | None:
        """The equation model's score of each equation; None if there is no equation model."""
        return None if self.equations is None else self.equations.score(problem, [str(expr) for expr in exprs])


def text_problem(text: str, *, language: str = "", number_words: bool = True, lexicon: str = "none") -> Problem:
    """A text as a problem without an answer; the arguments are those of `Solver.solve`."""
    text, tokens, quantities = segment_text(text, language=language, number_words=number_words)
    if not tokens:
        raise DataError("the text is empty")
    language = language or language_of(text)
    problem = Problem(id="", text=text, tokens=tokens, quantities=quantities, answer="0", language=language)
    return add_implied(problem, load_lexicons(lexicon))


Plausibility = Callable[[Problem, Sequence[tuple[Expr, Fraction]]], npt.NDArray[np.float64]]


def read_trees(
    problem: Problem, trees: Iterable[tuple[Sequence[str], float]], *, plausibility: Plausibility
) -> list[Prediction]:
    """The predictions that trees amount to, most likely first.

    `trees` has prefix sequences with their probabilities, most likely first; `plausibility` says what to add to the
    logarithm of the probability of each equation with its value.
    """
    values = [quantity.exact for quantity in problem.quantities]
    surfaces = [quantity.surface for quantity in problem.quantities]
    named = by_name(values)
    groups: dict[object, tuple[Expr, Fraction]] = {}  # the most likely tree of each meaning
    chances: dict[object, float] = {}
    for prefix, chance in trees:
        try:
            expr = expression_of(prefix)
            value = evaluate(expr, named)
            str(value)  # raises ValueError if it has thousands of digits
        except (MathCanonError, ValueError):
            continue
        meaning = expression_function(expr, values)
        groups.setdefault(meaning, (expr, value))
        chances[meaning] = chances.get(meaning, 0.0) + chance
    if not groups:
        return []
    found = list(groups.values())
    likely = _reweighted(np.array(list(chances.values())), plausibility(problem, found))
    return [
        Prediction(
            expr=str(expr),
            equation=equation_text(expr, values, surfaces),
            value=str(value),
            probability=round(float(chance), 6),
        )
        for chance, (expr, value) in sorted(zip(likely, found, strict=True), key=lambda pair: -pair[0])
    ]


def _reweighted(chances: npt.NDArray[np.float64], scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The probabilities, reweighted by `scores` that are added to their logarithms; their sum stays the same."""
    moved = chances * np.exp(scores - scores.max())
    return np.asarray(moved * (chances.sum() / max(moved.sum(), _LEAST)))


def find_device(name: str) -> torch.device:
    """The torch device of a name.

    Parameters
    ----------
    name
        Such as "cpu" or "cuda:1"; "auto" is the best one available.

    Returns
    -------
    torch.device
        The device.

    Raises
    ------
    ConfigError
        If there is no such device.

    Examples
    --------
    >>> find_device("cpu")
    device(type='cpu')
    """
    there_is = {
        "cpu": True,
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
    }
    if name == "auto":
        return torch.device(next(kind for kind in ("cuda", "mps", "cpu") if there_is[kind]))
    try:
        device = torch.device(name)
    except RuntimeError:
        device = None
    if device is None or device.type not in there_is:
        raise ConfigError(f"unknown device {name!r}; one of auto, {', '.join(there_is)}")
    if not there_is[device.type] or (device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count()):
        raise ConfigError(f"there is no device {name!r} on this machine; use auto or cpu")
    return device
