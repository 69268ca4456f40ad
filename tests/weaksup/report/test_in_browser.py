"""The page in a real browser: nothing leaves it, nothing complains, filters filter, tables sort, text stays text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from weaksup.report import write_report
from weaksup.report.shown_problems import ShownExample
from weaksup.storage.json_lines import read_records, write_records
from weaksup.storage.run_files import EXAMPLES

from .chromium import PROGRAM, Browser
from .synthetic_run import write_run

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="chromium is not installed (Debian: apt install chromium)")

EVIL = "<script>window.evil = 1</script><img src=http://example.invalid/x onerror='window.evil = 2'> 'tis 3"
CARDS = "[...document.querySelectorAll('#examples .example')]"


class Report:
    """A report that is open in a browser."""

    def __init__(self, browser: Browser, url: str, examples: list[ShownExample]) -> None:
        self.browser, self.url, self.examples = browser, url, examples

    def filter(self, **values: str) -> int:
        """How many examples are left after these filters alone."""
        wanted = {"text": "", "quantities": "", "stage": "", "candidates": "", "verdict": ""} | values
        for name, value in wanted.items():
            field = f"document.querySelector('#filters [name={name}]')"
            self.browser.run(f"{field}.value = {_js(value)}; {field}.value")
        self.browser.run("document.querySelector('#filters').dispatchEvent(new Event('input', {bubbles: true}))")
        text: str = self.browser.run("document.querySelector('#shown').textContent")
        return int(text.rpartition(" of ")[2].replace(",", "")) if " of " in text else 0

    def cards(self, what: str) -> list[Any]:
        found: list[Any] = self.browser.run(f"{CARDS}.map((card) => {what})")
        return found


def _js(value: Any) -> str:
    return msgspec.json.encode(value).decode()


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Report]:
    folder = write_run(tmp_path_factory.mktemp("run"), size=60)
    examples = list(read_records(folder / EXAMPLES, ShownExample))
    evil = replace(examples[0], id="evil", text=EVIL, marks=[(len(EVIL) - 1, len(EVIL))], gold=EVIL, label=EVIL)
    examples.append(evil)
    write_records(folder / EXAMPLES, examples)
    with Browser(tmp_path_factory.mktemp("profile")) as browser:
        report = Report(browser, write_report(folder).as_uri(), examples)
        browser.open(report.url)
        yield report


@pytest.fixture
def report(opened: Report) -> Report:
    """The page as the test before left it, but for its filters: `filter` sets them all."""
    opened.browser.resize(1280, 900)
    return opened


@pytest.fixture
def fresh(opened: Report) -> Iterator[Report]:
    """The page as it is when it is opened."""
    opened.browser.resize(1280, 900)
    opened.browser.open(opened.url)
    yield opened
    opened.browser.run("localStorage.clear()")  # where the page remembers dark or light
    opened.browser.open(opened.url)


def test_nothing_leaves_the_page_and_nothing_complains(fresh: Report) -> None:
    fresh.filter(text="evil")
    fresh.filter(verdict="wrong")
    fresh.browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    fresh.browser.run("document.querySelectorAll('button').forEach((b) => b.click())")
    fresh.browser.run("new Promise((done) => setTimeout(done, 100))")
    assert fresh.browser.requests == [fresh.url]
    assert fresh.browser.complaints == []


def test_the_policy_stops_whatever_would_ask_for_something(report: Report) -> None:
    image = "const i = new Image(); i.onerror = () => done('stopped'); i.src = 'http://127.0.0.1:9/x';"
    assert report.browser.run(f"new Promise((done) => {{ {image} }})") == "stopped"
    assert report.browser.run("fetch('http://127.0.0.1:9/x').then(() => 'sent', () => 'stopped')") == "stopped"
    assert any("Content Security Policy" in complaint for complaint in report.browser.complaints)


def test_a_script_in_a_problem_stays_text(report: Report) -> None:
    assert report.filter(text="window.evil") == 1
    assert report.cards("card.querySelector('.text').firstChild.textContent") == [EVIL[:-1]]
    assert report.cards("card.querySelectorAll('script, img').length") == [0]
    assert report.browser.run("window.evil === undefined")


@pytest.mark.parametrize("size", ["1", "3", "6"])
def test_the_filter_of_quantities(report: Report, size: str) -> None:
    assert report.filter(quantities=size) == sum(min(e.quantities, 6) == int(size) for e in report.examples) > 0
    assert all(
        int(n) >= 6 if size == "6" else n == size for n in report.cards("card.querySelectorAll('mark').length + ''")
    )


def test_the_filters_of_stage_candidates_and_label(report: Report) -> None:
    assert report.filter(stage="all") == sum(e.stage == "all" for e in report.examples) > 0
    assert report.filter(candidates="1") == sum(e.candidates == 1 for e in report.examples) > 0
    assert report.filter(candidates="2") == sum(e.candidates > 1 for e in report.examples) > 0
    for word in ("right", "wrong"):
        assert report.filter(verdict=word) == sum(e.right is (word == "right") for e in report.examples) > 0
        assert set(report.cards("card.querySelector('.verdict').textContent")) == {word}
    both = [e for e in report.examples if e.candidates > 1 and e.right is False and e.quantities == 3]
    assert report.filter(candidates="2", verdict="wrong", quantities="3") == len(both)


def test_the_search_finds_words_in_any_order_case_and_width(report: Report) -> None:
    first = report.examples[1]
    words = first.text.split()[:4]
    assert report.filter(text=" ".join(reversed(words)).upper()) >= 1
    assert report.filter(text=first.id) == 1
    assert report.filter(text="".join(chr(ord(c) + 0xFEE0) for c in first.id)) == 1  # full-width
    assert report.filter(text="no problem has this") == 0
    assert report.browser.run("document.querySelector('#shown').textContent") == "Nothing fits these filters."


def test_pages_turn(report: Report) -> None:
    assert report.filter() == len(report.examples)
    assert len(report.cards("1")) == 10
    turn = "document.querySelectorAll('#examples [data-turn=\"{}\"]')[1]"
    report.browser.run(turn.format(1) + ".click()")
    text = report.browser.run("document.querySelector('#shown').textContent")
    assert text == f"11 to 20 of {len(report.examples)}"
    assert report.cards("card.querySelectorAll('h3 span')[1].textContent")[0] == report.examples[10].id
    report.browser.run(turn.format(-1) + ".click()")
    assert report.browser.run(turn.format(-1) + ".disabled") is True


def test_an_example_shows_its_candidates_and_its_tree(report: Report) -> None:
    example = max(report.examples, key=lambda e: (len(e.shown), e.id))
    assert report.filter(text=example.id) == 1
    rows = "[...card.querySelectorAll('tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"
    assert len(report.cards(rows)[0]) == 5
    left = f"{CARDS}[0].querySelector('.more').textContent"
    # On paper there is no button, so the number is that of all that is not on the page.
    assert report.browser.run(left) == f"{example.candidates - 5:,} further candidates are not shown."
    report.browser.run(f"{CARDS}[0].querySelector('.rest').click()")
    assert report.browser.run(left) == f"{example.candidates - len(example.shown):,} further candidates are not shown."
    (shown,) = report.cards(rows)
    assert [row[0].removesuffix("picked") for row in shown] == [c.equation for c in example.shown]
    assert [row[0].endswith("picked") for row in shown] == [True] + [False] * (len(shown) - 1)
    assert [row[3] for row in shown] == ["right" if c.right else "wrong" for c in example.shown]
    assert report.cards("card.querySelector('.tree svg title').textContent") == [example.expr]
    assert report.cards("card.querySelector('.tree svg').getBoundingClientRect().height > 40") == [True]
    marks = "[...card.querySelectorAll('mark')].map((m) => m.firstChild.textContent)"
    assert report.cards(marks) == [[example.text[start:end] for start, end in example.marks]]


def test_tables_are_sorted_by_mouse_and_by_keyboard(report: Report) -> None:
    head = "document.querySelector('#solvers table').tHead.rows[0].cells[{}]"
    values = "[...document.querySelector('#solvers table').tBodies[0].rows].map((row) => row.cells[{}].textContent)"
    answers = 1
    before = report.browser.run(values.format(answers))
    report.browser.run(head.format(answers) + ".querySelector('button').click()")
    assert report.browser.run(head.format(answers) + ".getAttribute('aria-sort')") == "descending"
    found = [float(text.split()[0]) for text in report.browser.run(values.format(answers))]
    assert found == sorted(found, reverse=True)
    report.browser.run(head.format(answers) + ".querySelector('button').focus()")
    report.browser.press("Enter", 13)
    assert report.browser.run(head.format(answers) + ".getAttribute('aria-sort')") == "ascending"
    found = [float(text.split()[0]) for text in report.browser.run(values.format(answers))]
    assert found == sorted(found) and len(found) == len(before)
    report.browser.run(head.format(0) + ".querySelector('button').click()")
    assert report.browser.run(head.format(answers) + ".getAttribute('aria-sort')") == "none"
    names = [text.split()[0] for text in report.browser.run(values.format(0))]
    assert names == sorted(names)


def test_what_is_unknown_is_sorted_last_either_way(report: Report) -> None:
    head = "document.querySelector('#solvers table').tHead.rows[0].cells[6].querySelector('button')"
    last = "document.querySelector('#solvers table').tBodies[0].rows[5].cells[6].textContent"
    for _ in range(2):
        report.browser.run(head + ".click()")
        assert report.browser.run(last) == "–"


@pytest.mark.parametrize("width", [360, 390, 768, 1280])
def test_the_page_is_no_wider_than_the_screen(report: Report, width: int) -> None:
    report.browser.resize(width, 844)
    assert report.browser.run("document.documentElement.scrollWidth") <= width
    wide = "[...document.querySelectorAll('svg.chart')].filter((c) => c.checkVisibility())"
    assert report.browser.run(f"{wide}.length") == 7
    assert report.browser.run(f"Math.max(...{wide}.map((c) => c.getBoundingClientRect().right))") <= width
    # The letters of charts are readable: never drawn smaller than 10 pixels.
    scale = f"{wide}.map((c) => c.getBoundingClientRect().width / c.viewBox.baseVal.width)"
    assert min(report.browser.run(scale)) * 12 >= 10
    stages = "[...document.querySelectorAll('.stage span')].filter((part) => part.textContent.includes('-'))"
    assert {*report.browser.run(f"{stages}.map((part) => part.getClientRects().length)")} == {1}  # each on one line


def test_dark_and_light_follow_the_system_and_the_button(fresh: Report) -> None:
    back = "getComputedStyle(document.body).backgroundColor"
    light = fresh.browser.run(back)
    fresh.browser.resize(1280, 900, dark=True)
    dark = fresh.browser.run(back)
    assert dark != light
    fresh.browser.run("document.querySelector('#theme').click()")
    assert fresh.browser.run(back) == light
    fresh.browser.resize(1280, 900)
    fresh.browser.run("document.querySelector('#theme').click()")
    assert fresh.browser.run(back) == dark
    fresh.browser.resize(794, 1123, media="print")
    assert fresh.browser.run(back) == "rgb(255, 255, 255)"


def test_it_prints(report: Report) -> None:
    pdf = report.browser.pdf()
    assert pdf.startswith(b"%PDF") and 3 <= pdf.count(b"/Type /Page\n") <= 20


def test_paper_has_no_buttons_and_nothing_to_fold_out(fresh: Report) -> None:
    fresh.browser.resize(794, 1123, media="print")
    seen = "[...document.querySelectorAll('{}')].filter((e) => e.checkVisibility()).length"
    for idle in ("nav, form, select, .pager, #theme, .rest", "summary", "#settings"):
        assert fresh.browser.run(seen.format(idle)) == 0, idle
    assert (
        fresh.browser.run(seen.format("svg.chart")) == 7 and fresh.browser.run(seen.format("#examples .example")) == 10
    )
    fresh.browser.run("document.querySelector('#settings details').open = true")
    assert fresh.browser.run(seen.format("#settings")) == 1


def test_predictions_are_filtered_by_their_verdict(opened: Report) -> None:
    browser = opened.browser
    count = "document.querySelector('#prediction-shown').textContent"
    verdicts = "[...document.querySelectorAll('#predictions .verdict')].map((mark) => mark.textContent)"
    select = "document.querySelector('#prediction-filters [name=verdict]')"
    total = 0
    for value, word in (("right", "right"), ("match", "false match"), ("wrong", "wrong"), ("none", "no prediction")):
        browser.run(f"{select}.value = {_js(value)}; {select}.dispatchEvent(new Event('input', {{bubbles: true}}))")
        assert set(browser.run(verdicts)) == {word}
        total += int(browser.run(count).rpartition(" of ")[2])
    browser.run(f"{select}.value = ''; {select}.dispatchEvent(new Event('input', {{bubbles: true}}))")
    assert int(browser.run(count).rpartition(" of ")[2]) == total
