"""Two expressions -> a page with their trees, canonical forms and the verdict, served to browsers on this machine.

The page is a form and has no script: the browser sends the two expressions, the server answers with a new page.  The
server listens on the loopback interface, and answers only requests that were sent to it by that name, so that a page
from elsewhere can't make the browser ask.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import mathcanon as mc
from mathcanon.drawing import tree_svg

from .browser import bare_svg
from .palette import palette_css
from .self_contained import open_templates, policy, template_text

__all__ = ["EXAMPLES", "HOST", "build_explorer_page", "open_explorer"]

HOST = "127.0.0.1"
#: Pairs to begin with.
EXAMPLES = [("a-(b-c)", "a+c-b"), ("a*b+a*c", "a*(b+c)"), ("a/(b/c)", "a/b/c"), ("a/a", "1")]
_LONGEST = 2_000  # characters of an expression


def build_explorer_page(left: str, right: str) -> str:
    """The page for two expressions, either of which may be empty or wrong."""
    style = palette_css() + template_text("report.css") + template_text("explorer.css")
    sides = [_side("Left", "left", left), _side("Right", "right", right)]
    return (
        open_templates()
        .get_template("explorer.html")
        .render(
            sides=sides,
            verdict=_verdict(left, right) if all(side["rows"] for side in sides) else None,
            examples=EXAMPLES,
            style=style,
            policy=policy(style).replace("form-action 'none'", "form-action 'self'"),
        )
    )


def _side(title: str, name: str, text: str) -> dict[str, Any]:
    side: dict[str, Any] = {"title": title, "name": name, "text": text, "rows": [], "trees": [], "error": ""}
    if not text.strip():
        return side
    try:
        if len(text) > _LONGEST:
            raise mc.LimitError("the number of characters", len(text), _LONGEST)
        expr = mc.parse(text)
        form = mc.canonical(expr)
        side["rows"] = [
            ("canonical form", str(form)),
            ("skeleton", _skeleton(form)),
            ("LaTeX", mc.render(form, "latex")),
            ("key", mc.key(form)),
            ("key by value", mc.key(form, by="value")),
        ]
        side["trees"] = list(_trees(expr, form))
    except mc.MathCanonError as error:
        side["error"] = str(error)
    return side


def _skeleton(form: mc.Expr) -> str:
    try:
        return mc.render(form, "skeleton")
    except mc.MathCanonError:
        return "–"  # the paper's notation has no numbers and no powers


def _trees(expr: mc.Expr, form: mc.Expr) -> Iterator[tuple[str, str]]:
    """The trees as pictures, each with its caption; a tree that is too large to draw is a sentence."""
    shown = [("as written and canonical", form)] if expr == form else [("as written", expr), ("canonical", form)]
    for caption, tree in shown:
        try:
            yield caption, bare_svg(tree_svg(tree))
        except mc.LimitError as error:
            yield caption, escape(str(error))


def _verdict(left: str, right: str) -> dict[str, Any]:
    verdict = mc.equivalent(left, right)
    return {"equivalent": bool(verdict), "summary": verdict.summary, "notes": verdict.notes}


class _Handler(BaseHTTPRequestHandler):
    """Answers GET / with the page of the expressions in the query."""

    server_version = "mathcanon"
    sys_version = ""

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        port = self.connection.getsockname()[1]
        if self.headers.get("Host") not in (f"{HOST}:{port}", f"localhost:{port}"):
            self._answer(403, "text/plain", "This server answers requests from this machine only.\n")
        elif address.path != "/":
            self._answer(404, "text/plain", "There is only one page: /\n")
        else:
            given = parse_qs(address.query)
            left, right = ((given.get(name) or [""])[0] for name in ("left", "right"))
            self._answer(200, "text/html", build_explorer_page(left, right))

    def _answer(self, status: int, kind: str, text: str) -> None:
        body = text.encode(errors="backslashreplace")
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: a request is not news."""


def open_explorer(port: int = 0) -> ThreadingHTTPServer:
    """The server, not yet serving; `OSError` if the port is taken.  Port 0 is any free one."""
    open_templates()  # raises now, not at the first request, if jinja2 is missing
    server = ThreadingHTTPServer((HOST, port), _Handler)
    server.daemon_threads = True
    return server
