"""Every note's bytes against what the records and this machine know of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace

from memvault.errors import MemvaultError
from memvault.maintenance.doctor.deep.run import MEANT, Deep, is_thrown
from memvault.maintenance.doctor.finding import Finding
from memvault.memories.quarantine import waiting
from memvault.storage.census import Line
from memvault.system import files

_SEALED = ".age"
_EMPTY = files.digest(b"")
_BLOCK = 512  # bytes: where a disk or a power cut breaks a file off, it is at the end of so many


def damaged(deep: Deep) -> Iterator[Finding]:
    """Notes whose bytes changed as no editor changes them."""
    for sight in _sights(deep):
        deep.step()
        known = deep.journaled.versions(sight.path, sight.id)
        try:
            why = _judged(deep, sight, known)
        except (MemvaultError, OSError) as error:
            why = f"it cannot be read through: {error}"
        if why:
            deep.tally.damaged.append(sight.path)
            way_back = deep.way_back(sight.path, sight.id, known | {line.sha for line in _other(deep, sight)})
            yield Finding(
                severity="error",
                path=sight.path,
                sentence=f"This note looks damaged: {why}.",
                advice=f"{way_back} {MEANT}" if sight.path in deep.doubtful else way_back,
            )


@dataclass(frozen=True, slots=True)
class _Sight:
    """A note as it was read: where it lies, whose it is, which version it is, and in what it is written."""

    path: str
    id: str
    version: str
    encoding: str


def _sights(deep: Deep) -> Iterator[_Sight]:
    """Every note, those that wait in quarantine too."""
    for look in deep.survey.looks:
        version = files.digest(files.read(deep.vault.absolute(look.path))) if look.clipped else look.memory.version
        yield _Sight(look.path, look.memory.id, version, look.encoding)
    for memory in waiting(deep.survey.bench):
        yield _Sight(memory.path, memory.id, memory.version, "utf-8")


def _judged(deep: Deep, sight: _Sight, known: set[str]) -> str:
    """Why a note must be damaged; empty where it is as somebody meant it, and then it is counted."""
    stat = (deep.vault.root / sight.path).stat()
    line = Line(sight.version, stat.st_size, stat.st_mtime_ns)
    if sight.version == deep.journaled.left(sight.path, sight.id):
        deep.tally.as_written += 1
    elif why := _damage(deep, sight, line, known):
        deep.doubtful[sight.path] = line
        return why
    elif known:
        deep.tally.edited.append(sight.path)
    else:
        deep.tally.own.append(sight.path)
    deep.fresh[sight.path] = replace(line, meant=_is_meant(deep, line, sight.path))
    return ""


def _is_meant(deep: Deep, line: Line, path: str) -> bool:
    before = deep.before.get(path)
    return before is not None and before.meant and before.sha == line.sha


def _other(deep: Deep, sight: _Sight) -> list[Line]:
    """What this machine saw of the note when it was otherwise than it is."""
    return [line for line in deep.witnesses(sight.path) if line.sha and line.sha != sight.version]


def _damage(deep: Deep, sight: _Sight, line: Line, known: set[str]) -> str:
    others = _other(deep, sight)
    if line.sha in known or not (known or others) or _is_meant(deep, line, sight.path):
        return ""  # put back by hand; or never seen before, and then there is nothing to hold it against
    if any(other.mtime == line.mtime for other in others):
        return "its bytes are others than they were, and the time of its last change is the same"
    if line.sha == _EMPTY:
        return "it is empty, and it was not"
    if sight.encoding == "binary":
        return "it holds zero bytes, as a power cut leaves them"
    return _cut(deep, sight, known | {other.sha for other in others})


def _cut(deep: Deep, sight: _Sight, versions: set[str]) -> str:
    """Whether it breaks off as no person does: within a letter, or with a block within a line that once went on."""
    data = files.read(deep.vault.absolute(sight.path))
    if sight.encoding == "unknown" and _ends_in_a_letter(data):
        return "it ends in the middle of a letter"
    if data.endswith(b"\n") or len(data) % _BLOCK:
        return ""
    for _, kept in deep.copies(sight.id, versions):
        if len(kept) > len(data) and kept.startswith(data) and kept[len(data) : len(data) + 1] not in b"\r\n":
            return "it ends in the middle of a line that once went on"
    return ""


def _ends_in_a_letter(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return False


# -- what is nowhere


def missing(deep: Deep) -> Iterator[Finding]:
    """Notes that the records know, and that are nowhere."""
    there = {look.memory.id for look in deep.survey.looks} | _thrown_ids(deep)
    versions = {look.memory.version for look in deep.survey.looks}
    for path, (version, id_, _) in sorted(deep.journaled.last.items()):
        is_there = os.path.lexists(deep.vault.root / path) or id_ in there or version in versions
        if is_there or not _is_note(deep, path) or deep.journaled.is_let_go(path):
            continue
        deep.tally.missing.append(path)
        yield Finding(
            severity="warning",
            path=path,
            sentence="The records know this note, and it is nowhere: it was deleted, or lost.",
            advice=f"{deep.way_back(path, id_, {version})} If you deleted it yourself, `memvault doctor --deep "
            "--accept` takes it as meant.",
        )


def gone(deep: Deep) -> Iterator[Finding]:
    """Notes that were made by hand, and what was sealed, that went: told once."""
    names = {look.entry.name for look in deep.survey.looks} | {path.rpartition("/")[2] for path in deep.vault.trash()}
    known = (path for path in sorted(deep.before) if path.endswith(_SEALED) or _is_note(deep, path))
    for path in known:
        is_there = os.path.lexists(deep.vault.root / path) or path.rpartition("/")[2] in names
        if not is_there and path not in deep.journaled.last:
            yield Finding(
                severity="note",
                path=path,
                sentence="This file lay here when it was last looked at, and does not any more.",
                advice=f"{deep.way_back(path, '', {deep.before[path].sha})} This is told once.",
            )


def _is_note(deep: Deep, path: str) -> bool:
    is_shut = any(path.startswith(folder) for folder in deep.survey.shut)
    return not is_thrown(path) and not is_shut and deep.vault.place(path) is not None


def _thrown_ids(deep: Deep) -> set[str]:
    from memvault.memories.detail import read_at  # deferred: only where something is missed

    found = (read_at(deep.survey.bench, path) for path in deep.vault.trash())
    return {memory.id for memory in found if memory and memory.id}
