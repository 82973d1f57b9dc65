"""What every verb works with: a vault, its catalogue, who is at work, and the moment."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, tzinfo
from pathlib import Path
from sys import getsizeof
from types import MappingProxyType
from typing import TYPE_CHECKING

from memvault.core.memory import Memory, Place
from memvault.core.query import Filters
from memvault.core.secrets.private_spans import strip_private
from memvault.core.settings import Settings
from memvault.core.settings.people import Names, names_of_person
from memvault.core.value import Record, field, replace
from memvault.core.weight import NO_USAGE, MemoryUse, UsageHistory, current_use, effective_weight
from memvault.errors import Ambiguous, MemvaultError, NotFound
from memvault.storage.index.index import Index, IndexDiff
from memvault.storage.index.query import IndexHit
from memvault.storage.index.refresh import refresh, refresh_part
from memvault.storage.vault.vault import Vault, VaultNote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memvault.core.secrets.screens import TriviaScreen
    from memvault.models.llm.ask import AskModel
    from memvault.models.llm.model import ModelAccess
    from memvault.storage.frontmatter import ParsedNote
    from memvault.storage.index.semantic import SemanticIndex
    from memvault.storage.vault.codec import VaultPart
    from memvault.transcripts.index.index import TranscriptIndex


_AROUND = 600  # bytes that go with each text that is kept

NO_SCREENS: Mapping[str, TriviaScreen] = MappingProxyType({})
_NO_VARIABLES: Mapping[str, str] = MappingProxyType({})


class Actor(Record):
    """Who is at work: a person's shell, or an agent in a session."""

    agent: str = ""
    session: str = ""
    is_nameless: bool = False  # their session was forgotten for good, and nothing is to name it again

    @property
    def source(self) -> str:
        """How far what they write is trusted."""
        return "agent" if self.agent else "user"


class VaultContext(Record):
    """The tools laid out for one call of one verb."""

    vault: Vault
    index: Index
    now: datetime
    zone: tzinfo
    actor: Actor = Actor()
    state: Path | None = None  # where this machine keeps what it knows of its own runs; None for nowhere
    screens: Mapping[str, TriviaScreen] = field(
        default_factory=lambda: NO_SCREENS
    )  # those added to ours, for every text
    open_transcripts: Callable[[], TranscriptIndex] | None = (
        None  # the catalogue of conversations: most verbs never open it
    )
    open_semantic: Callable[[], SemanticIndex | None] | None = (
        None  # the model that finds by meaning, where one was chosen
    )
    is_current: Callable[[Path], bool] | None = (
        None  # whether a lookout has just taken all into the catalogue of a folder
    )
    folder: Path | None = None  # where this is done; None where that is nowhere in particular
    is_fresh: bool = False  # the catalogue was brought up to date for this call
    environment: Mapping[str, str] = field(default_factory=lambda: _NO_VARIABLES)
    open_model: Callable[[], ModelAccess] | None = None  # the language model that the person configured
    list_reviewers: Callable[[], Mapping[str, str]] | None = None  # what each reviewer is told
    discard_indexes: Callable[[Iterable[Path]], VaultContext] | None = None  # gives a context with new indexes

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
        """The project that is worked on: a repository, in an agent's session any folder; never the vault itself."""
        if self.folder is None:
            return ""
        from memvault.system import project as projects  # deferred: whoever only looks need not know

        top = projects.repository_top(self.folder) or (self.folder if self.actor.agent or self.actor.session else None)
        if top is None or _lies_in(self.vault.root, top) or _lies_in(self.folder, self.vault.root):
            return ""
        return projects.project_of(self.folder)

    def transcript_index(self) -> TranscriptIndex:
        """The catalogue of conversations, as it was left; `refreshed` brings it up to date."""
        assert self.open_transcripts is not None
        return self.open_transcripts()

    @property
    def settings(self) -> Settings:
        """The vault's settings."""
        return self.vault.settings

    def refresh(self) -> IndexDiff:
        """Bring the catalogue up to what the files say now; where a lookout vouches for it, no file is looked at."""
        if self.is_fresh:
            return IndexDiff()
        if self.is_current is not None and self.is_current(self.index.folder):
            from memvault.storage.vault.codec import (
                VaultPart,  # deferred: only a process that goes on running has a lookout
            )

            return self.refresh_part(VaultPart())
        return refresh(self.vault, self.index, now=self.now, zone=self.zone)

    def refresh_part(self, part: VaultPart) -> IndexDiff:
        """As `freshen`, where it is known that nothing outside that part differs."""
        return refresh_part(self.vault, self.index, part, now=self.now, zone=self.zone)

    def find_memory(self, ref: str) -> Memory:
        """The one memory that an id, a file name, a path or a title means."""
        self.refresh()
        found = self.index.find_memories(self._as_path(ref))
        if not found:
            raise NotFound(ref=ref)
        if len(found) > 1:  # of one that was merged and its originals, the one is meant
            found = [memory for memory in found if "merged_into" not in memory.more] or found
        if len(found) > 1:
            names = ", ".join(f"{memory.id[:8]} {memory.path}" for memory in found[:5])
            raise Ambiguous(ref=ref, count=len(found), names=names)
        return found[0]

    def _as_path(self, ref: str) -> str:
        """A path given from outside the vault means the note it leads to."""
        if not ref.endswith(".md") or ("/" not in ref and "\\" not in ref):
            return ref
        led_to = self.vault.relative_path(Path(ref))
        return led_to if led_to and self.vault.exists(led_to) else ref

    def read_memory(self, memory: Memory) -> tuple[Memory, VaultNote]:
        """A memory with its text, as its file stands now."""
        note = self.vault.read_note(memory.path)
        return self._as_memory(memory, note.block, modified=note.modified, version=note.version), note

    def decode_memory(self, memory: Memory, data: bytes) -> Memory:
        """The memory that its file would be with these bytes."""
        from memvault.storage.frontmatter import parse  # deferred: whoever only reads has no use for it

        return self._as_memory(memory, parse(data), modified=self.now, version="")

    def _as_memory(self, memory: Memory, block: ParsedNote, *, modified: datetime, version: str) -> Memory:
        from memvault.storage.vault import codec  # a recall asks for texts only, and starts the sooner without

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
        """A memory's text as its file stands now; empty where it is gone or unreadable since it was catalogued."""
        try:
            return self.vault.read_note(memory.path).block.text
        except MemvaultError:
            return ""

    def hit_text(self, found: IndexHit) -> str:
        """The text of what was found as its file stands now, without its private parts."""
        text = self.known_hit_text(found)
        return strip_private(self.read_text(found.memory)) if text is None else text

    def known_hit_text(self, found: IndexHit) -> str | None:
        """The same where the file is the one that was catalogued; None where it is another by now."""
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
        """How often and when each was used, files and journals taken together; the latter may be known already."""
        pasts = self.index.usage_histories([memory.id for memory in memories]) if pasts is None else pasts
        model = self.settings.text("decay.model")
        return {
            memory.id: current_use(memory, pasts.get(memory.id, NO_USAGE), self.now, model=model) for memory in memories
        }

    def hit_use(self, found: IndexHit) -> tuple[MemoryUse, float]:
        """The use of what was found, of which it is mostly known already, and what it weighs."""
        memory, past, model = found.memory, found.past, self.settings.text("decay.model")
        if past is None:
            past = self.index.usage_histories([memory.id]).get(memory.id, NO_USAGE)
        use = current_use(memory, past, self.now, model=model)
        return use, round(effective_weight(memory, use, self.now, model=model), 6)

    def memory_weight(self, memory: Memory, use: MemoryUse) -> float:
        """The exact weight of a memory at this moment."""
        return round(effective_weight(memory, use, self.now, model=self.settings.text("decay.model")), 6)

    def record_uses(self, memories: list[Memory], *, why: str) -> None:
        """Journal that memories were used; an unwritable vault is no reason to fail a reading."""
        session = {"session": self.actor.session} if self.actor.session else {}
        agent = {"agent": self.actor.agent} if self.actor.agent else {}
        entries = [{"e": "touch", "id": memory.id, "why": why, **session, **agent} for memory in memories]
        self.vault.try_journal(entries, self.now)


def _lies_in(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


# Who is meant by a name: the person, by whatever name they go.


def expand_people(context: VaultContext, filters: Filters) -> Filters:
    """The conditions, where a person who is asked for by one name is found by all of them."""
    aliases = context.settings.texts("people.aliases") if filters.people else ()
    if not aliases:
        return filters
    return replace(filters, namesakes=tuple(frozenset(names_of_person(name, aliases)) for name in filters.people))


def names_of(context: VaultContext, name: str) -> Names:
    """All names of whoever is called so, folded, the given one first."""
    return names_of_person(name, context.settings.texts("people.aliases"))
