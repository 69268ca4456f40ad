"""Small corpus files that tests write for themselves."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from pathlib import Path


def write(path: Path, content: str | bytes, *, packed: bool = False) -> Path:
    raw = content.encode() if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(raw, mtime=0) if packed else raw)
    return path


def lines(records: Iterable[Mapping[str, object]]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def concatenated(records: Iterable[Mapping[str, object]]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False, indent=4) + "\n" for record in records)


def listed(records: Iterable[Mapping[str, object]]) -> str:
    return json.dumps(list(records), ensure_ascii=False, indent=1)


def chinese(id: object, *, segmented: str, equation: str = "x=1", ans: object = "1") -> dict[str, object]:
    """A record with the fields of Math23K."""
    text = segmented.replace(" ", "")
    return {"id": id, "original_text": text, "segmented_text": segmented, "equation": equation, "ans": ans}
