"""Pages that load nothing from anywhere and run nothing but their own script.

Style and script are inline; the Content-Security-Policy lists their hashes and forbids everything else, so nothing in a
text on the page can be executed or fetched.  Jinja escapes every value.
"""

from __future__ import annotations

import base64
import hashlib
from importlib import resources
from typing import TYPE_CHECKING

from mathcanon.errors import install_command

from ..errors import WeakSupError
from .charts import swatch

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["open_templates", "policy", "require_jinja", "template_text"]


def require_jinja() -> None:
    """Raise WeakSupError if jinja2 is missing; to be called before a long run, not after it."""
    open_templates()


def open_templates() -> Environment:
    """The Jinja environment of the templates, with autoescape; raises WeakSupError if jinja2 is missing."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise WeakSupError(f"the report needs jinja2: {install_command('solver')}") from None
    environment = Environment(
        loader=PackageLoader("weaksup.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals["swatch"] = swatch
    return environment


def template_text(name: str) -> str:
    """The text of a style sheet or script in the folder of templates."""
    return resources.files("weaksup.report").joinpath("templates", name).read_text("utf-8")


def policy(style: str, script: str | None = None) -> str:
    """A Content-Security-Policy that allows only this style and, if given, this script."""
    allowed = "" if script is None else f" script-src {_source(script)};"
    return f"default-src 'none'; style-src {_source(style)};{allowed} base-uri 'none'; form-action 'none'"


def _source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
