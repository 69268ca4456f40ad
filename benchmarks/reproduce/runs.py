"""Every run: the `mwp-weak` commands that make it, each with the file that is there once it is done.

Trainings have one of three budgets: those called `middle` preset `cpu` with a smaller network for fewer epochs,
`published-gts` an eighth of preset `paper`, all others preset `quick`, the baselines for more epochs: as many as should
take about 45 CPU minutes.
Labels that several runs are trained with are runs of their own.  A new run is an entry of `RUNS`.  Solvers are measured
as they were published, without second opinions; those called `middle` also with the answer model (WHAT ends with
`answers`) and with the equation model too (`opinions`).
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from weaksup.pipeline.config import GOLD
from weaksup.rankers.table import RANKERS
from weaksup.storage.run_files import ABLATION, CANDIDATES, CONFIG, DRAFT, LABELS, METRICS, SOLVER

from .place import Place

__all__ = [
    "ANSWERS",
    "BEAM",
    "EQUAL",
    "FOLDS",
    "OPINIONS",
    "RUNS",
    "Run",
    "Step",
    "arm_folder",
    "command_text",
    "place_of",
    "steps_of",
    "with_needs",
]

QUICK, CPU, PUBLISHED = "quick", "cpu", "paper"  # presets: the budgets
MIDDLE = ("--hidden", "256", "--epochs", "24", "--dropout", "0.4", "--learning-rate", "0.002")  # of preset cpu
#: Of preset paper, whose learning rate is that of the first epoch until the 20th: the beginning of the whole training.
FIRST_EIGHTH = ("--epochs", "10", "--set", "validate_every=1")
PUBLISHED_GRAPH = ("--set", "graph=published", "--set", "graph_dropout=0.3")
GENERATOR = ("--generator-epochs", "10", "--generator-hidden", "128", "--batch-size", "32")  # of WARM
EXPLORING = ("--beam", "--beam-size", "40", "--draws", "4", "--entropy", "0", *GENERATOR)  # of WARM with a beam
ANSWERS, OPINIONS = "answers", "opinions"
ALONE = ("--no-answer-model", "--no-equation-model")
MEASURED = {ANSWERS: ("--answer-model", "--no-equation-model"), OPINIONS: ("--answer-model", "--equation-model")}
BEAM = 5
EQUAL = "equal-gts"
EM_LABELS, PAPER_DRAFT = "em-labels", "paper-draft"
SINGLE = "single.jsonl"  # of the draft: the labels of problems with one candidate
FOLDS = 5
LAWS = ("value", "structure")
#: The arms whose labels are judged by `structure` too; the pipeline itself judges by `value`.
JUDGED = ("em", "beam", "basic", "random")


class Step(NamedTuple):
    """One command."""

    arguments: tuple[str, ...]  # of mwp-weak
    closing: Path  # there once the step is done
    printed: bool = False  # whether that file is what the command prints
    begun: Path | None = None  # where this file is there, the command gets --resume


class Run(NamedTuple):
    """Commands that belong together."""

    about: str
    steps: Callable[[str, Place], Iterator[Step]]  # of its name and a place
    needs: tuple[str, ...] = ()
    preset: str | None = QUICK  # None: nothing is trained
    seeded: bool = True  # whether another seed makes another run
    takes: float | None = None  # CPU minutes, roughly; None: nobody has measured it


def arm_folder(place: Place, arm: str) -> Path:
    """The folder of an arm of the equal run; its main arm is em."""
    return place.of(EQUAL) if arm == "em" else place.of(EQUAL) / ABLATION / arm


def _search(name: str, place: Place, *, plan: str) -> Iterator[Step]:
    file = place.of(name) / CANDIDATES
    yield Step(("search", *place.corpus, "--plan", plan, "--workers", "1", "-o", str(file)), file)
    yield Step(("oracle", str(file), *place.corpus, "--json"), place.beside(name, "all"), printed=True)
    yield from _oracles(name, file, place)


def _pipeline(name: str, place: Place) -> Iterator[Step]:
    folder = place.of(name)
    arguments = ("pipeline", "--config", str(place.settings / "equal.toml"), *place.corpus, *place.split)
    arguments += ("--seed", str(place.seed), "--out", str(folder))
    yield Step(arguments, folder / METRICS, begun=folder / CONFIG)
    for arm in (*RANKERS, GOLD):
        yield _evaluate(arm_folder(place, arm) / SOLVER, "valid", place.beside(name, f"{arm}.valid"), place)
    for arm in JUDGED:
        yield _oracle(arm_folder(place, arm) / LABELS, "structure", place.beside(name, f"{arm}.structure"), place)


def _em_labels(name: str, place: Place) -> Iterator[Step]:
    """The labels of our method: what the pipeline makes, without the trainings of its arms."""
    folder = place.of(name)
    rank = ("rank", str(_candidates("search-full", place)), "--ranker", "em", "--drafts", "2", "--preset", QUICK)
    rank += (*place.corpus, *place.split, "--seed", str(place.seed), "--draft-folder", str(folder / DRAFT))
    yield Step((*rank, "-o", str(folder / LABELS)), folder / LABELS)
    yield from _oracles(name, folder / LABELS, place)


def _paper_draft(name: str, place: Place) -> Iterator[Step]:
    """The draft of the paper: taught by the problems for which its search finds one candidate."""
    single = place.of(name) / SINGLE
    candidates = str(_candidates("search-paper", place))
    yield Step(("rank", candidates, "--ranker", "single", "--seed", str(place.seed), "-o", str(single)), single)
    yield _teach(single, place.of(name) / DRAFT, QUICK, (), place.beside(name, "train"), place)


def _paper_method(name: str, place: Place, *, ranker: str) -> Iterator[Step]:
    """The method of the paper: plan `paper`, its draft, one of its rankers."""
    folder = place.of(name)
    if ranker == "single":
        labels = place.of(PAPER_DRAFT) / SINGLE
    else:
        labels = folder / LABELS
        draft: tuple[str, ...] = ()
        if RANKERS[ranker].draft:
            draft = ("--model", str(place.of(PAPER_DRAFT) / DRAFT), "--beam", str(BEAM))
        rank = ("rank", str(_candidates("search-paper", place)), "--ranker", ranker, *draft)
        yield Step((*rank, "--seed", str(place.seed), "-o", str(labels)), labels)
    yield from _oracles(name, labels, place)
    yield from _train_middle(name, place, labels=labels, model=folder / SOLVER)


def _train(
    name: str,
    place: Place,
    *,
    labels: Path | str,
    preset: str = QUICK,
    options: tuple[str, ...] = (),
    model: Path | None = None,
) -> Iterator[Step]:
    """Train on gold, on the labels of a run or on a file of labels, and measure."""
    model = model or place.of(name)
    if labels in RUNS:
        labels = place.of(str(labels)) / LABELS
    yield _teach(labels, model, preset, options, place.beside(name, "train"), place)
    for part in ("valid", "test"):
        yield _evaluate(model, part, place.beside(name, part), place)


def _train_middle(
    name: str, place: Place, *, labels: Path | str, options: tuple[str, ...] = (), model: Path | None = None
) -> Iterator[Step]:
    yield from _train(name, place, labels=labels, preset=CPU, options=(*MIDDLE, *options), model=model)
    for how, options in MEASURED.items():
        for part in ("valid", "test"):
            yield _evaluate(model or place.of(name), part, place.beside(name, f"{part}.{how}"), place, options=options)


def _folds(name: str, place: Place) -> Iterator[Step]:
    """Cross-validation over all problems, with the settings of NAME.toml."""
    folder = place.of(name)
    arguments = ("pipeline", "--config", str(place.settings / f"{name}.toml"), *place.corpus, "--folds", str(FOLDS))
    arguments += ("--seed", str(place.seed), "--out", str(folder))
    yield Step(arguments, folder / METRICS, begun=folder / CONFIG)


def _baseline(name: str, place: Place, *, options: tuple[str, ...], epochs: int = 24) -> Iterator[Step]:
    folder = place.of(name)
    arguments = ("baseline", *options, *place.corpus, *place.split, "--preset", QUICK, "--epochs", str(epochs))
    yield Step((*arguments, "--seed", str(place.seed), "-o", str(folder)), folder / METRICS)
    yield _evaluate(folder / SOLVER, "valid", place.beside(name, "valid"), place)


def _candidates(search: str, place: Place) -> Path:
    return place_of(search, place).of(search) / CANDIDATES


def _teach(labels: Path | str, model: Path, preset: str, options: tuple[str, ...], printed: Path, place: Place) -> Step:
    arguments = ("train", "--labels", str(labels), *place.corpus, *place.split, "--preset", preset, *options)
    return Step((*arguments, "--seed", str(place.seed), "-o", str(model), "--json"), printed, printed=True)


def _evaluate(model: Path, part: str, file: Path, place: Place, *, options: tuple[str, ...] = ALONE) -> Step:
    how = ("--split", part, "--beam", str(BEAM), *options, "--json")
    return Step(("evaluate", str(model), *place.corpus, *place.split, *how), file, printed=True)


def _oracle(judged: Path, law: str, file: Path, place: Place) -> Step:
    options = ("--split", "train", "--law", law, "--json")
    return Step(("oracle", str(judged), *place.corpus, *place.split, *options), file, printed=True)


def _oracles(name: str, judged: Path, place: Place) -> Iterator[Step]:
    for law in LAWS:
        yield _oracle(judged, law, place.beside(name, f"train.{law}"), place)


#: Every run by its name, in an order in which each needs only those above it.
RUNS = {
    "search-released": Run(
        "search, plan released", partial(_search, plan="released"), preset=None, seeded=False, takes=0.4
    ),
    "search-paper": Run("search, plan paper", partial(_search, plan="paper"), preset=None, seeded=False, takes=0.4),
    "search-full": Run("search, plan full", partial(_search, plan="full"), preset=None, seeded=False, takes=1),
    EQUAL: Run("GTS, all rankers and gold at one budget", _pipeline, takes=60),
    EM_LABELS: Run("labels by em with two drafts, plan full", _em_labels, needs=("search-full",), takes=20),
    PAPER_DRAFT: Run("the paper's draft, plan paper", _paper_draft, needs=("search-paper",), takes=5),
    "middle-gts-em": Run(
        "GTS on the labels of em, a middle budget",
        partial(_train_middle, labels=EM_LABELS, options=("--soft", "marginal")),
        needs=(EM_LABELS,),
        preset=CPU,
        takes=20,
    ),
    "middle-gts-gold": Run("GTS on gold, a middle budget", partial(_train_middle, labels="gold"), preset=CPU, takes=19),
    "middle-gts-paper": Run(
        "GTS by the paper's method, Beam Ranker on plan paper, a middle budget",
        partial(_paper_method, ranker="beam"),
        needs=(PAPER_DRAFT,),
        preset=CPU,
        takes=18,
    ),
    "middle-gts-basic": Run(
        "GTS, Basic Ranker on plan paper, a middle budget",
        partial(_paper_method, ranker="basic"),
        needs=(PAPER_DRAFT,),
        preset=CPU,
        takes=17,
    ),
    "middle-gts-random": Run(
        "GTS, any candidate of plan paper, a middle budget",
        partial(_paper_method, ranker="random"),
        needs=("search-paper",),
        preset=CPU,
        takes=17,
    ),
    "middle-gts-single": Run(
        "GTS on problems with one candidate of plan paper, a middle budget",
        partial(_paper_method, ranker="single"),
        needs=(PAPER_DRAFT,),
        preset=CPU,
        takes=14,
    ),
    "middle-g2t-em": Run(
        "G2T on the labels of em, a middle budget",
        partial(_train_middle, labels=EM_LABELS, options=("--soft", "marginal", "--solver", "g2t")),
        needs=(EM_LABELS,),
        preset=CPU,
        takes=32,
    ),
    "middle-g2t-paper": Run(
        "G2T by the paper's method, on the labels of middle-gts-paper, a middle budget",
        partial(_train_middle, labels="middle-gts-paper", options=("--solver", "g2t")),
        needs=("middle-gts-paper",),
        preset=CPU,
    ),
    "middle-g2t-gold": Run(
        "G2T on gold, a middle budget",
        partial(_train_middle, labels="gold", options=("--solver", "g2t")),
        preset=CPU,
        takes=22,
    ),
    "middle-g2t-gold-published": Run(
        "G2T with the published graph encoder on gold, a middle budget",
        partial(_train_middle, labels="gold", options=("--solver", "g2t", *PUBLISHED_GRAPH)),
        preset=CPU,
        takes=35,
    ),
    "lbf": Run("learning by fixing", partial(_baseline, options=("lbf",), epochs=20), takes=33),
    "lbf-memory": Run(
        "learning by fixing, all fixes kept", partial(_baseline, options=("lbf", "--memory"), epochs=14), takes=31
    ),
    "warm": Run("WARM", partial(_baseline, options=("warm", *GENERATOR)), takes=23),
    "warm-beam": Run("WARM with a beam", partial(_baseline, options=("warm", *EXPLORING)), takes=31),
    "warm-g2t": Run("WARM, G2T", partial(_baseline, options=("warm", *GENERATOR, "--solver", "g2t")), takes=40),
    "warm-beam-g2t": Run(
        "WARM with a beam, G2T",
        partial(_baseline, options=("warm", *EXPLORING, "--solver", "g2t")),
        takes=37,
    ),
    "folds-em": Run("GTS on the labels of em without drafts, five folds", _folds, takes=36),
    "folds-paper": Run("GTS by the paper's method, Beam Ranker on plan paper, five folds", _folds),
    "folds-lbf-memory": Run("learning by fixing, all fixes kept, five folds", _folds, takes=66),
    "published-gts": Run(
        "GTS by the paper's method with the published settings, the first 10 of 80 epochs",
        partial(_train, labels="middle-gts-paper", preset=PUBLISHED, options=FIRST_EIGHTH),
        needs=("middle-gts-paper",),
        preset=PUBLISHED,
        takes=55,
    ),
}


def with_needs(runs: Iterable[str]) -> list[str]:
    """The runs with all that they need, in the order of `RUNS`: each after what it needs."""
    wanted = set(runs)
    for name in reversed(RUNS):
        if name in wanted:
            wanted.update(RUNS[name].needs)
    return [name for name in RUNS if name in wanted]


def place_of(name: str, place: Place) -> Place:
    """The place of a run: one that no seed changes is the same for all of them."""
    return place if RUNS[name].seeded else place._replace(seed=0)


def steps_of(name: str, place: Place) -> list[Step]:
    return list(RUNS[name].steps(name, place_of(name, place)))


def command_text(arguments: Sequence[str]) -> str:
    """A command as it is typed."""
    return shlex.join(["mwp-weak", *arguments])
