"""The compiled core, which is optional: without a compiler, or with MATHCANON_PURE=1, the package is pure Python."""

import os
import sysconfig

from setuptools import Extension, setup

FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))  # such a Python has no stable ABI yet
core = Extension(
    "mathcanon._core",
    sources=[f"mathcanon/csrc/{name}.c" for name in ("read", "form", "residue", "polynomial", "equal", "module")],
    depends=["mathcanon/csrc/core.h"],
    define_macros=[] if FREE_THREADED else [("Py_LIMITED_API", "0x030b0000")],
    py_limited_api=not FREE_THREADED,
    optional=True,
)
pure = os.environ.get("MATHCANON_PURE", "") not in ("", "0")
setup(
    ext_modules=[] if pure else [core],
    options={} if pure or FREE_THREADED else {"bdist_wheel": {"py_limited_api": "cp311"}},
)
