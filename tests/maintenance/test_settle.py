"""A person decides: which of two memories holds, that both do, or that they are one; and nobody asks again."""

from __future__ import annotations

import pytest

from memvault import Memvault
from memvault.core.similarity.verdict import ComparisonResult
from memvault.errors import CannotEdit, CannotMerge, NothingToDo
from memvault.maintenance.rules import merge_duplicates as consolidation
from memvault.maintenance.rules.case import RuleState
from tests.conftest import Clock

SAYS = "The portal backup runs at {} every night on the harbour server."
REST = "Ilse keeps the tapes in the blue cupboard beside the office door. A tape is used again after six weeks."
EARLY, LATE, LATEST = (f"{SAYS.format(hour)}\n\n{REST}" for hour in ("02:00", "04:00", "05:00"))
DENTIST = "Sara's dentist is Dr. Moss on Quay Street, phone 555-0101. She goes twice a year."
MAJA = "The rent of Maja's flat on Mill Lane is {} euros a month. The bell does not work, so knock at the window."
MOSS = "Sara's dentist is Dr. Moss on Quay Street. She goes twice a year and likes him."


def remembered(vault: Memvault, clock: Clock, text: str, title: str, **given: object) -> str:
    clock.pass_(days=1)
    return vault.remember(text, title=title, **{"kind": "semantic", **given}).memory.id  # type: ignore[arg-type]


@pytest.fixture
def backups(vault: Memvault, clock: Clock) -> tuple[str, str]:
    """Two memories that contradict each other, the older first."""
    return remembered(vault, clock, EARLY, "Portal backup"), remembered(vault, clock, LATE, "Backup of the portal")


@pytest.fixture
def dentists(vault: Memvault, clock: Clock) -> tuple[str, str]:
    """Two memories that may say the same, the older first."""
    return remembered(vault, clock, DENTIST, "Sara's dentist"), remembered(vault, clock, MOSS, "Dr. Moss")


def everything(vault: Memvault) -> dict[str, bytes]:
    notes = (path for path in vault.root.rglob("*.md") if ".memvault" not in path.parts)
    return {path.relative_to(vault.root).as_posix(): path.read_bytes() for path in notes}


def listed(vault: Memvault) -> list[tuple[str, str]]:
    return [(one.newer.memory.title, one.older.memory.title) for one in vault.list_conflicts().conflicts]


# -- contradictions


def test_a_contradiction_is_told_with_the_statements_that_differ_and_what_differs_in_them(
    vault: Memvault, backups: tuple[str, str]
) -> None:
    (conflict,) = vault.list_conflicts().conflicts
    assert (conflict.older.memory.id, conflict.newer.memory.id) == backups
    assert (conflict.older.says, conflict.newer.says) == ((SAYS.format("02:00"),), (SAYS.format("04:00"),))
    assert [(one.sort, one.older, one.newer) for one in conflict.differences] == [("time", "02:00", "04:00")]


def test_the_newest_contradiction_comes_first_and_a_limit_counts_the_rest(
    vault: Memvault, clock: Clock, backups: tuple[str, str]
) -> None:
    remembered(vault, clock, MAJA.format(840), "Rent")
    remembered(vault, clock, MAJA.format(910), "Maja's rent")
    found = vault.list_conflicts(limit=1)
    assert found.total == 2
    assert [one.newer.memory.title for one in found.conflicts] == ["Maja's rent"]


def test_a_memory_whose_text_was_edited_later_is_the_newer_one(
    vault: Memvault, clock: Clock, backups: tuple[str, str]
) -> None:
    clock.pass_(days=1)
    path = vault.path_of(backups[0])
    path.write_text(path.read_text("utf-8").replace("02:00", "03:30"), "utf-8")
    assert listed(vault) == [("Portal backup", "Backup of the portal")]
    assert vault.resolve(*reversed(backups), newest=True).kept.id == backups[0]


def test_private_words_are_compared_and_not_told(vault: Memvault, clock: Clock) -> None:
    for pin, title in (("key-blue", "Door"), ("key-plum", "The door")):
        text = f"The alarm of the boat house is by the door. <private>Its code is {pin}.</private>"
        clock.pass_(days=1)
        path = vault.path_of(vault.remember("x", title=title).memory.id)
        path.write_text(path.read_text("utf-8").replace("\nx\n", f"\n{text}\n"), "utf-8")
    assert "key-" not in repr(vault.list_conflicts())


def test_a_comparison_is_made_once_and_reused(
    vault: Memvault, backups: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []

    def look(world: RuleState) -> ComparisonResult:
        looks.append(1)
        return consolidation.find_duplicates(world)

    monkeypatch.setattr("memvault.maintenance.conflicts.find_duplicates", look)
    assert vault.list_conflicts().total == 1
    assert vault.list_duplicates().total == 0
    vault.resolve(*backups)
    assert vault.list_conflicts().total == 0
    assert len(looks) == 1
    vault.remember("Something else altogether: the ferry leaves from pier two.")
    vault.list_conflicts()
    assert len(looks) == 2


# -- which of them holds


def test_the_one_that_holds_takes_the_others_place_and_undo_gives_every_byte_back(
    vault: Memvault, backups: tuple[str, str]
) -> None:
    before = everything(vault)
    early, late = backups
    settled = vault.resolve(early, late)
    assert settled.kept.more["supersedes"] == (f"[[{settled.other.name}]]",)
    assert settled.other.more["superseded_by"] == (f"[[{settled.kept.name}]]",)
    assert settled.other.status == "active"
    assert listed(vault) == []
    assert vault.undo().verb == "resolve"
    assert everything(vault) == before
    assert len(listed(vault)) == 1


def test_the_newest_holds_in_whatever_order_they_are_named(vault: Memvault, backups: tuple[str, str]) -> None:
    assert vault.resolve(*backups, newest=True, dry_run=True).kept.id == backups[1]
    assert vault.resolve(*reversed(backups), newest=True).kept.id == backups[1]


def test_a_dry_run_writes_nothing(vault: Memvault, backups: tuple[str, str]) -> None:
    before = everything(vault)
    assert vault.resolve(*backups, dry_run=True).op == ""
    assert vault.resolve(*backups, both=True, dry_run=True).op == ""
    assert everything(vault) == before
    assert len(listed(vault)) == 1


def test_both_hold_and_are_never_listed_again(vault: Memvault, clock: Clock, backups: tuple[str, str]) -> None:
    before = everything(vault)
    vault.resolve(*backups, both=True)
    assert everything(vault) == before
    assert listed(vault) == []
    vault.reindex()
    vault.maintain()
    assert listed(vault) == []
    assert vault.show(backups[0]).contradicts == ()
    with pytest.raises(NothingToDo):
        vault.resolve(*reversed(backups), both=True)
    clock.pass_(days=1)
    operation = next(op for op in vault.log() if op.verb == "resolve")
    vault.undo(operation.op)
    assert len(listed(vault)) == 1


def test_other_contradictions_stay_when_one_is_settled(vault: Memvault, clock: Clock, backups: tuple[str, str]) -> None:
    latest = remembered(vault, clock, LATEST, "Backups")
    assert len(listed(vault)) == 3
    vault.resolve(*backups, both=True)
    assert sorted(listed(vault)) == [("Backups", "Backup of the portal"), ("Backups", "Portal backup")]
    vault.resolve(latest, backups[0])
    assert listed(vault) == [("Backups", "Backup of the portal")]
    fresh = listed(vault)
    vault.reindex()
    assert listed(vault) == fresh


def test_a_decision_can_be_turned_round(vault: Memvault, backups: tuple[str, str]) -> None:
    early, late = backups
    vault.resolve(early, late)
    settled = vault.resolve(late, early)
    assert "superseded_by" not in settled.kept.more
    assert "supersedes" not in settled.other.more
    assert settled.other.more["superseded_by"] == (f"[[{settled.kept.name}]]",)
    both = vault.resolve(late, early, both=True)
    assert not {"supersedes", "superseded_by"} & {*both.kept.more, *both.other.more}


def test_contested_is_taken_back_and_links_to_others_stay(vault: Memvault, backups: tuple[str, str]) -> None:
    early, late = (vault.find(id_) for id_ in backups)
    vault.edit(early.id, fields={"contested": (f"[[{late.name}]]", "[[another]]")})
    vault.edit(late.id, fields={"contested": (early.id,)})
    settled = vault.resolve(late.id, early.id)
    assert settled.other.more["contested"] == ("[[another]]",)
    assert "contested" not in settled.kept.more


def test_a_pair_that_only_somebody_linked_as_contradicting_is_listed_and_settled(vault: Memvault, clock: Clock) -> None:
    one = remembered(vault, clock, "Boats are best painted in spring.", "Paint")
    other = remembered(vault, clock, "Autumn is the season to work on hulls.", "Hulls")
    vault.link(one, other, relation="contradicts")
    (conflict,) = vault.list_conflicts().conflicts
    assert conflict.newer.says == ("Hulls\nAutumn is the season to work on hulls.",)
    vault.resolve(one, other, both=True)
    assert listed(vault) == []
    assert "contradicts" not in vault.find(one).more


def test_any_two_memories_can_be_settled(vault: Memvault, clock: Clock) -> None:
    one = remembered(vault, clock, "The ferry leaves from pier two.", "Ferry", pin=True)
    other = remembered(vault, clock, "Noor sings in a choir.", "Choir", pin=True)
    vault.move(other, "identity")
    assert vault.resolve(one, other).other.more["superseded_by"] == (f"[[{vault.find(one).name}]]",)


def test_a_note_of_another_program_is_changed_in_its_frontmatter_alone(
    vault: Memvault, clock: Clock, backups: tuple[str, str]
) -> None:
    note = vault.root / "Notes" / "Backups.md"
    note.parent.mkdir()
    note.write_text(f"---\nowner: Ilse\n---\n{LATEST}\n", "utf-8")
    vault.resolve(backups[1], "Backups")
    late = vault.find(backups[1]).name
    assert note.read_text("utf-8") == f'---\nowner: Ilse\nsuperseded_by: ["[[{late}]]"]\n---\n{LATEST}\n'


def test_nonsense_is_refused(vault: Memvault, backups: tuple[str, str]) -> None:
    early, late = backups
    with pytest.raises(NothingToDo, match="the same memory"):
        vault.resolve(early, "Portal backup")
    vault.resolve(early, late)
    with pytest.raises(NothingToDo, match="already"):
        vault.resolve(early, late)


def test_a_pair_is_left_alone_if_one_note_cannot_be_written(vault: Memvault, backups: tuple[str, str]) -> None:
    path = vault.path_of(backups[1])
    path.write_text(path.read_text("utf-8").replace("weight:", "tags: [unclosed\nweight:"), "utf-8")
    before = everything(vault)
    for pair in (backups, tuple(reversed(backups))):
        with pytest.raises(CannotEdit):
            vault.resolve(*pair)
    assert everything(vault) == before


# -- what says the same


def test_duplicates_are_listed_and_then_merged_by_maintenance(vault: Memvault, clock: Clock) -> None:
    ids = [remembered(vault, clock, DENTIST, "") for _ in range(3)]
    for _ in range(2):
        found = vault.list_duplicates()
        assert [{memory.id for memory in group} for group in found.groups] == [set(ids)]
        assert found.proposals == ()
        assert found.merging
    vault.maintain()
    assert {vault.find(id_).status for id_ in ids} == {"archived"}
    assert vault.list_duplicates().total == 0


def test_a_merge_by_hand_is_the_one_a_run_makes_and_undo_gives_every_byte_back(vault: Memvault, clock: Clock) -> None:
    ids = [remembered(vault, clock, DENTIST, "", tags=("health",)), remembered(vault, clock, DENTIST, "")]
    before = everything(vault)
    would_be = vault.merge(*ids, dry_run=True)
    assert everything(vault) == before
    made = vault.merge(*ids).memory
    by_hand = everything(vault)
    assert (made.id, made.path) == (would_be.memory.id, would_be.memory.path)
    assert vault.find(made.id).more["merged_from"] == tuple(sorted(ids))
    vault.undo()
    assert everything(vault) == before
    vault.maintain(only=["consolidate"])
    assert everything(vault) == by_hand


def test_a_merge_says_all_that_its_sources_said(vault: Memvault, dentists: tuple[str, str]) -> None:
    merged = vault.merge(*dentists)
    text = vault.show(merged.memory.id).memory.body or ""
    assert "555-0101" in text
    assert "likes him" in text
    for id_ in dentists:
        source = vault.find(id_)
        assert (source.status, source.more["merged_into"]) == ("archived", merged.memory.id)
    assert vault.list_duplicates().total == 0


def test_a_pair_that_is_kept_apart_is_not_offered_again(vault: Memvault, dentists: tuple[str, str]) -> None:
    vault.keep_both(*dentists)
    assert vault.list_duplicates().total == 0
    vault.reindex()
    vault.maintain()
    assert vault.list_duplicates().total == 0
    assert vault.find(dentists[0]).status == "active"


def test_a_contradiction_is_not_merged(vault: Memvault, backups: tuple[str, str]) -> None:
    before = everything(vault)
    with pytest.raises(CannotMerge, match="contradict") as error:
        vault.merge(*backups)
    assert f"memvault review hold {backups[0][:8]} {backups[1][:8]}" in error.value.advice
    assert everything(vault) == before


def test_memories_that_maintenance_must_not_merge_cannot_be_merged_by_hand(vault: Memvault, clock: Clock) -> None:
    one = remembered(vault, clock, DENTIST, "Dentist")
    pinned = remembered(vault, clock, DENTIST, "Pinned", pin=True)
    event = remembered(vault, clock, DENTIST, "Event", kind="episodic")
    identity = remembered(vault, clock, DENTIST, "Identity")
    vault.move(identity, "identity")
    replaced = remembered(vault, clock, DENTIST, "Replaced")
    vault.resolve(event, replaced)
    for other, reason in (
        (pinned, "“Pinned” is pinned"),
        (event, "they differ in kind"),
        (identity, "“Identity” lies in 0-identity"),
        (replaced, "“Replaced” is no longer live"),
    ):
        with pytest.raises(CannotMerge, match=reason):
            vault.merge(one, other)
    with pytest.raises(NothingToDo):
        vault.merge(one, "Dentist")
