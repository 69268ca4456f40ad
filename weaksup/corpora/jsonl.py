"""Your own problems as JSON Lines: `{"id": "1", "text": "Tom has 3 ...", "answer": "8", "equation": "3+5"}`.

One object a line, a list of objects, or objects one after another; `own_data` describes the fields.
"""

from __future__ import annotations

from .own_data import own_reader
from .records_json import iterate_records

__all__ = ["FILES", "read_jsonl"]

FILES = ({"train": "train.jsonl", "valid": "valid.jsonl", "test": "test.jsonl"},)

#: The problems of a file, in order.
read_jsonl = own_reader(iterate_records)
