"""Remembering: what is asked for is kept, what is not said is guessed, nothing is overwritten."""

from __future__ import annotations

from pathlib import Path

import frontmatter
import pytest

from memvault import Memvault
from memvault.errors import BadInput, Unwritable


def file_of(vault: Memvault, path: str) -> Path:
    return vault.root / path


def test_a_sentence_becomes_a_file_that_a_person_can_read(vault: Memvault) -> None:
    made = vault.remember("Sara prefers tea over coffee.")
    assert made.memory.path == "2-memories/2026-01-29-sara-prefers-tea-over-coffee.md"
    post = frontmatter.load(str(file_of(vault, made.memory.path)))
    assert post.content == "Sara prefers tea over coffee."
    assert post["title"] == "Sara prefers tea over coffee"
    assert post["aliases"] == ["Sara prefers tea over coffee"]
    assert (post["weight"], post["tags"]) == (0.8, ["preference"])
    assert post["decay_eligible"] is False  # a preference does not fade
    assert len(post.keys()) == 9


def test_a_fact_of_one_line_carries_what_says_something_and_nothing_else(vault: Memvault) -> None:
    made = vault.remember("The deploy takes nine minutes.")
    post = frontmatter.load(str(file_of(vault, made.memory.path)))
    assert list(post.keys()) == ["id", "kind", "title", "aliases", "created", "last_accessed", "weight"]


def test_the_fields_stand_in_the_order_of_the_format(vault: Memvault) -> None:
    made = vault.remember("The portal needs two reviewers.", type="learning")
    keys = [line.partition(":")[0] for line in file_of(vault, made.memory.path).read_text().split("---")[1].split("\n")]
    expected = ["id", "type", "title", "aliases", "created", "last_accessed", "weight"]
    assert [key for key in keys if key.strip() and not key.startswith((" ", "-"))][: len(expected)] == expected


def test_a_kind_is_written_only_where_the_type_does_not_imply_it(vault: Memvault) -> None:
    implied = vault.remember("Postgres 16 needs a new auth file.", type="learning")
    guessed = vault.remember("Remind me to renew the passport next week.")
    assert "kind:" not in file_of(vault, implied.memory.path).read_text()
    assert "kind: prospective" in file_of(vault, guessed.memory.path).read_text()


def test_everything_that_is_said_is_kept(vault: Memvault) -> None:
    made = vault.remember(
        "Going places.",
        title="Going places",
        type="milestone",
        tags=("#career", "work/wishly"),
        topics=("career",),
        people=("Sara Uy",),
        triggers=("going places", "sara: feedback"),
        weight=0.95,
        pin=True,
        refs={"session": ("abc",), "artifacts": ("a.wav", "b.wav")},
    )
    post = frontmatter.load(str(file_of(vault, made.memory.path)))
    assert post["tags"] == ["career", "work/wishly"]
    assert (post["topics"], post["people"]) == (["career"], ["Sara Uy"])
    assert post["triggers"] == ["going places", "sara: feedback"]
    assert (post["weight"], post["pinned"]) == (0.95, True)
    assert post["refs"] == {"session": "abc", "artifacts": ["a.wav", "b.wav"]}


def test_two_memories_of_one_title_get_two_names(vault: Memvault) -> None:
    first, second = vault.remember("Same words."), vault.remember("Same words.")
    assert first.memory.path != second.memory.path
    assert second.memory.path.endswith("-2.md")


def test_names_are_unique_in_the_whole_vault_so_that_links_survive_a_move(vault: Memvault) -> None:
    first = vault.remember("Same words.")
    vault.move(first.memory.id, "hot")
    assert vault.remember("Same words.").memory.name != first.memory.name


def test_a_significant_memory_gets_a_detail_file_and_resists_decay(vault: Memvault) -> None:
    long = "We decided to split the service. " * 60
    made = vault.remember(long, title="The split", significant=True)
    assert made.deep_context == "2-memories/deep-context/2026-01-29-the-split-in-detail.md"
    whole, lead = file_of(vault, made.deep_context).read_text(), file_of(vault, made.memory.path).read_text()
    assert long.strip() in whole
    assert long.strip() not in lead
    assert "[[2026-01-29-the-split-in-detail]]" in lead
    post = frontmatter.loads(lead)
    assert (post["emotional_flag"], post["refs"]) == (True, {"deep_context": made.deep_context})


def test_an_agents_memory_is_signed_and_weighs_less(vault: Memvault, open_vault) -> None:  # type: ignore[no-untyped-def]
    agent = open_vault(vault.root, agent="claude-code", session="s-1")
    post = frontmatter.load(str(file_of(vault, agent.remember("The build needs node 20.").memory.path)))
    assert (post["weight"], post["source"], post["agent"], post["session"]) == (0.6, "agent", "claude-code", "s-1")


@pytest.mark.parametrize("given", [{"text": "  \n"}, {"weight": 1.5}, {"type": "book"}, {"kind": "vague"}])
def test_impossible_drafts_are_refused_and_nothing_is_written(vault: Memvault, given: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        vault.remember(str(given.pop("text", "words")), **given)
    assert vault.list().total == 0


def test_a_dry_run_shows_what_would_be_made_and_makes_nothing(vault: Memvault) -> None:
    made = vault.remember("Only asking.", dry_run=True)
    assert made.memory.title == "Only asking"
    assert (made.op, vault.list().total, vault.log()) == ("", 0, [])


def test_titles_in_every_script_make_readable_names(vault: Memvault) -> None:
    for text, name in [
        ("東京で会議をした。", "2026-01-29-東京で会議をした.md"),
        ("Ёлка стоит 5000 рублей", "2026-01-29-ёлка-стоит-5000-рублей.md"),
        ("Café: crème brûlée?", "2026-01-29-café-crème-brûlée.md"),
    ]:
        assert vault.remember(text).memory.path == f"2-memories/{name}"


@pytest.mark.skipif(
    not hasattr(__import__("os"), "geteuid") or __import__("os").geteuid() == 0, reason="root writes anywhere"
)
def test_a_vault_that_cannot_be_written_says_so(vault: Memvault) -> None:
    (vault.root / "2-memories").chmod(0o500)
    with pytest.raises(Unwritable):
        vault.remember("Nowhere to go.")


def test_private_spans_are_kept_out_of_titles_names_and_every_index(
    vault: Memvault, environment: dict[str, str]
) -> None:
    vault.remember("Text.", title="Bank <private>kumquat</private> card", tags=("<private>mulberry</private>money",))
    by_hand = vault.root / "2-memories" / "By hand.md"
    by_hand.write_text(
        "---\ntitle: Safe <private>tamarind</private>\n---\nBehind the <private>rhubarb</private> picture.\n"
    )
    vault.edit("By hand", append="And <private>physalis</private> more.")
    assert vault.recall("safe picture").hits[0].memory.title == "Safe "
    assert all(vault.recall(number).hits == () for number in ("kumquat", "mulberry", "tamarind", "rhubarb", "physalis"))
    ours = [path for path in vault.root.rglob("*") if path.is_file() and path != by_hand and "undo" not in path.parts]
    cached = [path for path in Path(environment["XDG_CACHE_HOME"]).rglob("*") if path.is_file()]
    for path in (*ours, *cached):
        assert not any(number in path.read_bytes() for number in (b"kumquat", b"mulberry", b"physalis")), path
    for path in cached:
        assert not any(number in path.read_bytes() for number in (b"tamarind", b"rhubarb")), path
    assert "physalis" not in by_hand.read_text()
    assert "rhubarb" in by_hand.read_text()  # what a person keeps in their own file stays there
