"""Wilson's interval: its ends are the shares that a test of that share would just not reject."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaksup.measure.intervals import wilson_interval


@given(st.integers(1, 100_000).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_the_ends_are_as_far_from_the_share_as_a_test_allows(counts: tuple[int, int]) -> None:
    right, of = counts
    found = wilson_interval(right / of, of)
    assert found is not None
    low, high = found
    assert 0 <= low <= right / of + 1e-12 and right / of - 1e-12 <= high <= 1
    for end in found:
        deviation = sqrt(end * (1 - end) / of)
        assert abs(right / of - end) == pytest.approx(1.959964 * deviation, abs=1e-6)


def test_without_cases_there_is_no_interval() -> None:
    assert wilson_interval(None, 10) is None
    assert wilson_interval(0.5, 0) is None
