"""What notes said before: kept from run to run, so that two copies of one are merged by what both began with."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta

from memvault.core.memory import Memory, Place
from memvault.core.plan import Operation, Step
from memvault.core.query import ANY
from memvault.core.secrets.private_spans import holds_private
from memvault.errors import MemvaultError
from memvault.storage.journal import tombstones
from memvault.storage.vault import codec
from memvault.storage.vault.context import Bench
from memvault.storage.vault.seen import Seen, Version
from memvault.system import files

_BATCH = 500
_MEGA = 1 << 20
_STAMP = "%Y%m%dT%H%M%SZ"
_APART = (Place.FOREIGN, Place.QUARANTINE)  # whose copies memvault never merges


def seen(bench: Bench) -> Seen:
    """What was kept so far, on whatever device."""
    return Seen(bench.vault.root, bench.vault.undo / "seen", bench.vault.device)


def keep_seen(bench: Bench) -> None:
    """Keep the memories that changed since the last time, and let go of what undo would let go of, too.

    Private text is not kept, nor is what was forgotten for good; a vault that cannot be written does without.
    """
    store = seen(bench)
    known = store.digests()
    memories = [memory for memory in bench.catalogue.memories(ANY) if memory.place not in _APART and memory.id]
    fresh = [memory for memory in memories if (memory.id, memory.version) not in known]
    with suppress(MemvaultError), bench.vault.locked():
        for start in range(0, len(fresh), _BATCH):
            store.add(_versions(bench, fresh[start : start + _BATCH], known))
        if fresh:
            _let_go(bench, store, {memory.id for memory in memories})


def beginnings(
    bench: Bench, operations: Sequence[Operation], id_: str, sides: tuple[bytes, bytes]
) -> Iterator[tuple[bytes, bool]]:
    """What two versions of a memory may have begun with, the likeliest first, and whether they surely have.

    They have where memvault made both of it, on whatever machine; of an edit by hand nobody noted what it was made in.
    """
    known = {version.digest: version.data for version in seen(bench).of(id_)}
    steps = [(operation.op, step) for operation in operations for step in operation.steps]
    sure = _common(steps, *(files.digest(side) for side in sides))
    before = {
        step.before: op for op, step in reversed(steps) if step.before and (step.id == id_ or step.before == sure)
    }
    for digest, op in before.items():
        if digest not in known and (data := bench.vault.log.kept(op, digest)) is not None:
            known[digest] = data
    if sure in known:
        yield known[sure], True
    yield from ((data, False) for digest, data in known.items() if digest != sure)


def _common(steps: Sequence[tuple[str, Step]], one: str, other: str) -> str:
    """The version that both were made of, by as few changes as may be; empty where that is not sure."""
    made_of: dict[str, list[str]] = {}
    for _, step in steps:
        if step.before and step.after and step.before != step.after:
            made_of.setdefault(step.after, []).append(step.before)
    ways = [_way_back(made_of, digest) for digest in (one, other)]
    nearest = {next((digest for digest in way if digest in there), "") for way, there in (ways, ways[::-1])}
    return nearest.pop() if len(nearest) == 1 else ""


def _way_back(made_of: Mapping[str, Sequence[str]], digest: str) -> list[str]:
    found = [digest]
    for each in found:  # it grows while it is walked
        found += [before for before in made_of.get(each, ()) if before not in found]
    return found


def _versions(bench: Bench, memories: list[Memory], known: Container[tuple[str, str]]) -> Iterator[Version]:
    eraser = tombstones.eraser(bench)
    for memory in memories:
        try:
            note = bench.vault.note(memory.path)
        except MemvaultError:
            continue
        text = note.raw.decode("utf-8", "replace")
        is_fit = codec.claims_id(note.block) and not holds_private(text) and not (eraser and eraser(text) != text)
        if is_fit and (memory.id, note.version) not in known:
            yield Version(memory.id, bench.now.strftime(_STAMP), note.raw)


def _let_go(bench: Bench, store: Seen, living: set[str]) -> None:
    oldest = (bench.now - timedelta(days=bench.settings.whole("undo.keep_days"))).strftime(_STAMP)
    most = bench.settings.whole("undo.keep_megabytes") * _MEGA
    store.let_go(lambda version: version.at >= oldest, living, keep_bytes=most)
