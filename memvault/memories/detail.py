"""The long file behind a memory: how the two point at each other, and go the same ways."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from posixpath import normpath

from memvault.core.ids import target_name
from memvault.core.memory import Memory, Place
from memvault.errors import MemvaultError
from memvault.storage.vault import codec
from memvault.storage.vault.context import Bench
from memvault.storage.vault.layout import TRASH

_LEAD_WORDS = 80
_POINTER = "More: [[{}]]"
_HEAD = "Detail of [[{}]]."
_POINTER_SAID = r"\s*^More: \[\[[^\]\n]+\]\]\s*\Z"
_HEAD_SAID = r"\A\s*Detail of \[\[[^\]\n]+\]\]\.[ \t]*\n+"
_CUT = " …"


def lead(text: str, detail: Memory) -> str:
    """What stands in the memory itself: what can be read at a glance, and where the rest is."""
    words = text.split()
    short = text if len(words) <= _LEAD_WORDS else f"{' '.join(words[:_LEAD_WORDS])}{_CUT}"
    return f"{short}\n\n{_POINTER.format(detail.name)}"


def body_of_detail(memory: Memory, text: str) -> str:
    """What stands in the long file: whose detail it is, and the text."""
    return f"{_HEAD.format(memory.name)}\n\n{text}"


def said_by(memory: Memory, details: Iterable[Memory] = ()) -> tuple[str, ...]:
    """The texts that a memory stands for: what it says, without its pointers too, and what its detail files say."""
    bodies = (memory.body or "", *(detail.body or "" for detail in details))
    texts = (text.strip() for body in bodies for text in (body, _without_pointers(body)))
    found = tuple(dict.fromkeys(filter(None, texts)))
    return found or (memory.title,)


def _without_pointers(body: str) -> str:
    return re.sub(_HEAD_SAID, "", re.sub(_POINTER_SAID, "", body, flags=re.MULTILINE))


def details_of(bench: Bench, memory: Memory) -> list[Memory]:
    """The long files that are a memory's own: those it names, unless another memory points there too."""
    places = _WAITING if memory.place is Place.QUARANTINE else _ACCEPTED
    found = (_detail(bench, reference, places) for reference in memory.refs.get("deep_context", ()))
    return [detail for detail in found if detail is not None and _is_own(bench, memory, detail)]


def _detail(bench: Bench, reference: str, places: tuple[Place, ...]) -> Memory | None:
    link = reference.removeprefix("[[").removesuffix("]]")
    name = target_name(link)
    known = [other.path for other in bench.catalogue.find(name) if other.path == reference or other.name == name]
    beside = f"{bench.vault.layout.quarantine}{name}.md"
    path = next((path for path in (link, *known, beside) if _lies_in(bench, path, places)), "")
    return read_at(bench, path) if path else None


def _lies_in(bench: Bench, path: str, places: tuple[Place, ...]) -> bool:
    # A reference is somebody's text: it may lead round a corner.
    is_straight = normpath(path) == path and "\\" not in path
    return is_straight and bench.vault.place(path) in places and bench.vault.exists(path)


_ACCEPTED, _WAITING = (Place.DEEP,), (Place.DEEP, Place.QUARANTINE)
_UNTRUSTED = ("tool", "web")


def _is_own(bench: Bench, memory: Memory, detail: Memory) -> bool:
    others = {other.path for other in bench.catalogue.links_to(detail.name)} - {memory.path, detail.path}
    if others or detail.path == memory.path:
        return False
    # What came from the web may name any file as its detail; that alone does not make it so.
    is_theirs = detail.more.get("source") in _UNTRUSTED or f"[[{memory.name}]]" in (detail.body or "")
    return memory.place is not Place.QUARANTINE or detail.place is Place.QUARANTINE or is_theirs


def read_at(bench: Bench, path: str) -> Memory | None:
    """The memory that a file holds which the catalogue may not know; None where it cannot be read."""
    try:
        note = bench.vault.note(path)
    except MemvaultError:
        return None
    place = bench.vault.place(path) or Place.MEMORIES
    origin = codec.Origin(path, place, "", note.modified, note.modified, bench.zone, bench.settings.kinds)
    return codec.read(note.block, origin, version=note.version)


def gone_details(bench: Bench, memory: Memory) -> Iterator[tuple[Memory, str]]:
    """The detail files of a memory that went to the trash with it, and where each lay."""
    for path in memory.refs.get("deep_context", ()):
        if bench.vault.place(path) not in _WAITING or bench.vault.exists(path):
            continue
        steps = (step for op in bench.vault.log.operations() for step in op.steps)
        went = (step.to for step in steps if step.do == "move" and step.path == path)
        now_at = next((to for to in went if to.startswith(f"{TRASH}/") and bench.vault.exists(to)), "")
        detail = read_at(bench, now_at) if now_at else None
        if detail is not None:
            yield detail, path
