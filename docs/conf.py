"""How the documentation is built: `make docs`, or `sphinx-build -W -q -b html docs docs/_build/html`.

Nothing is fetched from a network, neither while building nor while reading: formulas are written as MathML, which
every current browser draws by itself.
"""

from __future__ import annotations

import os
import re
from importlib.metadata import metadata
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.errors import ExtensionError
from sphinx.util.math import get_node_equation_number

import mathcanon

DOCS = Path(__file__).resolve().parent

project = "mathcanon"
author = "the mathcanon contributors"
version = release = mathcanon.__version__
copyright = "the mathcanon contributors, MIT licence"

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
exclude_patterns = ["_build", "jupyter_execute"]
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# Notebooks are run in a temporary folder each time, and a cell that raises stops the build.
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True

# The copy button leaves out prompts and outputs.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 110
default_role = "py:obj"  # `name` in a docstring links to what has that name, and is plain code otherwise

html_theme = "furo"
html_title = "mathcanon"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["mathcanon.css"]
html_copy_source = False
# The address of the repository gives every page a link to it and, where the theme knows the host, to the page's source.
# It is what MATHCANON_REPOSITORY says, else what `setup.cfg` has; without either there is no link.
_addresses = dict(line.split(", ", 1) for line in metadata("mathcanon").get_all("Project-URL", []))
repository = os.environ.get("MATHCANON_REPOSITORY") or _addresses.get("Repository", "")
if repository:
    _icon = (DOCS / "_static" / "repository.svg").read_text(encoding="utf-8")
    html_theme_options: dict[str, Any] = {
        "footer_icons": [{"name": "Repository", "url": repository, "html": _icon, "class": ""}]
    }
    if repository.startswith(("https://github.com/", "https://gitlab.com/")):
        html_theme_options |= {
            "source_repository": repository,
            "source_branch": "main",
            "source_directory": "docs/",
        }
html_show_sphinx = False


# docutils reads LaTeX with a few gaps, which are filled here: arguments of one digit, primes beside other scripts.
_GAPS: tuple[tuple[str, str], ...] = (
    (r"(\\[td]?frac)\s*(\d)\s*(\d)", r"\1{\2}{\3}"),
    (r"(\\[td]?frac)\s*(\d)", r"\1{\2}"),
    (r"'_(\w|\{[^{}]*\})", r"_\1^{\\prime}"),
    (r"'\^\{\\?,?", r"^{\\prime "),
    (r"'", r"^{\\prime}"),
    (r"\\dots\b", r"\\ldots"),
    (r"\|([^|]+)\|", r"\\lvert \1\\rvert "),
)


def _mathml(latex: str, *, block: bool) -> str:
    for pattern, replacement in _GAPS:
        latex = re.sub(pattern, replacement, latex)
    try:
        mathml = str(tex2mathml(latex, as_block=block))
    except MathError as error:
        raise ExtensionError(f"a formula that can't be written as MathML ({error}): {latex}") from error
    # A line over a formula as wide as the formula.
    mathml = re.sub(
        r'(?s)<mover accent="false">(.*?)<mo accent="true">_</mo>\s*</mover>',
        r'<mrow style="border-top: 0.06em solid">\1</mrow>',
        mathml,
    )
    # Braces and bars are brackets: no space around them.
    return re.sub(r"<mo[^>]*>([{}|])</mo>", r'<mo stretchy="false" lspace="0" rspace="0">\1</mo>', mathml)


def _inline_math(translator: Any, node: nodes.math) -> None:
    translator.body.append(_mathml(node.astext(), block=False))
    raise nodes.SkipNode


def _block_math(translator: Any, node: nodes.math_block) -> None:
    number = ""
    if node["number"]:
        number = f'<span class="eqno">({get_node_equation_number(translator, node)})</span>'
    identifier = f' id="{node["ids"][0]}"' if node["ids"] else ""
    translator.body.append(f'<div class="math"{identifier}>{_mathml(node.astext(), block=True)}{number}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> None:
    app.add_html_math_renderer("mathml", (_inline_math, None), (_block_math, None))
