"""A bundle, as `memvault export` writes it: every note is held against its hash before a byte of it is used."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import IO
from zipfile import ZipFile

from memvault.core.ids import is_id
from memvault.core.kinds import KINDS
from memvault.core.memory import SOURCES, TRUSTED, Memory, Place
from memvault.core.plan import ChangeSubject, CreateFile, RewriteNote
from memvault.core.secrets.private_spans import strip_private, strip_private_values
from memvault.core.secrets.scan import redact_secrets
from memvault.errors import BadInput, Forgotten, NothingToDo, Unreadable
from memvault.memories.screen import find_forgotten, find_secrets
from memvault.privacy.private.store import ENDING, RECIPIENTS, PrivateStore, is_sealed
from memvault.storage import frontmatter
from memvault.storage.index.update import body_digest
from memvault.storage.merging.merge_note import NoteContext as MergeGround
from memvault.storage.merging.merge_note import merge_note, note_identity
from memvault.storage.vault import codec
from memvault.storage.vault.codec import file_stem, find_origin
from memvault.storage.vault.context import VaultContext
from memvault.system import files
from memvault.system.age import parse_recipients
from memvault.system.files.append_only import archive_errors
from memvault.text.file_names import is_safe, is_within
from memvault.text.markdown import first_heading, title_from_name
from memvault.transcripts.formats.entries import JsonItem, ObjectMember, parse_entries
from memvault.transcripts.model.record import UnreadableEntry
from memvault.transfer.export import MANIFEST, NOTES, PRIVATE, SCHEMA
from memvault.transfer.importers.create import FileChange, ImportContext, ImportOutcome
from memvault.transfer.importers.item import BundleNote, ImportItem, ImportSource, UnreadItem
from memvault.transfer.importers.json import JsonRow, is_zip, parse_row

_CHUNK = 256 * 1024
_MOST, _MOST_TIMES = 1024**3, 50  # bytes that all of it may come to, and how often its own size besides
_MOST_MEMBERS = 100
_LONGEST_NOTE = 16 * 1024 * 1024
_LONGEST_LIST = 256 * 1024 * 1024


def read_bundle(path: Path) -> Iterator[ImportItem]:
    """Yield every note that the list names and that is what the list says; nothing else in the archive is looked at."""
    if not is_zip(path):
        raise Unreadable(path=path, reason="it is no bundle: a bundle is a zip file")
    with files.open_stream(path) as stream, archive_errors(path), ZipFile(stream) as archive:
        left = _MOST + _MOST_TIMES * stream.seek(0, 2)
        for vault, row in _listed_rows(path, archive):
            item = row if isinstance(row, UnreadItem) else _read_note(path, archive, row, vault)
            left -= len(item.raw) if isinstance(item, BundleNote) else 0
            if left < 0:
                raise Unreadable(path=path, reason="there is more in it than any notes can come to")
            yield item


def _listed_rows(path: Path, archive: ZipFile) -> Iterator[tuple[str, JsonRow | UnreadItem]]:
    """Yield the rows of the manifest with their vault; raise Unreadable for a foreign or newer manifest."""
    manifest: dict[str, object] = {}
    is_checked = False
    with _open_manifest(path, archive) as opened:
        for event in parse_entries(iter(lambda: opened.read(_CHUNK), b""), inner=frozenset({"notes"})):
            match event:
                case ObjectMember() if len(manifest) < _MOST_MEMBERS:
                    manifest[event.name] = event.value
                case JsonItem():
                    is_checked = is_checked or _check_manifest(path, manifest)
                    where = f"byte {event.at:,} of {MANIFEST}"
                    yield str(manifest.get("vault", "")), parse_row(path, where, event.data)
                case UnreadableEntry():
                    yield "", UnreadItem(path, event.why, f"{event.where} of {MANIFEST}")
                case _:
                    pass
    _check_manifest(path, manifest)


def _open_manifest(path: Path, archive: ZipFile) -> IO[bytes]:
    if MANIFEST not in archive.namelist():
        raise Unreadable(path=path, reason=f"it is no bundle: there is no {MANIFEST} in it")
    return archive.open(MANIFEST)


def _check_manifest(path: Path, manifest: Mapping[str, object]) -> bool:
    """Return True if this version can read the manifest."""
    schema = manifest.get("schema")
    if manifest.get("memvault") != "bundle" or not isinstance(schema, int):
        raise Unreadable(path=path, reason=f"it is no bundle: its {MANIFEST} says something else")
    if schema > SCHEMA:
        raise Unreadable(path=path, reason="a newer memvault has made it, and this one does not know how to read it")
    return True


def _read_note(path: Path, archive: ZipFile, row: JsonRow, vault: str) -> BundleNote | UnreadItem:
    name = row.values.get("path")
    if not isinstance(name, str):
        return UnreadItem(path, "it has no path", row.where)
    if not is_within(name, windows=sys.platform == "win32"):
        why = "its path leads elsewhere, or no file can be called so on this system"
        return UnreadItem(path, why, name or row.where)
    try:
        data = _read_listed(path, archive, f"{NOTES}{name}", row.values)
    except ValueError as error:
        return UnreadItem(path, str(error), name)
    id_ = row.first_text("id").casefold()
    return BundleNote(path=name, id=id_ if is_id(id_) else "", raw=data, vault=vault)


def _read_listed(path: Path, archive: ZipFile, name: str, row: Mapping[str, object]) -> bytes:
    """Return a file that is what its row in the list says, or raise ValueError with what is wrong."""
    size = row.get("bytes")
    if not isinstance(size, int) or not 0 <= size <= _LONGEST_NOTE:
        raise ValueError("it is too long for a note")
    try:
        with archive_errors(path), archive.open(name) as opened:
            data = opened.read(size + 1)  # a bomb is let go of as soon as it is longer than it says
    except Unreadable:
        raise ValueError("it is missing or damaged") from None
    if len(data) != size or sha256(data).hexdigest() != row.get("sha256"):
        raise ValueError("it is not what the list says: its hash differs")
    return data


BUNDLE_SOURCE = ImportSource("bundle", "a bundle", read_bundle)


# One note of another vault on its way in: byte for byte where it is trusted, made one with what is here already.

_OWN_PLACES = (Place.IDENTITY, Place.HOT)  # where only this vault's own person and upkeep put anything


def import_note(imports: ImportContext, whole: BundleNote) -> tuple[ImportOutcome, tuple[FileChange, ...]]:
    """Return what becomes of a note, and the changes that it takes."""
    context = imports.context
    # What an agent brings in is no more trusted for a name that anybody can write into a bundle.
    is_trusted = not context.actor.agent and (imports.options.as_mine or whole.vault == context.vault.vault_file.id)
    raw = whole.raw if is_trusted else _untrusted_bytes(whole)
    block = frontmatter.parse(raw)
    origin = MergeGround(whole.path, context.vault.vault_file.id, context.zone, kinds=context.settings.kinds)
    id_ = note_identity(raw, origin) or whole.id
    title = str(block.fields.get("title") or first_heading(block.text) or title_from_name(file_stem(whole.path)))
    one = ImportOutcome("new", title, whole.path, whole.path, id_)
    there = context.index.memory_by_id(id_) if id_ else None
    if there is not None and context.vault.exists(there.path):
        return _merge_existing(imports, one, raw, there, is_trusted=is_trusted)
    vault = context.vault
    if vault.exists(whole.path) and files.read_file(vault.absolute_path(whole.path)) == raw:
        return replace(one, outcome="unchanged"), ()
    _check_not_forgotten(context, block, whole.path)
    path = imports.claim_path(_target_path(imports, whole, is_trusted=is_trusted), exactly=is_trusted)
    imports.texts[body_digest(block.text)] = path
    # A note that does not say its id keeps it through the ledger.
    is_silent = bool(id_) and not codec.claims_id(block)
    notes = (({"e": "id", "id": id_, "path": path, "sha": files.digest(raw)}, None),) if is_silent else ()
    made = CreateFile(path, raw, "from a bundle", ChangeSubject(id=id_, notes=notes))
    return replace(one, path=path), (made,)


def _merge_existing(
    imports: ImportContext, one: ImportOutcome, raw: bytes, there: Memory, *, is_trusted: bool
) -> tuple[ImportOutcome, tuple[FileChange, ...]]:
    """Merge the bundle's version into the note that is here; keep both where they contradict."""
    context = imports.context
    ours = files.read_file(context.vault.absolute_path(there.path))
    here = ImportOutcome("unchanged", one.title, one.origin, there.path, there.id)
    if ours == raw:
        return here, ()
    if not is_trusted and there.source in TRUSTED:
        # Whoever makes a bundle can write any id into it.
        return replace(here, outcome="yours", why="another vault says otherwise; what is here stays as it is"), ()
    _check_not_forgotten(context, frontmatter.parse(raw), one.origin)
    origin = MergeGround(there.path, context.vault.vault_file.id, context.zone, there.id, context.settings.kinds)
    found = merge_note(None, ours, raw, origin)
    rewrite = RewriteNote(there.path, found.raw, files.digest(ours), "it takes in what the bundle says")
    changes: tuple[FileChange, ...] = (rewrite,) if found.raw != ours else ()
    if found.parked is None:
        return (replace(here, outcome="merged"), changes) if changes else (here, ())
    if context.index.memory_by_id(found.parked_id) is not None:
        return here, ()
    path = imports.claim_path(f"{there.path.removesuffix('.md')}-{found.parked_id[:8]}.md")
    beside = CreateFile(path, found.parked, "it contradicts what is here", ChangeSubject(id=found.parked_id))
    why = f"it contradicts {there.path} ({', '.join(found.contested)}): `memvault review` asks which of them holds"
    return ImportOutcome("beside", one.title, one.origin, path, found.parked_id, why), (*changes, beside)


def _check_not_forgotten(context: VaultContext, block: frontmatter.ParsedNote, path: str) -> None:
    """Refuse what was forgotten, whether it stands in the text, in a field, or in the name."""
    others = (_as_tuples(block.fields), title_from_name(file_stem(path)))
    if find_forgotten(context, strip_private(block.text), strip_private_values(others)):
        raise Forgotten()


def _as_tuples(value: object) -> object:
    match value:
        case list():
            return tuple(map(_as_tuples, value))
        case Mapping():
            return {name: _as_tuples(part) for name, part in value.items()}
        case _:
            return value


def _target_path(imports: ImportContext, whole: BundleNote, *, is_trusted: bool) -> str:
    """Return where the note goes: where it lay, or into Tier 2 where that is not for strangers."""
    layout, place = imports.context.vault.layout, imports.context.vault.place_of(whole.path)
    if place is None:
        raise BadInput(what="the path", value=whole.path, reason="no memories lie there")
    if not is_trusted and not is_safe(whole.path):
        reason = "not every system can call a file so; from a vault of yours, --as-mine brings it in under that name"
        raise BadInput(what="the path", value=whole.path, reason=reason)
    return whole.path if is_trusted or place not in _OWN_PLACES else f"{layout.memories}{whole.path.rpartition('/')[2]}"


def _untrusted_bytes(whole: BundleNote) -> bytes:
    """Return a note of somebody else's: no more trusted than any import, and without secrets."""
    raw = whole.raw
    block = frontmatter.parse(raw)
    source = block.fields.get("source")
    if not source or source in TRUSTED:
        elsewhere = find_origin({**block.fields, "source": ""}, block.text, KINDS.fields)
        raw = codec.set_fields(raw, {"source": elsewhere or "import"}, path=whole.path)
    elif source not in SOURCES:  # it means something else there, and stays as it is
        raw = codec.set_fields(raw, {"tainted": True}, path=whole.path)
    if any(find_secrets(block.text)):
        raw = codec.replace_body(raw, redact_secrets(block.text), path=whole.path)
    if any(find_secrets(raw.decode("utf-8", "replace"))):
        raise BadInput(what="the frontmatter", value=whole.path, reason="what looks like a secret stands in it")
    return raw


# Private memories in a bundle, sealed as they are.


@dataclass(frozen=True, slots=True)
class PrivateImportResult:
    """The result of importing a bundle's private memories, by file name."""

    new: tuple[str, ...]
    unchanged: tuple[str, ...]
    refused: tuple[str, ...]
    dry_run: bool


def import_sealed(context: VaultContext, path: Path, *, dry_run: bool = False) -> PrivateImportResult:
    """Import the private memories of a bundle; one whose name is taken gets another."""
    store = PrivateStore(context.vault)
    by: dict[str, list[str]] = {"new": [], "unchanged": [], "refused": []}
    with context.vault.lock_vault():
        there = {files.digest(store.read_sealed(each)) for each in store.memory_paths()}
        for name, data in _sealed_files(path):
            is_new = bool(data) and files.digest(data) not in there
            if name != RECIPIENTS or not data:
                by["new" if is_new else "unchanged" if data else "refused"].append(name)
            if dry_run or not is_new:
                continue
            if name != RECIPIENTS:
                store.put_sealed(name, data)
            elif not store.named_recipients():
                store.name_recipients(parse_recipients(data))
    return PrivateImportResult(**{name: tuple(names) for name, names in by.items()}, dry_run=dry_run)


def _sealed_files(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the sealed files in the bundle's list with their bytes; none where these do not match the list."""
    with files.open_stream(path) as stream, archive_errors(path), ZipFile(stream) as archive:
        with _open_manifest(path, archive) as opened:
            manifest = json.loads(opened.read(_LONGEST_LIST))
        rows = manifest.get("private") if isinstance(manifest, dict) else None
        if not isinstance(rows, list):
            raise NothingToDo(reason="The bundle has no private memories: `memvault export --private` includes them.")
        for row in rows:
            if isinstance(row, dict):
                yield str(row.get("name", "")), _read_sealed(path, archive, row)


def _read_sealed(path: Path, archive: ZipFile, row: Mapping[str, object]) -> bytes:
    name = str(row.get("name", ""))
    if name != RECIPIENTS and not (name.endswith(ENDING) and is_safe(name) and "/" not in name):
        return b""
    with suppress(ValueError):
        data = _read_listed(path, archive, f"{PRIVATE}{name}", row)
        return data if name == RECIPIENTS or is_sealed(data) else b""
    return b""
