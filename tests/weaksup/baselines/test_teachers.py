"""The teachers: what LBF mends and remembers, what WARM rewards, and that both learn."""

from __future__ import annotations

from dataclasses import replace
from math import inf, log
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
import torch

import weaksup.baselines.lbf as lbf
import weaksup.solvers.training.loop as module
from weaksup.baselines import warm
from weaksup.baselines.finds import labels_of
from weaksup.baselines.fixing import OPERATORS, Replacement, value_of
from weaksup.baselines.lbf import Fixer, learn_by_fixing
from weaksup.baselines.sampling import Written
from weaksup.baselines.table import BASELINES, LBFConfig, WARMConfig, find_equations
from weaksup.baselines.unlabelled import Unlabelled, exact, operand_values, with_answer
from weaksup.baselines.warm import Reinforcer, generate_labels, harvest, leaf_range
from weaksup.corpora.problems import segment_text
from weaksup.errors import WeakSupError
from weaksup.measure.metrics import TrainingRow
from weaksup.records import Label, Problem
from weaksup.solvers.data.trees import expression_of, write_tree
from weaksup.solvers.decoding.beam import Hypothesis, beam_search
from weaksup.solvers.decoding.solver import Solver
from weaksup.solvers.table import build_model
from weaksup.solvers.training.lesson_sources import Moment
from weaksup.storage.json_lines import read_records

from .small_baseline import SOLVER, TRAINING, stories

PROBLEMS = [problem for problem in stories(gold=False).problems if len(problem.quantities) < 4][:16]


EVERYWHERE = range(len(PROBLEMS))


def unlabelled(problems: list[Problem] = PROBLEMS) -> Unlabelled:
    return Unlabelled(problems, SOLVER, min_word_count=TRAINING.min_word_count)


def untrained(given: Unlabelled, *, step: int = 0) -> Moment:
    """The first steps of a training run that has not learnt anything."""
    torch.manual_seed(0)
    model = build_model(SOLVER, given.vocabulary)
    torch.manual_seed(step)
    return Moment(model, step, 6, 2)


def fixer(given: Unlabelled, *, memory: bool = False, walk: int = 50, **how: bool) -> Fixer:
    return Fixer(given, LBFConfig(memory=memory, walk=walk, **how), writing=TRAINING.writing, seed=TRAINING.seed)


def text_of(given: Unlabelled, tokens: tuple[int, ...]) -> str:
    return " ".join(given.prefix(tokens))


def right(problem: Problem, prefix: str) -> bool:
    return value_of(prefix.split(), operand_values(problem)) == exact(problem.exact_answer)


def sums(size: int) -> list[Problem]:
    """Problems that are all solved by N0+N1."""
    made = []
    for i in range(size):
        first, second = 3 + 7 * i, 5 + 11 * i
        text, tokens, quantities = segment_text(f"Tom has {first} apples and buys {second} more.", language="en")
        answer = str(first + second)
        made.append(Problem(id=str(i), text=text, tokens=tokens, quantities=quantities, answer=answer))
    return made


def test_fixes_have_the_right_value_and_are_what_is_taught() -> None:
    given = unlabelled()
    teacher = fixer(given)
    lessons = teacher.teach(EVERYWHERE, untrained(given))
    mended = [problem for problem in PROBLEMS if problem.id in teacher.finds]
    assert len(lessons) == len(teacher.finds) == len(mended) > 4
    for problem, lesson in zip(mended, lessons, strict=True):
        taught = [text_of(given, tree) for tree in lesson.trees]
        assert taught == list(teacher.finds[problem.id])
        assert right(problem, *taught)


def test_a_longer_walk_finds_more() -> None:
    given = unlabelled()
    few, many = (len(fixer(given, walk=walk).teach(EVERYWHERE, untrained(given))) for walk in (0, 50))
    assert few < many


def test_gains_are_those_of_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    given = unlabelled()
    vocabulary = given.vocabulary
    token = {text: vocabulary.token(text) for text in OPERATORS}
    chances = [-20.0] * 40
    for text, chance in zip(OPERATORS, (0.1, 0.6, 0.3, 0.0), strict=True):
        chances[token[text] or 0] = log(chance) if chance else -inf
    tree = Written((token["+"] or 0, vocabulary.fixed, vocabulary.fixed), [chances] * 3)
    gains: dict[str, float] = {}

    def asked(*args: Any, free: bool) -> None:
        gain, steps = args[4], args[5]
        assert (steps, free) == (50, False)
        gains.update({new: gain(Replacement(0, "+", new)) for new in OPERATORS if new != "+"})

    monkeypatch.setattr(lbf, "fix", asked)
    assert fixer(given)._fixed(0, tree, Random(0)) is None
    assert gains == pytest.approx({"-": log(6), "*": log(3), "/": -inf})


def test_fixes_are_learnt_as_found_unless_they_are_to_be_rewritten() -> None:
    given = unlabelled()
    found, rewritten = (fixer(given, rewrite=rewrite) for rewrite in (False, True))
    for teacher in (found, rewritten):
        teacher.teach(EVERYWHERE, untrained(given))
    changed = 0
    for problem in PROBLEMS:
        for text in found.finds.get(problem.id, {}):
            written = write_tree(expression_of(text.split()), problem, writing=TRAINING.writing)
            assert written is None or " ".join(written) in rewritten.finds[problem.id]
            changed += written != tuple(text.split())
    assert changed


def test_no_constants_are_written_in_the_first_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    given = unlabelled()
    asked: list[dict[str, Any]] = []
    write = lbf.write_trees

    def noting(*args: Any, **how: Any) -> Any:
        asked.append(how)
        return write(*args, **how)

    monkeypatch.setattr(lbf, "write_trees", noting)
    for step in (0, 1, 2, 5):
        fixer(given).teach(EVERYWHERE, untrained(given, step=step))
        assert {how["constants"] for how in asked} == {step >= 2}  # two steps make an epoch, six the training
        assert {how["shapes"] for how in asked} == {"three" if step < 1.5 else "model"}
        asked.clear()
    fixer(given, shapes=True).teach(EVERYWHERE, untrained(given))
    assert {how["shapes"] for how in asked} == {"any"}


def test_dropout_is_on_while_decoding_for_fixes() -> None:
    given = unlabelled()
    now = untrained(given)
    now.model.eval()
    fixer(given).teach(EVERYWHERE, now)
    assert now.model.training


def test_memory_teaches_every_fix_as_an_example_of_its_own() -> None:
    given = unlabelled()
    last, all_ = (fixer(given, memory=memory) for memory in (False, True))
    for step in range(4):
        single = last.teach(EVERYWHERE, untrained(given, step=step))
        several = all_.teach(EVERYWHERE, untrained(given, step=step))
    assert last.finds == all_.finds
    assert {len(lesson.trees) for lesson in single} == {1}
    counts = [len(lesson.trees) for lesson in several]
    assert counts == [len(all_.finds[p.id]) for p in PROBLEMS if p.id in all_.finds] and max(counts) > 1
    # The loss is the sum over the trees, divided by the number of lessons: so each tree has the same share of it.
    weights = [weight for lesson in several for weight in lesson.weights]
    assert weights == pytest.approx([len(several) / sum(counts)] * sum(counts))


def test_lbf_learns_from_its_fixes(tmp_path: Path) -> None:
    problems = sums(24)
    larger = msgspec.structs.replace(SOLVER, embedding=32, hidden=32, dropout=0.0)
    train = msgspec.structs.replace(TRAINING, epochs=40, validate_every=40)
    learn_by_fixing(problems, problems, tmp_path, config=larger, train=train, how=LBFConfig(memory=True))
    rows = list(read_records(tmp_path / "solver" / "metrics.jsonl", TrainingRow))
    assert rows[-1].valid_answer_accuracy == 1.0
    assert len(list(read_records(tmp_path / "labels.jsonl", Label))) == len(problems)


def test_reinforcement_makes_the_right_trees_likely(tmp_path: Path) -> None:
    problems = sums(24)
    given = Unlabelled(problems, SOLVER, min_word_count=TRAINING.min_word_count, answers=True)
    train = msgspec.structs.replace(TRAINING, epochs=40, validate_every=40)
    generate_labels(problems, [], tmp_path, config=SOLVER, train=train, how=WARMConfig(beam=10))
    assert len(list(read_records(tmp_path / "labels.jsonl", Label))) == len(problems)
    before, after = untrained(given), untrained(given)
    after.model.load_state_dict(Solver.load(tmp_path / "generator").model.state_dict())
    few, many = (share_right(given, now) for now in (before, after))
    assert few < 0.1 < 0.3 < many


def share_right(given: Unlabelled, now: Moment) -> float:
    """The share of right trees among those that are drawn."""
    lessons = reinforcer(given, draws=20).weigh(range(len(given.problems)), now)
    drawn = [
        right(problem, text_of(given, tree))
        for problem, lesson in zip(given.problems, lessons, strict=True)
        for tree in lesson.trees
    ]
    return sum(drawn) / len(drawn)


@pytest.mark.parametrize("teacher", ["lbf", "warm"])
def test_training_that_diverges_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, teacher: str) -> None:
    loss = module.tree_loss
    monkeypatch.setattr(module, "tree_loss", lambda *args, **options: loss(*args, **options) * float("nan"))
    how = BASELINES[teacher].settings()
    with pytest.raises(WeakSupError, match=r"training has diverged: .*; use a lower learning rate"):
        find_equations(teacher, PROBLEMS, [], tmp_path, config=SOLVER, train=TRAINING, how=how)
    assert not list(tmp_path.rglob("model.safetensors")) and not (tmp_path / "labels.jsonl").exists()


def reinforcer(given: Unlabelled, *, draws: int = 4, beam: int = 1, entropy: float = 0.0) -> Reinforcer:
    return Reinforcer(given, draws=draws, beam=beam, entropy=entropy)


def test_a_draw_is_weighed_against_the_problem_s_other_draws() -> None:
    given = unlabelled()
    lessons = reinforcer(given, draws=40).weigh(EVERYWHERE, untrained(given))
    rewarded = 0
    for problem, lesson in zip(PROBLEMS, lessons, strict=True):
        gained = [right(problem, text_of(given, tree)) for tree in lesson.trees]
        for i, weight in enumerate(lesson.weights):
            others = gained[:i] + gained[i + 1 :]
            assert weight == pytest.approx((gained[i] - sum(others) / 39) / 40)
        assert sum(lesson.weights) == pytest.approx(0.0)
        rewarded += any(gained)
        assert lesson.leaves == leaf_range(len(problem.quantities))
    assert rewarded


def test_the_bonus_for_unlikely_draws_is_what_raises_the_entropy() -> None:
    given = unlabelled()
    lessons = reinforcer(given, draws=6, entropy=0.5).weigh(EVERYWHERE, untrained(given))
    plain = reinforcer(given, draws=6).weigh(EVERYWHERE, untrained(given))
    model = untrained(given).model.eval()
    for lesson, without in zip(lessons, plain, strict=True):
        assert lesson.trees == without.trees
        with torch.no_grad():
            logs = model(given.batch_of([lesson])).tolist()
        for i, weight in enumerate(lesson.weights):
            others = logs[:i] + logs[i + 1 :]
            bonus = -0.5 * (logs[i] - sum(others) / 5) / 6
            assert weight - without.weights[i] == pytest.approx(bonus, abs=1e-5)


def test_with_a_beam_right_trees_are_kept_and_learnt_by_their_probabilities() -> None:
    given = unlabelled()
    teacher = reinforcer(given, draws=4, beam=30)
    lessons = teacher.weigh(EVERYWHERE, untrained(given))
    assert teacher.finds
    model = untrained(given).model.eval()
    for place, (problem, lesson) in enumerate(zip(PROBLEMS, lessons, strict=True)):
        kept = teacher.finds.get(problem.id, {})
        assert all(right(problem, text) for text in kept)
        assert [text_of(given, tree) for tree in lesson.trees[4:]] == [*kept]
        if kept:
            known = replace(teacher.examples[place], trees=lesson.trees[4:])
            with torch.no_grad():
                shares = model(given.batch_of([known])).softmax(0).tolist()
            assert lesson.weights[4:] == pytest.approx(shares, abs=1e-5)
    without = reinforcer(given, draws=200)
    without.teach(EVERYWHERE, untrained(given))
    assert not without.finds


def test_equal_trees_are_taught_once_and_those_without_weight_not_at_all() -> None:
    given = unlabelled()
    whole = reinforcer(given, draws=40).weigh(EVERYWHERE, untrained(given))
    taught = reinforcer(given, draws=40).teach(EVERYWHERE, untrained(given))
    weights = [{t: sum(w for u, w in zip(x.trees, x.weights, strict=True) if u == t) for t in x.trees} for x in whole]
    meant = [{tree: weight for tree, weight in one.items() if weight} for one in weights]
    found = [dict(zip(lesson.trees, lesson.weights, strict=True)) for lesson in taught]
    assert found == [pytest.approx(one) for one in meant if one] and len(found) < len(whole)


def test_right_subtrees_of_explored_trees_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    given = unlabelled(sums(1))
    tokens = given.tokens(["*", "+", "N0", "N1", "N0"])  # (3+5)*3, where 8 is wanted
    monkeypatch.setattr(warm, "beam_search", lambda *args, **options: [[Hypothesis(tokens, -1.0)]])
    teacher = reinforcer(given, beam=2)
    teacher._explore([0], untrained(given))
    assert teacher.finds == {given.problems[0].id: {"+ N0 N1": 1}}


def test_the_generator_reads_the_answer() -> None:
    (problem,) = sums(1)  # 3 + 5
    read = with_answer(problem)
    assert read.tokens[: len(problem.tokens)] == problem.tokens
    about = read.tokens[len(problem.tokens) :]
    assert about[1:] == ("answer > N", "answer > N") and about[0].startswith("answer ")
    other = msgspec.structs.replace(problem, answer="3")
    assert with_answer(other).tokens[-2:] == ("answer = N multiple", "answer < N")
    first, second = Unlabelled([problem, other], SOLVER, min_word_count=1, answers=True).examples
    assert first.words != second.words and first.places == second.places
    blind = unlabelled([problem, other]).examples
    assert blind[0].words == blind[1].words


def test_a_wider_beam_harvests_no_less() -> None:
    given = unlabelled()
    best, wide = (harvest(untrained(given).model, given, beam=beam) for beam in (1, 30))
    assert best.keys() <= wide.keys() and len(wide) > len(best)
    by_id = {problem.id: problem for problem in PROBLEMS}
    assert all(right(by_id[id], text) for id, found in wide.items() for text in found)


def test_exploring_samples_other_trees_each_time_and_none_twice() -> None:
    given = unlabelled()
    leaves = [leaf_range(len(problem.quantities)) for problem in PROBLEMS]
    model = untrained(given).model.eval()
    batch = given.batch(EVERYWHERE)
    first, second = (beam_search(model, batch, beam=10, leaves=leaves, sampled=True) for _ in range(2))  # type: ignore[arg-type]
    assert first != second
    for found in (*first, *second):
        trees = [tree.tokens for tree in found]
        assert len({*trees}) == len(trees) == 10
    for problem, one in enumerate(first):
        example = given.examples[problem]
        limited = replace(example, leaves=leaves[problem], same=tuple(range(len(example.same))))
        with torch.no_grad():
            chances = model(given.batch_of([replace(limited, trees=tuple(tree.tokens for tree in one))])).tolist()
        assert [tree.log_probability for tree in one] == pytest.approx(chances, abs=1e-4)


def test_right_trees_that_are_all_but_impossible_are_harvested_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their probabilities, e^-2000 and less, are 0 as floats; what counts is how they compare."""
    given = unlabelled()
    model = untrained(given).model
    search = warm.beam_search
    monkeypatch.setattr(
        warm,
        "beam_search",
        lambda *args, **options: [
            [hypothesis._replace(log_probability=hypothesis.log_probability - 2000) for hypothesis in found]
            for found in search(*args, **options)
        ],
    )
    far = harvest(model, given, beam=30)
    monkeypatch.undo()
    near = harvest(model, given, beam=30)
    assert far.keys() == near.keys() and far
    for id, found in far.items():
        assert max(found.values()) == 1
        assert found == pytest.approx(near[id], rel=1e-6)
    assert [label.id for label in labels_of(PROBLEMS, far, baseline="warm")] == [
        problem.id for problem in PROBLEMS if problem.id in far
    ]


def test_the_label_is_what_was_found_most_often_whatever_its_writing() -> None:
    problem, *others = sums(3)
    found = {"- + N0 N1 - 1 1": 2.0, "+ N0 N1": 2.0, "+ N1 N0": 2.0}
    (label,) = labels_of([problem, *others], {problem.id: found}, baseline="lbf")
    assert (label.expr, label.equation, label.stage, label.ranker) == ("N0+N1", "x=3+5", "lbf", "lbf")
    assert label.posterior == pytest.approx(1.0)  # 1-1 means nothing
