"""Cards on two memories: those that contradict each other, and those that may say the same."""

from __future__ import annotations

from collections.abc import Iterable

from memvault.maintenance.conflicts import (
    ConflictDifference,
    keep_both,
    list_conflicts,
    list_duplicates,
    merge_memories,
    resolve_conflict,
)
from memvault.maintenance.inbox.card import Card, CardKind, InboxQuery, build_card, format_date, name_memory
from memvault.storage.vault.context import VaultContext

_SHOWN_DIFFERENCES = 3


def _find_contradictions(context: VaultContext, query: InboxQuery) -> Iterable[Card]:
    for each in list_conflicts(context, compared=query.compared).conflicts:
        newer, older = each.newer, each.older
        days = f"{format_date(context, newer.at)} and {format_date(context, older.at)}"
        yield build_card(
            context,
            CONTRADICTION,
            (newer.memory, older.memory),
            question=_ask_which_holds(each.differences, (name_memory(newer.memory), name_memory(older.memory))),
            why=f"They were written on {days}, and cannot both be right.",
            differing=(word for one in each.differences for word in (one.newer, one.older)),
        )


def _ask_which_holds(differences: Iterable[ConflictDifference], titles: tuple[str, str]) -> str:
    told = [(one.newer, one.older) for one in differences if one.newer.strip() and one.older.strip()]
    pairs = [f"“{newer}” or “{older}”" for newer, older in dict.fromkeys(told)] or [" or ".join(titles)]
    return f"Which holds: {', '.join(pairs[:_SHOWN_DIFFERENCES])}?"


def _find_duplicates(context: VaultContext, query: InboxQuery) -> Iterable[Card]:
    found = list_duplicates(context, compared=query.compared)
    # What says the same beyond doubt is merged by maintenance, and asked about only where that is off.
    groups = () if found.merging else found.groups
    pairs = [((base, other), 1.0) for base, *others in groups for other in others]
    pairs += [((one.newer, one.older), one.score) for one in found.proposals]
    for pair, score in pairs:
        newer, older = sorted(pair, key=lambda memory: (memory.created, memory.id), reverse=True)
        yield build_card(
            context,
            DUPLICATE,
            (newer, older),
            question=f"Do {name_memory(newer)} and {name_memory(older)} say the same?",
            why=f"They are alike ({score:.2f} of 1); merged, they keep every sentence, tag and link of both.",
        )


def _keep_newer(context: VaultContext, ids: tuple[str, ...], *, dry_run: bool) -> str:
    return resolve_conflict(context, ids[0], ids[1], newest=True, dry_run=dry_run).op


def _keep_older(context: VaultContext, ids: tuple[str, ...], *, dry_run: bool) -> str:
    newest = resolve_conflict(context, ids[0], ids[1], newest=True, dry_run=True)
    return resolve_conflict(context, newest.other.id, newest.kept.id, dry_run=dry_run).op


def _keep_both(context: VaultContext, ids: tuple[str, ...], *, dry_run: bool) -> str:
    return keep_both(context, ids[0], ids[1], dry_run=dry_run).op


def _merge(context: VaultContext, ids: tuple[str, ...], *, dry_run: bool) -> str:
    return merge_memories(context, ids, dry_run=dry_run).op


CONTRADICTION = CardKind(
    name="contradiction",
    one="contradiction",
    many="contradictions",
    find=_find_contradictions,
    acts={
        "accept": ("the newer holds", _keep_newer),
        "refuse": ("the older holds", _keep_older),
        "both": ("both hold", _keep_both),
        "edit": ("edit the newer", None),
    },
)

DUPLICATE = CardKind(
    name="duplicate",
    one="possible duplicate",
    many="possible duplicates",
    find=_find_duplicates,
    acts={"merge": ("merge", _merge), "both": ("keep both", _keep_both), "edit": ("edit the newer", None)},
)
