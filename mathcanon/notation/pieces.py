r"""Text -> pieces: numbers, signs, words and breaks, each with its place.

One regular expression splits the text; what stands between dollar signs, in `\( \)`, `\[ \]` or after a command is
split by the LaTeX reader.  No pattern looks further ahead than the next delimiter, so the cost is linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from unicodedata import numeric

from ..errors import ParseError
from .latex import latex_tokens
from .notations import parse_number
from .pasted import to_ascii

__all__ = ["CLOSING", "NAME", "OPENING", "OPERATORS", "closing_braces", "read_pieces", "read_quantities"]

OPERATORS = frozenset(("+", "-", "*", "/", "^"))
OPENING, CLOSING = frozenset("([{"), frozenset(")]}")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_DIGITS = r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,3}(?:\ [0-9]{3})+(?![0-9,])|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+"
#: Not supported, like `5!`, `7C2`, `|5-7|` and `5 mod 3`: an argument must not be taken for the value.
_FUNCTIONS = (
    "(?:sq|cb)rt|log(?:2|10)?|ln|lg|exp|pow|(?:a|arc)?(?:sin|cos|tan)h?"
    "|abs|floor|ceil|round|factorial|gcd|lcm|max|min|mod"
)
_PIECE = re.compile(
    rf"""
      (?P<calculation> <<[^<>\n]*>> (?:\s{{0,3}}[$€£]?\s{{0,3}}-?(?:{_DIGITS})%?)? )
    | (?P<math>     \$\$[^$]+\$\$ | \$(?=[^\s$])(?!<<)[^$]*(?<=[^\s$])\$(?![0-9]|<<) )
    | (?P<display>  \\\( | \\\[ | \\begin\{{[a-z]+\*?\}} )
    | (?P<vulgar>   [0-9]*\ ?[¼-¾⅐-⅞] )
    | (?P<mixed>    [0-9]+\ (?:and\ )?[0-9]{{1,2}}/[0-9]+(?![0-9/.]) )
    | (?P<fraction> (?<=\s)[0-9]+/[0-9]+(?![0-9/.]) )
    | (?P<spoil>    (?<!\w)(?i:{_FUNCTIONS})\ ?\([^()\n]*\)? | [√∛∜±∓] | \|[^|\s]+\| | (?<=[0-9]\ )mod(?=\ [0-9])
                  | [0-9]+[CP][0-9]+(?!\w) | (?<=[0-9)])!(?=\s{{0,3}}[-+*/^=)]) )
    | (?P<number>   (?:{_DIGITS}) (?:\s*%)? )
    | (?P<times>    [xX](?=\s{{0,3}}[$€£]?\s{{0,3}}[0-9.(]) )
    | (?P<power>    [²³] )
    | (?P<equals>   ==?|≈|equals(?!\w) )
    | (?P<spoken>   (?:divided\ by|multiplied\ by|times|plus|minus)(?=\ [$€£(]?[0-9.(]) )
    | (?P<unit>     so\ far(?!\w) | \((?=[^\W\d])[^()0-9=+*\n]*\) | [°"] )
    | (?P<word>     [^\W\d_](?:\w|['’](?=\w))* )
    | (?P<command>  \\[A-Za-z]+ )
    | (?P<operator> \*\*|//|[-+*/^] )
    | (?P<bracket>  [()\[\]{{}}] )
    | (?P<soft>     \n(?=[\s&]{{0,40}}=) | \\\\ )
    | (?P<space>    [^\S\n]+ | [$€£&~'’] | \\[ ,;:!$%] )
    | (?P<stop>     . )
    """,
    re.VERBOSE | re.DOTALL,
)
_BOLD = re.compile(r"(?<![\w*)])\*\*(?=[^\s*])([^*\n]*)(?<=[^\s*])\*\*(?![\w*(])")
_BARE = ("text", "mathrm", "mbox", "textbf", "quad", "qquad", "left", "right", "displaystyle")
_BRACED_FRACTION = re.compile(r"\s*(?:[0-9]\s*[0-9]|[0-9]\s*(?=\{))")
_RELATIONS = (
    r"""\Rightarrow \implies \iff \to \rightarrow \Longrightarrow \le \ge \leq \geq \lt \gt \ne \neq \equiv \in"""
)
_BREAKS = frozenset((",", ";", ":", "<", ">", "?", *_RELATIONS.split()))
_TO_TWENTY = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen twenty"""
_COUNTS = {word: value for value, word in enumerate(_TO_TWENTY.split())}

Piece = tuple[str, str, int, int]  # kind, text, start, end


def read_pieces(text: str) -> Iterator[Piece]:
    """The pieces of `text`, LaTeX already as infix tokens."""
    clean = _BOLD.sub(r"  \1  ", to_ascii(text)).replace("\N{NO-BREAK SPACE}", " ")
    braces = closing_braces(clean) if "\\" in clean else {}
    unclosed: set[str] = set()
    position = 0
    while position < len(clean):
        found = _PIECE.match(clean, position)
        assert found is not None and found.lastgroup is not None  # the last alternative takes anything
        kind, piece, start, position = found.lastgroup, found[0], position, found.end()
        if kind == "display":
            closing = {"\\(": "\\)", "\\[": "\\]"}.get(piece, "\\end{")
            end = -1 if closing in unclosed else clean.find(closing, position)
            if end < 0:
                unclosed.add(closing)
                continue
            yield from _latex_pieces(clean[position:end], position)
            position = clean.find("}", end) + 1 if closing == "\\end{" else end + 2
        elif kind == "math":
            yield from _latex_pieces(piece.strip("$"), start + 1)
        elif kind == "command":
            position = _command_end(clean, piece, position, braces)
            if piece[1:] == "boxed":
                continue
            if piece[1:] in _BARE:
                yield "unit", piece, start, position
            else:
                yield from _latex_pieces(clean[start:position], start)
        elif kind == "vulgar":
            above, below = Fraction(numeric(piece[-1])).limit_denominator(10).as_integer_ratio()
            yield "number", f"{piece[:-1].strip()}({above}/{below})", start, position
        elif kind == "mixed":
            whole, above, below = re.findall("[0-9]+", piece)
            if int(above) < int(below):
                yield "number", f"{whole}({above}/{below})", start, position
            else:
                position = start + len(whole)
                yield "number", whole, start, position
        elif kind == "number":
            yield kind, re.sub(r"[,\s]", "", piece), start, position
        else:
            yield kind, piece, start, position


def _command_end(text: str, command: str, position: int, braces: dict[int, int]) -> int:
    """Where the arguments of a command end."""
    if command == "\\boxed":
        return position
    if command.endswith("frac"):
        digits = _BRACED_FRACTION.match(text, position)
        position = digits.end() if digits else position
    while position in braces:
        position = braces[position] + 1
    return position


def _latex_pieces(latex: str, offset: int) -> Iterator[Piece]:
    try:
        tokens = latex_tokens(latex)
    except ParseError:
        yield "stop", latex, offset, offset + len(latex)
        return
    if tokens and tokens[0][0] in ("-", "+"):  # a sign that begins a formula does not continue the text before it
        yield "stop", "", offset, offset
    for token, place in _with_whole_powers(tokens):
        start = offset + place
        if token == "\\\\":
            kind = "soft"
        elif token == "=":
            kind = "equals"
        elif token[0].isdigit() or (token[0] in ".(" and len(token) > 1):
            kind = "number"
        elif token[0] == "^" and len(token) > 1:
            kind = "power"
        elif token in OPERATORS:
            kind = "sign"
        elif token in OPENING or token in CLOSING:
            kind = "bracket"
        else:
            kind = "name" if NAME.fullmatch(token) else "stop" if token in _BREAKS else "spoil"
        yield kind, token, start, start + len(token)


def closing_braces(text: str) -> dict[int, int]:
    """The position of the closing brace for each opening brace that has one."""
    closing: dict[int, int] = {}
    stack: list[int] = []
    for found in re.finditer(r"\\.|[{}]", text, re.DOTALL):
        if found[0] == "{":
            stack.append(found.start())
        elif found[0] == "}" and stack:
            closing[stack.pop()] = found.start()
    return closing


@lru_cache(maxsize=1024)
def read_quantities(text: str) -> frozenset[Fraction]:
    """The numbers of a question, in digits and as the words zero to twenty.

    >>> sorted(read_quantities("Three boxes of 1,000 pens at 20% off, 1 1/2 each"))
    [Fraction(1, 5), Fraction(3, 2), Fraction(3, 1), Fraction(1000, 1)]
    """
    found: set[Fraction] = set()
    for kind, piece, _, _ in read_pieces(text):
        if kind in ("number", "fraction"):
            found.add(parse_number(piece))
        elif kind == "word" and piece.lower() in _COUNTS:
            found.add(Fraction(_COUNTS[piece.lower()]))
    return frozenset(found)


def _with_whole_powers(tokens: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """The tokens, with each `^` and the whole number after it joined into one token."""
    joined: list[tuple[str, int]] = []
    for token, place in tokens:
        before, where = joined[-1] if joined else ("", 0)
        if before in ("^", "^-") and (token.isdigit() or before + token == "^-"):
            joined[-1] = before + token, where
        else:
            joined.append((token, place))
    return joined
