"""Do two arithmetic expressions mean the same?

Canonical series-reduced expressions over + - * /: exact equivalence, deduplication, enumeration of every
non-equivalent expression once, exact counts, and the search for all expressions that reach a value.

>>> import mathcanon as mc
>>> bool(mc.equivalent("a-b+c", "a+c-b"))
True
>>> mc.count(6)
793002
"""

from .algebra import Algebra, fold
from .batches import equivalent_many, keys, parse_many
from .canonical_form import canonical, signed_class
from .compiled import BUILD as _BUILD
from .conversions import bind as _bind
from .counting import LAWS, Asymptotics, Row, asymptotics, count, sequence, table
from .deduping import Deduper, dedupe
from .digests import key
from .drawing import draw, tree_png, tree_svg, tree_text
from .equality.fingerprints import fingerprint
from .equality.verdict import Verdict, equivalent
from .errors import ArgumentError, EvaluationError, LimitError, MathCanonError, ParseError, SolutionError
from .expr import Expr, ExprLike, Number, Operand, Power, Product, Sum
from .grading import Grade, grade, grade_many
from .interop import from_networkx, from_sympy, to_networkx, to_sympy
from .notation.notations import parse, parse_equation, parse_number, render
from .notation.solutions import Solution, Step, read_solution
from .proof import Check, Proof, prove
from .reaching.numbers_to_target import Hit, reach, reach_batch
from .space import expressions, rank, sample, unrank
from .values import evaluate

_bind()

__version__ = "0.1.0"
__build__ = _BUILD  # "compiled" or "pure"

__all__ = [
    "LAWS",
    "Algebra",
    "ArgumentError",
    "Asymptotics",
    "Check",
    "Deduper",
    "EvaluationError",
    "Expr",
    "ExprLike",
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
    "Solution",
    "SolutionError",
    "Step",
    "Sum",
    "Verdict",
    "asymptotics",
    "canonical",
    "count",
    "dedupe",
    "draw",
    "equivalent",
    "equivalent_many",
    "evaluate",
    "expressions",
    "fingerprint",
    "fold",
    "from_networkx",
    "from_sympy",
    "grade",
    "grade_many",
    "key",
    "keys",
    "parse",
    "parse_equation",
    "parse_many",
    "parse_number",
    "prove",
    "rank",
    "reach",
    "reach_batch",
    "read_solution",
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
