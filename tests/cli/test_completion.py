"""Completion: the scripts are those of click, and what a shell asks with them is answered."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

SCRIPTS = Path(sysconfig.get_path("scripts"))


def said(*command: str, **more: str) -> str:
    env = {**os.environ, **more, "PATH": f"{SCRIPTS}{os.pathsep}{os.environ.get('PATH', '')}"}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize("program", ["mwp-canon", "mwp-weak"])
def test_the_script_is_what_click_prints_for_its_variable(program: str, shell: str) -> None:
    variable = f"_{program.replace('-', '_').upper()}_COMPLETE"
    assert said(program, "completion", shell).strip() == said(program, **{variable: f"{shell}_source"}).strip()


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_reads_the_script_and_completes_a_command() -> None:
    lines = [
        'eval "$(mwp-canon completion bash)"',
        "COMP_WORDS=(mwp-canon equ)",
        "COMP_CWORD=1",
        "_mwp_canon_completion mwp-canon",
        'echo "${COMPREPLY[@]}"',
    ]
    assert said("bash", "-c", "\n".join(lines)) == "equivalent\n"


@pytest.mark.parametrize("program", ["mwp-canon", "mwp-weak"])
def test_the_version_has_a_short_form(program: str) -> None:
    assert said(program, "-V") == said(program, "--version")
