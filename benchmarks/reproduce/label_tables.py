"""The tables about labels: how many are right, in all and by number of quantities."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from weaksup.measure.sizes import SIZES
from weaksup.report import published

from .answer_tables import PAPER_RUNS
from .cells import Cell, Part, Row, Table, accuracy, paper, percent
from .figures import figure_name
from .records import Records
from .runs import EQUAL
from .search_tables import PLANS

__all__ = ["by_quantities", "equation_accuracy"]

_LAWS = ("value", "structure")
_SHARES = {"single": "micro.single", "multiple": "micro.multiple", "all data": "micro"}


def equation_accuracy(records: Records) -> Table:
    """Micro equation accuracy of candidates and labels, by two laws."""
    candidates = []
    theirs = (published.CANDIDATES_SINGLE, published.CANDIDATES_MULTIPLE, published.CANDIDATES_ALL)
    for plan in PLANS:
        run = f"search-{plan}"
        for (which, share), figure in zip(_SHARES.items(), theirs, strict=True):
            cells = [percent(records[run], f"train.{law}.{share}") for law in _LAWS]
            candidates.append(Row(name=f"{which}, plan `{plan}`", cells=(paper(figure), *cells), run=run))
    head = ("paper", *[f"`{law}`" for law in _LAWS])
    return Table(
        title="Micro equation accuracy, %",
        paper="tab:eq_oracle",
        split="train",
        parts=(
            Part(title="Candidates", head=("", *head), rows=tuple(candidates)),
            Part(
                title="Labels: the paper's method on the candidates of plan `paper`, ours on those of plan `full`",
                head=("", *head),
                rows=(*_paper_labels(records), *_label_rows(records, _OURS, "em-labels", "train", None)),
            ),
            Part(
                title="Labels by the same rankers on the candidates of plan `full`, which is not in the paper",
                head=("", *head),
                rows=tuple(row for arm, name in _NAMES.items() for row in _label_rows(records, name, EQUAL, arm, None)),
            ),
        ),
        notes=(
            "By `value`, right means the same function of the values as gold; by `structure`, the same canonical form. "
            f"{published.CHECKER}",
            "*Single* and *multiple* are the problems with one and with several candidates. Plan `full` does not stop "
            "at the first match, so its *multiple* has many more problems than the paper's. For the Beam Ranker, "
            "candidates are counted after its own equations were added.",
        ),
    )


_OURS = "EM with drafts"
_NAMES = {"basic": "Basic Ranker", "beam": "Beam Ranker", "random": "random pick", "em": _OURS}


def _paper_labels(records: Records) -> Iterator[Row]:
    for arm in ("basic", "beam", "random"):
        yield from _label_rows(records, _NAMES[arm], PAPER_RUNS[arm], "train", arm)


def _label_rows(records: Records, name: str, run: str, judged: str, published_arm: str | None) -> Iterator[Row]:
    """Labels of the problems with several candidates and of all; the paper's figures where it has that arm."""
    for which, figures in (("multiple", published.ARM_MULTIPLE), ("all data", published.ARM_LABELS)):
        cells = [percent(records[run], f"{judged}.{law}.{_SHARES[which]}") for law in _LAWS]
        theirs = paper(figures.get(published_arm or ""))
        yield Row(name=f"{name} ({which})", cells=(theirs, *cells), run=run)


class _Source(NamedTuple):
    """Whose figures: a column of the paper, or runs and what their figures begin with."""

    head: str
    paper: str | None = None
    labels: tuple[str, str] = ("", "")
    answers: str = ""


_SOURCES = (
    _Source("LBF, paper", paper="lbf"),
    _Source("LBF, here", labels=("lbf", "value"), answers="lbf"),
    _Source("ComSearch, paper", paper="ours"),
    _Source("the paper's method, here", labels=("middle-gts-paper", "train.value"), answers="middle-gts-paper"),
    _Source("EM with drafts, here", labels=("em-labels", "train.value"), answers="middle-gts-em"),
)


def by_quantities(records: Records) -> Table:
    """Labels of train and answers of test by number of quantities."""
    parts = [
        _part("Train, micro equation accuracy, %", published.MICRO_BY_QUANTITIES, _label_cells(records, "micro")),
        _part("Train, macro equation accuracy, %", published.MACRO_BY_QUANTITIES, _label_cells(records, "macro")),
        _part("Test, answer accuracy, %", published.ANSWERS_BY_QUANTITIES, _answer_cells(records)),
    ]
    return Table(
        title="By number of quantities",
        paper="tab:len",
        split="labels: train; answers: test",
        parts=(*parts, _proportions(records)),
        notes=(
            "The paper's method is the Beam Ranker on plan `paper`; EM with drafts uses plan `full`; both have 24 "
            "epochs. Macro counts all problems, those without a label as 0. Our labels are judged by `value`. "
            f"{published.CHECKER}",
        ),
    )


_Cells = Callable[[_Source, str], Cell]


def _part(title: str, figures: Mapping[str, Mapping[str, float]], cells: _Cells) -> Part:
    rows = [
        Row(
            name=_size_name(size),
            cells=tuple(
                paper(figures[source.paper][size]) if source.paper is not None else cells(source, size)
                for source in _SOURCES
            ),
        )
        for size in SIZES
    ]
    return Part(title=title, head=("quantities", *[source.head for source in _SOURCES]), rows=tuple(rows))


def _label_cells(records: Records, share: str) -> _Cells:
    def cell(source: _Source, size: str) -> Cell:
        run, judged = source.labels
        return percent(records[run], figure_name(judged, share, size))

    return cell


def _answer_cells(records: Records) -> _Cells:
    def cell(source: _Source, size: str) -> Cell:
        return accuracy(records[source.answers], "test", size=size)

    return cell


def _proportions(records: Records) -> Part:
    """How the test problems are spread over the numbers of quantities; the same in every run."""
    rows = [
        Row(
            name=_size_name(size),
            cells=(
                paper(published.TEST_PROPORTION[size]),
                percent(records["middle-gts-paper"][:1], f"test.share.{size}"),
            ),
        )
        for size in SIZES
    ]
    return Part(title="Share of the test problems, %", head=("quantities", "paper", "here"), rows=tuple(rows))


def _size_name(size: str) -> str:
    return "6 and more" if size == "6+" else size
