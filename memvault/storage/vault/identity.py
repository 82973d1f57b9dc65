"""Which memory a note is when the note itself does not say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from memvault.core.ids import derive_id
from memvault.storage.journal.jsonl import JsonRecord
from memvault.storage.journal.ledger import LedgerDecisions


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
