"""How fast GTS trains and decodes on a CPU at the published size (hidden 512, batch 64), and against what.

1. Training: ours (precomputed tree schedules, both directions of the encoder in one product) against `stack_gts.py`,
   which has a Python stack for each example as the public code has.  Same batches, same parameters, dropout, Adam; the
   two take turns, and before that their losses are compared.  The stacks are also timed on shuffled batches, as the
   public code has them: batches of similar length are a part of our way.
2. The encoder, forward and backward: its useful operations (padding not counted) a second, against matrix products
   measured in the same run: a large square one, and the shapes that the encoder itself has.
3. Beam search with five hypotheses, on a model trained for some steps so that its trees are like real ones.

CPU time and wall time, with as many threads as --threads says.  Math23K is read from --path, or from the folder that
the environment variable MATHCANON_DATA names (by default ../shared/data beside the repository); without it, the
embedded stories are.

    python benchmarks/bench_training.py [--path Math_23K.json.gz --split-file split.json] [--threads 1] [--quick]
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # read when torch is loaded

import numpy as np
import torch
from measure import HERE, print_table, print_targets, target, write_json
from stack_gts import StackGTS
from torch import nn

from weaksup.corpora import read_corpus
from weaksup.corpora.parts import split_corpus
from weaksup.records import Problem
from weaksup.solvers.data.batches import Batch, Example, bucketed, make_batch
from weaksup.solvers.data.lessons import gold_lessons, make_examples
from weaksup.solvers.data.vocabulary import Vocabulary, make_vocabulary
from weaksup.solvers.decoding.solver import Solver
from weaksup.solvers.network.gts import GTS
from weaksup.solvers.presets import SolverConfig, preset
from weaksup.solvers.training.objective import tree_loss

BATCH = 64
RATIO, SHARE, BEAM = 4.0, 0.8, 60.0  # what issue 4 asks for


@dataclass(frozen=True)
class Sizes:
    """How much is measured."""

    batches: int  # of each implementation
    steps: int  # of training before the beam search
    problems: int  # of the beam search
    products: int  # repeats of each matrix product


FULL, QUICK = Sizes(batches=8, steps=100, problems=256, products=20), Sizes(2, 10, 32, 5)


@dataclass
class Clock:
    """CPU and wall time of all that was timed with it."""

    cpu: float = 0.0
    wall: float = 0.0

    @contextmanager
    def __call__(self) -> Any:
        start = time.process_time(), time.perf_counter()
        yield
        self.cpu += time.process_time() - start[0]
        self.wall += time.perf_counter() - start[1]


@dataclass(frozen=True)
class Data:
    """What is trained on: batches of examples, longest text first."""

    name: str
    vocabulary: Vocabulary
    examples: list[Example]
    valid: list[Problem]

    def batches(self, seed: int = 0, *, similar: bool = True) -> list[list[Example]]:
        """Whole batches in random order, of similar length or not."""
        rng = np.random.default_rng(seed)
        lengths = [len(example.words) if similar else 0 for example in self.examples]
        chosen = [places for places in bucketed(lengths, batch_size=BATCH, rng=rng) if len(places) == BATCH]
        return [
            sorted((self.examples[i] for i in places), key=lambda example: -len(example.words)) for places in chosen
        ]

    def made(self, examples: Sequence[Example]) -> Batch:
        sizes = {"operators": len(self.vocabulary.operators), "constants": len(self.vocabulary.constants)}
        return make_batch(examples, **sizes)


def read_data(path: Path | None, split_file: Path | None, config: SolverConfig) -> Data:
    folder = Path(os.environ.get("MATHCANON_DATA", HERE.parent.parent / "shared" / "data")) / "math23k"
    if path is None and (folder / "Math_23K.json.gz").exists():
        path, split_file = folder / "Math_23K.json.gz", folder / "split.json"
    corpus = read_corpus("stories") if path is None else read_corpus("math23k", path)
    parts = split_corpus(corpus, file=split_file)
    lessons, _ = gold_lessons(parts["train"], writing="label")
    vocabulary = make_vocabulary([lesson.problem for lesson in lessons], [lesson.trees[0] for lesson in lessons])
    examples, _ = make_examples(lessons, vocabulary, config)
    return Data(corpus.name, vocabulary, examples, parts["valid"])


# --- training ---------------------------------------------------------------------------------------------------------


def adam(model: nn.Module) -> torch.optim.Optimizer:
    return torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-5, fused=True)


def our_step(model: GTS, optimizer: torch.optim.Optimizer, data: Data, examples: Sequence[Example]) -> None:
    batch = data.made(examples)
    (tree_loss(model(batch), batch, soft="none") / len(examples)).backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


def stack_step(model: StackGTS, optimizer: torch.optim.Optimizer, examples: Sequence[Example]) -> None:
    (-model(examples).sum() / len(examples)).backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


def largest_difference(ours: GTS, stacks: StackGTS, data: Data, examples: Sequence[Example]) -> float:
    """Between the log-probabilities that both give the trees of a batch, without dropout."""
    ours.eval(), stacks.eval()
    with torch.inference_mode():
        batch = data.made(examples)
        found = ours(batch)[torch.tensor(batch.order).argsort()]
        difference = float((found - stacks(examples)).abs().max())
    ours.train(), stacks.train()
    return difference


def measure_training(ours: GTS, stacks: StackGTS, data: Data, sizes: Sizes) -> dict[str, Any]:
    batches = data.batches()
    difference = largest_difference(ours, stacks, data, batches[0])
    our_optimizer, stack_optimizer = adam(ours), adam(stacks)
    our_clock, stack_clock, shuffled_clock = Clock(), Clock(), Clock()
    our_step(ours, our_optimizer, data, batches[0])  # warm up
    stack_step(stacks, stack_optimizer, batches[0][:8])
    pairs = list(zip(batches[1 : 1 + sizes.batches], data.batches(similar=False), strict=False))
    for examples, shuffled in pairs:
        with our_clock():
            our_step(ours, our_optimizer, data, examples)
        with stack_clock():
            stack_step(stacks, stack_optimizer, examples)
        with shuffled_clock():
            stack_step(stacks, stack_optimizer, shuffled)
    count = BATCH * len(pairs)
    return {
        "examples": count,
        "largest_difference": difference,
        "ours": _rates(our_clock, count),
        "stacks": _rates(stack_clock, count),
        "stacks_shuffled": _rates(shuffled_clock, count),
        "ratio_cpu": stack_clock.cpu / our_clock.cpu,
        "ratio_wall": stack_clock.wall / our_clock.wall,
        "ratio_cpu_shuffled": shuffled_clock.cpu / our_clock.cpu,
        "ratio_wall_shuffled": shuffled_clock.wall / our_clock.wall,
    }


def _rates(clock: Clock, count: int) -> dict[str, float]:
    return {"examples_per_cpu_second": count / clock.cpu, "examples_per_second": count / clock.wall}


# --- the encoder against matrix products ------------------------------------------------------------------------------


def encoder_operations(config: SolverConfig, words: int) -> int:
    """Multiplications and additions of the encoder's products, forward and backward, for so many words."""
    size = config.hidden if config.directions == "sum" else config.hidden // 2
    inputs = [config.embedding] + [2 * size] * (config.layers - 1)
    forward = sum(2 * words * 2 * 3 * size * (width + size) for width in inputs)  # two directions, three gates
    return 3 * forward  # backward: once for the inputs, once for the weights


def measure_product(shape: tuple[int, int, int, int], repeats: int) -> float:
    """Operations a CPU-second of a batched product (batch, m, k) x (batch, k, n)."""
    batch, m, k, n = shape
    left, right = torch.randn(batch, m, k), torch.randn(batch, k, n)
    out = torch.empty(batch, m, n)
    torch.bmm(left, right, out=out)
    seconds = []
    for _ in range(repeats):
        clock = Clock()
        with clock():
            torch.bmm(left, right, out=out)
        seconds.append(clock.cpu)
    return 2 * batch * m * k * n / median(seconds)


def measure_encoder(model: GTS, config: SolverConfig, data: Data, sizes: Sizes) -> dict[str, Any]:
    chosen = data.batches(seed=1)[: sizes.batches + 1]
    clock, words = Clock(), 0
    model.train()
    products: dict[str, list[float]] = {}
    for place, examples in enumerate(chosen):
        batch = data.made(examples)
        warm_up = Clock()
        with clock() if place else warm_up():
            encoded = model.encoder(batch)
            torch.autograd.backward([encoded.states, encoded.goal], [torch.ones_like(encoded.states), encoded.goal])
        if place:
            words += sum(batch.lengths)
        model.zero_grad(set_to_none=True)
        # Products are measured between the batches: whatever else the machine does, it does to both.
        hidden, length = config.hidden, max(batch.lengths)
        shapes = {
            "square 2048": (1, 2048, 2048, 2048),
            "input projection": (2, length * BATCH, 2 * hidden, 3 * hidden),
            "recurrence": (2, BATCH, hidden, 3 * hidden),
        }
        for name, shape in shapes.items():
            products.setdefault(name, []).append(measure_product(shape, max(1, sizes.products // len(chosen))))
    rate = encoder_operations(config, words) / clock.cpu
    rates = {name: median(found) for name, found in products.items()}
    # As much of each as the encoder has: two layers read embeddings and both directions, and both have a recurrence.
    projected, recurrent = config.embedding + 2 * config.hidden * (config.layers - 1), config.hidden * config.layers
    seconds = projected / rates["input projection"] + recurrent / rates["recurrence"]
    rates["its own shapes"] = (projected + recurrent) / seconds
    return {
        "words": words,
        "gflops": rate / 1e9,
        "products_gflops": {name: found / 1e9 for name, found in rates.items()},
        "shares": {name: rate / found for name, found in rates.items()},
    }


# --- beam search ------------------------------------------------------------------------------------------------------


def measure_beam(model: GTS, config: SolverConfig, data: Data, sizes: Sizes) -> dict[str, Any]:
    optimizer = adam(model)
    model.train()
    batches = data.batches(seed=2)
    for step in range(sizes.steps):
        our_step(model, optimizer, data, batches[step % len(batches)])
    solver = Solver(config, data.vocabulary, model)
    problems = data.valid[: sizes.problems]
    solver.predict(problems[:8], beam=5)
    clock = Clock()
    with clock():
        found = solver.predict(problems, beam=5)
    tokens = [len(one[0].expr) for one in found if one]
    return {
        "steps_before": sizes.steps,
        "problems": len(problems),
        "problems_per_cpu_second": len(problems) / clock.cpu,
        "problems_per_second": len(problems) / clock.wall,
        "median_characters": median(tokens) if tokens else None,
        "right": sum(bool(one) and one[0].exact == p.exact_answer for one, p in zip(found, problems, strict=True)),
    }


# --- all of it --------------------------------------------------------------------------------------------------------


def main(
    quick: bool = False,
    *,
    path: Path | None = None,
    split_file: Path | None = None,
    threads: int = 1,
    batches: int | None = None,
    steps: int | None = None,
) -> dict[str, Any]:
    sizes = QUICK if quick else FULL
    sizes = replace(sizes, batches=batches or sizes.batches, steps=steps or sizes.steps)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    try:
        return _run(sizes, quick, path, split_file, threads)
    finally:
        torch.set_num_threads(before)


def _run(sizes: Sizes, quick: bool, path: Path | None, split_file: Path | None, threads: int) -> dict[str, Any]:
    config, _ = preset("paper")
    data = read_data(path, split_file, config)
    ours, stacks = GTS(config, data.vocabulary), StackGTS(config, data.vocabulary)
    stacks.take(ours)
    training = measure_training(ours, stacks, data, sizes)
    print_table(
        f"GTS training, {data.name}, hidden {config.hidden}, batch {BATCH}, {threads} thread(s), {torch.__version__}",
        ("", "examples a CPU-second", "examples a second"),
        [
            (name, *[f"{training[key][rate]:.1f}" for rate in ("examples_per_cpu_second", "examples_per_second")])
            for name, key in (
                ("ours", "ours"),
                ("a stack an example, same batches", "stacks"),
                ("a stack an example, shuffled batches", "stacks_shuffled"),
            )
        ],
        f"ratio {training['ratio_cpu']:.2f} in CPU time, {training['ratio_wall']:.2f} in wall time; shuffled "
        f"{training['ratio_cpu_shuffled']:.2f} and {training['ratio_wall_shuffled']:.2f}; "
        f"same log-probabilities to {training['largest_difference']:.1e}",
    )
    encoder = measure_encoder(ours, config, data, sizes)
    print_table(
        "encoder, forward and backward, against products (CPU time)",
        ("", "GFLOP/s", "encoder / this"),
        [
            ("encoder", f"{encoder['gflops']:.1f}", ""),
            *[
                (name, f"{encoder['products_gflops'][name]:.1f}", f"{share:.0%}")
                for name, share in encoder["shares"].items()
            ],
        ],
    )
    beam = measure_beam(ours, config, data, sizes)
    print(f"\nbeam 5: {beam['problems_per_cpu_second']:.1f} problems a CPU-second ({beam['problems']} problems)\n")
    targets = [
        target("training against a stack an example, same batches, times", training["ratio_cpu"], RATIO),
        target("the same, its batches shuffled as in the public code", training["ratio_cpu_shuffled"], RATIO),
        target("encoder, share of a large product", encoder["shares"]["square 2048"], SHARE),
        target("encoder, share of products of its own shapes", encoder["shares"]["its own shapes"], SHARE),
        target("beam 5, problems a CPU-second", beam["problems_per_cpu_second"], BEAM),
    ]
    print_targets(targets)
    about = {"data": data.name, "hidden": config.hidden, "batch": BATCH, "threads": threads, "torch": torch.__version__}
    result = {**about, "training": training, "encoder": encoder, "beam": beam, "targets": targets}
    write_json("training", result, quick)
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--path", type=Path, help="Math_23K.json, plain or .gz")
    parser.add_argument("--split-file", type=Path, help="its split.json")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="few batches; writes to results/quick/ only")
    parser.add_argument("--batches", type=int, help="how many of each implementation")
    parser.add_argument("--steps", type=int, help="of training before the beam search")
    options = vars(parser.parse_args())
    main(options.pop("quick"), **options)
