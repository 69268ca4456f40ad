"""`mwp-weak report`: the page of a run."""

from __future__ import annotations

from pathlib import Path

import click

from ._options import PLACE
from ._terminal import echo

__all__ = ["report"]


@click.command()
@click.argument("folder", metavar="RUN_DIR", type=PLACE)
def report(folder: Path) -> None:
    """Rewrite RUN_DIR/report.html from metrics.json and examples.jsonl in the same folder, and print its path.

    The report is one self-contained page, for screens of any width and for print.  The same files give the same bytes.

    \b
    mwp-weak report runs/stories
    """
    from weaksup.report import write_report

    echo(write_report(folder))
