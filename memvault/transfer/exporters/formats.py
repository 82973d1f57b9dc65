"""A bundle: the notes byte for byte, a list of them with their hashes, and the same once more as lines of JSON."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from types import MappingProxyType

from memvault.core import json as jsonable
from memvault.core.memory import Memory
from memvault.core.secrets.private_spans import has_unclosed_private, strip_private, strip_private_values
from memvault.core.weight import MemoryUse
from memvault.storage.vault import vault_file as charter
from memvault.storage.vault.context import VaultContext
from memvault.text.dates.dates import write_moment

# One memory as it goes out.


@dataclass(frozen=True, slots=True)
class ExportedMemory:
    """A memory with its bytes, its text, and what it weighs today."""

    memory: Memory
    raw: bytes
    text: str
    weight: float
    use: MemoryUse
    is_private: bool = False

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
        return replace(self, memory=memory, raw=b"", text=strip_private(self.text), is_private=False)


# Memories as lines of JSON, one each, for programs.


def export_jsonl(_context: VaultContext, exported: tuple[ExportedMemory, ...]) -> bytes:
    """Return one line a memory: its fields, where it lies, its text, what it weighs today and how often it was used."""
    return "".join(f"{jsonable.to_json_line(_json_row(one), ascii_only=False)}\n" for one in exported).encode(
        "utf-8", "replace"
    )


def _json_row(one: ExportedMemory) -> dict[str, object]:
    own = jsonable.memory_to_json(one.memory)
    dropped = ("version", "problem")
    kept = {name: value for name, value in own.items() if name not in dropped}
    return {**kept, "effective_weight": round(one.weight, 4), "uses": jsonable.to_json(one.use), "text": one.text}


SCHEMA = 1
MANIFEST, LINES, NOTES, PRIVATE = "manifest.json", "memories.jsonl", "notes/", "private/"
# The same notes make the same bundle, byte for byte; and no earlier day can be written into a zip.
_DAY = (1980, 1, 1, 0, 0, 0)


SealedFiles = Mapping[str, bytes]
"""Private memories, and the list of those they are sealed to: file names and bytes, sealed as they are."""
_NONE_SEALED: SealedFiles = MappingProxyType({})


def export_bundle(
    context: VaultContext, exported: tuple[ExportedMemory, ...], *, sealed: SealedFiles = _NONE_SEALED
) -> bytes:
    """Return the bundle, as a zip file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in _bundle_parts(context, exported, sealed):
            about = zipfile.ZipInfo(name, _DAY)
            about.compress_type = zipfile.ZIP_DEFLATED
            about.external_attr = 0o600 << 16
            archive.writestr(about, data)
    return buffer.getvalue()


def _bundle_parts(
    context: VaultContext, exported: tuple[ExportedMemory, ...], sealed: SealedFiles
) -> Iterator[tuple[str, bytes]]:
    yield MANIFEST, _make_manifest(context, exported, sealed)
    yield LINES, export_jsonl(context, exported)
    for one in exported:
        yield f"{NOTES}{one.memory.path}", one.raw
    for name, data in sealed.items():
        yield f"{PRIVATE}{name}", data


def _make_manifest(context: VaultContext, exported: tuple[ExportedMemory, ...], sealed: SealedFiles) -> bytes:
    own = charter.read_vault_file(context.vault.root)
    manifest = {
        "memvault": "bundle",
        "schema": SCHEMA,
        "format": own.format,
        "vault": own.id,
        "made": write_moment(context.now),
        "notes": [
            {"path": one.memory.path, "id": one.memory.id, "sha256": sha256(one.raw).hexdigest(), "bytes": len(one.raw)}
            for one in exported
        ],
    }
    if sealed:
        manifest["private"] = [
            {"name": name, "sha256": sha256(data).hexdigest(), "bytes": len(data)} for name, data in sealed.items()
        ]
    return (json.dumps(manifest, ensure_ascii=False, indent=1) + "\n").encode()


# Memories as one page of markdown, for people and for whatever reads a page.

_HEADING = re.compile(r"^(#{1,6})(?=[ \t])", re.MULTILINE)
_DEEPER = 2  # a memory's own headings stand below its title, which stands below its kind
_DEEPEST = 6


def export_markdown(context: VaultContext, exported: tuple[ExportedMemory, ...]) -> bytes:
    """Return the memories under their kinds and titles, each with where it comes from."""
    by_kind: dict[str, list[ExportedMemory]] = {}
    for one in exported:
        by_kind.setdefault(one.memory.kind, []).append(one)
    parts = [f"# Memories, {write_moment(context.now)[:10]}"]
    for kind in sorted(by_kind):
        parts.append(f"## {kind.capitalize()}")
        parts.extend("\n\n".join(_markdown_parts(one)) for one in by_kind[kind])
    return ("\n\n".join(parts) + "\n").encode("utf-8", "replace")


def _markdown_parts(one: ExportedMemory) -> Iterator[str]:
    memory = one.memory
    yield f"### {' '.join(memory.title.split())}"
    facts = [f"created {write_moment(memory.created)[:10]}", *(f"#{tag}" for tag in memory.tags), *memory.people]
    yield f"*{' · '.join(facts)} · `{memory.path}`*"
    if text := _without_title(one.text, memory.title).strip():
        yield _HEADING.sub(_deepen_heading, text)


def _without_title(text: str, title: str) -> str:
    first, _, rest = text.lstrip().partition("\n")
    return rest if first.strip() == f"# {title}" else text


def _deepen_heading(found: re.Match[str]) -> str:
    return "#" * min(len(found[1]) + _DEEPER, _DEEPEST)
