"""Upkeep among notes as they come: twins, fields of others, links by path, lines that no program wrote."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import pytest

from memvault import Memvault
from tests.conftest import Clock
from tests.maintenance.upkeep import bodies_of, fade, notes_of, retype, said, weight, wishes, write

SAME = "The weir at Hollin opens two hours after high water, said Noor at the harbour office."


def test_two_notes_with_one_id_are_not_confused(vault: Memvault, clock: Clock) -> None:
    write(vault, "aa", "weight: 0.9")
    twin = f"id: {uuid5(NAMESPACE_URL, 'aa')}"
    write(vault, "zz", twin, "weight: 0.35", body="Cats sleep on the mat by the stove.")
    for _ in range(3):
        fade(vault)
        before = notes_of(vault.root)
        assert fade(vault).done == ()
        assert notes_of(vault.root) == before
        clock.pass_(days=20)
    assert wishes(vault.root) == []


def test_a_weight_typed_while_the_clock_was_ahead_gives_way_to_the_next(vault: Memvault, clock: Clock) -> None:
    path = write(vault, "alpha")
    vault.status()
    clock.pass_(days=365)
    retype(path, "weight", 0.9)
    vault.status()
    clock.pass_(days=-360)
    retype(path, "weight", 0.2)
    assert weight(vault, "alpha") == pytest.approx(0.2)
    fade(vault)
    assert said(path, "weight") == "0.2"


def test_a_typed_weight_is_seen_where_the_catalogue_is_lost(
    vault: Memvault, clock: Clock, environment: dict[str, str]
) -> None:
    path = write(vault, "alpha")
    vault.status()
    clock.pass_(days=60)
    fade(vault)
    assert said(path, "weight") == "0.4"
    retype(path, "weight", 0.9)
    vault.close()
    shutil.rmtree(environment["XDG_CACHE_HOME"])
    assert weight(vault, "alpha") == pytest.approx(0.9)
    fade(vault)
    assert said(path, "weight") == "0.9"


def test_a_typed_weight_goes_into_the_merge(vault: Memvault) -> None:
    paths = [write(vault, name, "title: Weir", "base_weight: 0.4", "weight: 0.4", body=SAME) for name in ("a", "b")]
    vault.status()
    retype(paths[0], "weight", 0.9)
    vault.maintain(only=["consolidate"])
    assert vault.find("Weir").base == pytest.approx(0.9)


def test_a_merge_keeps_what_memvault_does_not_know(vault: Memvault) -> None:
    write(vault, "a", "title: Weir", 'up: "[[Rivers]]"', "related: [one, two]", "rating: 4", body=SAME)
    write(vault, "b", "title: Weir", 'up: "[[Harbours]]"', "related: [two, three]", "rating: 4", body=SAME)
    vault.maintain(only=["consolidate"])
    merged = vault.path_of("Weir").read_text()
    for kept in ("[[Rivers]]", "[[Harbours]]", "one", "two", "three", "rating: 4\n"):
        assert kept in merged


def test_nothing_is_moved_that_others_link_to_by_its_path(vault: Memvault) -> None:
    for name in ("a", "b"):
        write(vault, name, "title: Weir", body=SAME)
    write(vault, "c", body="See [[2-memories/a]] for the weir.")
    vault.maintain(only=["consolidate"])
    kept = vault.root / "2-memories/a.md"
    assert (said(kept, "status"), bool(said(kept, "merged_into"))) == ("archived", True)
    assert not (vault.root / "2-memories/b.md").exists()


def test_knowledge_is_made_once_whatever_its_sources_become(vault: Memvault, clock: Clock) -> None:
    episode = ("kind: episodic", "type: memory", "title: Weir", "source_sessions: [s1, s2, s3]")
    write(vault, "a", *episode, body=SAME)
    vault.maintain(only=["consolidate", "promote"])
    made = [path for path in notes_of(vault.root) if "promoted_from" in notes_of(vault.root)[path].decode()]
    assert len(made) == 1
    clock.pass_(days=1)
    write(vault, "b", *episode, body=SAME)
    vault.maintain(only=["consolidate", "promote"])
    assert vault.maintain(only=["consolidate", "promote"]).done == ()
    again = [path for path, data in notes_of(vault.root).items() if b"promoted_from" in data]
    assert again == made


@pytest.mark.parametrize("take_back", ["undo", "delete"])
def test_knowledge_that_a_person_takes_away_is_not_made_again(vault: Memvault, clock: Clock, take_back: str) -> None:
    write(vault, "a", "kind: episodic", "type: memory", "source_sessions: [s1, s2, s3]", body=SAME)
    done = vault.maintain(only=["promote"])
    if take_back == "undo":
        vault.undo(done.op)
    else:
        (vault.root / next(one.path for one in done.done)).unlink()
    clock.pass_(days=1)
    assert vault.maintain(only=["promote"]).done == ()


def test_fields_of_other_programs_are_left_alone(vault: Memvault, clock: Clock) -> None:
    path = write(vault, "alpha", "id: 202601011200", "status: done")
    clock.pass_(days=60)
    done = fade(vault)
    assert done.refused == ()
    assert (said(path, "id"), said(path, "status"), said(path, "weight")) == ("202601011200", "done", "0.4")


def test_memories_that_are_not_archived_stay_on_the_page(vault: Memvault, clock: Clock) -> None:
    path = write(vault, "alpha", "status: done", folder="1-hot")
    write(vault, "beta", "status: done", "tags: [decision]")
    vault.maintain()
    clock.pass_(days=400)
    vault.maintain()
    assert path.exists()
    assert vault.claude_md(check=True).changed is False


def test_a_note_that_cannot_be_changed_is_told_once(vault: Memvault, clock: Clock) -> None:
    path = write(vault, "alpha", "weight: 0.8", "tags: [a]", "tags: [b]", "weight: 0.7")
    before = path.read_bytes()
    clock.pass_(days=60)
    vault.maintain()
    assert vault.maintain().refused == ()
    clock.pass_(days=1)
    assert vault.maintain().refused == ()
    assert path.read_bytes() == before


def test_undo_is_not_stopped_by_the_page_that_was_made_anew(vault: Memvault, clock: Clock) -> None:
    path = write(vault, "alpha")
    vault.status()
    clock.pass_(days=60)
    first = vault.maintain().op
    before = said(path, "weight")
    write(vault, "beta", folder="1-hot")
    vault.maintain(only=["claude-md"])
    vault.undo(first)
    assert (before, said(path, "weight")) == ("0.4", "0.8")


@pytest.mark.parametrize(
    "line",
    [
        {"e": "count", "id": "x", "value": 99999999999999999999},
        {"e": "weight", "id": "x", "value": 1e400},
        {"e": "weight", "id": "x", "value": [1]},
        {"e": "practice", "id": "x", "count": 10**30},
        {"e": "lift", "of": "count"},
        {"e": "moved", "id": "x", "from": 1, "to": None},
    ],
    ids=str,
)
def test_a_line_that_no_program_wrote_stops_nothing(vault: Memvault, line: dict[str, object]) -> None:
    write(vault, "alpha")
    vault.status()
    for folder in ("journal", "ledger"):
        for path in Path(vault.root / ".memvault" / folder).rglob("*.jsonl"):
            path.write_text(path.read_text() + json.dumps({"t": "2026-01-29T09:30:00Z", **line}) + "\n")
    vault.maintain()
    assert "Only alpha says" in bodies_of(vault.root)
