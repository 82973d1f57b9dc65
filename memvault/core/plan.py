"""Plans: changes with their reasons, made by rules and carried out by one executor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from memvault.core.memory import NO_FIELDS, OPTIONAL, FieldValue

LedgerLine = Mapping[str, object]  # a ledger line, without its time


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSubject:
    """The memory that a change is about, the rules that made it, and what stands and falls with it."""

    id: str = ""
    rules: tuple[str, ...] = ()
    # Ledger lines to write before the change, each with the line that takes it back if the change fails.
    notes: tuple[tuple[LedgerLine, LedgerLine | None], ...] = ()
    group: str = ""  # changes of one group are made all or none


NO_SUBJECT = ChangeSubject()
NO_LIST_EDITS: Mapping[str, ListEdit] = MappingProxyType({})


def ledger_lines_for_write(
    id_: str, field_: str, value: FieldValue, before: FieldValue
) -> tuple[LedgerLine, LedgerLine]:
    """Return the ledger line that marks a value as written by us, and the line that takes it back."""
    line = {"e": "wrote", "id": id_, "field": field_}
    return {**line, "value": value}, {**line, "value": before}


@dataclass(frozen=True, slots=True)
class ListEdit:
    """Items to add to a list in the frontmatter and to remove from it, whatever it holds by then."""

    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()

    def apply_to(self, there: Sequence[str]) -> tuple[str, ...]:
        """Return the list after the edit; what stays keeps its order."""
        gone = {item.casefold() for item in self.remove}
        return tuple(dict.fromkeys(item for item in (*there, *self.add) if item.casefold() not in gone))


@dataclass(frozen=True, slots=True)
class CreateFile:
    """A new file; an existing one of that name is never overwritten."""

    path: str
    data: bytes
    why: str
    about: ChangeSubject = NO_SUBJECT


@dataclass(frozen=True, slots=True)
class SetFields:
    """New values of some frontmatter fields; None removes a field, every other byte stays.

    With a version, the note must still be the one that was read; without one, the fields are set on
    whatever text the note has by then.
    """

    path: str
    fields: Mapping[str, FieldValue | None]
    why: str
    version: str = ""
    about: ChangeSubject = NO_SUBJECT
    lists: Mapping[str, ListEdit] = field(default_factory=lambda: NO_LIST_EDITS)


@dataclass(frozen=True, slots=True)
class AppendText:
    """Text to add at the end of a note, and maybe fields to set: on whatever text it has by then."""

    path: str
    text: str
    why: str
    fields: Mapping[str, FieldValue | None] = field(default_factory=lambda: NO_FIELDS)
    version: str = ""
    lists: Mapping[str, ListEdit] = field(default_factory=lambda: NO_LIST_EDITS)


@dataclass(frozen=True, slots=True)
class RewriteNote:
    """A new text for a note that must still be the version that was read."""

    path: str
    data: bytes
    version: str
    why: str
    about: ChangeSubject = NO_SUBJECT


@dataclass(frozen=True, slots=True)
class MoveFile:
    """A file that moves within the vault, with some fields set on the way, or its old text restored."""

    path: str
    to: str
    why: str
    fields: Mapping[str, FieldValue | None] = field(default_factory=lambda: NO_FIELDS)
    data: bytes | None = None
    version: str = ""
    about: ChangeSubject = NO_SUBJECT


@dataclass(frozen=True, slots=True)
class RemoveFile:
    """A file to remove from the vault; its bytes stay where `undo` finds them."""

    path: str
    version: str
    why: str


@dataclass(frozen=True, slots=True)
class WriteOutside:
    """A whole file outside the vault; without a version it must not exist yet, without data it is removed."""

    path: str  # absolute
    data: bytes | None
    version: str
    why: str


@dataclass(frozen=True, slots=True)
class LedgerNote:
    """A decision for the ledger, with the line that takes it back."""

    entry: LedgerLine
    why: str
    inverse: LedgerLine | None = None
    about: ChangeSubject = NO_SUBJECT


PlanChange = CreateFile | SetFields | AppendText | RewriteNote | MoveFile | RemoveFile | WriteOutside | LedgerNote


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that one operation is going to do."""

    verb: str
    changes: Sequence[PlanChange]
    undoes: str = ""  # the operation that this one undoes

    def __bool__(self) -> bool:
        return bool(self.changes)


@dataclass(frozen=True, slots=True)
class OperationStep:
    """One change as it was, or is about to be, carried out."""

    do: str  # create, rewrite, move, remove, outside or note
    path: str
    to: str = ""
    before: str = ""  # digest of the bytes before; empty where there was no file
    after: str = ""
    why: str = ""
    entry: LedgerLine | None = None
    inverse: LedgerLine | None = None
    id: str = ""
    rules: tuple[str, ...] = ()
    notes: tuple[tuple[LedgerLine, LedgerLine | None], ...] = ()


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
    steps: tuple[OperationStep, ...] = ()
    state: str = "done"  # done, begun (it was interrupted) or undone
    refused: tuple[str, ...] = ()
    # Of what an undo took back: what it passed over, as nothing can undo it any more.
    passed_over: tuple[str, ...] | None = field(default=None, metadata=OPTIONAL)


def get_subject(change: PlanChange) -> ChangeSubject:
    """Return which memory a change is about, and by which rules; `NO_SUBJECT` if it does not say."""
    found: ChangeSubject = getattr(change, "about", NO_SUBJECT)
    return found


def get_path(change: PlanChange) -> str:
    """Return the file that a change is about; empty for a ledger note."""
    return "" if isinstance(change, LedgerNote) else change.path


# The rules of maintenance by name, in their order; `maintenance/rules` has what they do.

# The names are here so that a run with nothing to do need not load the rules. Order is policy: what is archived is not
# merged, what is merged may be promoted, and what fades is not raised.
_RULES = "expire consolidate promote adopt touches practice decay stale revive archive hot prune"
RULE_NAMES = tuple(_RULES.split())
CLAUDE_MD = "claude-md"  # the generated page, updated after all rules
ALL_RULES = (*RULE_NAMES, CLAUDE_MD)
RULES_ON_REQUEST = frozenset({"prune"})  # what is only done when a person says so
USUAL_RULES = frozenset(ALL_RULES) - RULES_ON_REQUEST
