"""Verify a purge: search every byte that memvault keeps, packed or not."""

from __future__ import annotations

import gzip
import os
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from unicodedata import normalize

from memvault.core.secrets.erase import known_parts
from memvault.errors import MemvaultError
from memvault.privacy.purge import kept_copies as blocks
from memvault.privacy.purge.kept_copies import SentenceBeginnings
from memvault.privacy.purge.subject import PurgeSubject
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import STATE
from memvault.system import files
from memvault.system.git import Git
from memvault.text.file_names import slugify

# Where memvault cannot remove purged text, and how a person can.


def list_beyond_reach(git: Git | None, subject: PurgeSubject) -> Iterator[str]:
    """Yield what memvault cannot reach, and what a person can do about it."""
    if git is not None:
        yield from _find_in_git(git, subject)
    yield "Backups, snapshots, and copies on other machines or in other programs (Obsidian's file recovery) remain."
    if subject.talk:
        yield "The agent still has its own transcript, which memvault only read: delete it there."
    elif subject.sources:
        yield "The agent still has its own transcripts, which memvault only read."
        yield "The rest of the conversation it came from is kept, and is still found by recall and dig."


def _find_in_git(git: Git, subject: PurgeSubject) -> Iterator[str]:
    """Yield what git still holds, asking it for every path that the notes ever had."""
    names = sorted(subject.history.names)
    try:
        logged = git.try_run(
            "--literal-pathspecs", "log", "--all", "--format=", "--name-only", "-z", "--", *names
        ).names()
        staged = (
            git.try_run("--literal-pathspecs", "ls-files", "-z", "--full-name", "--", *names).names() if names else ()
        )
        record = [
            git.try_run("log", "--all", "--no-textconv", "--format=%h", "-1", f"-S{id_}", "--", STATE).text
            for id_ in subject.ids
        ]
    except MemvaultError:
        yield "Git's history could not be checked."
        return
    known = sorted({name.strip() for name in logged} - {""}) if names else []
    for path in known:
        yield f"Git's history holds {path}; `git filter-repo --invert-paths --path '{path}'` rewrites it."
    for path in sorted(set(staged) - set(known)):
        yield f"Git's index holds {path}, which was staged; `git rm --cached '{path}'` takes it out."
    if any(record):
        yield f"Git's history of {STATE} has its dates, file names and title; `git filter-repo` as above."
    if known or any(record):
        yield "Pushed history stays on the remote and in every clone until it is rewritten there too."


_OF_GIT = ".git"
_SEALED = ".age"
_LONGEST = 400_000_000  # of one file: a longer one is reported as not searched
_SHORT = 11  # letters: shorter texts occur in too many others
_ZIP = b"PK\x03\x04"
_TAG = re.compile(r"<[^<>]{1,200}>")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """Where the subject is still found, what could not be read, and what is beyond memvault's reach."""

    looked_at: int  # files
    found: tuple[str, ...]
    unread: tuple[str, ...]
    sealed: tuple[str, ...]  # files that only a key opens
    beyond: tuple[str, ...]


def verify_purged(
    context: VaultContext, subject: PurgeSubject, *, places: Iterable[Path], git: Git | None, left: Iterable[str] = ()
) -> VerifyResult:
    """Search the vault, this machine's state, and every file with a block."""
    look = _FileScan(subject, talks=context.vault.root / context.vault.layout.transcripts)
    allowed = {context.vault.root / path for path in left}
    for path in dict.fromkeys(
        (*_walk_files((context.vault.root, *places)), *filter(Path.is_file, blocks.block_files(context)))
    ):
        look.scan_file(path, is_allowed=path in allowed)
    record = (tuple(look.found), tuple(look.unread), tuple(look.sealed))
    return VerifyResult(look.count, *record, tuple(list_beyond_reach(git, subject)))


def find_in_files(context: VaultContext, subject: PurgeSubject, paths: Iterable[Path]) -> tuple[Path, ...]:
    """Return the files among some that hold the subject, or that nobody can look into."""
    look = _FileScan(subject, talks=context.vault.root / context.vault.layout.transcripts)
    for path in paths:
        look.scan_file(path, is_allowed=False)
    return tuple(map(Path, (*look.found, *look.unread)))


def _walk_files(places: Iterable[Path]) -> Iterator[Path]:
    for place in places:
        for folder, folders, names in os.walk(place):
            folders[:] = sorted(name for name in folders if name != _OF_GIT)
            yield from (path for name in sorted(names) if files.is_readable_file(path := Path(folder, name)))


class _FileScan:
    """The findings so far."""

    def __init__(self, subject: PurgeSubject, *, talks: Path) -> None:
        self._subject = subject
        self._talks = talks
        self._long_turns = [_normalize(text) for text in subject.long_turns]
        said = dict.fromkeys(part for text in subject.texts for part in known_parts(text))
        self._parts = [plain for part in said if len(plain := _normalize(part)) > _SHORT]
        self._telling = {max(re.findall(r"\w+", _normalize(part)), key=len, default="") for part in said} - {""}
        self._cut = SentenceBeginnings.from_texts(said)
        self._names = [name for part in said if len(name := slugify(part)) > _SHORT]
        self.count = 0
        self.found: list[str] = []
        self.unread: list[str] = []
        self.sealed: list[str] = []

    def scan_file(self, path: Path, *, is_allowed: bool) -> None:
        """Search one file, its name included."""
        self.count += 1
        if path.name.endswith(_SEALED):
            self.sealed.append(str(path))
            return
        try:
            # Text said in another conversation is that one's.
            spoken = [] if self._talks in path.parents else self._long_turns
            is_there = self._is_named(path.name) or any(self._holds_subject(text, spoken) for text in _file_texts(path))
        except (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError, NotImplementedError):
            self.unread.append(str(path))
            return
        if is_there and not is_allowed:
            self.found.append(str(path))

    def _is_named(self, name: str) -> bool:
        return any(one in name for one in (*self._names, *self._subject.ids)) or self._cut.is_named_in(name)

    def _holds_subject(self, text: str, spoken: list[str]) -> bool:
        """Return whether a text contains the subject, whatever the markup and spacing."""
        text = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text).replace("\\n", "\n").replace('\\"', '"')
        low = _normalize(text)
        known = (*map(str.casefold, self._subject.ids), *self._parts, *spoken)
        if any(part in low for part in known) or self._cut.is_cut_in(text) or self._cut.is_named_in(low):
            return True
        if not any(word in low for word in self._telling):
            return False
        return self._subject.is_in_text(text) or ("<" in text and self._subject.is_in_text(_TAG.sub(" ", text)))


def _normalize(text: str) -> str:
    return " ".join(normalize("NFKC", text).split()).casefold()


def _file_texts(path: Path) -> Iterator[str]:
    if path.stat().st_size > _LONGEST:
        raise OSError
    data = gzip.decompress(path.read_bytes()) if path.name.endswith(".gz") else path.read_bytes()
    yield data.decode("utf-8", "replace")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        yield data.decode("utf-16", "replace")
    if data.startswith(_ZIP):
        with zipfile.ZipFile(BytesIO(data)) as archive:
            if sum(member.file_size for member in archive.infolist()) > _LONGEST:
                raise OSError
            for member in archive.infolist():
                yield member.filename
                yield archive.read(member).decode("utf-8", "replace")
