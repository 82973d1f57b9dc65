"""The page as a person meets it: by mouse, by keys, in the dark, on a narrow screen, without JavaScript, in two tabs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from memvault.api import Memvault
from tests.benchmarks import corpus
from tests.conftest import Clock, Opener
from tests.context.test_poisons import POISONS
from tests.storage.frontmatter.test_frontmatter_hostile import HOSTILE as FRONTMATTER
from tests.web.browser.conftest import Opening
from tests.web.browser.demo import SESSION, make_demo
from tests.web.test_markdown import HOSTILE
from tests.web.test_views import snapshot

VIEWS = (
    *("/", "/inbox", "/search", "/search?q=who+reviews+the+portal", "/memory?id=Deploy+the+portal"),
    *("/memory/edit?id=Deploy+the+portal", "/memory/history?id=Deploy+the+portal", "/conversations"),
    *(f"/conversation?id={SESSION}", "/given", "/log", "/health", "/health/doctor", "/health/maintain"),
    *("/settings", "/private", "/keys", "/nothing"),
)
WIDTHS = {"narrow": {"width": 360, "height": 740}, "wide": {"width": 1280, "height": 900}}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The demonstration vault, made once."""
    home = tmp_path_factory.mktemp("demo")
    names = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
    environment = {name: str(home / name.lower()) for name in names} | {"MEMVAULT_NO_RESIDENT": "1"}
    return make_demo(home / "notebook", environment).root, environment


@pytest.fixture
def demo(made: tuple[Path, dict[str, str]], tmp_path: Path, clock: Clock) -> Iterator[Memvault]:
    """A copy of it, whose state came along."""
    root, environment = made
    home = shutil.copytree(root.parent, tmp_path / "copy")
    there = {name: value.replace(str(root.parent), str(home)) for name, value in environment.items()}
    from tests.web.browser.demo import NOW

    clock.now = NOW
    with Memvault(home / root.name, environment=there, clock=clock, zone=NOW.tzinfo) as vault:
        states = [path.parent for path in home.rglob("injected.jsonl")]
        for state in states:  # it is named after the vault's place
            shutil.copytree(state, vault.state_folder, dirs_exist_ok=True)
        yield vault


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


def test_an_inbox_of_30_is_emptied_by_keys(open_page: Opening, vault: Memvault) -> None:
    for number in range(30):
        vault.remember(
            f"Page {number} says that {corpus.COMMON[number * 3]} is {corpus.COMMON[number * 3 + 1]}.",
            source="web",
            near="ignore",
        )
    before = snapshot(vault.root)
    window = open_page(vault)
    page = window.go("/inbox")
    for number in range(30):
        with page.expect_navigation():
            page.keyboard.press("r" if number % 2 else "s")
    assert "Nothing waits for you" in page.inner_text("main")
    assert snapshot(vault.root) == before
    assert len(vault.log()) == 60
    with page.expect_navigation():
        page.keyboard.press("u")  # the last answer, as in `memvault review`
    assert len(vault.inbox().cards) == 1


# -- the work that people come for


@pytest.mark.parametrize("script", [True, False], ids=["script", "no-script"])
@pytest.mark.parametrize("width", WIDTHS)
def test_a_wrong_memory_is_found_and_mended(open_page: Opening, demo: Memvault, script: bool, width: str) -> None:
    before = snapshot(demo.root)
    window = open_page(demo, java_script_enabled=script, viewport=WIDTHS[width])
    page = window.go("/search")
    page.fill("main input[type=search]", "which server is staging")
    page.click("main button.main")
    page.click("main .hits a.title >> nth=0")
    assert "harbour-2" in page.inner_text(".body")
    page.click("a[data-key=e]")
    text = page.input_value("#body")
    page.fill("#body", text.replace("harbour-2", "harbour-3"))
    page.click("[data-save]")
    assert "harbour-3" in page.inner_text(".body")
    [name] = [name for name, data in snapshot(demo.root).items() if data != before[name]]
    head, line, body = before[name].partition(b"\n---\n")
    assert snapshot(demo.root)[name] == head + line + body.replace(b"harbour-2", b"harbour-3")
    page.click(".flash button")
    assert snapshot(demo.root) == before


@pytest.mark.parametrize("script", [True, False], ids=["script", "no-script"])
def test_what_the_last_session_was_given_is_seen_judged_and_one_taken_back(
    open_page: Opening, demo: Memvault, script: bool
) -> None:
    before = snapshot(demo.root)
    window = open_page(demo, java_script_enabled=script)
    page = window.page
    page.click("nav >> text=Given")
    assert "similarity 0.71" in page.inner_text("main")
    for act in ("Wrong", "Not useful", "Forget"):
        window.go(f"/given?session={SESSION}")
        if act == "Forget":
            page.click("main a.title >> text=Sara prefers tea")
        page.click(f"button:has-text('{act}') >> nth=0")
        assert snapshot(demo.root) != before
        page.click(".flash button")
        assert snapshot(demo.root) == before


@pytest.mark.parametrize("script", [True, False], ids=["script", "no-script"])
def test_a_days_maintenance_is_undone(open_page: Opening, demo: Memvault, clock: Clock, script: bool) -> None:
    clock.pass_(days=150)
    before = snapshot(demo.root)
    demo.maintain()
    after = snapshot(demo.root)
    assert after != before
    window = open_page(demo, java_script_enabled=script)
    page = window.go("/log")
    page.click("main a.title >> nth=0")
    assert page.inner_text("h1").startswith("maintain")
    page.click("button:has-text('Undo this')")
    assert snapshot(demo.root) == before


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


# -- what notes may not do


def test_no_hostile_note_runs_or_fetches_anything(open_page: Opening, vault: Memvault) -> None:
    words = [*HOSTILE, *POISONS]
    for number, text in enumerate(words):
        note = f"---\nid: hostile-{number}\ntitle: {text.splitlines()[0][:80]!r}\ntags: ['<script>alert({number})</script>']\n---\n{text}\n"
        (vault.root / "2-memories" / f"hostile-{number}.md").write_text(note, encoding="utf-8")
    for number, data in enumerate(FRONTMATTER.values()):
        note = b"---\n" + (data if isinstance(data, bytes) else data.encode()) + b"\n---\n<script>alert(1)</script>\n"
        (vault.root / "2-memories" / f"odd-{number}.md").write_bytes(note)
    vault.refresh()
    window = open_page(vault)
    for number in range(len(FRONTMATTER)):
        assert window.go(f"/memory?id=odd-{number}").evaluate("document.querySelectorAll('script').length") == 1
    for number in range(len(words)):
        for view in ("/memory?id={}", "/memory/edit?id={}"):
            page = window.go(view.format(f"hostile-{number}"))
            assert page.evaluate("document.querySelectorAll('script').length") == 1
            assert page.evaluate("document.querySelectorAll('iframe, object, embed, style, base').length") == 0
    for view in (
        "/",
        "/search",
        "/search?q=alert+script",
        "/search?tag=%3Cscript%3E",
        "/inbox",
        "/health",
        "/health/doctor",
    ):
        window.go(view)
    page = window.go("/search")
    page.type("main input[type=search]", "<script>alert(1)</script>", delay=5)
    page.wait_for_timeout(300)


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
ROUNDS = 5  # other work of the machine only ever adds: the quickest round is what the page itself takes


def test_the_first_hits_stand_there_within_50_ms_of_a_letter_at_10_000_notes(
    open_page: Opening, tmp_path: Path, open_vault: Opener, environment: dict[str, str]
) -> None:
    Memvault.init(tmp_path / "big", environment=environment)
    corpus.write(tmp_path / "big", 10_000)
    vault = open_vault(tmp_path / "big")
    vault.refresh()
    page = open_page(vault).go("/search")
    took = []
    for start in range(0, 20 * ROUNDS, 20):
        words = [f"{corpus.COMMON[60 + start + number]} {corpus.COMMON[40 + number]}" for number in range(20)]
        took.append(sorted(page.evaluate(TYPE, words))[5])  # the lower quartile
        if took[-1] < 50:
            break
    assert min(took) < 50, took
