"""Every run: the `mwp-weak` commands that make it, each with the file that is there once it is done.

All trainings have one budget, preset `quick`, but for those called `long`, which have preset `cpu`, and those called
`middle`, which have a smaller network for fewer epochs.  A new run is an entry of `RUNS`.  Solvers are measured as they
were published, without answer model; those called `middle` also with it (WHAT ends with `answers`).
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from weaksup.pipeline.config import GOLD
from weaksup.rankers.table import RANKERS
from weaksup.storage.run_files import ABLATION, CANDIDATES, CONFIG, DRAFT, LABELS, METRICS, SOLVER

from .place import Place

__all__ = ["ANSWERS", "BEAM", "EQUAL", "RUNS", "Run", "Step", "arm_folder", "command_text", "place_of", "steps_of"]

QUICK, LONG = "quick", "cpu"  # presets: the budgets
MIDDLE = ("--hidden", "256", "--epochs", "24", "--dropout", "0.4", "--learning-rate", "0.002")  # of preset cpu
ANSWERS = "answers"
BEAM = 5
EQUAL = "equal-gts"
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
    for law in LAWS:
        yield _oracle(file, law, place.beside(name, f"train.{law}"), place)


def _pipeline(name: str, place: Place) -> Iterator[Step]:
    folder = place.of(name)
    arguments = ("pipeline", "--config", str(place.settings / "equal.toml"), *place.corpus, *place.split)
    arguments += ("--seed", str(place.seed), "--out", str(folder))
    yield Step(arguments, folder / METRICS, begun=folder / CONFIG)
    for arm in (*RANKERS, GOLD):
        yield _evaluate(arm_folder(place, arm) / SOLVER, "valid", place.beside(name, f"{arm}.valid"), place)
    for arm in JUDGED:
        yield _oracle(arm_folder(place, arm) / LABELS, "structure", place.beside(name, f"{arm}.structure"), place)


def _train(
    name: str,
    place: Place,
    *,
    labels: str,
    preset: str = QUICK,
    options: tuple[str, ...] = (),
    model: Path | None = None,
) -> Iterator[Step]:
    """Train on gold, on the labels of an arm, or on a file of labels, and measure."""
    model = model or place.of(name)
    file = str(arm_folder(place, labels) / LABELS) if labels in RANKERS else labels
    arguments = ("train", "--labels", file, *place.corpus, *place.split, "--preset", preset, *options)
    arguments += ("--seed", str(place.seed), "-o", str(model), "--json")
    yield Step(arguments, place.beside(name, "train"), printed=True)
    for part in ("valid", "test"):
        yield _evaluate(model, part, place.beside(name, part), place)


def _train_middle(
    name: str, place: Place, *, labels: str, options: tuple[str, ...] = (), model: Path | None = None
) -> Iterator[Step]:
    yield from _train(name, place, labels=labels, preset=LONG, options=(*MIDDLE, *options), model=model)
    for part in ("valid", "test"):
        file = place.beside(name, f"{part}.{ANSWERS}")
        yield _evaluate(model or place.of(name), part, file, place, answer_model="--answer-model")


def _paper_method(name: str, place: Place, *, ranker: str) -> Iterator[Step]:
    """The method of the paper: plan `paper`, a draft taught by problems with one candidate, one of its rankers."""
    folder = place.of(name)
    candidates = place_of("search-paper", place).of("search-paper") / CANDIDATES
    seed = ("--seed", str(place.seed))
    single, draft, labels = folder / "single.jsonl", folder / DRAFT, folder / LABELS
    yield Step(("rank", str(candidates), "--ranker", "single", *seed, "-o", str(single)), single)
    teach = ("train", "--labels", str(single), *place.corpus, *place.split, "--preset", QUICK, *seed)
    yield Step((*teach, "-o", str(draft), "--json"), place.beside(name, "draft"), printed=True)
    rank = ("rank", str(candidates), "--ranker", ranker, "--model", str(draft), "--beam", str(BEAM), *seed)
    yield Step((*rank, "-o", str(labels)), labels)
    for law in LAWS:
        yield _oracle(labels, law, place.beside(name, f"train.{law}"), place)
    yield from _train_middle(name, place, labels=str(labels), model=folder / SOLVER)


def _baseline(name: str, place: Place, *, options: tuple[str, ...]) -> Iterator[Step]:
    folder = place.of(name)
    arguments = ("baseline", *options, *place.corpus, *place.split, "--preset", QUICK)
    yield Step((*arguments, "--seed", str(place.seed), "-o", str(folder)), folder / METRICS)
    yield _evaluate(folder / SOLVER, "valid", place.beside(name, "valid"), place)


def _evaluate(model: Path, part: str, file: Path, place: Place, *, answer_model: str = "--no-answer-model") -> Step:
    options = ("--split", part, "--beam", str(BEAM), answer_model, "--json")
    return Step(("evaluate", str(model), *place.corpus, *place.split, *options), file, printed=True)


def _oracle(judged: Path, law: str, file: Path, place: Place) -> Step:
    options = ("--split", "train", "--law", law, "--json")
    return Step(("oracle", str(judged), *place.corpus, *place.split, *options), file, printed=True)


#: Every run by its name, in an order in which each needs only those above it.
RUNS = {
    "search-released": Run(
        "search, plan released", partial(_search, plan="released"), preset=None, seeded=False, takes=0.4
    ),
    "search-paper": Run("search, plan paper", partial(_search, plan="paper"), preset=None, seeded=False, takes=0.4),
    "search-full": Run("search, plan full", partial(_search, plan="full"), preset=None, seeded=False),
    EQUAL: Run("GTS, all rankers and gold at one budget", _pipeline, takes=60),
    "equal-g2t-em": Run(
        "G2T on the em labels of equal-gts",
        partial(_train, labels="em", options=("--solver", "g2t")),
        needs=(EQUAL,),
    ),
    "equal-g2t-gold": Run("G2T on gold", partial(_train, labels="gold", options=("--solver", "g2t"))),
    "middle-gts-em": Run(
        "GTS on the em labels of equal-gts, a middle budget",
        partial(_train_middle, labels="em", options=("--soft", "marginal")),
        needs=(EQUAL,),
        preset=LONG,
        takes=40,
    ),
    "middle-gts-gold": Run(
        "GTS on gold, a middle budget", partial(_train_middle, labels="gold"), preset=LONG, takes=40
    ),
    "middle-gts-paper": Run(
        "GTS by the paper's method, Beam Ranker on plan paper, a middle budget",
        partial(_paper_method, ranker="beam"),
        needs=("search-paper",),
        preset=LONG,
        takes=35,
    ),
    "long-gts-em": Run(
        "GTS on the em labels of equal-gts, the long budget",
        partial(_train, labels="em", preset=LONG, options=("--soft", "marginal")),
        needs=(EQUAL,),
        preset=LONG,
    ),
    "long-gts-gold": Run(
        "GTS on gold, the long budget", partial(_train, labels="gold", preset=LONG), preset=LONG, takes=58
    ),
    "lbf": Run("learning by fixing", partial(_baseline, options=("lbf",))),
    "lbf-memory": Run("learning by fixing, all fixes kept", partial(_baseline, options=("lbf", "--memory"))),
    "warm": Run("WARM", partial(_baseline, options=("warm",))),
    "warm-beam": Run("WARM with a beam", partial(_baseline, options=("warm", "--beam"))),
    "warm-g2t": Run("WARM, G2T", partial(_baseline, options=("warm", "--solver", "g2t"))),
    "warm-beam-g2t": Run("WARM with a beam, G2T", partial(_baseline, options=("warm", "--beam", "--solver", "g2t"))),
}


def place_of(name: str, place: Place) -> Place:
    """The place of a run: one that no seed changes is the same for all of them."""
    return place if RUNS[name].seeded else place._replace(seed=0)


def steps_of(name: str, place: Place) -> list[Step]:
    return list(RUNS[name].steps(name, place_of(name, place)))


def command_text(arguments: Sequence[str]) -> str:
    """A command as it is typed."""
    return shlex.join(["mwp-weak", *arguments])
