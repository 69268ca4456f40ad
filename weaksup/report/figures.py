"""The figures of the page: which numbers each one shows, its title, its summary in words, and its data as a table.

Every figure is drawn twice, for wide and for narrow screens; the style sheet shows one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import NamedTuple

from ..measure.calibration import Bin
from ..measure.metrics import Arm, ArmRun, TrainingRow
from ..measure.score import Score
from .by_size import size_rows
from .charts import Bar, Line, bar_chart, calibration_chart, line_chart
from .curves import arm_style, training_line
from .numbers_text import count_text, percent, spread_of
from .scales import Axis, category_axis, share_axis, value_axis
from .tables import Table, calibration_table, line_table, value_table

__all__ = [
    "Figure",
    "arm_size_figure",
    "calibration_figure",
    "distribution_figure",
    "merged_bins",
    "oracle_figure",
    "size_figure",
    "training_figures",
]

WIDE, NARROW = 480, 320

#: The upper ends of the groups in the distribution of candidates.
_GROUPS = (1, 2, 3, 4, 5, 10, 20, 50, 100, 500, 1000)


class Figure(NamedTuple):
    """A chart for the page."""

    key: str
    title: str
    summary: str  # what it shows, in words
    wide: str  # SVG
    narrow: str
    legend: tuple[Line, ...] = ()
    table: Table | None = None


def _figure(
    key: str,
    title: str,
    summary: str,
    draw: Callable[[str, int], str],
    legend: Sequence[Line] = (),
    table: Table | None = None,
) -> Figure:
    wide, narrow = draw(f"{key}-wide", WIDE), draw(f"{key}-narrow", NARROW)
    return Figure(key, title, summary, wide, narrow, tuple(legend), table)


def size_figure(candidates: Score | None, runs: Sequence[ArmRun]) -> Figure | None:
    """Recall, gold in set and accuracies by number of quantities; no data table, as the page has one already."""
    rows = [row for row in size_rows(candidates, runs) if row.train or row.tested]
    sizes = [row.size for row in rows]
    series = [
        ("recall", [row.recall for row in rows]),
        ("gold in set", [row.gold_in_set for row in rows]),
        ("labels right", [row.micro.mean for row in rows]),
        ("answers right", [row.answers.mean for row in rows]),
    ]
    lines = [line for i, (name, values) in enumerate(series) if (line := _size_line(name, i, values)).points]
    if not lines:
        return None
    title = "By number of quantities"
    ends = [f"{line.name} {_range(line)}" for line in lines]
    summary = "From the fewest to the most quantities: " + "; ".join(ends) + "."

    def draw(key: str, width: int) -> str:
        x, y = category_axis("quantities", sizes), share_axis("share of problems")
        return line_chart(lines, key=key, title=title, description=summary, x=x, y=y, width=width)

    return _figure("sizes", title, summary, draw, lines)


def _size_line(name: str, style: int, values: Sequence[float | None]) -> Line:
    return Line(name, style, tuple([(float(i), value) for i, value in enumerate(values) if value is not None]))


def _range(line: Line) -> str:
    first, last = (percent(line.points[i][1], sign=True) for i in (0, -1))
    return first if first == last else f"from {first} to {last}"


def arm_size_figure(arms: Sequence[Arm]) -> Figure | None:
    """Answer accuracy by number of quantities: one line per arm, the mean over its runs."""
    answers = [{row.size: row.answers.mean for row in size_rows(None, arm.runs) if row.tested} for arm in arms]
    sizes = sorted({size for means in answers for size in means})
    lines = []
    for arm, means in zip(arms, answers, strict=True):
        line = _size_line(arm.name, arm_style(arms, arm), [means.get(size) for size in sizes])
        lines += [line._replace(dashed=arm.name == "gold")] if line.points else []
    if not lines or len(sizes) < 2:
        return None
    title = "Answers by number of quantities"
    ends = "; ".join([f"{line.name} {_range(line)}" for line in lines[:1]])
    summary = f"From the fewest to the most quantities: {ends}."

    def draw(key: str, width: int) -> str:
        x, y = category_axis("quantities", sizes), share_axis("answers right")
        return line_chart(lines, key=key, title=title, description=summary, x=x, y=y, width=width)

    table = line_table(title, "quantities", lines, shares=True, names=sizes)
    return _figure("arm-sizes", title, summary, draw, lines, table)


def distribution_figure(distribution: Mapping[str, int]) -> Figure | None:
    """The number of problems by number of candidates; large numbers are grouped."""
    groups = grouped(distribution)
    if not groups:
        return None
    total = sum(count for _, count in groups)
    title = "Candidates of a problem"
    most = max(groups, key=lambda group: group[1])
    noun = "candidate" if most[0] == "1" else "candidates"
    summary = f"The largest group, {count_text(most[1])} of {total:,} problems, has {most[0]} {noun}."
    bars = [Bar(name, count, f"{count:,}") for name, count in groups]

    def draw(key: str, width: int) -> str:
        x = value_axis("problems", [bar.value for bar in bars], most=4, tight=True)
        return bar_chart(bars, key=key, title=title, description=summary, x=x, width=width)

    table = value_table(title, ("candidates", "problems"), [(bar.name, bar.value, bar.text) for bar in bars])
    return _figure("distribution", title, summary, draw, table=table)


def grouped(distribution: Mapping[str, int]) -> list[tuple[str, int]]:
    """The distribution with large numbers in groups, up to the last group that has problems.

    >>> grouped({"0": 2, "1": 5, "7": 1, "8": 1, "2000": 1})[-5:]
    [('21–50', 0), ('51–100', 0), ('101–500', 0), ('501–1,000', 0), ('> 1,000', 1)]
    """
    counts = {int(number): count for number, count in distribution.items() if number.isdecimal()}
    groups = [("0", counts[0])] if counts.get(0) else []
    below = 0
    for end in _GROUPS:
        name = f"{end:,}" if end == below + 1 else f"{below + 1:,}–{end:,}"
        groups.append((name, sum(count for number, count in counts.items() if below < number <= end)))
        below = end
    groups.append((f"> {below:,}", sum(count for number, count in counts.items() if number > below)))
    while groups and not groups[-1][1]:
        groups.pop()
    return groups


def training_figures(arms: Sequence[Arm]) -> list[Figure]:
    """Training loss and valid answer accuracy by step, one line per arm."""

    def loss(row: TrainingRow) -> float | None:
        return row.loss

    def accuracy(row: TrainingRow) -> float | None:
        return row.valid_answer_accuracy

    figures = []
    for key, title, value, shares in (
        ("accuracy", "Valid answer accuracy", accuracy, True),
        ("loss", "Training loss", loss, False),
    ):
        lines = [line for arm in arms if (line := training_line(arm, arm_style(arms, arm), value))]
        if not lines:
            continue
        ends = ", ".join([f"{line.name} {_end(line, shares)}" for line in lines])
        summary = f"At the end: {ends}."
        if any(line.band for line in lines):
            summary += " Lines are means over the runs, bands their extremes."
        figures.append(_curve(key, title, summary, lines, shares))
    return figures


def _end(line: Line, shares: bool) -> str:
    return percent(line.points[-1][1], sign=True) if shares else f"{line.points[-1][1]:.2f}"


def _curve(key: str, title: str, summary: str, lines: Sequence[Line], shares: bool) -> Figure:
    steps = [step for line in lines for step, _ in line.points]
    heights = [value for line in lines for _, value in line.points]
    heights += [end for line in lines for _, low, high in line.band for end in (low, high)]
    y: Axis = share_axis("valid answers right", heights, zero=False) if shares else value_axis("loss", heights)

    def draw(chart: str, width: int) -> str:
        x = value_axis("training steps", steps, most=5 if width > NARROW else 3, tight=True)
        return line_chart(lines, key=chart, title=title, description=summary, x=x, y=y, width=width)

    return _figure(key, title, summary, draw, lines, line_table(title, "step", lines, shares=shares))


def oracle_figure(arms: Sequence[Arm]) -> Figure | None:
    """The answer accuracy of each arm, compared with training on gold labels of the same problems."""
    spreads = [(arm, spread_of([run.evaluation.answer_accuracy for run in arm.runs])) for arm in arms]
    bars = [
        Bar(arm.name, spread.mean, spread.percent, arm_style(arms, arm), spread.deviation)
        for arm, spread in spreads
        if spread.mean is not None
    ]
    if not bars:
        return None
    gold = next((bar for bar in bars if bar.name == "gold"), None)
    bars.sort(key=lambda bar: (bar.name == "gold", -bar.value))
    best = bars[0]
    summary = f"{best.name} answers {percent(best.value, sign=True)} of the problems"
    if gold and gold is not best:
        gap = round(100 * (gold.value - best.value), 1)
        more = f"{abs(gap)} points {'more' if gap > 0 else 'less'}" if gap else "as many"
        summary += f"; gold labels on the same problems {percent(gold.value, sign=True)}, {more}"
    summary += "."
    title = "Oracle test" if gold else "Answers of the arms"
    ends = [bar.value + (bar.deviation or 0) for bar in bars]

    def draw(key: str, width: int) -> str:
        x = share_axis("answers right", [0.0, min(1.0, max(ends))], zero=max(ends) > 0.8)
        line = (gold.value, "gold labels") if gold else None
        return bar_chart(bars, key=key, title=title, description=summary, x=x, width=width, reference=line)

    table = value_table(title, ("arm", "answers right %"), [(bar.name, bar.value, bar.text) for bar in bars])
    return _figure("oracle", title, summary, draw, table=table)


def merged_bins(runs: Sequence[Sequence[Bin]]) -> list[Bin]:
    """The bins of several runs, added up bin by bin."""
    together: dict[tuple[float, float], list[Bin]] = {}
    for bins in runs:
        for bin in bins:
            if bin.labels and bin.right is not None:
                together.setdefault((bin.low, bin.high), []).append(bin)
    merged = []
    for (low, high), same in sorted(together.items()):
        labels = sum(bin.labels for bin in same)
        posterior = fsum(bin.posterior * bin.labels for bin in same) / labels
        right = fsum((bin.right or 0.0) * bin.labels for bin in same) / labels
        merged.append(Bin(low=low, high=high, labels=labels, posterior=posterior, right=right))
    return merged


def calibration_figure(arm: Arm) -> Figure | None:
    """The calibration of an arm's posteriors over all its runs; runs with the same labels count once."""
    runs = [run.calibration for run in arm.runs if run.calibration]
    different = [bins for i, bins in enumerate(runs) if bins not in runs[:i]]
    bins = merged_bins(different)
    if not bins:
        return None
    labels = sum(bin.labels for bin in bins)
    error = fsum(bin.labels * abs(bin.posterior - (bin.right or 0.0)) for bin in bins) / labels
    lean = fsum(bin.labels * (bin.posterior - (bin.right or 0.0)) for bin in bins)
    mostly = f", mostly too {'sure' if lean > 0 else 'careful'}" if error >= 0.0005 else ""
    where = f" of {len(different)} runs" if len(different) > 1 else ""
    title = f"Can the posteriors of {arm.name} be trusted?"
    summary = (
        f"Over {labels:,} labels{where} chosen among several candidates, posteriors are off by {100 * error:.1f}"
        f" points on average{mostly}. On the dashed line they are exact;"
        " larger dots are more labels."
    )

    def draw(key: str, width: int) -> str:
        return calibration_chart(bins, key=key, title=title, description=summary, width=width)

    return _figure("calibration", title, summary, draw, table=calibration_table(bins))
