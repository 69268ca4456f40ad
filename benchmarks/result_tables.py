"""The tables and the chart of docs/results.md, made from the tables that `python benchmarks/reproduce` writes.

Each function returns Markdown.  A row whose run has not been recorded is left out, so a page never shows an empty cell;
once the record is there, `python benchmarks/run.py --only chart --only tables` adds the row.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from measure import RESULTS
from reproduce.chart import Bar, bar_chart

from weaksup.report.published import CHECKER

__all__ = [
    "answers_by_size",
    "baselines",
    "behind_gold",
    "draw_headline",
    "headline",
    "labels",
    "labels_by_size",
    "rankers",
    "solvers",
]

Row = dict[str, Any]

_TEST, _PAPER, _VALID, _VALID_PAPER = "test, here", "test, paper", "valid, here", "valid, paper"
_WITH, _WITH_BOTH = ", with answer model", ", with both models"
_OURS, _THEIRS, _GOLD = "ours (EM with drafts)", "the paper's method (Beam Ranker)", "supervised"
#: How rows of main-results.json end that are no solver of `solvers`: columns of it, and another budget.
_NOT_ALONE = (_WITH, _WITH_BOTH, ", published settings")
#: What the rows of `headline` are called: by the title of the part and the name of the row in main-results.json.
_HEADLINE = {
    ("GTS", _THEIRS): "answers alone, the paper's method",
    ("GTS", _OURS): "answers alone, our method (`em`)",
    ("GTS", _GOLD): "gold equations",
    ("G2T", _THEIRS): "answers alone, the paper's method, G2T",
    ("G2T", _OURS): "answers alone, our method (`em`), G2T",
    ("G2T", _GOLD): "gold equations, G2T",
}
_LABELS = {_THEIRS: "Beam Ranker (all data)", _OURS: "EM with drafts (all data)"}


def headline() -> str:
    """Test answers of solvers trained by the paper's method, by ours and on gold; how many labels are right."""
    right = _rows("equation-accuracy", 1)
    lines = []
    for (solver, name), shown in _HEADLINE.items():
        rows = _by_title("main-results")[solver]
        if name in rows and _known(rows[name], _TEST):
            known = solver == "GTS" and name in _LABELS  # other solvers may have learnt from other labels
            seeds = _seeds(rows[name], _TEST)
            correct = _shown(right[_LABELS[name]], "`value`", spread=False, beside=seeds) if known else ""
            ways = (rows[name], *(_helped(rows, name, way) for way in (_WITH, _WITH_BOTH)))
            answers = [_shown(way, _TEST, beside=seeds) for way in ways]
            lines.append([shown, str(seeds), correct, *answers, _shown(rows[name], _PAPER)])
    of_answers = ["test answers", "with answer model", "with both models", "the paper's test answers"]
    return _table(["solver trained on", "seeds", "labels right", *of_answers], lines, text=1)


def draw_headline() -> tuple[str, str]:
    """The chart of the headline as SVG, and its text alternative."""
    rows = _by_title("main-results")["GTS"]
    ablation = _rows("ablation", 0)
    weak = {"any candidate": ablation["w/o ranking"], "Basic Ranker": ablation["w/o beam search (Basic Ranker)"]}
    bars = [_bar(name, row, None) for name, row in weak.items()]
    for name, shown in ((_THEIRS, "Beam Ranker (paper)"), (_OURS, "em (ours)"), (_GOLD, "gold equations")):
        bars.append(_bar(shown, rows[name], _helped(rows, name, _WITH), is_gold=name == _GOLD))
    title = "Test answers right on Math23K, GTS, %"
    legend = ("decoder alone", "gain from the answer model", "published")
    told = "; ".join(
        f"{bar.name} {bar.shown}" + (f", the paper {bar.published:.1f}" if bar.published else "") for bar in bars
    )
    return bar_chart(title, bars, legend=legend), f"Bar chart. {title}: {told}."


def _bar(name: str, row: Row, answered: Row | None, *, is_gold: bool = False) -> Bar:
    alone = row["cells"][_TEST]["value"]
    helped = None if answered is None else answered["cells"][_TEST]["value"]
    shown = f"{alone:.1f}" if helped is None else f"{alone:.1f}, with answer model {helped:.1f}"
    return Bar(name, alone, shown, is_gold, extended=helped, published=row["cells"][_PAPER].get("value"))


def solvers() -> str:
    """Every solver that has been trained at the middle budget."""
    lines = []
    for solver in ("GTS", "G2T"):
        rows = _by_title("main-results")[solver]
        for name, row in rows.items():
            if _known(row, _TEST) and not name.startswith(("WARM", "LBF")) and not name.endswith(_NOT_ALONE):
                seeds = _seeds(row, _TEST)
                ways = (row, _helped(rows, name, _WITH), _helped(rows, name, _WITH_BOTH))
                answers = [_shown(way, part, beside=seeds) for way in ways for part in (_VALID, _TEST)]
                lines.append([f"{solver}, {name}", str(seeds), *answers, _shown(row, _PAPER)])
    heads = [f"{part}{way}" for way in ("", ", answer model", ", both models") for part in ("valid", "test")]
    head = ["", "seeds", *heads, "test, paper"]
    return _table(head, lines, text=1)


def labels() -> str:
    """Labels of the train part that are right, by ranker."""
    parts = {"plan `paper`": 1, "plan `full`": 2}
    lines = []
    for plan, part in parts.items():
        for name, row in _rows("equation-accuracy", part).items():
            if not name.endswith("(all data)") or not _known(row, "`value`"):
                continue
            ranker = name.removesuffix(" (all data)")
            if ranker == "EM with drafts":  # the first part has the newest, which is on the candidates of plan full
                if part == 2:
                    continue
                ranker, of = "EM with drafts (ours)", "plan `full`"
            else:
                of = plan
            shown = [_shown(row, column) for column in ("`value`", "`structure`", "paper")]
            lines.append([of, ranker, *shown])
    lines.sort(key=lambda line: line[0] != "plan `paper`")
    head = ["candidates", "ranker", "by `value`", "by `structure`", "the paper, own checker"]
    return _table(head, lines, text=2) + f"\n{CHECKER}\n"


def labels_by_size() -> str:
    """Right labels of the train part by number of quantities, of all labels and of all problems."""
    return _by_size(_parts("by-quantities")[:2], ("micro", "macro")) + f"\n{CHECKER}\n"


def behind_gold() -> str:
    """Solvers trained on answers alone and on gold with the same seeds, valid and test as one."""
    columns = ("ours, %", "gold, %", "points behind gold")
    rows = [(name, row) for name, row in _rows("oracle-test", 2).items() if all(_known(row, one) for one in columns)]
    lines = [[name, str(_seeds(row, columns[0])), *(_shown(row, one) for one in columns)] for name, row in rows]
    return _table(["", "seeds", "answers alone", "gold", "points behind gold"], lines, text=1)


def answers_by_size() -> str:
    """Test answers by number of quantities."""
    return _by_size(_parts("by-quantities")[2:3], ("test answers",))


def _by_size(parts: Sequence[Any], shares: Sequence[str]) -> str:
    sizes = [row["name"] for row in parts[0]["rows"]]
    lines = []
    for part, share in zip(parts, shares, strict=True):
        for method in part["rows"][0]["cells"]:
            cells = [row["cells"][method] for row in part["rows"]]
            if "value" in cells[0] and not method.startswith("LBF"):  # the table of baselines has it
                name = f"{share}, {method}" if len(parts) > 1 else method
                lines.append([name, *[f"{cell['value']:.1f}" for cell in cells]])
    return _table(["quantities", *sizes], lines, text=1)


def rankers() -> str:
    """The rankers of the paper on its own candidates, then all rankers on those of plan `full`; answers in percent."""
    lines = []
    for plan, part in (("`paper`, 24 epochs", 0), ("`full`, 6 epochs", 1)):
        for name, row in _rows("ablation", part).items():
            if _known(row, _TEST):
                plan = "`full`, 24 epochs" if name.startswith("ours") and part == 0 else plan
                plan = "all problems, 24 epochs" if name.startswith("gold, all") else plan
                shown = [_shown(row, column) for column in ("labels, here", _VALID, _TEST, _PAPER)]
                lines.append([plan, name.removesuffix(", plan `full`"), *shown])
    return _table(["plan and budget", "labels by", "labels", "valid", "test", "test, paper"], lines, text=2)


def baselines() -> str:
    """What LBF and WARM find on the train part, and how well they answer."""
    epochs = {run["run"]: _epochs(run) for run in _read("baselines")["runs"]}
    columns = ("recall, here", "recall, paper", "micro, here", "macro, here", _VALID, _TEST, _PAPER)
    lines = [
        [name, epochs[row["run"]], *[_shown(row, column) for column in columns]]
        for name, row in _rows("baselines", 0).items()
        if _known(row, _TEST)
    ]
    head = ["", "epochs", "recall", "recall, paper", "micro", "macro", "valid", "test", "test, paper"]
    return _table(head, lines, text=1)


def _epochs(run: dict[str, Any]) -> str:
    """Those of the solver, which is trained last."""
    return f"{run['models'][-1]['epochs']:g}" if run["models"] else ""


# --- reading the tables -----------------------------------------------------------------------------------------------


def _read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / "reproduce" / f"{name}.json").read_text(encoding="utf-8"))
    return found


def _parts(name: str) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = _read(name)["parts"]
    return parts


def _rows(name: str, part: int) -> dict[str, Row]:
    return {row["name"]: row for row in _parts(name)[part]["rows"]}


def _by_title(name: str) -> dict[str, dict[str, Row]]:
    return {part["title"]: {row["name"]: row for row in part["rows"]} for part in _parts(name)}


def _helped(rows: dict[str, Row], name: str, way: str) -> Row | None:
    """The row of the same solver with answer model, or with both models."""
    return rows.get(name.removesuffix(" (Beam Ranker)") + way)


def _known(row: Row, column: str) -> bool:
    return "value" in row["cells"][column]


def _shown(row: Row | None, column: str, *, spread: bool = True, beside: int | None = None) -> str:
    """A cell on one line; nothing for a figure that is not there.

    With `beside`, the number of seeds that its row states, it has its own number of seeds in brackets if that differs.
    """
    if row is None or not _known(row, column):
        return ""
    cell, seeds = row["cells"][column], _seeds(row, column)
    shown = str(cell["shown"]).partition(" (")[0] if spread else f"{cell['value']:.1f}"
    shown += "" if beside in (None, seeds) else f" ({seeds})"
    return shown.replace(" ", "\u00a0")


def _seeds(row: Row, column: str) -> int:
    return len(row["cells"][column].get("seeds", [])) or 1


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], *, text: int) -> str:
    """A Markdown table whose first `text` columns are words and whose others are numbers, right-aligned."""
    rules = ["---"] * text + ["---:"] * (len(head) - text)
    return "".join("| " + " | ".join(line) + " |\n" for line in (head, rules, *rows))
