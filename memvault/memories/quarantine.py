"""What came from the web or from tools and waits: looked through, taken in, or refused for good."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memvault.core.ids import is_prefix
from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.plan import About, Change, Move, Plan
from memvault.errors import Ambiguous, NotFound, NothingToDo
from memvault.memories.remember import details_of, read_at, said_by
from memvault.storage.journal import tombstones
from memvault.storage.journal.apply import apply_one
from memvault.storage.permissions import check_is_person
from memvault.storage.vault.context import Bench
from memvault.storage.vault.layout import TRASH

_UNTRUSTED = "web"  # where a waiting note says nothing of its source


@dataclass(frozen=True, slots=True)
class Decided:
    """Memories that were taken in or refused, each as it lies now, with the paths they waited at."""

    memories: tuple[Memory, ...]
    came_from: tuple[str, ...]
    op: str = ""


def waiting(bench: Bench) -> list[Memory]:
    """The memories in quarantine with their texts, the oldest first; looking at them is no use of them."""
    found = list(_waiting(bench))
    return sorted(found, key=lambda memory: (memory.created, memory.path))


def _waiting(bench: Bench) -> Iterator[Memory]:
    folder = bench.vault.root / bench.vault.layout.quarantine
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        relative = bench.vault.relative(path)
        if relative is None or bench.vault.place(relative) is not Place.QUARANTINE or not path.is_file():
            continue
        memory = read_at(bench, relative)
        if memory is None:
            continue  # a link that leads out of the vault, or a file that cannot be read: `doctor` tells
        yield memory if "source" in memory.more else memory.changed(more={**memory.more, "source": _UNTRUSTED})


def accept(bench: Bench, refs: Sequence[str], *, dry_run: bool = False) -> Decided:
    """Move waiting memories into Tier 2; they keep their source, and so stay out of Tier 0 and 1 by themselves."""
    check_is_person(bench, "takes in what waits in quarantine")
    bench.freshen()
    chosen, details = _with_details(bench, _chosen(bench, refs))
    taken: set[str] = set()
    moves = [_accepted(bench, memory, taken) for memory in chosen]
    folder = bench.vault.layout.deep
    along = [
        _along(bench, detail, folder, taken) for detail in details if bench.vault.place(detail.path) is not Place.DEEP
    ]
    moves = [_pointing(memory, move, along) for memory, move in zip(chosen, moves, strict=True)]
    return _decide(bench, "accept", chosen, moves, [*moves, *along], dry_run=dry_run)


def refuse(bench: Bench, refs: Sequence[str], *, dry_run: bool = False) -> Decided:
    """Move waiting memories and the detail files behind them to the trash, and do not learn them again."""
    bench.freshen()
    chosen, details = _with_details(bench, _chosen(bench, refs))
    taken: set[str] = set()
    moves = [
        Move(memory.path, free_name(bench, f"{TRASH}/", memory, taken), "refused", version=memory.version)
        for memory in chosen
    ]
    along = [_along(bench, detail, f"{TRASH}/", taken) for detail in details]
    texts = [text for memory in (*chosen, *details) for text in said_by(memory)]
    marks = [] if dry_run else tombstones.laid(bench, texts, why="refuse")
    return _decide(bench, "refuse", chosen, moves, [*moves, *along, *marks], dry_run=dry_run)


def _with_details(bench: Bench, chosen: list[Memory]) -> tuple[list[Memory], list[Memory]]:
    """What was chosen, and the long files behind it, which are not decided on for themselves."""
    details = {detail.path: detail for memory in chosen for detail in details_of(bench, memory)}
    return [memory for memory in chosen if memory.path not in details], list(details.values())


def _along(bench: Bench, detail: Memory, folder: str, taken: set[str]) -> Move:
    # It keeps its source: what is accepted is no more trusted in detail than as a whole.
    fields: dict[str, FieldValue | None] = {} if "source" in detail.stated else {"source": _UNTRUSTED}
    is_refused = folder.startswith(TRASH)
    target = free_name(bench, folder, detail, taken)
    return Move(
        detail.path, target, "the detail behind it", fields={} if is_refused else fields, version=detail.version
    )


def _pointing(memory: Memory, move: Move, along: Sequence[Move]) -> Move:
    """A memory that is accepted names its detail file by the path it lies at since."""
    went = {detail.path: detail.to for detail in along}
    named = memory.refs.get("deep_context", ())
    now_named = tuple(went.get(path, path) for path in named)
    return move if now_named == named else replace(move, fields={**move.fields, "refs.deep_context": now_named})


def _decide(
    bench: Bench, verb: str, chosen: list[Memory], moves: list[Move], changes: Sequence[Change], *, dry_run: bool
) -> Decided:
    places = [bench.vault.place(move.to) or memory.place for memory, move in zip(chosen, moves, strict=True)]
    now_at = tuple(
        memory.changed(path=move.to, place=place) for memory, move, place in zip(chosen, moves, places, strict=True)
    )
    op = "" if dry_run else apply_one(Plan(verb, tuple(changes)), bench).op
    return Decided(now_at, tuple(memory.path for memory in chosen), op)


def _accepted(bench: Bench, memory: Memory, taken: set[str]) -> Move:
    # In Tier 2 a note that says nothing of its source counts as the user's own.
    fields: dict[str, FieldValue | None] = {} if "source" in memory.stated else {"source": _UNTRUSTED}
    target = free_name(bench, bench.vault.layout.memories, memory, taken)
    return Move(memory.path, target, "accepted", fields=fields, version=memory.version, about=About(id=memory.id))


def free_name(bench: Bench, folder: str, memory: Memory, taken: set[str]) -> str:
    """The path for a note that keeps its name, unless another note has it."""
    stem, dot, ending = memory.path.rpartition("/")[2].rpartition(".")
    name, turn = f"{stem}{dot}{ending}", 2
    while folder + name in taken or bench.vault.exists(folder + name) or _is_name_of_another(bench, folder, name):
        name, turn = f"{stem}-{turn}{dot}{ending}", turn + 1
    taken.add(folder + name)
    return folder + name


def _is_name_of_another(bench: Bench, folder: str, name: str) -> bool:
    return not folder.startswith(TRASH) and bench.catalogue.has_name(name)


def _chosen(bench: Bench, refs: Sequence[str]) -> list[Memory]:
    """The waiting memories that are meant, each once."""
    if not refs:
        raise NothingToDo(reason="None of the waiting memories is named.")
    found = waiting(bench)
    chosen = {memory.path: memory for ref in refs for memory in [_meant(ref, found)]}
    return list(chosen.values())


def _meant(ref: str, waiting_: list[Memory]) -> Memory:
    wanted = ref.strip().casefold()
    exact = [memory for memory in waiting_ if wanted in _names(memory)]
    found = exact or [memory for memory in waiting_ if is_prefix(wanted) and memory.id and memory.id.startswith(wanted)]
    if not found:
        raise NotFound(ref=ref)
    if len(found) > 1:
        names = ", ".join(f"{memory.id[:8]} {memory.path}".strip() for memory in found[:5])
        raise Ambiguous(ref=ref, count=len(found), names=names)
    return found[0]


def _names(memory: Memory) -> tuple[str, ...]:
    file = memory.path.rpartition("/")[2]
    return tuple(name.casefold() for name in (memory.path, file, memory.name, memory.title, memory.id) if name)
