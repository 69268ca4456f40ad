"""The certificate: it holds, and it would notice if it did not."""

import pytest

import mathcanon as mc
from mathcanon import proof


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_proved(n: int) -> None:
    result = mc.prove(n)
    assert result, str(result)
    assert len(result.checks) == 5
    assert str(result).endswith(f"proved for n = {n}")


@pytest.mark.slow
def test_proved_for_six() -> None:
    assert mc.prove(6)


def test_a_missing_form_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "expressions", lambda operands: list(mc.expressions(operands))[1:])
    assert [check.holds for check in mc.prove(3).checks] == [False, True, True, False, True]


def test_a_form_listed_twice_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "expressions", lambda operands: [*mc.expressions(operands), mc.parse("a+b+c")])
    assert [check.holds for check in mc.prove(3).checks][:2] == [False, False]


def test_a_wrong_law_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = proof.CANONICAL.sum

    def plus_for_minus(terms: list) -> object:  # type: ignore[type-arg]
        return right([(1, part) for _, part in terms])

    wrong = mc.Algebra(
        operand=proof.CANONICAL.operand,
        number=proof.CANONICAL.number,
        sum=plus_for_minus,
        product=proof.CANONICAL.product,
        power=proof.CANONICAL.power,
    )
    monkeypatch.setattr(proof, "CANONICAL", wrong)
    assert [check.holds for check in mc.prove(3).checks] == [True, True, True, False, False]


def test_progress_ends_with_all_trees() -> None:
    seen: list[tuple[int, int]] = []
    mc.prove(4, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (7680, 7680)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_limits() -> None:
    with pytest.raises(mc.LimitError):
        mc.prove(9)
    with pytest.raises(ValueError):
        mc.prove(0)
