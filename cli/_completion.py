"""The command `completion` of both programs: prints the script that makes a shell complete commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from ._terminal import echo

__all__ = ["completion_command"]


_HELP = "Print a script that makes a shell complete commands and options."


def completion_command(program: str) -> click.Command:
    """The command `completion` of a program, which prints click's own script for it."""

    @click.command("completion", help=f"{_HELP}\n\n\b\n{program} completion bash")
    @click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
    @click.pass_context
    def completion(context: click.Context, shell: str) -> None:
        script = get_completion_class(shell)
        assert script is not None  # click has one for each of the shells above
        variable = f"_{program.replace('-', '_').upper()}_COMPLETE"
        echo(script(context.find_root().command, {}, program, variable).source())

    return completion
