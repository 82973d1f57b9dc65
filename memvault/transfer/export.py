"""Memories on their way out: as they are, for another vault, or as text that any program reads."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256

from memvault.core.memory import Memory, Place
from memvault.core.query import Filters
from memvault.core.secrets.private_spans import has_private, has_unclosed_private, strip_private, strip_private_values
from memvault.core.weight import MemoryUse
from memvault.errors import BadInput, MemvaultError
from memvault.privacy.private.store import ENDING, RECIPIENTS, PrivateStore
from memvault.storage import frontmatter
from memvault.storage.vault import codec
from memvault.storage.vault import vault_file as charter
from memvault.storage.vault.context import VaultContext, expand_people
from memvault.system import files
from memvault.text.dates.dates import write_moment
from memvault.text.display import neutralize_text
from memvault.text.file_names import is_safe
from memvault.transfer import json_values as jsonable

FORMATS = ("bundle", "jsonl", "markdown")


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


@dataclass(frozen=True, slots=True)
class ExportedMemory:
    """A memory with its bytes, its text, and what it weighs today."""

    memory: Memory
    raw: bytes
    text: str
    weight: float
    use: MemoryUse

    @property
    def is_private_throughout(self) -> bool:
        """Return whether a private span crosses lines of the frontmatter, so that no part can be exported."""
        whole = self.raw.decode("utf-8", "replace")
        above = whole[: len(whole) - len(self.text)] if whole.endswith(self.text) else whole
        return any(map(has_unclosed_private, above.splitlines()))

    def redact_private(self) -> ExportedMemory:
        """Return the same without what is marked as private; its bytes are not for giving away then."""
        memory = self.memory.with_changes(
            title=strip_private(self.memory.title), more=strip_private_values(self.memory.more)
        )
        return replace(self, memory=memory, raw=b"", text=strip_private(self.text))


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
    for done, memory in enumerate(memories):
        context.report_stage("Exporting", done, len(memories))
        one = _read_exported(context, memory, uses[memory.id])
        if one is None:
            unread.append(memory.path)
        elif with_private or not has_private(one.raw.decode("utf-8", "replace")):
            exported.append(one)
        elif format == "bundle" or one.is_private_throughout:
            private.append(memory.path)  # whole or not at all: a note of which a part is missing is another note
        else:
            exported.append(one.redact_private())
    if format != "bundle":
        write = _export_jsonl if format == "jsonl" else _export_markdown
        return ExportResult(write(context, exported), format, len(exported), tuple(private), tuple(unread))
    # What is sealed meets no condition that could be looked at, and is no text for other programs.
    sealed = _sealed_files(context) if with_private and filters.is_empty else {}
    count = sum(name.endswith(ENDING) for name in sealed)
    parts = {
        MANIFEST: _make_manifest(context, exported, sealed),
        LINES: _export_jsonl(context, exported),
        **{f"{NOTES}{one.memory.path}": one.raw for one in exported},
        **{f"{PRIVATE}{name}": data for name, data in sealed.items()},
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            about = zipfile.ZipInfo(name, _DAY)
            about.compress_type = zipfile.ZIP_DEFLATED
            about.external_attr = 0o600 << 16
            archive.writestr(about, data)
    data = buffer.getvalue()
    barred = tuple(_barred_notes(exported))
    return ExportResult(data, format, len(exported), tuple(private), tuple(unread), count, barred)


def _read_exported(context: VaultContext, memory: Memory, use: MemoryUse) -> ExportedMemory | None:
    """Return a memory with all of its bytes, also where a recall would read a part of them."""
    try:
        raw = files.read_file(context.vault.absolute_path(memory.path))
    except MemvaultError:
        return None
    return ExportedMemory(memory, raw, frontmatter.parse(raw).text, context.memory_weight(memory, use), use)


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


def _sealed_files(context: VaultContext) -> Mapping[str, bytes]:
    """Return the private memories as they are, and the list of recipients, by name."""
    store = PrivateStore(context.vault)
    found = {path.rpartition("/")[2]: store.read_sealed(path) for path in store.memory_paths()}
    return {**found, RECIPIENTS: store.read_list()} if found and store.named_recipients() else found


# Lines of JSON, one for each memory, for programs.


def _export_jsonl(_context: VaultContext, exported: Iterable[ExportedMemory]) -> bytes:
    rows = (f"{jsonable.to_json_line(_json_row(one), ascii_only=False)}\n" for one in exported)
    return "".join(rows).encode("utf-8", "replace")


def _json_row(one: ExportedMemory) -> dict[str, object]:
    fields = {k: v for k, v in jsonable.memory_to_json(one.memory).items() if k not in ("version", "problem")}
    return {**fields, "effective_weight": round(one.weight, 4), "uses": jsonable.to_json(one.use), "text": one.text}


# A bundle: the notes byte for byte, a list of them with their hashes, and the same once more as lines of JSON.

SCHEMA = 1
MANIFEST, LINES, NOTES, PRIVATE = "manifest.json", "memories.jsonl", "notes/", "private/"
# The same notes make the same bundle, byte for byte; and no earlier day can be written into a zip.
_DAY = (1980, 1, 1, 0, 0, 0)


def _make_manifest(context: VaultContext, exported: list[ExportedMemory], sealed: Mapping[str, bytes]) -> bytes:
    own = charter.read_vault_file(context.vault.root)
    manifest: dict[str, object] = {
        "memvault": "bundle",
        "schema": SCHEMA,
        "format": own.format,
        "vault": own.id,
        "made": write_moment(context.now),
        "notes": [{"path": one.memory.path, "id": one.memory.id, **_describe_bytes(one.raw)} for one in exported],
    }
    if sealed:
        manifest["private"] = [{"name": name, **_describe_bytes(data)} for name, data in sealed.items()]
    return (json.dumps(manifest, ensure_ascii=False, indent=1) + "\n").encode()


def _describe_bytes(data: bytes) -> dict[str, object]:
    return {"sha256": sha256(data).hexdigest(), "bytes": len(data)}


# One page of markdown, for people and for whatever reads a page.

_HEADING = re.compile(r"^(#{1,6})(?=[ \t])", re.MULTILINE)
_DEEPER = 2  # a memory's own headings stand below its title, which stands below its kind
_DEEPEST = 6


def _export_markdown(context: VaultContext, exported: Iterable[ExportedMemory]) -> bytes:
    """Return the memories under their kinds and titles, each with where it comes from: to be read, so neutralized."""
    by_kind: dict[str, list[ExportedMemory]] = {}
    for one in exported:
        by_kind.setdefault(one.memory.kind, []).append(one)
    parts = [f"# Memories, {write_moment(context.now)[:10]}"]
    for kind in sorted(by_kind):
        parts.append(f"## {kind.capitalize()}")
        parts.extend("\n\n".join(_markdown_parts(one)) for one in by_kind[kind])
    return neutralize_text("\n\n".join(parts) + "\n").encode("utf-8", "replace")


def _markdown_parts(one: ExportedMemory) -> Iterator[str]:
    memory = one.memory
    yield f"### {' '.join(memory.title.split())}"
    facts = [f"created {write_moment(memory.created)[:10]}", *(f"#{tag}" for tag in memory.tags), *memory.people]
    yield f"*{' · '.join(facts)} · `{memory.path}`*"
    first, _, rest = one.text.lstrip().partition("\n")
    if text := (rest if first.strip() == f"# {memory.title}" else one.text).strip():
        yield _HEADING.sub(lambda found: "#" * min(len(found[1]) + _DEEPER, _DEEPEST), text)
