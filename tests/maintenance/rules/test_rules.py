"""Each rule on small vaults: what is given, and the plan that comes out, as a person reads it."""

from __future__ import annotations

from typing import Any

import pytest

from memvault.core.memory import Memory, Place
from memvault.core.plan import MoveFile
from memvault.core.weight import Decay, TierMove, TypedValue, UsageHistory
from memvault.maintenance.rules import EarlierDecisions, MaintenancePolicy, PlannedNote, RuleResult, apply_rules
from memvault.maintenance.rules.decay import round_to_grid
from tests.maintenance.rules.shelf import FADING, Shelf, about, day, memory, survey, told


def swept(*memories: Memory, days: float, rule: str = "", **given: Any) -> list[str]:
    """The plan for some memories after so many days, by one rule or by all that look at weights."""
    return told(apply_rules(survey(*memories, now=day(days), **given), frozenset({rule}) if rule else FADING))


def used(*days: float) -> UsageHistory:
    return UsageHistory(uses=tuple((day(number), day(number)) for number in days))


# -- weights


def test_the_number_in_the_file_moves_to_the_grid_when_the_weight_leaves_its_cell() -> None:
    assert swept(memory(weight=0.8), days=6) == []
    assert swept(memory(weight=0.8), days=7) == [
        "2-memories/one.md: weight 0.7, base_weight 0.8 (its weight fell to 0.75)"
    ]
    assert swept(memory(weight=0.7, base_weight=0.8), days=7) == []


def test_a_number_that_no_program_wrote_stands_as_long_as_it_is_near() -> None:
    assert swept(memory(weight=0.737), days=12) == []
    assert swept(memory(weight=0.737), days=13) == [
        "2-memories/one.md: weight 0.6, base_weight 0.737 (its weight fell to 0.65)"
    ]


def test_a_number_that_was_left_and_come_back_to_is_ours_from_then_on() -> None:
    assert swept(memory(weight=0.8), days=100, pasts={"one": used(99.5)}) == [
        "2-memories/one.md: access_count 1, last_accessed 2026-04-10, weight 0.8, base_weight 0.8"
        " (used on 2026-04-10; its weight rose to 0.82)"
    ]


def test_uses_are_written_where_the_file_speaks_of_them() -> None:
    past = {"one": used(1, 2, 3)}
    assert swept(memory(), days=4, rule="touches", pasts=past) == [
        "2-memories/one.md: access_count 3, last_accessed 2026-01-04 (used 3 more times, last on 2026-01-04)"
    ]
    assert swept(memory(stated=("id", "weight")), days=4, rule="touches", pasts=past) == []
    assert (
        swept(
            memory(access_count=7, last_accessed=day(9)),
            days=10,
            rule="touches",
            pasts={"one": UsageHistory(baseline=2)},
        )
        == []
    )


def test_the_count_before_the_journals_is_noted_once() -> None:
    rule = frozenset({"touches"})
    one, past = memory(access_count=4), {"one": used(1)}
    first = apply_rules(survey(one, now=day(2), pasts=past), rule).changes[0]
    assert ({"e": "count", "id": "one", "value": 4}, None) in about(first).notes
    again = apply_rules(
        survey(one, now=day(2), pasts=past, decided=EarlierDecisions(counted=frozenset({"one"}))), rule
    ).changes[0]
    assert about(again).notes == ()


def test_a_weight_typed_by_hand_becomes_what_decay_starts_from() -> None:
    past = {"one": UsageHistory(weight=TypedValue(0.6, day(3)), uses=((day(1), day(1)), (day(2), day(2))))}
    assert swept(memory(weight=0.6), days=3, rule="adopt", pasts=past) == [
        "2-memories/one.md: base_weight 0.56 (you set its weight to 0.6)"
    ]


def test_written_fields_are_noted_as_ours() -> None:
    [change] = apply_rules(survey(memory(weight=0.33), now=day(10)), FADING).changes
    assert [entry for entry, _ in about(change).notes] == [{"e": "wrote", "id": "one", "field": "status", "value": "stale"}]  # fmt: skip
    [change] = apply_rules(survey(memory(weight=0.33), now=day(30)), FADING).changes
    assert {entry["field"]: back["value"] for entry, back in about(change).notes if back} == {"weight": 0.33, "status": "active"}  # fmt: skip


@pytest.mark.parametrize(
    ("weight", "expected"), [(0, 0), (0.05, 0.1), (0.0499, 0), (0.25, 0.3), (0.35, 0.4), (0.951, 1), (1, 1)]
)
def test_a_cell_is_a_tenth_wide_and_holds_its_lower_edge(weight: float, expected: float) -> None:
    assert round_to_grid(weight) == expected


# -- statuses


def test_a_memory_below_the_threshold_goes_stale_and_is_archived_after_thirty_days() -> None:
    one = memory(weight=0.3, base_weight=0.5)
    assert swept(one, days=50, rule="stale") == []
    assert swept(one, days=51, rule="stale") == ["2-memories/one.md: status stale (below 0.3 since 2026-02-21)"]
    assert swept(one, days=80, rule="archive") == []
    assert swept(one, days=81, rule="archive") == [
        "2-memories/one.md -> 3-raw/archived/one.md: status archived (below 0.3 for 30 days until 2026-03-23)"
    ]


def test_a_memory_is_archived_by_its_dates_even_if_used_later() -> None:
    one = memory(weight=0.3, base_weight=0.5)
    assert swept(one, days=100, rule="archive", pasts={"one": used(90)})
    assert not swept(one, days=100, rule="archive", pasts={"one": used(80)})
    assert not swept(one, days=100, rule="archive", pasts={"one": used(90)}, judged_until=day(85))


def test_an_earlier_run_has_the_last_word_only_on_what_it_could_see() -> None:
    one = memory(weight=0.3, base_weight=0.5)
    assert swept(one, days=100, rule="archive", pasts={"one": used(90)}, judged_until=day(79))


def test_a_memory_used_again_becomes_active_again() -> None:
    one = memory(weight=0.2, base_weight=0.5, status="stale")
    decided = EarlierDecisions(written={("one", "status"): "stale"})
    assert swept(one, days=70, pasts={"one": used(69)}, rule="revive", decided=decided) == [
        "2-memories/one.md: status active (used on 2026-03-11, weighs 0.52 again)"
    ]
    assert swept(one, days=70, rule="revive", decided=decided) == []


def test_a_status_typed_by_hand_holds_until_the_next_use() -> None:
    stale = UsageHistory(status=TypedValue("stale", day(1)))
    one = memory(status="stale")
    assert swept(one, days=2, pasts={"one": stale}) == []
    assert swept(one, days=2, pasts={"one": UsageHistory(status=TypedValue("stale", day(1)), uses=((day(1.5), day(1.5)),))}, rule="revive")  # fmt: skip
    awake = UsageHistory(status=TypedValue("active", day(1)))
    assert swept(memory(weight=0.1), days=300, rule="archive", pasts={"one": awake}) == []


@pytest.mark.parametrize("model", ["weighted", "biomimetic"])
def test_neither_a_date_ahead_nor_a_typed_weight_is_a_use(model: str) -> None:
    ahead = memory(last_accessed=day(900), status="stale")
    typed = UsageHistory(status=TypedValue("stale", day(1)))
    assert swept(ahead, days=5, pasts={"one": typed}, rule="revive", policy=MaintenancePolicy(decay=Decay(model))) == []
    both = UsageHistory(status=TypedValue("stale", day(1)), weight=TypedValue(0.6, day(2)))
    one = memory(status="stale", weight=0.6)
    assert swept(one, days=5, pasts={"one": both}, rule="revive", policy=MaintenancePolicy(decay=Decay(model))) == []
    vetoed = EarlierDecisions(vetoes={("one", "decay"): day(4)})
    assert (
        swept(memory(last_accessed=day(900), weight=0.5, base_weight=0.9), days=5, rule="decay", decided=vetoed) == []
    )


def test_a_status_that_stood_there_from_the_beginning_is_a_persons() -> None:
    assert swept(memory(status="stale"), days=5) == []


def test_a_weight_typed_in_between_keeps_a_memory_from_the_archive() -> None:
    one = memory(weight=0.823, base_weight=0.5)
    past = UsageHistory(weight=TypedValue(0.823, day(70)), uses=((day(108), day(108)),))
    assert swept(one, days=200, rule="archive", pasts={"one": past}) == []


def test_an_unpinned_memory_has_thirty_days_after_that() -> None:
    one, past = memory(weight=0.2), {"one": UsageHistory(pinned=TypedValue(False, day(200)))}
    assert swept(one, days=229, rule="archive", pasts=past) == []
    assert swept(one, days=230, rule="archive", pasts=past)


def test_a_note_linked_to_by_path_is_archived_in_its_place() -> None:
    one = memory(weight=0.3, base_weight=0.5)
    assert swept(one, days=90, rule="archive", is_linked_by_path=lambda _memory: True) == [
        "2-memories/one.md: status archived (below 0.3 for 30 days until 2026-03-23;"
        " other notes link to its path, so it stays)"
    ]


def test_a_foreign_note_is_archived_in_the_ledger_alone() -> None:
    one = memory(place=Place.FOREIGN, weight=0.2)
    assert swept(one, days=40) == ["note e archive, id one (below 0.3 for 30 days until 2026-01-31)"]
    assert swept(one, days=20) == []


@pytest.mark.parametrize(
    ("place", "end"), [(Place.MEMORIES, "archived"), (Place.FOREIGN, "archived"), (Place.HOT, "stale")]
)
def test_runs_only_when_something_is_due_miss_nothing(place: Place, end: str) -> None:
    shelf = Shelf.of([memory(weight=0.5, place=place)])
    shelf.run(day(0))
    while shelf.next is not None and shelf.next < day(300):
        shelf.run(shelf.next)
    assert shelf.memories["one"].status == end


def test_a_taken_name_in_the_archive_is_left_alone() -> None:
    taken = {"3-raw/archived/one.md", "3-raw/archived/one-2.md"}
    [line] = swept(memory(weight=0.1), days=40, rule="archive", is_taken=taken.__contains__)
    assert line.startswith("2-memories/one.md -> 3-raw/archived/one-3.md")


# -- what a person took back


@pytest.mark.parametrize("rule", sorted(FADING - {"adopt"}))
def test_an_undone_change_is_not_repeated_before_the_memory_is_used(rule: str) -> None:
    one = memory(weight=0.9, base_weight=0.5, status="stale" if rule == "revive" else "active")
    past = used(1) if rule in ("touches", "revive") else UsageHistory()
    days, written = 100 if rule in ("archive", "stale", "decay") else 2, {("one", "status"): "stale"}
    days = 60 if rule == "stale" else days
    assert swept(one, days=days, rule=rule, pasts={"one": past}, decided=EarlierDecisions(written=written))
    vetoed = EarlierDecisions(written=written, vetoes={("one", rule): day(days - 0.5)})
    assert swept(one, days=days, rule=rule, pasts={"one": past}, decided=vetoed) == []


def test_undoing_stale_prevents_archiving_for_it() -> None:
    vetoed = EarlierDecisions(vetoes={("one", "stale"): day(60)})
    assert swept(memory(weight=0.5), days=100, rule="archive", decided=vetoed) == []


# -- what one task needed, and what went long ago


def test_a_working_memory_is_cleared_a_day_after_its_last_use() -> None:
    one = memory(kind="working")
    assert swept(one, days=0.9, rule="expire") == []
    assert swept(one, days=1, rule="expire") == [
        "2-memories/one.md -> 3-raw/archived/one.md: status archived, cleared_at 2026-01-02"
        " (its time was over on 2026-01-02 09:30Z)"
    ]
    assert swept(one, days=1.5, rule="expire", pasts={"one": used(1)}) == []
    assert swept(one.with_changes(more={"expires_at": day(0.2)}), days=0.3, rule="expire")
    assert swept(one.with_changes(pinned=True), days=9, rule="expire") == []


def test_a_working_memory_is_cleared_five_minutes_after_its_session() -> None:
    one, minute = memory(kind="working", more={"session": "seven"}), 1 / 1440
    ended = {"seven": day(0.1)}
    assert swept(one, days=0.1 + 4 * minute, rule="expire", ended=ended) == []
    assert swept(one, days=0.1 + 6 * minute, rule="expire", ended=ended)
    assert swept(one, days=0.5, rule="expire", ended={"eight": day(0.1)}) == []
    assert swept(one, days=0.5, rule="expire", ended=ended, pasts={"one": used(0.2)}) == []
    lasting = one.with_changes(more={"session": "seven", "scope": "project"})
    assert swept(lasting, days=0.5, rule="expire", ended=ended) == []


def test_pruning_lets_go_only_of_what_lies_in_the_archive_unused() -> None:
    one, policy = memory(place=Place.ARCHIVED, status="archived"), MaintenancePolicy(prune_months=6)
    assert swept(one, days=182, rule="prune", policy=policy) == []
    assert swept(one, days=183, rule="prune", policy=policy) == [
        "3-raw/archived/one.md -> .trash/one.md: as it is (archived, and not used since 2026-01-01)"
    ]
    assert swept(one, days=183, rule="prune", policy=policy, pasts={"one": used(50)}) == []
    assert swept(one, days=183, rule="prune") == []
    for kept in (one.with_changes(more={"merged_into": "x"}), one.with_changes(pinned=True), memory()):
        assert swept(kept, days=999, rule="prune", policy=policy) == []


# -- Tier 1


def moved_up(at: float = 0) -> EarlierDecisions:
    return EarlierDecisions(moved={"one": TierMove("2-memories/one.md", "1-hot/one.md", day(at), by_keeper=True)})


def test_memories_used_often_and_lately_move_up() -> None:
    assert swept(memory(), days=3, rule="hot", pasts={"one": used(1, 2)}) == [
        "2-memories/one.md -> 1-hot/one.md: as it is (up to Tier 1: used often and lately)"
    ]
    assert swept(memory(), days=60, rule="hot", pasts={"one": used(1, 2)}) == []


@pytest.mark.parametrize(
    "given",
    [
        {"more": {"source": "import"}},
        {"more": {"source": "web"}},
        {"more": {"source": "tool"}},
        {"more": {"tainted": True}},
        {"more": {"superseded_by": ("[[two]]",)}},
        {"status": "stale"},
        {"kind": "working"},
        {"problem": "line 3: it is no YAML"},
        {"place": Place.FOREIGN},
    ],
    ids=str,
)
def test_only_trusted_lasting_and_live_memories_move_up(given: dict[str, Any]) -> None:
    assert swept(memory(**given), days=3, rule="hot", pasts={"one": used(1, 2)}) == []


def test_cooled_memories_return_to_their_folder_and_those_a_person_placed_stay() -> None:
    one = memory(place=Place.HOT)
    moved = {"one": TierMove("2-memories/work/one.md", "1-hot/one.md", day(0), by_keeper=True)}
    assert swept(one, days=90, rule="hot", decided=EarlierDecisions(moved=moved)) == [
        "1-hot/one.md -> 2-memories/work/one.md: as it is (back to Tier 2: not used much lately)"
    ]
    assert swept(one, days=90, rule="hot") == []
    by_hand = {"one": TierMove("2-memories/one.md", "1-hot/one.md", day(0), by_keeper=False)}
    assert swept(one, days=90, rule="hot", decided=EarlierDecisions(moved=by_hand)) == []
    assert swept(one.with_changes(pinned=True), days=90, rule="hot", decided=moved_up()) == []


def test_between_the_two_thresholds_everything_stays_where_it_is() -> None:
    lukewarm = {"one": used(0)}
    assert swept(memory(), days=10, rule="hot", pasts=lukewarm) == []
    assert swept(memory(place=Place.HOT), days=10, rule="hot", pasts=lukewarm, decided=moved_up()) == []


def test_a_memory_taken_down_by_a_person_stays_down_until_it_is_used() -> None:
    down = {"one": TierMove("1-hot/one.md", "2-memories/one.md", day(3), by_keeper=False)}
    assert swept(memory(), days=4, rule="hot", pasts={"one": used(1, 2)}, decided=EarlierDecisions(moved=down)) == []
    assert swept(memory(), days=6, rule="hot", pasts={"one": used(1, 2, 5)}, decided=EarlierDecisions(moved=down))


def test_tier_1_is_never_fuller_than_it_may_be() -> None:
    memories = [memory(f"m{number:02}") for number in range(40)]
    pasts = {one.id: used(*(2 + number / 100 for number in range(3 + index % 5))) for index, one in enumerate(memories)}
    plan = apply_rules(survey(*memories, now=day(4), pasts=pasts), frozenset({"hot"})).changes
    assert 10 <= len(plan) <= 20, "each is a kilobyte, near enough"
    assert not apply_rules(
        survey(*memories, now=day(4), pasts=pasts, policy=MaintenancePolicy(hot_most=0)), frozenset({"hot"})
    ).changes


# -- what says the same


TEXT = "The weir at Hollin opens two hours after high water, said Noor at the harbour office."


def twins(**given: object) -> tuple[Memory, Memory]:
    return memory("one", title="Weir", body=TEXT), memory("two", title="Weir", body=TEXT, **given)


def test_two_that_say_the_same_become_one_and_go_to_the_archive() -> None:
    result = apply_rules(survey(*twins(weight=0.6), now=day(1)), frozenset({"consolidate"}))
    made = [change for change in result.changes if isinstance(change, PlannedNote)]
    assert len(made) == 1
    assert set(told(result)) == {
        f"{made[0].memory.path}: new (merged from 2 that say the same: “Weir”)",
        f"2-memories/one.md -> 3-raw/archived/one.md: status archived, merged_into {made[0].memory.id}"
        " (it is part of “Weir” now)",
        f"2-memories/two.md -> 3-raw/archived/two.md: status archived, merged_into {made[0].memory.id}"
        " (it is part of “Weir” now)",
    }
    assert isinstance(result.changes[0], PlannedNote), "what is made comes before what makes way for it"
    assert len({about(change).group for change in result.changes}) == 1
    assert made[0].memory.base == 0.8


def merges(result: RuleResult) -> int:
    return sum(isinstance(change, PlannedNote) for change in result.changes)


@pytest.mark.parametrize(
    "given",
    [
        {"decided": EarlierDecisions(refused=frozenset({("one", "two")}))},
        {"decided": EarlierDecisions(vetoes={("one", "consolidate"): day(1)})},
        {"policy": MaintenancePolicy(merge=False)},
    ],
    ids=["refused", "taken back", "switched off"],
)
def test_refused_pairs_are_not_merged(given: dict[str, Any]) -> None:
    assert merges(apply_rules(survey(*twins(), now=day(1)), frozenset({"consolidate"}))) == 1
    assert merges(apply_rules(survey(*twins(), now=day(1), **given), frozenset({"consolidate"}))) == 0


def test_the_merged_one_has_the_same_id_wherever_it_is_made() -> None:
    results = [
        apply_rules(survey(*order, now=day(1)), frozenset({"consolidate"})) for order in (twins(), twins()[::-1])
    ]
    ids = {change.memory.id for result in results for change in result.changes if isinstance(change, PlannedNote)}
    assert len(ids) == 1


def test_an_archived_one_is_not_merged() -> None:
    assert merges(apply_rules(survey(*twins(status="archived"), now=day(1)), frozenset({"consolidate"}))) == 0


# -- what comes up again and again


def test_a_reminder_seen_in_three_conversations_concerns_every_project() -> None:
    one = memory(kind="prospective")
    seen = {"confirmed": {"one": frozenset({"a", "b", "c"})}}
    assert swept(one, days=1, rule="promote", **seen) == [
        "2-memories/one.md: scope global (seen 3 times: it concerns every project)"
    ]
    assert swept(one, days=1, rule="promote", confirmed={"one": frozenset({"a", "b"})}) == []
    assert swept(one.with_changes(more={"state": "completed"}), days=1, rule="promote", **seen) == []


def test_episodes_confirmed_in_three_conversations_become_knowledge() -> None:
    one = memory(kind="episodic", body=TEXT)
    given: dict[str, Any] = {"confirmed": {"one": frozenset({"a", "b", "c"})}, "has_name": {"one"}.__contains__}
    result = apply_rules(survey(one, now=day(1), **given), frozenset({"promote"}))
    [made] = result.changes
    assert isinstance(made, PlannedNote)
    assert (made.memory.kind, made.memory.more["extends"], made.why) == (
        "semantic",
        ("[[one]]",),
        "“one” came up in 3 conversations",
    )
    known = made.memory.with_changes(path="2-memories/known.md")
    assert told(apply_rules(survey(one, known, now=day(1), **given), frozenset({"promote"}))) == [], "once is enough"


def test_what_was_decided_lately_is_hot_without_any_use() -> None:
    decided = [memory(f"d{n:02}", tags=("decision",), created=day(n / 4)) for n in range(40)]
    plain = [memory(f"p{n:02}", created=day(n / 4)) for n in range(10)]
    doubted = memory("wrong", tags=("decision",), more={"called_wrong": day(1)})
    sizes = {one.path: 480 for one in (*decided, *plain, doubted)}
    seen = survey(*decided, *plain, doubted, now=day(10), sizes=sizes)
    up = [change for change in apply_rules(seen, frozenset({"hot"})).changes if isinstance(change, MoveFile)]
    assert {change.path.split("/")[-1] for change in up} == {f"d{n:02}.md" for n in range(40)}
    assert all("decided, found out or preferred lately" in change.why for change in up)


def test_tier_1_counts_what_the_same_run_writes_into_its_files() -> None:
    sizes = {f"2-memories/d{n:02}.md": 500 for n in range(60)}
    decided = [
        memory(f"d{n:02}", tags=("decision",), weight=0.82, stated=("weight", "created", "tags")) for n in range(60)
    ]
    result = apply_rules(survey(*decided, now=day(9), sizes=sizes), frozenset({"hot", "decay"}))
    up = [change for change in result.changes if isinstance(change, MoveFile)]
    written = sum(48 if name not in ("weight", "created", "tags") else 24 for change in up for name in change.fields)
    assert 0 < 500 * len(up) + written <= 20 * 1024
    assert 500 * (len(up) + 2) + written > 20 * 1024
