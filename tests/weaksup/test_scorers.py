"""A causal language model as the draft of a ranker, with a tiny GPT-2 made here."""

from __future__ import annotations

from math import inf
from pathlib import Path

import msgspec
import pytest
import torch
from click.testing import CliRunner
from mwp_cli.weak import main

from weaksup.corpora.stories import read_stories
from weaksup.errors import ConfigError
from weaksup.meaning.writing import equation_text
from weaksup.rankers.drafts import load_draft
from weaksup.scorers import PROMPT, CausalLM
from weaksup.solvers.data import batches

from .solvers.tiny_models import tiny_encoder, tiny_language_model, transformers_or_skip

transformers = transformers_or_skip()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_language_model(tmp_path_factory.mktemp("gpt2"))


def plain_score(folder: Path, prompt: str, equation: str) -> float:
    """The log-probability of the equation and the end of the text, one token after the other, without a batch."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder))
    model = transformers.GPT2LMHeadModel.from_pretrained(str(folder)).eval()
    begin, end = tokenizer.convert_tokens_to_ids(["[CLS]", "[SEP]"])
    read = [begin, *tokenizer(prompt, add_special_tokens=False)["input_ids"]]
    total = 0.0
    for piece in [*tokenizer(equation, add_special_tokens=False)["input_ids"], end]:
        with torch.no_grad():
            total += model(torch.tensor([read])).logits[0, -1].log_softmax(-1)[piece].item()
        read.append(piece)
    return total


def test_scores_are_the_log_probabilities_of_the_equations(folder: Path) -> None:
    problems = [problem for problem in read_stories(size=30, seed=1) if len(problem.quantities) >= 2][:3]
    exprs = [["N0+N1", "N1*N0-N1"], ["N0/N1"], ["N0", "N1-N0", "N0*N0*N1"]]
    scorer = CausalLM(str(folder), device="cpu")
    found = scorer.score(problems, exprs)
    assert [len(row) for row in found] == [2, 1, 3]
    for problem, row, scores in zip(problems, exprs, found, strict=True):
        values = [quantity.exact for quantity in problem.quantities]
        surfaces = [quantity.surface for quantity in problem.quantities]
        for expr, score in zip(row, scores, strict=True):
            equation = equation_text(expr, values, surfaces)
            assert score == pytest.approx(plain_score(folder, PROMPT.format(text=problem.text), equation), abs=1e-3)


def test_a_score_does_not_depend_on_the_other_equations_of_a_call(folder: Path) -> None:
    problems = list(read_stories(size=4, seed=2))
    exprs = [["N0", "N0+N0", "N0*N0-N0"] for _ in problems]
    whole = CausalLM(str(folder), device="cpu").score(problems, exprs)
    small = CausalLM(str(folder), device="cpu", tokens=1)  # one equation a batch
    assert small.score(problems, exprs) == [pytest.approx(row, abs=1e-3) for row in whole]
    assert small.score(problems[1:2], [["N0+N0"]])[0] == pytest.approx(whole[1][1:2], abs=1e-3)


def test_a_long_text_loses_its_beginning_and_a_long_equation_has_no_probability(folder: Path) -> None:
    problem = next(iter(read_stories(size=1)))
    long = msgspec.structs.replace(problem, text="word " * 500 + problem.text)
    endless = "+".join(["N0"] * 300)
    (scores,) = CausalLM(str(folder), device="cpu").score([long], [["N0", endless]])
    assert -inf < scores[0] < 0 and scores[1] == -inf


def test_words_are_sent_to_the_device_from_pinned_memory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[torch.device] = []

    def noted(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
        sent.append(device)
        return tensor

    monkeypatch.setattr(batches, "send", noted)  # see test_devices.py for what it does
    scorer = CausalLM(str(folder), device="cpu")
    scorer.device = torch.device("cuda:0")
    scorer.score(list(read_stories(size=1)), [["N0"]])
    assert sent == [scorer.device] * 2  # the pieces, and which of them count


def test_rank_takes_the_model_by_its_folder(folder: Path, tmp_path: Path) -> None:
    candidates, labels = tmp_path / "candidates.jsonl", tmp_path / "labels.jsonl"
    command = ["search", "--size", "12", "--plan", "paper", "--workers", "1", "-o", str(candidates)]
    assert CliRunner().invoke(main, command).exit_code == 0
    for ranker in ("basic", "em"):
        scorer = f"weaksup.scorers:CausalLM={folder}"
        rank = ["rank", str(candidates), "--ranker", ranker, "--scorer", scorer, "--force", "-o", str(labels)]
        result = CliRunner().invoke(main, rank)
        assert result.exit_code == 0, result.output
        assert "12 labels" in result.output
    beam = ["rank", str(candidates), "--ranker", "beam", "--scorer", scorer, "--force", "-o", str(labels)]
    result = CliRunner().invoke(main, beam)
    assert result.exit_code == 2 and "no method explore" in result.output


def test_what_is_no_language_model_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no folder"):
        load_draft(f"weaksup.scorers:CausalLM={tmp_path / 'nowhere'}")
    with pytest.raises(ConfigError, match="can't be called without arguments"):
        load_draft("weaksup.scorers:CausalLM")
    with pytest.raises(ConfigError, match="can't be read as a Hugging Face model"):
        load_draft(f"weaksup.scorers:CausalLM={tmp_path}")
    pickled = tiny_language_model(tmp_path / "pickled")
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    with pytest.raises(ConfigError, match="can't be read as a Hugging Face model"):
        load_draft(f"weaksup.scorers:CausalLM={pickled}")
    with pytest.raises(ConfigError, match=r"no \{text\}"):
        CausalLM(str(tiny_encoder(tmp_path / "bert")), prompt="Equation: ")
