"""`python benchmarks/reproduce TABLE`: see command.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reproduce.command import main

main(prog_name="python benchmarks/reproduce")
