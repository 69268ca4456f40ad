"""What is shipped is what is there: packages, public names, dependencies between them, entry points, the wheel."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import os
import re
import runpy
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from configparser import ConfigParser
from fnmatch import fnmatch
from pathlib import Path

import pytest

import mathcanon

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("sympy", "networkx", "numba", "numpy", "torch", "flint", "click", "hypothesis", "matplotlib")

SETUP = ConfigParser()
SETUP.read(ROOT / "setup.cfg", encoding="utf-8")


def words(section: str, option: str) -> list[str]:
    return SETUP[section][option].split()


def pairs(section: str, option: str) -> dict[str, str]:
    """The lines `name = value` of an option."""
    return {
        name.strip(): value.strip()
        for name, _, value in (line.partition("=") for line in SETUP[section][option].strip().splitlines())
    }


FOLDERS = pairs("options", "package_dir")  # top-level package -> folder
PACKAGES = words("options", "packages")


def folder_of(package: str) -> Path:
    top, *rest = package.split(".")
    return ROOT.joinpath(FOLDERS[top], *rest)


def files_of(package: str) -> list[str]:
    """The files whose nearest package this is, relative to its folder; sources of the core are in the sdist only."""
    folder = folder_of(package)
    return [
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.parent.name not in ("__pycache__", "csrc") and path.suffix not in (".so", ".pyd")
        if next(above for above in path.parents if (above / "__init__.py").exists()) == folder
    ]


# --- setup.cfg --------------------------------------------------------------------------------------------------------


def test_the_packages_in_setup_cfg_are_the_folders_on_disk() -> None:
    found = {
        ".".join([name, *init.parent.relative_to(ROOT / folder).parts])
        for name, folder in FOLDERS.items()
        for init in (ROOT / folder).rglob("__init__.py")
    }
    assert sorted(PACKAGES) == sorted(found)


def test_every_folder_with_modules_is_a_package() -> None:
    modules = [path for folder in FOLDERS.values() for path in (ROOT / folder).rglob("*.py")]
    assert sorted({path.parent for path in modules if not (path.parent / "__init__.py").exists()}) == []


def test_every_data_file_is_shipped() -> None:
    shipped = {name: patterns.split() for name, patterns in SETUP["options.package_data"].items()}
    left_out = [
        path
        for package in PACKAGES
        for path in files_of(package)
        if not path.endswith(".py")
        if not any(fnmatch(path, pattern) for pattern in shipped.get(package, []))
    ]
    assert left_out == []


def test_every_pattern_of_data_files_matches_something() -> None:
    for package, patterns in SETUP["options.package_data"].items():
        for pattern in patterns.split():
            assert list(folder_of(package).glob(pattern)), f"{package}: nothing matches {pattern}"


@pytest.mark.parametrize("package", ["mathcanon", "weaksup"])
def test_the_types_are_shipped(package: str) -> None:
    assert (folder_of(package) / "py.typed").is_file()
    assert "py.typed" in words("options.package_data", package)


def test_the_version_is_the_installed_one() -> None:
    assert SETUP["metadata"]["version"] == "attr: mathcanon.__version__"
    assert re.fullmatch(r"\d+\.\d+\.\d+", mathcanon.__version__)
    assert importlib.metadata.version("mathcanon") == mathcanon.__version__


@pytest.mark.parametrize(
    ("command", "target"), pairs("options.entry_points", "console_scripts").items(), ids=lambda value: value
)
def test_every_command_can_be_imported_and_is_installed(command: str, target: str) -> None:
    module, _, name = target.partition(":")
    assert callable(getattr(importlib.import_module(module), name))
    installed = importlib.metadata.distribution("mathcanon").entry_points
    assert [point.value for point in installed if point.name == command] == [target]


# --- the readme elsewhere ---------------------------------------------------------------------------------------------

README = (ROOT / "README.md").read_text("utf-8")
LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]*)\)")


def described(readme: str, repository: str) -> str:
    return str(runpy.run_path(str(ROOT / "setup.py"))["long_description"](readme, repository))


def test_with_an_address_every_file_of_the_readme_is_linked_there() -> None:
    before, after = LINK.findall(README), LINK.findall(described(README, "https://host/we/it"))
    assert [picture for picture, _ in before] == [picture for picture, _ in after]
    assert any(target == "docs/images/demo-light.png" for _, target in before)
    for (picture, target), (_, there) in zip(before, after, strict=True):
        if target.startswith(("https:", "#")):
            assert there == target
        else:
            assert (ROOT / target.partition("#")[0]).exists()
            assert there == f"https://host/we/it/{'raw' if picture else 'blob'}/HEAD/{target}"


def test_without_an_address_the_readme_has_no_link_that_leads_nowhere() -> None:
    text = described(README, "")
    assert [target for _, target in LINK.findall(text) if not target.startswith(("https:", "#"))] == []
    without_links = LINK.sub("", text)
    assert "docs/" not in without_links
    assert described("See [a](b.md), [c](https://d).\n\n![e](f.png)\n\n*Caption.*\n\nText\n", "") == (
        "See a, [c](https://d).\n\nText\n"
    )


def test_the_version_is_the_same_in_all_files() -> None:
    number = mathcanon.__version__
    assert f"\nversion: {number}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    first = re.search(r"^## (\S+) \((\d{4}-\d\d-\d\d)\)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert first is not None
    assert first[1] == number
    assert f"\ndate-released: {first[2]}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


# --- public names -----------------------------------------------------------------------------------------------------


def imported_names(init: Path) -> list[str]:
    """The public names that an `__init__.py` takes from its own modules."""
    tree = ast.parse(init.read_text("utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.level == 1]
    names = [alias.asname or alias.name for node in imports for alias in node.names]
    return [name for name in names if not name.startswith("_")]


def as_sorted(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, each by name."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


def test_all_is_what_is_imported() -> None:
    assert sorted(mathcanon.__all__) == sorted(imported_names(ROOT / "mathcanon" / "__init__.py"))


def test_all_is_sorted_and_without_duplicates() -> None:
    assert mathcanon.__all__ == sorted(set(mathcanon.__all__), key=as_sorted)


MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted((ROOT / "mathcanon").rglob("*.py"))
}


def test_no_module_of_mathcanon_has_the_name_of_a_public_function() -> None:
    assert {name.rpartition(".")[2] for name in MODULES} & set(mathcanon.__all__) == set()


@pytest.mark.parametrize("name", MODULES)
def test_every_module_has_what_its_all_says(name: str) -> None:
    module = importlib.import_module(name)
    names = getattr(module, "__all__", [])
    assert len(names) == len(set(names))
    assert [name for name in names if not hasattr(module, name)] == []


# --- imports ----------------------------------------------------------------------------------------------------------


def loaded_by(statement: str, modules: tuple[str, ...]) -> list[str]:
    """Which of the modules a fresh Python has loaded after a statement."""
    code = f"import sys; {statement}; print(*[name for name in {modules!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_importing_mathcanon_loads_nothing_heavy() -> None:
    assert loaded_by("import mathcanon", HEAVY) == []


def test_the_command_line_loads_nothing_heavy_before_it_is_needed() -> None:
    heavy = tuple([name for name in HEAVY if name != "click"])
    assert loaded_by("import mwp_cli.canon", heavy) == []
    assert loaded_by("import mathcanon; assert mathcanon.count(6) == 793002", HEAVY) == []


def test_the_check_of_what_is_loaded_sees_what_is_loaded() -> None:
    assert loaded_by("import click", HEAVY) == ["click"]


def imported_modules(path: Path, package: str) -> Iterator[str]:
    """The full name of every module that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from [f"{base}.{alias.name}" for alias in node.names]


@pytest.mark.parametrize(
    ("top", "refused"),
    [("mathcanon", {"weaksup", "mwp_cli", "cli", "torch"}), ("weaksup", {"mwp_cli", "cli"})],
)
def test_imports_point_one_way(top: str, refused: set[str]) -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {module}"
        for package in PACKAGES
        if package.split(".")[0] == top
        for path in folder_of(package).glob("*.py")
        for module in imported_modules(path, package)
        if module.split(".")[0] in refused
    ]
    assert wrong == []


def test_imports_inside_the_functions_of_mathcanon_put_off_something_heavy() -> None:
    """Not the closing of a circle: a module of the package imported there imports a heavy one at its top."""
    heavy = {*HEAVY, "multiprocessing"}
    light = []
    for name, path in MODULES.items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        tree = ast.parse(path.read_text("utf-8"))
        late = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node not in tree.body]
        for node in late:
            if node.level:
                target = ".".join([*package.split(".")[: len(package.split(".")) - node.level + 1], str(node.module)])
                tops = {module.split(".")[0] for module in imported_modules(MODULES[target], package)}
                light += [f"{name} imports {target}"] if not tops & heavy else []
    assert light == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("import torch.nn as nn", ["torch.nn"]),
        ("from weaksup import errors", ["weaksup.errors"]),
        ("from . import errors", ["top.inner.errors"]),
        ("from ..errors import A, B", ["top.errors.A", "top.errors.B"]),
        ("def f():\n    import weaksup", ["weaksup"]),
    ],
)
def test_imports_are_read_right(line: str, expected: list[str], tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(line, encoding="utf-8")
    assert list(imported_modules(path, "top.inner")) == expected


# --- typed examples ---------------------------------------------------------------------------------------------------

TYPED = runpy.run_path(str(ROOT / "tests" / "typing" / "api.py"))


@pytest.mark.parametrize("name", [name for name in TYPED if name.startswith("example_")])
def test_the_typed_examples_run(name: str) -> None:
    TYPED[name]()


# --- the wheel --------------------------------------------------------------------------------------------------------


def copied_source(folder: Path) -> Path:
    junk = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__", "_build", "runs", "*.so", "*.pyd")
    shutil.copytree(ROOT, folder, ignore=junk)
    return folder


PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]


@pytest.mark.slow  # builds in an environment of its own, which takes the network
@pytest.mark.parametrize("build", ["compiled", "pure"])
def test_a_wheel_holds_everything_and_runs_from_elsewhere(tmp_path: Path, build: str) -> None:
    source, wheels, target = copied_source(tmp_path / "source"), tmp_path / "wheels", tmp_path / "target"
    env = {**os.environ, "MATHCANON_PURE": "1" if build == "pure" else ""}
    subprocess.run([*PIP, "wheel", "--no-deps", "--wheel-dir", wheels, source], env=env, check=True)
    (wheel,) = wheels.glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    cores = {name for name in names if name.startswith("mathcanon/_core.") and not name.endswith(".pyi")}
    if build == "compiled" and not cores and shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    assert len(cores) == (build == "compiled")
    assert wheel.name.endswith("-none-any.whl") == (build == "pure")
    expected = {f"{package.replace('.', '/')}/{path}" for package in PACKAGES for path in files_of(package)}
    assert names - cores == expected
    assert {"mathcanon/py.typed", "weaksup/py.typed", "weaksup/corpora/stories_en.toml", "mwp_cli/canon.py"} <= names

    subprocess.run([*PIP, "install", "--no-deps", "--target", target, wheel], check=True)
    code = (
        "import sys; sys.meta_path = [f for f in sys.meta_path if 'Editable' not in str(f)]; "  # that of this folder
        "import mathcanon as mc, mwp_cli.canon as c; print(mc.__file__, mc.__build__, flush=True); "
        "assert mc.equivalent('a*(b+c)', 'a*b+a*c') and list(mc.dedupe(['a+b', 'b+a', '2*a'])) == ['a+b', '2*a']; "
        "c.main(['count', '6'])"
    )
    env = {**os.environ, "PYTHONPATH": str(target), "MATHCANON_PURE": ""}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True, check=True
    )
    where, build_found, count = done.stdout.split()
    assert Path(where).is_relative_to(target)
    assert (build_found, count) == (build, "793002")


def test_the_core_is_built_from_all_its_sources() -> None:
    text = (ROOT / "setup.py").read_text("utf-8")
    for path in (ROOT / "mathcanon/csrc").glob("*.c"):
        assert (f'"{path.stem}"' in text) == (path.stem != "fuzz")
