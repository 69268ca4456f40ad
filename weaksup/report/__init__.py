"""A run folder -> one self-contained page, `report.html`, and the sample of problems that it shows.

`write_report(folder)` reads metrics.json and examples.jsonl, of a baseline also config.toml, and nothing else; the
same files give the same bytes.
"""

from __future__ import annotations

from .examples import calibration, sample_examples, sample_rule
from .page import build_page, require_jinja, write_report

__all__ = ["build_page", "calibration", "require_jinja", "sample_examples", "sample_rule", "write_report"]
