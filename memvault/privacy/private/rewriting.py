"""A whole private note that somebody wrote, and what others sealed while they did: made one, in memory alone."""

from __future__ import annotations

import uuid

from memvault.errors import CannotEdit, ChangedMeanwhile
from memvault.storage import frontmatter
from memvault.storage.vault import codec
from memvault.storage.vault.context import Bench
from memvault.sync.merging.note import Ground, merged


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
