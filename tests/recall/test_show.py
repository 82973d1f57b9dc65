"""Looking: one memory whole, many in a list, the vault at a glance; only what was asked for counts as a use."""

from __future__ import annotations

from itertools import pairwise

import pytest

from memvault import Memvault
from memvault.core.query import Filters
from memvault.errors import Ambiguous, NotFound
from memvault.recall.show import ORDERS
from memvault.text.terms import estimate_tokens


def test_show_gives_the_text_as_it_stands_now_and_counts(vault: Memvault, clock) -> None:  # type: ignore[no-untyped-def]
    one = vault.remember("First there was one.", title="One").memory
    assert vault.show("One").uses == 0
    later = clock.pass_(days=3)
    path = vault.root / one.path
    path.write_text(path.read_text().replace("First", "Firstly"))
    shown = vault.show(one.id[:6])
    assert shown.memory.body == "Firstly there was one.\n"
    assert (shown.uses, shown.last_used) == (2, later), "the show before, and the edit"
    assert shown.memory.version != one.version


@pytest.mark.parametrize("ref", ["{id}", "{id[0]}{id[1]}{id[2]}{id[3]}", "{name}", "{name}.md", "{path}", "One", "one"])
def test_a_memory_is_named_in_many_ways(vault: Memvault, ref: str) -> None:
    one = vault.remember("First there was one.", title="One").memory
    said = ref.format(id=one.id, name=one.name, path=one.path)
    assert vault.show(said).memory.id == one.id


def test_a_name_that_fits_two_is_refused_and_both_are_named(vault: Memvault) -> None:
    for _ in range(2):
        vault.remember("Tea.", title="Tea")
    with pytest.raises(Ambiguous, match="matches 2 memories"):
        vault.show("tea")
    with pytest.raises(NotFound):
        vault.show("coffee")


@pytest.mark.parametrize("budget", [1, 20, 50, 10_000])
def test_a_budget_is_kept(vault: Memvault, budget: int) -> None:
    vault.remember("Many words here. " * 100, title="One")
    shown = vault.show("One", budget=budget)
    assert estimate_tokens(shown.memory.body or "") <= budget
    assert shown.cut is (shown.tokens > budget)
    assert shown.tokens == estimate_tokens("Many words here. " * 100)


def test_links_are_shown_both_ways(vault: Memvault) -> None:
    one, two = vault.remember("One.").memory, vault.remember("Two.").memory
    vault.link(one.id, two.id)
    assert vault.show(one.id).links == (two.name.casefold(),)
    assert vault.show(two.id).linked_from == (one.path,)
    assert vault.show(two.id).links == ()


def test_a_list_counts_as_nothing(sample: Memvault) -> None:
    before = [row.last_used for row in sample.list().rows]
    sample.status()
    assert [row.last_used for row in sample.list().rows] == before


KEYS = {
    "recent": lambda row: -row.last_used.timestamp(),
    "created": lambda row: -row.memory.created.timestamp(),
    "weight": lambda row: -row.weight,
    "title": lambda row: row.memory.title.casefold(),
    "path": lambda row: row.memory.path,
}


@pytest.mark.parametrize("order", ORDERS)
def test_orders(sample: Memvault, order: str) -> None:
    rows = sample.list(order=order).rows
    assert len(rows) == 17
    assert all(KEYS[order](one) <= KEYS[order](other) for one, other in pairwise(rows))
    assert {row.memory.id for row in rows} == {row.memory.id for row in sample.list().rows}


@pytest.mark.parametrize("limit", [0, 1, 5, 100])
def test_a_limit_cuts_the_list_and_says_how_many_there_are(sample: Memvault, limit: int) -> None:
    listed = sample.list(limit=limit)
    assert listed.total == 17
    assert listed.rows == sample.list().rows[: limit or 17]


def test_the_vault_at_a_glance_adds_up(sample: Memvault) -> None:
    status = sample.status()
    everything = [row.memory for row in sample.list().rows]
    assert status.memories == len(everything) == sum(status.tiers.values()) == sum(status.kinds.values())
    assert sum(status.statuses.values()) == status.memories
    assert status.pinned == len(sample.list(Filters(pinned=True)).rows)
    identity = [memory.path for memory in everything if memory.tier == 0]
    assert status.identity_bytes == sum((sample.root / path).stat().st_size for path in identity) > 0
    assert (status.problems, status.vault) == (0, str(sample.root))


def test_a_note_that_cannot_be_read_whole_is_a_problem(vault: Memvault) -> None:
    (vault.root / "bad.md").write_text("---\ntitle: [a\n---\n")
    assert (vault.status().problems, vault.status().memories) == (1, 1)


@pytest.mark.parametrize(
    ("lines", "due"),
    [
        ("due: 2026-01-29", True),
        ("due: 2026-01-29T09:30:00Z", True),
        ("due: 2026-01-29T09:30:01Z", False),
        ("due: 2026-01-28\nstate: active", True),
        ("due: 2026-01-28\nstate: completed", False),
        ("due: 2026-01-28\nstate: cancelled", False),
        ("due: 2026-01-28\nstate: waiting", True),
        ("due: soon", False),
        ("state: pending", False),
    ],
)
def test_status_lists_what_is_due(vault: Memvault, lines: str, due: bool) -> None:
    (vault.root / "a.md").write_text(f"---\nkind: prospective\n{lines}\n---\nCall.\n")
    assert [memory.path for memory in vault.status().due] == ["a.md"] * due
