"""Journals, ledgers and the undo store: nothing was cut off, nothing changed in place, nothing left half told."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from memvault.errors import MemvaultError
from memvault.maintenance.doctor.deep.run import LOST, Deep
from memvault.maintenance.doctor.finding import Finding
from memvault.storage.census import Line, grows, summed
from memvault.storage.journal import jsonl as records
from memvault.storage.journal.jsonl import Record
from memvault.storage.vault.layout import STATE
from memvault.system import files

_ELSEWHERE = "Bring it back from a backup; another machine's copy has the lines that reached it (`memvault sync run`)."
_LET_GO = "`memvault doctor --deep --accept` writes it down as lost for good, and it is told no more."
_UNDO_SHA = 32
_LEDGERS = f"{STATE}/ledger/"
_LONG = records.LONGEST_LINE // 2  # an entry that may have been cut to fit its line is not looked for


def grown(deep: Deep) -> Iterator[Finding]:
    """Records and conversations that are shorter than they were, or other, though such files only grow."""
    for path, before in sorted(deep.before.items()):
        if grows(path) and not os.path.lexists(deep.vault.root / path) and not _is_renamed(deep, before):
            _note(deep, path, {"path": path, "bytes": before.size})
            yield _trouble(path, "This file was here when it was last looked at, and is nowhere.")
    for path in _growing(deep):
        deep.step()
        try:
            found = _lost(deep, path)
        except (MemvaultError, OSError) as error:
            found = f"It cannot be read through: {error}."
        if found:
            yield _trouble(path, found)


def _is_renamed(deep: Deep, before: Line) -> bool:
    """Whether a file that nobody saw before begins with all that one held which is gone."""
    fresh = (deep.vault.root / path for path in _growing(deep) if path not in deep.before)
    return any(path.stat().st_size >= before.size and summed(path, before.size) == before.sha for path in fresh)


def _growing(deep: Deep) -> Iterator[str]:
    from memvault.storage.census import other_paths  # deferred: a shallow look lists them otherwise

    return (path for path in other_paths(deep.vault) if grows(path))


def _lost(deep: Deep, path: str) -> str:
    full, before = deep.vault.root / path, deep.before.get(path)
    stat = full.stat()
    zeros = files.read(full).count(b"\0") if path.endswith(".jsonl") else 0
    found = _shrunken(full, before, stat.st_size)
    if not found and zeros > deep.journaled.zeros.get(path, 0):
        found = f"It holds {zeros:,} zero bytes, as a power cut leaves them; the lines in them are lost."
    line = Line(summed(full, stat.st_size), stat.st_size, stat.st_mtime_ns)
    (deep.doubtful if found else deep.fresh)[path] = line
    if found:
        less = max(0, before.size - stat.st_size) if before else 0
        _note(deep, path, {"path": path, "bytes": less, "zeros": zeros})
    return found


def _shrunken(full: Path, before: Line | None, size: int) -> str:
    """What a file lacks of what it was; empty where it only grew."""
    if before is not None and size < before.size:
        return f"It is {before.size - size:,} bytes shorter than it was, and such a file only grows."
    if before is not None and summed(full, before.size) != before.sha:
        return "What it held when it was last looked at is not what it holds now, and such a file only grows."
    return ""


def _note(deep: Deep, path: str, *told: Record) -> None:
    """Put down what a person may take as lost; the name of a conversation tells of it, and is in no ledger."""
    is_ours = path.startswith(f"{STATE}/")
    deep.lacking.setdefault(path, []).extend({"e": LOST, **one} for one in told if is_ours)


def _trouble(path: str, sentence: str) -> Finding:
    return Finding(severity="error", path=path, sentence=sentence, advice=f"{_ELSEWHERE} {_LET_GO}")


# -- what one record tells of another


def half_told(deep: Deep) -> Iterator[Finding]:
    """Steps of operations of which the beginning is gone; decisions that a journal tells of and no ledger holds."""
    for name, path in deep.vault.journal.paths():
        entries = records.readable(path)
        begun = {str(entry.get("op")) for entry in entries if entry.get("e") == "op"}
        told = (str(entry.get("op")) for entry in entries if entry.get("e") in ("step", "done"))
        orphans = sorted({op for op in told if op not in begun and not _begun_before(deep, op, name)})
        orphans = [op for op in orphans if op not in deep.journaled.given_up]
        if orphans:
            of = deep.vault.relative(path) or name
            _note(deep, of, *({"what": op} for op in orphans))
            yield _trouble(
                of,
                f"The beginning of {len(orphans)} operations is gone, of {orphans[0]} among them: lines were lost.",
            )
    yield from _undecided(deep)


def _begun_before(deep: Deep, op: str, name: str) -> bool:
    """An operation may have begun in the last minutes of the month before."""
    return any(operation.op == op for operation in deep.survey.operations) or op[:6] > name[-7:].replace("-", "")


def _undecided(deep: Deep) -> Iterator[Finding]:
    held = Counter(_key(entry) for _, path in deep.vault.ledger.paths() for entry in records.readable(path))
    lost = [entry for entry in _announced(deep) if _key(entry) not in held]
    lost = [entry for entry in lost if _name(entry) not in deep.journaled.given_up]
    if lost:
        _note(deep, _LEDGERS, *({"what": _name(entry)} for entry in lost))
        example = " ".join(str(value) for name, value in lost[0].items() if name in ("e", "id", "field", "mac"))
        told = f"The journals tell of {len(lost)} decisions that no ledger holds ({example}): lines were lost."
        yield _trouble(_LEDGERS, told)


def _announced(deep: Deep) -> Iterator[Record]:
    """The decisions that operations made, as the journals tell them."""
    for operation in deep.survey.operations:
        for step in operation.steps if operation.state != "begun" else ():
            told: Iterable[Record | None] = (step.entry if step.do == "note" else None, *(one for one, _ in step.notes))
            yield from (entry for entry in told if entry and len(json.dumps(entry)) < _LONG)


def _key(entry: Record) -> str:
    return json.dumps({name: value for name, value in entry.items() if name != "t"}, sort_keys=True)


def _name(entry: Record) -> str:
    """What a decision is known by, as it may tell too much to be written down again."""
    return files.digest(_key(entry).encode())


# -- what is kept for undo


def undo_store(deep: Deep) -> Iterator[Finding]:
    """Kept bytes that are not what their name says: undo would bring damage back."""
    for path in deep.kept.values():
        deep.step()
        name = Path(path).name
        try:
            is_whole = len(name) != _UNDO_SHA or files.digest(files.read(deep.vault.root / path)) == name
        except MemvaultError:
            is_whole = False
        if not is_whole:
            yield Finding(
                severity="error",
                path=path,
                sentence="What is kept here for undo is not what was put there.",
                advice="Undoing that operation would bring damage back: do not. A backup may have the bytes.",
            )
