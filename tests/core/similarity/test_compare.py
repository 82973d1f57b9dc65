"""All memories of a vault held against each other."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.memory import Memory, Place
from memvault.core.similarity.merge_memories import can_merge, merge_memories
from memvault.core.similarity.same_words import holds_all
from memvault.core.similarity.verdict import ComparisonResult, compare_memories, compare_texts
from tests.core.similarity.test_merge_memories import IDS, VAULT, made_one, memory

SAID = ("The portal needs two reviewers.", "the portal needs 2 reviewers", "The portal needs three reviewers.")
REWORDED = "Two reviewers are needed by the portal."


def note(number: int, body: str, **values: object) -> Memory:
    return memory(number, title=body[:40], body=body, **values)


def ids(found: ComparisonResult) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """The pairs offered and those contested."""
    return (
        {(pair.left, pair.right) for pair in found.proposals},
        {(pair.left, pair.right) for pair in found.contradictions},
    )


def test_the_same_is_grouped_in_any_words_less_is_offered_and_another_amount_contested() -> None:
    loose = "For its changes the portal wants two reviewers, as Ilse says."
    found = compare_memories([note(0, SAID[0]), note(1, SAID[1]), note(2, SAID[2]), note(3, REWORDED), note(4, loose)])
    assert found.groups == ((IDS[0], IDS[1], IDS[3]),)
    proposals, contradictions = ids(found)
    assert {(IDS[0], IDS[4]), (IDS[3], IDS[4])} <= proposals
    assert {(IDS[0], IDS[2]), (IDS[1], IDS[2])} <= contradictions
    contested = next(pair for pair in found.contradictions if pair.left == IDS[0])
    assert [(each.left, each.right) for each in contested.differences] == [("two", "three")]


@pytest.mark.parametrize(
    "values",
    [{"place": Place.IDENTITY}, {"pinned": True}, {"place": Place.FOREIGN}, {"kind": "episodic"}, {"people": ("Tom",)}],
)
def test_unmergeable_memories_can_be_contested(values: dict[str, object]) -> None:
    people = ("Sara",) if "people" in values else ()
    same = compare_memories([note(0, SAID[0], people=people), note(1, SAID[1], **values)])
    assert same == ComparisonResult((), (), ())
    other = compare_memories([note(0, SAID[0], people=people), note(1, SAID[2], **values)])
    assert ids(other) == (set(), {(IDS[0], IDS[1])})


@pytest.mark.parametrize(
    "values",
    [
        {"place": Place.ARCHIVED},
        {"place": Place.QUARANTINE},
        {"status": "archived"},
        {"kind": "working"},
        {"more": {"superseded_by": "[[x]]"}},
        {"more": {"merged_into": "[[x]]"}},
        {"more": {"project": "other"}},
        {"more": {"supersedes": ("[[note-0]]",)}},
    ],
)
def test_archived_or_foreign_project_memories_contradict_nothing(values: dict[str, object]) -> None:
    assert compare_memories(
        [note(0, SAID[0], more={"project": "ours"}), note(1, SAID[2], **values)]
    ) == ComparisonResult((), (), ())


def test_a_refused_pair_is_neither_merged_nor_offered_nor_contested() -> None:
    notes = [note(0, SAID[0]), note(1, SAID[1]), note(2, SAID[2]), note(3, REWORDED)]
    assert compare_memories(notes, refused=lambda _left, _right: True) == ComparisonResult((), (), ())
    found = compare_memories(notes[:2], refused=lambda left, right: (left, right) == (IDS[0], IDS[1]))
    assert found == ComparisonResult((), (), ())


def test_two_that_were_refused_do_not_come_together_by_a_third() -> None:
    notes = [note(number, SAID[0]) for number in range(3)]
    found = compare_memories(notes, refused=lambda left, right: (left, right) == (IDS[0], IDS[1]))
    assert all(not {IDS[0], IDS[1]} <= set(group) for group in found.groups)
    assert len(found.groups) == 1


@pytest.mark.parametrize("field", ["contested", "contradicts"])
@pytest.mark.parametrize("link", ["[[note-1]]", "[[2-memories/note-1.md|that one]]", IDS[1], IDS[1][:8].upper()])
def test_a_link_that_says_so_makes_a_contradiction_of_any_texts(field: str, link: str) -> None:
    found = compare_memories([note(0, "Maja plays the viola.", more={field: (link,)}), note(1, "The boiler is new.")])
    assert ids(found) == (set(), {(IDS[0], IDS[1])})
    archived = note(1, "The boiler is new.", place=Place.ARCHIVED)
    assert not compare_memories([note(0, "Maja plays the viola.", more={field: (link,)}), archived]).contradictions


def test_texts_that_say_the_same_are_not_merged_where_a_link_says_otherwise() -> None:
    found = compare_memories([note(0, SAID[0], more={"contradicts": ("[[note-1]]",)}), note(1, SAID[0])])
    assert found.groups == ()
    assert ids(found) == (set(), {(IDS[0], IDS[1])})


def test_retraction_in_an_addition_is_contested() -> None:
    taken_back = f"{SAID[0]} Correction: that was given up, it needs none."
    found = compare_memories([note(0, SAID[0]), note(1, taken_back)])
    assert found.groups == ()
    assert ids(found) == (set(), {(IDS[0], IDS[1])})


def test_an_addition_that_casts_a_doubt_is_offered_and_not_merged() -> None:
    doubtful = f"{SAID[0]} Perhaps Ilse knows why."
    assert compare_texts(SAID[0], doubtful) == "propose"
    assert compare_texts(SAID[0], f"{SAID[0]} Ilse knows why.") == "duplicate"


# -- laws

bodies = st.sampled_from(
    [
        *SAID,
        REWORDED,
        f"{SAID[0]} Ilse knows why.",
        f"{SAID[0]} It was cancelled.",
        "The boiler is new.",
        "the boiler is new",
        "The boiler is not new.",
    ]
)
notes = st.lists(
    st.tuples(
        bodies, st.sampled_from([Place.MEMORIES, Place.HOT, Place.IDENTITY]), st.sampled_from(["ours", "theirs"])
    ),
    min_size=1,
    max_size=8,
).map(lambda made: [note(n, body, place=place, more={"project": p}) for n, (body, place, p) in enumerate(made)])


@given(notes, st.data())
def test_the_order_of_memories_makes_no_difference(given_: list[Memory], data: st.DataObject) -> None:
    assert compare_memories(data.draw(st.permutations(given_))) == compare_memories(given_)


@given(notes)
def test_no_memory_is_in_two_groups_and_no_group_holds_what_may_not_come_together(given_: list[Memory]) -> None:
    found = compare_memories(given_)
    by_id = {each.id: each for each in given_}
    members = [id_ for group in found.groups for id_ in group]
    assert len(members) == len(set(members))
    for group in found.groups:
        for left, right in combinations(group, 2):
            assert can_merge(by_id[left], by_id[right])
            assert compare_texts(by_id[left].body or "", by_id[right].body or "") != "contradiction"


@given(notes)
def test_exact_copies_are_grouped(given_: list[Memory]) -> None:
    copied = [each.with_changes(id=f"{number:08}-1111-4000-8000-000000000000") for number, each in enumerate(given_)]
    grouped = {id_ for group in compare_memories([*given_, *copied]).groups for id_ in group}
    assert all(each.id in grouped for each in given_ if each.place is not Place.IDENTITY)


@given(notes)
def test_a_merge_loses_no_sentence_tag_trigger_person_link_or_use(given_: list[Memory]) -> None:
    told = {
        each.id: each.with_changes(
            tags=(f"tag-{number}",),
            triggers=(f"trigger {number}",),
            people=("Ilse", f"Person {number}"),
            access_count=number,
            more={**each.more, "extends": (f"[[other-{number}]]",)},
        )
        for number, each in enumerate(given_)
    }
    for group in compare_memories(list(told.values())).groups:
        sources = [told[id_] for id_ in group]
        result = made_one(sources)
        assert result == merge_memories(sources[::-1], vault_id=VAULT)
        for name in ("tags", "triggers", "people"):
            assert set(getattr(result, name)) == {text for each in sources for text in getattr(each, name)}
        assert set(result.more["extends"]) == {link for each in sources for link in each.more["extends"]}  # type: ignore[arg-type,union-attr]
        assert result.access_count == sum(each.access_count for each in sources)
        for each in sources:
            assert all(
                said.rstrip(".").casefold() in (result.body or "").casefold() or holds_all(result.body or "", said)
                for said in (each.body or "").split(". ")
            )


def test_the_notes_of_two_days_are_never_held_against_each_other() -> None:
    days = [note(number, SAID[2 * number], path=f"Journal/2026-03-0{number + 2} Monday.md") for number in range(2)]
    assert compare_memories(days) == ComparisonResult((), (), ())
    named = [note(number, SAID[2 * number], path=f"2-memories/2026-03-0{number + 2}-portal.md") for number in range(2)]
    assert ids(compare_memories(named))[1] == {(IDS[0], IDS[1])}
