"""Making, changing and letting go of private memories: no log tells of it, and nothing is written in the clear."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from memvault.core.memory import NOTHING, FieldValue, Memory
from memvault.core.plan import NO_ITEMS, Items
from memvault.errors import BadInput, CannotEdit, ChangedMeanwhile, NotFound
from memvault.memories.draft import Draft
from memvault.memories.remember import formed
from memvault.privacy.private.keys import Keys
from memvault.privacy.private.read import Opened, by_name, check_person, name_of, open_one, open_these, read_note
from memvault.privacy.private.store import Safe
from memvault.storage import frontmatter
from memvault.storage.vault import codec
from memvault.storage.vault.context import Bench
from memvault.sync.merging.note import Ground, merged

# A whole private note that somebody wrote, and what others sealed while they did: made one, in memory alone.


def rewritten(bench: Bench, path: str, *, base: bytes, wrote: bytes, there: bytes) -> bytes:
    """What a person made of the base, with what is there by now; ChangedMeanwhile where the two contradict each other.

    A text with nothing in it contradicts nobody: it is for the caller to refuse.
    """
    if there == base or not wrote.strip():
        return wrote
    found = merged(base, wrote, there, Ground(path, bench.vault.charter.id, bench.zone, kinds=bench.settings.kinds))
    if found.parked is not None or _overrules(base, wrote, there):
        raise ChangedMeanwhile(path=path)
    return found.raw


def _overrules(base: bytes, wrote: bytes, there: bytes) -> bool:
    """Whether both set a field to other values, of which a merge would pick one: here, a person can be asked."""
    before, one, two = (frontmatter.parse(raw).fields for raw in (base, wrote, there))
    return any(
        one[name] != two[name] and before.get(name) not in (one[name], two[name])
        for name in one.keys() & two.keys()
        if not (isinstance(one[name], list) and isinstance(two[name], list))
    )


def of_its_own(note: bytes, path: str) -> bytes:
    """A note as another memory than the one it was made of, as far as its frontmatter can be changed."""
    try:
        return codec.with_fields(note, {"id": str(uuid.uuid4())}, path=path)
    except CannotEdit:
        return note


_TRIES = 50  # whoever saves without pause is not waited for longer than this
_CLOSED = "this machine cannot open it: it is sealed to keys of which none is here; `memvault private status` says more"


@dataclass(frozen=True, slots=True)
class Kept:
    """A private memory that was sealed, or would be; without a path in a dry run."""

    memory: Memory
    path: str
    changed: bool = True
    remark: str = ""  # what its owner had better know


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What is to become of a private memory; None leaves a thing as it is."""

    body: str | None = None
    append: str | None = None
    whole: bytes | None = None
    base: bytes | None = None  # the note of which `whole` was made; without it, the one that is read now
    fields: Mapping[str, FieldValue | None] = field(default_factory=lambda: NOTHING)
    lists: Mapping[str, Items] = field(default_factory=lambda: NO_ITEMS)  # some items more or less

    @property
    def replaces(self) -> bool:
        """Whether it takes the place of a text, and so may only be made of the very one that was read."""
        return self.body is not None or (self.whole is not None and self.base is None)


@dataclass(frozen=True, slots=True)
class Gone:
    """A private memory that was let go or brought back: its name, and where it is now; nowhere, if for good."""

    name: str
    path: str


def remember(bench: Bench, keys: Keys, draft: Draft, *, dry_run: bool = False) -> Kept:
    """Seal a new memory. Nothing is taken out of it, secrets neither: this is the place for them."""
    memory, safe = formed(bench, draft), Safe(bench.vault)
    recipients = keys.recipients(safe)
    remark = "" if keys.opens(recipients) else _CLOSED
    if dry_run:
        return Kept(memory.changed(path=""), "", remark=remark)
    with bench.vault.locked():
        path = safe.add(codec.new_note(memory), recipients)
    return Kept(memory.changed(path=path), path, remark=remark)


def edit(bench: Bench, keys: Keys, ref: str, change: Change, *, dry_run: bool = False) -> Kept:
    """Change a private memory's text or fields, and seal it anew.

    What is only added, and fields, go onto whatever text it has by then; a whole note that tells of its base is woven
    with it, and is an error where the two contradict each other.
    """
    opened = open_one(bench, keys, ref)
    for _ in range(_TRIES):
        note = _changed(bench, opened.note, change, opened.memory.path)
        try:
            return _sealed_anew(bench, keys, opened, note, dry_run=dry_run)
        except ChangedMeanwhile:
            if change.replaces:
                raise
            keys = replace(keys)  # looked at anew too: it may be sealed to a new key by now
            opened = open_one(bench, keys, opened.memory.path)
    raise ChangedMeanwhile(path=opened.memory.path)


def _sealed_anew(bench: Bench, keys: Keys, opened: Opened, note: bytes, *, dry_run: bool) -> Kept:
    safe = Safe(bench.vault)
    recipients, path = keys.recipients(safe), opened.memory.path
    if not note.strip():
        raise BadInput(what="the text", value="", reason="there is nothing in it to remember")
    memory = read_note(bench, path, note)
    if note == opened.note or dry_run:
        return Kept(memory, path, changed=note != opened.note)
    with bench.vault.locked():
        safe.change(path, note, recipients, expected=opened.sealed)
    return Kept(memory, path)


def set_aside(bench: Bench, keys: Keys, note: bytes, path: str) -> str:
    """Seal a note that was written for a file and has no place there, as a memory of its own; its name."""
    safe = Safe(bench.vault)
    recipients = keys.recipients(safe)
    with bench.vault.locked():
        return name_of(safe.add(of_its_own(note, path), recipients))


def _changed(bench: Bench, note: bytes, change: Change, path: str) -> bytes:
    found = note if change.whole is None else change.whole
    if change.whole is not None and change.base is not None:
        found = rewritten(bench, path, base=change.base, wrote=change.whole, there=note)
    if change.body is not None:
        found = codec.with_body(found, f"{change.body.strip()}\n", path=path)
    if change.append is not None:
        found = codec.appended(found, change.append, path=path)
    if change.lists:
        found = codec.with_items(found, change.lists, path=path, kinds=bench.settings.kinds)
    return codec.with_fields(found, change.fields, path=path) if change.fields else found


def lying(bench: Bench, keys: Keys, ref: str) -> str:
    """The sealed file that a reference means, wherever it lies: among the memories, or else in the trash."""
    check_person(bench)
    safe = Safe(bench.vault)
    if path := by_name(safe.paths(), ref) or by_name(safe.gone(), ref):
        return path
    try:
        return named(bench, keys, ref)
    except NotFound:
        return named(bench, keys, ref, in_trash=True)


def named(bench: Bench, keys: Keys, ref: str, *, in_trash: bool = False) -> str:
    """The sealed file that a reference means; one that is named by its file needs no key, as its text is not read."""
    check_person(bench)
    safe = Safe(bench.vault)
    paths = safe.gone() if in_trash else safe.paths()
    if path := by_name(paths, ref):
        return path
    if not in_trash:
        return open_one(bench, keys, ref).memory.path
    wanted = ref.strip().casefold()
    opening = open_these(bench, keys, safe, paths)
    found = [one.memory.path for one in opening.found if wanted in (one.memory.title.casefold(), one.memory.id)]
    if not found:
        raise NotFound(ref=ref)
    return found[0]


def forget(bench: Bench, path: str, *, for_good: bool, dry_run: bool = False) -> Gone:
    """Move a sealed file to the trash, or remove it for good."""
    safe = Safe(bench.vault)
    if dry_run:
        return Gone(name_of(path), "")
    with bench.vault.locked():
        if for_good:
            safe.destroy(path)
            return Gone(name_of(path), "")
        return Gone(name_of(path), safe.throw_away(path))


def restore(bench: Bench, path: str, *, dry_run: bool = False) -> Gone:
    """Bring a sealed file back from the trash."""
    if dry_run:
        return Gone(name_of(path), "")
    with bench.vault.locked():
        return Gone(name_of(path), Safe(bench.vault).bring_back(path))
