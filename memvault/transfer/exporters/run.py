"""Memories on their way out: as they are, for another vault, or as text that any program reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from memvault.core.memory import Memory, Place
from memvault.core.query import Filters
from memvault.core.secrets.private_spans import holds_private
from memvault.core.weight import Use
from memvault.errors import BadInput, MemvaultError
from memvault.privacy.private.store import ENDING
from memvault.privacy.private.transfer import sealed_files
from memvault.storage import frontmatter
from memvault.storage.vault import codec
from memvault.storage.vault.context import Bench, for_anyone_meant
from memvault.system import files
from memvault.text.file_names import is_safe
from memvault.transfer.exporters import formats
from memvault.transfer.exporters.formats import Taken


@dataclass(frozen=True, slots=True)
class Exported:
    """What goes out, and what stays: notes with private text, and those that cannot be read."""

    data: bytes
    format: str
    notes: int
    private: tuple[str, ...]
    unread: tuple[str, ...]
    sealed: int = 0  # private memories that go along, sealed as they are
    barred: tuple[tuple[str, str], ...] = ()  # notes in a bundle that not every vault takes in, and why
    inside: bool = False  # the file lies in the vault itself, and goes wherever that goes


Form = Callable[[Bench, tuple[Taken, ...]], bytes]

# Format -> how it is made. A new one is a function here, and a word in the command's help.
FORMATS: Mapping[str, Form] = MappingProxyType(
    {"bundle": formats.made_bundle, "jsonl": formats.made_lines, "markdown": formats.made_page}
)


def export(bench: Bench, *, format: str, filters: Filters, with_private: bool) -> Exported:  # noqa: A002 - its name
    """The memories that meet some conditions, in a format that leaves the vault; nothing in it is changed."""
    if format not in FORMATS:
        raise BadInput(what="the format", value=format, reason=f"it must be one of {', '.join(FORMATS)}")
    bench.freshen()
    found = bench.catalogue.memories(for_anyone_meant(bench, filters))
    memories = sorted((memory for memory in found if memory.place is not Place.QUARANTINE), key=lambda each: each.path)
    uses = bench.uses(memories)
    taken: list[Taken] = []
    private: list[str] = []
    unread = list(bench.vault.unreadable)  # a name that nothing can write down, a link to elsewhere
    for memory in memories:
        one = _taken(bench, memory, uses[memory.id])
        if one is None:
            unread.append(memory.path)
        elif with_private or not one.is_private:
            taken.append(one)
        elif (
            format == "bundle" or one.is_private_throughout
        ):  # whole or not at all: a note of which a part is missing is another note
            private.append(memory.path)
        else:
            taken.append(one.without_private())
    # What is sealed meets no condition that could be looked at, and is no text for other programs.
    sealed = sealed_files(bench) if with_private and format == "bundle" and filters.empty else {}
    form = partial(formats.made_bundle, sealed=sealed) if sealed else FORMATS[format]
    count = sum(name.endswith(ENDING) for name in sealed)
    barred = tuple(_barred(taken)) if format == "bundle" else ()
    return Exported(form(bench, tuple(taken)), format, len(taken), tuple(private), tuple(unread), count, barred)


def _barred(taken: Iterable[Taken]) -> Iterator[tuple[str, str]]:
    for one in taken:
        if not is_safe(one.memory.path):
            yield one.memory.path, "not every system can call a file so"
        elif not _can_be_signed(one):
            yield one.memory.path, "it is not UTF-8 text"


def _can_be_signed(one: Taken) -> bool:
    """Whether another vault can write into the note where it comes from; without that it takes nothing."""
    try:
        one.raw.decode()
    except UnicodeDecodeError:
        try:
            codec.with_fields(one.raw, {"source": "import"}, path=one.memory.path)
        except MemvaultError:
            return False
    return True


def _taken(bench: Bench, memory: Memory, use: Use) -> Taken | None:
    """A memory with all of its bytes, also where a recall would read a part of them."""
    try:
        raw = files.read(bench.vault.absolute(memory.path))
    except MemvaultError:
        return None
    is_private = holds_private(raw.decode("utf-8", "replace"))
    return Taken(memory, raw, frontmatter.parse(raw).text, bench.weight(memory, use), use, is_private=is_private)
