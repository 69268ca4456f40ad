"""The page of disagreements in a real browser: text stays text, filters filter, and nothing sticks out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from weaksup.grading.disagreements import build_grades_page
from weaksup.grading.graded_records import GradeOptions, grade_records

from ..report.chromium import PROGRAM, Browser

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="chromium is not installed (Debian: apt install chromium)")

LINES = [
    '{"pred": "24*3=72 </script><script>document.title = 1</script> #### 72", "gold": "48/2=24; 48+24=72"}',
    '{"pred": "48/2=22, 48+22=70 <img src=http://example.invalid/x onerror=alert(1)> #### 70", "gold": "48+24=72"}',
    '{"pred": "' + "nothing" * 700 + '", "gold": "72"}',
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    options = GradeOptions()
    records = list(grade_records(enumerate(LINES, 1), options))
    tally = {"same-method": 7, "same-value": 1, "different": 1, "unreadable": 1}
    assert [record["grade"] for record in records] == ["same-value", "different", "unreadable"]
    page = tmp_path_factory.mktemp("page") / "page.html"
    page.write_text(build_grades_page("a<b>.jsonl", options, tally, records), "utf-8")
    with Browser(tmp_path_factory.mktemp("profile")) as browser:
        browser.open(page.as_uri())
        yield browser


def shown(browser: Browser) -> list[str]:
    cards = "[...document.querySelectorAll('.example')]"
    found: list[str] = browser.run(f"{cards}.filter((card) => card.offsetHeight).map((card) => card.classList[1])")
    return found


def test_nothing_is_run_or_fetched(browser: Browser) -> None:
    assert browser.run("document.title") == "Grades: a<b>.jsonl"
    assert len(browser.requests) == 1 and browser.complaints == []
    assert "<script>document.title" in browser.run("document.querySelector('.written').textContent")


def test_the_filters_choose_a_grade(browser: Browser) -> None:
    assert shown(browser) == ["same-value", "different", "unreadable"]
    for grade in ("different", "unreadable", "same-value"):
        browser.run(f"document.getElementById('only-{grade}').click()")
        assert shown(browser) == [grade]
    browser.run("document.getElementById('all').click()")
    assert len(shown(browser)) == 3


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_fits_the_screen(width: int, dark: bool, browser: Browser) -> None:
    browser.resize(width, 900, dark=dark)
    assert browser.run("document.documentElement.scrollWidth") == width
