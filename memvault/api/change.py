"""Changing memories, and taking changes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from memvault.open_vault import OpenVault
from memvault.system import paths

if TYPE_CHECKING:
    from memvault.core.memory import FieldValue, Memory
    from memvault.core.plan import ListEdit, Operation
    from memvault.maintenance.conflicts import ConflictList, DuplicateList, MergeResult, ResolveResult
    from memvault.maintenance.retention import StoreInfo
    from memvault.memories.draft import MemoryFields
    from memvault.memories.edit import ChangeResult
    from memvault.memories.forget import MoveResult
    from memvault.memories.quarantine import QuarantineResult
    from memvault.memories.tasks import FinishedTask, OpenTask, UseResult
    from memvault.privacy.audit import AuditResult, ForgetOriginResult, MemoryOrigin
    from memvault.privacy.private.read import OpenedMemory, OpenResult, PrivateSearch, UnsealResult
    from memvault.privacy.private.recipients import KeyStatus, ResealResult
    from memvault.privacy.private.write import PrivateMoveResult
    from memvault.privacy.private.write import PrivateResult as PrivateKept
    from memvault.recall.keywords import RenameResult
    from memvault.recall.recall import RecallHit
    from memvault.storage.journal.apply import Progress
    from memvault.storage.journal.undo import OperationFilter
    from memvault.system.age import PrivateKeys
    from memvault.transfer.private_memories import PrivateImportResult


class ChangeMethods(OpenVault):
    """What is done to memories that are there."""

    def edit(
        self,
        ref: str,
        *,
        body: str | None = None,
        append: str | None = None,
        whole: bytes | None = None,
        fields: Mapping[str, FieldValue | None] | None = None,
        lists: Mapping[str, ListEdit] | None = None,
        version: str = "",
        secrets: str = "",
        dry_run: bool = False,
    ) -> ChangeResult:
        """Change a memory's text or fields; give the version you read, and a change in between is an error.

        Without one, what is appended, fields, and items that `lists` add and take away go onto whatever is there by
        then. What becomes of secrets that the change adds, `secrets` says: refuse, redact or keep.
        """
        from memvault.memories.edit import MemoryEdit, edit_memory

        wanted = MemoryEdit(
            body=body,
            append=append,
            whole=whole,
            fields=fields,
            lists=lists or {},
            version=version,
            secrets=secrets,
        )
        return self.run(lambda context: edit_memory(context, ref, wanted, dry_run=dry_run))

    def pin(self, ref: str, *, dry_run: bool = False) -> ChangeResult:
        """Keep a memory from ever decaying."""
        from memvault.memories.edit import pin_memory

        return self.run(lambda context: pin_memory(context, ref, dry_run=dry_run))

    def unpin(self, ref: str, *, dry_run: bool = False) -> ChangeResult:
        """Let a memory decay like any other."""
        from memvault.memories.edit import pin_memory

        return self.run(lambda context: pin_memory(context, ref, pinned=False, dry_run=dry_run))

    def link(self, ref: str, to: str, *, relation: str = "extends", dry_run: bool = False) -> ChangeResult:
        """Say how one memory stands to another."""
        from memvault.memories.edit import link_memories

        return self.run(lambda context: link_memories(context, ref, to, relation=relation, dry_run=dry_run))

    def move(self, ref: str, to: str, *, dry_run: bool = False) -> ChangeResult:
        """Put a memory into another tier or folder."""
        from memvault.memories.edit import move_memory

        return self.run(lambda context: move_memory(context, ref, to, dry_run=dry_run))

    def forget(self, ref: str, *, dry_run: bool = False) -> MoveResult:
        """Move a memory to the trash, and do not learn it again."""
        from memvault.memories.forget import forget_memory

        return self.run(lambda context: forget_memory(context, ref, dry_run=dry_run))

    def audit(self, origin: MemoryOrigin | None = None, *, by: str = "source") -> AuditResult:
        """Return where memories come from, in figures; those of one origin, where it is given."""
        from memvault.privacy.audit import MemoryOrigin, audit_origins

        return self.run(lambda context: audit_origins(context, origin or MemoryOrigin(), by=by))

    def list_stores(self) -> Sequence[StoreInfo]:
        """Return what is kept beside the notes: how much of it, from when, until when, and by which settings."""
        from memvault.maintenance.retention import list_stores

        return self.run(list_stores)

    def forget_origin(self, origin: MemoryOrigin, *, dry_run: bool = False) -> ForgetOriginResult:
        """Move all memories of one origin to the trash, as one operation, and learn none of them again."""
        from memvault.privacy.audit import forget_origin

        return self.run(lambda context: forget_origin(context, origin, dry_run=dry_run))

    def restore(self, ref: str, *, dry_run: bool = False) -> MoveResult:
        """Bring a memory back from the trash or the archive."""
        from memvault.memories.forget import restore_memory

        return self.run(lambda context: restore_memory(context, ref, dry_run=dry_run))

    def rename_keyword(self, old: str, new: str, *, dry_run: bool = False) -> RenameResult:
        """Call a keyword otherwise wherever it is borne."""
        from memvault.recall.keywords import rename_keyword
        from memvault.transcripts.search import topic_keywords

        return self.run(
            lambda context: rename_keyword(context, old, new, topics=topic_keywords(context), dry_run=dry_run)
        )

    def merge_keywords(self, keep: str, *others: str, dry_run: bool = False) -> RenameResult:
        """Make one keyword of several: the first takes the place of the others."""
        from memvault.recall.keywords import merge_keywords
        from memvault.transcripts.search import topic_keywords

        return self.run(
            lambda context: merge_keywords(context, keep, others, topics=topic_keywords(context), dry_run=dry_run)
        )

    # -- what contradicts, and what says the same

    def list_conflicts(self, *, limit: int = 0, progress: Progress | None = None) -> ConflictList:
        """Return the live memories that contradict each other, the newest first."""
        from memvault.maintenance.conflicts import list_conflicts
        from memvault.storage.journal.apply import no_progress

        return self.run(lambda context: list_conflicts(context, limit=limit, progress=progress or no_progress))

    def resolve(
        self, keep: str, other: str, *, both: bool = False, newest: bool = False, dry_run: bool = False
    ) -> ResolveResult:
        """Let a memory take the place of another; with `newest` the newer one does, with `both` neither."""
        from memvault.maintenance.conflicts import resolve_conflict

        return self.run(
            lambda context: resolve_conflict(context, keep, other, both=both, newest=newest, dry_run=dry_run)
        )

    def list_duplicates(self, *, limit: int = 0, progress: Progress | None = None) -> DuplicateList:
        """Return the memories that say the same, in groups, and the pairs that may."""
        from memvault.maintenance.conflicts import list_duplicates
        from memvault.storage.journal.apply import no_progress

        return self.run(lambda context: list_duplicates(context, limit=limit, progress=progress or no_progress))

    def merge(self, *refs: str, dry_run: bool = False) -> MergeResult:
        """Make one memory of several that say the same; a dry run shows what it would be."""
        from memvault.maintenance.conflicts import merge_memories

        return self.run(lambda context: merge_memories(context, refs, dry_run=dry_run))

    def keep_both(self, one: str, other: str, *, dry_run: bool = False) -> ResolveResult:
        """Say that two memories both hold and are not the same: they are not offered or listed again."""
        from memvault.maintenance.conflicts import keep_both

        return self.run(lambda context: keep_both(context, one, other, dry_run=dry_run))

    # -- quarantine

    def quarantine(self) -> Sequence[Memory]:
        """Return what came from the web or from tools and waits to be accepted, the oldest first."""
        from memvault.memories.quarantine import list_waiting

        return self.run(list_waiting)

    def accept(self, *refs: str, dry_run: bool = False) -> QuarantineResult:
        """Take waiting memories into Tier 2, with their source."""
        from memvault.memories.quarantine import accept_waiting

        return self.run(lambda context: accept_waiting(context, refs, dry_run=dry_run))

    def refuse(self, *refs: str, dry_run: bool = False) -> QuarantineResult:
        """Let waiting memories go, and do not learn them again."""
        from memvault.memories.quarantine import refuse_waiting

        return self.run(lambda context: refuse_waiting(context, refs, dry_run=dry_run))

    # -- doing

    def mark_done(self, ref: str, *, cancel: bool = False, dry_run: bool = False) -> ChangeResult:
        """Say that a reminder was seen to, or with `cancel` that it will not be."""
        from memvault.memories.tasks import mark_done

        return self.run(lambda context: mark_done(context, ref, cancel=cancel, dry_run=dry_run))

    def record_use(self, ref: str, *, ok: bool, note: str = "", secrets: str = "", dry_run: bool = False) -> UseResult:
        """Say that a way of doing something was followed, and whether it worked."""
        from memvault.memories.tasks import record_use

        return self.run(lambda context: record_use(context, ref, ok=ok, note=note, secrets=secrets, dry_run=dry_run))

    def work_start(self, task: str, *, secrets: str = "", dry_run: bool = False) -> OpenTask:
        """Take a task in hand."""
        from memvault.memories.tasks import start_task

        return self.run(lambda context: start_task(context, task, secrets=secrets, dry_run=dry_run))

    def work_note(self, text: str, *, task: str = "", secrets: str = "", dry_run: bool = False) -> OpenTask:
        """Note something on the task in hand, or on the one that is named."""
        from memvault.memories.tasks import note_task

        return self.run(lambda context: note_task(context, text, task=task, secrets=secrets, dry_run=dry_run))

    def work_done(self, *, task: str = "", keep: bool = False, dry_run: bool = False) -> FinishedTask:
        """End a task; what proved significant, or is to be kept, becomes a lasting memory."""
        from memvault.memories.tasks import finish_task

        return self.run(lambda context: finish_task(context, task=task, keep=keep, dry_run=dry_run))

    def work_clear(self, *, task: str = "", dry_run: bool = False) -> tuple[FinishedTask, ...]:
        """Put the tasks in hand away, keeping nothing of them."""
        from memvault.memories.tasks import clear_tasks

        return self.run(lambda context: clear_tasks(context, task=task, dry_run=dry_run))

    def clear_working(self, *, task: str = "", dry_run: bool = False) -> tuple[FinishedTask, ...]:
        """Clear the working notes: archive the open tasks of this session, or one task, and keep nothing of them.

        Without open tasks there is nothing to clear, and nothing is returned.
        """
        from memvault.errors import NothingToDo
        from memvault.memories.tasks import clear_tasks

        try:
            return self.run(clear_tasks, task=task, dry_run=dry_run)
        except NothingToDo:
            if task:
                raise
            return ()

    # -- history

    def log(self, asked: OperationFilter | None = None, *, limit: int = 0) -> Sequence[Operation]:
        """Return what was done to the vault, the newest first: all of it, or what was asked for."""
        from memvault.storage.journal.undo import ALL_OPERATIONS, list_operations

        return self.run(lambda context: list_operations(context, asked or ALL_OPERATIONS, limit=limit))

    def operation(self, ref: str = "") -> Operation:
        """Return one operation by its name; without one, the last that can be undone."""
        from memvault.storage.journal.undo import find_operation

        return self.run(lambda context: find_operation(context, ref))

    def undo(self, ref: str = "", *, dry_run: bool = False) -> Operation:
        """Take an operation back, byte for byte."""
        from memvault.storage.journal.undo import undo_operation

        return self.run(lambda context: undo_operation(context, ref, dry_run=dry_run))


# Private memories: sealed to a person's own key, and opened for that person alone.

Key = str | Path | None


class PrivateMethods(OpenVault):
    """What is done with memories that nobody else is to read; `key` names a file with another key than one's own."""

    unlocked: PrivateSearch | None = None  # those that lie open, where this is a process that holds them so

    def remember_privately(
        self, text: str, *, key: Key = None, dry_run: bool = False, **given: Unpack[MemoryFields]
    ) -> PrivateKept:
        """Seal a new memory; takes what `remember` takes of a memory, and screens nothing."""
        from memvault.memories.draft import MemoryDraft
        from memvault.privacy.private.write import remember_private

        draft = MemoryDraft(text=text, **given)
        return self.run(lambda context: remember_private(context, self._keys(key), draft, dry_run=dry_run))

    def private_status(self) -> KeyStatus:
        """Where the key is, to which keys is sealed, how many memories there are, and how many of them are closed."""
        from memvault.privacy.private.recipients import key_status

        return self.run(lambda context: key_status(context, self._keys(None)))

    def private_init(self, *, in_keyring: bool = False) -> KeyStatus:
        """Make this machine's key where it has none, and confirm the other keys that the vault names."""
        from memvault.privacy.private.recipients import begin_sealing

        return self.run(lambda context: begin_sealing(context, self._keys(None), in_keyring=in_keyring))

    def private_memories(self, *, key: Key = None) -> OpenResult:
        """Return all private memories with their texts, the newest first."""
        from memvault.privacy.private.read import open_all

        return self.run(lambda context: open_all(context, self._keys(key)))

    def private_show(self, ref: str, *, key: Key = None) -> OpenedMemory:
        """Return one private memory, by the beginning of its file's name or its id, or by its title."""
        from memvault.privacy.private.read import open_one

        return self.run(lambda context: open_one(context, self._keys(key), ref))

    def unseal(self, ref: str, *, key: Key = None) -> UnsealResult:
        """Return what was sealed of a conversation, with its secrets."""
        from memvault.privacy.private.read import unseal_originals

        return self.run(lambda context: unseal_originals(context, self._keys(key), ref))

    def private_search(
        self, query: str, *, key: Key = None, limit: int = 0, min_similarity: float | None = None
    ) -> tuple[Sequence[RecallHit], OpenResult]:
        """Return the private memories that answer a question, best first, and all that could be opened."""
        from memvault.privacy.private.read import PrivateSearch

        opening = self.private_memories(key=key)
        return self._answers(PrivateSearch(opening.memories), query, limit, min_similarity), opening

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
    ) -> PrivateKept:
        """Change a private memory's text or fields, and seal it anew; one that was replaced meanwhile is an error.

        What is appended, fields, and items that `lists` add and take away go onto whatever is there by then. A whole
        note with the `base` that it was made of is merged with what is there, and an error where both changed the same.
        """
        from memvault.privacy.private.write import PrivateEdit, edit_private

        change = PrivateEdit(body=body, append=append, whole=whole, base=base, fields=fields or {}, lists=lists or {})
        return self.run(lambda context: edit_private(context, self._keys(key), ref, change, dry_run=dry_run))

    def private_set_aside(self, note: bytes, path: str, *, key: Key = None) -> str:
        """Seal a note that could not be written to its file as a memory of its own, and give its name."""
        from memvault.privacy.private.write import seal_as_new

        return self.run(lambda context: seal_as_new(context, self._keys(key), note, path))

    def private_forget(
        self, ref: str, *, key: Key = None, for_good: bool = False, dry_run: bool = False
    ) -> PrivateMoveResult:
        """Move a private memory to the trash, sealed as it is, or remove it for good."""
        from memvault.privacy.private.write import find_anywhere, find_sealed, forget_private

        find = find_anywhere if for_good else find_sealed  # what is in the trash can only go for good
        return self.run(
            lambda context: forget_private(
                context, find(context, self._keys(key), ref), for_good=for_good, dry_run=dry_run
            )
        )

    def private_restore(self, ref: str, *, key: Key = None, dry_run: bool = False) -> PrivateMoveResult:
        """Bring a private memory back from the trash."""
        from memvault.privacy.private.write import find_sealed, restore_private

        return self.run(
            lambda context: restore_private(
                context, find_sealed(context, self._keys(key), ref, in_trash=True), dry_run=dry_run
            )
        )

    def private_bring_in(self, path: str | Path, *, dry_run: bool = False) -> PrivateImportResult:
        """Take in the private memories of a bundle, sealed as they are; they open with the keys that they came from."""
        from memvault.transfer.private_memories import import_sealed

        bundle = Path(path).expanduser()
        return self.run(lambda context: import_sealed(context, bundle, dry_run=dry_run))

    def private_rekey(self, *, key: Key = None, dry_run: bool = False) -> ResealResult:
        """Seal everything to a new key; the one before is kept for older copies."""
        from memvault.privacy.private.recipients import rekey_all

        return self.run(lambda context: rekey_all(context, self._keys(key), dry_run=dry_run))

    def private_admit(self, recipient: str, *, key: Key = None, dry_run: bool = False) -> ResealResult:
        """Seal everything to another machine's key too."""
        from memvault.privacy.private.recipients import admit_recipient

        return self.run(lambda context: admit_recipient(context, self._keys(key), recipient, dry_run=dry_run))

    def private_dismiss(self, recipient: str, *, key: Key = None, dry_run: bool = False) -> ResealResult:
        """Seal everything to a key no longer."""
        from memvault.privacy.private.recipients import dismiss_recipient

        return self.run(lambda context: dismiss_recipient(context, self._keys(key), recipient, dry_run=dry_run))

    # -- what lies open in the daemon

    def private_hits(self, query: str, *, limit: int = 0) -> Sequence[RecallHit]:
        """The unlocked private memories that are relevant to a question: only in the daemon, and to no agent."""
        if self.unlocked is None or self._actor.agent or not query.strip():
            return ()
        return self._answers(self.unlocked, query, limit, self.settings.number("recall.weak_below"))

    def _answers(self, texts: PrivateSearch, query: str, limit: int, least: float | None) -> Sequence[RecallHit]:
        now = self._clock().astimezone(self._zone)
        floor = self.settings.number("recall.min_similarity") if least is None else least
        return texts.search(query, now=now, settings=self.settings, limit=limit, least=floor)

    def _keys(self, named: Key) -> PrivateKeys:
        from memvault.system.age import PrivateKeys

        return PrivateKeys(paths.config_folder(self.environment), Path(named).expanduser() if named else None)
