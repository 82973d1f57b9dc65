"""The operation log: what was done to the vault, in the journal, and the replaced bytes, kept for undo."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from memvault.core.plan import Operation, OperationStep
from memvault.core.value import take_nonempty
from memvault.storage.journal.journal import Journal, JsonRecord
from memvault.system import files
from memvault.text.dates.dates import read_moment

_LAST_TURN = 1 << 53
_STEP_TEXTS = ("do", "path", "to", "before", "after", "why", "id")


class OperationLog:
    """Writes and reads operations; the log travels with the vault, the kept bytes do not."""

    def __init__(self, journal: Journal, undo: Path) -> None:
        self._journal = journal
        self._undo = undo

    # -- writing

    def begin_operation(self, operation: Operation, now: datetime) -> None:
        """Log durably what is about to be done."""
        head = {
            "e": "op",
            "op": operation.op,
            "verb": operation.verb,
            **take_nonempty(agent=operation.agent, session=operation.session, undoes=operation.undoes),
            **take_nonempty(turn=self._turn_behind(now)),
        }
        steps = [_step_record(operation.op, step) for step in operation.steps]
        self._append(operation.op, [head, *steps], now, durable=True)

    def _turn_behind(self, now: datetime) -> int:
        """Return the logical time of an operation at a moment that is not after all known ones; otherwise 0."""
        last = max((_turn_of(entry) for _, entry in self._journal.last_heads()), default=0)
        return last + 1 if last > now.timestamp() else 0

    def add_steps(
        self, op: str, steps: Iterable[OperationStep], now: datetime, *, instead_of: int | None = None
    ) -> None:
        """Log further steps of a running operation, or the step that was made instead of an announced one."""
        number = {} if instead_of is None else {"n": instead_of}
        self._append(op, [{**_step_record(op, step), **number} for step in steps], now, durable=True)

    def end_operation(self, op: str, refused: list[int], now: datetime) -> None:
        """Log that an operation ended, and which of its steps were not made."""
        self._append(op, [{"e": "done", "op": op, **take_nonempty(refused=refused)}], now)

    def _append(self, op: str, records: list[JsonRecord], now: datetime, *, durable: bool = False) -> None:
        from memvault.storage.journal.chain import append_chained  # deferred: who reads the log needs no chain

        append_chained(self._journal, op, records, now, durable=durable)

    def keep_bytes(self, op: str, data: bytes) -> None:
        """Keep bytes that are about to be replaced."""
        path = self._undo / op / files.digest(data)
        if not path.exists():
            files.make_folder(path.parent)
            files.create_file(path, data)

    # -- reading

    def kept_bytes(self, op: str, sha: str) -> bytes | None:
        """Return bytes that an operation replaced, as long as they are kept."""
        path = self._undo / op / sha
        return files.read_file(path) if path.is_file() else None

    def operations(self, *, whole: bool = False) -> list[Operation]:
        """Return every operation of every device, newest first; with `whole`, an unreadable journal is an error."""
        reader = _OperationReader()
        for device, entry in self._journal.entries(whole=whole):
            reader.take_line(device, entry)
        # Reversed as a whole, so that within one second the later line comes first.
        return list(_mark_undone(reader.operations()[::-1]))

    def recent_own(self) -> list[Operation]:
        """Return this device's last operations, the oldest first; an interrupted one is still "begun"."""
        reader = _OperationReader()
        for entry in self._journal.own_last_entries():
            reader.take_line("", entry)
        return reader.operations()

    def operations_since(self, moment: datetime) -> list[Operation]:
        """Return all devices' operations that began since a moment, the newest first."""
        reader = _OperationReader()
        for device, entry in self._journal.entries_since(moment):
            reader.take_line(device, entry)
        begun = [(read_moment(operation.at), operation) for operation in reader.operations()]
        late = [operation for at, operation in begun if at and at >= moment]
        return [operation for operation in _mark_undone(late[::-1]) if operation.state == "done"]

    # -- deleting

    def expire_bytes(self, now: datetime, *, keep_days: int) -> None:
        """Delete kept bytes that are older than the setting allows."""
        oldest = (now - timedelta(days=keep_days)).strftime("%Y%m%dT%H%M%SZ")
        for folder in self._undo_folders():
            if folder.name >= oldest:
                return
            shutil.rmtree(folder, ignore_errors=True)

    def shrink_to(self, *, keep_bytes: int) -> int:
        """Delete the oldest kept bytes until the rest fits; return how many operations lost theirs."""
        sizes = [(folder, sum(part.lstat().st_size for part in folder.iterdir())) for folder in self._undo_folders()]
        excess, dropped = sum(size for _, size in sizes) - keep_bytes, 0
        for folder, size in sizes:
            if excess <= 0:
                break
            shutil.rmtree(folder, ignore_errors=True)
            excess, dropped = excess - size, dropped + 1
        return dropped

    def _undo_folders(self) -> list[Path]:
        # A vault from elsewhere may have a link here, and its target is not ours to delete.
        if not self._undo.is_dir() or not files.is_in_place(self._undo.parent.parent, self._undo):
            return []
        found = (path for path in self._undo.iterdir() if path.is_dir() and not path.is_symlink())
        return sorted(path for path in found if path.name[:1].isdigit())


def _mark_undone(newest_first: Iterable[Operation]) -> Iterator[Operation]:
    """Mark the operations that were undone; an undo that was itself undone does not count."""
    undone: set[str] = set()
    for operation in newest_first:
        if operation.op in undone:
            yield replace(operation, state="undone")
            continue
        if operation.undoes and operation.state == "done":
            undone.add(operation.undoes)
        yield operation


def _step_record(op: str, step: OperationStep) -> JsonRecord:
    texts = {name: getattr(step, name) for name in _STEP_TEXTS}
    notes = [take_nonempty(entry=entry, inverse=inverse) for entry, inverse in step.notes]
    more = take_nonempty(entry=step.entry, inverse=step.inverse, rules=list(step.rules), notes=notes)
    return {"e": "step", "op": op, **take_nonempty(**texts), **more}


def _turn_of(head: Mapping[str, object]) -> int:
    """Return the logical time of an operation: that of the clock in seconds, unless it gives a later one."""
    turn, moment = head.get("turn"), read_moment(str(head.get("t", "")))
    return turn if isinstance(turn, int) and 0 < turn < _LAST_TURN else int(moment.timestamp()) if moment else 0


class _OperationReader:
    """Builds operations from the lines of journals, and knows in which order they happened.

    The lines of one device stand in that order, whatever its clock said; those of several are put together by their
    logical times, which no device lets fall behind what it has seen of the others.
    """

    def __init__(self) -> None:
        self._turns: dict[str, int] = {}
        self._last: dict[str, int] = {}
        self._heads: dict[str, Operation] = {}
        self._steps: dict[str, list[OperationStep]] = {}

    def take_line(self, device: str, entry: Mapping[str, object]) -> None:
        """Take one line in; other sorts are skipped."""
        op = entry.get("op")
        if not isinstance(op, str):
            return
        match entry.get("e"):
            case "op":
                self._heads[op] = Operation(
                    op=op,
                    verb=str(entry.get("verb", "")),
                    at=str(entry.get("t", "")),
                    device=device,
                    agent=str(entry.get("agent", "")),
                    session=str(entry.get("session", "")),
                    undoes=str(entry.get("undoes", "")),
                    state="begun",
                )
                self._steps[op] = []
                self._turns[op] = self._last[device] = max(self._last.get(device, 0), _turn_of(entry))
            case "step" if op in self._heads:
                self._add_step(self._steps[op], entry)
            case "done" if op in self._heads:
                refused = entry.get("refused")
                numbers = refused if isinstance(refused, list) else []
                self._steps[op] = [step for number, step in enumerate(self._steps[op]) if number not in numbers]
                self._heads[op] = replace(self._heads[op], state="done")

    def _add_step(self, steps: list[OperationStep], entry: Mapping[str, object]) -> None:
        number = entry.get("n")
        if isinstance(number, int) and 0 <= number < len(steps):
            steps[number] = _parse_step(entry)
        elif number is None:
            steps.append(_parse_step(entry))

    def operations(self) -> list[Operation]:
        """Return the operations in the order they began."""
        in_turn = sorted(self._heads.items(), key=lambda item: self._turns[item[0]])
        return [replace(head, steps=tuple(self._steps[op])) for op, head in in_turn]


def _parse_step(entry: Mapping[str, object]) -> OperationStep:
    texts = {name: str(entry.get(name, "")) for name in _STEP_TEXTS}
    records = {name: entry[name] for name in ("entry", "inverse") if isinstance(entry.get(name), dict)}
    rules = tuple(map(str, _as_list(entry.get("rules"))))
    notes = tuple(note for found in _as_list(entry.get("notes")) if (note := _parse_note(found)))
    return OperationStep(**texts, **records, rules=rules, notes=notes)  # type: ignore[arg-type]  # mappings, as checked


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _parse_note(said: object) -> tuple[JsonRecord, JsonRecord | None] | None:
    match said:
        case {"entry": dict(entry), "inverse": dict(inverse)}:
            return entry, inverse
        case {"entry": dict(entry)}:
            return entry, None
        case _:
            return None
