"""What people and models write, read as steps and composed to one expression."""

from __future__ import annotations

import pickle
from fractions import Fraction

import pytest

import mathcanon as mc


@pytest.mark.parametrize(
    ("text", "expr", "answer"),
    [
        # an expression, an equation, a chain
        ("150*2-50", "150*2-50", 250),
        ("x = 150*2-50", "150*2-50", 250),
        ("150*2-50 = x", "150*2-50", 250),
        ("150*2-50 = ?", "150*2-50", 250),
        ("48/2=24", "48/2", 24),
        ("24 = 48/2", "48/2", 24),
        ("x = 5+5+1 = 11", "5+5+1", 11),
        ("2*(3+4) = 2*7 = 14", "2*(3+4)", 14),
        ("5*3 = 15 + 2 = 17", "5*3+2", 17),
        # several steps
        ("48/2=24; 48+24=72", "48+48/2", 72),
        ("48/2=24, 48+24=72", "48+48/2", 72),
        ("48/2=24\n48+24=72", "48+48/2", 72),
        ("In May 48/2 = 24 clips. In all 48 + 24 = 72 clips.", "48+48/2", 72),
        ("price = 5; total = price*3 = 15", "5*3", 15),
        ("eggs_left = 16 - 3 - 4\nrevenue = eggs_left * 2", "(16-3-4)*2", 18),
        ("Apples = 5*7 = 35\nPears = Apples - 5", "5*7-5", 30),
        ("x = 2+3\n  = 5", "2+3", 5),
        # marked answers
        ("48/2=<<48/2=24>>24 clips. 48+24=<<48+24=72>>72\n#### 72", "48+48/2", 72),
        ("8 - 2 = <<6=6>>6\nA: 6", "8-2", 6),
        ("A: 90,000", "90000", 90_000),
        ("Answer: 150*2-50", "150*2-50", 250),
        ("3+4=7, 7*2=14. The answer is 7.", "3+4", 7),
        ("<think>3 + 4 = 7</think><answer>7 eggs</answer>", "3+4", 7),
        ("**Answer: $18 per day**", "18", 18),
        (r"\boxed{3}, no: $4-1$ is it, so \boxed{\frac{3}{4}}", "3/4", Fraction(3, 4)),
        (r"The final answer is: $\boxed{72 clips}$.", "72", 72),
        (r"so $12-4=\boxed{8}$", "12-4", 8),
        (r"$x = \boxed{x = 8}$ kPa", "8", 8),
        # words, units, currency, LaTeX
        ("He pays $5/glass * 16 glasses = $80.", "5*16", 80),
        ("80 GB / 2 GB/minute = 40 minutes", "80/2", 40),
        ("42 by Ryan + 67 by Alyssa + 51 by Scott = 160 flyers", "42+67+51", 160),
        ("3 x $68 = $204", "3*68", 204),
        ("25x.4=10", "25*.4", 10),
        ("20% of $50 = $10", "20%*50", 10),
        ("6 times 1/4 equals 1.5", "6*1/4", Fraction(3, 2)),
        ("She can go 42 / 14 = 3 times", "42/14", 3),
        ("3 * 5 = a total of 15", "3*5", 15),
        ("(the sum: (3 + 4) * 2 = 14)", "(3+4)*2", 14),
        ("5² - 3 = 22", "5^2-3", 22),
        ("$5 million * 2 = $10,000,000", "5000000*2", 10_000_000),
        (r"\[ \text{Total cost} = 3 \times \$2 = \$6 \]", "3*2", 6),
        (r"\begin{align*} 16 - 3 - 4 &= 9 \\ 9 \cdot 2 &= 18 \end{align*}", "(16-3-4)*2", 18),
        (r"$$\frac{48}{2} = 24$$ then \(48 + 24 = 72\)", "48+48/2", 72),
        ("- 5*3 = **15** apples", "5*3", 15),
        # numbers
        ("1,000+500", "1000+500", 1500),
        ("1 000 000 + 500 000 = 1 500 000 cars", "1000000+500000", 1_500_000),
        ("2(3+4)", "2*(3+4)", 14),
        ("80(.95)=76", "80*.95", 76),
        ("2 - 1/2 = 1 1/2 cups; 14 * 1 1/2 = 21", "14*(2-1/2)", 21),
        ("3 1/2", "3(1/2)", Fraction(7, 2)),
        ("2½ + 1", "2(1/2)+1", Fraction(7, 2)),
        ("5%", "5%", Fraction(1, 20)),
        ("72 clips", "72", 72),
        ("2000 / 2/3 = 3000", "2000/(2/3)", 3000),
        ("200/28=7 r4", "200/28", 7),
        ("25% - 5% = 20%. #### 20", "100*(25%-5%)", 20),
    ],
)
def test_a_solution_is_one_expression_and_an_answer(text: str, expr: str, answer: Fraction | int) -> None:
    solution = mc.read_solution(text)
    assert mc.canonical(solution.expr) == mc.canonical(mc.parse(expr))
    assert solution.answer == answer
    assert all(step.right is not False for step in solution.steps)


@pytest.mark.parametrize(
    ("text", "words", "column"),
    [
        ("", "no expression", 0),
        ("None", "no number", 0),
        ("nan", "no number", 0),
        ("N/A", "word", 0),
        ("I don't know", "no number", 0),
        ("3 apples and 4 pears", "several numbers", 0),
        ("150*2-", "missing at the end", 6),
        ("30*(1/6", "never closed", 7),
        ("2a", "side by side", 1),
        ("#### None", "no number in the answer", 5),
        ("3+4=7. The answer is unknown", "no number in the answer", 21),
        (r"3+4=7 \boxed{(3,-4)}", "comma", 15),
        (r"\boxed{\sqrt{2}}", "functions", 7),
    ],
)
def test_what_is_no_solution_is_refused_with_its_place(text: str, words: str, column: int) -> None:
    with pytest.raises(mc.SolutionError) as caught:
        mc.read_solution(text)
    assert words in str(caught.value)
    assert caught.value.position == column


def test_steps_say_whether_their_arithmetic_is_right() -> None:
    solution = mc.read_solution("3+4=8; 8*2=16; 100/3=33.33; 2/3=0.66; 7/3=2.4; 7//2=3")
    assert [step.right for step in solution.steps] == [False, True, True, True, False, True]
    assert solution.wrong == solution.steps[0]
    assert (solution.wrong.value, solution.wrong.stated, solution.wrong.result) == (7, 8, 8)


def test_a_rounded_result_stands_for_its_step() -> None:
    solution = mc.read_solution("1/3=0.3333333; 0.3333333*60=20")
    assert mc.evaluate(solution.expr) == 20
    assert [step.right for step in solution.steps] == [True, True]


def test_a_number_stands_for_the_latest_step_unless_the_question_has_it() -> None:
    text = "2*3=6; 1+5=6; 6*4=24"
    assert str(mc.read_solution(text).expr) == "(1+5)*4"
    assert str(mc.read_solution(text, question="Six boxes and 4 bags").expr) == "6*4"


def test_steps_that_do_not_reach_the_answer_are_unused() -> None:
    solution = mc.read_solution("2*3=6; 10-3=7; 6*4=24")
    assert [str(step.expr) for step in solution.unused] == ["10-3"]


def test_equations_in_unknowns_are_no_steps() -> None:
    solution = mc.read_solution("Let x be the price. 2x + 5 = 15, so 2x = 10, x = 5. Then 3x = 15. Answer: 15")
    assert [str(step.expr) for step in solution.steps] == ["5", "3*x"]
    assert str(solution.expr) == "3*5"


def test_an_answer_with_operands_is_an_expression() -> None:
    assert mc.read_solution(r"so it is $\boxed{2x-1}$").answer == mc.parse("2*x-1")


def test_solutions_are_values() -> None:
    solution = mc.read_solution("48/2=24; 48+24=72")
    assert pickle.loads(pickle.dumps(solution)) == solution == mc.read_solution("48/2=24; 48+24=72")
    with pytest.raises(AttributeError):
        solution.answer = Fraction(1)  # type: ignore[misc]


def test_results_that_double_are_refused_past_the_limit() -> None:
    doubling = "; ".join(f"{2**i}+{2**i}={2 ** (i + 1)}" for i in range(1, 40))
    with pytest.raises(mc.LimitError):
        mc.read_solution(doubling)


PATTERNS = ["$", "$1", "<<", "<<1", "(", "(a", "\\frac{", "1 ", "x=", "1+1=2;", "\\(", "**a ", "answer is ", "#### "]
PATTERNS += ["A: 1\n", "\\boxed{", "\\boxed{1} ", " ", "= ", "1,", "1", "1 000 ", "\n", "\\text{", "{", "-", "1/2 "]
PATTERNS += ["x   ", "<answer>", "\\begin{align}", "1\\\\ = ", "Let x ", "2(", "a=a+1;", "(1="]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_hostile_text_ends(pattern: str) -> None:
    text = pattern * (30_000 // len(pattern))
    try:
        mc.read_solution(text)
    except mc.MathCanonError as error:
        assert str(error)


@pytest.mark.parametrize(
    ("text", "composed"),
    [
        ("210/70=3; 240/80=3; 3+3=6", "210/70+240/80"),
        ("2*6=12; 5+7=12; 3*4=12; 12-12=0", "5+7-3*4"),  # the two latest, in their order
        ("2*3=6; 6+6=12", "2*3+2*3"),
        ("500*20/100=100; 500-100=400; 400*25/100=100; 400-100=300", "(500-500*20/100)-(500-500*20/100)*25/100"),
        ("20*5=100; 100/4=25", "20*5/4"),
    ],
)
def test_equal_results_and_the_hundred_of_a_percentage(text: str, composed: str) -> None:
    read = mc.read_solution(text).expr
    assert mc.canonical(read) == mc.canonical(composed)


def test_steps_know_where_they_stand() -> None:
    text = "She sold **48 / 2** = 24 and 48+24 = <<48+24=72>>72."
    places = [text[step.place : step.end] for step in mc.read_solution(text).steps]
    assert places == ["48 / 2** = 24", "<<48+24=72>>72"]


@pytest.mark.parametrize(
    "text", ["sqrt(2)", "#### sqrt(2)", "The answer is log(8)", "The answer is 3 sqrt(2)", "√2", "max(3, 5)", "Sin(3)"]
)
def test_a_function_is_not_taken_for_its_argument(text: str) -> None:
    with pytest.raises(mc.SolutionError):
        mc.read_solution(text)


def test_what_stands_beside_a_function_is_still_read() -> None:
    found = mc.read_solution("sqrt(16) = 4; 4 + 5 = 9 #### 9")
    assert (str(found.expr), found.answer) == ("4+5", 9)
    found = mc.read_solution("As 100 is congruent to 2 (mod 7), the next one is $99 + 7 = 106$.")
    assert (str(found.expr), found.answer) == ("99+7", 106)


@pytest.mark.parametrize(
    "text",
    ["5!", "#### 5!", "The answer is 5!", "<answer>5!</answer>", r"\boxed{5!}", "2*60 = 5!", "3+4=7. The answer is 5!"],
)
def test_a_factorial_is_not_taken_for_its_argument(text: str) -> None:
    with pytest.raises(mc.SolutionError) as caught:
        mc.read_solution(text)
    assert text[caught.value.position] == "!"


def test_an_exclamation_mark_is_no_factorial_where_a_step_has_that_result() -> None:
    for text in ("48+24 = 72!", "48+24=72. The answer is 72!", "48+24 = 72! Great. #### 72", "#### 48+24 = 72!"):
        assert mc.read_solution(text).answer == 72, text
    assert mc.read_solution("The answer is 72 clips!").answer == 72


def test_a_factorial_inside_a_calculation_leaves_the_result() -> None:
    for text in ("5! = 120", "5!=120", "5!/(3!*2!) = 10 ways, and 10*12 = 120", "6!/6 = 120"):
        assert mc.read_solution(text).answer == 120, text


@pytest.mark.parametrize("answer", ["5 ± 2", "±5", "7C2", "5P2", "|5-7|", "5 mod 3"])
def test_an_operation_that_is_not_supported_is_not_dropped_from_the_answer(answer: str) -> None:
    with pytest.raises(mc.SolutionError, match="not one number"):
        mc.read_solution(f"3+4=7 #### {answer}")


@pytest.mark.parametrize(
    "answer",
    ["14 or 15", "between 14 and 15", "14 to 15 apples", "3 hours and 20 minutes", "x = 2 or x = 3", "2, 3",
     "Tom has 3 and Ann has 4", "$5 or about $6"],
)  # fmt: skip
@pytest.mark.parametrize("mark", ["#### {}", "The answer is {}.", "A: {}", "<answer>{}</answer>"])
def test_one_of_several_answers_is_not_chosen(mark: str, answer: str) -> None:
    with pytest.raises(mc.SolutionError, match="several numbers in the answer"):
        mc.read_solution("1+1=2; " + mark.format(answer) if "A:" not in mark else mark.format(answer))


def test_one_of_several_results_without_a_mark_is_not_chosen() -> None:
    with pytest.raises(mc.SolutionError, match="several numbers in the answer"):
        mc.read_solution("x^2-5x+6=0, so x = 2 or x = 3")


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("1/2 or 0.5", Fraction(1, 2)),
        ("72 clips in 2 months", 72),
        ("72 (48 in April and 24 in May)", 72),
        ("72, since 48+24=72", 72),
        ("72 or so", 72),
        ("1,000 and a bit", 1000),
    ],
)
def test_other_numbers_beside_the_answer_do_no_harm(answer: str, value: Fraction) -> None:
    assert mc.read_solution(f"The answer is {answer}").answer == value
