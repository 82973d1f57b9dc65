"""What is done to private memories, which are sealed to a person's own key; `key` names a file with another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from memvault.api import lazy
from memvault.core.memory import FieldValue
from memvault.open_vault import OpenVault
from memvault.system import paths

if TYPE_CHECKING:
    from memvault.core.plan import ListEdit


Key = str | Path | None


class PrivateMethods(OpenVault):
    """The methods about memories that nobody else is to read."""

    unlocked: lazy.private_read.PrivateSearch | None = (
        None  # those that lie open, where this is a process that holds them so
    )

    def remember_privately(
        self, text: str, *, key: Key = None, dry_run: bool = False, **given: Unpack[lazy.draft.MemoryFields]
    ) -> lazy.private_write.PrivateResult:
        """Seal a new memory; takes what `remember` takes of a memory, and screens nothing."""
        return self.run(
            lazy.private_write.remember_private,
            self._keys(key),
            lazy.draft.MemoryDraft(text=text, **given),
            dry_run=dry_run,
        )

    def private_status(self) -> lazy.recipients.KeyStatus:
        """Return where the key is, to which keys is sealed, and how many memories there are and are closed."""
        return self.run(lazy.recipients.key_status, self._keys())

    def private_init(self, *, in_keyring: bool = False) -> lazy.recipients.KeyStatus:
        """Make this machine's key where it has none, and confirm the other keys that the vault names."""
        return self.run(lazy.recipients.begin_sealing, self._keys(), in_keyring=in_keyring)

    def private_memories(self, *, key: Key = None) -> lazy.private_read.OpenResult:
        """Return all private memories with their texts, the newest first."""
        return self.run(lazy.private_read.open_all, self._keys(key))

    def private_show(self, ref: str, *, key: Key = None) -> lazy.private_read.OpenedMemory:
        """Return one private memory, by the beginning of its file's name or its id, or by its title."""
        return self.run(lazy.private_read.open_one, self._keys(key), ref)

    def unseal(self, ref: str, *, key: Key = None) -> lazy.private_read.UnsealResult:
        """Return what was sealed of a conversation, with its secrets."""
        return self.run(lazy.private_read.unseal_originals, self._keys(key), ref)

    def private_search(
        self, query: str, *, key: Key = None, limit: int = 0
    ) -> tuple[Sequence[lazy.recall.RecallHit], lazy.private_read.OpenResult]:
        """Return the private memories that answer a question, best first, and all that could be opened."""
        opening = self.private_memories(key=key)
        return self._search(
            lazy.private_read.PrivateSearch(opening.memories), query, limit, "recall.min_similarity"
        ), opening

    def private_hits(self, query: str, *, limit: int = 0) -> Sequence[lazy.recall.RecallHit]:
        """Return the unlocked private memories that are relevant: only in the daemon, and to no agent."""
        if self.unlocked is None or self._actor.agent or not query.strip():
            return ()
        return self._search(self.unlocked, query, limit, "recall.weak_below")

    def _search(
        self, texts: lazy.private_read.PrivateSearch, query: str, limit: int, least: str
    ) -> Sequence[lazy.recall.RecallHit]:
        now = self._clock().astimezone(self._zone)
        return texts.search(query, now=now, settings=self.settings, limit=limit, least=self.settings.number(least))

    def private_edit(
        self,
        ref: str,
        *,
        key: Key = None,
        body: str | None = None,
        append: str | None = None,
        whole: bytes | None = None,
        base: bytes | None = None,
        fields: Mapping[str, FieldValue | None] | None = None,
        lists: Mapping[str, ListEdit] | None = None,
        dry_run: bool = False,
    ) -> lazy.private_write.PrivateResult:
        """Change a private memory's text or fields, and seal it anew; one that was replaced meanwhile is an error.

        What is appended, fields, and items that `lists` add and take away go onto whatever is there by then. A whole
        note with the `base` that it was made of is merged with what is there, and an error where both changed the same.
        """
        change = lazy.private_write.PrivateEdit(
            body=body, append=append, whole=whole, base=base, fields=fields or {}, lists=lists or {}
        )
        return self.run(lazy.private_write.edit_private, self._keys(key), ref, change, dry_run=dry_run)

    def private_set_aside(self, note: bytes, path: str, *, key: Key = None) -> str:
        """Seal a note that could not be written to its file as a memory of its own, and give its name."""
        return self.run(lazy.private_write.seal_as_new, self._keys(key), note, path)

    def private_forget(
        self, ref: str, *, key: Key = None, for_good: bool = False, dry_run: bool = False
    ) -> lazy.private_write.PrivateMoveResult:
        """Move a private memory to the trash, sealed as it is, or remove it for good."""
        return self.run(lazy.private_write.forget_private, self._keys(key), ref, for_good=for_good, dry_run=dry_run)

    def private_restore(
        self, ref: str, *, key: Key = None, dry_run: bool = False
    ) -> lazy.private_write.PrivateMoveResult:
        """Bring a private memory back from the trash."""
        return self.run(lazy.private_write.restore_private, self._keys(key), ref, dry_run=dry_run)

    def private_bring_in(self, path: str | Path, *, dry_run: bool = False) -> lazy.bundle.PrivateImportResult:
        """Take in the private memories of a bundle, sealed as they are; they open with the keys that they came from."""
        return self.run(lazy.bundle.import_sealed, Path(path).expanduser(), dry_run=dry_run)

    def private_rekey(self, *, key: Key = None, dry_run: bool = False) -> lazy.recipients.ResealResult:
        """Seal everything to a new key; the one before is kept for older copies."""
        return self.run(lazy.recipients.rekey_all, self._keys(key), dry_run=dry_run)

    def private_admit(self, recipient: str, *, key: Key = None, dry_run: bool = False) -> lazy.recipients.ResealResult:
        """Seal everything to another machine's key too."""
        return self.run(lazy.recipients.admit_recipient, self._keys(key), recipient, dry_run=dry_run)

    def private_dismiss(
        self, recipient: str, *, key: Key = None, dry_run: bool = False
    ) -> lazy.recipients.ResealResult:
        """Seal everything to a key no longer."""
        return self.run(lazy.recipients.dismiss_recipient, self._keys(key), recipient, dry_run=dry_run)

    def _keys(self, named: Key = None) -> lazy.age.PrivateKeys:
        return lazy.age.PrivateKeys(paths.config_folder(self.environment), Path(named).expanduser() if named else None)
