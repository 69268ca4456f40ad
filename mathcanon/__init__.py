"""Do two arithmetic expressions mean the same?

Canonical series-reduced expressions over + - * /: exact equivalence, deduplication, enumeration of every
non-equivalent expression once, exact counts, and the search for all expressions that reach a value.

>>> import mathcanon as mc
>>> bool(mc.equivalent("a-b+c", "a+c-b"))
True
>>> mc.count(6)
793002
"""

from ._fingerprint import fingerprint
from .algebra import Algebra, fold
from .canonical import canonical, key, signed_class
from .counting import LAWS, Asymptotics, Row, asymptotics, count, sequence, table
from .dedupe import Deduper, dedupe
from .drawing import draw, tree_png, tree_svg, tree_text
from .equivalence import Verdict, equivalent
from .errors import EvaluationError, LimitError, MathCanonError, ParseError
from .evaluate import evaluate
from .expr import Expr, Number, Operand, Power, Product, Sum
from .grade import Grade, grade
from .interop import from_networkx, from_sympy, to_networkx, to_sympy
from .parse import parse, parse_equation, parse_number
from .proof import Check, Proof, prove
from .reach import Hit, reach, reach_batch
from .render import render
from .space import expressions, rank, sample, unrank

__version__ = "0.1.0"

__all__ = [
    "LAWS",
    "Algebra",
    "Asymptotics",
    "Check",
    "Deduper",
    "EvaluationError",
    "Expr",
    "Grade",
    "Hit",
    "LimitError",
    "MathCanonError",
    "Number",
    "Operand",
    "ParseError",
    "Power",
    "Product",
    "Proof",
    "Row",
    "Sum",
    "Verdict",
    "asymptotics",
    "canonical",
    "count",
    "dedupe",
    "draw",
    "equivalent",
    "evaluate",
    "expressions",
    "fingerprint",
    "fold",
    "from_networkx",
    "from_sympy",
    "grade",
    "key",
    "parse",
    "parse_equation",
    "parse_number",
    "prove",
    "rank",
    "reach",
    "reach_batch",
    "render",
    "sample",
    "sequence",
    "signed_class",
    "table",
    "to_networkx",
    "to_sympy",
    "tree_png",
    "tree_svg",
    "tree_text",
    "unrank",
]
