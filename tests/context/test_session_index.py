"""The session index: what to know of, within its budget, the same bytes until a memory changes."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from memvault.context.session_index import build_session_index, memory_day
from memvault.core.memory import Memory
from memvault.text.terms import estimate_tokens
from tests.context.claude_md_memories import memories, memory

GOLDEN = """\
#### Preferences

- Tea in the morning (2026-01-03, 00000001)

#### Recent Activity

- Moved to the new server (2026-01-21, 00000004)
- Old walk (2026-01-02, 00000005)

#### Key Decisions / Gotchas

- Postgres it is (decision, 2026-01-11, 00000002)
- Time zones lie (gotcha, 2026-01-16, 00000003)

#### Keyword Cloud

db"""

FEW = [
    memory(1, "Tea in the morning", day=2, tags=("Preference", "drinks")),
    memory(2, "Postgres it is", day=10, tags=("decision", "DB"), topics=("Storage",)),
    memory(3, "Time zones lie", day=15, tags=("gotcha", "time")),
    memory(4, "Moved to the new server", day=20, tags=("server", "db")),
    memory(5, "Old walk", day=1, topics=("db",)),
]


def test_the_index_as_it_is_read() -> None:
    assert build_session_index(FEW[::-1], 600).text == GOLDEN


def test_common_keywords_go_before_new_ones_until_they_are_old() -> None:
    rare = memory(1, "Rare", day=20, tags=("decision", "once"))
    common = memory(2, "Common", day=10, tags=("decision", "db"))
    ancient = memory(3, "Ancient", day=-700, tags=("gotcha", "db"))
    others = [memory(number, tags=("db",)) for number in range(4, 9)]
    text = build_session_index([rare, common, ancient, *others], 600).text
    assert text.index("Common") < text.index("Rare") < text.index("Ancient")


def test_a_keyword_that_all_memories_have_says_nothing() -> None:
    found = [memory(n, tags=("sample", "db" if n % 2 else "web")) for n in range(4)]
    assert build_session_index(found, 600).text.rpartition("\n")[2] == "db, web"


def test_a_keyword_of_one_memory_alone_is_not_in_the_cloud_and_the_commonest_goes_first() -> None:
    tags = (("zinc", "alloy"), ("zinc", "brass"), ("zinc", "alloy"), ("tin",))
    found = [memory(number, tags=some) for number, some in enumerate(tags)]
    assert build_session_index(found, 600).text.rpartition("\n")[2] == "zinc, alloy"


def test_spellings_of_a_keyword_are_one_written_as_people_write_it_most() -> None:
    tags = (("pipe-wire",), ("PipeWire",), ("PipeWire",), ("pipewire",), ("other",))
    found = [memory(number, tags=some) for number, some in enumerate(tags)]
    assert build_session_index(found, 600).text.rpartition("\n")[2] == "PipeWire"


def test_session_index_counts_what_does_not_fit() -> None:
    index = build_session_index([memory(n, f"Something that happened, number {n}", day=n) for n in range(50)], 200)
    listed = index.text.count("\n- ")
    assert listed > 3
    assert index.unlisted == 50 - listed
    assert f"Not listed: {index.unlisted} more memories" in index.text


def test_an_unused_share_goes_to_the_others() -> None:
    others_only = build_session_index([memory(n, day=n) for n in range(40)], 200).text
    assert estimate_tokens(others_only) > 2 * 200 * 0.25


def test_session_index_of_no_memories_is_empty() -> None:
    assert build_session_index([], 600).text == ""


def test_a_date_that_only_the_file_system_knows_is_not_shown() -> None:
    undated = memory(1, stated=())
    assert memory_day(undated) == ""
    assert memory_day(undated.with_changes(path="2-memories/2025-12-24-snow.md")) == "2025-12-24"


@given(memories(most=40), st.integers(0, 700))
def test_the_budget_is_never_exceeded(found: tuple[Memory, ...], budget: int) -> None:
    assert estimate_tokens(build_session_index(found, budget).text) <= budget


@given(memories(most=20), st.randoms(use_true_random=False))
def test_session_index_ignores_order_and_use(found: tuple[Memory, ...], chance: random.Random) -> None:
    shuffled = [each.with_changes(access_count=chance.randint(0, 99), weight=chance.random()) for each in found]
    chance.shuffle(shuffled)
    assert build_session_index(shuffled, 600) == build_session_index(found, 600)


def test_names_in_titles_are_keywords_as_whole_words() -> None:
    titles = ("Backups of SQLite at Hollin", "When SQLite is busy", "Hollin: the weir at Hollin", "A walk")
    found = [memory(number, title) for number, title in enumerate(titles)]
    assert set(build_session_index(found, 600).text.rpartition("\n")[2].split(", ")) == {"SQLite", "Hollin"}
