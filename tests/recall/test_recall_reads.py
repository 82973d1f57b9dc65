"""What a recall reads of the notes it finds: little, and yet never anything but what the files say now."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.context.gather import ContextQuery, gather_context
from memvault.core.query import NO_FILTERS
from memvault.core.secrets.private_spans import strip_private
from memvault.recall.ranking.question import query_words
from memvault.recall.recall import RecallHit, RecallResult
from memvault.storage.index.query import GuardedBackend, IndexHit
from memvault.storage.vault.context import VaultContext
from tests.benchmarks.corpus import Corpus, write
from tests.conftest import Clock

FENCED = "---\ntitle: Weir\ntags: [water]\n---\n"
ODD: dict[str, bytes] = {
    "plain": b"The heron stands.\n",
    "fenced": f"{FENCED}\nThe heron stands.\n".encode(),
    "windows": f"{FENCED}\nThe heron stands.\n".replace("\n", "\r\n").encode(),
    "marked": b"\xef\xbb\xbf" + f"{FENCED}The heron stands.\n".encode(),
    "rules": b"---\n\nThe heron stands between rules.\n\n---\n\nAnd after them.\n",
    "unclosed": b"---\ntitle: never closed\n\nThe heron stands.\n",
    "broken": b"---\ntitle: [a\n---\nThe heron stands.\n",
    "private": f"{FENCED}The heron <private>hides</private> stands.\n".encode(),
    "not-utf-8": f"{FENCED}The heron stands, caf\xe9.\n".encode("latin-1"),
    "utf-16": "The heron stands.\n".encode("utf-16"),
}


@pytest.fixture
def odd(vault: Memvault) -> Memvault:
    for name, data in ODD.items():
        (vault.root / "2-memories" / f"{name}.md").write_bytes(data)
    vault.refresh()
    return vault


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memvault]:
    folder = tmp_path_factory.mktemp("seeded")
    clock = Clock()
    Memvault.init(folder / "vault", clock=clock)
    write(folder / "vault", 80)
    with Memvault(folder / "vault", clock=clock, environment={"HOME": str(folder)}) as vault:
        yield vault


def herons(vault: Memvault) -> list[tuple[IndexHit, str, str]]:
    """What a search finds, with its text read in the quick way, and read whole."""

    def read(context: VaultContext) -> list[tuple[IndexHit, str, str]]:
        found = list(context.index.search(query_words("heron"), filters=NO_FILTERS, limit=100))
        return [(each, context.hit_text(each), strip_private(context.read_text(each.memory))) for each in found]

    return vault.run(read)


def test_a_text_read_quickly_is_the_text_of_the_note(odd: Memvault) -> None:
    found = herons(odd)
    assert {each.memory.name for each, _, _ in found} >= ODD.keys() - {"utf-16"}
    assert all(quick == whole and "stands" in quick for _, quick, whole in found)


def test_no_note_that_changed_since_it_was_looked_at_is_shown_as_it_was(odd: Memvault) -> None:
    for name, data in ODD.items():
        longer = data.replace(b"title: Weir", b"title: A longer name of the weir").replace(b"stands", b"flies now")
        (odd.root / "2-memories" / f"{name}.md").write_bytes(longer)
    found = [row for row in herons(odd) if row[0].memory.name != "utf-16"]
    assert all(quick == whole and "flies now" in quick and "stands" not in quick for _, quick, whole in found)
    hits = odd.recall("heron", fresh=True, min_similarity=0.0, limit=20).hits
    assert hits
    assert not any(
        "stands" in hit.text or "title" in hit.text for hit in hits if hit.memory.name in ("fenced", "windows")
    )


def test_a_text_that_was_read_before_is_read_again_where_it_changed(odd: Memvault) -> None:
    before = {each.memory.name: text for each, text, _ in herons(odd)}
    note = odd.root / "2-memories/fenced.md"
    times = note.stat()
    note.write_bytes(ODD["fenced"].replace(b"stands", b"sleeps"))
    os.utime(note, ns=(times.st_atime_ns, times.st_mtime_ns))
    after = {each.memory.name: text for each, text, _ in herons(odd)}
    assert "stands" in before["fenced"]
    assert "sleeps" in after.pop("fenced")
    assert all(text == before[name] for name, text in after.items())


@pytest.mark.parametrize("fold", [True, False])
@pytest.mark.points(only=True)
def test_a_question_that_is_asked_again_is_answered_alike(seeded: Memvault, *, fold: bool) -> None:
    for question in questions():
        first, second = (seeded.recall(question, min_similarity=0.0, fold=fold) for _ in range(2))
        assert first == second


def test_duplicates_are_folded_whether_cached_or_not(odd: Memvault) -> None:
    text = "The heron stands at the weir every morning and waits for the gauge to rise with the rain.\n"
    for name in ("one", "other"):
        (odd.root / f"2-memories/{name}.md").write_text(f"---\ntitle: Gauge\n---\n{text}")
    folded = [[hit.alike for hit in odd.recall("heron gauge rain", min_similarity=0.5).hits] for _ in range(2)]
    assert folded[0] == folded[1]
    assert [len(alike) for alike in folded[0]] == [1]


def test_a_note_that_is_gone_since_has_no_text(odd: Memvault) -> None:
    (odd.root / "2-memories/fenced.md").unlink()
    assert {each.memory.name for each, quick, _ in herons(odd) if not quick} == {"fenced"}


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_note_that_became_a_link_out_of_the_vault_is_not_followed(odd: Memvault, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_bytes(ODD["fenced"])
    note = odd.root / "2-memories/fenced.md"
    stat = note.stat()
    os.utime(outside, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    note.unlink()
    note.symlink_to(outside)
    assert {each.memory.name for each, quick, _ in herons(odd) if not quick} == {"fenced"}


def questions() -> list[str]:
    corpus = Corpus()
    return [*corpus.prompts(12), *corpus.selective(12), "notes of May 2024", '"of the"', "govermnent sistem"]


def answers(vault: Memvault, *, least: float = 0.0) -> list[RecallResult]:
    return [vault.recall(question, min_similarity=least, budget=100_000) for question in questions()]


def contexts(vault: Memvault, *, least: float) -> list[tuple[RecallHit, ...]]:
    return [vault.context(question, min_similarity=least, budget=20_000).hits for question in questions()]


@pytest.mark.points(only=True)
def test_answers_are_the_same_as_if_every_note_were_read_whole(
    seeded: Memvault, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = answers(seeded)
    monkeypatch.setattr(VaultContext, "known_hit_text", lambda _context, _found: None)
    assert any(found.hits for found in quick)
    assert answers(seeded) == quick


@pytest.mark.parametrize("least", [0.0, 0.2, 0.4, 0.7])
@pytest.mark.points(only=True)
def test_answers_are_the_same_as_if_the_index_told_nothing_but_scores(
    seeded: Memvault, monkeypatch: pytest.MonkeyPatch, least: float
) -> None:
    quick = answers(seeded, least=least), contexts(seeded, least=least)
    monkeypatch.setattr(GuardedBackend, "term_teller", lambda _backend, _terms: None)
    assert any(found.hits for found in quick[0])
    assert (answers(seeded, least=least), contexts(seeded, least=least)) == quick


def test_no_text_is_opened_that_cannot_be_alike_enough(seeded: Memvault, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    known_text = VaultContext.known_hit_text

    def noted(context: VaultContext, found: IndexHit) -> str | None:
        opened.append(found.memory.id)
        return known_text(context, found)

    monkeypatch.setattr(VaultContext, "known_hit_text", noted)
    for question in Corpus().selective(12):
        opened.clear()
        found = seeded.recall(question, min_similarity=0.5, budget=100_000)
        assert {hit.memory.id for hit in found.hits} <= set(opened)
        assert len(opened) <= len(found.hits) + sum(len(hit.alike) for hit in found.hits)


def test_a_context_shows_no_note_that_changed_meanwhile_as_it_was(odd: Memvault) -> None:
    question = ContextQuery(query="heron stands", min_similarity=0.1)
    context = replace(odd._make_context(), is_current=lambda _: True)
    assert {"fenced", "plain"} <= {hit.memory.name for hit in gather_context(context, question).hits}
    (odd.root / "2-memories/fenced.md").write_text(f"{FENCED}A heron flies, and only once it stands.\n")
    (odd.root / "2-memories/plain.md").write_text("Nothing of the kind.\n")
    texts = {hit.memory.name: hit.text for hit in gather_context(context, question).hits}
    assert texts["fenced"] == "A heron flies, and only once it stands."
    assert "plain" not in texts


def test_text_beyond_the_index_limit_counts_too(tmp_path: Path, clock: Clock) -> None:
    Memvault.init(tmp_path / "vault", clock=clock)
    long = "The heron stands. " + "Nothing else happens here today. " * 200 + "Then a weir breaks."
    (tmp_path / "vault/2-memories/long.md").write_text(long)
    settings = {"index.max_kilobytes": 1}
    with Memvault(tmp_path / "vault", clock=clock, environment={"HOME": str(tmp_path)}, settings=settings) as vault:
        [hit] = vault.recall("heron weir", min_similarity=0.0).hits
    assert {one.term: one.places for one in hit.matches} == {"heron": ("text",), "weir": ("rest",)}
