"""Proof that something is nowhere any more: every byte that memvault keeps is looked through, packed or not."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from memvault.core.erasing import sentences
from memvault.errors import MemvaultError
from memvault.host.git import Git
from memvault.verbs.bench import Bench
from memvault.verbs.purge.subject import Subject

_OF_GIT = ".git"
_LONGEST = 400_000_000  # of one file: what is longer is told of as not looked through


@dataclass(frozen=True, slots=True)
class Verified:
    """Where it is found all the same, what could not be looked into, and what is beyond memvault's reach."""

    looked_at: int  # files
    found: tuple[str, ...]
    unread: tuple[str, ...]
    beyond: tuple[str, ...]


def verify(
    bench: Bench, subject: Subject, *, places: Iterable[Path], git: Git | None, left: Iterable[str] = ()
) -> Verified:
    """Look through the vault, and through what this machine keeps of it elsewhere."""
    found: list[str] = []
    unread: list[str] = []
    allowed = {str(bench.vault.root / path) for path in left}
    count = 0
    for path in _files((bench.vault.root, *places)):
        count += 1
        try:
            is_there = any(_holds(text, subject) for text in _texts(path))
        except (OSError, EOFError, zlib.error):
            unread.append(str(path))
            continue
        if is_there and str(path) not in allowed:
            found.append(str(path))
    return Verified(count, tuple(found), tuple(unread), tuple(_beyond(git, subject)))


def _files(places: Iterable[Path]) -> Iterator[Path]:
    for place in places:
        for folder, folders, names in os.walk(place):
            folders[:] = sorted(name for name in folders if name != _OF_GIT)
            yield from (Path(folder, name) for name in sorted(names) if Path(folder, name).is_file())


def _texts(path: Path) -> Iterator[str]:
    if path.stat().st_size > _LONGEST:
        raise OSError
    if path.name.endswith(".gz"):
        with gzip.open(path) as stream:
            yield stream.read().decode("utf-8", "replace")
        return
    data = path.read_bytes()
    yield data.decode("utf-8", "replace")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        yield data.decode("utf-16", "replace")


def _holds(text: str, subject: Subject) -> bool:
    """Whether it stands in a text in so many words, whatever stands around it and however its lines are broken."""
    low = " ".join(text.replace("\\n", " ").split()).casefold()
    said = (part for one in subject.texts for part in sentences(one))
    return any(id_ in low for id_ in subject.ids) or any(
        " ".join(part.split()).casefold() in low for part in said if len(part) > _SHORT
    )


_SHORT = 11  # letters: what is shorter stands in too many texts by chance


def _beyond(git: Git | None, subject: Subject) -> Iterator[str]:
    """What memvault cannot reach, and how a person does."""
    if git is not None:
        yield from _in_git(git, subject)
    yield "Backups, snapshots and copies on other machines and in other programs (Obsidian's file recovery) are theirs."
    if subject.sources:
        yield "The agent's own transcripts, which memvault only read, are where the agent keeps them."


def _in_git(git: Git, subject: Subject) -> Iterator[str]:
    try:
        known = [path for path in subject.notes if git.ask("log", "--all", "--format=%h", "-1", "--", path).text]
    except MemvaultError:
        return
    for path in known:
        yield f"Git's history holds {path}; `git filter-repo --invert-paths --path {path}` rewrites it."
    if known:
        yield "What was pushed is on the remote and in every clone until it is rewritten there, too."
