"""Purge kept files: cut titles and names, blocks in CLAUDE.md, copies for undo, and the notes themselves."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memvault.context.claude_md import OWN_FILE, write_claude_md
from memvault.context.claude_md_text import BLOCK_FORMATS
from memvault.core.query import NO_FILTERS
from memvault.core.secrets.erase import Erase, is_long, known_parts, split_words
from memvault.errors import MemvaultError
from memvault.memories.remember import find_details
from memvault.privacy.purge import records
from memvault.privacy.purge.subject import PurgeSubject, subject_of
from memvault.storage.journal import tombstones
from memvault.storage.journal.merge_bases import SeenVersion, SeenVersions, open_seen_versions
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.quarantine import list_waiting, read_unindexed
from memvault.system import files
from memvault.text.file_names import slugify
from memvault.text.managed_block import BEGIN

CUT = "…"
_KEY = 4  # words: a shorter beginning may be anybody's
_LOOKED_AT = 200  # characters before a cut; no title is longer
_SHORTEST = 30  # letters: no name is cut to fewer
_SHOWN = 9  # letters: the least that five words have
_NAME = re.compile(rf"[\w-]{{{_SHORTEST},}}")
_DRESSED = re.compile(r"(?:\d{4}-\d\d-\d\d-)?((.*?)(?:-[0-9a-f]{8})?(?:-\d{1,4})?)")

_Index = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class SentenceBeginnings:
    """Long sentences, known by how they begin."""

    texts: _Index  # by their first words
    names: _Index  # by their first words as file names spell them
    name_starts: tuple[str, ...]  # how the names of such files begin

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> SentenceBeginnings:
        """Return the beginnings of each sentence of some texts."""
        said = [part for part in dict.fromkeys(part for text in texts for part in known_parts(text)) if is_long(part)]
        slugs = [slugify(part) for part in said]
        return cls(_index_beginnings(said), _index_beginnings(slugs), tuple({name[:_SHOWN] for name in slugs}))

    def is_cut_in(self, text: str) -> bool:
        """Return whether a text is cut off within such a sentence."""
        places = (found.start() for found in re.finditer(CUT, text))
        return any(_ends_with_beginning(text[max(0, at - _LOOKED_AT) : at], self.texts) for at in places)

    def is_named_in(self, text: str) -> bool:
        """Return whether a text holds a file name that was cut from such a sentence."""
        if not any(name in text for name in self.name_starts):
            return False
        dressed = filter(None, (_DRESSED.fullmatch(found[0]) for found in _NAME.finditer(text)))
        # The title without its date, whole, and without its suffix.
        titles = (title for found in dressed for title in found.groups() if len(title) >= _SHORTEST)
        return any(_ends_with_beginning(title, self.names) for title in titles)


def _index_beginnings(texts: Iterable[str]) -> _Index:
    index: dict[str, tuple[str, ...]] = {}
    for words in map(_split_words, texts):
        key = " ".join(words[:_KEY])
        index[key] = (*index.get(key, ()), " ".join(words))
    return index


def _ends_with_beginning(text: str, index: _Index) -> bool:
    """Return whether a text ends with the beginning of a sentence, its last word cut or not."""
    words = _split_words(text)
    for start in range(len(words) - _KEY):
        tail = " ".join(words[start:])
        known = index.get(" ".join(words[start : start + _KEY]), ())
        if any(one.startswith(tail) for one in known) and len(tail) - tail.count(" ") >= _SHOWN:
            return True
    return False


def _split_words(text: str) -> list[str]:
    return split_words(text.replace("-", " ").replace("_", " "))


# Blocks in CLAUDE.md and similar files that may still show purged text.

_TELLING = len("<!-- memvault:begin")
_WRITERS = frozenset({"claude-md", "maintain"})


def rewrite_blocks(context: VaultContext, subject: PurgeSubject | None = None) -> tuple[str, ...]:
    """Rewrite every block, or those that show the subject; return the files that could not be rewritten."""
    failed = []
    for path in block_files(context):
        name = path.as_posix()
        format_ = next((key for key, each in BLOCK_FORMATS.items() if name.endswith(each.file)), "claude")
        try:
            data = files.read_file(path) if path.is_file() else b""
            if _has_block(data) and (subject is None or subject.is_in_bytes(data) or _is_named_in(data, subject)):
                write_claude_md(context, target=path, format=format_)
        except (MemvaultError, OSError):
            failed.append(str(path))
    return tuple(failed)


def _has_block(data: bytes) -> bool:
    """Return whether a file has a block of ours, sound or not."""
    return BEGIN[:_TELLING].encode() in data


def _is_named_in(data: bytes, subject: PurgeSubject) -> bool:
    return subject.is_named_in(data.decode("utf-8", "replace"))


def block_files(context: VaultContext) -> tuple[Path, ...]:
    """Return the files into which memvault ever wrote a block, by the log."""
    steps = (step for done in context.vault.log.operations() if done.verb in _WRITERS for step in done.steps)
    paths = (step.path for step in steps if step.do in ("create", "rewrite", "outside"))
    outside = (path for path in paths if context.vault.place_of(path) is None)
    return tuple(dict.fromkeys(context.vault.root / path for path in (OWN_FILE, *outside)))


# Copies for undo and displaced files that hold purged text.

_OWN_ID = re.compile(r"^id:[ \t]*['\"]?([0-9a-f-]{36})", re.MULTILINE)
_LABEL = ".note"  # beside a displaced file: the path of its note


def drop_copies(context: VaultContext, subject: PurgeSubject) -> int:
    """Delete the copies for undo that hold the subject; copies of other notes stay. Return how many."""

    def holds(version: SeenVersion) -> bool:
        # Most lack a word of it.
        text = version.data.decode("utf-8", "replace")
        return version.id in subject.ids or (subject.may_be_in_text(text) and subject.is_in_bytes(version.data))

    names = {str(context.vault.root / name) for name in subject.names}

    def is_meant(path: Path, data: bytes) -> bool:
        if (path.parent.name, path.name) in subject.history.copies or subject.is_in_bytes(data):
            return True
        if path.name.endswith(_LABEL):
            return os.path.normpath(path.parent / os.fsdecode(data)) in names
        return _has_block(data) and _is_named_in(data, subject)

    return open_seen_versions(context).forget_versions(holds) + _drop_matching(context, is_meant)


def drop_marked_copies(context: VaultContext, eraser: Erase) -> int:
    """Delete the copies that hold any marked text, and all blocks, which may show it in few words; return how many."""
    is_purged = tombstones.purged_ids(context)

    def is_meant(_path: Path, data: bytes) -> bool:
        text = data.decode("utf-8", "replace")
        named = _OWN_ID.search(text)
        return _has_block(data) or (named is not None and is_purged(named[1])) or eraser(text) != text

    seen_before = open_seen_versions(context).forget_versions(
        lambda version: is_purged(version.id) or is_meant(context.vault.undo, version.data)
    )
    return seen_before + _drop_matching(context, is_meant)


def _drop_matching(context: VaultContext, is_meant: Callable[[Path, bytes], bool]) -> int:
    gone = 0
    for path in list(files.list_files(context.vault.root, context.vault.undo)):
        if SeenVersions.is_seen_file(path):
            continue
        try:
            is_gone = is_meant(path, files.read_file(path))
        except MemvaultError:
            continue  # gone meanwhile, or unreadable for everybody
        if is_gone:
            files.remove_file(path)
            gone += 1
    return gone


# The notes themselves: removed last, and by maintenance after a killed purge.


def remove_notes(context: VaultContext, paths: Iterable[str]) -> None:
    """Delete notes for good, durably."""
    for path in paths:
        files.remove_file(context.vault.root / path)
        files.sync_folder((context.vault.root / path).parent)


def finish_removal(context: VaultContext) -> None:
    """Delete the notes that a killed purge left."""
    is_to_go = tombstones.pending_purge(context)
    if is_to_go is None:
        return
    context.refresh()
    left = [path for path in dict.fromkeys(_note_paths(context)) if any(map(is_to_go, note_names(context, path)))]
    # While they exist, their texts show which record lines are about them.
    subject = subject_of(context, [memory for path in left if (memory := read_unindexed(context, path))])
    drop_copies(context, subject)
    records.purge_records(context, subject)
    for record in records.log_files(context.state):
        records.purge_lines(record, subject)
    remove_notes(context, left)
    tombstones.note_notes_removed(context)


def _note_paths(context: VaultContext) -> Iterator[str]:
    for memory in (*context.index.memories(NO_FILTERS), *list_waiting(context)):
        yield memory.path
        with suppress(MemvaultError):  # reported by whoever reads the memory
            yield from [detail.path for detail in find_details(context, memory)]
    yield from context.vault.trash_paths()


def note_names(context: VaultContext, path: str) -> tuple[str, ...]:
    """Return what identifies a note even if it changes or moves: its id, and its path with its digest."""
    try:
        memory = read_unindexed(context, path)
        seen = f"{path} {files.digest(files.read_file(context.vault.root / path))}"
    except (MemvaultError, FileNotFoundError):
        return ()
    return (memory.id, seen) if memory and memory.id else (seen,)
