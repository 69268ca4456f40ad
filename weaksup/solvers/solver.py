"""A trained solver: problems -> equations with their values and probabilities.

The beam's trees are evaluated exactly.  Trees that mean the same function of the values are one answer, and their
probabilities are added up; a tree without a value (division by zero) is no answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Self

import msgspec
import torch
from torch import nn

from mathcanon import evaluate
from mathcanon.errors import MathCanonError

from ..corpora.problems import segment_text
from ..errors import DataError
from ..files import AnyPath
from ..labels import equation_text
from ..quantities import language_of
from ..records import Problem
from ..value_level import expression_function
from .batches import Example, bucketed, make_batch
from .beam import Hypothesis, beam_search
from .checkpoint import CONFIG, VOCABULARY, WEIGHTS, ModelInfo, load_model, save_tensors, write_json
from .config import SolverConfig
from .examples import example_of
from .trees import expression_of
from .vocabulary import Vocabulary

__all__ = ["Prediction", "Solver", "find_device"]


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """An equation that a solver proposes for a problem."""

    expr: str  # over N0, N1...
    equation: str  # in the problem's own numbers
    value: str  # exact
    probability: float  # of all trees of the beam that mean this

    @property
    def exact(self) -> Fraction:
        return Fraction(self.value)


class Solver:
    """A model with its vocabulary."""

    def __init__(self, config: SolverConfig, vocabulary: Vocabulary, model: nn.Module) -> None:
        self.config, self.vocabulary, self.model = config, vocabulary, model
        self._index = vocabulary.index()

    @classmethod
    def load(cls, folder: AnyPath, *, device: str = "cpu") -> Self:
        """The solver of a model folder; `DataError` if it is damaged or something else."""
        info, vocabulary, model = load_model(folder, find_device(device))
        return cls(info.solver, vocabulary, model)

    def save(self, folder: AnyPath) -> None:
        """Write a model folder."""
        from pathlib import Path

        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        write_json(place / CONFIG, ModelInfo(solver=self.config))
        write_json(place / VOCABULARY, self.vocabulary)
        save_tensors(place / WEIGHTS, self.model.state_dict())

    @property
    def device(self) -> torch.device:
        return next(self.model.parameters()).device

    def solve(self, text: str, *, beam: int = 5, language: str = "", number_words: bool = True) -> list[Prediction]:
        """Equations for a text in English or Chinese, likeliest first; empty if it has no number.

        Number words (two, half a dozen) count unless they are switched off.
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
        return example_of(problem, self.vocabulary, self.config, self._index)

    def read(self, problem: Problem, hypotheses: Sequence[Hypothesis]) -> list[Prediction]:
        """What trees of a problem mean, likeliest meaning first."""
        values = [quantity.exact for quantity in problem.quantities]
        surfaces = [quantity.surface for quantity in problem.quantities]
        named = {f"N{i}": value for i, value in enumerate(values)}
        groups: dict[object, list[object]] = {}
        for hypothesis in hypotheses:
            chance = float(torch.tensor(hypothesis.log_probability, dtype=torch.float64).exp())
            try:
                expr = expression_of([self.vocabulary.text(token) for token in hypothesis.tokens])
                value = evaluate(expr, named)
            except (MathCanonError, ValueError):
                continue
            meaning = expression_function(str(expr), values)
            if meaning in groups:
                groups[meaning][2] += chance  # type: ignore[operator]
            else:
                groups[meaning] = [str(expr), value, chance]
        ranked = sorted(groups.values(), key=lambda group: -group[2])  # type: ignore[operator]
        return [
            Prediction(
                expr=str(expr),
                equation=equation_text(str(expr), values, surfaces),
                value=str(value),
                probability=round(float(chance), 6),  # type: ignore[arg-type]
            )
            for expr, value, chance in ranked
        ]


def find_device(name: str) -> torch.device:
    """The device of a name; `auto` is the best there is."""
    if name != "auto":
        return torch.device(name)
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
