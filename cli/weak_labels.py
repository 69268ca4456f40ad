"""`mwp-weak rank` and `export`: labels from candidates, and training data from labels."""

from __future__ import annotations

import functools
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from weaksup.rankers.table import RANKERS, find_ranker
from weaksup.settings import Beam, Epochs, Hidden, Probability, Rounds, Seed

from ._arguments import in_range
from ._options import FILE, PLACE, Part, Source, described, force_option, json_option, part_options, source_options
from ._output import print_json
from ._progress import StepsDisplay, working
from ._terminal import echo, echo_data, warn
from ._torch import (
    device_option,
    encoder_option,
    load_torch,
    precision_option,
    preset_option,
    solver_option,
    threads_option,
)

if TYPE_CHECKING:
    from mathcanon.files import AnyPath
    from weaksup.rankers.drafts import Draft
    from weaksup.records import Label
    from weaksup.storage.provenance import RunInfo

__all__ = ["export", "rank"]


@click.command()
@click.argument("file", type=FILE)
@functools.partial(source_options, own_seed=True)
@functools.partial(part_options, whole=True)
@click.option("--ranker", default="em", show_default=True, metavar="NAME", help=f"{described(RANKERS)}.")
@click.option("--prior", metavar="PRIOR",
              help="Prior of the ranker em over templates: shipped, none, or a .json table.")  # fmt: skip
@click.option("--words", is_flag=True, help="Let em read the words of the texts too; no network is trained.")
@click.option("--decoys", is_flag=True,
              help="With --words: check the posteriors against wrong answers, which it searches for.")  # fmt: skip
@click.option("--model", type=PLACE, help="A trained solver as the draft model, for a ranker that uses one.")
@click.option("--scorer", metavar="MODULE:NAME[=ARG]",
              help="Your own draft model instead: package.module:name in Python.")  # fmt: skip
@click.option("--drafts", "--rounds", "drafts", type=in_range(Rounds),
              help="Train this many drafts on the train part, as the pipeline does, and label that part.")  # fmt: skip
@click.option("--unseen", type=FILE, metavar="FILE",
              help="With --drafts: the candidates of the valid part, if they are in another file.")  # fmt: skip
@solver_option
@encoder_option
@preset_option
@click.option("--hidden", type=in_range(Hidden), help="Hidden size of the drafts.")
@click.option("--draft-epochs", type=in_range(Epochs), help="Passes over the train part for the first draft.")
@click.option("--draft-folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
              help="Keep the drafts here, so that the command can resume.  [default: a temporary folder]")  # fmt: skip
@click.option("--beam", type=in_range(Beam), default=5, show_default=True, help="Beam width of the ranker beam.")
@device_option
@precision_option
@threads_option
@click.option("--seed", type=in_range(Seed), default=0, show_default=True,
              help="Random seed of the ranker random and of the training of drafts.")  # fmt: skip
@click.option("-o", "--output", type=FILE, default="labels.jsonl", show_default=True, help="JSON Lines, or .gz.")
@force_option
@json_option
def rank(
    file: Path,
    ranker: str,
    prior: str | None,
    words: bool,
    decoys: bool,
    model: Path | None,
    scorer: str | None,
    drafts: int | None,
    source: Source,
    part: Part,
    beam: int,
    device: str,
    threads: int,
    seed: int,
    output: Path,
    force: bool,
    as_json: bool,
    **training: Any,
) -> None:
    """Choose one label for each problem of FILE (candidates), with its posterior, and write JSON Lines.

    Some rankers use a draft model, which reads the texts: a trained solver (--model), an object of your own (--scorer),
    or drafts trained by this command (--drafts).  Without a draft, em chooses the templates that best explain the whole
    corpus, and reads neither text nor gold.  With --words it also learns which words go with which operation, from the
    answers alone; this takes seconds, and is the best choice for corpora of a few thousand problems.

    Where em understands little of a corpus, it is sure of false matches.  --decoys shows how sure it would be of wrong
    answers: up to 3,000 problems get one and are searched again, and posteriors fall to what they deserve.  The labels
    stay the same.  Use it before you trust posteriors on a new corpus; it takes two to three times as long.

    A small corpus can't tell which templates are usual.  em therefore begins with a prior: simple equations are likely,
    and so are the templates of public corpora, by a table of counts that is part of the package.  --prior none leaves
    out the table; --prior mine.json is a table of your own, made by benchmarks/em_table.py.

    --scorer names an object with the method score and, for beam, explore; or a class or function that returns such an
    object without arguments, or from the one argument given after =.  It is imported from the current folder or the
    Python path, which runs its code.  weaksup.scorers:CausalLM=FOLDER is any causal language model in a local folder.

    --drafts needs the split of the corpus: drafts are trained on the train part, and the valid part calibrates their
    posteriors.  With the settings of a pipeline run it gives the same labels.

    \b
    mwp-weak rank candidates.jsonl -o labels.jsonl
    mwp-weak rank candidates.jsonl --words -o labels.jsonl
    mwp-weak rank candidates.jsonl --words --decoys -o labels.jsonl
    mwp-weak rank candidates.jsonl --prior none -o labels.jsonl
    mwp-weak rank candidates.jsonl --ranker single -o labels.draft.jsonl
    mwp-weak rank candidates.jsonl --ranker basic --model draft -o labels.jsonl
    mwp-weak rank candidates.jsonl --ranker basic --scorer mine:Shortest -o labels.jsonl
    mwp-weak rank candidates.jsonl --scorer weaksup.scorers:CausalLM=FOLDER -o labels.jsonl
    mwp-weak rank candidates.jsonl --ranker em --drafts 2 -o labels.jsonl
    """
    from weaksup.rankers.evidence import weigh
    from weaksup.rankers.rank_file import count_changed, rank_file

    given = {"--words": words or None, "--model": model, "--scorer": scorer, "--drafts": drafts}
    if len(several := [name for name, value in given.items() if value is not None]) > 1:
        hint = " (with a draft, em reads the words in any case)" if words else ""
        raise click.UsageError(f"{' and '.join(several)} exclude each other: give one of them{hint}")
    if decoys and not words:
        raise click.UsageError("--decoys has an effect only with --words")
    find_ranker(ranker)
    start = time.monotonic()
    asked: dict[str, Any] = {}
    inputs: list[AnyPath] = []
    with redirect_stdout(sys.stderr):  # a scorer may print, but stdout is for data
        if drafts is not None:
            training = {**training, "beam": beam, "device": device, "threads": threads}
            made, labels = _rank_by_rounds(
                file, output, ranker, drafts, source=source, part=part, seed=seed, prior=prior, force=force, **training
            )
        else:
            _refuse_training(part, training)
            if model is not None:
                draft = _load_model(model, beam=beam, device=device, threads=threads)
                from weaksup.solvers.training.teaching import model_files

                asked = {"draft": draft, "settings": {"model": str(model), "beam": beam}}
                inputs += model_files(model)
            elif scorer is not None:
                explores = find_ranker(ranker).explores
                asked = {"draft": _load_scorer(scorer, explores=explores), "settings": {"scorer": scorer}}
            elif words:
                asked = {"words": True, "decoys": decoys}
            if asked:
                corpus = source.behind(file).read()
                asked["problems"] = corpus.problems
                inputs += corpus.paths
            asked = {**asked, "prior": prior, "inputs": inputs, "force": force}
            with working(f"ranking the candidates of {file} by {ranker}"):
                made, labels = rank_file(file, output, ranker=ranker, seed=seed, **asked)
    sure = sum(label.posterior > 0.9 for label in labels)
    with_prior = prior if find_ranker(ranker).prior else None
    changed = count_changed(file, labels, prior=with_prior) if words or model or scorer or drafts else None
    expected = sum(label.posterior for label in labels) / len(labels) if labels else None
    weighed = weigh(len(labels)) if find_ranker(ranker).prior and labels else None
    if as_json:
        result = {"output": str(output), "ranker": ranker, **made.counts, "posterior_above_0.9": sure}
        result |= {"expected_right": expected, "evidence": weighed and weighed.share}
        print_json({**result, "changed": changed, "seconds": round(time.monotonic() - start, 3)})
        return
    echo(f"{output}: {len(labels):,} labels for {made.counts['problems']:,} problems by {ranker}, ", nl=False)
    echo(f"{sure:,} with a posterior above 0.9")
    if changed is not None:
        echo(f"{changed:,} of them differ from the labels without {'words' if words else 'a draft'}")
    if weighed is not None:
        echo(f"{100 * (expected or 0):.0f}% of them are right, if the posteriors are")
        if weighed.note:
            echo(weighed.note)


def _refuse_training(part: Part, training: dict[str, Any]) -> None:
    """Raise UsageError if options were given that only --drafts uses."""
    given = {**part.options, **training}
    if named := [f"--{name.replace('_', '-')}" for name, value in given.items() if value is not None]:
        raise click.UsageError(f"{named[0]} has an effect only with --drafts")


def _rank_by_rounds(
    file: Path,
    output: Path,
    ranker: str,
    rounds: int,
    *,
    source: Source,
    part: Part,
    seed: int,
    prior: str | None,
    force: bool,
    unseen: Path | None,
    solver: str | None,
    encoder: str | None,
    preset: str | None,
    hidden: int | None,
    draft_epochs: float | None,
    draft_folder: Path | None,
    beam: int,
    device: str,
    precision: str | None,
    threads: int,
) -> tuple[RunInfo, list[Label]]:
    """Train the drafts that a ranker needs, and write its labels."""
    load_torch(threads)
    from weaksup.corpora.parts import divide
    from weaksup.rankers.rank_file import rank_file_by_rounds
    from weaksup.rankers.table import check_rounds
    from weaksup.solvers.presets import default_preset, draft_preset
    from weaksup.solvers.training.draft_training import DraftTrainer

    check_rounds(ranker, rounds)
    source = source.behind(file).inferred
    name = preset or default_preset(source.data)
    changes = {"solver": solver, "encoder": encoder, "hidden": hidden, "epochs": draft_epochs, "seed": seed}
    changes |= {"precision": precision}
    changes = {key: value for key, value in changes.items() if value is not None}
    draft_preset(name, **changes)
    corpus = source.read()
    split = part.of(corpus)
    parts = divide(split)
    train, valid = ([problem.without_gold() for problem in problems] for problems in (parts.train, parts.valid))
    warn(f"split {split}")
    with TemporaryDirectory() as temporary, StepsDisplay() as display:
        trainer = DraftTrainer(
            draft_folder or Path(temporary),
            train,
            valid,
            preset=name,
            changes=changes,
            beam=beam,
            device=device,
            watch=display.watcher,
        )
        return rank_file_by_rounds(
            file,
            output,
            trainer,
            ranker=ranker,
            rounds=rounds,
            train=train,
            valid=valid,
            unseen=unseen,
            seed=seed,
            prior=prior,
            settings={"preset": name, "drafts": changes, "beam": beam, "split": part.options},
            inputs=[path for path in (*corpus.paths, part.split_file) if path is not None],
            force=force,
        )


def _load_model(model: Path, *, beam: int, device: str, threads: int) -> Draft:
    load_torch(threads)
    from weaksup.solvers.decoding.solver import Solver
    from weaksup.solvers.decoding.solver_draft import SolverDraft

    return SolverDraft(Solver.load(model, device=device), beam=beam)


def _load_scorer(reference: str, *, explores: bool) -> Draft:
    """The draft at `package.module:name`; the current folder is searched first, as with `python -m`."""
    from weaksup.rankers.drafts import load_draft

    if "" not in sys.path and (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    return load_draft(reference, explores=explores)


@click.command()
@click.argument("file", type=FILE)
@source_options
@part_options
@click.option("--format", "format_", type=click.Choice(["jsonl", "csv", "chat"]), default="jsonl", show_default=True,
              help="All fields as JSON Lines or as CSV, or chat messages (prompt and response).")  # fmt: skip
@click.option("--min-posterior", type=in_range(Probability), default=0.0,
              help="Leave out labels with a lower posterior.")  # fmt: skip
@click.option("-o", "--output", type=FILE, help="The file to write.  [default: stdout]")
@force_option
def export(
    file: Path, source: Source, part: Part, format_: str, min_posterior: float, output: Path | None, force: bool
) -> None:
    """Join the labels of FILE with the texts of their problems: a training set for any model.

    \b
    mwp-weak export labels.jsonl --format chat --min-posterior 0.9 -o train.jsonl
    mwp-weak export labels.jsonl --format csv --split train -o train.csv
    """
    from mathcanon.files import whole_file
    from weaksup.export import export_bytes, join_labels
    from weaksup.rankers.labels import filter_labels
    from weaksup.records import Label
    from weaksup.storage.json_lines import read_records
    from weaksup.storage.provenance import check_output

    corpus = source.behind(file).read()
    if output is not None:
        check_output(output, inputs=[file, *corpus.paths, part.split_file], force=force)
    chosen = {problem.id for problem in part.problems(corpus)[0]}
    labels = list(read_records(file, Label))
    sure = filter_labels(labels, posterior=min_posterior)
    examples = [example for example in join_labels(sure, corpus.problems) if example.id in chosen]
    pieces = export_bytes(examples, format_)
    if output is None:
        for piece in pieces:
            echo_data(piece.decode().removesuffix("\n"))
    else:
        with whole_file(output) as out:
            out.writelines(pieces)
    warn(f"{len(examples):,} of {len(labels):,} labels")
