"""The page itself: metrics and examples -> one HTML text that asks for nothing from anywhere.

Style and script stand in the page; its Content-Security-Policy names their hashes and forbids everything else, so that
whatever a problem's text holds, it is neither run nor fetched.  Jinja escapes every value; the examples are JSON
without `<`, `>` and `&`, which the script turns into text nodes.  Trees are drawn once for each expression, inside a
<template> that a browser does not lay out; the script copies those that are looked at.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from importlib import resources
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ..errors import WeakSupError
from ..files import whole_file
from ..published import is_math23k
from ..run_folder import REPORT, Evaluation, Metrics, ShownExample
from .browser import Trees, browsed, choices_of
from .charts import swatch
from .headline import facts, headline
from .palette import palette_css
from .run_files import read_run
from .sections import (
    arm_size_figure,
    calibration_figure,
    distribution_figure,
    oracle_figure,
    size_figure,
    training_figures,
)
from .tables import ablation_table, config_rows, label_table, search_tables, size_table

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["build_page", "require_jinja", "write_report"]


def write_report(folder: str | PathLike[str]) -> Path:
    """Writes `report.html` of a run folder from its other files; where it is."""
    folder = Path(folder)
    page = build_page(*read_run(folder))
    with whole_file(folder / REPORT) as file:
        file.write(page.encode("utf-8"))
    return folder / REPORT


def require_jinja() -> None:
    """Nothing, or the error that names what to install: better before a run than when its report is due."""
    _environment()


def build_page(metrics: Metrics, examples: Sequence[ShownExample]) -> str:
    """The report as HTML; the same input gives the same text."""
    environment = _environment()
    main = metrics.arms[0] if metrics.arms else None
    runs = main.runs if main else []
    evaluation = runs[0].evaluation if runs else None
    data = data_name(metrics.config, evaluation)
    paper = is_math23k(data)
    trees = Trees()
    shown = [browsed(example, trees) for example in examples]
    style = palette_css() + _template("report.css")
    script = _template("report.js")
    figures = {
        "sizes": size_figure(metrics.candidates, runs),
        "distribution": distribution_figure(metrics.distribution),
        "oracle": oracle_figure(metrics.arms),
        "arm_sizes": arm_size_figure(metrics.arms),
        "calibration": calibration_figure(main) if main else None,
    }
    return environment.get_template("report.html").render(
        data=data,
        paper=paper,
        main=main,
        evaluation=evaluation,
        metrics=metrics,
        facts=facts(metrics, data),
        tiles=headline(metrics, paper=paper),
        figures=figures,
        curves=training_figures(metrics.arms),
        search=search_tables(metrics.candidates, paper=paper) if metrics.candidates else [],
        sizes=size_table(metrics.candidates, runs),
        labels=label_table(metrics, paper=paper),
        ablation=ablation_table(metrics.arms, paper=paper),
        config=config_rows(metrics.config),
        swatch=swatch,
        examples=_safe_json(shown),
        count=len(examples),
        rule=metrics.examples_rule,
        choices=choices_of(examples),
        trees=trees.drawn,
        style=style,
        script=script,
        policy=_policy(style, script),
    )


def data_name(config: Mapping[str, Any], evaluation: Evaluation | None) -> str:
    """What the corpus is called."""
    if evaluation and evaluation.data:
        return evaluation.data
    named = config.get("data") or config.get("corpus") or "unnamed data"
    return str(named.get("name", "unnamed data") if isinstance(named, Mapping) else named)


def _environment() -> Environment:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        hint = "pip install jinja2, or this package with the extra 'solver'"
        raise WeakSupError(f"the report needs jinja2: {hint}") from None
    return Environment(
        loader=PackageLoader("weaksup.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _template(name: str) -> str:
    return resources.files("weaksup.report").joinpath("templates", name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    """A Content-Security-Policy under which the page can ask for nothing."""
    return (
        f"default-src 'none'; style-src {_source(style)}; script-src {_source(script)};"
        " base-uri 'none'; form-action 'none'"
    )


def _source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _safe_json(value: Any) -> str:
    """JSON that may stand in a <script>: nothing in it can end the element or begin a comment."""
    text = msgspec.json.encode(value).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
