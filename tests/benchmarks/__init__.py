"""Tests of benchmarks/reproduce, which is no installed package: its folder is put on the path here."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))
