"""A card of the inbox: what waits for a person, the question it asks, and the acts that answer it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from functools import cached_property
from typing import Protocol

from memvault.core.memory import Memory, Place
from memvault.core.plan import LedgerNote, Plan
from memvault.core.secrets.private_spans import strip_private
from memvault.core.value import Record, field
from memvault.maintenance.conflicts import ComparedVault, compare_vault
from memvault.maintenance.maintain import gather_snapshot
from memvault.maintenance.report import WeighedMemory, about_to_fade, weigh_memories
from memvault.maintenance.rules import VaultSnapshot
from memvault.memories.edit import pin_memory
from memvault.memories.forget import forget_memory
from memvault.storage.journal.apply import Progress, apply_one, no_progress
from memvault.storage.vault.context import VaultContext
from memvault.text.dates.dates import write_moment

_OWN_PLACES = frozenset((Place.HOT, Place.MEMORIES))


class CardAct(Record):
    """One answer to a card: its name, the key that gives it, and what it does in a few words."""

    name: str
    key: str
    label: str


class Card(Record, kw_only=True):
    """One thing that waits for a person; of two memories the newer comes first."""

    key: str  # names the card for as long as its memories wait
    kind: str
    question: str
    why: str
    memories: tuple[Memory, ...]  # with their texts
    acts: tuple[CardAct, ...]
    differing: tuple[str, ...] = ()  # words in which the memories differ
    version: str = ""  # of the notes as they were read


class InboxQuery:
    """What cards are found by: each fact is found out once, and only where a kind of card asks for it."""

    def __init__(self, context: VaultContext, *, compares: bool, progress: Progress = no_progress) -> None:
        self._context = context
        self._compares = compares  # whether all memories are compared where no comparison is saved
        self._progress = progress

    @cached_property
    def snapshot(self) -> VaultSnapshot:
        """Return a snapshot of the whole vault."""
        self._context.refresh()
        return gather_snapshot(self._context)

    @cached_property
    def compared(self) -> ComparedVault:
        """Return what contradicts and what may say the same."""
        saved_only = not self._compares
        return compare_vault(self._context, progress=self._progress, saved_only=saved_only, snapshot=self.snapshot)

    @cached_property
    def own_memories(self) -> list[Memory]:
        """Return the live memories of Tier 1 and 2, the latest first."""
        live = (
            memory
            for memory in self.snapshot.memories
            if memory.place in _OWN_PLACES
            and memory.status != "archived"
            and not memory.more.get("superseded_by")
            and not memory.problem
        )
        return sorted(live, key=lambda memory: (memory.created, memory.path), reverse=True)

    @cached_property
    def fading(self) -> list[WeighedMemory]:
        """Return what still can be kept from fading, without a person's own notes, which only rank lower."""
        now, snapshot = self._context.now, self.snapshot
        rows = about_to_fade(weigh_memories(self._context, snapshot.memories, snapshot.pasts), now)
        return [row for row in rows if row.falls and row.falls > now and row.memory.place is not Place.FOREIGN]


class ActFunction(Protocol):
    """What an act does: it is carried out on the memories that a card names, and gives the operation's id."""

    def __call__(self, context: VaultContext, ids: tuple[str, ...], *, dry_run: bool) -> str: ...


CardFinder = Callable[[VaultContext, InboxQuery], Iterable[Card]]


class CardKind(Record, kw_only=True):
    """One kind of card: what it and several are called, how its cards are found, and what each act does."""

    name: str
    one: str
    many: str
    find: CardFinder
    acts: Mapping[str, tuple[str, ActFunction | None]]  # without a function, whoever shows the card carries it out
    snooze_days: int = field(default=7)
    due_field: str = ""  # what a snooze sets; without one, the card is put off
    revert: Callable[[VaultContext, tuple[str, ...]], None] | None = None  # takes back an act that is no operation


SEPARATOR = "|"  # between the kind and the ids in the name of a card

ACT_KEYS: Mapping[str, str] = {
    "accept": "a",
    "refuse": "r",
    "merge": "m",
    "both": "b",
    "pin": "p",
    "edit": "e",
    "forget": "f",
    "snooze": "s",
}
"""The key of each act, the same on every card, in the order in which they are shown."""


def build_card(
    context: VaultContext,
    kind: CardKind,
    memories: Iterable[Memory],
    *,
    question: str,
    why: str,
    differing: Iterable[str] = (),
    ids: tuple[str, ...] = (),
) -> Card:
    """Return a card on some memories, with their texts and the acts of its kind; `ids` where it is about another."""
    read = [memory if memory.body is not None else context.read_memory(memory)[0] for memory in memories]
    shown = tuple(memory.with_changes(body=strip_private(memory.body or "")) for memory in read)
    labels = {name: label for name, (label, _) in kind.acts.items()} | {"snooze": "later"}
    return Card(
        key=SEPARATOR.join((kind.name, *ids)) if ids else card_key(kind.name, shown),
        kind=kind.name,
        question=question,
        why=why,
        memories=shown,
        acts=tuple(CardAct(name, key, labels[name]) for name, key in ACT_KEYS.items() if name in labels),
        differing=tuple(dict.fromkeys(differing)),
        version="" if ids else " ".join(sorted(memory.version for memory in read)),
    )


def card_key(kind: str, memories: Iterable[Memory]) -> str:
    """Return the name of a card, which is the same however often the inbox is listed."""
    return SEPARATOR.join((kind, *(memory.id or memory.path for memory in memories)))


def name_memory(memory: Memory) -> str:
    """Return a memory's title in quotes."""
    return f"“{memory.title}”"


def format_date(context: VaultContext, moment: datetime) -> str:
    """Return a day as a sentence names it."""
    local = moment.astimezone(context.zone)
    return f"{local:%A}, {local.day} {local:%B %Y}"


# -- acts that several kinds share


def pin_card(context: VaultContext, ids: tuple[str, ...], *, dry_run: bool) -> str:
    """Pin the memory of a card."""
    return pin_memory(context, ids[0], dry_run=dry_run).op


def forget_card(context: VaultContext, ids: tuple[str, ...], *, dry_run: bool) -> str:
    """Forget the memory of a card."""
    return forget_memory(context, ids[0], dry_run=dry_run).op


EDIT: tuple[str, ActFunction | None] = ("edit", None)
PIN: tuple[str, ActFunction | None] = ("pin", pin_card)
FORGET: tuple[str, ActFunction | None] = ("forget", forget_card)


def put_card_off(context: VaultContext, key: str, until: datetime | None, *, dry_run: bool) -> str:
    """Keep a card out of the inbox up to a moment, or for good."""
    kind, *ids = key.split(SEPARATOR)
    entry: dict[str, object] = {"e": "snooze", "card": kind, "pair": sorted(ids)}
    inverse = {**entry, "e": "lift", "of": "snooze"}
    stated = {"until": write_moment(until)} if until else {}
    why = f"not shown again before {until:%Y-%m-%d}" if until else "not shown again"
    plan = Plan("review", (LedgerNote({**entry, **stated}, why, inverse),))
    return "" if dry_run else apply_one(plan, context).op


def dismiss_card(kind: str) -> ActFunction:
    """Return the act that keeps a card of a kind out of the inbox for good."""

    def dismiss(context: VaultContext, ids: tuple[str, ...], *, dry_run: bool) -> str:
        return put_card_off(context, SEPARATOR.join((kind, *ids)), None, dry_run=dry_run)

    return dismiss


def days_from(now: datetime, days: int) -> datetime:
    """Return a moment some days on."""
    return now.replace(microsecond=0) + timedelta(days=days)
