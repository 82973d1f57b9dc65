"""What breaks off within a sentence of the forgotten: a title that was cut to a line, or the name of a file."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from memvault.context.claude_md import OWN, claude_md
from memvault.context.claude_md_text import FORMATS
from memvault.core.memory import Memory
from memvault.core.query import ANY
from memvault.core.secrets.erase import Erase, is_long, sentences, wording
from memvault.errors import MemvaultError
from memvault.memories.quarantine import waiting
from memvault.memories.remember import details_of, read_at
from memvault.privacy.purge import records
from memvault.privacy.purge.subject import Subject, about
from memvault.storage.census import seen
from memvault.storage.journal import tombstones
from memvault.storage.vault.context import Bench
from memvault.storage.vault.identity import Seen, Version
from memvault.system import files
from memvault.text.file_names import slug
from memvault.text.managed_block import BEGIN

CUT = "…"
_KEY = 4  # words: a sentence of which no more is left is everybody's
_LOOKED_AT = 200  # characters before a cut, which no title is longer than
_SHORTEST = 30  # letters: no name is cut to fewer
_SHOWN = 9  # letters: as many as five words have at the least
_NAME = re.compile(rf"[\w-]{{{_SHORTEST},}}")
_DRESSED = re.compile(r"(?:\d{4}-\d\d-\d\d-)?((.*?)(?:-[0-9a-f]{8})?(?:-\d{1,4})?)")

_Index = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Beginnings:
    """Longer sentences, known by how they begin."""

    texts: _Index  # by their first words
    names: _Index  # the same as the names of files spell them
    shown: tuple[str, ...]  # how a name begins that tells one

    @classmethod
    def of(cls, texts: Iterable[str]) -> Beginnings:
        """The beginnings of each sentence of some texts."""
        said = [part for part in dict.fromkeys(part for text in texts for part in sentences(text)) if is_long(part)]
        slugs = [slug(part) for part in said]
        return cls(_indexed(said), _indexed(slugs), tuple({name[:_SHOWN] for name in slugs}))

    def are_broken_off_in(self, text: str) -> bool:
        """Whether a text breaks off within one anywhere."""
        places = (found.start() for found in re.finditer(CUT, text))
        return any(_is_end(text[max(0, at - _LOOKED_AT) : at], self.texts) for at in places)

    def are_named_in(self, text: str) -> bool:
        """Whether a text holds the name of a file that tells one and was cut, as all long names are."""
        if not any(name in text for name in self.shown):
            return False
        return any(_is_end(name, self.names) for found in _NAME.finditer(text) for name in _bare(found[0]))


def _indexed(texts: Iterable[str]) -> _Index:
    found: dict[str, tuple[str, ...]] = {}
    for words in map(_words, texts):
        key = " ".join(words[:_KEY])
        found[key] = (*found.get(key, ()), " ".join(words))
    return found


def _is_end(text: str, index: _Index) -> bool:
    """Whether a text ends with the beginning of one, the last word cut or not."""
    words = _words(text)
    for start in range(len(words) - _KEY):
        tail = " ".join(words[start:])
        known = index.get(" ".join(words[start : start + _KEY]), ())
        if any(one.startswith(tail) for one in known) and len(tail) - tail.count(" ") >= _SHOWN:
            return True
    return False


def _words(text: str) -> list[str]:
    return wording(text.replace("-", " ").replace("_", " "))


def _bare(name: str) -> Iterator[str]:
    """What of a name is a title: without its date, as it stands, and without what tells it from others."""
    found = _DRESSED.fullmatch(name)
    return (title for title in found.groups() if len(title) >= _SHORTEST) if found else iter(())


# Blocks in CLAUDE.md and its kin that may still show what was forgotten for good.

_TELLING = len("<!-- memvault:begin")
_WRITERS = frozenset({"claude-md", "maintain"})


def renewed(bench: Bench, found: Subject) -> tuple[str, ...]:
    """Write every block anew that shows it; those that could not be written, and show it still, are given back."""
    return _each(bench, lambda data: found.is_in(data) or found.is_shown_in(data.decode("utf-8", "replace")))


def all_renewed(bench: Bench) -> tuple[str, ...]:
    """Write every block anew that is still there; those that could not be written are given back."""
    return _each(bench, lambda _data: True)


def _each(bench: Bench, is_meant: Callable[[bytes], bool]) -> tuple[str, ...]:
    failed = []
    for path in written(bench):
        try:
            if path.is_file() and has_mark(data := files.read(path)) and is_meant(data):
                claude_md(bench, target=path, format=_format_of(path))
        except (MemvaultError, OSError):
            failed.append(str(path))
    return tuple(failed)


def has_mark(data: bytes) -> bool:
    """Whether a file has a block of ours in it, sound or not."""
    return BEGIN[:_TELLING].encode() in data


def written(bench: Bench) -> tuple[Path, ...]:
    """The files into which memvault ever put a block, as far as the log tells."""
    return tuple(dict.fromkeys(_written(bench)))


def _format_of(path: Path) -> str:
    """How an agent that looks for a file of this name wants its block."""
    return next((name for name, format_ in FORMATS.items() if path.as_posix().endswith(format_.file)), "claude")


def _written(bench: Bench) -> Iterator[Path]:
    """The files into which memvault ever put a block, as far as the log tells."""
    yield bench.vault.root / OWN
    for operation in bench.vault.log.operations():
        if operation.verb in _WRITERS:
            for step in operation.steps:
                if step.do in ("create", "rewrite", "outside") and bench.vault.place(step.path) is None:
                    yield bench.vault.root / step.path


# Bytes kept for undo, and displaced files of late editors, that hold what was forgotten for good.

_OWN_ID = re.compile(r"^id:[ \t]*['\"]?([0-9a-f-]{36})", re.MULTILINE)
_LABEL = ".note"  # beside a displaced file: the path of its note


def forgotten(bench: Bench, found: Subject) -> int:
    """Let go of all that undo or a late save would bring back of it; copies of other notes stay. How many."""
    seen_before = seen(bench).forget(lambda version: _is_said_by(version, found))
    return seen_before + _dropped(bench, lambda path, data: _is_of(bench, path, data, found))


def obeyed(bench: Bench, eraser: Erase) -> int:
    """The same for all that was ever marked, wherever that was done; what lists memories may show one in few words."""
    is_purged = tombstones.is_purged(bench)

    def is_meant(_path: Path, data: bytes) -> bool:
        text = data.decode("utf-8", "replace")
        named = _OWN_ID.search(text)
        return has_mark(data) or (named is not None and is_purged(named[1])) or eraser(text) != text

    seen_before = seen(bench).forget(lambda version: is_purged(version.id) or is_meant(bench.vault.undo, version.data))
    return seen_before + _dropped(bench, is_meant)


def _dropped(bench: Bench, is_meant: Callable[[Path, bytes], bool]) -> int:
    gone = 0
    for path in _every(bench):
        try:
            is_gone = is_meant(path, files.read(path))
        except MemvaultError:
            continue  # gone by now, or unreadable for everybody
        if is_gone:
            files.remove(path)
            gone += 1
    return gone


def _every(bench: Bench) -> Iterator[Path]:
    found = files.below(bench.vault.root, bench.vault.undo)
    return (path for path in list(found) if not Seen.holds(path))


def _is_said_by(version: Version, found: Subject) -> bool:
    """Most say nothing of it, and are told by a word that they lack."""
    if version.id in found.ids:
        return True
    return found.may_be_in(version.data.decode("utf-8", "replace")) and found.is_in(version.data)


def _is_of(bench: Bench, path: Path, data: bytes, found: Subject) -> bool:
    if (path.parent.name, path.name) in found.past.kept or found.is_in(data):
        return True
    if path.name.endswith(_LABEL):
        note = os.path.normpath(path.parent / os.fsdecode(data))
        return note in {str(bench.vault.root / name) for name in found.names}
    return has_mark(data) and found.is_shown_in(data.decode("utf-8", "replace"))


# The notes that a purge removes: last of all, and by upkeep where it was killed before.


def names(bench: Bench, paths: Iterable[str]) -> tuple[str, ...]:
    """What some notes are known by, though they be changed or moved: their ids; and where they lie as they are."""
    return tuple(dict.fromkeys(name for path in paths for name in _names(bench, path)))


def remove(bench: Bench, paths: Iterable[str]) -> None:
    """Remove notes for good, and be sure of it."""
    for path in paths:
        files.remove(bench.vault.root / path)
        files.sync_folder((bench.vault.root / path).parent)


def finish(bench: Bench) -> None:
    """Remove what a purge that was killed left of the notes that it set out to remove."""
    is_to_go = tombstones.is_to_go(bench)
    if is_to_go is None:
        return
    bench.freshen()
    left = [path for path in dict.fromkeys(_paths(bench)) if any(map(is_to_go, _names(bench, path)))]
    # As long as they are there, it can be told what records say of them in words that no mark knows.
    found = about(bench, [memory for path in left if (memory := read_at(bench, path))])
    forgotten(bench, found)
    for record in (*records.records(bench), *records.logs(bench.state)):
        records.purged(record, found)
    remove(bench, left)
    tombstones.removed(bench)


def _paths(bench: Bench) -> Iterator[str]:
    for memory in (*bench.catalogue.memories(ANY), *waiting(bench)):
        yield memory.path
        yield from (detail.path for detail in _details(bench, memory))
    yield from bench.vault.trash()


def _details(bench: Bench, memory: Memory) -> list[Memory]:
    try:
        return list(details_of(bench, memory))
    except MemvaultError:
        return []  # whoever reads the memory tells


def _names(bench: Bench, path: str) -> tuple[str, ...]:
    try:
        memory = read_at(bench, path)
        seen = f"{path} {files.digest(files.read(bench.vault.root / path))}"
    except (MemvaultError, FileNotFoundError):
        return ()
    return (memory.id, seen) if memory and memory.id else (seen,)
