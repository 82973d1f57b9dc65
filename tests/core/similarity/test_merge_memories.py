"""Memories merged into one: which may be, and what the one is like."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.ids import is_id
from memvault.core.memory import Memory, Place
from memvault.core.similarity.merge_memories import can_merge, merge_memories, session_ids, source_ids
from memvault.core.similarity.statements import full_text

START = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)
VAULT = "7b0f6a52-6d0e-4c39-9d1a-2f4f0c8b7e11"
IDS = [f"{number}{number:07}-0000-4000-8000-000000000000" for number in range(9)]


def memory(number: int = 0, **values: object) -> Memory:
    given_: dict[str, object] = {
        "id": IDS[number],
        "path": f"2-memories/note-{number}.md",
        "place": Place.MEMORIES,
        "title": f"Note {number}",
        "created": START + timedelta(days=number),
        "last_accessed": START + timedelta(days=number),
        "body": "The gauges keep winter time all year.",
    }
    return Memory(**{**given_, **values})  # type: ignore[arg-type]


def made_one(memories: Sequence[Memory]) -> Memory:
    return merge_memories(memories, vault_id=VAULT)


# -- which may be merged


def test_two_notes_of_one_kind_and_place_may_be_merged() -> None:
    assert can_merge(memory(0), memory(1))
    assert can_merge(memory(0, place=Place.HOT), memory(1))
    assert can_merge(memory(0, status="stale"), memory(1))


@pytest.mark.parametrize(
    "values",
    [
        {"kind": "episodic"},
        {"kind": "working"},
        {"place": Place.IDENTITY},
        {"place": Place.DEEP},
        {"place": Place.ARCHIVED},
        {"place": Place.QUARANTINE},
        {"place": Place.FOREIGN},
        {"pinned": True},
        {"status": "archived"},
        {"problem": "line 3: no colon"},
        {"more": {"scope": "session"}},
        {"more": {"project": "other.example/x"}},
        {"more": {"superseded_by": (IDS[5],)}},
        {"more": {"merged_into": IDS[5]}},
        {"more": {"contested": (IDS[0],)}},
        {"more": {"contested": ("[[note-0]]",)}},
        {"more": {"contradicts": ("[[Note 0|the other]]",)}},
        {"more": {"supersedes": (IDS[0][:8],)}},
        {"more": {"due": START}, "people": ()},
        {"people": ("Tom",)},
    ],
)
def test_memories_of_other_kinds_or_pinned_are_not_merged(values: dict[str, object]) -> None:
    first = memory(0, people=("Sara",), more={"due": START + timedelta(days=1)} if "due" in str(values) else {})
    second = memory(1, **values)
    assert not can_merge(first, second)
    assert not can_merge(second, first)


# -- what the merged one is like


def test_counts_dates_and_weights() -> None:
    first = memory(0, access_count=3, weight=0.4, last_accessed=START + timedelta(days=9))
    second = memory(1, access_count=4, weight=0.8, base_weight=0.7, emotional_flag=True)
    result = made_one([first, second])
    assert result.access_count == 7
    assert result.created == START
    assert result.last_accessed == START + timedelta(days=9)
    assert (result.weight, result.base_weight) == (0.8, 0.7)
    assert result.emotional_flag
    assert result.version == ""


def test_merged_memory_stays_exempt_from_decay() -> None:
    assert not made_one([memory(0), memory(1, decay_eligible=False)]).decay_eligible


def test_lists_are_united_each_text_once() -> None:
    first = memory(0, tags=("gauges", "time"), triggers=("gauge time",), people=("Ilse Marrow",), weight=0.9)
    second = memory(1, tags=("Gauges", "gotcha"), triggers=("an hour off",), people=("ilse marrow", "Noor"))
    result = made_one([first, second])
    assert result.tags == ("gauges", "time", "gotcha")
    assert result.triggers == ("gauge time", "an hour off")
    assert result.people == ("Ilse Marrow", "Noor")


def test_the_title_of_the_heaviest_stays_and_the_others_become_aliases() -> None:
    result = made_one([memory(0, weight=0.3, aliases=("Winter",)), memory(1, weight=0.9)])
    assert result.title == "Note 1"
    assert result.aliases == ("Note 1", "Note 0", "Winter")


def test_a_merged_memory_is_trusted_no_more_than_its_least_trusted_source() -> None:
    hot = memory(0, place=Place.HOT, weight=0.9, more={"source": "user"})
    result = made_one([hot, memory(1, more={"source": "web"})])
    assert result.more["source"] == "web"
    assert result.place is Place.MEMORIES
    trusted = made_one([hot, memory(1, weight=1.0, more={"source": "agent"})])
    assert trusted.more["source"] == "agent"
    assert trusted.place is Place.HOT
    assert made_one([hot, memory(1, more={"tainted": True})]).place is Place.MEMORIES
    assert "source" not in made_one([memory(0), memory(1)]).more


def test_the_path_lies_in_the_folder_of_the_place() -> None:
    hot = memory(0, place=Place.HOT, path="1-hot/note-0.md", weight=0.9, more={"source": "web"})
    assert made_one([hot, memory(1)]).path == "2-memories/note-1.md"
    assert made_one([hot.with_changes(more={}), memory(1)]).path == "1-hot/note-0.md"


def test_bodies_are_united_on_the_fullest_of_them() -> None:
    result = made_one(
        [memory(0, body="One thing is so. Another thing too."), memory(1, body="One thing is so. Not the third.")]
    )
    assert result.body == "One thing is so. Not the third.\n\n## Also noted\n\n- Another thing too.\n"


def test_sources_are_flattened_and_the_id_follows_from_them() -> None:
    a, b, c = memory(0), memory(1), memory(2)
    left = made_one([made_one([a, b]), c])
    right = made_one([a, made_one([b, c])])
    whole = made_one([a, b, c])
    assert left.id == right.id == whole.id
    assert is_id(whole.id)
    assert whole.more["merged_from"] == tuple(IDS[:3]) == source_ids([a, b, c])
    assert whole.id not in {memory_.id for memory_ in (a, b, c, made_one([a, b]))}


def test_the_id_is_the_one_that_every_program_derives() -> None:
    sources = [
        memory(0, id="5f0c2a9e-8d1b-4c77-9b0e-6a1f2e3d4c5b"),
        memory(1, id="0d1c5c5e-3f0a-4a39-8a55-0f2b1d3c4e5f"),
    ]
    assert merge_memories(sources, vault_id=VAULT).id == "0da79832-e563-524f-ae8d-5b5a799c8f5b"
    assert merge_memories(sources, vault_id=IDS[0]).id != merge_memories(sources, vault_id=VAULT).id


def test_sessions_are_listed() -> None:
    first = memory(0, more={"session": "s-1"})
    second = memory(1, more={"source_sessions": ("s-2", "s-1")}, refs={"session": ("s-3",)})
    result = made_one([first, second])
    assert result.more["source_sessions"] == ("s-1", "s-2", "s-3")
    assert "session" not in result.more
    assert session_ids(result) == ("s-1", "s-2", "s-3")
    assert made_one([first, memory(1, more={"session": "s-1"})]).more["session"] == "s-1"


def test_other_fields_are_united_as_they_are_meant() -> None:
    first = memory(
        0,
        weight=0.9,
        kind="procedural",
        refs={"artifacts": ("a.py",)},
        more={"usage_count": 3, "success_rate": 1.0, "confidence": 0.5, "steps": ("one", "two"), "extends": ("[[x]]",)},
    )
    second = memory(
        1,
        kind="procedural",
        refs={"artifacts": ("a.py", "b.py"), "deep_context": ("d.md",)},
        more={
            "usage_count": 1,
            "success_rate": 0.0,
            "confidence": 0.7,
            "steps": ("two", "three"),
            "extends": ("[[y]]",),
        },
    )
    result = made_one([first, second])
    assert result.more["usage_count"] == 4
    assert result.more["success_rate"] == 0.75
    assert result.more["confidence"] == 0.7
    assert result.more["steps"] == ("one", "two", "three")
    assert result.more["extends"] == ("[[x]]", "[[y]]")
    assert result.refs == {"artifacts": ("a.py", "b.py"), "deep_context": ("d.md",)}


def test_first_due_day_counts_after_a_merge() -> None:
    first, second = memory(0, more={"due": START}), memory(1, more={"due": START + timedelta(days=2)})
    assert made_one([first, second]).more["due"] == START


# -- what a memory says


def test_a_title_that_the_text_begins_with_is_not_said_twice() -> None:
    assert full_text(memory(title="The gauges keep winter time all…")) == "The gauges keep winter time all year."
    assert full_text(memory(body="# Note 0\n\nText.")) == "# Note 0\n\nText."
    assert full_text(memory(title="Winter time")) == "# Winter time\n\nThe gauges keep winter time all year."


# -- laws

bodies = st.lists(
    st.sampled_from(["One thing is so.", "Another is not at all.", "A third came later on.", "- an item of it"]),
    min_size=1,
    max_size=3,
).map("\n\n".join)
notes = st.builds(
    lambda body, weight, count, tags, sessions, place: {
        "body": body,
        "weight": weight,
        "access_count": count,
        "tags": tuple(tags),
        "place": place,
        "more": {"source_sessions": tuple(sessions)} if sessions else {},
    },
    bodies,
    st.sampled_from([0.3, 0.5, 0.8]),
    st.integers(0, 9),
    st.lists(st.sampled_from(["a", "A", "b", "c"]), max_size=3, unique=True),
    st.lists(st.sampled_from(["s1", "s2", "s3"]), max_size=3, unique=True),
    st.sampled_from([Place.MEMORIES, Place.HOT]),
)


@given(st.lists(notes, min_size=2, max_size=3))
def test_the_order_in_which_memories_are_given_makes_no_difference(values: list[dict[str, object]]) -> None:
    memories = [memory(number, **each) for number, each in enumerate(values)]
    results = [made_one(order) for order in permutations(memories)]
    assert all(result == results[0] for result in results)


@given(st.lists(notes, min_size=2, max_size=4))
def test_no_tag_session_source_or_use_is_lost(values: list[dict[str, object]]) -> None:
    memories = [memory(number, **each) for number, each in enumerate(values)]
    result = made_one(memories)
    assert {tag.casefold() for tag in result.tags} == {tag.casefold() for each in memories for tag in each.tags}
    assert set(session_ids(result)) == {session for each in memories for session in session_ids(each)}
    assert result.access_count == sum(each.access_count for each in memories)
    assert set(source_ids([result])) == {each.id for each in memories}
    assert result.body is not None
    assert all(line in result.body for each in memories for line in (each.body or "").split("\n\n"))
