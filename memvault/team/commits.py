"""Read what commits changed in a vault's repository, as batches for an engine; no working copy is made.

What must stay on a person's machine is left out here once more, in whatever commit it stands: the rules are those of
`sync`, and text marked as private is stripped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from memvault.core.memory import Place
from memvault.core.settings import Settings
from memvault.errors import MemvaultError
from memvault.storage import frontmatter
from memvault.storage.index.update import NoteIdentities, index_entry
from memvault.storage.vault import codec
from memvault.storage.vault.config import load_vault_settings
from memvault.storage.vault.layout import CONFIG, IGNORE, STATE
from memvault.storage.vault.vault import Vault, unfit_reason
from memvault.sync.repository import is_private, stay_here
from memvault.system import files
from memvault.system.git import Git
from memvault.system.git_objects import TreeEntry, list_commit, read_blobs
from memvault.team.analyze import conversation_source, memory_source, speaker_terms
from memvault.team.engines import MEMORY, Batch, Engine, Source
from memvault.team.shared_vault import SETTINGS
from memvault.transcripts.archive.archive import ENDING, FACTS_ENDING
from memvault.transcripts.archive.read import Transcript

_READ_ANEW = (CONFIG, IGNORE, f"{STATE}/vault.json")  # what decides how everything else is read
_NEEDED = (f"{STATE}/ledger/", *_READ_ANEW)
_TOGETHER = 100  # files read at a time
_FEW = 8
_KILO = 1024
_EPOCH = datetime.fromtimestamp(0, UTC)
_HEAD = "refs/vault/head"


class Mirror:
    """A bare repository that holds the branch which a vault's address calls its head."""

    def __init__(self, folder: Path, url: str, environment: Mapping[str, str]) -> None:
        files.make_folder(folder)
        if not (folder / ".git" / "HEAD").exists():
            Git(folder, environment).run_text("init", "--bare", "--quiet", ".git")
        self.git = Git(folder, environment)
        for key, value in (("remote.origin.url", url), ("remote.origin.fetch", f"+HEAD:{_HEAD}")):
            if self.git.settings.get(key) != value:
                self.git.set_config(key, value)

    def fetch(self) -> str:
        """Fetch, and return the commit at the head; empty while nothing was pushed."""
        self.git.fetch("origin")
        return self.head()

    def head(self) -> str:
        """Return the commit at the head as it was fetched last."""
        ran = self.git.try_run("rev-parse", "--verify", "--quiet", _HEAD)
        return "" if ran.code else ran.text

    def changed_files(self, old: str, new: str) -> dict[str, TreeEntry | None] | None:
        """Return the files that differ, None for each that is gone; None where the old commit is not known."""
        if self.git.try_run("cat-file", "-e", f"{old}^{{commit}}").code:
            return None
        rows = self.git.run_checked("diff-tree", "-r", "-z", "--no-renames", "--full-index", old, new).names()
        found: dict[str, TreeEntry | None] = {}
        for about, path in zip(rows[::2], rows[1::2], strict=True):
            _, mode, _, blob, status = about.split()
            found[path] = None if status == "D" else TreeEntry(mode, blob)
        return found


class _NotePath(NamedTuple):
    path: str
    place: Place


class CommitReader:
    """Reads files of one commit as memories and conversations."""

    def __init__(self, mirror: Mirror, commit: str, scratch: Path) -> None:
        self._git, self._commit, self._scratch = mirror.git, commit, scratch
        self.tree = {path: entry for path, entry in list_commit(mirror.git, commit).items() if entry.is_plain}
        self._copy(path for path in self.tree if path.startswith(_NEEDED))
        given = load_vault_settings(scratch / CONFIG).given
        self.settings = json.dumps({name: value for name, value in given.items() if name.startswith(SETTINGS)})
        # Whatever conversations lie in the repository were sent there by somebody who wanted that.
        self._vault = Vault(scratch, Settings({**given, "sync.transcripts": True}), device="worker")
        self._limit = self._vault.settings.integer("index.max_kilobytes") * _KILO
        decisions = self._vault.ledger.decisions()
        self._identities = NoteIdentities(
            decisions, vault_id=self._vault.vault_file.id, exists=self.tree.__contains__, moved_from={}
        )
        self._decisions, self._looked_up = decisions, 0

    def read_batch(self, engine: Engine, number: int, mirror: Mirror, *, whole: bool = False) -> Batch:
        """Return what is to be written so that an engine has this commit."""
        since = engine.cursor(number).commit
        changed = mirror.changed_files(since, self._commit) if since and not whole else None
        is_whole = changed is None or any(path in _READ_ANEW for path in changed)
        if changed is None or is_whole:
            changed = dict(self.tree)
        speakers: dict[str, tuple[str, ...]] = {}
        memories = self._read_memories(engine, number, changed, is_whole=is_whole)
        reading = chain(memories, self._read_conversations(changed))

        def sources() -> Iterator[Source]:
            for source in reading:
                speakers.update(speaker_terms([source]))
                yield source

        gone = () if is_whole else self._find_gone(engine, number, changed)
        return Batch(since, self._commit, sources(), gone, speakers, is_whole, self.settings)

    # -- memories

    def _read_memories(
        self, engine: Engine, number: int, changed: Mapping[str, TreeEntry | None], *, is_whole: bool
    ) -> Iterator[Source]:
        paths = sorted(path for path, entry in changed.items() if entry is not None)
        notes = [_NotePath(path, place) for path in paths if (place := self._place_of(path)) is not None]
        claimed: dict[str, str] = {}
        for start in range(0, len(notes), _TOGETHER):
            part = notes[start : start + _TOGETHER]
            found = [(note, raw) for note, raw in self._read_files(part) if not self._stays(raw)]
            read = [(note, self._read_memory(note, raw), raw) for note, raw in found]
            if not is_whole:  # who has claimed an id before keeps it, while its file is there
                known = engine.cursor(number, [source.id for _, source, _ in read]).paths
                claimed |= {id_: path for kind, id_, path in known if kind == MEMORY and path in self.tree}
            for note, source, raw in read:
                if claimed.setdefault(source.id, source.path) == source.path:
                    yield source
                else:
                    yield self._read_memory(note, raw, is_other=True)

    def _read_memory(self, note: _NotePath, raw: bytes, *, is_other: bool = False) -> Source:
        block, version = frontmatter.parse(raw[: self._limit]), files.digest(raw)
        given = "" if codec.claims_id(block) else self._identities.identify(note.path, version)
        origin = codec.NoteOrigin(note.path, note.place, given, _EPOCH, _EPOCH, kinds=self._vault.settings.kinds)
        memory = codec.read_memory(block, origin, version=version)
        if not {"created", "last_accessed"} <= set(memory.stated):
            at = self._commit_time(note.path)
            origin = replace(origin, first_seen=self._decisions.first_seen.get(memory.id, at), modified=at)
            memory = codec.read_memory(block, origin, version=version)
        other = self._identities.identify(note.path, files.digest(note.path.encode())) if is_other else ""
        memory = memory.with_changes(id=other or memory.id)
        if reason := unfit_reason(raw):
            memory = memory.with_changes(body="", problem=reason)
        if memory.place is Place.FOREIGN and memory.id in self._decisions.archived_ids:
            memory = memory.with_changes(status="archived")
        return memory_source(index_entry(memory), memory.body or "", size=len(raw))

    def _place_of(self, path: str) -> Place | None:
        """Return the place of a memory that may leave its machine; None for everything else."""
        folders = path.split("/")[:-1]
        above = ("/".join(folders[: depth + 1]) + "/" for depth in range(len(folders)))
        if stay_here(self._vault, [path]) or not all(map(self._vault.layout.walks_into, above)):
            return None
        return self._vault.place_of(path)

    def _stays(self, raw: bytes) -> bool:
        return self._vault.settings.text("sync.private_text") == "hold" and is_private(raw, is_note=True)

    def _commit_time(self, path: str) -> datetime:
        """Return when a file was last committed; for a few files the whole history is not read."""
        self._looked_up += 1
        if self._looked_up > _FEW:
            return self._times.get(path, _EPOCH)
        told = self._git.run_text("log", "-1", "--format=%ct", self._commit, "--", path)
        return datetime.fromtimestamp(int(told), UTC) if told else _EPOCH

    @cached_property
    def _times(self) -> Mapping[str, datetime]:
        """When each file was last committed, for notes that do not say when they were made."""
        found: dict[str, datetime] = {}
        at = _EPOCH
        for row in self._git.run_checked("log", "--format=%x01%ct", "--name-only", "-z", self._commit).names():
            for line in row.splitlines():
                if line.startswith("\x01"):
                    at = datetime.fromtimestamp(int(line[1:]), UTC)
                elif line:
                    found.setdefault(line, at)
        return found

    # -- conversations

    def _read_conversations(self, changed: Mapping[str, TreeEntry | None]) -> Iterator[Source]:
        folder = self._vault.layout.transcripts
        touched = (path for path in changed if path.startswith(folder) and path.endswith(ENDING))
        paths = {path.removesuffix(FACTS_ENDING).removesuffix(ENDING) + ENDING for path in touched}
        for path in sorted(paths & self.tree.keys()):
            if stay_here(self._vault, [path]):
                continue
            side = path.removesuffix(ENDING) + FACTS_ENDING
            here = self._copy(name for name in (path, side) if name in self.tree)
            transcript = Transcript(self._scratch / path, self._scratch / side)
            try:
                head = transcript.read_head()
                yield conversation_source(
                    path, head, transcript.read_turns(), transcript.read_facts(), transcript.read_trajectories()
                )
            except MemvaultError:
                continue  # `doctor` reports what cannot be read; the others are indexed all the same
            finally:
                for copied in here:
                    copied.unlink(missing_ok=True)

    # -- files

    def _find_gone(
        self, engine: Engine, number: int, changed: Mapping[str, TreeEntry | None]
    ) -> tuple[tuple[int, str], ...]:
        """Return the sources whose file is gone, or no longer one that may be read."""
        gone = [path for path, entry in changed.items() if entry is None or not self._is_read(path)]
        return tuple((kind, id_) for kind, id_, path in engine.cursor(number, gone).paths if path in gone)

    def _is_read(self, path: str) -> bool:
        return self._place_of(path) is not None or path.startswith(self._vault.layout.transcripts)

    def _read_files(self, notes: Iterable[_NotePath]) -> Iterator[tuple[_NotePath, bytes]]:
        wanted = {note: self.tree[note.path].blob for note in notes}
        found = read_blobs(self._git, wanted.values())
        yield from ((note, found[blob]) for note, blob in wanted.items() if blob in found)

    def _copy(self, paths: Iterable[str]) -> list[Path]:
        """Copy some files of the commit to where the readers of files look."""
        wanted = {path: self.tree[path].blob for path in paths}
        found = read_blobs(self._git, wanted.values())
        copied = []
        for path, blob in wanted.items():
            if blob in found:
                copied.append(self._scratch / path)
                files.make_folder(copied[-1].parent)
                files.overwrite_file(copied[-1], found[blob])
        return copied
