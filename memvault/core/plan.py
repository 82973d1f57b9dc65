"""What is to be done to a vault: changes with their reasons, made by rules and carried out by one hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from memvault.core.memory import NOTHING, FieldValue

Entry = Mapping[str, object]  # a ledger line, without its time


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """Which memory a change is about, by which rules it is made, and what stands and falls with it."""

    id: str = ""
    rules: tuple[str, ...] = ()
    # Ledger lines written before the change is made, each with the line that takes it back where it is not.
    notes: tuple[tuple[Entry, Entry | None], ...] = ()
    group: str = ""  # changes of one group are made all or none


NOTHING_MORE = About()
NO_ITEMS: Mapping[str, Items] = MappingProxyType({})


def wrote(id_: str, field_: str, value: FieldValue, before: FieldValue) -> tuple[Entry, Entry]:
    """The ledger line by which our own writing is told from a person's, and the one that takes it back."""
    line = {"e": "wrote", "id": id_, "field": field_}
    return {**line, "value": value}, {**line, "value": before}


@dataclass(frozen=True, slots=True)
class Items:
    """What a list in the frontmatter gets, and what goes from it: of whatever it holds by then."""

    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()

    def of(self, there: Sequence[str]) -> tuple[str, ...]:
        """The list as it is to be; the order of what stays is kept."""
        gone = {item.casefold() for item in self.remove}
        return tuple(dict.fromkeys(item for item in (*there, *self.add) if item.casefold() not in gone))


@dataclass(frozen=True, slots=True)
class Create:
    """A new file; an existing one of that name is never overwritten."""

    path: str
    data: bytes
    why: str
    about: About = NOTHING_MORE


@dataclass(frozen=True, slots=True)
class SetFields:
    """Some frontmatter fields of a note, every other byte as it is; None takes a field away.

    With a version, the note must still be the one that was read; without one, the fields are set on
    whatever text the note has by then.
    """

    path: str
    fields: Mapping[str, FieldValue | None]
    why: str
    version: str = ""
    about: About = NOTHING_MORE
    lists: Mapping[str, Items] = field(default_factory=lambda: NO_ITEMS)


@dataclass(frozen=True, slots=True)
class Append:
    """Text added at the end of a note, and maybe some fields set: on whatever text the note has by then."""

    path: str
    text: str
    why: str
    fields: Mapping[str, FieldValue | None] = field(default_factory=lambda: NOTHING)
    version: str = ""
    lists: Mapping[str, Items] = field(default_factory=lambda: NO_ITEMS)


@dataclass(frozen=True, slots=True)
class Rewrite:
    """The whole text of a note that must still be the version that was read."""

    path: str
    data: bytes
    version: str
    why: str
    about: About = NOTHING_MORE


@dataclass(frozen=True, slots=True)
class Move:
    """A file to another place in the vault, with some fields set on the way, or its text given back."""

    path: str
    to: str
    why: str
    fields: Mapping[str, FieldValue | None] = field(default_factory=lambda: NOTHING)
    data: bytes | None = None
    version: str = ""
    about: About = NOTHING_MORE


@dataclass(frozen=True, slots=True)
class Remove:
    """A file out of the vault; its bytes stay where `undo` finds them."""

    path: str
    version: str
    why: str


@dataclass(frozen=True, slots=True)
class Outside:
    """A whole file outside the vault; with no version it must not be there yet, with no data it goes."""

    path: str  # absolute
    data: bytes | None
    version: str
    why: str


@dataclass(frozen=True, slots=True)
class Note:
    """A decision for the ledger, with the entry that takes it back."""

    entry: Entry
    why: str
    inverse: Entry | None = None
    about: About = NOTHING_MORE


Change = Create | SetFields | Append | Rewrite | Move | Remove | Outside | Note


@dataclass(frozen=True, slots=True)
class Plan:
    """All that one operation is going to do."""

    verb: str
    changes: Sequence[Change]
    undoes: str = ""  # the operation that this one takes back

    def __bool__(self) -> bool:
        return bool(self.changes)


@dataclass(frozen=True, slots=True)
class Step:
    """One change as it was, or is about to be, carried out."""

    do: str  # create, rewrite, move, remove, outside or note
    path: str
    to: str = ""
    before: str = ""  # digest of the bytes before; empty where there was no file
    after: str = ""
    why: str = ""
    entry: Entry | None = None
    inverse: Entry | None = None
    id: str = ""
    rules: tuple[str, ...] = ()
    notes: tuple[tuple[Entry, Entry | None], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One entry of the operation log."""

    op: str
    verb: str
    at: str
    device: str = ""
    agent: str = ""
    session: str = ""
    undoes: str = ""
    steps: tuple[Step, ...] = ()
    state: str = "done"  # done, begun (it was interrupted) or undone
    refused: tuple[str, ...] = ()


def about(change: Change) -> About:
    """Which memory a change is about, and by which rules; nothing for those that say nothing."""
    found: About = getattr(change, "about", NOTHING_MORE)
    return found


def path_of(change: Change) -> str:
    """The file that a change is about; empty for a decision."""
    return "" if isinstance(change, Note) else change.path


# The rules of upkeep by name, in their order; what they do is in `maintenance/rules`.

# They stand apart so that a run with nothing to do need not load them. Order is policy: what is put away is not merged,
# what is merged may be promoted, and what fades is not raised.
NAMES = (
    "expire",
    "consolidate",
    "promote",
    "adopt",
    "touches",
    "practice",
    "decay",
    "stale",
    "revive",
    "archive",
    "hot",
    "prune",
)
CLAUDE_MD = "claude-md"  # the generated page, brought up to date after all of them
ALL = (*NAMES, CLAUDE_MD)
ASKING = frozenset({"prune"})  # what is only done when a person says so
USUAL = frozenset(ALL) - ASKING
