"""Grades as rewards and as a metric."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from mathcanon.rewards import GradeMetric, trl_reward, verl_compute_score

GOLD = "48/2=<<48/2=24>>24\n48+24=<<48+24=72>>72\n#### 72"
COMPLETIONS = ["48+48/2=72", "24*3=72", "48*2=96", "no idea"]


def test_trl_rewards_each_completion() -> None:
    assert trl_reward(COMPLETIONS, [GOLD] * 4, prompts=["..."] * 4, completion_ids=[[1]] * 4) == [1.0, 0.5, 0.0, 0.0]
    weights = {"same-value": 0.1, "unreadable": -1}
    assert trl_reward(completions=COMPLETIONS, solution=[GOLD] * 4, weights=weights) == [1.0, 0.1, 0.0, -1.0]


def test_trl_reads_the_last_message_of_a_conversation() -> None:
    conversation = [{"role": "user", "content": "How many?"}, {"role": "assistant", "content": "48+48/2=72"}]
    assert trl_reward([conversation], [GOLD]) == [1.0]


def test_a_sample_without_a_readable_solution_has_no_reward() -> None:
    assert trl_reward(["72", "72"], ["unknown", GOLD]) == [None, 0.5]
    assert trl_reward([None, []], [GOLD, GOLD]) == [0.0, 0.0]


def test_the_question_is_used_where_there_is_one() -> None:
    completion = "5-1=4; 2*2=4; 4*3=12"
    assert trl_reward([completion], ["4*3"], question=["4 boxes of 3, 2 by 2"]) == [1.0]
    assert verl_compute_score("own", completion, "4*3", {"question": "4 boxes of 3, 2 by 2"}) == 1.0
    assert verl_compute_score("own", completion, "4*3", None) == 0.5


def test_verl_always_gets_a_number() -> None:
    scores = [verl_compute_score("gsm8k", text, GOLD, weights={"same-value": 0.25}) for text in COMPLETIONS]
    assert scores == [1.0, 0.25, 0.0, 0.0]
    assert verl_compute_score("gsm8k", "72", "unknown", extra_info={"split": "train"}) == 0.0


def test_unknown_grades_in_the_weights_are_refused() -> None:
    with pytest.raises(ValueError, match="same-methods"):
        trl_reward(["72"], [GOLD], weights={"same-methods": 1.0})


def test_the_metric_counts_grades() -> None:
    scores = GradeMetric().compute(predictions=COMPLETIONS, references=[GOLD] * 4)
    assert scores["answer_accuracy"] == 0.5
    assert scores["method_accuracy"] == scores["same-value"] == scores["different"] == scores["unreadable"] == 0.25
    assert GradeMetric().compute(predictions=[], references=[])["answer_accuracy"] == 0


def test_threads_get_the_same_rewards() -> None:
    expected = trl_reward(COMPLETIONS, [GOLD] * 4)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda _: trl_reward(COMPLETIONS, [GOLD] * 4), range(64))) == [expected] * 64


def test_neither_trl_nor_verl_is_imported() -> None:
    code = "import sys, mathcanon.rewards; sys.exit(bool({'trl', 'verl', 'torch', 'evaluate'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
