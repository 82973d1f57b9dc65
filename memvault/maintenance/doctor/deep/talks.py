"""The archive of conversations, member by member, and what is sealed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from memvault.errors import MemvaultError
from memvault.maintenance.doctor.deep.run import MEANT, Deep
from memvault.maintenance.doctor.finding import Finding
from memvault.storage.census import Line, other_paths
from memvault.system import files
from memvault.transcripts.archive.read import LOST, Transcript
from memvault.transcripts.search import archive

_AGAIN = "Where its source is still there, `memvault ingest FILE` adds what is missing; else a backup may have it."
_BINARY = b"age-encryption.org/v1\n"
_MAC, _NONCE, _TAG, _CHUNK = b"--- ", 16, 16, 64 * 1024
_HEADER = 64 * 1024  # no header of a few recipients is longer


def turns(deep: Deep) -> Iterator[Finding]:
    """Conversations of which turns are gone, though all that is left can be read."""
    learnt = deep.vault.ledger.decisions().learnt
    store = archive(deep.survey.bench)
    for path, _ in store.listing():
        deep.step()
        try:
            why = _lacking(store.open(path), learnt)
        except MemvaultError:
            continue  # the look before this one says so
        if why:
            yield Finding(severity="error", path=path, sentence=f"{why}.", advice=_AGAIN)


def _lacking(there: Transcript, learnt: dict[str, int]) -> str:
    said, lost, ids = 0, 0, set()
    for turn in there.turns():
        said += 1
        lost += turn.id.startswith(LOST)
        ids.add(hash(turn.id))
    if lost:
        return f"{lost} of its {said} turns are gone from the middle of it"
    looked_at = learnt.get(there.head().id, 0)
    if said < looked_at:
        return f"It had {looked_at} turns when memories were made of them, and has {said}: its end is gone"
    groundless = sum(any(hash(turn) not in ids for turn in fact.turns) for fact in there.facts())
    return f"{groundless} of its facts stand on turns that are not there" if groundless else ""


# -- what is sealed


def sealed(deep: Deep) -> Iterator[Finding]:
    """Sealed files that nobody could open any more; with the key at hand each is opened."""
    for path in (path for path in other_paths(deep.vault) if path.endswith(".age")):
        deep.step()
        full = deep.vault.root / path
        try:
            data, stamp = files.read_stamped(full)
            line = Line(files.digest(data), stamp.size, stamp.mtime_ns)
        except MemvaultError as error:
            why, meant = str(error), ""
        else:
            line = replace(line, meant=_is_meant(line, deep.before.get(path)))
            why, meant = "" if line.meant else _trouble(deep, path, data, line), MEANT
            known = deep.doubtful if why else deep.fresh
            known[path] = line
        if why:
            yield Finding(
                severity="error",
                path=path,
                sentence=f"This sealed file is damaged: {why}.",
                advice=f"{deep.way_back(path, '', set())} {meant}".rstrip(),
            )


def _is_meant(line: Line, before: Line | None) -> bool:
    """Whether a person has said of these very bytes that they are."""
    return before is not None and before.meant and before.sha == line.sha


def _trouble(deep: Deep, path: str, data: bytes, line: Line) -> str:
    return _broken(data) or _changed(line, deep.before.get(path)) or deep.opens(path, data)


def _changed(line: Line, before: Line | None) -> str:
    is_silent = before is not None and before.sha != line.sha and before.mtime == line.mtime
    return "its bytes are others than they were, and the time of its last change is the same" if is_silent else ""


def _broken(data: bytes) -> str:
    """What of age's format is broken, as far as it is seen without a key."""
    if not data.startswith(_BINARY):
        return "" if data.startswith(b"-----BEGIN AGE") else "it does not begin as sealed files do"
    at = data.find(b"\n" + _MAC, 0, _HEADER)
    end = data.find(b"\n", at + 1)
    if at < 0 or end < 0 or b"\n-> " not in data[: at + 1]:
        return "its header is not whole"
    left = (len(data) - end - 1 - _NONCE) % (_CHUNK + _TAG)
    return "it is cut short" if len(data) - end - 1 < _NONCE + _TAG or 0 < left < _TAG else ""
