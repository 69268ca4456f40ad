"""Language models as scorers of equations: the draft of a ranker can be any causal language model in a local folder.

    mwp-weak rank candidates.jsonl --ranker em --scorer weaksup.scorers:CausalLM=FOLDER

The score of an equation is its log-probability as the continuation of a prompt with the problem's text, end of text
included, so that a short equation gains nothing from being the beginning of a longer one.  A score costs one pass over
prompt and equation; the ranker `em` asks about the likeliest candidates only.

Models are read by `transformers` (extra `hf`), from safetensors, without network and without running code of the
folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from .errors import ConfigError
from .meaning.writing import equation_text
from .records import Problem

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["PROMPT", "CausalLM"]

#: `{text}` is replaced by the text of the problem.
PROMPT = "Problem: {text}\nEquation: "


class _Row(NamedTuple):
    """An equation to score: where its score goes, and its tokens after those of the prompt."""

    problem: int
    place: int
    prompt: list[int]
    equation: list[int]

    def __len__(self) -> int:
        return len(self.prompt) + len(self.equation)


class CausalLM:
    """A scorer made from the folder of a causal language model.

    `prompt` is the text before the equation, with `{text}` for the problem's; `tokens` limits the size of a batch.
    Raises `ConfigError` if the folder does not hold such a model.
    """

    def __init__(self, folder: str, *, prompt: str = PROMPT, device: str = "auto", tokens: int = 4096) -> None:
        from .solvers.data.pieces import from_local
        from .solvers.decoding.solver import find_device

        if "{text}" not in prompt:
            raise ConfigError("the prompt has no {text}, where the text of the problem would be put")
        self.prompt, self.tokens, self.device = prompt, tokens, find_device(device)
        self.tokenizer = from_local("AutoTokenizer", folder)
        self.model = from_local("AutoModelForCausalLM", folder, use_safetensors=True).eval().to(self.device)
        config = self.model.config
        self.most = getattr(config, "max_position_embeddings", None) or getattr(config, "n_positions", None) or 10**9
        end = self.tokenizer.eos_token_id
        self.end = [end] if end is not None else self._pieces("\n")
        begin = self.tokenizer.bos_token_id
        self.begin = [begin] if begin is not None else []

    def score(self, problems: Sequence[Problem], exprs: Sequence[Sequence[str]]) -> list[list[float]]:
        """The log-probability of each equation of each problem; -inf for one that is too long for the model."""
        found = [[-inf] * len(row) for row in exprs]
        for batch in self._batches(problems, exprs):
            for row, score in zip(batch, self._log_probabilities(batch).tolist(), strict=True):
                found[row.problem][row.place] = score
        return found

    def _batches(self, problems: Sequence[Problem], exprs: Sequence[Sequence[str]]) -> Iterator[list[_Row]]:
        """Yield rows of similar length, as many as the limit on tokens allows."""
        batch: list[_Row] = []
        for row in sorted(self._rows(problems, exprs), key=len):
            if batch and len(row) * (len(batch) + 1) > self.tokens:
                yield batch
                batch = []
            batch.append(row)
        if batch:
            yield batch

    def _rows(self, problems: Sequence[Problem], exprs: Sequence[Sequence[str]]) -> Iterator[_Row]:
        for i, (problem, row) in enumerate(zip(problems, exprs, strict=True)):
            values = [quantity.exact for quantity in problem.quantities]
            surfaces = [quantity.surface for quantity in problem.quantities]
            text = self._pieces(self.prompt.replace("{text}", problem.text))
            for place, expr in enumerate(row):
                equation = self._pieces(equation_text(expr, values, surfaces)) + self.end
                room = self.most - len(self.begin) - len(equation)
                prompt = self.begin + text[max(0, len(text) - room) :]  # the question is at the end of a text
                if room >= 0 and prompt:
                    yield _Row(i, place, prompt, equation)

    def _pieces(self, text: str) -> list[int]:
        pieces: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return pieces

    def _log_probabilities(self, rows: Sequence[_Row]) -> Tensor:
        import torch

        from .solvers.data.batches import send

        width = max(map(len, rows))
        words = torch.zeros((len(rows), width), dtype=torch.long)
        counted = torch.zeros((len(rows), width), dtype=torch.bool)
        for i, row in enumerate(rows):
            words[i, : len(row)] = torch.tensor(row.prompt + row.equation)
            counted[i, len(row.prompt) : len(row)] = True
        words, counted = send(words, self.device), send(counted, self.device)
        with torch.inference_mode():
            # Padding is on the right, where no word before it can see it.
            scores = self.model(input_ids=words).logits[:, :-1].float().log_softmax(-1)  # (rows, width - 1, tokens)
        chances: Tensor = scores.gather(-1, words[:, 1:].unsqueeze(-1)).squeeze(-1)
        return chances.masked_fill(~counted[:, 1:], 0.0).sum(-1)
