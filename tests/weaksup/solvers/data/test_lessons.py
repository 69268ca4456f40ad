"""Vocabularies and examples: what is counted, what is left out and why, and the weights of soft labels."""

from __future__ import annotations

import msgspec
import pytest

from weaksup.corpora.implied import add_implied
from weaksup.corpora.lexicons import load_lexicons
from weaksup.corpora.problems import segment_text
from weaksup.corpora.stories import read_stories
from weaksup.records import Label, Problem, Quantity, Scored
from weaksup.solvers.data.lessons import Lesson, gold_lessons, label_lessons, make_examples
from weaksup.solvers.data.vocabulary import PAD, UNKNOWN, Vocabulary, make_vocabulary
from weaksup.solvers.presets import SolverConfig

CONFIG = SolverConfig(number_kinds=True)


def problem_of(text: str, numbers: dict[str, str], *, id: str = "1", gold: str | None = None) -> Problem:
    """A problem of a text split by blanks; `numbers` are its quantities by surface form."""
    tokens = tuple(text.split())
    quantities = tuple(
        Quantity(value=numbers[token], surface=token, start=0, end=1, token=i)
        for i, token in enumerate(tokens)
        if token in numbers
    )
    return Problem(id=id, text=text, tokens=tokens, quantities=quantities, answer="0", gold=gold)


def label_of(expr: str, posterior: float = 1.0, others: dict[str, float] | None = None, *, id: str = "1") -> Label:
    rest = tuple(Scored(expr=expr, posterior=belief) for expr, belief in (others or {}).items())
    return Label(id=id, expr=expr, equation="x=0", posterior=posterior, candidates=1, stage="", ranker="", others=rest)


# --- vocabulary -------------------------------------------------------------------------------------------------------


def test_words_are_counted_without_numbers_and_rare_ones_left_out() -> None:
    problems = [
        problem_of("a b a 7 c", {"7": "7"}),
        problem_of("a b 7 7 d", {"7": "7"}, id="2"),
    ]
    vocabulary = make_vocabulary(problems, [], min_word_count=2)
    assert [word for word in vocabulary.words if word in "abcd7" and word] == ["a", "b"]
    index = vocabulary.index()
    assert index["a"] < index["b"]  # the more frequent first
    read = vocabulary.word_numbers(problem_of("a d 7 b 8", {"7": "7"}), index, kinds=False)
    assert read == [index["a"], UNKNOWN, index["NUM"], index["b"], UNKNOWN]
    assert PAD not in read


def test_reserved_words_in_a_text_are_not_counted_twice() -> None:
    problems = [problem_of("NUM UNKNOWN a", {}) for _ in range(3)]
    words = make_vocabulary(problems, [], min_word_count=1).words
    assert len(words) == len(set(words))


def test_a_constant_counts_once_an_equation_and_operators_are_those_seen() -> None:
    trees = [("+", "1", "1"), ("*", "N0", "3.14"), ("*", "N0", "3.14"), ("+", "N0", "7")]
    vocabulary = make_vocabulary([], trees, min_constant_count=2)
    assert vocabulary.operators == ("+", "*") and vocabulary.constants == ("3.14",)
    assert make_vocabulary([], trees, min_constant_count=1).constants == ("3.14", "1", "7")
    assert vocabulary.fixed == 3


def test_tokens_and_their_numbers_are_one_to_one() -> None:
    vocabulary = Vocabulary(words=(), operators=("+", "^"), constants=("1", "3.14"))
    texts = ["+", "^", "1", "3.14", "N0", "N1", "N11"]
    assert [vocabulary.token(text) for text in texts] == [0, 1, 2, 3, 4, 5, 15]
    assert [vocabulary.text(vocabulary.token(text) or 0) for text in texts] == texts
    assert vocabulary.token("/") is None and vocabulary.token("2") is None


@pytest.mark.parametrize(
    ("surface", "value", "word"),
    [
        ("40%", "2/5", "NUM%"),
        ("100%", "1", "NUM%"),
        ("(1/6)", "1/6", "NUM/"),
        ("1.5", "3/2", "NUM."),
        ("1", "1", "NUM1"),
        ("2", "2", "NUM"),
        ("1000", "1000", "NUM"),
    ],
)
def test_numbers_are_read_by_their_kind_where_asked(surface: str, value: str, word: str) -> None:
    vocabulary = make_vocabulary([], [])
    problem = problem_of(surface, {surface: value})
    index = vocabulary.index()
    assert vocabulary.word_numbers(problem, index, kinds=True) == [index[word]]
    assert vocabulary.word_numbers(problem, index, kinds=False) == [index["NUM"]]


# --- lessons ----------------------------------------------------------------------------------------------------------


def test_an_implied_quantity_is_read_as_its_word_and_copied_from_there() -> None:
    text, tokens, quantities = segment_text("It lasts 90 minutes. What is that in working hours if 4 are shown?")
    plain = Problem(id="1", text=text, tokens=tokens, quantities=quantities, answer="6", language="en", gold="90*4/60")
    problem = add_implied(plain, load_lexicons("en"))
    assert [quantity.value for quantity in problem.quantities] == ["90", "4", "60"]
    lessons, _ = gold_lessons([problem], writing="label")
    assert lessons[0].trees == (("/", "*", "N0", "N1", "N2"),)
    vocabulary = make_vocabulary([problem], [tree for lesson in lessons for tree in lesson.trees], min_word_count=1)
    assert "hours" in vocabulary.words and vocabulary.constants == ()
    for solver in ("gts", "g2t"):
        config = SolverConfig(solver=solver)
        (example,), _ = make_examples(lessons, vocabulary, config)
        place = tokens.index("hours")
        assert example.places == (tokens.index("90"), tokens.index("4"), place)
        assert vocabulary.words[example.words[place]] == "hours"
        assert vocabulary.words[example.words[tokens.index("90")]] == "NUM"
        if example.graphs is not None:
            comparisons = set(example.graphs.comparisons)
            assert {(tokens.index("90"), place), (place, tokens.index("4"))} <= comparisons
            assert any(centre == place for centre, _ in example.graphs.cells)


def test_gold_lessons_say_what_is_left_out() -> None:
    problems = [
        problem_of("3 and 4", {"3": "3", "4": "4"}, gold="x=3+4"),
        problem_of("3", {"3": "3"}, gold="x=(3"),
        problem_of("3", {"3": "3"}),
        problem_of("3", {"3": "3"}, gold="x=-3"),
    ]
    lessons, left_out = gold_lessons(problems, writing="label")
    assert [lesson.trees for lesson in lessons] == [(("+", "N0", "N1"),)]
    assert dict(left_out) == {"no readable gold equation": 2, "gold equation is no binary tree": 1}


def test_soft_lessons_share_out_one() -> None:
    problem = problem_of("8 and 2", {"8": "8", "2": "2"})
    labels = {"1": label_of("N0+N1", 0.4, {"N1+N0": 0.1, "N0*N1": 0.2, "-N0-N1": 0.1})}
    (lesson,), _ = label_lessons([problem], labels, writing="label", soft=True)
    weights = dict(zip(lesson.trees, lesson.weights, strict=True))
    # N1+N0 is another writing of the label; the last one has no tree, and its share goes to the others.
    assert weights == pytest.approx({("+", "N0", "N1"): 5 / 7, ("*", "N0", "N1"): 2 / 7})
    (hard,), _ = label_lessons([problem], labels, writing="label")
    assert hard == Lesson(problem, (("+", "N0", "N1"),), (1.0,))


def test_problems_without_a_label_or_tree_are_counted() -> None:
    problems = [problem_of("8", {"8": "8"}, id=str(i)) for i in range(3)]
    lessons, left_out = label_lessons(problems, {"0": label_of("N0"), "1": label_of("-N0")}, writing="label")
    assert len(lessons) == 1 and dict(left_out) == {"no label": 1, "label is no binary tree": 1}


# --- examples ---------------------------------------------------------------------------------------------------------


def test_an_equation_with_a_rare_constant_is_left_out_with_the_reason() -> None:
    problem = problem_of("8 and 2", {"8": "8", "2": "2"})
    lessons = [
        Lesson(problem, (("+", "N0", "N1"),), (1.0,)),
        Lesson(problem, (("+", "N0", "7"),), (1.0,)),
        Lesson(problem, (("+", "N0", "7"), ("*", "N0", "N1"), ("*", "N0", "1")), (0.5, 0.3, 0.2)),
    ]
    vocabulary = Vocabulary(words=("", "UNKNOWN"), operators=("+", "*"), constants=("1",))
    examples, left_out = make_examples(lessons, vocabulary, CONFIG)
    assert dict(left_out) == {"7 is too rare to be written": 1}
    assert [example.trees for example in examples] == [((0, 3, 4),), ((1, 3, 4), (1, 3, 2))]
    assert examples[1].weights == pytest.approx((0.6, 0.4))


def test_operands_of_equal_value_are_known_as_such() -> None:
    problem = problem_of("1 5 3.14 five 5", {"1": "1", "5": "5", "3.14": "157/50", "five": "5"})
    vocabulary = Vocabulary(words=("", "UNKNOWN"), operators=("+",), constants=("2", "3.14", "1"))
    lessons = [Lesson(problem, (("N0",),), (1.0,))]
    (example,), _ = make_examples(lessons, vocabulary, CONFIG)
    # constants 2, 3.14, 1; then 1 (as the constant), 5, 3.14 (as the constant), 5 and 5 (as the first 5)
    assert example.same == (0, 1, 2, 2, 4, 1, 4, 4)
    assert example.places == (0, 1, 2, 3, 4) and len(example.words) == 5


def test_weights_of_all_stories_add_up_to_one() -> None:
    problems = list(read_stories(size=80, seed=3))
    labels = {
        problem.id: label_of("N0", 0.3, {"N0*2": 0.2, "N0+1": 0.1, "N0*3.14": 0.05}, id=problem.id)
        for problem in problems
    }
    lessons, _ = label_lessons(problems, labels, writing="as-written", soft=True)
    vocabulary = make_vocabulary(problems, [tree for lesson in lessons for tree in lesson.trees])
    examples, left_out = make_examples(lessons, vocabulary, CONFIG)
    assert len(examples) == len(problems) and not left_out
    for example in examples:
        assert len(example.trees) == 4 and sum(example.weights) == pytest.approx(1)


def test_lessons_from_labels_are_the_same_without_gold() -> None:
    problems = list(read_stories(size=30, seed=4))
    labels = {problem.id: label_of("N0+1", id=problem.id) for problem in problems}
    blind = [msgspec.structs.replace(problem, gold=None) for problem in problems]
    seen, _ = label_lessons(problems, labels, writing="label")
    unseen, _ = label_lessons(blind, labels, writing="label")
    vocabularies = [make_vocabulary((x.problem for x in ls), (t for x in ls for t in x.trees)) for ls in (seen, unseen)]
    assert vocabularies[0] == vocabularies[1]
    assert make_examples(seen, vocabularies[0], CONFIG) == make_examples(unseen, vocabularies[1], CONFIG)
