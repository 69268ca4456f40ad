"""The page itself: metrics and examples -> one HTML text that loads nothing from anywhere.

Jinja escapes every value; the examples are JSON without `<`, `>` and `&`, which the script turns into text nodes.
Trees are drawn once for each expression, inside a <template> that a browser does not lay out; the script copies those
that are looked at.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import msgspec

from mathcanon.files import whole_file

from ..storage.provenance import check_output
from ..storage.run_files import CONFIG, EXAMPLES, MADE, METRICS, REPORT, TEST_EXAMPLES, TIMES
from .browser import Trees, browsed
from .headline import facts
from .palette import palette_css
from .run_numbers import RunNumbers, read_run
from .sections import SECTIONS, page_input
from .self_contained import open_templates, policy, template_text
from .shown_predictions import browsed_prediction

__all__ = ["build_page", "write_report"]


def write_report(folder: str | PathLike[str]) -> Path:
    """Write `report.html` of a run folder from its other files, and return its path.

    Parameters
    ----------
    folder
        A run folder.

    Returns
    -------
    Path
        The path of the page.

    Raises
    ------
    DataError
        If the files are damaged.
    WeakSupError
        If jinja2 is missing.
    """
    folder = Path(folder)
    check_output(
        folder / REPORT,
        inputs=[folder / name for name in (METRICS, EXAMPLES, TEST_EXAMPLES, MADE, TIMES, CONFIG)],
        force=True,
    )
    page = build_page(read_run(folder))
    with whole_file(folder / REPORT) as file:
        file.write(page.encode("utf-8"))
    return folder / REPORT


def build_page(run: RunNumbers) -> str:
    """The report as HTML; the same input gives the same text."""
    templates = open_templates()
    page = page_input(run)
    trees = Trees()
    shown = [browsed(example, trees) for example in run.examples]
    predicted = [browsed_prediction(prediction, trees) for prediction in run.predictions]
    style = palette_css() + template_text("report.css")
    script = template_text("report.js")
    sections = []
    for section in SECTIONS:
        if values := section.values(page):
            html = templates.get_template(f"{section.key}.html").render(**values)
            sections.append({**section._asdict(), "html": html})
    return templates.get_template("report.html").render(
        data=page.data,
        facts=facts(run.metrics, page.data),
        sections=sections,
        examples=_safe_json(shown),
        predictions=_safe_json(predicted),
        trees=trees.drawn,
        style=style,
        script=script,
        policy=policy(style, script),
    )


def _safe_json(value: Any) -> str:
    """JSON that is safe inside a <script>: nothing in it can end the element or begin a comment."""
    text = msgspec.json.encode(value).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
