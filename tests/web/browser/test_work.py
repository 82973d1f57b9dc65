"""The work that people come for, as a new user does it: light and dark, wide and narrow, with and without JavaScript."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from memvault.api import Memvault
from memvault.storage.vault.layout import STATE
from tests.benchmarks import corpus
from tests.conftest import Clock
from tests.web.browser.conftest import WIDTHS, Opening
from tests.web.browser.demo import SESSION

MANNERS: Mapping[str, Mapping[str, Any]] = {
    "light": {"color_scheme": "light", "viewport": WIDTHS["wide"]},
    "dark-narrow": {"color_scheme": "dark", "viewport": WIDTHS["narrow"]},
    "no-script-narrow": {"java_script_enabled": False, "viewport": WIDTHS["narrow"]},
    "no-script-dark": {"java_script_enabled": False, "color_scheme": "dark", "viewport": WIDTHS["wide"]},
}
in_each_manner = pytest.mark.parametrize("manner", MANNERS)


def every_byte(root: Path) -> dict[str, bytes]:
    """Return every file of a vault but memvault's own journal of what was done."""
    files = (path for path in root.rglob("*") if path.is_file())
    return {
        name: path.read_bytes() for path in files if not (name := path.relative_to(root).as_posix()).startswith(STATE)
    }


def text_of(data: bytes) -> bytes:
    return data.partition(b"\n---\n")[2]


@in_each_manner
def test_a_wrong_memory_is_found_and_mended(open_page: Opening, demo: Memvault, manner: str) -> None:
    before = every_byte(demo.root)
    page = open_page(demo, **MANNERS[manner]).page
    page.fill(".find input", "which server is staging")
    page.press(".find input", "Enter")
    page.click("main .hits a.title >> nth=0")
    assert "harbour-2" in page.inner_text(".body")
    page.click("a[data-key=e]")
    page.fill("#body", page.input_value("#body").replace("harbour-2", "harbour-3"))
    page.click("[data-save]")
    assert "harbour-3" in page.inner_text(".body")
    after = every_byte(demo.root)
    [name] = [name for name, data in after.items() if data != before[name]]
    head, line, body = before[name].partition(b"\n---\n")
    assert after == {**before, name: head + line + body.replace(b"harbour-2", b"harbour-3")}
    page.click(".flash button")
    assert every_byte(demo.root) == before


@in_each_manner
def test_an_inbox_of_30_is_emptied(open_page: Opening, vault: Memvault, manner: str) -> None:
    for text in corpus.Corpus().prompts(30):
        vault.remember(text, source="web", near="ignore")
    before = every_byte(vault.root)
    begun = len(vault.log())
    has_keys = MANNERS[manner].get("java_script_enabled", True)
    window = open_page(vault, **MANNERS[manner])
    page = window.go("/inbox")
    for number in range(30):
        key = "ars"[number % 3]
        with page.expect_navigation():
            page.keyboard.press(key) if has_keys else page.click(f".card button[data-key={key}] >> nth=0")
    assert "Nothing waits for you" in page.inner_text("main")
    after = every_byte(vault.root)
    stayed, came = before.keys() & after.keys(), after.keys() - before.keys()
    assert all(after[name] == before[name] for name in stayed)
    assert sorted(text_of(after[name]) for name in came) == sorted(text_of(before[n]) for n in before.keys() - stayed)
    places = [name.partition("/")[0] for name in came]
    assert [places.count("2-memories"), places.count(".trash"), len(came)] == [10, 10, 20]
    window.go(f"/log/operation?id={vault.log()[-begun - 1].op}")
    page.click("summary:has-text('Undo to here')")
    page.click("button:has-text('Undo these 30')")
    assert every_byte(vault.root) == before
    assert len(vault.inbox().cards) == 30


@in_each_manner
def test_what_the_last_session_was_given_is_seen_judged_and_one_taken_back(
    open_page: Opening, demo: Memvault, manner: str
) -> None:
    before = every_byte(demo.root)
    window = open_page(demo, **MANNERS[manner])
    page = window.page
    page.click("nav >> text=Given")
    assert "similarity 0.71" in page.inner_text("main")
    for act in ("Wrong", "Not useful", "Forget"):
        window.go(f"/given?session={SESSION}")
        if act == "Forget":
            page.click("main a.title >> text=Sara prefers tea")
        page.click(f"button:has-text('{act}') >> nth=0")
        after = every_byte(demo.root)
        changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
        assert {text_of(before[name]) for name in before.keys() & changed} == {
            text_of(after[name]) for name in after.keys() & changed
        }
        assert changed
        page.click(".flash button")
        assert every_byte(demo.root) == before


@in_each_manner
def test_a_days_maintenance_is_undone(open_page: Opening, demo: Memvault, clock: Clock, manner: str) -> None:
    clock.pass_(days=150)
    before = every_byte(demo.root)
    demo.maintain()
    assert every_byte(demo.root) != before
    window = open_page(demo, **MANNERS[manner])
    page = window.page
    page.click("nav >> text=Log")
    page.click("main a.title >> nth=0")
    assert page.inner_text("h1").startswith("maintain")
    page.click("button:has-text('Undo this')")
    assert every_byte(demo.root) == before
