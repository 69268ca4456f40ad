"""`mwp-weak report`: the page of a run."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["report"]


@click.command()
@click.argument("folder", metavar="RUN_DIR", type=click.Path(path_type=Path))
def report(folder: Path) -> None:
    """Write RUN_DIR/report.html again from metrics.json and examples.jsonl of the same folder; prints its path.

    One page with everything in it, for screens of any width and for paper.  The same files give the same bytes.

    \b
    mwp-weak report runs/stories
    """
    from weaksup.report import write_report

    click.echo(write_report(folder))
