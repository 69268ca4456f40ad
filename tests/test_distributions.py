"""What people download: `python -m build` makes it, `twine check` accepts it, and each file installs and works."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
#: What is kept in git for the place where it is kept, and not for those who download a file.
OF_THE_REPOSITORY = (".ci/", ".github/", ".gitignore")
MINUS_M = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]

pytestmark = pytest.mark.slow  # makes environments, which takes the network


def tracked_files() -> list[str]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("this is not a clone")
    return [name for name in done.stdout.split("\0") if name and (ROOT / name).exists()]


def supported_versions() -> list[str]:
    """The versions of Python that the classifiers name."""
    return re.findall(r"Python :: (3\.\d+)$", (ROOT / "setup.cfg").read_text("utf-8"), re.MULTILINE)


def environment(folder: Path, python: str = sys.executable) -> Path:
    """The interpreter of a new virtual environment."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    return folder / "bin" / "python"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the two files, built from what git knows, and checked."""
    place = tmp_path_factory.mktemp("build")
    for name in tracked_files():
        (place / "source" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, place / "source" / name)
    python = environment(place / "tools")
    subprocess.run([python, *MINUS_M, "build", "twine"], check=True)
    subprocess.run([python, "-m", "build", place / "source", "-o", place / "dist"], capture_output=True, check=True)
    files = sorted((place / "dist").iterdir())
    assert [path.name.partition("-")[0] for path in files] == ["mathcanon", "mathcanon"]
    subprocess.run([python, "-m", "twine", "check", "--strict", *files], check=True)
    return place / "dist"


def only(folder: Path, ending: str) -> Path:
    (path,) = folder.glob(f"*{ending}")
    return path


def test_the_source_distribution_holds_what_is_in_git(built: Path) -> None:
    with tarfile.open(only(built, ".tar.gz")) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert sorted({name for name in tracked_files() if not name.startswith(OF_THE_REPOSITORY)} - held) == []


def said(command: list[Path | str], where: Path) -> tuple[int, str]:
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("ending", [".whl", ".tar.gz"])
def test_each_file_installs_and_works_in_a_fresh_environment(built: Path, ending: str, tmp_path: Path) -> None:
    python = environment(tmp_path / "venv")
    subprocess.run([python, *MINUS_M, only(built, ending)], check=True)
    canon, weak = python.with_name("mwp-canon"), python.with_name("mwp-weak")
    assert said([canon, "equivalent", "a*(b+c)", "a*b+a*c"], tmp_path) == (0, "equivalent (identity)\n")
    assert said([canon, "reach", "24", "4", "6"], tmp_path) == (0, "4*6\n")
    code, text = said([weak, "search", "--size", "20", "--workers", "1", "-o", "found.jsonl"], tmp_path)
    assert (code, "20 covered" in text) == (0, True)
    code, text = said([weak, "rank", "found.jsonl", "-o", "labels.jsonl"], tmp_path)
    assert (code, len((tmp_path / "labels.jsonl").read_text("utf-8").splitlines())) == (0, 20)
    assert said([weak, "train", "--labels", "labels.jsonl", "-o", "model"], tmp_path) == (
        2,
        'error: solvers need torch: pip install "mathcanon[solver]"\n',
    )


@pytest.mark.parametrize("version", supported_versions())
def test_the_source_distribution_passes_its_own_tests(built: Path, version: str, tmp_path: Path) -> None:
    found = shutil.which(f"python{version}")
    if found is None or said([found, "-c", "import venv, ctypes"], tmp_path)[0]:
        pytest.skip(f"there is no Python {version} here")
    with tarfile.open(only(built, ".tar.gz")) as archive:
        archive.extractall(tmp_path, filter="data")
    source = only(tmp_path, "mathcanon-*")
    python = environment(tmp_path / "venv", found)
    subprocess.run([python, *MINUS_M, "-c", source / "constraints.txt", source, "pytest", "hypothesis"], check=True)
    tests = ["tests/mathcanon/test_laws.py", "tests/mathcanon/equality", "tests/mathcanon/reaching"]
    code, text = said([python, "-m", "pytest", "-q", "-m", "not slow", "-p", "no:cacheprovider", *tests], source)
    assert code == 0, text[-3000:]
