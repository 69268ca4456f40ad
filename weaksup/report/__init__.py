"""From a run folder to one self-contained page, `report.html`; the same files always give the same bytes.

Reading order: `shown_problems`, `shown_predictions` and `run_numbers` (the input), `published` (the paper's
figures), `numbers_text`, `by_size`, `score_tables` and `tables` (numbers as text and tables), `palette`, `scales`,
`charts`, `curves` and `figures` (pictures), `headline`, `browser` and `sections` (the parts of the page), `page`.
`graph_drawing` draws the graphs of G2T and has nothing to do with the page.
"""

from __future__ import annotations

from .page import build_page, write_report
from .run_numbers import RunNumbers
from .self_contained import require_jinja
from .shown_problems import sample_examples, sample_rule

__all__ = ["RunNumbers", "build_page", "require_jinja", "sample_examples", "sample_rule", "write_report"]
