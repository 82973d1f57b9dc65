"""Changing memories, and taking changes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from memvault.open_vault import Hall
from memvault.system import paths

if TYPE_CHECKING:
    from memvault.core.memory import FieldValue, Memory
    from memvault.core.plan import Items, Operation
    from memvault.maintenance.conflicts import Conflicts, Duplicates, Merged, Settled
    from memvault.maintenance.retention import Kept
    from memvault.memories.draft import Given
    from memvault.memories.edit import Changed
    from memvault.memories.forget import Moved
    from memvault.memories.quarantine import Decided
    from memvault.memories.tasks import Finished, InHand
    from memvault.memories.use import Used
    from memvault.privacy.audit import Audit, Forgotten, Origin
    from memvault.privacy.private.keys import Keys
    from memvault.privacy.private.read import Opened, Opening, Texts
    from memvault.privacy.private.recipients import Ready, Resealed
    from memvault.privacy.private.transfer import Brought
    from memvault.privacy.private.write import Gone
    from memvault.privacy.private.write import Kept as PrivateKept
    from memvault.recall.keywords import Renamed
    from memvault.recall.recall import Hit
    from memvault.storage.journal.apply import Progress
    from memvault.storage.journal.undo import Asked


class Changing(Hall):
    """What is done to memories that are there."""

    def edit(
        self,
        ref: str,
        *,
        body: str | None = None,
        append: str | None = None,
        whole: bytes | None = None,
        fields: Mapping[str, FieldValue | None] | None = None,
        lists: Mapping[str, Items] | None = None,
        version: str = "",
        secrets: str = "",
        dry_run: bool = False,
    ) -> Changed:
        """Change a memory's text or fields; give the version you read, and a change in between is an error.

        Without one, what is appended, fields, and items that `lists` add and take away go onto whatever is there by
        then. What becomes of secrets that the change adds, `secrets` says: refuse, redact or keep.
        """
        from memvault.memories.edit import Edit, edit

        wanted = Edit(
            body=body,
            append=append,
            whole=whole,
            fields=fields,
            lists=lists or {},
            version=version,
            secrets=secrets,
        )
        return self._at_bench(lambda bench: edit(bench, ref, wanted, dry_run=dry_run))

    def pin(self, ref: str, *, dry_run: bool = False) -> Changed:
        """Keep a memory from ever decaying."""
        from memvault.memories.edit import pin

        return self._at_bench(lambda bench: pin(bench, ref, dry_run=dry_run))

    def unpin(self, ref: str, *, dry_run: bool = False) -> Changed:
        """Let a memory decay like any other."""
        from memvault.memories.edit import pin

        return self._at_bench(lambda bench: pin(bench, ref, pinned=False, dry_run=dry_run))

    def link(self, ref: str, to: str, *, relation: str = "extends", dry_run: bool = False) -> Changed:
        """Say how one memory stands to another."""
        from memvault.memories.edit import link

        return self._at_bench(lambda bench: link(bench, ref, to, relation=relation, dry_run=dry_run))

    def move(self, ref: str, to: str, *, dry_run: bool = False) -> Changed:
        """Put a memory into another tier or folder."""
        from memvault.memories.edit import move

        return self._at_bench(lambda bench: move(bench, ref, to, dry_run=dry_run))

    def forget(self, ref: str, *, dry_run: bool = False) -> Moved:
        """Move a memory to the trash, and do not learn it again."""
        from memvault.memories.forget import forget

        return self._at_bench(lambda bench: forget(bench, ref, dry_run=dry_run))

    def audit(self, origin: Origin | None = None, *, by: str = "source") -> Audit:
        """Where memories come from, in figures; those of one origin, where it is given."""
        from memvault.privacy.audit import Origin, audit

        return self._at_bench(lambda bench: audit(bench, origin or Origin(), by=by))

    def kept(self) -> Sequence[Kept]:
        """What is kept beside the notes: how much of it, from when, until when, and by which settings."""
        from memvault.maintenance.retention import kept

        return self._at_bench(kept)

    def forget_origin(self, origin: Origin, *, dry_run: bool = False) -> Forgotten:
        """Move all memories of one origin to the trash, as one operation, and learn none of them again."""
        from memvault.privacy.audit import forget_origin

        return self._at_bench(lambda bench: forget_origin(bench, origin, dry_run=dry_run))

    def restore(self, ref: str, *, dry_run: bool = False) -> Moved:
        """Bring a memory back from the trash or the archive."""
        from memvault.memories.forget import restore

        return self._at_bench(lambda bench: restore(bench, ref, dry_run=dry_run))

    def rename_keyword(self, old: str, new: str, *, dry_run: bool = False) -> Renamed:
        """Call a keyword otherwise wherever it is borne."""
        from memvault.recall.keywords import rename
        from memvault.transcripts.search import topics_of

        return self._at_bench(lambda bench: rename(bench, old, new, topics=topics_of(bench), dry_run=dry_run))

    def merge_keywords(self, keep: str, *others: str, dry_run: bool = False) -> Renamed:
        """Make one keyword of several: the first takes the place of the others."""
        from memvault.recall.keywords import merge
        from memvault.transcripts.search import topics_of

        return self._at_bench(lambda bench: merge(bench, keep, others, topics=topics_of(bench), dry_run=dry_run))

    # -- what contradicts, and what says the same

    def conflicts(self, *, limit: int = 0, progress: Progress | None = None) -> Conflicts:
        """The live memories that contradict each other, the newest first."""
        from memvault.maintenance.conflicts import conflicts
        from memvault.storage.journal.apply import unseen

        return self._at_bench(lambda bench: conflicts(bench, limit=limit, progress=progress or unseen))

    def resolve(
        self, keep: str, other: str, *, both: bool = False, newest: bool = False, dry_run: bool = False
    ) -> Settled:
        """Let a memory take the place of another; with `newest` the newer one does, with `both` neither."""
        from memvault.maintenance.conflicts import resolve

        return self._at_bench(lambda bench: resolve(bench, keep, other, both=both, newest=newest, dry_run=dry_run))

    def duplicates(self, *, limit: int = 0, progress: Progress | None = None) -> Duplicates:
        """The memories that say the same, in groups, and the pairs that may."""
        from memvault.maintenance.conflicts import duplicates
        from memvault.storage.journal.apply import unseen

        return self._at_bench(lambda bench: duplicates(bench, limit=limit, progress=progress or unseen))

    def merge(self, *refs: str, dry_run: bool = False) -> Merged:
        """Make one memory of several that say the same; a dry run shows what it would be."""
        from memvault.maintenance.conflicts import merge

        return self._at_bench(lambda bench: merge(bench, refs, dry_run=dry_run))

    def keep_both(self, one: str, other: str, *, dry_run: bool = False) -> Settled:
        """Say that two memories both hold and are not the same: they are not offered or listed again."""
        from memvault.maintenance.conflicts import keep_both

        return self._at_bench(lambda bench: keep_both(bench, one, other, dry_run=dry_run))

    # -- quarantine

    def quarantine(self) -> Sequence[Memory]:
        """What came from the web or from tools and waits to be accepted, the oldest first."""
        from memvault.memories.quarantine import waiting

        return self._at_bench(waiting)

    def accept(self, *refs: str, dry_run: bool = False) -> Decided:
        """Take waiting memories into Tier 2, with their source."""
        from memvault.memories.quarantine import accept

        return self._at_bench(lambda bench: accept(bench, refs, dry_run=dry_run))

    def refuse(self, *refs: str, dry_run: bool = False) -> Decided:
        """Let waiting memories go, and do not learn them again."""
        from memvault.memories.quarantine import refuse

        return self._at_bench(lambda bench: refuse(bench, refs, dry_run=dry_run))

    # -- doing

    def done(self, ref: str, *, cancel: bool = False, dry_run: bool = False) -> Changed:
        """Say that a reminder was seen to, or with `cancel` that it will not be."""
        from memvault.memories.tasks import mark_done

        return self._at_bench(lambda bench: mark_done(bench, ref, cancel=cancel, dry_run=dry_run))

    def used(self, ref: str, *, ok: bool, note: str = "", secrets: str = "", dry_run: bool = False) -> Used:
        """Say that a way of doing something was followed, and whether it worked."""
        from memvault.memories.use import used

        return self._at_bench(lambda bench: used(bench, ref, ok=ok, note=note, secrets=secrets, dry_run=dry_run))

    def work_start(self, task: str, *, secrets: str = "", dry_run: bool = False) -> InHand:
        """Take a task in hand."""
        from memvault.memories.tasks import start

        return self._at_bench(lambda bench: start(bench, task, secrets=secrets, dry_run=dry_run))

    def work_note(self, text: str, *, task: str = "", secrets: str = "", dry_run: bool = False) -> InHand:
        """Note something on the task in hand, or on the one that is named."""
        from memvault.memories.tasks import note

        return self._at_bench(lambda bench: note(bench, text, task=task, secrets=secrets, dry_run=dry_run))

    def work_done(self, *, task: str = "", keep: bool = False, dry_run: bool = False) -> Finished:
        """End a task; what proved significant, or is to be kept, becomes a lasting memory."""
        from memvault.memories.tasks import done

        return self._at_bench(lambda bench: done(bench, task=task, keep=keep, dry_run=dry_run))

    def work_clear(self, *, task: str = "", dry_run: bool = False) -> tuple[Finished, ...]:
        """Put the tasks in hand away, keeping nothing of them."""
        from memvault.memories.tasks import clear

        return self._at_bench(lambda bench: clear(bench, task=task, dry_run=dry_run))

    # -- history

    def log(self, asked: Asked | None = None, *, limit: int = 0) -> Sequence[Operation]:
        """What was done to the vault, the newest first: all of it, or what was asked for."""
        from memvault.storage.journal.undo import EVERYTHING, log

        return self._at_bench(lambda bench: log(bench, asked or EVERYTHING, limit=limit))

    def operation(self, ref: str = "") -> Operation:
        """One operation by its name; without one, the last that can be undone."""
        from memvault.storage.journal.undo import operation

        return self._at_bench(lambda bench: operation(bench, ref))

    def undo(self, ref: str = "", *, dry_run: bool = False) -> Operation:
        """Take an operation back, byte for byte."""
        from memvault.storage.journal.undo import undo

        return self._at_bench(lambda bench: undo(bench, ref, dry_run=dry_run))


# Private memories: sealed to a person's own key, and opened for that person alone.

Key = str | Path | None


class Private(Hall):
    """What is done with memories that nobody else is to read; `key` names a file with another key than one's own."""

    unlocked: Texts | None = None  # those that lie open, where this is a process that holds them so

    def remember_privately(
        self, text: str, *, key: Key = None, dry_run: bool = False, **given: Unpack[Given]
    ) -> PrivateKept:
        """Seal a new memory; takes what `remember` takes of a memory, and screens nothing."""
        from memvault.memories.draft import Draft
        from memvault.privacy.private.write import remember

        draft = Draft(text=text, **given)
        return self._at_bench(lambda bench: remember(bench, self._keys(key), draft, dry_run=dry_run))

    def private_status(self) -> Ready:
        """Where the key is, to which keys is sealed, how many memories there are, and how many of them are closed."""
        from memvault.privacy.private.recipients import standing

        return self._at_bench(lambda bench: standing(bench, self._keys(None)))

    def private_init(self, *, in_keyring: bool = False) -> Ready:
        """Make this machine's key where it has none, and admit those to which the vault's memories are sealed."""
        from memvault.privacy.private.recipients import begin

        return self._at_bench(lambda bench: begin(bench, self._keys(None), in_keychain=in_keyring))

    def private_memories(self, *, key: Key = None) -> Opening:
        """All private memories with their texts, the newest first."""
        from memvault.privacy.private.read import open_all

        return self._at_bench(lambda bench: open_all(bench, self._keys(key)))

    def private_show(self, ref: str, *, key: Key = None) -> Opened:
        """One private memory, by the beginning of its file's name or its id, or by its title."""
        from memvault.privacy.private.read import open_one

        return self._at_bench(lambda bench: open_one(bench, self._keys(key), ref))

    def private_search(
        self, query: str, *, key: Key = None, limit: int = 0, min_similarity: float | None = None
    ) -> tuple[Sequence[Hit], Opening]:
        """The private memories that answer a question, best first, and all that could be opened."""
        from memvault.privacy.private.read import Texts

        opening = self.private_memories(key=key)
        return self._answers(Texts(opening.memories), query, limit, min_similarity), opening

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
        lists: Mapping[str, Items] | None = None,
        dry_run: bool = False,
    ) -> PrivateKept:
        """Change a private memory's text or fields, and seal it anew; one that was replaced meanwhile is an error.

        What is appended, fields, and items that `lists` add and take away go onto whatever is there by then. A whole
        note with the `base` that it was made of is merged with what is there, and an error where both changed the same.
        """
        from memvault.privacy.private.write import Change, edit

        change = Change(body=body, append=append, whole=whole, base=base, fields=fields or {}, lists=lists or {})
        return self._at_bench(lambda bench: edit(bench, self._keys(key), ref, change, dry_run=dry_run))

    def private_set_aside(self, note: bytes, path: str, *, key: Key = None) -> str:
        """Seal a note that could not be written to its file as a memory of its own, and give its name."""
        from memvault.privacy.private.write import set_aside

        return self._at_bench(lambda bench: set_aside(bench, self._keys(key), note, path))

    def private_forget(self, ref: str, *, key: Key = None, for_good: bool = False, dry_run: bool = False) -> Gone:
        """Move a private memory to the trash, sealed as it is, or remove it for good."""
        from memvault.privacy.private.write import forget, lying, named

        find = lying if for_good else named  # what is in the trash can only go for good
        return self._at_bench(
            lambda bench: forget(bench, find(bench, self._keys(key), ref), for_good=for_good, dry_run=dry_run)
        )

    def private_restore(self, ref: str, *, key: Key = None, dry_run: bool = False) -> Gone:
        """Bring a private memory back from the trash."""
        from memvault.privacy.private.write import named, restore

        return self._at_bench(
            lambda bench: restore(bench, named(bench, self._keys(key), ref, in_trash=True), dry_run=dry_run)
        )

    def private_bring_in(self, path: str | Path, *, dry_run: bool = False) -> Brought:
        """Take in the private memories of a bundle, sealed as they are; they open with the keys that they came from."""
        from memvault.privacy.private.transfer import bring_in

        bundle = Path(path).expanduser()
        return self._at_bench(lambda bench: bring_in(bench, bundle, dry_run=dry_run))

    def private_rekey(self, *, key: Key = None, dry_run: bool = False) -> Resealed:
        """Seal everything to a new key; the one before is kept for older copies."""
        from memvault.privacy.private.recipients import rekey

        return self._at_bench(lambda bench: rekey(bench, self._keys(key), dry_run=dry_run))

    def private_admit(self, recipient: str, *, key: Key = None, dry_run: bool = False) -> Resealed:
        """Seal everything to another machine's key too."""
        from memvault.privacy.private.recipients import admit

        return self._at_bench(lambda bench: admit(bench, self._keys(key), recipient, dry_run=dry_run))

    def private_dismiss(self, recipient: str, *, key: Key = None, dry_run: bool = False) -> Resealed:
        """Seal everything to a key no longer."""
        from memvault.privacy.private.recipients import dismiss

        return self._at_bench(lambda bench: dismiss(bench, self._keys(key), recipient, dry_run=dry_run))

    # -- what lies open in the warm process

    def private_hits(self, query: str, *, limit: int = 0) -> Sequence[Hit]:
        """The unlocked private memories that are relevant to a question: only in the warm process, and to no agent."""
        if self.unlocked is None or self._actor.agent or not query.strip():
            return ()
        return self._answers(self.unlocked, query, limit, self.settings.number("recall.weak_below"))

    def private_read(self, path: str, note: bytes, *, version: str) -> Memory:
        """The memory in the bytes of a private note that was opened elsewhere, out of a file with that content."""
        from memvault.privacy.private.read import read_note

        return self._at_bench(lambda bench: read_note(bench, path, note, version=version))

    def _answers(self, texts: Texts, query: str, limit: int, least: float | None) -> Sequence[Hit]:
        now = self._clock().astimezone(self._zone)
        floor = self.settings.number("recall.min_similarity") if least is None else least
        return texts.hits(query, now=now, settings=self.settings, limit=limit, least=floor)

    def _keys(self, named: Key) -> Keys:
        return keys_of(self.environment, named)


def keys_of(environment: Mapping[str, str], named: Key = None) -> Keys:
    """A person's keys for private memories, and one in a file that they name."""
    from memvault.privacy.private.age import Keyring
    from memvault.privacy.private.keys import Keys

    return Keys(Keyring(paths.config(environment), "private"), Path(named).expanduser() if named else None)
