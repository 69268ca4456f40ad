"""Settings that people write: every number has a range, and a value beyond it is refused by name."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec
import pytest

from weaksup.baselines.table import LBFConfig, WARMConfig
from weaksup.errors import ConfigError
from weaksup.pipeline.config import PipelineConfig
from weaksup.settings import check_names, convert_settings
from weaksup.solvers.presets import SolverConfig, TrainConfig

RECORDS: list[type[msgspec.Struct]] = [SolverConfig, TrainConfig, PipelineConfig, LBFConfig, WARMConfig]


def numbers(record: type[msgspec.Struct]) -> dict[str, Any]:
    """The type of each field that is a number, or a number or None."""
    found = {}
    for name, hint in get_type_hints(record, include_extras=True).items():
        kinds = get_args(hint) if get_origin(hint) is not Annotated and type(None) in get_args(hint) else (hint,)
        for kind in kinds:
            if kind in (int, float) or (get_origin(kind) is Annotated and get_args(kind)[0] in (int, float)):
                found[name] = kind
    return found


@pytest.mark.parametrize("record", RECORDS)
def test_every_number_has_a_lower_and_an_upper_bound(record: type[msgspec.Struct]) -> None:
    assert numbers(record)
    for name, kind in numbers(record).items():
        assert get_origin(kind) is Annotated, f"{name} of {record.__name__} may be any number"
        meta = get_args(kind)[1]
        assert (meta.ge, meta.gt) != (None, None), name
        assert (meta.le, meta.lt) != (None, None), name


@pytest.mark.parametrize("record", [SolverConfig, TrainConfig, PipelineConfig])
@pytest.mark.parametrize("value", [-1, 10**16, 10**400, float("nan"), float("inf"), -float("inf"), True, "1", [1], {}])
def test_what_is_out_of_range_is_refused_by_name(record: type[msgspec.Struct], value: object) -> None:
    for name in numbers(record):
        with pytest.raises(ConfigError, match=rf"\A{name} can't be "):
            convert_settings({name: value}, record)


class Small(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    size: Literal["small", "large"] = "small"
    ratio: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.5


def test_settings_that_fit_are_taken_and_the_rest_is_the_default() -> None:
    assert convert_settings({}, Small) == Small()
    assert convert_settings({"size": "large", "ratio": 1}, Small) == Small(size="large", ratio=1.0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"size": "huge"}, "size can't be 'huge'; one of small, large"),
        ({"ratio": 1.5}, "ratio can't be 1.5; expected float <= 1.0"),
        ({"ratio": "much"}, "ratio can't be 'much'; expected float, got str"),
    ],
)
def test_a_wrong_value_is_told_with_what_would_do(given: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        convert_settings(given, Small)
    assert str(error.value) == message


def test_a_wrong_name_is_told_with_one_that_is_near_or_with_all() -> None:
    known = ["epochs", "hidden", "beam"]
    check_names(["beam", "epochs"], known)
    with pytest.raises(ConfigError, match=r"^unknown setting 'epoch'; did you mean epochs\?$"):
        check_names(["beam", "epoch"], known)
    with pytest.raises(ConfigError, match=r"^unknown option 'xyz'; one of epochs, hidden, beam$"):
        check_names(["xyz"], known, what="option")
