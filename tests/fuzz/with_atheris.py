"""Coverage-guided fuzzing: `python -m tests.fuzz.with_atheris -max_total_time=60` (needs the extra `fuzz`).

Arguments are libFuzzer's.  Two texts with `;` between them are tried as a pair, any other text alone.
"""

from __future__ import annotations

import sys


def main() -> None:
    import atheris

    with atheris.instrument_imports(include=["mathcanon"]):
        import mathcanon  # noqa: F401

    from .checks import check, check_pair

    def try_bytes(data: bytes) -> None:
        left, separator, right = data[:400].decode(errors="replace").partition(";")
        if separator:
            check_pair(left, right)
        else:
            check(left)

    atheris.Setup(sys.argv, try_bytes)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
