"""Labels as training data: CSV that no spreadsheet runs."""

from __future__ import annotations

import csv
import io
import re

import pytest

from weaksup.export import ExportedExample, export_bytes, spreadsheet_cell


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "=cmd|' /C calc'!A0",
        "+1+1",
        "-1+1",
        "-2+3*N0",
        "@SUM(1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "＝1+1",
        "-",
        "-a",
        "-1-",
    ],
)
def test_what_a_spreadsheet_would_run_gets_an_apostrophe(text: str) -> None:
    assert spreadsheet_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["-3", "-0.5", "-1/2", "-3 4 -1/2", "-40%", "-1e-05", "3", "a=b", "", "3-5", " =1"])
def test_numbers_and_other_texts_stay_as_they_are(text: str) -> None:
    assert spreadsheet_cell(text) == text


def test_every_text_of_an_export_goes_through_it() -> None:
    evil = "=HYPERLINK(1)"
    example = ExportedExample(
        id=evil,
        text=evil,
        tokens=(evil,),
        quantities=("-3", "5"),
        positions=(0, 1),
        expr=evil,
        equation="-3+5",
        answer="-2",
        posterior=0.5,
        language=evil,
    )
    rows = list(csv.reader(io.StringIO(b"".join(export_bytes([example], "csv")).decode(), newline="")))
    head, cells = rows[0], dict(zip(rows[0], rows[1], strict=True))
    assert head == list(ExportedExample.__struct_fields__)
    assert (cells["answer"], cells["quantities"], cells["posterior"]) == ("-2", "-3 5", "0.5")
    assert cells["equation"] == "'-3+5"
    assert not [cell for cell in rows[1] if re.match("[=+@]", cell)]
    assert evil.encode() in b"".join(export_bytes([example], "jsonl"))
    assert b"'" not in b"".join(export_bytes([example], "jsonl"))
