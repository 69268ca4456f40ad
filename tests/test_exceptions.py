"""Every exception of both packages survives pickling, so that it comes back from a process pool as it was."""

import importlib
import pickle
import pkgutil
from typing import Any

import pytest

import mathcanon
import weaksup
from mathcanon import LimitError, ParseError, SolutionError
from mathcanon.interop import ConversionError
from weaksup.errors import DataError, NothingToLearn

#: Examples of those that take more than a message.
EXAMPLES: dict[type[Exception], Exception] = {
    ParseError: ParseError("two operands side by side", "2a", 1, hint="write 2*a"),
    SolutionError: SolutionError("there is no number", "no idea", 0, hint="mark the answer"),
    LimitError: LimitError("the exponent", 10**30, 10_000, hint="take a smaller one"),
    ConversionError: ConversionError("no expression for this", ("node", 1)),
    DataError: DataError("not a number", path="a.jsonl", line=3, field="answer"),
    NothingToLearn: NothingToLearn("no labels", path="labels.jsonl"),
}


def exception_classes() -> list[type[Exception]]:
    found: dict[type[Exception], None] = {}
    for package in (mathcanon, weaksup):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            for item in vars(importlib.import_module(module.name)).values():
                if (
                    isinstance(item, type)
                    and issubclass(item, Exception)
                    and item.__module__.startswith(package.__name__)
                ):
                    found[item] = None
    return list(found)


def attributes(error: Exception) -> dict[str, Any]:
    return {"type": type(error), "args": error.args, "text": str(error), **vars(error)}


@pytest.mark.parametrize("kind", exception_classes(), ids=lambda kind: kind.__name__)
def test_an_exception_survives_pickling(kind: type[Exception]) -> None:
    error = EXAMPLES.get(kind) or kind("what went wrong")
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert attributes(pickle.loads(pickle.dumps(error, protocol))) == attributes(error)
