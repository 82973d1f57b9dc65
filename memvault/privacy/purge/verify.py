"""Proof that something is nowhere any more: every byte that memvault keeps is looked through, packed or not."""

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
from memvault.privacy.purge import files as blocks
from memvault.privacy.purge.files import SentenceBeginnings
from memvault.privacy.purge.subject import PurgeSubject
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import STATE
from memvault.system import files
from memvault.system.git import Git
from memvault.text.file_names import slugify

# Where memvault cannot reach what was forgotten for good, and how a person does.


def list_beyond_reach(git: Git | None, subject: PurgeSubject) -> Iterator[str]:
    """What memvault cannot reach, and how a person does."""
    if git is not None:
        yield from _find_in_git(git, subject)
    yield "Backups, snapshots and copies on other machines and in other programs (Obsidian's file recovery) are theirs."
    if subject.talk:
        yield "The agent's own transcript, which memvault only read, is where the agent keeps it: delete it there."
    elif subject.sources:
        yield "The agent's own transcripts, which memvault only read, are where the agent keeps them."
        yield "What else was said in the conversation it came from is still there, and is found by recall and dig."


def _find_in_git(git: Git, subject: PurgeSubject) -> Iterator[str]:
    """Every name that it ever had is asked for; git tells them from the top of the repository."""
    names = sorted(subject.history.names)
    try:
        logged = git.try_run(
            "--literal-pathspecs", "log", "--all", "--format=", "--name-only", "-z", "--", *names
        ).names()
        staged = (
            git.try_run("--literal-pathspecs", "ls-files", "-z", "--full-name", "--", *names).names() if names else ()
        )
        told = [
            git.try_run("log", "--all", "--no-textconv", "--format=%h", "-1", f"-S{id_}", "--", STATE).text
            for id_ in subject.ids
        ]
    except MemvaultError:
        yield "Git could not be asked what its history holds."
        return
    known = sorted({name.strip() for name in logged} - {""}) if names else []
    for path in known:
        yield f"Git's history holds {path}; `git filter-repo --invert-paths --path '{path}'` rewrites it."
    for path in sorted(set(staged) - set(known)):
        yield f"Git's index holds {path}, which was staged; `git rm --cached '{path}'` takes it out."
    if any(told):
        yield f"Git's history of {STATE} tells of it: when, its file names and its title; `git filter-repo` as above."
    if known or any(told):
        yield "What was pushed is on the remote and in every clone until it is rewritten there, too."


_OF_GIT = ".git"
_SEALED = ".age"
_LONGEST = 400_000_000  # of one file: what is longer is told of as not looked through
_SHORT = 11  # letters: what is shorter stands in too many texts by chance
_ZIP = b"PK\x03\x04"
_TAG = re.compile(r"<[^<>]{1,200}>")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """Where it is found all the same, what could not be looked into, and what is beyond memvault's reach."""

    looked_at: int  # files
    found: tuple[str, ...]
    unread: tuple[str, ...]
    sealed: tuple[str, ...]  # files that only their key opens
    beyond: tuple[str, ...]


def verify_purged(
    context: VaultContext, subject: PurgeSubject, *, places: Iterable[Path], git: Git | None, left: Iterable[str] = ()
) -> VerifyResult:
    """Look through the vault, through what this machine keeps of it elsewhere, and where a block was ever put."""
    look = _FileScan(subject, talks=context.vault.root / context.vault.layout.transcripts)
    allowed = {context.vault.root / path for path in left}
    for path in dict.fromkeys(
        (*_walk_files((context.vault.root, *places)), *filter(Path.is_file, blocks.block_files(context)))
    ):
        look.scan_file(path, is_allowed=path in allowed)
    told = (tuple(look.found), tuple(look.unread), tuple(look.sealed))
    return VerifyResult(look.count, *told, tuple(list_beyond_reach(git, subject)))


def _walk_files(places: Iterable[Path]) -> Iterator[Path]:
    for place in places:
        for folder, folders, names in os.walk(place):
            folders[:] = sorted(name for name in folders if name != _OF_GIT)
            yield from (path for name in sorted(names) if files.is_readable_file(path := Path(folder, name)))


class _FileScan:
    """What was found so far."""

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
        """Look through one file, its name included."""
        self.count += 1
        if path.name.endswith(_SEALED):
            self.sealed.append(str(path))
            return
        try:
            # What was said in another conversation, too, is that one's.
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
        """Whether it stands in a text, whatever stands around and between its words, and however they are dressed."""
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
        yield from _zip_texts(data)


def _zip_texts(data: bytes) -> Iterator[str]:
    """What is in a zip, which many a document is, too."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        if sum(member.file_size for member in archive.infolist()) > _LONGEST:
            raise OSError
        for member in archive.infolist():
            yield member.filename
            yield archive.read(member).decode("utf-8", "replace")
