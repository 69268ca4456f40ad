"""`mwp-canon serve`: explore expressions in a browser."""

from __future__ import annotations

import click

from ._output import YES, Terminated
from ._terminal import echo

__all__ = ["serve"]


@click.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="The port; 0 for any free one."
)
@click.option("--open", "in_browser", is_flag=True, help="Open the page in the default browser.")
def serve(port: int, in_browser: bool) -> int:
    """Show two expressions side by side in a browser: both trees, canonical forms, the verdict, a counterexample.

    The server can be reached from this machine only.  Stop it with Ctrl-C.

    \b
    mwp-canon serve --open
    """
    from weaksup.report.explorer import HOST, open_explorer

    try:
        explorer = open_explorer(port)
    except OSError as error:
        raise click.ClickException(f"port {port} can't be used: {error.strerror}; choose another with --port") from None
    with explorer as server:
        address = f"http://{HOST}:{server.server_port}/"
        echo(address)
        if in_browser:
            import webbrowser

            webbrowser.open(address)
        try:
            server.serve_forever()
        except Terminated:
            raise
        except KeyboardInterrupt:
            return YES  # the usual way to stop it
    return YES
