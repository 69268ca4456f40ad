"""A trained solver: problems -> equations with their values and probabilities.

The beam's trees are evaluated exactly.  Trees that mean the same function of the values are one answer, and their
probabilities are added up; a tree without a value (division by zero) is no answer.  An answer model, where there is
one, has its say about the values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Self

import msgspec
import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from mathcanon import evaluate
from mathcanon.errors import MathCanonError

from ..corpora.problems import segment_text
from ..errors import ConfigError, DataError
from ..files import AnyPath
from ..labels import equation_text
from ..quantities import language_of
from ..records import Problem
from ..value_level import expression_function
from .answer_model import ANSWERS, WEIGHT, AnswerModel
from .batches import Example, bucketed, make_batch
from .beam import Hypothesis, beam_search
from .checkpoint import CONFIG, VOCABULARY, WEIGHTS, ModelInfo, load_model, save_tensors, write_json
from .config import SolverConfig
from .examples import Cells, example_of
from .trees import expression_of
from .vocabulary import Vocabulary

__all__ = ["Prediction", "Solver", "find_device"]

_LEAST = 1e-300


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """An equation that a solver proposes for a problem."""

    expr: str  # over N0, N1...
    equation: str  # in the problem's own numbers
    value: str  # exact
    probability: float  # of all trees of the beam that mean this; an answer model moves it to likelier values

    @property
    def exact(self) -> Fraction:
        return Fraction(self.value)


class Solver:
    """A model with its vocabulary."""

    def __init__(self, config: SolverConfig, vocabulary: Vocabulary, model: nn.Module) -> None:
        self.config, self.vocabulary, self.model = config, vocabulary, model
        self.cells: Cells = {}  # of the graphs of g2t, where they are known from elsewhere (`groups.align_groups`)
        self.answers: AnswerModel | None = None
        self._index = vocabulary.index()

    @classmethod
    def load(cls, folder: AnyPath, *, device: str = "cpu", answer_model: bool = True) -> Self:
        """The solver of a model folder, with its answer model if it has one; `DataError` if it is damaged."""
        info, vocabulary, model = load_model(folder, find_device(device))
        solver = cls(info.solver, vocabulary, model)
        if answer_model and (Path(folder) / ANSWERS).exists():
            solver.answers = AnswerModel.load(Path(folder) / ANSWERS, vocabulary)
        return solver

    def save(self, folder: AnyPath) -> None:
        """Write a model folder."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        write_json(place / CONFIG, ModelInfo(solver=self.config))
        write_json(place / VOCABULARY, self.vocabulary)
        save_tensors(place / WEIGHTS, self.model.state_dict())
        if self.answers is not None:
            self.answers.save(place / ANSWERS)

    @property
    def device(self) -> torch.device:
        return next(self.model.parameters()).device

    def solve(self, text: str, *, beam: int = 5, language: str = "", number_words: bool = True) -> list[Prediction]:
        """Equations for a text in English or Chinese, likeliest first.

        A text without a number has equations of constants only, if the solver knows any.  Number words (two, half a
        dozen) count unless they are switched off.
        """
        text, tokens, quantities = segment_text(text, language=language, number_words=number_words)
        if not tokens:
            raise DataError("the text is empty")
        language = language or language_of(text)
        problem = Problem(id="", text=text, tokens=tokens, quantities=quantities, answer="0", language=language)
        return self.predict([problem], beam=beam)[0]

    def predict(self, problems: Sequence[Problem], *, beam: int = 5, batch_size: int = 64) -> list[list[Prediction]]:
        """For each problem the equations of the beam that have a value, likeliest first."""
        found: list[list[Prediction]] = [[] for _ in problems]
        for place, hypotheses in self.decode(problems, beam=beam, batch_size=batch_size):
            found[place] = self.read(problems[place], hypotheses)
        return found

    def decode(
        self, problems: Sequence[Problem], *, beam: int = 5, batch_size: int = 64
    ) -> Iterator[tuple[int, list[Hypothesis]]]:
        """The place of each problem and its beam; short texts come first."""
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
        """What trees of a problem mean, likeliest meaning first."""
        values = [quantity.exact for quantity in problem.quantities]
        surfaces = [quantity.surface for quantity in problem.quantities]
        named = {f"N{i}": value for i, value in enumerate(values)}
        groups: dict[object, tuple[str, Fraction]] = {}  # the likeliest of those that mean the same
        chances: dict[object, float] = {}
        for hypothesis in hypotheses:
            try:
                expr = expression_of([self.vocabulary.text(token) for token in hypothesis.tokens])
                value = evaluate(expr, named)
                str(value)  # a ValueError where it has thousands of digits
            except (MathCanonError, ValueError):
                continue
            meaning = expression_function(str(expr), values)
            groups.setdefault(meaning, (str(expr), value))
            chances[meaning] = chances.get(meaning, 0.0) + float(np.exp(hypothesis.log_probability))
        found = list(groups.values())
        likely = self._with_answers(problem, [value for _, value in found], np.array(list(chances.values())))
        return [
            Prediction(
                expr=expr,
                equation=equation_text(expr, values, surfaces),
                value=str(value),
                probability=round(float(chance), 6),
            )
            for chance, (expr, value) in sorted(zip(likely, found, strict=True), key=lambda pair: -pair[0])
        ]

    def _with_answers(
        self, problem: Problem, values: Sequence[Fraction], chances: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """The chances of values as the answer model moves them; their sum stays."""
        if self.answers is None or not values:
            return chances
        words = self.vocabulary.word_numbers(problem, self._index, kinds=True)
        scores = np.array(self.answers.score(problem, values, words=words))
        moved = chances * np.exp(WEIGHT * (scores - scores.max()))
        return np.asarray(moved * (chances.sum() / max(moved.sum(), _LEAST)))


def find_device(name: str) -> torch.device:
    """The device of a name; `auto` is the best there is, `ConfigError` if there is none of that name.

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
        raise ConfigError(f"there is no device {name!r} here; use auto or cpu")
    return device
