"""The sections of the page, in order: each is a template in `templates/` and a line of `SECTIONS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ..measure.metrics import Arm, ArmRun, Evaluation, Metrics
from .browser import choices_of
from .figures import (
    arm_size_figure,
    calibration_figure,
    distribution_figure,
    oracle_figure,
    size_figure,
    training_figures,
)
from .headline import headline
from .published import is_math23k
from .run_numbers import RunNumbers
from .shown_predictions import prediction_choices
from .tables import ablation_table, config_rows, label_table, limits_table, made_rows, search_tables, size_table

__all__ = ["SECTIONS", "PageInput", "Section", "page_input"]


class PageInput(NamedTuple):
    """The data that sections are made from."""

    metrics: Metrics
    run: RunNumbers
    data: str  # the name of the corpus
    paper: bool  # whether the paper has figures for this corpus
    main: Arm | None
    runs: Sequence[ArmRun]  # of the main arm
    evaluation: Evaluation | None


class Section(NamedTuple):
    """A section of the page."""

    key: str  # its id, and the name of its template
    title: str
    values: Callable[[PageInput], dict[str, Any]]  # for the template; if empty, the section is left out
    linked: bool | None = True  # whether the navigation links to it; None: no heading either


def page_input(run: RunNumbers) -> PageInput:
    metrics = run.metrics
    main = metrics.arms[0] if metrics.arms else None
    runs = main.runs if main else []
    evaluation = runs[0].evaluation if runs else None
    data = data_name(metrics.config, evaluation)
    return PageInput(metrics, run, data, is_math23k(data), main, runs, evaluation)


def data_name(config: Mapping[str, Any], evaluation: Evaluation | None) -> str:
    """The name of the corpus."""
    if evaluation and evaluation.data:
        return evaluation.data
    named = config.get("data") or config.get("corpus") or "unnamed data"
    return str(named.get("name", "unnamed data") if isinstance(named, Mapping) else named)


def _headline(page: PageInput) -> dict[str, Any]:
    return {"tiles": headline(page.metrics, paper=page.paper), "paper": page.paper, "data": page.data}


def _search(page: PageInput) -> dict[str, Any]:
    found = page.metrics.candidates
    return {
        "metrics": page.metrics,
        "search": search_tables(found, paper=page.paper) if found else [],
        "sizes": size_table(found, page.runs),
        "distribution": distribution_figure(page.metrics.distribution),
        "by_size": size_figure(found, page.runs),
        "limits": limits_table(page.metrics.limited),
    }


def _labels(page: PageInput) -> dict[str, Any]:
    return {
        "metrics": page.metrics,
        "labels": label_table(page.metrics, paper=page.paper),
        "calibration": calibration_figure(page.main) if page.main else None,
    }


def _solvers(page: PageInput) -> dict[str, Any]:
    arms = page.metrics.arms
    figures = [oracle_figure(arms), arm_size_figure(arms), *training_figures(arms)]
    return {
        "evaluation": page.evaluation,
        "ablation": ablation_table(arms, paper=page.paper),
        "figures": [figure for figure in figures if figure],
    }


def _examples(page: PageInput) -> dict[str, Any]:
    return {
        "main": page.main,
        "rule": page.metrics.examples_rule,
        "count": len(page.run.examples),
        "choices": choices_of(page.run.examples),
    }


def _predictions(page: PageInput) -> dict[str, Any]:
    shown = page.run.predictions
    if not shown or page.evaluation is None:
        return {}
    return {
        "main": page.main,
        "part": page.evaluation.split or "test",
        "count": len(shown),
        "total": max(page.evaluation.problems, len(shown)),
        "choices": prediction_choices(shown),
    }


def _settings(page: PageInput) -> dict[str, Any]:
    made = made_rows(page.run.made, page.run.times)
    lists = {
        "All settings of the run": config_rows(page.metrics.config),
        "Effective settings of corpus, solver, training and drafts": config_rows(page.metrics.effective),
    }
    known = {title: rows for title, rows in lists.items() if rows}
    return {"made": made, "lists": known} if made or known else {}


#: Every section.  A new one is a template and a line here.
SECTIONS = (
    Section("headline", "Headline numbers", _headline, linked=None),
    Section("search", "Search", _search),
    Section("labels", "Labels", _labels),
    Section("solvers", "Solvers", _solvers),
    Section("examples", "Examples", _examples),
    Section("predictions", "Predictions", _predictions),
    Section("settings", "Settings", _settings),
)
