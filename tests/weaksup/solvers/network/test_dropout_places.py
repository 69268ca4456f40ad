"""Where the decoder drops out, and what the loss of a batch is the mean over: as published, or as in our presets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import torch
from torch import Tensor

from weaksup.solvers.data.lessons import make_examples
from weaksup.solvers.data.vocabulary import make_vocabulary
from weaksup.solvers.network.gts import GTS
from weaksup.solvers.presets import PRESETS
from weaksup.solvers.training.lesson_sources import FixedLessons
from weaksup.solvers.training.loop import TrainingRun

from ..examples_for_tests import VOCABULARY, batch_of, small_config, varied_examples
from ..small_run import CONFIG, TRAIN, stories


def seen_by_the_parts(model: GTS, monkeypatch: pytest.MonkeyPatch) -> tuple[Tensor, list[Tensor]]:
    """What the scores read of all nodes, and what the children read of the operators of each level."""
    decoder = model.decoder
    scored: list[Tensor] = []
    passed: list[Tensor] = []
    real_score, real_pass = decoder.score, decoder.pass_goals

    def score(known: Tensor, *args: Any) -> Tensor:
        scored.append(known.detach())
        return real_score(known, *args)

    def pass_goals(known: Tensor, operator: Tensor) -> Any:
        passed.append(known.detach())
        return real_pass(known, operator)

    monkeypatch.setattr(decoder, "score", score)
    monkeypatch.setattr(decoder, "pass_goals", pass_goals)
    model.train()
    torch.manual_seed(1)
    model(batch_of(varied_examples(np.random.default_rng(0))))
    return scored[0], passed


@pytest.mark.parametrize("own", [False, True])
def test_children_share_the_mask_of_the_scores_or_have_their_own(own: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    model = GTS(small_config(dropout=0.5, child_dropout=own), VOCABULARY)
    scored, passed = seen_by_the_parts(model, monkeypatch)
    rows = {tuple(row) for row in scored.tolist()}
    shared = [tuple(row) in rows for level in passed for row in level.tolist()]
    assert len(shared) > 10
    assert not any(shared) if own else all(shared)
    dropped = torch.cat(passed).eq(0).float().mean()
    assert 0.3 < dropped < 0.7  # either way half is dropped


@pytest.mark.parametrize("with_query", [False, True])
def test_the_attention_asks_with_a_goal_that_is_dropped_out_or_whole(with_query: bool) -> None:
    torch.manual_seed(0)
    model = GTS(small_config(dropout=0.5, query_dropout=with_query), VOCABULARY)
    batch = batch_of(varied_examples(np.random.default_rng(0)))
    memory = model.eval().read(batch)
    goal, owner = torch.randn(2, memory.goal.shape[-1]), torch.tensor([0, 1])
    still = model.decoder.attend(goal, owner, memory)
    model.train()
    torch.manual_seed(3)
    first, second = (model.decoder.attend(goal, owner, memory) for _ in range(2))
    assert torch.equal(first, second) != with_query
    assert torch.equal(first, still) != with_query


@pytest.mark.parametrize("name", ["query_dropout", "child_dropout"])
def test_without_training_the_settings_change_nothing(name: str) -> None:
    found = []
    for value in (False, True):
        torch.manual_seed(0)
        model = GTS(small_config(dropout=0.5, **{name: value}), VOCABULARY).eval()
        found.append(model(batch_of(varied_examples(np.random.default_rng(0)))))
    assert torch.equal(*found)


def test_the_loss_is_the_mean_over_trees_or_over_tokens(tmp_path: Path) -> None:
    lessons, _ = stories()
    trees = [tree for lesson in lessons for tree in lesson.trees]
    vocabulary = make_vocabulary([lesson.problem for lesson in lessons], trees, min_word_count=2, min_constant_count=1)
    still = msgspec.structs.replace(CONFIG, dropout=0.0, word_dropout=0.0)
    examples, _ = make_examples(lessons, vocabulary, still)
    losses = {}
    for average in ("tree", "token"):
        settings = msgspec.structs.replace(TRAIN, average=average)
        run = TrainingRun(FixedLessons(examples), vocabulary, [], tmp_path, config=still, train=settings)
        places = next(iter(run._places()))
        run._one_step(run.state.model, places)
        losses[average] = run.state.loss_sum.item()
    tokens = sum(len(examples[place].trees[0]) for place in places)
    assert losses["token"] * tokens == pytest.approx(losses["tree"] * len(places), rel=1e-5)
    assert tokens > 2 * len(places)


def test_preset_paper_is_as_published_and_the_others_are_ours() -> None:
    for name, (config, train) in PRESETS.items():
        published = name == "paper"
        assert (config.query_dropout, config.child_dropout) == (published, published)
        assert (config.graph == "published", train.average == "token") == (published, published)
        assert (train.writing == "as-written") == published
