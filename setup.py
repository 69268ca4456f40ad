"""The long description, and the compiled core, which is optional.

Without a compiler, or with MATHCANON_PURE=1, the package is pure Python.
"""

import os
import re
import sysconfig
from configparser import ConfigParser
from pathlib import Path

from setuptools import Extension, setup

HERE = Path(__file__).resolve().parent
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))  # such a Python has no stable ABI yet


def long_description(readme: str, repository: str) -> str:
    """The readme as it is shown elsewhere: links to files lead to the repository.

    As long as its address is unknown, such a link is its text, and a picture is left out with the caption below it.
    """
    if repository:
        readme = re.sub(r"(!\[[^\]]*\])\((?![a-z]+:|#)", rf"\1({repository}/raw/HEAD/", readme)
        return re.sub(r"(?<!!)(\[[^\]]*\])\((?![a-z]+:|#)", rf"\1({repository}/blob/HEAD/", readme)
    readme = re.sub(r"!\[[^\]]*\]\((?![a-z]+:)[^)]*\)\n+(?:\*[^*]+\*\n+)?", "", readme)
    return re.sub(r"\[([^\]]*)\]\((?![a-z]+:|#)[^)]*\)", r"\1", readme)


core = Extension(
    "mathcanon._core",
    sources=[
        f"mathcanon/csrc/{name}.c" for name in ("read", "form", "residue", "polynomial", "equal", "texts", "module")
    ],
    depends=["mathcanon/csrc/core.h"],
    define_macros=[] if FREE_THREADED else [("Py_LIMITED_API", "0x030b0000")],
    py_limited_api=not FREE_THREADED,
    optional=True,
)
if __name__ == "__main__":
    settings = ConfigParser()
    settings.read(HERE / "setup.cfg", encoding="utf-8")
    addresses = dict(re.findall(r"(\w+) = (\S+)", settings["metadata"]["project_urls"]))
    pure = os.environ.get("MATHCANON_PURE", "") not in ("", "0")
    setup(
        long_description=long_description((HERE / "README.md").read_text("utf-8"), addresses.get("Repository", "")),
        long_description_content_type="text/markdown",
        ext_modules=[] if pure else [core],
        options={} if pure or FREE_THREADED else {"bdist_wheel": {"py_limited_api": "cp311"}},
    )
