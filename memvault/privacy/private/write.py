"""Write private memories: remember, edit, forget and restore, without a log and never in the clear."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from memvault.core.memory import NO_FIELDS, FieldValue, Memory
from memvault.core.plan import NO_LIST_EDITS, ListEdit
from memvault.errors import BadInput, CannotEdit, ChangedMeanwhile, NotFound
from memvault.memories.draft import MemoryDraft
from memvault.memories.remember import build_memory
from memvault.privacy.private.read import (
    OpenedMemory,
    check_person,
    file_name,
    find_by_name,
    open_files,
    open_one,
    read_note,
)
from memvault.privacy.private.store import PrivateStore
from memvault.storage import frontmatter
from memvault.storage.merging.merge_note import NoteContext, merge_note
from memvault.storage.vault import codec
from memvault.storage.vault.context import VaultContext
from memvault.system.age import PrivateKeys

# Merge a person's whole rewrite with what others sealed meanwhile, in memory only.


def merge_rewrite(context: VaultContext, path: str, *, base: bytes, wrote: bytes, there: bytes) -> bytes:
    """Merge a person's rewrite of a note with its current version; ChangedMeanwhile where they contradict.

    An empty text contradicts nothing: the caller refuses it.
    """
    if there == base or not wrote.strip():
        return wrote
    found = merge_note(
        base, wrote, there, NoteContext(path, context.vault.vault_file.id, context.zone, kinds=context.settings.kinds)
    )
    # Of a field that both set to different values a merge would pick one: the person is asked.
    before, one, two = (frontmatter.parse(raw).fields for raw in (base, wrote, there))
    is_contested = any(
        one[name] != two[name] and before.get(name) not in (one[name], two[name])
        for name in one.keys() & two.keys()
        if not (isinstance(one[name], list) and isinstance(two[name], list))
    )
    if found.parked is not None or is_contested:
        raise ChangedMeanwhile(path=path)
    return found.raw


_TRIES = 50  # nobody waits longer than this for a writer that never pauses
_CLOSED = "this machine cannot open it, as it has none of the keys; see `memvault private status`"
_UNCONFIRMED = "it is not sealed to {recipient}, which only the vault names; see `memvault private status`"


@dataclass(frozen=True, slots=True)
class PrivateResult:
    """A private memory that was sealed, or would be; without a path in a dry run."""

    memory: Memory
    path: str
    changed: bool = True
    remark: str = ""  # what its owner should know


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateEdit:
    """The change to a private memory; None leaves a part as it is."""

    body: str | None = None
    append: str | None = None
    whole: bytes | None = None
    base: bytes | None = None  # the note that `whole` was made from; by default the one read now
    fields: Mapping[str, FieldValue | None] = field(default_factory=lambda: NO_FIELDS)
    lists: Mapping[str, ListEdit] = field(default_factory=lambda: NO_LIST_EDITS)  # items to add or remove


@dataclass(frozen=True, slots=True)
class PrivateMoveResult:
    """A private memory that was forgotten or restored: its name and path; no path if deleted for good."""

    name: str
    path: str


def remember_private(
    context: VaultContext, keys: PrivateKeys, draft: MemoryDraft, *, dry_run: bool = False
) -> PrivateResult:
    """Seal a new memory. Nothing is redacted, secrets neither: this is the place for them."""
    memory, store = build_memory(context, draft), PrivateStore(context.vault)
    remark = _judge_recipients(keys, store)
    if dry_run:
        return PrivateResult(memory.with_changes(path=""), "", remark=remark)
    with context.vault.lock_vault():
        path = store.add_note(codec.encode_new(memory), keys)
    return PrivateResult(memory.with_changes(path=path), path, remark=remark)


def _judge_recipients(keys: PrivateKeys, store: PrivateStore) -> str:
    """Return what the owner should know of what is sealed now; NoRecipients where there is nobody to seal to."""
    if not keys.can_open(keys.recipients()):
        return _CLOSED
    strange = keys.unconfirmed_recipients(store.named_recipients())
    return _UNCONFIRMED.format(recipient=strange[0]) if strange else ""


def edit_private(
    context: VaultContext, keys: PrivateKeys, ref: str, change: PrivateEdit, *, dry_run: bool = False
) -> PrivateResult:
    """Change a private memory's text or fields, and reseal it.

    Appended text and fields apply to whatever text there is by then; a whole note with a base is merged with it, and
    is an error where the two contradict each other.
    """
    opened = open_one(context, keys, ref)
    for _ in range(_TRIES):
        found = opened.note if change.whole is None else change.whole
        if change.whole is not None and change.base is not None:
            found = merge_rewrite(context, opened.memory.path, base=change.base, wrote=change.whole, there=opened.note)
        if change.body is not None:
            found = codec.replace_body(found, f"{change.body.strip()}\n", path=opened.memory.path)
        if change.append is not None:
            found = codec.append_text(found, change.append, path=opened.memory.path)
        if change.lists:
            found = codec.change_lists(found, change.lists, path=opened.memory.path, kinds=context.settings.kinds)
        note = codec.set_fields(found, change.fields, path=opened.memory.path) if change.fields else found
        try:
            return _reseal_note(context, keys, opened, note, dry_run=dry_run)
        except ChangedMeanwhile:
            if change.body is not None or (change.whole is not None and change.base is None):
                raise  # it replaces the text, and so applies only to the version that was read
            keys = replace(keys)  # keys are read again too: it may be sealed to a new one now
            opened = open_one(context, keys, opened.memory.path)
    raise ChangedMeanwhile(path=opened.memory.path)


def _reseal_note(
    context: VaultContext, keys: PrivateKeys, opened: OpenedMemory, note: bytes, *, dry_run: bool
) -> PrivateResult:
    store = PrivateStore(context.vault)
    remark, path = _judge_recipients(keys, store), opened.memory.path
    if not note.strip():
        raise BadInput(what="the text", value="", reason="there is nothing in it to remember")
    memory = read_note(context, path, note)
    if note == opened.note or dry_run:
        return PrivateResult(memory, path, changed=note != opened.note)
    with context.vault.lock_vault():
        store.change_note(path, note, keys, expected=opened.sealed)
    return PrivateResult(memory, path, remark=remark)


def seal_as_new(context: VaultContext, keys: PrivateKeys, note: bytes, path: str) -> str:
    """Seal a note that has no other place as a memory of its own; return its name."""
    with suppress(CannotEdit):  # as far as its frontmatter can be changed
        note = codec.set_fields(note, {"id": str(uuid.uuid4())}, path=path)
    with context.vault.lock_vault():
        return file_name(PrivateStore(context.vault).add_note(note, keys))


def forget_private(
    context: VaultContext, keys: PrivateKeys, ref: str, *, for_good: bool, dry_run: bool = False
) -> PrivateMoveResult:
    """Move a sealed file to the trash, or delete it for good: what is in the trash, too."""
    check_person(context)
    store = PrivateStore(context.vault)
    path = find_by_name(store.memory_paths(), ref) or (find_by_name(store.trashed_paths(), ref) if for_good else "")
    try:
        path = path or open_one(context, keys, ref).memory.path
    except NotFound:
        if not for_good:
            raise
        path = _find_trashed(context, keys, ref)
    if dry_run:
        return PrivateMoveResult(file_name(path), "")
    with context.vault.lock_vault():
        there = store.delete_file(path) if for_good else store.move_file(path, to_trash=True)
    return PrivateMoveResult(file_name(path), there)


def restore_private(context: VaultContext, keys: PrivateKeys, ref: str, *, dry_run: bool = False) -> PrivateMoveResult:
    """Restore a sealed file from the trash."""
    check_person(context)
    path = _find_trashed(context, keys, ref)
    if dry_run:
        return PrivateMoveResult(file_name(path), "")
    with context.vault.lock_vault():
        return PrivateMoveResult(file_name(path), PrivateStore(context.vault).move_file(path, to_trash=False))


def _find_trashed(context: VaultContext, keys: PrivateKeys, ref: str) -> str:
    """Return the file in the trash that a reference means; a file name needs no key, as its text is not read."""
    store = PrivateStore(context.vault)
    if path := find_by_name(store.trashed_paths(), ref):
        return path
    title = ref.strip().casefold()
    for one in open_files(context, keys, store, store.trashed_paths()).found:
        if title in (one.memory.title.casefold(), one.memory.id):
            return one.memory.path
    raise NotFound(ref=ref)
