"""What is done to private memories, which are sealed to a person's own key; `key` names a file with another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from memvault.open_vault import OpenVault
from memvault.system import paths

if TYPE_CHECKING:
    from memvault.core.memory import FieldValue
    from memvault.core.plan import ListEdit
    from memvault.memories.draft import MemoryFields
    from memvault.privacy.private.read import OpenedMemory, OpenResult, PrivateSearch, UnsealResult
    from memvault.privacy.private.recipients import KeyStatus, ResealResult
    from memvault.privacy.private.write import PrivateMoveResult, PrivateResult
    from memvault.recall.recall import RecallHit
    from memvault.system.age import PrivateKeys
    from memvault.transfer.importers.bundle import PrivateImportResult


Key = str | Path | None


class PrivateMethods(OpenVault):
    """The methods about memories that nobody else is to read."""

    unlocked: PrivateSearch | None = None  # those that lie open, where this is a process that holds them so

    def remember_privately(
        self, text: str, *, key: Key = None, dry_run: bool = False, **given: Unpack[MemoryFields]
    ) -> PrivateResult:
        """Seal a new memory; takes what `remember` takes of a memory, and screens nothing."""
        from memvault.memories.draft import MemoryDraft
        from memvault.privacy.private.write import remember_private

        return self.run(remember_private, self._keys(key), MemoryDraft(text=text, **given), dry_run=dry_run)

    def private_status(self) -> KeyStatus:
        """Return where the key is, to which keys is sealed, and how many memories there are and are closed."""
        from memvault.privacy.private.recipients import key_status

        return self.run(key_status, self._keys())

    def private_init(self, *, in_keyring: bool = False) -> KeyStatus:
        """Make this machine's key where it has none, and confirm the other keys that the vault names."""
        from memvault.privacy.private.recipients import begin_sealing

        return self.run(begin_sealing, self._keys(), in_keyring=in_keyring)

    def private_memories(self, *, key: Key = None) -> OpenResult:
        """Return all private memories with their texts, the newest first."""
        from memvault.privacy.private.read import open_all

        return self.run(open_all, self._keys(key))

    def private_show(self, ref: str, *, key: Key = None) -> OpenedMemory:
        """Return one private memory, by the beginning of its file's name or its id, or by its title."""
        from memvault.privacy.private.read import open_one

        return self.run(open_one, self._keys(key), ref)

    def unseal(self, ref: str, *, key: Key = None) -> UnsealResult:
        """Return what was sealed of a conversation, with its secrets."""
        from memvault.privacy.private.read import unseal_originals

        return self.run(unseal_originals, self._keys(key), ref)

    def private_search(self, query: str, *, key: Key = None, limit: int = 0) -> tuple[Sequence[RecallHit], OpenResult]:
        """Return the private memories that answer a question, best first, and all that could be opened."""
        from memvault.privacy.private.read import PrivateSearch

        opening = self.private_memories(key=key)
        return self._search(PrivateSearch(opening.memories), query, limit, "recall.min_similarity"), opening

    def private_hits(self, query: str, *, limit: int = 0) -> Sequence[RecallHit]:
        """Return the unlocked private memories that are relevant: only in the daemon, and to no agent."""
        if self.unlocked is None or self._actor.agent or not query.strip():
            return ()
        return self._search(self.unlocked, query, limit, "recall.weak_below")

    def _search(self, texts: PrivateSearch, query: str, limit: int, least: str) -> Sequence[RecallHit]:
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
    ) -> PrivateResult:
        """Change a private memory's text or fields, and seal it anew; one that was replaced meanwhile is an error.

        What is appended, fields, and items that `lists` add and take away go onto whatever is there by then. A whole
        note with the `base` that it was made of is merged with what is there, and an error where both changed the same.
        """
        from memvault.privacy.private.write import PrivateEdit, edit_private

        change = PrivateEdit(body=body, append=append, whole=whole, base=base, fields=fields or {}, lists=lists or {})
        return self.run(edit_private, self._keys(key), ref, change, dry_run=dry_run)

    def private_set_aside(self, note: bytes, path: str, *, key: Key = None) -> str:
        """Seal a note that could not be written to its file as a memory of its own, and give its name."""
        from memvault.privacy.private.write import seal_as_new

        return self.run(seal_as_new, self._keys(key), note, path)

    def private_forget(
        self, ref: str, *, key: Key = None, for_good: bool = False, dry_run: bool = False
    ) -> PrivateMoveResult:
        """Move a private memory to the trash, sealed as it is, or remove it for good."""
        from memvault.privacy.private.write import forget_private

        return self.run(forget_private, self._keys(key), ref, for_good=for_good, dry_run=dry_run)

    def private_restore(self, ref: str, *, key: Key = None, dry_run: bool = False) -> PrivateMoveResult:
        """Bring a private memory back from the trash."""
        from memvault.privacy.private.write import restore_private

        return self.run(restore_private, self._keys(key), ref, dry_run=dry_run)

    def private_bring_in(self, path: str | Path, *, dry_run: bool = False) -> PrivateImportResult:
        """Take in the private memories of a bundle, sealed as they are; they open with the keys that they came from."""
        from memvault.transfer.importers.bundle import import_sealed

        return self.run(import_sealed, Path(path).expanduser(), dry_run=dry_run)

    def private_rekey(self, *, key: Key = None, dry_run: bool = False) -> ResealResult:
        """Seal everything to a new key; the one before is kept for older copies."""
        from memvault.privacy.private.recipients import rekey_all

        return self.run(rekey_all, self._keys(key), dry_run=dry_run)

    def private_admit(self, recipient: str, *, key: Key = None, dry_run: bool = False) -> ResealResult:
        """Seal everything to another machine's key too."""
        from memvault.privacy.private.recipients import admit_recipient

        return self.run(admit_recipient, self._keys(key), recipient, dry_run=dry_run)

    def private_dismiss(self, recipient: str, *, key: Key = None, dry_run: bool = False) -> ResealResult:
        """Seal everything to a key no longer."""
        from memvault.privacy.private.recipients import dismiss_recipient

        return self.run(dismiss_recipient, self._keys(key), recipient, dry_run=dry_run)

    def _keys(self, named: Key = None) -> PrivateKeys:
        from memvault.system.age import PrivateKeys

        return PrivateKeys(paths.config_folder(self.environment), Path(named).expanduser() if named else None)
