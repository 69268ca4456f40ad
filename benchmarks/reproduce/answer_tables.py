"""The tables about solvers: answer accuracy on the valid and test parts."""

from __future__ import annotations

from typing import NamedTuple

from weaksup.report import published
from weaksup.report.published import Answers

from .cells import NOT_RUN, NOTHING, Cell, Part, Row, Table, accuracy, first_count, number, paper, percent
from .chart import Bar, bar_chart
from .figures import figure_name
from .records import Records
from .runs import ANSWERS, EQUAL

__all__ = ["ablation", "baselines", "main_results", "oracle_test"]

_HEAD = ("valid, paper", "valid, here", "test, paper", "test, here")
_SPLIT = "train to learn, valid to choose the weights, test"
_BEAM = "Here: beam 5, exact value of the first equation. The paper's ± is what it calls the variance of three runs."


class _Solver(NamedTuple):
    """A row: what it is called, which run trained it, what the paper has for it."""

    name: str
    run: str
    arm: str | None = None
    paper: Answers | None = None
    measured: str | None = None  # how, where it is not the usual way


def _answers(solver: _Solver, records: Records) -> dict[str, Cell]:
    """The cells of `_HEAD`."""
    theirs = solver.paper
    valid, test = (
        accuracy(records[solver.run], figure_name(solver.arm, part, solver.measured)) for part in ("valid", "test")
    )
    reported = [NOTHING, NOTHING]
    if theirs is not None:
        reported = [paper(theirs.valid, theirs.valid_spread), paper(theirs.test, theirs.test_spread)]
    return dict(zip(_HEAD, (reported[0], valid, reported[1], test), strict=True))


def _labels(solver: _Solver, records: Records) -> Cell:
    """How many problems it was trained with; of several seeds the first."""
    return first_count(records[solver.run], figure_name(solver.arm, "labels"))


# --- the main results -------------------------------------------------------------------------------------------------


def main_results(records: Records) -> Table:
    """Every method, GTS and G2T."""
    gts, g2t = published.RESULTS["gts"], published.RESULTS["g2t"]
    by_solver = {
        "GTS": (
            _Solver("WARM", "warm", paper=gts["warm"]),
            _Solver("WARM + beam", "warm-beam", paper=gts["warm-beam"]),
            _Solver("LBF", "lbf", paper=gts["lbf"]),
            _Solver("LBF + memory", "lbf-memory", paper=gts["lbf-memory"]),
            _Solver("the paper's method, 24 epochs", "middle-gts-paper", paper=gts["ours"]),
            _Solver("the paper's method, 24 epochs, with answer model", "middle-gts-paper", None, gts["ours"], ANSWERS),
            _Solver("ours (EM with drafts)", EQUAL, "em", gts["ours"]),
            _Solver("ours, 24 epochs", "middle-gts-em", paper=gts["ours"]),
            _Solver("ours, 24 epochs, with answer model", "middle-gts-em", paper=gts["ours"], measured=ANSWERS),
            _Solver("ours, long", "long-gts-em", paper=gts["ours"]),
            _Solver(_supervised(records), EQUAL, "gold", gts["supervised"]),
            _Solver("supervised, 24 epochs", "middle-gts-gold", paper=gts["supervised"]),
            _Solver("supervised, 24 epochs, with answer model", "middle-gts-gold", None, gts["supervised"], ANSWERS),
            _Solver("supervised, long", "long-gts-gold", paper=gts["supervised"]),
        ),
        "G2T": (
            _Solver("WARM", "warm-g2t", paper=g2t["warm"]),
            _Solver("WARM + beam", "warm-beam-g2t", paper=g2t["warm-beam"]),
            _Solver("ours (EM with drafts)", "equal-g2t-em", paper=g2t["ours"]),
            _Solver("supervised", "equal-g2t-gold", paper=g2t["supervised"]),
        ),
    }
    parts = []
    for title, solvers in by_solver.items():
        rows = [
            Row(name=one.name, cells=tuple(_answers(one, records).values()), run=one.run, arm=one.arm)
            for one in solvers
        ]
        parts.append(Part(title=title, head=("", *_HEAD), rows=tuple(rows)))
    return Table(
        title="Answer accuracy on Math23K, %",
        paper="tab:result",
        split=_SPLIT,
        parts=tuple(parts),
        notes=(
            "All rows have one budget but for those called long, which have preset `cpu`, and those of 24 epochs, "
            "which have it with hidden size 256, 24 epochs, dropout 0.4 and learning rate 0.002. Solvers answer as "
            "they were published, unless the row says with answer model. The paper's method is the Beam Ranker on the "
            "candidates of plan `paper`, with a draft of preset `quick` taught by the problems with one candidate.",
            _BEAM,
        ),
    )


def _supervised(records: Records) -> str:
    """The gold arm has gold for the problems that em has labels for: the name says how many."""
    labels = first_count(records[EQUAL], "gold.labels")
    return "supervised" if labels == NOT_RUN else f"supervised ({labels.shown} problems)"


# --- the ablation -----------------------------------------------------------------------------------------------------

_ABLATION = {
    "beam": "proposed method (Beam Ranker)",
    "single": "w/o multiple data",
    "random": "w/o ranking",
    "basic": "w/o beam search (Basic Ranker)",
    "em": "EM with drafts (ours)",
    "gold": "gold, the same problems as EM",
}


def ablation(records: Records) -> Table:
    """The rankers at one budget."""
    rows = []
    for arm, name in _ABLATION.items():
        solver = _Solver(name, EQUAL, arm, published.ABLATION.get(arm))
        cells = (_labels(solver, records), *_answers(solver, records).values())
        rows.append(Row(name=name, cells=cells, run=EQUAL, arm=arm))
    return Table(
        title="Ablation of the ranking, GTS, answer accuracy in %",
        paper="tab:ab",
        split=_SPLIT,
        parts=(Part(head=("", "labels, here", *_HEAD), rows=tuple(rows)),),
        notes=("Labels are chosen from the candidates of plan `full`.", _BEAM),
    )


# --- the baselines ----------------------------------------------------------------------------------------------------

_BASELINES = {"lbf": "LBF", "lbf-memory": "LBF + memory", "warm": "WARM", "warm-beam": "WARM + beam"}


def baselines(records: Records) -> Table:
    """What the baselines find on train, and how well they answer."""
    rows = []
    for run, name in _BASELINES.items():
        answers = _answers(_Solver(name, run, paper=published.RESULTS["gts"][run]), records)
        cells = (
            paper(published.BASELINE_RECALL.get(run)),
            *[percent(records[run], f"value.{share}") for share in ("recall", "micro", "macro")],
            *answers.values(),
        )
        rows.append(Row(name=name, cells=cells, run=run))
    head = ("", "recall, paper", "recall, here", "micro, here", "macro, here", *_HEAD)
    return Table(
        title="The weakly supervised baselines, GTS, %",
        paper="tab:search_stat, tab:result",
        split="recall, micro, macro: train; answers: valid and test",
        parts=(Part(head=head, rows=tuple(rows)),),
        notes=(
            "Recall: train problems for which an equation of the right value was found. Micro: of those, how many mean "
            "the same as gold (law `value`); macro: of all train problems.",
            _BEAM,
        ),
    )


# --- the oracle test --------------------------------------------------------------------------------------------------

_WEAK = {"random": "any candidate", "basic": "Basic Ranker", "beam": "Beam Ranker", "em": "EM with drafts"}
_GOLD = "gold"


def oracle_test(records: Records) -> Table:
    """Weak labels against gold equations for the same problems."""
    names = {**_WEAK, _GOLD: "gold equations"}
    answers = {arm: _answers(_Solver(name, EQUAL, arm), records) for arm, name in names.items()}
    gold = answers[_GOLD]["test, here"].value
    gap = Cell(shown=f"about {published.ORACLE_GAP}", value=published.ORACLE_GAP)
    rows = [Row(name="the paper (its figure has no numbers)", cells=(NOTHING, NOTHING, NOTHING, gap))]
    bars = []
    for arm, name in names.items():
        test = answers[arm]["test, here"]
        behind = NOT_RUN if gold is None or test.value is None else number(gold - test.value)
        cells = (_labels(_Solver(name, EQUAL, arm), records), answers[arm]["valid, here"], test, behind)
        rows.append(Row(name=name, cells=cells, run=EQUAL, arm=arm))
        if test.value is not None:
            bars.append(Bar(name, test.value, test.shown, is_gold=arm == _GOLD))
    title = "Test answers, weak labels against gold, %"
    return Table(
        title="Oracle test: weak labels against gold for the same problems, GTS",
        paper="fig:oracle",
        split=_SPLIT,
        parts=(Part(head=("labels", "problems", "valid, %", "test, %", "points behind gold"), rows=tuple(rows)),),
        notes=(
            "The problems are those with candidates of plan `full`; the Beam Ranker may add some for which its draft "
            "finds an equation.",
        ),
        figure=bar_chart(title, bars) if len(bars) == len(names) else None,
    )
