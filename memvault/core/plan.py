"""What is to be done to a vault: changes with their reasons, made by rules and carried out by one hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memvault.core.memory import NOTHING, FieldValue


@dataclass(frozen=True, slots=True)
class Create:
    """A new file; an existing one of that name is never overwritten."""

    path: str
    data: bytes
    why: str


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


@dataclass(frozen=True, slots=True)
class Append:
    """Text added at the end of a note, and maybe some fields set: on whatever text the note has by then."""

    path: str
    text: str
    why: str
    fields: Mapping[str, FieldValue | None] = field(default_factory=lambda: NOTHING)
    version: str = ""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """The whole text of a note that must still be the version that was read."""

    path: str
    data: bytes
    version: str
    why: str


@dataclass(frozen=True, slots=True)
class Move:
    """A file to another place in the vault, with some fields set on the way, or its text given back."""

    path: str
    to: str
    why: str
    fields: Mapping[str, FieldValue | None] = field(default_factory=lambda: NOTHING)
    data: bytes | None = None
    version: str = ""


@dataclass(frozen=True, slots=True)
class Remove:
    """A file out of the vault; its bytes stay where `undo` finds them."""

    path: str
    version: str
    why: str


@dataclass(frozen=True, slots=True)
class Note:
    """A decision for the ledger, with the entry that takes it back."""

    entry: Mapping[str, object]
    why: str
    inverse: Mapping[str, object] | None = None


Change = Create | SetFields | Append | Rewrite | Move | Remove | Note


@dataclass(frozen=True, slots=True)
class Plan:
    """All that one operation is going to do."""

    verb: str
    changes: tuple[Change, ...]
    undoes: str = ""  # the operation that this one takes back

    def __bool__(self) -> bool:
        return bool(self.changes)


@dataclass(frozen=True, slots=True)
class Step:
    """One change as it was, or is about to be, carried out."""

    do: str  # create, rewrite, move, remove or note
    path: str
    to: str = ""
    before: str = ""  # digest of the bytes before; empty where there was no file
    after: str = ""
    why: str = ""
    entry: Mapping[str, object] | None = None
    inverse: Mapping[str, object] | None = None


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
