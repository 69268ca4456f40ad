"""Loading torch, which is not part of the base install, and the options of the commands that use it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import get_args

import click

from mathcanon.errors import install_command
from weaksup.settings import Precision, Threads
from weaksup.solvers.table import SOLVERS

from ._arguments import in_range
from ._options import described

__all__ = [
    "device_option",
    "encoder_option",
    "load_torch",
    "precision_option",
    "preset_option",
    "solver_option",
    "threads_option",
]

device_option = click.option(
    "--device", default="auto", show_default=True, metavar="DEVICE", help="auto (the fastest), cpu, cuda or mps."
)
precision_option = click.option(
    "--precision",
    type=click.Choice(get_args(Precision)),
    help="Precision of training: fp32, bf16 (mixed), or auto: bf16 on CUDA, else fp32.  [default: auto]",
)
preset_option = click.option(
    "--preset", metavar="NAME", help="small, quick, cpu or paper.  [default: cpu; small for the stories]"
)
threads_option = click.option(
    "--threads", type=in_range(Threads), default=1, show_default=True, help="Number of CPU threads."
)
encoder_option = click.option(
    "--encoder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    callback=lambda context, option, given: given and str(given.resolve()),
    metavar="FOLDER",
    help="A pretrained encoder in place of embedding and GRU: the local folder of a Hugging Face model.",
)
solver_option = click.option(
    "--solver",
    type=click.Choice(list(SOLVERS)),
    help=f"{described(SOLVERS)}.  [default: gts]",
)


def load_torch(threads: int = 1) -> None:
    """Import torch with its log messages off; raises ClickException if it is not installed.

    Idle threads sleep, because spinning is up to 3 times as slow on a busy machine.  With several threads, only
    deterministic algorithms are used: sums in arbitrary order would make runs differ in their last bits.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")
    try:
        import safetensors  # noqa: F401
        import torch
    except ImportError:
        raise click.ClickException(f"solvers need torch: {install_command('solver')}") from None
    torch.set_num_threads(threads)
    if threads > 1:
        torch.use_deterministic_algorithms(True, warn_only=True)
        # The code never reads uninitialized memory, so filling it would only cost time.
        torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
