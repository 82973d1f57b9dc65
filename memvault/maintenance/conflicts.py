"""A person decides: which of two memories holds, that both do, or that they are one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import combinations

from memvault.core.ids import short, target_name, wikilinks
from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.plan import About, Change, Note, Plan, SetFields
from memvault.core.secrets.private_spans import without_private
from memvault.core.similarity.compare import Compared, Pair, verdict
from memvault.core.similarity.contradiction import are_against, is_live
from memvault.core.similarity.differences import Difference, between, differences
from memvault.core.similarity.merge import eligible, said
from memvault.core.similarity.score import align
from memvault.core.similarity.sentences import Statement, statements
from memvault.errors import BadInput, CannotMerge, NothingToDo, Unreadable
from memvault.maintenance import pairs as alike
from memvault.maintenance.maintain import gather, written
from memvault.maintenance.rules import Made, Survey
from memvault.maintenance.rules.case import World
from memvault.maintenance.rules.merge import RULE, look, merge_by_hand
from memvault.recall.superseded import said_at
from memvault.storage.journal.apply import Progress, apply_one, unseen
from memvault.storage.permissions import check_not_identity
from memvault.storage.vault.context import Bench

# What the vault says twice, and what in it contradicts: laid out for a person to decide.


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of two memories, when it came to say what it says, and the statements in which it differs."""

    memory: Memory
    at: datetime
    says: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Differing:
    """One thing that two memories say otherwise: what sort of thing, and each one's word for it."""

    sort: str
    newer: str
    older: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two live memories that cannot both be right, as far as anyone can see."""

    newer: Side
    older: Side
    score: float
    differences: tuple[Differing, ...]


@dataclass(frozen=True, slots=True)
class Conflicts:
    """The contradictions in a vault, the newest first, and how many there are in all."""

    conflicts: tuple[Conflict, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Proposal:
    """Two memories that may say the same; the newer first."""

    newer: Memory
    older: Memory
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicates:
    """What says the same, in groups, what may, in pairs, and how many there are of both."""

    groups: tuple[tuple[Memory, ...], ...]
    proposals: tuple[Proposal, ...]
    total: int
    merging: bool  # whether upkeep merges the groups by itself


# -- finding out


def findings(bench: Bench, *, progress: Progress = unseen) -> tuple[Survey, Compared]:
    """What is alike in the vault as it is now: as found out before, if nothing has changed since."""
    bench.freshen()
    survey = gather(bench)
    mark = alike.mark_of(bench, survey)
    found = found_before(bench, mark)
    if found is None:
        found = look(World(_watched(survey, progress), frozenset()))
        keep(bench, survey, found, mark)
    return survey, found


def found_before(bench: Bench, mark: str) -> Compared | None:
    """What was found out before, by upkeep or by whoever asked."""
    return alike.found_before(bench, mark) or alike.found_before(bench, _unmerged(mark))


def keep(bench: Bench, survey: Survey, found: Compared, mark: str) -> None:
    """Keep what was found out, for whoever asks next."""
    # Upkeep merges what it finds out, and nothing where that is known: what waits for it is none of its findings yet.
    waits = survey.policy.merge and found.groups
    alike.keep(bench, found, _unmerged(mark) if waits else mark)


def _unmerged(mark: str) -> str:
    return f"{mark} unmerged"


def _watched(survey: Survey, progress: Progress) -> Survey:
    """The same survey, which tells how many texts were read; to compare them takes about as long again."""
    whole, done = 2 * len(survey.memories), 0

    def body(memory: Memory) -> str:
        nonlocal done
        done += 1
        progress(done, whole)
        return survey.body(memory)

    return replace(survey, body=body)


# -- contradictions


def conflicts(bench: Bench, *, limit: int = 0, progress: Progress = unseen) -> Conflicts:
    """The live memories that contradict each other, the newest first."""
    survey, found = findings(bench, progress=progress)
    memories = {memory.id: memory for memory in survey.memories}
    dated = [_dated(bench, memories, pair) for pair in found.contradictions]
    dated.sort(key=lambda row: (-row[0][1].timestamp(), -row[1][1].timestamp(), row[0][0].path, row[1][0].path))
    shown = dated[:limit] if limit else dated
    return Conflicts(tuple(_conflict(bench, *row) for row in shown), len(dated))


Dated = tuple[Memory, datetime]


def _dated(bench: Bench, memories: Mapping[str, Memory], pair: Pair) -> tuple[Dated, Dated, Pair]:
    """The newer and the older of a pair, each with its moment."""
    sides = [(memories[id_], said_at(bench, memories[id_])) for id_ in (pair.left, pair.right)]
    newer, older = sorted(sides, key=lambda side: (side[1], side[0].id), reverse=True)
    return newer, older, pair


def _conflict(bench: Bench, newer: Dated, older: Dated, pair: Pair) -> Conflict:
    whole = [said(memory.changed(body=bench.text(memory))) for memory, _ in (newer, older)]
    texts = [without_private(text) for text in whole]
    found = pair.differences if newer[0].id == pair.left else tuple(_turned(one) for one in pair.differences)
    if texts != whole:
        found = differences(*texts)  # what is private counts, but is not told
    says = list(_opposed(statements(texts[0]), statements(texts[1]), found))
    return Conflict(
        newer=Side(memory=newer[0], at=newer[1], says=tuple(dict.fromkeys(mine for mine, _ in says))),
        older=Side(memory=older[0], at=older[1], says=tuple(dict.fromkeys(other for _, other in says))),
        score=round(pair.score, 4),
        differences=tuple(Differing(one.sort.value, one.left, one.right) for one in found),
    )


def _turned(one: Difference) -> Difference:
    return Difference(one.sort, one.right, one.left)


def _opposed(
    mine: Sequence[Statement], others: Sequence[Statement], found: Sequence[Difference]
) -> Iterator[tuple[str, str]]:
    """The statements in which two texts differ; where they are not told by pairs, all that each of them says."""
    near = [pair for pair in align(mine, others).near if set(between(pair.left, pair.right)) & set(found)]
    if near:
        yield from ((pair.left.text, pair.right.text) for pair in near)
        return
    yield "\n".join(one.text for one in mine), "\n".join(one.text for one in others)


# -- duplicates


def duplicates(bench: Bench, *, limit: int = 0, progress: Progress = unseen) -> Duplicates:
    """What says the same and what may: the groups first, then the pairs, the most alike first."""
    survey, found = findings(bench, progress=progress)
    memories = {memory.id: memory for memory in survey.memories}
    groups = [tuple(memories[id_] for id_ in group) for group in found.groups]
    pairs = [_proposal(bench, memories, pair) for pair in found.proposals]
    left = max(0, limit - len(groups)) if limit else len(pairs)
    return Duplicates(
        groups=tuple(groups[:limit] if limit else groups),
        proposals=tuple(pairs[:left]),
        total=len(groups) + len(pairs),
        merging=survey.policy.merge,
    )


def _proposal(bench: Bench, memories: Mapping[str, Memory], pair: Pair) -> Proposal:
    (newer, _), (older, _), _ = _dated(bench, memories, pair)
    return Proposal(newer, older, round(pair.score, 4))


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
    before = found_before(bench, alike.mark_of(bench, gather(bench))) if is_known else None
    op = apply_one(Plan(verb, tuple(changes)), bench).op
    one, other = pair
    bench.catalogue.drop_pair(one.id, other.id)
    bench.freshen()
    after = None if before is None else _left(before, {one.id, other.id}, gone)
    if after is not None:
        survey = gather(bench)
        keep(bench, survey, after, alike.mark_of(bench, survey))
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
