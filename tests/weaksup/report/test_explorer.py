"""The explorer: real requests to a real server, and the page in a real browser."""

from __future__ import annotations

import http.client
import signal
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import pytest

import mathcanon as mc
from weaksup.report.explorer import EXAMPLES, HOST, build_explorer_page, open_explorer

from .chromium import PROGRAM, Browser

needs_browser = pytest.mark.skipif(PROGRAM is None, reason="chromium is not installed (Debian: apt install chromium)")


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with open_explorer() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def answer(port: int, path: str, host: str | None = None) -> tuple[int, str]:
    connection = http.client.HTTPConnection(HOST, port, timeout=60)
    connection.request("GET", path, headers={"Host": host or f"{HOST}:{port}"})
    got = connection.getresponse()
    return got.status, got.read().decode()


@pytest.mark.parametrize(("left", "right"), [*EXAMPLES, ("a+b", "a*b"), ("1/(a-a)", "b")])
def test_the_page_says_what_the_library_says(left: str, right: str, port: int) -> None:
    status, page = answer(port, "/?" + urlencode({"left": left, "right": right}))
    assert status == 200
    verdict = mc.equivalent(left, right)
    page = unescape(page)
    assert f"{verdict.summary}</span>" in page
    assert all(note[1:] in page for note in verdict.notes)
    for side in (left, right):
        assert f"<dd>{mc.canonical(side)}</dd>" in page and f"<title>{mc.canonical(side)}</title>" in page


def test_a_wrong_expression_gets_its_error_and_no_verdict() -> None:
    page = build_explorer_page("2a+b", "a")
    with pytest.raises(mc.ParseError) as error:
        mc.parse("2a+b")
    assert str(error.value) in unescape(page)
    assert 'role="status"' not in page and page.count('aria-invalid="true"') == 1


def test_what_is_too_long_or_too_large_to_draw_is_a_sentence() -> None:
    assert "the limit is 2000" in build_explorer_page("a+" * 2000 + "a", "a").replace(",", "")
    assert "<svg" in build_explorer_page("+".join(["a"] * 500), "500*a")


def test_text_of_a_visitor_is_never_markup() -> None:
    nasty = '"><script>alert(1)</script>'
    page = build_explorer_page(nasty, "a")
    assert "<script" not in page and nasty in unescape(page)


def test_only_this_machine_by_its_own_name_and_only_one_page(port: int) -> None:
    assert answer(port, "/", host=f"evil.example:{port}")[0] == 403
    assert answer(port, "/", host=f"localhost:{port}")[0] == 200
    assert answer(port, "/etc/passwd")[0] == 404


def _with_usual_signals() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


@pytest.mark.parametrize(("number", "ends"), [(signal.SIGINT, (0, "")), (signal.SIGTERM, (143, "terminated"))])
def test_the_command_prints_its_address_and_ends_when_it_is_told_to(
    number: signal.Signals, ends: tuple[int, str]
) -> None:
    program = Path(sysconfig.get_path("scripts")) / "mwp-canon"
    with subprocess.Popen(
        [sys.executable, program, "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_with_usual_signals,
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        port = int(address.removeprefix(f"http://{HOST}:").removesuffix("/"))
        assert answer(port, "/")[0] == 200
        process.send_signal(number)
        printed, said = process.communicate(timeout=60)
    assert (process.returncode, said.strip(), printed) == (*ends, "")


@needs_browser
def test_a_person_can_type_and_compare(port: int, tmp_path: Path) -> None:
    with Browser(tmp_path) as browser:
        browser.open(f"http://{HOST}:{port}/")
        browser.run("document.querySelector('[name=left]').value = 'a*(c+b)'")
        browser.run("document.querySelector('[name=right]').value = 'a*b+c'")
        browser.run("document.querySelector('[name=right]').focus()")
        browser.press("Enter", 13)
        browser.wait_for("document.querySelector('[role=status]') !== null")
        shown = browser.run("document.querySelector('[role=status]').textContent")
        assert shown == "not equivalent: at a=2, b=3, c=5 left is 16, right is 11"
        assert browser.run("document.querySelectorAll('svg').length") == 3  # the right one is canonical as written
        for width in (390, 1280):
            browser.resize(width, 900)
            assert browser.run("document.documentElement.scrollWidth") <= width
        assert [text for text in browser.complaints if "favicon" not in text] == []
