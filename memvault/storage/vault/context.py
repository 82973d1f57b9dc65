"""What every action works with: a vault, its index, the actor, and the moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import datetime, tzinfo
from pathlib import Path
from sys import getsizeof
from types import MappingProxyType
from typing import TYPE_CHECKING

from memvault.core.memory import Memory, Place
from memvault.core.query import Filters, Names, Ranking, names_of_person
from memvault.core.secrets.private_spans import strip_private
from memvault.core.settings import Settings
from memvault.core.value import Record, field, replace
from memvault.core.weight import NO_USAGE, MemoryUse, UsageHistory, current_use, effective_weight
from memvault.errors import Ambiguous, MemvaultError, NotFound
from memvault.storage.index.index import Index, IndexDiff
from memvault.storage.index.query import IndexHit
from memvault.storage.index.refresh import WorkReport, refresh, refresh_part
from memvault.storage.vault.listing import VaultPart
from memvault.storage.vault.vault import Vault, VaultNote

if TYPE_CHECKING:
    from memvault.core.secrets.screens import TriviaScreen
    from memvault.models.llm.ask import AskModel
    from memvault.models.llm.model import ModelAccess
    from memvault.storage.frontmatter import ParsedNote
    from memvault.storage.index.semantic import SemanticIndex


_AROUND = 600  # bytes of overhead of each cached text

NO_SCREENS: Mapping[str, TriviaScreen] = MappingProxyType({})
_NO_RANKINGS: Mapping[str, Ranking] = MappingProxyType({})
_NO_VARIABLES: Mapping[str, str] = MappingProxyType({})


class Actor(Record):
    """Who is at work: a person's shell, or an agent in a session."""

    agent: str = ""
    session: str = ""
    is_nameless: bool = False  # their session was purged, and nothing may name it again

    @property
    def source(self) -> str:
        """Return how far what they write is trusted."""
        return "agent" if self.agent else "user"


class VaultContext(Record):
    """What one call of one action works with."""

    vault: Vault
    index: Index
    now: datetime
    zone: tzinfo
    actor: Actor = Actor()
    state: Path | None = None  # this machine's state folder, if there is one
    screens: Mapping[str, TriviaScreen] = field(default_factory=lambda: NO_SCREENS)  # added by extensions
    open_transcripts: Callable[[], object] | None = None  # gives the TranscriptIndex, which most actions never need
    open_semantic: Callable[[], SemanticIndex | None] | None = None  # None where no model is configured
    is_current: Callable[[Path], bool] | None = None  # whether a watcher vouches for the index in a folder
    folder: Path | None = None  # the working folder, if there is one
    is_fresh: bool = False  # the index was refreshed for this call
    environment: Mapping[str, str] = field(default_factory=lambda: _NO_VARIABLES)
    open_model: Callable[[], ModelAccess] | None = None  # the language model that the person configured
    list_reviewers: Callable[[], Mapping[str, str]] | None = None  # what each reviewer is told
    discard_indexes: Callable[[Iterable[Path]], VaultContext] | None = None  # gives a context with new indexes
    rankings: Mapping[str, Ranking] = field(default_factory=lambda: _NO_RANKINGS)  # added by extensions
    report_work: WorkReport | None = None  # told how far long work is

    def ask_model(self, use: str = "") -> AskModel | None:
        """Return the way to ask the person's model, or None where they want none, or not for that use."""
        # Looked up in the settings alone, so that whoever has no model never loads what asks one.
        is_wanted = self.settings.text("model.provider") != "none" and (not use or self.settings.text(use) == "model")
        return self.open_model().ask if is_wanted and self.open_model is not None else None

    def reviewers(self) -> Mapping[str, str]:
        """Return the instructions of each reviewer by name."""
        return {} if self.list_reviewers is None else self.list_reviewers()

    @property
    def project(self) -> str:
        """Return the current project: a repository, or any folder in an agent's session; never the vault itself."""
        if self.folder is None:
            return ""
        from memvault.system.paths import repository_top  # deferred, as below: reading does not need it
        from memvault.system.project import project_of

        top = repository_top(self.folder) or (self.folder if self.actor.agent or self.actor.session else None)
        if top is None or _lies_in(self.vault.root, top) or _lies_in(self.folder, self.vault.root):
            return ""
        return project_of(self.folder)

    @property
    def here(self) -> datetime:
        """Return the moment in the person's own time."""
        return self.now.astimezone(self.zone)

    @property
    def settings(self) -> Settings:
        """Return the vault's settings."""
        return self.vault.settings

    def report_stage(self, stage: str, done: int = 0, whole: int = 0) -> None:
        """Say what long work is at, and how far, to whoever wants to know."""
        if self.report_work is not None:
            self.report_work(stage, done, whole)

    def refresh(self) -> IndexDiff:
        """Update the index from the files, none of which is looked at where a watcher vouches for the index."""
        if self.is_fresh:
            return IndexDiff()
        if self.is_current is not None and self.is_current(self.index.folder):
            from memvault.storage.vault.listing import VaultPart  # deferred

            return self.refresh_part(VaultPart())
        return refresh(self.vault, self.index, now=self.now, zone=self.zone, report_work=self.report_work)

    def refresh_part(self, part: VaultPart) -> IndexDiff:
        """Update the index where nothing outside one part of the vault can differ."""
        return refresh_part(self.vault, self.index, part, now=self.now, zone=self.zone)

    def find_memory(self, ref: str) -> Memory:
        """Return the one memory that an id, a file name, a path or a title means."""
        self.refresh()
        if ref.endswith(".md") and ("/" in ref or "\\" in ref):  # a path from outside means the note it leads to
            path = self.vault.relative_path(Path(ref))
            wanted = path if path and self.vault.exists(path) else ref
        else:
            wanted = ref
        found = self.index.find_memories(wanted)
        if not found:
            raise NotFound(ref=ref)
        if len(found) > 1:  # of a merged memory and its originals, the former is meant
            found = [memory for memory in found if "merged_into" not in memory.more] or found
        if len(found) > 1:
            names = ", ".join(f"{memory.id[:8]} {memory.path}" for memory in found[:5])
            raise Ambiguous(ref=ref, count=len(found), names=names)
        return found[0]

    def read_memory(self, memory: Memory) -> tuple[Memory, VaultNote]:
        """Return a memory with its text, and its note as it is now."""
        note = self.vault.read_note(memory.path)
        return self._as_memory(memory, note.block, modified=note.modified, version=note.version), note

    def decode_memory(self, memory: Memory, data: bytes) -> Memory:
        """Return the memory that its file would be with these bytes."""
        from memvault.storage.frontmatter import parse  # deferred: a recall does not need it

        return self._as_memory(memory, parse(data), modified=self.now, version="")

    def _as_memory(self, memory: Memory, block: ParsedNote, *, modified: datetime, version: str) -> Memory:
        from memvault.storage.vault import codec  # deferred: a recall reads texts only

        origin = codec.NoteOrigin(
            path=memory.path,
            place=self.vault.place_of(memory.path) or Place.FOREIGN,
            id=memory.id,
            first_seen=memory.last_accessed,
            modified=modified,
            zone=self.zone,
            kinds=self.settings.kinds,
        )
        return codec.read_memory(block, origin, version=version)

    def read_text(self, memory: Memory) -> str:
        """Return a memory's text as its file is now; empty where that is gone or unreadable."""
        try:
            return self.vault.read_note(memory.path).block.text
        except MemvaultError:
            return ""

    def hit_text(self, found: IndexHit) -> str:
        """Return a hit's text as its file is now, without its private parts."""
        text = self.known_hit_text(found)
        return strip_private(self.read_text(found.memory)) if text is None else text

    def known_hit_text(self, found: IndexHit) -> str | None:
        """Return a hit's text without its private parts; None where the file changed since it was indexed."""
        path, key = found.memory.path, found.key
        if key is None or found.body_offset < 0:
            return None
        text: str | None = self.index.texts.get((path, key))
        if text is not None:
            return text if self.vault.is_unchanged(path, key) else None
        with suppress(MemvaultError):
            read = self.vault.read_unchanged_text(path, key, found.body_offset)
            if read is not None:
                text = strip_private(read)
                self.index.texts.put((path, key), text, size=getsizeof(text) + _AROUND)
        return text

    def memory_uses(
        self, memories: list[Memory], *, pasts: Mapping[str, UsageHistory] | None = None
    ) -> Mapping[str, MemoryUse]:
        """Return how often and when each was used, from files and journals; known histories may be passed in."""
        pasts = self.index.usage_histories([memory.id for memory in memories]) if pasts is None else pasts
        decay = self.settings.decay
        return {
            memory.id: current_use(memory, pasts.get(memory.id, NO_USAGE), self.now, decay=decay) for memory in memories
        }

    def hit_use(self, found: IndexHit) -> tuple[MemoryUse, float]:
        """Return the use and the weight of a hit, whose history is usually known already."""
        memory, past, decay = found.memory, found.past, self.settings.decay
        if past is None:
            past = self.index.usage_histories([memory.id]).get(memory.id, NO_USAGE)
        use = current_use(memory, past, self.now, decay=decay)
        return use, round(effective_weight(memory, use, self.now, decay=decay), 6)

    def memory_weight(self, memory: Memory, use: MemoryUse) -> float:
        """Return the exact weight of a memory at this moment."""
        return round(effective_weight(memory, use, self.now, decay=self.settings.decay), 6)

    def record_uses(self, memories: list[Memory], *, why: str) -> None:
        """Journal that memories were used, and mark an agent's session that was given a stranger's words."""
        session = {"session": self.actor.session} if self.actor.session else {}
        agent = {"agent": self.actor.agent} if self.actor.agent else {}
        entries = [{"e": "touch", "id": memory.id, "why": why, **session, **agent} for memory in memories]
        self.vault.try_journal(entries, self.now)
        self.mark_after_reading(memories)

    # -- whose words an agent has read

    def is_session_tainted(self) -> bool:
        """Return whether an agent writes this in a session that read the web: the words may be a stranger's."""
        if self.state is None or not self.actor.agent or self.actor.is_nameless:
            return bool(self.actor.agent) and self.actor.is_nameless
        from memvault.storage.web_taint import is_tainted

        session = self._own_session()
        return is_tainted(self.state, session=session, project="" if session else self._own_project(), now=self.now)

    def mark_after_reading(self, memories: Iterable[Memory] = (), *, talks: Iterable[str] = ()) -> None:
        """Mark an agent's session that is given a stranger's words by us, as if it had read them on the web.

        They stand in memories that are not trusted, and in conversations in which the web was read.
        """
        if self.state is None or not self.actor.agent or self.actor.is_nameless:
            return
        from memvault.storage.web_taint import is_tainted, mark_tainted  # deferred: a person's shell needs none of it

        taints = (is_tainted(self.state, session=talk, project="", now=self.now) for talk in talks if talk)
        if any(memory.is_strangers for memory in memories) or any(taints):
            mark_tainted(self.state, session=self._own_session(), project=self._own_project(), now=self.now)

    def _own_session(self) -> str:
        """Return the session that an agent is in, empty where only a program made it up."""
        from memvault.core.ids import INVENTED_SESSION

        return "" if self.actor.session.startswith(INVENTED_SESSION) else self.actor.session

    def _own_project(self) -> str:
        from memvault.system.project import project_of

        return project_of(self.folder or Path.cwd())


def _lies_in(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


# People by all their names.


def expand_people(context: VaultContext, filters: Filters) -> Filters:
    """Return the filters with each person under all their names."""
    aliases = context.settings.texts("people.aliases") if filters.people else ()
    if not aliases:
        return filters
    return replace(filters, namesakes=tuple(frozenset(names_of_person(name, aliases)) for name in filters.people))


def names_of(context: VaultContext, name: str) -> Names:
    """Return all names of a person, folded, the given one first."""
    return names_of_person(name, context.settings.texts("people.aliases"))
