"""Where runs are kept: a folder or a file each, below one folder of work; seeds other than 0 have their own."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

SEEDS = (0, 1, 2)  # that tables show, as far as they were run
HERE = Path(__file__).resolve().parent


def run_name(run: str, seed: int) -> str:
    """What the files of a run are called: as the run itself, with a seed other than 0 the seed as well."""
    return run if seed == 0 else f"{run}-seed-{seed}"


class Place(NamedTuple):
    """The folders of a run with one seed."""

    work: Path
    data: Path  # with math23k/ in it
    settings: Path = HERE  # with equal.toml
    seed: int = 0

    def of(self, run: str) -> Path:
        """The folder of a run."""
        return self.work / run_name(run, self.seed)

    def beside(self, run: str, what: str) -> Path:
        """A file beside that folder: what a command printed about the run."""
        return self.work / f"{run_name(run, self.seed)}.{what}.json"

    @property
    def corpus(self) -> tuple[str, ...]:
        """The options that say what is read."""
        return "--data", "math23k", "--path", str(self.data / "math23k" / "Math_23K.json.gz")

    @property
    def split(self) -> tuple[str, ...]:
        """The options that say how it is cut: train 21,162, valid 1,000, test 1,000."""
        return "--split-file", str(self.data / "math23k" / "split.json")


#: The same in words, for commands that are shown and not run.
SHOWN = Place(Path("WORK"), Path("DATA"), Path("benchmarks/reproduce"))
