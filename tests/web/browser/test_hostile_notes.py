"""Every hostile text of the tests through the page in a real browser: no script runs, and nothing is fetched elsewhere."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from memvault.api import Memvault
from memvault.context.injection_log import InjectionRecord, append_record
from tests.hostile import DECEIVING, FILE_NAMES, FRONTMATTER, MARKUP, OF_BLOCKS, POISONS, READ_BY_AGENT, TITLES
from tests.transcripts.talking import chat
from tests.web.browser.conftest import Opening

HARMLESS = """() => document.querySelectorAll("script").length === 1
  && !document.querySelector("iframe, object, embed, style, base, meta[http-equiv], link:not([href^='/static/'])")
  && ![...document.querySelectorAll("*")].some((one) => [...one.attributes].some((given) => /^on/.test(given.name)))
  && ![...document.querySelectorAll("[href], [src], [action]")].some((one) =>
    /^(javascript|data|vbscript):/.test(one.href || one.src || one.action))"""
TEXTS = [*MARKUP, *TITLES, *DECEIVING.values(), *OF_BLOCKS, READ_BY_AGENT, *POISONS]


def write_hostile_notes(vault: Memvault) -> None:
    """Write every hostile text into notes, in each place that a page shows."""

    def write(place: str, name: str, data: bytes) -> None:
        with suppress(OSError):  # longer than this disk's names
            (vault.root / place / name).write_bytes(data)

    for number, text in enumerate(TEXTS):
        listed = json.dumps([text[:200]])
        fields = (
            f"title: {json.dumps(text[:2_000])}\ntags: {listed}\npeople: {listed}\ntopics: {listed}\ntriggers: {listed}"
        )
        more = "\nkind: prospective\ndue: 2026-01-28T09:00:00Z" if number % 3 == 0 else ""
        data = f"---\n{fields}{more}\n---\n{text}\n".encode("utf-8", "surrogatepass")
        write("2-memories", f"hostile-{number}.md", data)
        if text in MARKUP:
            write("quarantine", f"waiting-{number}.md", data.replace(b"---\n", b"---\nsource: web\n", 1))
    for number, block in enumerate(FRONTMATTER.values()):
        write("2-memories", f"odd-{number}.md", b"---\n" + block.encode() + b"\n---\n<script>alert(1)</script>\n")
    for name in FILE_NAMES:
        write("2-memories", name, b"<script>alert(1)</script> ![x](http://evil.example/a.png)\n")


def test_no_hostile_note_runs_or_fetches_anything(open_page: Opening, vault: Memvault, tmp_path: Path) -> None:
    write_hostile_notes(vault)
    vault.ingest([chat(tmp_path / "talk.json", [("<b onclick=alert(1)>Sara", text) for text in TEXTS[:60]])])
    vault.refresh()
    ids = [*(row.memory.id for row in vault.list().rows), *(memory.path for memory in vault.quarantine())]
    assert len(ids) >= len(TEXTS) + len(MARKUP) + len(FRONTMATTER)
    for number, text in enumerate(TEXTS[:40]):
        row = InjectionRecord(
            at=vault.now(),
            session=text[:60],
            agent=text[:60],
            event=text[:60],
            project=text[:60],
            ids=(ids[number],),
            why={ids[number]: text},
            also=(text[:60],),
        )
        append_record(vault.state_folder, row)
    vault.list_conflicts()  # which takes long with texts like these; the inbox asks for it
    window = open_page(vault)
    page = window.go("/keys")
    for id_ in ids:
        for view in ("/memory", "/memory/edit"):
            assert window.go(f"{view}?id={quote(id_)}").evaluate(HARMLESS), (view, id_)
    [talk] = {link.partition("&")[0] for link in links_of(window.go("/conversations"), "/conversation?id=")}
    views = ("/", "/inbox", "/search", "/search?q=alert+script", "/search?q=obey", "/search?tag=%3Cscript%3E", talk)
    more = ("/given", *links_of(window.go("/given"), "/given?session="), "/log", "/health", "/health/doctor")
    for address in (*views, *more, "/health/maintain", "/memory/history?id=2-memories/hostile-0.md"):
        assert window.go(address).evaluate(HARMLESS), address
    page = window.go("/search")
    for text in MARKUP:
        page.fill("main input[type=search]", text)
        typed = page.input_value("main input[type=search]")
        page.wait_for_function("text => new URLSearchParams(location.search).get('q') === text", arg=typed)
        assert page.evaluate(HARMLESS), text


def links_of(page: Any, begun: str) -> list[str]:
    """Return the addresses on a page that begin with a text."""
    found: list[str] = page.eval_on_selector_all(
        f"main a[href^='{begun}']", "all => all.map((a) => a.getAttribute('href'))"
    )
    return list(dict.fromkeys(found))
