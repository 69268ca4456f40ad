"""The page as text: self-contained, safe, small, and the same every time."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from weaksup.errors import DataError, WeakSupError
from weaksup.measure.metrics import Metrics
from weaksup.report import RunNumbers, build_page, write_report
from weaksup.report.browser import Trees, text_parts
from weaksup.report.shown_problems import ShownCandidate, ShownExample
from weaksup.storage.run_files import EXAMPLES, METRICS, TEST_EXAMPLES

from .synthetic_run import metrics, write_run

SIZE = 60
EVIL = "</script><script>alert(1)</script><!--<script>&amp;\u2028 ]]>"


class Elements(HTMLParser):
    """Every element of a page with its attributes, and the text of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.raw: list[tuple[str, str]] = []
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside in ("script", "style"):
            self.raw.append((self._inside, data))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def evil_example() -> ShownExample:
    return ShownExample(
        id=EVIL,
        text=f"3 {EVIL} 4",
        marks=[(0, 1), (len(EVIL) + 3, len(EVIL) + 4)],
        quantities=2,
        answer=EVIL,
        gold=EVIL,
        stage=EVIL,
        candidates=1,
        shown=[ShownCandidate(equation=EVIL, expr="N0+N1", stage=EVIL, posterior=1.0, right=True)],
        label=EVIL,
        expr="N0+N1",
        posterior=1.0,
        right=True,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("run"), size=SIZE)


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    return write_report(folder).read_text("utf-8")


def test_the_same_files_give_the_same_bytes(folder: Path, page: str) -> None:
    assert write_report(str(folder)) == folder / "report.html"
    assert (folder / "report.html").read_text("utf-8") == page
    assert sorted(path.name for path in folder.iterdir()) == [EXAMPLES, TEST_EXAMPLES, METRICS, "report.html"]


def test_the_page_refers_to_nothing_outside(page: str) -> None:
    elements = Elements(page)
    assert not elements.all("link") and not elements.all("img") and not elements.all("iframe")
    for tag, attributes in elements.found:
        assert not attributes.get("src") and (attributes.get("href") or "#").startswith("#"), tag
        assert not [name for name in attributes if name.startswith("on") or name == "style"], tag
    outside = set(re.findall(r"https?://[^\s\"'<>]+", page)) - {"http://www.w3.org/2000/svg"}
    assert outside == set()
    assert "@import" not in page and "url(" not in page


def test_the_policy_allows_this_style_and_this_script_only(page: str) -> None:
    elements = Elements(page)
    (policy,) = [meta["content"] for meta in elements.all("meta") if "http-equiv" in meta]
    hashes = dict(re.findall(r"(style|script)-src '(sha256-[^']+)'", policy or ""))
    inline = {tag: text for tag, text in elements.raw if not text.startswith("[")}
    for tag in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(inline[tag].encode()).digest()).decode()
        assert hashes[tag] == f"sha256-{digest}"
    assert policy and policy.startswith("default-src 'none'; ") and "unsafe" not in policy


def test_the_script_neither_parses_html_nor_evaluates() -> None:
    import weaksup.report

    script = (Path(weaksup.report.__file__).parent / "templates" / "report.js").read_text("utf-8")
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|Function\(|fetch|XMLHttp", script
    )


def test_text_of_problems_can_not_leave_its_place() -> None:
    page = build_page(RunNumbers(metrics(size=SIZE), [evil_example()]))
    elements = Elements(page)
    assert len(elements.all("script")) == 3
    assert "alert(1)</script>" not in page and "<!--<" not in page
    (data,) = [text for tag, text in elements.raw if text.startswith("[{")]
    (example,) = json.loads(data)
    assert example["id"] == EVIL and "".join(part for part, _ in example["parts"]) == f"3 {EVIL} 4"


def test_names_and_settings_are_escaped() -> None:
    run = metrics(size=SIZE)
    arm = replace(run.arms[0], name=EVIL, about=EVIL)
    page = build_page(
        RunNumbers(replace(run, config={EVIL: EVIL, "data": EVIL}, split=EVIL, examples_rule=EVIL, arms=[arm]), [])
    )
    assert len(Elements(page).all("script")) == 3 and "alert(1)</script>" not in page


def test_ids_are_unique_and_references_exist(page: str) -> None:
    elements = Elements(page)
    ids = [attributes["id"] for _, attributes in elements.found if attributes.get("id")]
    assert len(ids) == len(set(ids))
    for _, attributes in elements.found:
        for name in ("aria-labelledby", "aria-describedby"):
            assert set((attributes.get(name) or "").split()) <= set(ids)
        if (attributes.get("href") or "").startswith("#"):
            assert (attributes["href"] or "")[1:] in ids


def test_every_chart_has_a_title_a_description_and_numbers(page: str) -> None:
    charts = re.findall(r'<svg class="chart".*?</svg>', page, re.DOTALL)
    assert len(charts) == 14  # seven, wide and narrow
    for chart in charts:
        assert 'role="img"' in chart and re.search(r"<title [^>]*>[^<]+</title><desc [^>]*>[^<]{20,}</desc>", chart)
    for key in ("distribution", "oracle", "arm-sizes", "accuracy", "loss"):
        (figure,) = re.findall(rf'<figure id="figure-{key}">.*?</figure>', page, re.DOTALL)
        assert "<table" in figure


def test_math23k_has_the_paper_beside_it_and_other_data_have_not(page: str) -> None:
    assert "The paper reports Math23K only: it has no figures for stories." in page
    assert "paper (Math23K)" not in page
    other = build_page(RunNumbers(metrics("math23k", size=SIZE), []))
    assert "paper (Math23K) 60.0% GTS" in other and "paper (Math23K) 94.5%" in other
    assert "it has no figures" not in other


def test_a_run_without_gold_arms_or_examples_is_a_page_too() -> None:
    bare = Metrics(config={}, split="", sizes={}, covered=0, distribution={}, arms=[])
    page = build_page(RunNumbers(bare, []))
    assert "unnamed data" in page and "no gold equations" in page
    run = metrics(size=SIZE)
    arms = [replace(arm, runs=[replace(run, oracle=None, calibration=[]) for run in arm.runs[:1]]) for arm in run.arms]
    page = build_page(RunNumbers(replace(run, candidates=None, arms=arms), []))
    assert "no gold equations" in page and "±" not in page


def test_a_thousand_examples_stay_within_a_few_megabytes(folder: Path) -> None:
    examples = [msgspec.json.decode(line, type=ShownExample) for line in (folder / EXAMPLES).read_bytes().splitlines()]
    many = [replace(examples[i % len(examples)], id=f"p{i}", text="很" * 200) for i in range(1000)]
    assert len(build_page(RunNumbers(metrics(size=SIZE), many)).encode()) < 3_000_000


def test_each_tree_is_drawn_once_without_a_style_of_its_own() -> None:
    trees = Trees()
    assert [trees.place(expr) for expr in ("N0+N1", "N0*N1", "N0+N1", "N0+", "+".join(["N0"] * 500))] == [
        0,
        1,
        0,
        None,
        None,
    ]
    assert len(trees.drawn) == 2
    assert all(svg.startswith("<svg") and "<style" not in svg for svg in trees.drawn)


def test_marks_are_counted_in_characters_and_bad_ones_are_left_out() -> None:
    text = "𝟛𝟜 apples 5"
    assert text_parts(text, [(10, 11), (0, 2)]) == [("𝟛𝟜", 1), (" apples ", None), ("5", 0)]
    assert text_parts("abc", [(0, 2), (1, 3), (2, 9), (1, 1)]) == [("ab", 0), ("c", None)]
    assert text_parts("", []) == []


# --- what can be wrong ------------------------------------------------------------------------------------------------


def test_a_missing_file_is_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"metrics\.json: no such file: this is not the folder"):
        write_report(tmp_path)
    (tmp_path / METRICS).write_bytes((folder / METRICS).read_bytes())
    with pytest.raises(DataError, match=r"examples\.jsonl: cannot be read: No such file"):
        write_report(tmp_path)
    assert not (tmp_path / "report.html").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "not the metrics of a run: Input data was truncated"),
        (b"[]", "not the metrics of a run: Expected `object`"),
        (b"\xff", "not the metrics of a run"),
        (b'{"covered": "x"}', "not the metrics of a run"),
        (b'{"arms": 3}', "not the metrics of a run: Expected `array`, got `int`"),
    ],
)
def test_damaged_metrics_are_named(folder: Path, tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / METRICS).write_bytes(content)
    with pytest.raises(DataError, match=rf"metrics\.json: {message}"):
        write_report(tmp_path)


@pytest.mark.parametrize(
    ("good", "bad", "place"),
    [
        ('"answer_accuracy":', '"answer_accuracy": 7, "was":', "answer_accuracy"),
        ('"labels":', '"labels": -5, "was":', "labels"),
        ('"loss":', '"loss": null, "was":', "loss"),
        ('"loss":', '"loss": NaN, "was":', "JSON is malformed"),
        ('"loss":', '"loss": 1e999, "was":', "loss"),
    ],
)
def test_numbers_that_no_run_has_are_named(folder: Path, tmp_path: Path, good: str, bad: str, place: str) -> None:
    text = (folder / METRICS).read_text()
    assert good in text
    (tmp_path / METRICS).write_text(text.replace(good, bad, 1))
    with pytest.raises(DataError, match=rf"metrics\.json: not the metrics of a run: .*{place}"):
        write_report(tmp_path)


@pytest.mark.parametrize("which", [0, 3])
def test_an_arm_without_runs_is_a_row_of_dashes(which: int) -> None:
    run = metrics(size=SIZE)
    arms = [replace(arm, runs=[]) if i == which else arm for i, arm in enumerate(run.arms)]
    page = build_page(RunNumbers(replace(run, arms=arms), []))
    (row,) = re.findall(rf'<th scope="row">{arms[which].name}<small>.*?</tr>', page, re.DOTALL)
    assert row.count(">–</td>") == 6


def test_a_baseline_has_a_page_too() -> None:
    """It has not searched, so there is nothing to say of candidates."""
    found = metrics("math23k", size=SIZE, seeds=1)
    arm = replace(found.arms[0], name="lbf", about="learning by fixing")
    config = {"ranker": "lbf", "solver": "gts", "lbf": {"memory": True}}
    page = build_page(RunNumbers(replace(found, config=config, candidates=None, distribution={}, arms=[arm]), []))
    assert "There was no search." in page and "Recall of the labels" in page
    assert "paper (Math23K) 55.1% GTS" in page and "<dt>lbf.memory</dt><dd>yes</dd>" in page


def test_a_damaged_example_is_named_with_its_line(folder: Path, tmp_path: Path) -> None:
    (tmp_path / METRICS).write_bytes((folder / METRICS).read_bytes())
    lines = (folder / EXAMPLES).read_bytes().splitlines(keepends=True)
    (tmp_path / EXAMPLES).write_bytes(lines[0] + lines[1][:50] + b"\n" + lines[2])
    with pytest.raises(DataError, match=r"examples\.jsonl:2: not JSON"):
        write_report(tmp_path)


def test_metrics_of_another_version_are_refused(folder: Path, tmp_path: Path) -> None:
    found = msgspec.json.decode((folder / METRICS).read_bytes(), type=Metrics)
    (tmp_path / METRICS).write_bytes(msgspec.json.encode(replace(found, version=2)))
    with pytest.raises(DataError, match="weaksup/metrics 2, expected weaksup/metrics 1"):
        write_report(tmp_path)


def test_without_jinja_the_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(WeakSupError, match=r"the report needs jinja2: .*\[solver\]"):
        write_report(folder)
