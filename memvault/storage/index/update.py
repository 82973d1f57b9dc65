"""Reads the notes that differ from the index: who each is, what it holds, and whether a person edited it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, tzinfo

from memvault.core.ids import derive_id
from memvault.core.links import find_headings, find_inline_tags, find_wikilinks, strip_code, target_name
from memvault.core.memory import IndexEntry, Memory, Place, telling_text
from memvault.core.secrets.private_spans import strip_private, strip_private_values
from memvault.core.weight import NO_USAGE
from memvault.errors import MemvaultError
from memvault.storage.index.derived import TYPED_FIELDS
from memvault.storage.index.index import Index, IndexDiff, folder_of
from memvault.storage.journal.journal import JsonRecord
from memvault.storage.journal.ledger import LedgerDecisions
from memvault.storage.vault import codec
from memvault.storage.vault.listing import unsure_key
from memvault.storage.vault.vault import Vault, VaultNote, unfit_reason
from memvault.system import files
from memvault.system.files import StatKey
from memvault.text.dates.task_lines import find_tasks, may_hold_tasks
from memvault.text.markdown import split_passages

KILO = 1024


class NoteReader:
    """Reads one batch of differing notes for the index."""

    def __init__(
        self, vault: Vault, index: Index, diff: IndexDiff, *, now: datetime, zone: tzinfo, is_heard: bool = False
    ) -> None:
        """Prepare to read what differs; with `is_heard`, the next save of the same note will be reported, too."""
        self._vault = vault
        self._index = index
        self._diff = diff
        self._now = now
        self._zone = zone
        self._is_heard = is_heard
        self._limit = vault.settings.integer("index.max_kilobytes") * KILO
        decisions = vault.ledger.decisions()
        self._identities = NoteIdentities(
            decisions,
            vault_id=vault.vault_file.id,
            exists=vault.exists,
            moved_from={after: before for before, after in diff.moved.items()},
        )
        self._decisions = decisions
        self._journal_entries: list[dict[str, object]] = []
        self._ledger_entries: list[dict[str, object]] = []
        self._is_new = not index.count()
        self._checked_ids: set[str] = set()
        self.has_lost_notes = False  # whether any vanished between listing and reading

    def read_entries(self) -> Iterator[tuple[StatKey, IndexEntry]]:
        """Yield the differing notes, read one at a time; an unreadable one is still known by its name."""
        for path, key in self._diff.paths_to_read():
            entry = self._read_entry(path)
            if entry is not None:
                if not self._is_heard and files.may_change_unseen(key[1], key[2]):
                    # A further save could leave the same key: one that never matches has the note read again.
                    self._diff.recheck_folder(folder_of(path))
                    key = unsure_key(key)
                yield key, entry

    def _read_entry(self, path: str) -> IndexEntry | None:
        try:
            note = self._vault.read_note(path, limit=self._limit)
        except MemvaultError as error:
            if not self._vault.exists(path):
                self.has_lost_notes = True
                return None
            id_, problem = self.fallback_id(path), str(error)
            return index_entry(codec.name_only_memory(path, self._place_of(path), id_, self._now, problem))
        memory = self._read_memory(note)
        if reason := unfit_reason(note.raw):
            return index_entry(memory.with_changes(body="", problem=reason))
        self._detect_edits(memory)
        if memory.place is Place.FOREIGN and memory.id in self._decisions.archived_ids:
            memory = memory.with_changes(status="archived")
        return index_entry(memory, opens=note.block.body_offset)

    def _read_memory(self, note: VaultNote) -> Memory:
        given = "" if codec.claims_id(note.block) else self._identities.identify(note.path, note.version)
        place, kinds = self._place_of(note.path), self._vault.settings.kinds
        origin = codec.NoteOrigin(note.path, place, given, self._now, note.modified, self._zone, kinds)
        memory = codec.read_memory(note.block, origin, version=note.version)
        if "last_accessed" in memory.stated:
            return memory
        return memory.with_changes(last_accessed=self._identities.first_seen(memory.id, self._now))

    def _place_of(self, path: str) -> Place:
        place = self._vault.place_of(path)
        assert place is not None, "only notes are listed"
        return place

    def fallback_id(self, path: str) -> str:
        """Return an id for a note whose own id belongs to another one."""
        return self._identities.identify(path, files.digest(path.encode()))

    def _detect_edits(self, memory: Memory) -> None:
        """Record what a person changed since the note was indexed: its text, its values, its tier."""
        known = None if self._is_new else self._index.memory_by_id(memory.id)
        if known is not None and known.path != memory.path and self._vault.exists(known.path):
            return  # two notes claim one id, and the other one has it
        if memory.id in self._checked_ids:
            return
        self._checked_ids.add(memory.id)
        if known is None:
            self._detect_edits_after_loss(memory)
            return
        before = self._index.text_digest(known.path)
        if memory.body is not None and before and before != (sha := body_digest(memory.body)):
            self._journal_entries.append({"e": "edit", "id": memory.id, "sha": sha})
        self._detect_typed_values(memory, [name for name in _EVENTS if getattr(memory, name) != getattr(known, name)])
        self._detect_move(memory, known)

    def _detect_edits_after_loss(self, memory: Memory) -> None:
        """Compare a memory that the index lost with what the ledgers say that programs wrote."""
        self._detect_typed_values(
            memory, [name for name in _EVENTS if (memory.id, name) in self._decisions.program_values]
        )
        last = self._decisions.moves.get(memory.id)
        if last is not None and last.by_keeper and last.target != memory.path and not self._vault.exists(last.target):
            self._ledger_entries.append({"e": "moved", "id": memory.id, "from": last.target, "to": memory.path})

    def _detect_typed_values(self, memory: Memory, names: list[str]) -> None:
        """Record values that a person typed, unless another machine recorded them already."""
        for name in names:
            value = getattr(memory, name)
            if name not in memory.stated or self._decisions.is_own_value(memory.id, name, value):
                continue
            has_program_value = (memory.id, name) in self._decisions.program_values
            typed = getattr(self._index.usage_histories([memory.id]).get(memory.id, NO_USAGE), name)
            if typed is not None and typed.value == value and not has_program_value:
                continue
            self._journal_entries.append({"e": _EVENTS[name], "id": memory.id, "value": value})
            if has_program_value:
                self._ledger_entries.append({"e": "wrote", "id": memory.id, "field": name, "value": None})

    def _detect_move(self, memory: Memory, known: Memory) -> None:
        """Record that a person moved a note to another tier, which promotes or archives it."""
        last = self._decisions.moves.get(memory.id)
        ours = last is not None and last.by_keeper and last.target == memory.path
        outside = Place.FOREIGN in (memory.place, known.place)  # a tier folder was renamed, or a note was adopted
        if memory.place is known.place or outside or ours or self._vault.exists(known.path):
            return
        self._ledger_entries.append({"e": "moved", "id": memory.id, "from": known.path, "to": memory.path})
        if known.place is Place.ARCHIVED and memory.status == "archived":
            self._journal_entries.append({"e": "status", "id": memory.id, "value": "active"})

    def write_decisions(self) -> None:
        """Write the decided ids and the detected changes, where the vault can be written."""
        self._vault.try_ledger([*self._identities.take_new(), *self._ledger_entries], self._now)
        self._vault.try_journal(self._journal_entries, self._now)


_EVENTS = {field: event for event, field in TYPED_FIELDS.items()}


def body_digest(body: str) -> str:
    """Return the hash by which an edit of a body is detected."""
    return files.digest(body.strip().encode())


def index_entry(memory: Memory, *, opens: int = -1) -> IndexEntry:
    """Return what is indexed of a memory; private spans never are."""
    body = strip_private(memory.body or "")
    kept = ("title", "aliases", "tags", "topics", "people", "triggers", "refs", "more")
    memory = memory.with_changes(**{name: strip_private_values(getattr(memory, name)) for name in kept})
    prose = strip_code(body)
    told = telling_text(memory, body)
    parts = split_passages(told)
    details = [
        target_name(link.removeprefix("[[").removesuffix("]]"))
        for name in ("deep_context", "memories")
        for link in memory.refs.get(name, ())
    ]
    frontmatter_links = [link for value in memory.more.values() if isinstance(value, tuple) for link in value]
    links = (*find_wikilinks(prose), *find_wikilinks(" ".join(map(str, frontmatter_links))))
    tagged = memory.with_changes(tags=tuple(dict.fromkeys((*memory.tags, *find_inline_tags(prose)))), body=None)
    return IndexEntry(
        memory=tagged,
        headings="\n".join(find_headings(prose)),
        passages=tuple(told[part.start : part.end] for part in parts),
        spans=tuple((part.start, part.end, part.heading) for part in parts),
        links=tuple(dict.fromkeys((*(target_name(link) for link in links), *details))),
        text=body_digest(memory.body or ""),
        opens=opens,
        tasks=_open_tasks(memory.body or "", body),
    )


def _open_tasks(whole: str, shown: str) -> tuple[tuple[int, str], ...]:
    """Return the open lines of the Tasks plug-in in a body, but for those in private spans."""
    if not may_hold_tasks(whole):
        return ()
    lines = frozenset(shown.splitlines())
    return tuple((number, line) for number, line in find_tasks(whole) if line in lines)


# Which memory a note is when the note itself does not say.


class NoteIdentities:
    """Gives each note without an id one that survives renames; its decisions go to the ledger."""

    def __init__(
        self, decisions: LedgerDecisions, *, vault_id: str, exists: Callable[[str], bool], moved_from: Mapping[str, str]
    ) -> None:
        self._decisions = decisions
        self._vault_id = vault_id
        self._exists = exists
        self._moved_from = moved_from
        self._new: list[JsonRecord] = []

    def identify(self, path: str, sha: str) -> str:
        """Return the id of a note that claims none: by its path, its former path or its text, else a new one."""
        decided = self._decisions
        known = decided.ids_by_path.get(path)
        if known is None:
            known = decided.ids_by_path.get(self._moved_from.get(path, "")) or self._find_by_text(sha)
        id_ = known or self._derive_id(path)
        if decided.ids_by_path.get(path) != id_ or decided.ids_by_text.get(sha) != id_:
            self._record_decision({"e": "id", "id": id_, "path": path, "sha": sha})
        return id_

    def _find_by_text(self, sha: str) -> str | None:
        """Find a renamed note by its text, provided the old name is gone."""
        id_ = self._decisions.ids_by_text.get(sha)
        if id_ is None:
            return None
        return None if self._exists(self._decisions.paths_by_id[id_]) else id_

    def _derive_id(self, path: str) -> str:
        """Derive an id from the path, so that two devices agree; a taken one is derived again."""
        name, turn = path, 2
        while (id_ := derive_id(self._vault_id, name)) in self._decisions.paths_by_id:
            name, turn = f"{path}#{turn}", turn + 1
        return id_

    def first_seen(self, id_: str, now: datetime) -> datetime:
        """Return when memvault first saw a memory, in place of a missing last access."""
        if id_ not in self._decisions.first_seen:
            self._record_decision({"e": "seen", "id": id_})
            self._decisions.first_seen[id_] = now
        return self._decisions.first_seen[id_]

    def _record_decision(self, entry: JsonRecord) -> None:
        self._new.append(entry)
        self._decisions.fold_entry(entry)

    def take_new(self) -> list[JsonRecord]:
        """Return the decisions since the last call, for the ledger."""
        new, self._new = self._new, []
        return new
