"""The tables about solvers: answer accuracy on the valid and test parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from statistics import fmean
from typing import NamedTuple

from weaksup.report import published
from weaksup.report.published import Answers
from weaksup.storage.run_files import DRAFT

from .cells import NOT_RUN, NOTHING, Cell, Part, Row, Table, accuracy, count, mean_cell, number, paper, percent
from .chart import Bar, bar_chart
from .figures import CURVE, figure_name
from .records import Records, RunRecord
from .runs import ANSWERS, EQUAL, FOLDS, OPINIONS

__all__ = ["PAPER_RUNS", "ablation", "baselines", "cross_validation", "main_results", "oracle_test", "published_curve"]

_HEAD = ("valid, paper", "valid, here", "test, paper", "test, here")
_SPLIT = "train to learn, valid to choose the weights, test"
_BEAM = (
    "Here: beam 5; an answer is right if the first equation has exactly its value. ± is the sample standard deviation "
    "over the seeds, whose number is in brackets. The paper's ± is what it calls the variance of three runs."
)


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
    for run in records[solver.run]:
        counted = run.figures.get(figure_name(solver.arm, "labels"))
        if counted is not None:
            return count(int(counted))
        trained = [model.examples for model in run.facts.models if not model.folder.startswith(DRAFT)]
        if solver.arm is None and trained and trained[0] is not None:
            return count(trained[0])
    return NOT_RUN


def _rows(solvers: Iterable[_Solver], records: Records, *, labels: bool = False) -> tuple[Row, ...]:
    """The cells of `_HEAD`, with the number of labels before them if asked for."""
    rows = []
    for one in solvers:
        cells = (*((_labels(one, records),) if labels else ()), *_answers(one, records).values())
        rows.append(Row(name=one.name, cells=cells, run=one.run, arm=one.arm))
    return tuple(rows)


# --- the main results -------------------------------------------------------------------------------------------------

_OURS = "ours (EM with drafts)"


def main_results(records: Records) -> Table:
    """Every method, GTS and G2T: the paper's, ours, and supervised, with and without second opinions."""
    gts, g2t = published.RESULTS["gts"], published.RESULTS["g2t"]
    by_solver = {
        "GTS": (
            _Solver("WARM", "warm", paper=gts["warm"]),
            _Solver("WARM + beam", "warm-beam", paper=gts["warm-beam"]),
            _Solver("LBF", "lbf", paper=gts["lbf"]),
            _Solver("LBF + memory", "lbf-memory", paper=gts["lbf-memory"]),
            _Solver("the paper's method (Beam Ranker)", "middle-gts-paper", paper=gts["ours"]),
            _Solver("the paper's method, published settings", "published-gts", paper=gts["ours"]),
            _Solver("the paper's method, with answer model", "middle-gts-paper", measured=ANSWERS),
            _Solver("the paper's method, with both models", "middle-gts-paper", measured=OPINIONS),
            _Solver(_OURS, "middle-gts-em"),
            _Solver(f"{_OURS}, with answer model", "middle-gts-em", measured=ANSWERS),
            _Solver(f"{_OURS}, with both models", "middle-gts-em", measured=OPINIONS),
            _Solver("supervised", "middle-gts-gold", paper=gts["supervised"]),
            _Solver("supervised, with answer model", "middle-gts-gold", measured=ANSWERS),
            _Solver("supervised, with both models", "middle-gts-gold", measured=OPINIONS),
        ),
        "G2T": (
            _Solver("WARM", "warm-g2t", paper=g2t["warm"]),
            _Solver("WARM + beam", "warm-beam-g2t", paper=g2t["warm-beam"]),
            _Solver("the paper's method (Beam Ranker)", "middle-g2t-paper", paper=g2t["ours"]),
            _Solver("the paper's method, with answer model", "middle-g2t-paper", measured=ANSWERS),
            _Solver("the paper's method, with both models", "middle-g2t-paper", measured=OPINIONS),
            _Solver(_OURS, "middle-g2t-em"),
            _Solver(f"{_OURS}, with answer model", "middle-g2t-em", measured=ANSWERS),
            _Solver(f"{_OURS}, with both models", "middle-g2t-em", measured=OPINIONS),
            _Solver("supervised", "middle-g2t-gold", paper=g2t["supervised"]),
            _Solver("supervised, with answer model", "middle-g2t-gold", measured=ANSWERS),
            _Solver("supervised, with both models", "middle-g2t-gold", measured=OPINIONS),
            _Solver("supervised, published graph encoder", "middle-g2t-gold-published"),
            _Solver(
                "supervised, published graph encoder, with answer model", "middle-g2t-gold-published", measured=ANSWERS
            ),
            _Solver(
                "supervised, published graph encoder, with both models", "middle-g2t-gold-published", measured=OPINIONS
            ),
        ),
    }
    parts = [Part(title=title, head=("", *_HEAD), rows=_rows(rows, records)) for title, rows in by_solver.items()]
    return Table(
        title="Answer accuracy on Math23K, %",
        paper="tab:result",
        split=_SPLIT,
        parts=tuple(parts),
        notes=(
            "The paper's method is the Beam Ranker on the candidates of plan `paper`, with a draft of preset `quick` "
            "that learns from the problems with one candidate. Ours is the ranker `em` on the candidates of plan "
            "`full`. Most rows use preset `cpu` with hidden size 256, 24 epochs, dropout 0.4, learning rate 0.002. "
            "*Published settings* is preset `paper` for the first 10 of its 80 epochs, and WARM and LBF use preset "
            "`quick` with the epochs given below. Solvers decode as published, unless the row says *with answer model* "
            "or *with both models*, the answer model and the equation model. G2T has our graph encoder, unless the row "
            "says *published graph encoder*.",
            _BEAM,
        ),
    )


# --- the published settings -------------------------------------------------------------------------------------------


def published_curve(records: Records) -> Table:
    """How GTS with the published settings learns: answers on valid after each epoch."""
    run = "published-gts"
    figures = records[run][0].figures
    epochs = len([name for name in figures if name.startswith(f"{CURVE}.")])
    rows = [
        Row(name=str(epoch), cells=(percent(records[run], figure_name(CURVE, str(epoch))),), run=run)
        for epoch in range(1, max(epochs, 1) + 1)
    ]
    bars = [Bar(f"epoch {row.name}", cell.value, cell.shown) for row in rows for cell in row.cells if cell.value]
    title = "GTS by the paper's method with the published settings, valid answers right, %"
    return Table(
        title=title,
        paper="tab:result",
        split="train to learn, valid",
        parts=(Part(head=("epoch", "valid, here"), rows=tuple(rows)),),
        notes=("Greedy decoding. The learning rate is halved every 20 epochs, so this is how all 80 epochs begin.",),
        figure=bar_chart(title, bars) if bars else None,
    )


# --- the ablation -----------------------------------------------------------------------------------------------------

#: The paper's own method and its ablations, on the candidates of plan `paper`: runs by arm.
PAPER_RUNS = {
    "beam": "middle-gts-paper",
    "single": "middle-gts-single",
    "random": "middle-gts-random",
    "basic": "middle-gts-basic",
}
_ABLATION = {
    "beam": "proposed method (Beam Ranker)",
    "single": "w/o multiple data",
    "random": "w/o ranking",
    "basic": "w/o beam search (Basic Ranker)",
}


def ablation(records: Records) -> Table:
    """The paper's rankers on its candidates, ours and gold beside them; then all of them on those of plan `full`."""
    theirs = [_Solver(name, PAPER_RUNS[arm], None, published.ABLATION[arm]) for arm, name in _ABLATION.items()]
    ours = [_Solver(f"{_OURS}, plan `full`", "middle-gts-em"), _Solver("gold, all problems", "middle-gts-gold")]
    every = {**_ABLATION, "em": _OURS, "gold": "gold, the same problems as EM"}
    full = [_Solver(name, EQUAL, arm) for arm, name in every.items()]
    head = ("", "labels, here", *_HEAD)
    return Table(
        title="Ablation of the ranking, GTS, answer accuracy in %",
        paper="tab:ab",
        split=_SPLIT,
        parts=(
            Part(
                title="The paper's method, on the candidates of plan `paper`; 24 epochs",
                head=head,
                rows=_rows([*theirs, *ours], records, labels=True),
            ),
            Part(
                title="The same rankers on the candidates of plan `full`, which is not in the paper; 6 epochs",
                head=head,
                rows=_rows(full, records, labels=True),
            ),
        ),
        notes=(_BEAM,),
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
            "Recall: share of train problems for which an equation with the right value was found. Micro: share of "
            "those whose equation means the same as gold (law `value`). Macro: the same, of all train problems.",
            _BEAM,
        ),
    )


# --- the oracle test --------------------------------------------------------------------------------------------------

_WEAK = {"random": "any candidate", "basic": "Basic Ranker", "beam": "Beam Ranker"}


def oracle_test(records: Records) -> Table:
    """Weak labels against gold equations."""
    gap = Cell(shown=f"about {published.ORACLE_GAP}", value=published.ORACLE_GAP)
    published_row = Row(name="the paper (its figure has no numbers)", cells=(NOTHING, NOTHING, NOTHING, gap))
    solvers = [_Solver(name, PAPER_RUNS[arm]) for arm, name in _WEAK.items()]
    solvers += [_Solver(f"{_OURS}, plan `full`", "middle-gts-em"), _Solver("gold equations", "middle-gts-gold")]
    names = {**_WEAK, "em": _OURS, "gold": "gold equations"}
    same = [_Solver(name, EQUAL, arm) for arm, name in names.items()]
    head = ("labels", "problems", "valid, %", "test, %", "points behind gold")
    rows, bars = _behind_gold(solvers, records)
    title = "Test answers, weak labels against gold, %"
    return Table(
        title="Oracle test: weak labels against gold, GTS",
        paper="fig:oracle",
        split=_SPLIT,
        parts=(
            Part(title="The paper's method, plan `paper`; 24 epochs", head=head, rows=(published_row, *rows)),
            Part(
                title="Plan `full`, gold for the same problems; 6 epochs",
                head=head,
                rows=_behind_gold(same, records)[0],
            ),
            Part(
                title="Ours behind gold, seed by seed, valid and test as one; 24 epochs",
                head=("solver", "ours, %", "gold, %", "points behind gold"),
                rows=_behind_by_seed(records),
            ),
        ),
        notes=(
            "In the first table, gold has all train problems; in the second, those with candidates of plan `full`. The "
            "Beam Ranker may add problems for which its draft finds an equation. The third has the seeds for which "
            "both were run, and the mean of their differences.",
        ),
        figure=bar_chart(title, bars) if len(bars) > 1 and bars[-1].is_gold else None,
    )


def _behind_gold(solvers: list[_Solver], records: Records) -> tuple[tuple[Row, ...], list[Bar]]:
    """A row for each solver, the last of which has gold; bars for those that were run."""
    answers = [_answers(solver, records) for solver in solvers]
    gold = answers[-1]["test, here"].value
    rows, bars = [], []
    for solver, found in zip(solvers, answers, strict=True):
        test = found["test, here"]
        behind = NOT_RUN if gold is None or test.value is None else number(gold - test.value)
        cells = (_labels(solver, records), found["valid, here"], test, behind)
        rows.append(Row(name=solver.name, cells=cells, run=solver.run, arm=solver.arm))
        if test.value is not None:
            bars.append(Bar(solver.name.replace("`", ""), test.value, test.shown, is_gold=solver is solvers[-1]))
    return tuple(rows), bars


def _behind_by_seed(records: Records) -> tuple[Row, ...]:
    """Ours and gold with the same seeds, for each solver with and without second opinions."""
    pairs = {"GTS": ("middle-gts-em", "middle-gts-gold"), "G2T": ("middle-g2t-em", "middle-g2t-gold")}
    ways = {"decoder alone": None, "with answer model": ANSWERS, "with both models": OPINIONS}
    rows = []
    for (solver, runs), (way, measured) in product(pairs.items(), ways.items()):
        ours, gold = (_pooled(records[run], measured) for run in runs)
        seeds = sorted(ours.keys() & gold.keys())
        columns = [[ours[seed], gold[seed], gold[seed] - ours[seed]] for seed in seeds]
        cells = [mean_cell(column) for column in zip(*columns, strict=True)] or [NOT_RUN] * 3
        rows.append(Row(name=f"{solver}, {way}", cells=tuple(cells), run=runs[0]))
    return tuple(rows)


def _pooled(runs: Sequence[RunRecord], measured: str | None) -> dict[int, float]:
    """The answers on valid and test, which are of one size, by seed; of the seeds that have both."""
    found = {}
    for run in runs:
        parts = [run.figures.get(figure_name(None, part, measured)) for part in ("valid", "test")]
        known = [answers for answers in parts if answers is not None]
        if len(known) == len(parts):
            found[run.facts.seed] = fmean(known)
    return found


# --- cross-validation -------------------------------------------------------------------------------------------------


def cross_validation(records: Records) -> Table:
    """Test answers of each of five folds."""
    rows = []
    for name, run, arm, theirs in (
        ("LBF + memory", "folds-lbf-memory", "lbf", published.CROSS_VALIDATION["lbf-memory"]),
        ("the paper's method (Beam Ranker)", "folds-paper", "beam", published.CROSS_VALIDATION["ours"]),
        ("ours (EM with words, no drafts)", "folds-em", "em", None),
    ):
        figures = records[run][0].figures
        values = [figures.get(f"{arm}.fold-{fold}.test") for fold in range(FOLDS)]
        known = [value for value in values if value is not None]
        cells = [NOT_RUN if value is None else number(value) for value in values]
        mean = mean_cell(known) if len(known) == FOLDS else NOT_RUN
        rows.append(Row(name=name, cells=(NOTHING if theirs is None else paper(*theirs), mean, *cells), run=run))
    head = ("", "paper", "here", *[f"fold {fold}" for fold in range(FOLDS)])
    return Table(
        title="Five-fold cross-validation, GTS, answer accuracy in %",
        paper="text of the section on results",
        split="each fifth of all 23,162 problems once as test; a tenth of the others is held out to choose the weights",
        parts=(Part(head=head, rows=tuple(rows)),),
        notes=(
            "Here: preset `quick`, beam 5; ± is the sample standard deviation over the folds. The paper's ± is what it "
            "calls the variance.",
        ),
    )
