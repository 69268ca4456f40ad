"""`mwp-weak`: from questions and answers to candidate equations and labels, from the command line.

One file a family of commands, `weak_*.py`.  They import everything heavy inside the commands: `mwp-weak --help` loads
no numpy, numba or torch.
"""

from __future__ import annotations

from importlib import import_module

import click

import mathcanon as mc

from ._completion import completion_command
from ._output import Commands

__all__ = ["main"]

#: Every command and the module that has it, in the order of the data.  A new command is a line here.
COMMANDS = {
    "data": "weak_data",
    "search": "weak_search",
    "rank": "weak_labels",
    "export": "weak_labels",
    "oracle": "weak_oracle",
    "show": "weak_oracle",
    "report": "weak_report",
    "pipeline": "weak_pipeline",
    "train": "weak_solver",
    "evaluate": "weak_solver",
    "solve": "weak_solve",
    "baseline": "weak_baseline",
}


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(mc.__version__, "-V", "--version", prog_name="mwp-weak")
def main() -> None:
    """Math-word-problem solvers from answers alone: search equations, choose labels, measure them.

    Without --data, every command uses the embedded story problems.

    \b
    mwp-weak data show
    mwp-weak search -o candidates.jsonl
    mwp-weak rank candidates.jsonl -o labels.jsonl
    mwp-weak oracle labels.jsonl
    """


for _name, _module in COMMANDS.items():
    main.add_command(getattr(import_module(f".{_module}", __package__), _name))
main.add_command(completion_command("mwp-weak"))
