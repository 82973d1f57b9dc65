"""The inbox: all that waits for a person, as cards, and the acts that settle them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from memvault.core.memory import Memory, Place
from memvault.core.query import Filters
from memvault.core.value import Record
from memvault.errors import BadInput, ChangedMeanwhile, NotFound
from memvault.maintenance.inbox.adoption import ADOPTION
from memvault.maintenance.inbox.card import (
    SEPARATOR,
    Card,
    CardKind,
    InboxQuery,
    card_key,
    days_from,
    put_card_off,
)
from memvault.maintenance.inbox.dated import DUE, FADING, TASK
from memvault.maintenance.inbox.pairs import CONTRADICTION, DUPLICATE
from memvault.maintenance.inbox.waiting import OUTDATED, QUARANTINE, RULE, UNSURE
from memvault.maintenance.report import WeighedMemory
from memvault.memories.edit import MemoryEdit, edit_memory
from memvault.memories.open_items import Reminder, is_open_reminder, list_reminders
from memvault.storage.journal.apply import Progress, no_progress
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.quarantine import list_waiting

CARD_KINDS: Mapping[str, CardKind] = MappingProxyType(
    {
        kind.name: kind
        for kind in (DUE, TASK, CONTRADICTION, QUARANTINE, RULE, UNSURE, OUTDATED, DUPLICATE, FADING, ADOPTION)
    }
)
"""The kinds of cards, in the order in which they are shown."""


class CardList(Record):
    """The cards that wait now, and how many there are of each kind."""

    cards: tuple[Card, ...]
    counts: Mapping[str, int]


def list_cards(
    context: VaultContext,
    kinds: frozenset[str] = frozenset(),
    *,
    compares: bool = True,
    progress: Progress = no_progress,
) -> CardList:
    """Return what waits for a person, of some kinds or of all, without what they put off.

    Looking at a card is no use of its memories. Without `compares`, of pairs those are given that are known already.
    """
    context.refresh()
    for name in sorted(kinds - set(CARD_KINDS)):
        raise BadInput(what="the kind of card", value=name, reason=f"it must be one of {', '.join(CARD_KINDS)}")
    return _find_cards(context, kinds, InboxQuery(context, compares=compares, progress=progress))


def _find_cards(context: VaultContext, kinds: frozenset[str], query: InboxQuery) -> CardList:
    snoozes = context.vault.ledger.decisions().snoozes
    cards = tuple(
        card
        for kind in CARD_KINDS.values()
        if not kinds or kind.name in kinds
        for card in kind.find(context, query)
        if not _is_put_off(snoozes, card, context.now)
    )
    return CardList(cards, Counter(card.kind for card in cards))


def _is_put_off(snoozes: Mapping[tuple[str, ...], datetime | None], card: Card, now: datetime) -> bool:
    kind, *ids = card.key.split(SEPARATOR)
    key = (kind, *sorted(ids))
    if key not in snoozes:
        return False
    until = snoozes[key]
    return until is None or now < until


def find_cards(cards: Sequence[Card], ref: str) -> list[Card]:
    """Return the cards that a person means: by its key, or by the id, path, file name or title of a memory on it.

    A part of a title does where nothing has that name.
    """
    wanted = ref.strip().casefold()

    def is_meant(memory: Memory) -> bool:
        names = (memory.path, memory.name, f"{memory.name}.md", memory.title)
        return wanted in map(str.casefold, names) or (len(wanted) >= 4 and memory.id.startswith(wanted))

    def is_in_title(memory: Memory) -> bool:
        return len(wanted) >= 4 and wanted in memory.title.casefold()

    exact = [card for card in cards if card.key == ref]
    named = exact or [card for card in cards if wanted and any(map(is_meant, card.memories))]
    return named or [card for card in cards if any(map(is_in_title, card.memories))]


def act_on_card(
    context: VaultContext, key: str, act: str, *, days: int = 0, version: str = "", dry_run: bool = False
) -> str:
    """Carry out one act on a card, and return the operation's id.

    `days` is how long a card is put off; with `version`, the memories must still be those that the card showed.
    """
    name, *ids = key.split(SEPARATOR)
    kind = CARD_KINDS.get(name)
    if kind is None or not all(ids):
        raise NotFound(ref=key)
    if version and version != _current_version(context, kind, key, ids):
        raise ChangedMeanwhile(path=", ".join(ids))
    if act == "snooze":
        until = days_from(context.now, days or kind.snooze_days)
        if not kind.due_field:
            return put_card_off(context, key, until, dry_run=dry_run)
        return edit_memory(context, ids[0], MemoryEdit(fields={kind.due_field: until}), dry_run=dry_run).op
    label, carry_out = kind.acts.get(act, ("", None))
    if carry_out is None:
        known = [each for each, (_, function) in kind.acts.items() if function]
        reason = "change the memory itself" if label else f"this card has {', '.join([*known, 'snooze'])}"
        raise BadInput(what="the act", value=act, reason=reason)
    return carry_out(context, tuple(ids), dry_run=dry_run)


def _current_version(context: VaultContext, kind: CardKind, key: str, ids: Sequence[str]) -> str:
    """Return the version that the card would have now, in the order of its memories."""
    if kind is QUARANTINE:
        found = [memory for memory in list_waiting(context) if card_key(kind.name, (memory,)) == key]
    else:
        of = ids[:1] if kind is TASK else ids  # the other part is the number of a line
        found = [context.read_memory(context.find_memory(id_))[0] for id_ in of]
    return " ".join(sorted(memory.version for memory in found))


def revert_act(context: VaultContext, key: str) -> None:
    """Take back an act on a card that was no operation, and so is nothing that `undo` knows."""
    name, *ids = key.split(SEPARATOR)
    revert = CARD_KINDS[name].revert
    if revert is not None:
        revert(context, tuple(ids))


# -- the day at a glance


class DayOverview(Record, kw_only=True):
    """A day: what is due, what was learned the day before, what fades, and what waits."""

    day: datetime
    due: tuple[Reminder, ...]
    learned: tuple[Memory, ...]
    fading: tuple[WeighedMemory, ...]
    waiting: Mapping[str, int]


_BESIDES = frozenset(CARD_KINDS) - {DUE.name, TASK.name, FADING.name}


def show_day(context: VaultContext) -> DayOverview:
    """Return the day at a glance; nothing is compared for it, so of pairs those count that are known already."""
    context.refresh()
    query = InboxQuery(context, compares=False)
    return DayOverview(
        day=context.now,
        due=tuple(each for each in list_reminders(context) if each.is_due and is_open_reminder(each)),
        learned=tuple(_learned_yesterday(context)),
        fading=tuple(query.fading),
        waiting=_find_cards(context, _BESIDES, query).counts,
    )


def _learned_yesterday(context: VaultContext) -> Iterator[Memory]:
    """Yield what was made the day before, the latest first; of what was imported its own days count."""
    yesterday = days_from(context.now, -1).astimezone(context.zone).date()
    found = context.index.memories(
        Filters(places=frozenset((Place.HOT, Place.MEMORIES)), since=days_from(context.now, -2))
    )
    for memory in sorted(found, key=lambda memory: (memory.created, memory.path), reverse=True):
        if memory.created.astimezone(context.zone).date() == yesterday:
            yield memory
