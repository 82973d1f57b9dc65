"""Memories on their way out: as they are, for another vault, or as text that any program reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from memvault.core.memory import Memory, Place
from memvault.core.query import Filters
from memvault.core.secrets.private_spans import has_private
from memvault.core.weight import MemoryUse
from memvault.errors import BadInput, MemvaultError
from memvault.privacy.private.store import ENDING
from memvault.storage import frontmatter
from memvault.storage.vault import codec
from memvault.storage.vault.context import VaultContext, expand_people
from memvault.system import files
from memvault.text.file_names import is_safe
from memvault.transfer.exporters import formats
from memvault.transfer.exporters.formats import ExportedMemory
from memvault.transfer.private_memories import sealed_files


@dataclass(frozen=True, slots=True)
class ExportResult:
    """What goes out, and what stays: notes with private text, and those that cannot be read."""

    data: bytes
    format: str
    notes: int
    private: tuple[str, ...]
    unread: tuple[str, ...]
    sealed: int = 0  # private memories that go along, sealed as they are
    barred: tuple[tuple[str, str], ...] = ()  # notes in a bundle that not every vault takes in, and why
    inside: bool = False  # the file lies in the vault itself, and goes wherever that goes


ExportFormat = Callable[[VaultContext, tuple[ExportedMemory, ...]], bytes]

# Format -> how it is made. A new one is a function here, and a word in the command's help.
FORMATS: Mapping[str, ExportFormat] = MappingProxyType(
    {"bundle": formats.export_bundle, "jsonl": formats.export_jsonl, "markdown": formats.export_markdown}
)


def export_memories(context: VaultContext, *, format: str, filters: Filters, with_private: bool) -> ExportResult:  # noqa: A002 - its name
    """Return the memories that meet some conditions, in a format that leaves the vault; nothing in it is changed."""
    if format not in FORMATS:
        raise BadInput(what="the format", value=format, reason=f"it must be one of {', '.join(FORMATS)}")
    context.refresh()
    found = context.index.memories(expand_people(context, filters))
    memories = sorted((memory for memory in found if memory.place is not Place.QUARANTINE), key=lambda each: each.path)
    uses = context.memory_uses(memories)
    exported: list[ExportedMemory] = []
    private: list[str] = []
    unread = list(context.vault.unreadable)  # a name that nothing can write down, a link to elsewhere
    for memory in memories:
        one = _read_exported(context, memory, uses[memory.id])
        if one is None:
            unread.append(memory.path)
        elif with_private or not one.is_private:
            exported.append(one)
        elif (
            format == "bundle" or one.is_private_throughout
        ):  # whole or not at all: a note of which a part is missing is another note
            private.append(memory.path)
        else:
            exported.append(one.redact_private())
    # What is sealed meets no condition that could be looked at, and is no text for other programs.
    sealed = sealed_files(context) if with_private and format == "bundle" and filters.is_empty else {}
    form = partial(formats.export_bundle, sealed=sealed) if sealed else FORMATS[format]
    count = sum(name.endswith(ENDING) for name in sealed)
    barred = tuple(_barred_notes(exported)) if format == "bundle" else ()
    return ExportResult(
        form(context, tuple(exported)), format, len(exported), tuple(private), tuple(unread), count, barred
    )


def _barred_notes(exported: Iterable[ExportedMemory]) -> Iterator[tuple[str, str]]:
    for one in exported:
        if not is_safe(one.memory.path):
            yield one.memory.path, "not every system can call a file so"
        elif not _accepts_source(one):
            yield one.memory.path, "it is not UTF-8 text"


def _accepts_source(one: ExportedMemory) -> bool:
    """Return whether another vault can write into the note where it comes from; without that it takes nothing."""
    try:
        one.raw.decode()
    except UnicodeDecodeError:
        try:
            codec.set_fields(one.raw, {"source": "import"}, path=one.memory.path)
        except MemvaultError:
            return False
    return True


def _read_exported(context: VaultContext, memory: Memory, use: MemoryUse) -> ExportedMemory | None:
    """Return a memory with all of its bytes, also where a recall would read a part of them."""
    try:
        raw = files.read_file(context.vault.absolute_path(memory.path))
    except MemvaultError:
        return None
    is_private = has_private(raw.decode("utf-8", "replace"))
    return ExportedMemory(
        memory, raw, frontmatter.parse(raw).text, context.memory_weight(memory, use), use, is_private=is_private
    )
