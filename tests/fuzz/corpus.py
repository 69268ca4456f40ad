"""Texts that once broke something, each with what it broke; `make test` checks them all."""

from __future__ import annotations

#: Texts for every public function.
TEXTS = [
    # Digit runs whose length is the code of a bracket or operator (KeyError), or of a surrogate (UnicodeEncodeError).
    *[f"N{'3' * length}*b+b" for length in (31, 32, 40, 41, 42, 43, 45, 47, 91, 93, 94, 125)],
    *[f"0.{'3' * length}*6+6" for length in (40, 41, 42, 43, 45, 47, 91, 93, 94, 125)],
    "a" + "7" * 55_296,
    # Values that do not fit a float (OverflowError).
    "pi^4021",
    "pi^-4021",
    # Blanks that changed a power tower, or were kept in the text of a number.
    "2 ** 3 ** 2",
    "2**3**2",
    "2^-2^2",
    "a²³",
    "a^-\t1",
    "a^-\n1",
    "a^-\v1",
    "(1\t/6)",
    "40\t%",
    "40\u00a0%",
    "2^9999^9999",
    "2^0^99999",
    # Work without bounds, and products that grow.
    "(a^5040-1)/(a^5040-1)*b",
    f"1/{10**60 + 57}^9999+1/{10**60 + 99}^9999",
    # Brackets lost around a negative fraction.
    "1-5/3",
    # A point without decimals, which LaTeX did not read before a bracket or an operator.
    "0/(0/0.)/0",
    # Own notations: what no writer writes.
    '{"power": [{"operand": "a"}, true]}',
    '{"product": [["/", {"operand": "a"}], ["/", {"operand": "b"}]]}',
    '{"product": [["/", {"operand": "a"}], ["*", {"operand": "b"}]]}',
    '{"sum": [["+", {"operand": "a"}]]}',
    '{"sum": [[[], {"operand": "a"}], ["+", {"operand": "b"}]]}',
    '{"number": ' + "9" * 5_000 + "}",
    "[" * 5_000,
    "a^" + "9" * 5_000,
    "(" * 600 + "a" + ")" * 600,
]

#: Pairs for verdicts, grades and classes.
PAIRS = [
    *[(f"0.{'3' * length}*6+6", "8") for length in (40, 47, 125)],
    ("pi^4021", "a"),
    ("c/((99999999999*a+1)*(a+7))", "c*k/(((99999999999*a+1)*(a+7))*k)"),
    ("2 ** 3 ** 2", "64"),
    ("2 ** 3 ** 2", "512"),
    ("2^-2^2", "1/16"),
    ("1-5/3", "2"),
    ("1/(a-a)", "1/(a-a)"),
    ("a-\t40\t%", "a-0.4"),
]
