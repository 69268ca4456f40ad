"""Pictures of the benchmarks: bars, one colour for what is exactly right and one for what is not.

The picture is a card with a background of its own; its colours are those of a light or of a dark page.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from weaksup.report.palette import with_dark_colours

INK, FAINT, CARD = "#1f2933", "#52606d", "#f8fafc"
OURS, RIGHT, WRONG = "#0f766e", "#8fa3b8", "#e08a3c"
GRID = "#d9e2ec"
_DARK = {INK: "#e4e7eb", FAINT: "#b3bcc5", CARD: "#1a1f24", OURS: "#2aa79b", RIGHT: "#71859a", GRID: "#323f4b"}


class Bar(NamedTuple):
    label: str
    speed: float
    remark: str
    colour: str


def draw_mathcanon(results: dict[str, dict[str, Any]], path: Path) -> str:
    """Equivalence, dedupe and enumeration against peers, on a logarithmic scale; returns a text alternative."""
    listed = results["enumeration"]
    panels = {  # without the data there are no real pairs
        "Equivalence, mixed pairs: pairs per second": _equivalence(results["equivalence"], "mixed"),
        "Equivalence, real equations: pairs per second": _equivalence(results["equivalence"], "real"),
        "Dedupe: strings per second": _dedupe(results["dedupe"]),
        f"Enumeration, n = {_largest(listed)}: expressions per second": _enumeration(listed),
    }
    panels = {title: bars for title, bars in panels.items() if bars}
    _draw(panels, path, "log", {"mathcanon": OURS, "others, all answers right": RIGHT, "others, some wrong": WRONG})
    return "Bar chart, logarithmic scale. " + _words(panels)


def draw_training(result: dict[str, Any], path: Path) -> str:
    """Training of GTS against one stack per example; returns a text alternative."""
    training = result["training"]
    ways = {
        "ours, batches of similar length": ("ours", OURS),
        "one stack per example, the same batches": ("stacks", RIGHT),
        "one stack per example, shuffled batches": ("stacks_shuffled", RIGHT),
    }
    speeds = {way: training[key]["examples_per_cpu_second"] for way, (key, _) in ways.items()}
    most = max(speeds.values())
    bars = [Bar(way, speeds[way], f"(time {most / speeds[way]:.1f})", colour) for way, (_, colour) in ways.items()]
    title = f"Training GTS, hidden {result['hidden']}, batch {result['batch']}: examples per CPU-second"
    _draw({title: bars}, path, "linear", {"weaksup": OURS, "the same network in the shape of the public code": RIGHT})
    return "Bar chart. " + _words({title: bars})


def _draw(panels: dict[str, list[Bar]], path: Path, scale: str, legend: dict[str, str]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"font.size": 10, "svg.fonttype": "path", "svg.hashsalt": "mathcanon"})
    heights = [len(bars) + 1.1 for bars in panels.values()]
    tall = 0.36 * sum(heights) + 0.35
    figure, axes = plt.subplots(
        len(panels), 1, figsize=(8.6, tall), gridspec_kw={"height_ratios": heights}, facecolor=CARD, squeeze=False
    )
    for (title, bars), axis in zip(panels.items(), axes[:, 0], strict=True):
        _panel(axis, title, bars, scale)
    figure.legend(
        handles=[plt.Rectangle((0, 0), 1, 1, color=colour) for colour in legend.values()],
        labels=list(legend), loc="lower center", ncols=len(legend), frameon=False, labelcolor=INK,
    )  # fmt: skip
    figure.tight_layout(rect=(0, 0.35 / tall, 1, 1), h_pad=1.6)
    save(figure, path)
    plt.close(figure)


def save(figure: Any, path: Path) -> None:
    """Write a figure as SVG, for light and dark pages."""
    out = BytesIO()
    figure.savefig(out, format="svg", facecolor=CARD, metadata={"Date": None})
    path.write_text(with_dark_colours(out.getvalue().decode(), _DARK, ink=_DARK[INK]), encoding="utf-8")


def _panel(axis: Any, title: str, bars: list[Bar], scale: str) -> None:
    axis.set_facecolor(CARD)
    axis.barh([bar.label for bar in bars], [bar.speed for bar in bars], color=[bar.colour for bar in bars], height=0.72)
    axis.invert_yaxis()
    axis.set_xscale(scale)
    low, high = min(bar.speed for bar in bars) / 3, max(bar.speed for bar in bars)
    limits = (low, high * (high / low) ** 0.7) if scale == "log" else (0, 1.3 * high)
    axis.set_xlim(*limits)  # with room for the remarks
    axis.set_title(title, loc="left", color=INK, fontsize=11, fontweight="bold")
    axis.tick_params(axis="y", length=0, colors=INK)
    axis.tick_params(axis="x", which="both", length=0, colors=FAINT, labelsize=8)
    axis.grid(axis="x", color=GRID, linewidth=0.8)
    axis.set_axisbelow(True)
    for side in axis.spines.values():
        side.set_visible(False)
    for i, bar in enumerate(bars):
        words = f"{_rounded(bar.speed)}  {bar.remark}"
        axis.annotate(words, (bar.speed, i), (5, 0), textcoords="offset points", va="center", color=INK, fontsize=9)


def _equivalence(result: dict[str, Any], which: str) -> list[Bar]:
    bars = []
    for row in result["rows"]:
        if which in row.get("sets", {}):
            speed, right = row["sets"][which]["pairs_per_second"], row["sets"][which]["right_percent"]
            colour = OURS if row["build"] else RIGHT if right == 100 else WRONG
            bars.append(Bar(_built(row, "peer"), speed, f"({right:.3g}% right)", colour))
    return sorted(bars, key=lambda bar: -bar.speed)


def _dedupe(result: dict[str, Any]) -> list[Bar]:
    rows = [row for row in result["rows"] if "missing" not in row]
    bars = []
    for row in rows:
        colour = OURS if row["build"] else RIGHT if row["right"] else WRONG
        remark = f"({row['kept']:,} kept, right)" if row["right"] else f"({row['kept']:,} kept for {row['classes']:,})"
        bars.append(Bar(f"{_built(row, 'way')} ({row['set']})", row["strings_per_second"], remark, colour))
    return bars


def _enumeration(result: dict[str, Any]) -> list[Bar]:
    bars = []
    for row in result["rows"]:
        if row["n"] == _largest(result):
            colour = OURS if row["build"] else RIGHT
            remark = f"(needs {row['peak_bytes'] / 1e6:,.0f} MB)"
            bars.append(Bar(_built(row, "way"), row["per_second"], remark, colour))
    return bars


def _built(row: dict[str, Any], key: str) -> str:
    return f"{row[key]}, {row['build']}" if row["build"] else row[key]


def _largest(result: dict[str, Any]) -> int:
    """The largest n that was listed to the end."""
    return max(row["n"] for row in result["rows"] if row["found"] == row["of"])


def _rounded(speed: float) -> str:
    return f"{speed:.2g}" if speed < 100 else f"{round(speed, 2 - len(str(int(speed)))):,.0f}"


def _words(panels: dict[str, list[Bar]]) -> str:
    return " ".join(
        f"{title}: " + "; ".join(f"{bar.label} {_rounded(bar.speed)} {bar.remark}" for bar in bars) + "."
        for title, bars in panels.items()
    )
