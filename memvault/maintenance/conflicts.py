"""A person decides: which of two memories holds, that both do, or that they are one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import combinations

from memvault.core.ids import short_id
from memvault.core.links import find_wikilinks, target_name
from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.plan import ChangeSubject, LedgerNote, Plan, PlanChange, SetFields
from memvault.core.secrets.private_spans import strip_private
from memvault.core.similarity.alignment import align_statements
from memvault.core.similarity.contradiction import Difference, are_against, is_live
from memvault.core.similarity.differences import statement_differences
from memvault.core.similarity.merge_memories import can_merge, unite_texts
from memvault.core.similarity.statements import Statement, cached_statements, full_text
from memvault.core.similarity.verdict import ComparedPair, ComparisonResult, compare_texts, find_differences
from memvault.errors import BadInput, CannotMerge, NothingToDo, Unreadable
from memvault.maintenance import pair_cache
from memvault.maintenance.maintain import gather_snapshot, write_note
from memvault.maintenance.rules import PlannedNote, VaultSnapshot
from memvault.maintenance.rules.case import RuleState
from memvault.maintenance.rules.merge_duplicates import RULE, find_duplicates, merge_by_hand
from memvault.recall.superseded import stated_at
from memvault.storage.journal.apply import Progress, apply_one, no_progress
from memvault.storage.permissions import require_person_for_identity
from memvault.storage.vault.context import VaultContext

# What the vault says twice, and what in it contradicts: laid out for a person to decide.


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictSide:
    """One of two memories, when it came to say what it says, and the statements in which it differs."""

    memory: Memory
    at: datetime
    says: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConflictDifference:
    """One thing that two memories say otherwise: what sort of thing, and each one's word for it."""

    sort: str
    newer: str
    older: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two live memories that cannot both be right, as far as anyone can see."""

    newer: ConflictSide
    older: ConflictSide
    score: float
    differences: tuple[ConflictDifference, ...]


@dataclass(frozen=True, slots=True)
class ConflictList:
    """The contradictions in a vault, the newest first, and how many there are in all."""

    conflicts: tuple[Conflict, ...]
    total: int


@dataclass(frozen=True, slots=True)
class DuplicatePair:
    """Two memories that may say the same; the newer first."""

    newer: Memory
    older: Memory
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateList:
    """What says the same, in groups, what may, in pairs, and how many there are of both."""

    groups: tuple[tuple[Memory, ...], ...]
    proposals: tuple[DuplicatePair, ...]
    total: int
    merging: bool  # whether upkeep merges the groups by itself


# -- finding out


@dataclass(frozen=True, slots=True)
class ComparedVault:
    """One look at a whole vault, and what in it is alike or contradicts."""

    snapshot: VaultSnapshot
    found: ComparisonResult


def compare_vault(
    context: VaultContext,
    *,
    progress: Progress = no_progress,
    saved_only: bool = False,
    snapshot: VaultSnapshot | None = None,
) -> ComparedVault:
    """Return the comparison of a vault: the saved one if nothing has changed since, with `saved_only` that or none."""
    context.refresh()
    snapshot = gather_snapshot(context) if snapshot is None else snapshot
    mark = pair_cache.comparison_mark(context, snapshot)
    found = load_comparison(context, mark)
    if found is None and saved_only:
        found = ComparisonResult((), (), ())
    elif found is None:
        found = find_duplicates(RuleState(_with_progress(snapshot, progress), frozenset()))
        save_comparison(context, snapshot, found, mark)
    return ComparedVault(snapshot, found)


def load_comparison(context: VaultContext, mark: str) -> ComparisonResult | None:
    """Return the comparison that maintenance or an earlier question saved."""
    return pair_cache.load_comparison(context, mark) or pair_cache.load_comparison(context, _unmerged_mark(mark))


def save_comparison(context: VaultContext, snapshot: VaultSnapshot, found: ComparisonResult, mark: str) -> None:
    """Keep the comparison for whoever asks next."""
    # Upkeep merges what it finds out, and nothing where that is known: what waits for it is none of its findings yet.
    waits = snapshot.policy.merge and found.groups
    pair_cache.save_comparison(context, found, _unmerged_mark(mark) if waits else mark)


def _unmerged_mark(mark: str) -> str:
    return f"{mark} unmerged"


def _with_progress(snapshot: VaultSnapshot, progress: Progress) -> VaultSnapshot:
    """Return the same snapshot, which reports progress as texts are read; comparing takes as long again."""
    whole, done = 2 * len(snapshot.memories), 0

    def read_body(memory: Memory) -> str:
        nonlocal done
        done += 1
        progress(done, whole)
        return snapshot.body(memory)

    return replace(snapshot, body=read_body)


# -- contradictions


def list_conflicts(
    context: VaultContext, *, limit: int = 0, progress: Progress = no_progress, compared: ComparedVault | None = None
) -> ConflictList:
    """Return the live memories that contradict each other, the newest first."""
    compared = compared or compare_vault(context, progress=progress)
    memories = {memory.id: memory for memory in compared.snapshot.memories}
    dated = [_date_pair(context, memories, pair) for pair in compared.found.contradictions]
    dated.sort(key=lambda row: (-row[0][1].timestamp(), -row[1][1].timestamp(), row[0][0].path, row[1][0].path))
    shown = dated[:limit] if limit else dated
    return ConflictList(tuple(_build_conflict(context, *row) for row in shown), len(dated))


DatedMemory = tuple[Memory, datetime]


def _date_pair(
    context: VaultContext, memories: Mapping[str, Memory], pair: ComparedPair
) -> tuple[DatedMemory, DatedMemory, ComparedPair]:
    """Return the newer and the older of a pair, each with its moment."""
    sides = [(memories[id_], stated_at(context, memories[id_])) for id_ in (pair.left, pair.right)]
    newer, older = sorted(sides, key=lambda side: (side[1], side[0].id), reverse=True)
    return newer, older, pair


def _build_conflict(context: VaultContext, newer: DatedMemory, older: DatedMemory, pair: ComparedPair) -> Conflict:
    whole = [full_text(memory.with_changes(body=context.read_text(memory))) for memory, _ in (newer, older)]
    texts = [strip_private(text) for text in whole]
    found = (
        pair.differences
        if newer[0].id == pair.left
        else tuple(Difference(one.sort, one.right, one.left) for one in pair.differences)
    )
    if texts != whole:
        found = find_differences(*texts)  # what is private counts, but is not told
    says = list(_opposed_statements(cached_statements(texts[0]), cached_statements(texts[1]), found))
    return Conflict(
        newer=ConflictSide(memory=newer[0], at=newer[1], says=tuple(dict.fromkeys(mine for mine, _ in says))),
        older=ConflictSide(memory=older[0], at=older[1], says=tuple(dict.fromkeys(other for _, other in says))),
        score=round(pair.score, 4),
        differences=tuple(ConflictDifference(one.sort.value, one.left, one.right) for one in found),
    )


def _opposed_statements(
    mine: Sequence[Statement], others: Sequence[Statement], found: Sequence[Difference]
) -> Iterator[tuple[str, str]]:
    """Yield the statements in which two texts differ; where they do not pair up, all that each says."""
    near = [
        pair
        for pair in align_statements(mine, others).near
        if set(statement_differences(pair.left, pair.right)) & set(found)
    ]
    if near:
        yield from ((pair.left.text, pair.right.text) for pair in near)
        return
    yield "\n".join(one.text for one in mine), "\n".join(one.text for one in others)


# -- duplicates


def list_duplicates(context: VaultContext, *, limit: int = 0, compared: ComparedVault | None = None) -> DuplicateList:
    """Return what says the same and what may: groups first, then pairs, the most alike first."""
    compared = compared or compare_vault(context)
    snapshot, found = compared.snapshot, compared.found
    memories = {memory.id: memory for memory in snapshot.memories}
    groups = [tuple(memories[id_] for id_ in group) for group in found.groups]
    dated = (_date_pair(context, memories, pair) for pair in found.proposals)
    pairs = [DuplicatePair(newer[0], older[0], round(pair.score, 4)) for newer, older, pair in dated]
    left = max(0, limit - len(groups)) if limit else len(pairs)
    return DuplicateList(
        groups=tuple(groups[:limit] if limit else groups),
        proposals=tuple(pairs[:left]),
        total=len(groups) + len(pairs),
        merging=snapshot.policy.merge,
    )


@dataclass(frozen=True, slots=True)
class ResolveResult:
    """Two memories after a person decided about them, or as they would be in a dry run."""

    kept: Memory
    other: Memory
    both: bool  # neither gives way to the other
    op: str = ""


@dataclass(frozen=True, slots=True)
class MergeResult:
    """The one memory that several became, or would become."""

    memory: Memory
    sources: tuple[Memory, ...]
    op: str = ""


# -- which of them holds


def resolve_conflict(
    context: VaultContext, keep: str, other: str, *, both: bool = False, newest: bool = False, dry_run: bool = False
) -> ResolveResult:
    """Let one memory supersede another, which can still be found; or record that both hold."""
    if both and newest:
        raise BadInput(what="the decision", value="both and newest", reason="one of them excludes the other")
    winner, loser = _read_two(context, keep, other)
    require_person_for_identity(context, (winner, loser), "settles")
    if both:
        return keep_both(context, keep, other, verb="resolve", dry_run=dry_run)
    if newest and stated_at(context, loser) > stated_at(context, winner):
        winner, loser = loser, winner
    changes = tuple(_superseding_changes(winner, loser))
    if not changes:
        raise NothingToDo(reason=f"“{winner.title}” already supersedes “{loser.title}”.")
    if dry_run:
        return ResolveResult(winner, loser, both=False)
    op = _carry_out(context, "resolve", changes, (winner, loser), gone=loser.id)
    return ResolveResult(context.read_memory(winner)[0], context.read_memory(loser)[0], both=False, op=op)


def keep_both(
    context: VaultContext, one: str, other: str, *, verb: str = "duplicates", dry_run: bool = False
) -> ResolveResult:
    """Record that two memories both hold, so that they are neither merged, proposed nor listed again."""
    first, second = _read_two(context, one, other)
    require_person_for_identity(context, (first, second), "settles")
    pair = sorted((first.id, second.id))
    entry: dict[str, object] = {"e": "refuse", "pair": pair}
    changes = [*_clear_opposition(first, second), *_clear_opposition(second, first)]
    if (pair[0], pair[1]) not in context.vault.ledger.decisions().refused_pairs:
        why = f"“{first.title}” and “{second.title}” both hold"
        changes.append(
            LedgerNote(entry, why, {"e": "lift", "of": "refuse", "pair": pair}, _joint_change(first, second))
        )
    if not changes:
        raise NothingToDo(reason=f"You have said already that “{first.title}” and “{second.title}” both hold.")
    if dry_run:
        return ResolveResult(first, second, both=True)
    op = _carry_out(context, verb, changes, (first, second))
    return ResolveResult(context.read_memory(first)[0], context.read_memory(second)[0], both=True, op=op)


def _read_two(context: VaultContext, one: str, other: str) -> tuple[Memory, Memory]:
    first, second = context.find_memory(one), context.find_memory(other)
    if first.path == second.path:
        raise NothingToDo(reason=f"“{one}” and “{other}” are the same memory: {first.path}.")
    return context.read_memory(first)[0], context.read_memory(second)[0]


def _superseding_changes(winner: Memory, loser: Memory) -> Iterator[PlanChange]:
    """Yield the changes by which one memory supersedes another; what said otherwise is taken back."""
    fields = {**_add_link(winner, "supersedes", loser), **_remove_links(winner, ("superseded_by", "contested"), loser)}
    if fields:
        yield SetFields(
            winner.path, fields, f"it takes the place of “{loser.title}”", about=_joint_change(winner, loser)
        )
    fields = {**_add_link(loser, "superseded_by", winner), **_remove_links(loser, ("supersedes", "contested"), winner)}
    if fields:
        yield SetFields(loser.path, fields, f"“{winner.title}” takes its place", about=_joint_change(loser, winner))


def _clear_opposition(memory: Memory, other: Memory) -> Iterator[PlanChange]:
    """Yield the change after which a memory no longer contradicts or replaces the other."""
    fields = _remove_links(memory, ("contested", "contradicts", "supersedes", "superseded_by"), other)
    if fields:
        why = f"it holds beside “{other.title}”"
        yield SetFields(memory.path, fields, why, about=_joint_change(memory, other))


def _joint_change(memory: Memory, other: Memory) -> ChangeSubject:
    """Return a change about a memory, which is made only with those about the other."""
    return ChangeSubject(id=memory.id, group=f"settle:{':'.join(sorted((memory.id, other.id)))}")


LinkFields = dict[str, FieldValue | None]


def _add_link(memory: Memory, field: str, other: Memory) -> LinkFields:
    links = _link_list(memory, field)
    return {} if any(_links_to(link, other) for link in links) else {field: (*links, f"[[{other.name}]]")}


def _remove_links(memory: Memory, names: Iterable[str], other: Memory) -> LinkFields:
    """Return the fields that name the other, without it; a list that is empty then is taken away."""
    kept = {name: tuple(link for link in _link_list(memory, name) if not _links_to(link, other)) for name in names}
    return {name: links or None for name, links in kept.items() if len(links) < len(_link_list(memory, name))}


def _link_list(memory: Memory, field: str) -> tuple[str, ...]:
    said_there = memory.more.get(field, ())
    return said_there if isinstance(said_there, tuple) else (str(said_there),)


def _links_to(link: str, other: Memory) -> bool:
    names = {target_name(target).casefold() for target in (find_wikilinks(link) or (link,))}
    return bool(names & {other.name.casefold(), other.title.casefold(), other.id.casefold()})


def _carry_out(
    context: VaultContext, verb: str, changes: Sequence[PlanChange], pair: Sequence[Memory], *, gone: str = ""
) -> str:
    """Carry out a decision, and keep what the comparison found about all other memories."""
    # One that was replaced counts again if it is not any more, and was compared with nothing so far.
    is_known = not any(memory.more.get("superseded_by") for memory in pair)
    before = (
        load_comparison(context, pair_cache.comparison_mark(context, gather_snapshot(context))) if is_known else None
    )
    op = apply_one(Plan(verb, tuple(changes)), context).op
    one, other = pair
    context.index.drop_pair(one.id, other.id)
    context.refresh()
    after = None if before is None else _without_pair(before, {one.id, other.id}, gone)
    if after is not None:
        snapshot = gather_snapshot(context)
        save_comparison(context, snapshot, after, pair_cache.comparison_mark(context, snapshot))
    return op


def _without_pair(found: ComparisonResult, pair: set[str], gone: str) -> ComparisonResult | None:
    """Return the comparison without a pair and without what has gone; None where a group must be made anew."""
    if any(pair <= set(group) or gone in group for group in found.groups):
        return None

    def still_holds(one: str, other: str) -> bool:
        return {one, other} != pair and gone not in (one, other)

    return replace(
        found,
        proposals=tuple(one for one in found.proposals if still_holds(one.left, one.right)),
        contradictions=tuple(one for one in found.contradictions if still_holds(one.left, one.right)),
    )


# -- one of several


def merge_memories(context: VaultContext, refs: Sequence[str], *, dry_run: bool = False) -> MergeResult:
    """Make one memory of several that say the same, as upkeep would; the others go to the archive."""
    found = {memory.id: memory for memory in (context.read_memory(context.find_memory(ref))[0] for ref in refs)}
    memories = tuple(found.values())
    if len(memories) < 2:
        raise NothingToDo(reason="Merging takes two different memories.")
    for one, other in combinations(memories, 2):
        reason, way_out = _merge_obstacle(one, other)
        if reason:
            raise CannotMerge(one=one.title, other=other.title, reason=reason, way_out=way_out)
    state = RuleState(gather_snapshot(context), frozenset({RULE}))
    if lost := next((memory for memory in memories if memory.id not in state.cases), None):
        raise Unreadable(path=lost.path, reason="it could be read a moment ago, and now it cannot")
    made = merge_by_hand(state, [memory.id for memory in memories])
    if dry_run:
        return MergeResult(made, memories)
    changes = tuple(
        write_note(context, change) if isinstance(change, PlannedNote) else change for change in state.list_changes()
    )
    return MergeResult(made, memories, apply_one(Plan("duplicates", changes), context).op)


def preview_merge(context: VaultContext, refs: Sequence[str]) -> str:
    """Return the text that some memories would have as one, less what is private; empty where something forbids it."""
    memories = [context.read_memory(context.find_memory(ref))[0] for ref in refs]
    if any(_merge_obstacle(one, other)[0] for one, other in combinations(memories, 2)):
        return ""
    newest = sorted(memories, key=lambda memory: (memory.created, memory.id), reverse=True)
    return strip_private(unite_texts([memory.body or "" for memory in newest]))


def _merge_obstacle(one: Memory, other: Memory) -> tuple[str, str]:
    """Return why two memories are not merged, and what to do about it."""
    if are_against(one, other) or compare_texts(full_text(one), full_text(other)) == "contradiction":
        return (
            "they contradict each other",
            f"Say which of them holds: memvault review hold {short_id(one.id)} {short_id(other.id)}",
        )
    for memory in (one, other):
        if held := _lock_reason(memory):
            return f"“{memory.title}” {held[0]}", held[1]
    if can_merge(one, other):
        return "", ""
    names = [
        name
        for name in ("kind", "scope", "project", "people", "due", "state")
        if _field_value(one, name) != _field_value(other, name)
    ]
    differing = " and ".join(names) or "what they are about"
    return f"they differ in {differing}", "Bring that into line with `memvault edit`, then repeat the command."


def _field_value(memory: Memory, name: str) -> object:
    return getattr(memory, name) if name in Memory.__slots__ else memory.more.get(name)


def _lock_reason(memory: Memory) -> tuple[str, str] | None:
    """Return why a memory must not be merged, and how that is lifted."""
    if memory.problem:
        return "has frontmatter that cannot be read", "Fix it first: `memvault vault doctor` says where."
    if memory.pinned:
        return "is pinned", f"Unpin it first: memvault vault unpin {short_id(memory.id)}"
    if memory.place not in (Place.HOT, Place.MEMORIES):
        return f"lies in {memory.path.rpartition('/')[0] or 'the top of the vault'}", "Only Tier 1 and 2 are merged."
    if not is_live(memory):
        return "is no longer live", "Archived and superseded memories stay as they are."
    return None
