"""The oldest versions that setup.cfg allows are old enough to try and new enough to work.

Their own dependencies are the newest ones, which deprecate what they use: that is no fault of ours.  torch is left out:
only one version of it has a CPU build everywhere (see constraints.txt), so older ones were not tried.
"""

from __future__ import annotations

import re
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SETUP = ConfigParser()
SETUP.read(ROOT / "setup.cfg", encoding="utf-8")
PACKAGE = re.compile(r"(?P<name>[A-Za-z0-9_-]+)(?:\[[a-z0-9_,]+\])?>=(?P<version>[0-9.]+)")


def oldest(section: str, option: str) -> list[str]:
    """The requirements of an option, each at its minimum."""
    found = [PACKAGE.fullmatch(line) for line in SETUP[section][option].split()]
    assert all(found), f"{option}: a requirement that is not NAME>=VERSION"
    return [f"{one['name']}=={one['version']}" for one in found if one]


@pytest.mark.parametrize("extra", [extra for extra in SETUP["options.extras_require"] if extra != "test"])
def test_every_requirement_has_a_minimum(extra: str) -> None:
    assert oldest("options.extras_require", extra)


def test_a_package_has_one_minimum_in_all_extras() -> None:
    seen: dict[str, str] = {}
    for extra in SETUP["options.extras_require"]:
        for pinned in oldest("options.extras_require", extra):
            name, _, version = pinned.partition("==")
            assert seen.setdefault(name, version) == version, f"{name} in {extra}"


@pytest.mark.slow  # installs packages, which takes the network
def test_the_oldest_versions_work(tmp_path: Path) -> None:
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    pinned = [*oldest("options", "install_requires"), *oldest("options.extras_require", "draw")]
    subprocess.run([*pip, *pinned, "pytest", "hypothesis"], check=True)
    subprocess.run([*pip, "--no-deps", ROOT], check=True)
    tests = [
        "tests/mathcanon",
        "tests/cli/test_canon.py",
        "tests/weaksup/storage",
        "tests/weaksup/search/test_plans.py",
    ]
    command = [
        python,
        "-m",
        "pytest",
        "-q",
        "-m",
        "not slow",
        "-W",
        "ignore::DeprecationWarning",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run([*command, *tests], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
