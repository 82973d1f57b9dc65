"""The page as a person meets it: by mouse, by keys, in the dark, on a narrow screen, without JavaScript, in two tabs."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median

import pytest

from memvault.api import Memvault
from tests.benchmarks import corpus
from tests.conftest import Opener
from tests.web.browser.conftest import WIDTHS, Opening
from tests.web.browser.demo import SESSION

VIEWS = (
    *("/", "/inbox", "/search", "/search?q=who+reviews+the+portal", "/memory?id=Deploy+the+portal"),
    *("/memory/edit?id=Deploy+the+portal", "/memory/history?id=Deploy+the+portal", "/conversations"),
    *(f"/conversation?id={SESSION}", "/given", "/log", "/health", "/health/doctor", "/health/maintain"),
    *("/settings", "/private", "/keys", "/nothing"),
)


# -- each view


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_each_view_is_whole_and_keeps_nobody_out(
    open_page: Opening, demo: Memvault, axe: str, scheme: str, width: str
) -> None:
    window = open_page(demo, viewport=WIDTHS[width], color_scheme=scheme)
    found: dict[str, list[str]] = {}
    for view in VIEWS:
        page = window.go(view)
        wide = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
        page.evaluate(axe)
        told = page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']})")
        faults = [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in told["violations"]]
        if wide or faults:
            found[view] = [*(["wider than the screen"] if wide else []), *faults]
    assert found == {}


def test_the_colours_are_those_that_were_chosen(open_page: Opening, demo: Memvault) -> None:
    window = open_page(demo, color_scheme="light")

    def ground() -> str:
        return str(window.page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))

    light = ground()
    with window.page.expect_navigation():
        window.page.click("button[value=dark]")
    dark = ground()
    assert dark != light
    window.go("/log")
    assert ground() == dark
    with window.page.expect_navigation():
        window.page.click("button[value=auto]")
    assert ground() == light


# -- keys


def test_keys_lead_everywhere(open_page: Opening, demo: Memvault) -> None:
    window = open_page(demo)
    page = window.page
    for key, path in (("s", "/search"), ("l", "/log"), ("i", "/inbox"), ("c", "/conversations"), ("t", "/")):
        window.go("/health")
        page.keyboard.press("g")
        with page.expect_navigation():
            page.keyboard.press(key)
        assert page.url.removeprefix(window.start) == path
    window.go("/log")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert page.evaluate("document.activeElement.closest('[data-row]') === document.querySelector('[data-row]')")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert "/log/operation" in page.url
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.type") == "search"
    page.keyboard.press("Escape")
    with page.expect_navigation():
        page.keyboard.press("?")
    assert page.url.endswith("/keys")


def test_the_focus_is_seen_wherever_tab_goes(open_page: Opening, demo: Memvault) -> None:
    window = open_page(demo)
    for _ in range(25):
        window.page.keyboard.press("Tab")
        style = window.page.evaluate(
            "(() => { const s = getComputedStyle(document.activeElement); return s.outlineStyle + s.outlineWidth })()"
        )
        assert style == "solid2px"


# -- several at once


def test_two_tabs_and_an_editor_lose_nothing(open_page: Opening, vault: Memvault) -> None:
    id_ = vault.remember("Sara prefers tea.").memory.id
    path = vault.path_of(id_)
    window = open_page(vault)
    one, two = window.page, window.context.new_page()
    for page in (one, two):
        window.go(f"/memory/edit?id={id_}", page)
    one.fill("#body", "Sara prefers green tea.\n")
    one.click("[data-save]")
    path.write_bytes(path.read_bytes() + b"Typed in an editor.\n")
    there = path.read_bytes()
    two.fill("#body", "Sara prefers black tea.\n")
    two.click("[data-save]")
    assert path.read_bytes() == there
    text = two.inner_text("main")
    for part in ("changed while you wrote", "Sara prefers green tea.", "Typed in an editor."):
        assert part in text
    assert two.input_value("#body").strip() == "Sara prefers black tea."
    two.click("[data-save]")
    assert b"black tea" in path.read_bytes()
    assert path.read_bytes().partition(b"\n---\n")[0] == there.partition(b"\n---\n")[0]


def test_text_that_is_not_saved_is_not_lost_by_a_slip(open_page: Opening, vault: Memvault) -> None:
    id_ = vault.remember("Sara prefers tea.").memory.id
    window = open_page(vault)
    page = window.go(f"/memory/edit?id={id_}")
    page.fill("#body", "half a tho")
    asked: list[str] = []
    page.remove_listener  # noqa: B018 - dialogs of leaving are what is tested
    page.on("dialog", lambda dialog: asked.append(dialog.type))
    page.click("nav >> text=Log")
    page.wait_for_timeout(100)
    window.troubles = [trouble for trouble in window.troubles if not trouble.startswith("dialog")]
    assert asked == ["beforeunload"]
    assert page.input_value("#body") == "half a tho"


# -- 10,000 notes


# From a letter to the hits in the page: what is asked, found, sent and drawn.
TYPE = """async (queries) => {
  const field = document.querySelector("main input[type=search]"), results = document.getElementById("results");
  const took = [];
  for (const query of queries) {
    const shown = new Promise((done) => {
      new MutationObserver((_, watch) => { watch.disconnect(); done(); }).observe(results, {childList: true});
    });
    const began = performance.now();
    field.value = query;
    field.dispatchEvent(new Event("input", {bubbles: true}));
    await shown;
    results.getBoundingClientRect();
    took.push(performance.now() - began);
    if (!results.querySelector("[data-row]")) throw new Error(query);
    await new Promise((rest) => setTimeout(rest, 20));
  }
  return took;
}"""


def measure_hold_up() -> float:
    """Return how many times as long as alone a process takes here at the moment, for all that the machine does else."""
    found = []
    for _ in range(20):
        began, used = time.perf_counter(), time.process_time()
        sum(range(400_000))
        found.append((time.perf_counter() - began) / (time.process_time() - used))
    return max(1.0, median(found))


def test_the_first_hits_stand_there_within_50_ms_of_a_letter_at_10_000_notes(
    open_page: Opening, tmp_path: Path, open_vault: Opener, environment: dict[str, str]
) -> None:
    Memvault.init(tmp_path / "big", environment=environment)
    corpus.write(tmp_path / "big", 10_000)
    vault = open_vault(tmp_path / "big")
    vault.refresh()
    page = open_page(vault).go("/search")
    took = []
    for start in range(0, 100, 20):  # other work of the machine only ever adds: the quickest round counts
        words = [f"{corpus.COMMON[60 + start + number]} {corpus.COMMON[40 + number]}" for number in range(20)]
        before = measure_hold_up()
        quartile = sorted(page.evaluate(TYPE, words))[5]
        took.append(quartile / max(before, measure_hold_up()))
        if took[-1] < 50:
            break
    assert min(took) < 50, took
