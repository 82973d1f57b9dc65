"""A person decides: which of two memories holds, that both do, or that they are one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from memvault.core.ids import short, target_name, wikilinks
from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.plan import About, Change, Note, Plan, SetFields
from memvault.core.similarity.compare import Compared, verdict
from memvault.core.similarity.contradiction import are_against, is_live
from memvault.core.similarity.merge import eligible, said
from memvault.errors import BadInput, CannotMerge, NothingToDo, Unreadable
from memvault.maintenance import findings
from memvault.maintenance import pairs as alike
from memvault.maintenance.planning import written
from memvault.maintenance.rules import Made
from memvault.maintenance.rules.merge import RULE, merge_by_hand
from memvault.maintenance.rules.world import World
from memvault.maintenance.survey import gather
from memvault.recall.superseded import said_at
from memvault.storage.journal.apply import apply_one
from memvault.storage.permissions import check_not_identity
from memvault.storage.vault.context import Bench


@dataclass(frozen=True, slots=True)
class Settled:
    """Two memories after a person decided about them, or as they would be in a dry run."""

    kept: Memory
    other: Memory
    both: bool  # neither gives way to the other
    op: str = ""


@dataclass(frozen=True, slots=True)
class Merged:
    """The one memory that several became, or would become."""

    memory: Memory
    sources: tuple[Memory, ...]
    op: str = ""


# -- which of them holds


def resolve(
    bench: Bench, keep: str, other: str, *, both: bool = False, newest: bool = False, dry_run: bool = False
) -> Settled:
    """Let one memory take the place of another, which stays and can be found; or say that both are right."""
    if both and newest:
        raise BadInput(what="the decision", value="both and newest", reason="one of them excludes the other")
    winner, loser = _two(bench, keep, other)
    check_not_identity(bench, (winner, loser), "settles")
    if both:
        return keep_both(bench, keep, other, verb="resolve", dry_run=dry_run)
    if newest and said_at(bench, loser) > said_at(bench, winner):
        winner, loser = loser, winner
    changes = tuple(_superseding(winner, loser))
    if not changes:
        raise NothingToDo(reason=f"“{winner.title}” has taken the place of “{loser.title}” already.")
    if dry_run:
        return Settled(winner, loser, both=False)
    op = _carry_out(bench, "resolve", changes, (winner, loser), gone=loser.id)
    return Settled(bench.read(winner)[0], bench.read(loser)[0], both=False, op=op)


def keep_both(bench: Bench, one: str, other: str, *, verb: str = "duplicates", dry_run: bool = False) -> Settled:
    """Two memories are both right, and not the same: they are neither merged, offered nor listed again."""
    first, second = _two(bench, one, other)
    check_not_identity(bench, (first, second), "settles")
    pair = sorted((first.id, second.id))
    entry: dict[str, object] = {"e": "refuse", "pair": pair}
    changes = [*_unopposed(first, second), *_unopposed(second, first)]
    if (pair[0], pair[1]) not in bench.vault.ledger.decisions().refused:
        why = f"“{first.title}” and “{second.title}” both hold"
        changes.append(Note(entry, why, {"e": "lift", "of": "refuse", "pair": pair}, _together(first, second)))
    if not changes:
        raise NothingToDo(reason=f"You have said already that “{first.title}” and “{second.title}” both hold.")
    if dry_run:
        return Settled(first, second, both=True)
    op = _carry_out(bench, verb, changes, (first, second))
    return Settled(bench.read(first)[0], bench.read(second)[0], both=True, op=op)


def _two(bench: Bench, one: str, other: str) -> tuple[Memory, Memory]:
    first, second = bench.find(one), bench.find(other)
    if first.path == second.path:
        raise NothingToDo(reason=f"“{one}” and “{other}” are the same memory: {first.path}.")
    return bench.read(first)[0], bench.read(second)[0]


def _superseding(winner: Memory, loser: Memory) -> Iterator[Change]:
    """The fields by which one memory takes the place of another; what said otherwise is taken back."""
    fields = {
        **_with(winner, "supersedes", loser),
        **_without(winner, ("superseded_by", "contested"), loser),
    }
    if fields:
        yield SetFields(winner.path, fields, f"it takes the place of “{loser.title}”", about=_together(winner, loser))
    fields = {
        **_with(loser, "superseded_by", winner),
        **_without(loser, ("supersedes", "contested"), winner),
    }
    if fields:
        yield SetFields(loser.path, fields, f"“{winner.title}” takes its place", about=_together(loser, winner))


def _unopposed(memory: Memory, other: Memory) -> Iterator[Change]:
    """A memory says no longer that it speaks against the other, or that one of them took the other's place."""
    fields = _without(memory, ("contested", "contradicts", "supersedes", "superseded_by"), other)
    if fields:
        why = f"it holds beside “{other.title}”"
        yield SetFields(memory.path, fields, why, about=_together(memory, other))


def _together(memory: Memory, other: Memory) -> About:
    """A change about a memory, which is made only with those about the other."""
    return About(id=memory.id, group=f"settle:{':'.join(sorted((memory.id, other.id)))}")


Fields = dict[str, FieldValue | None]


def _with(memory: Memory, field: str, other: Memory) -> Fields:
    links = _links(memory, field)
    return {} if any(_means(link, other) for link in links) else {field: (*links, f"[[{other.name}]]")}


def _without(memory: Memory, names: Iterable[str], other: Memory) -> Fields:
    """The fields that name the other, without it; a list that is empty then is taken away."""
    kept = {name: tuple(link for link in _links(memory, name) if not _means(link, other)) for name in names}
    return {name: links or None for name, links in kept.items() if len(links) < len(_links(memory, name))}


def _links(memory: Memory, field: str) -> tuple[str, ...]:
    said_there = memory.more.get(field, ())
    return said_there if isinstance(said_there, tuple) else (str(said_there),)


def _means(link: str, other: Memory) -> bool:
    names = {target_name(target).casefold() for target in (wikilinks(link) or (link,))}
    return bool(names & {other.name.casefold(), other.title.casefold(), other.id.casefold()})


def _carry_out(bench: Bench, verb: str, changes: Sequence[Change], pair: Sequence[Memory], *, gone: str = "") -> str:
    """Carry a decision out; what was found out about all other memories still holds, and is kept."""
    # One that was replaced counts again if it is not any more, and was compared with nothing so far.
    is_known = not any(memory.more.get("superseded_by") for memory in pair)
    before = findings.found_before(bench, alike.mark_of(bench, gather(bench))) if is_known else None
    op = apply_one(Plan(verb, tuple(changes)), bench).op
    one, other = pair
    bench.catalogue.drop_pair(one.id, other.id)
    bench.freshen()
    after = None if before is None else _left(before, {one.id, other.id}, gone)
    if after is not None:
        survey = gather(bench)
        findings.keep(bench, survey, after, alike.mark_of(bench, survey))
    return op


def _left(found: Compared, pair: set[str], gone: str) -> Compared | None:
    """The findings without a pair, and without what has gone; None where a group has to be made up anew."""
    if any(pair <= set(group) or gone in group for group in found.groups):
        return None

    def holds(one: str, other: str) -> bool:
        return {one, other} != pair and gone not in (one, other)

    return replace(
        found,
        proposals=tuple(one for one in found.proposals if holds(one.left, one.right)),
        contradictions=tuple(one for one in found.contradictions if holds(one.left, one.right)),
    )


# -- one of several


def merge(bench: Bench, refs: Sequence[str], *, dry_run: bool = False) -> Merged:
    """Make one memory of several that say the same, as upkeep would; the others go to the archive."""
    found = {memory.id: memory for memory in (bench.read(bench.find(ref))[0] for ref in refs)}
    memories = tuple(found.values())
    if len(memories) < 2:
        raise NothingToDo(reason="It takes two different memories to make one of them.")
    for one, other in combinations(memories, 2):
        _check(one, other)
    world = World(gather(bench), frozenset({RULE}))
    if lost := next((memory for memory in memories if memory.id not in world.courses), None):
        raise Unreadable(path=lost.path, reason="it could be read a moment ago, and now it cannot")
    made = merge_by_hand(world, [memory.id for memory in memories])
    if dry_run:
        return Merged(made, memories)
    changes = tuple(written(bench, change) if isinstance(change, Made) else change for change in world.changes())
    return Merged(made, memories, apply_one(Plan("duplicates", changes), bench).op)


def _check(one: Memory, other: Memory) -> None:
    """Only what upkeep might merge is merged, and never what contradicts itself."""
    reason, way_out = _hindrance(one, other)
    if reason:
        raise CannotMerge(one=one.title, other=other.title, reason=reason, way_out=way_out)


def _hindrance(one: Memory, other: Memory) -> tuple[str, str]:
    """Why two memories are not merged, and what to do about it."""
    if are_against(one, other) or verdict(said(one), said(other)) == "contradiction":
        return (
            "they contradict each other",
            f"Say which of them holds: memvault resolve {short(one.id)} {short(other.id)}",
        )
    for memory in (one, other):
        if held := _held(memory):
            return f"“{memory.title}” {held[0]}", held[1]
    if eligible(one, other):
        return "", ""
    names = [
        name
        for name in ("kind", "scope", "project", "people", "due", "state")
        if _said(one, name) != _said(other, name)
    ]
    differing = " and ".join(names) or "what they are about"
    return f"they differ in {differing}", "Bring that into line with `memvault edit`, then repeat the command."


def _said(memory: Memory, name: str) -> object:
    return getattr(memory, name) if name in Memory.__slots__ else memory.more.get(name)


def _held(memory: Memory) -> tuple[str, str] | None:
    """What holds a memory fast, and how it is let go."""
    if memory.problem:
        return "has frontmatter that cannot be read", "Mend it first: `memvault doctor` says where."
    if memory.pinned:
        return "is pinned", f"Unpin it first: memvault unpin {short(memory.id)}"
    if memory.place not in (Place.HOT, Place.MEMORIES):
        return f"lies in {memory.path.rpartition('/')[0] or 'the top of the vault'}", "Only Tier 1 and 2 are merged."
    if not is_live(memory):
        return "is no live memory any more", "What was archived or replaced stays as it is."
    return None
