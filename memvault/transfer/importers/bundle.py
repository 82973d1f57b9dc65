"""A bundle, as `memvault export` writes it: every note is held against its hash before a byte of it is used."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

from memvault.core.fields import SOURCES
from memvault.core.ids import is_id
from memvault.core.memory import Memory, Place
from memvault.core.plan import About, Create, Rewrite
from memvault.core.secrets.private_spans import cleaned, without_private
from memvault.errors import BadInput, Forgotten, Unreadable
from memvault.memories.screen import marks_of, redacted, secrets_in
from memvault.storage import frontmatter
from memvault.storage.index.update import body_digest
from memvault.storage.vault import codec
from memvault.storage.vault.context import Bench
from memvault.sync.merging.note import Ground as MergeGround
from memvault.sync.merging.note import identity_of, merged
from memvault.system import files
from memvault.system.files.append_only import intact
from memvault.text.file_names import is_safe, is_within
from memvault.text.markdown import heading_of, title_from_name
from memvault.transcripts.formats.entries import Item, Member, entries
from memvault.transcripts.model.record import Bad
from memvault.transfer.exporters.formats import MANIFEST, NOTES, SCHEMA
from memvault.transfer.importers.create import Ground, Made, One
from memvault.transfer.importers.item import Item as Read
from memvault.transfer.importers.item import Source, Unread, Whole
from memvault.transfer.importers.json import Row, is_zip, row_of

_CHUNK = 256 * 1024
_MOST, _MOST_TIMES = 1024**3, 50  # bytes that all of it may come to, and how often its own size besides
_MOST_MEMBERS = 100
_LONGEST_NOTE = 16 * 1024 * 1024


def read(path: Path) -> Iterator[Read]:
    """Every note that the list names and that is what the list says; nothing else in the archive is looked at."""
    if not is_zip(path):
        raise Unreadable(path=path, reason="it is no bundle: a bundle is a zip file")
    with files.stream(path) as stream, intact(path), ZipFile(stream) as archive:
        left = _MOST + _MOST_TIMES * stream.seek(0, 2)
        for vault, row in _listed(path, archive):
            item = row if isinstance(row, Unread) else _note(path, archive, row, vault)
            left -= len(item.raw) if isinstance(item, Whole) else 0
            if left < 0:
                raise Unreadable(path=path, reason="there is more in it than any notes can come to")
            yield item


def _listed(path: Path, archive: ZipFile) -> Iterator[tuple[str, Row | Unread]]:
    """The rows of the list, with the vault it is of; what is no list of ours, or of a later day, is Unreadable."""
    if MANIFEST not in archive.namelist():
        raise Unreadable(path=path, reason=f"it is no bundle: there is no {MANIFEST} in it")
    said: dict[str, object] = {}
    is_checked = False
    with archive.open(MANIFEST) as opened:
        for event in entries(iter(lambda: opened.read(_CHUNK), b""), inner=frozenset({"notes"})):
            match event:
                case Member() if len(said) < _MOST_MEMBERS:
                    said[event.name] = event.value
                case Item():
                    is_checked = is_checked or _check(path, said)
                    yield str(said.get("vault", "")), row_of(path, f"byte {event.at:,} of {MANIFEST}", event.data)
                case Bad():
                    yield "", Unread(path, event.why, f"{event.where} of {MANIFEST}")
                case _:
                    pass
    _check(path, said)


def _check(path: Path, said: Mapping[str, object]) -> bool:
    """True where a list is one that this program knows how to read."""
    schema = said.get("schema")
    if said.get("memvault") != "bundle" or not isinstance(schema, int):
        raise Unreadable(path=path, reason=f"it is no bundle: its {MANIFEST} says something else")
    if schema > SCHEMA:
        raise Unreadable(path=path, reason="a newer memvault has made it, and this one does not know how to read it")
    return True


def _note(path: Path, archive: ZipFile, row: Row, vault: str) -> Whole | Unread:
    name, size = row.values.get("path"), row.values.get("bytes")
    if not isinstance(name, str):
        return Unread(path, "it has no path", row.where)
    if not is_within(name, windows=sys.platform == "win32"):
        return Unread(path, "its path leads elsewhere, or no file can be called so on this system", name or row.where)
    if not isinstance(size, int) or not 0 <= size <= _LONGEST_NOTE:
        return Unread(path, "it is too long for a note", name)
    try:
        with intact(path), archive.open(f"{NOTES}{name}") as opened:
            data = opened.read(size + 1)  # a bomb is let go of as soon as it is longer than it says
    except Unreadable:
        return Unread(path, "it is missing or damaged", name)
    if len(data) != size or sha256(data).hexdigest() != row.text("sha256"):
        return Unread(path, "it is not what the list says: its hash differs", name)
    id_ = row.text("id").casefold()
    return Whole(path=name, id=id_ if is_id(id_) else "", raw=data, vault=vault)


SOURCE = Source("bundle", "a bundle", read)


# One note of another vault on its way in: byte for byte where it is trusted, made one with what is here already.

_ABOVE = SOURCES[: SOURCES.index("import")]  # trusted more than an import
_OWN = (Place.IDENTITY, Place.HOT)  # where only this vault's own person and upkeep put anything


def whole_one(ground: Ground, whole: Whole) -> tuple[One, tuple[Made, ...]]:
    """What becomes of a note, and the changes that it takes."""
    bench = ground.bench
    # What an agent brings in is no more trusted for a name that anybody can write into a bundle.
    is_trusted = not bench.actor.agent and (ground.wish.as_mine or whole.vault == bench.vault.charter.id)
    raw = whole.raw if is_trusted else _lowered(whole)
    block = frontmatter.parse(raw)
    origin = MergeGround(whole.path, bench.vault.charter.id, bench.zone, kinds=bench.settings.kinds)
    id_ = identity_of(raw, origin) or whole.id
    title = str(block.fields.get("title") or heading_of(block.text) or title_from_name(_stem(whole.path)))
    one = One("new", title, whole.path, whole.path, id_)
    there = bench.catalogue.known(id_) if id_ else None
    if there is not None and bench.vault.exists(there.path):
        return _again(ground, one, raw, there, is_trusted=is_trusted)
    if _is_there(ground, whole.path, raw):
        return One("unchanged", title, whole.path, whole.path, id_), ()
    _check_not_forgotten(bench, block, whole.path)
    path = ground.free(_path(ground, whole, is_trusted=is_trusted), exactly=is_trusted)
    ground.texts[body_digest(block.text)] = path
    return One("new", title, whole.path, path, id_), (Create(path, raw, "from a bundle", _about(id_, path, raw)),)


def _about(id_: str, path: str, raw: bytes) -> About:
    """A note that does not say which memory it is keeps the id that it had: the ledger says it."""
    if not id_ or codec.claims_id(frontmatter.parse(raw)):
        return About(id=id_)
    return About(id=id_, notes=(({"e": "id", "id": id_, "path": path, "sha": files.digest(raw)}, None),))


def _again(ground: Ground, one: One, raw: bytes, there: Memory, *, is_trusted: bool) -> tuple[One, tuple[Made, ...]]:
    """The one that is here takes in what the other says besides; where they contradict, both stay, and each says so."""
    bench = ground.bench
    ours = files.read(bench.vault.absolute(there.path))
    here = One("unchanged", one.title, one.origin, there.path, there.id)
    if ours == raw:
        return here, ()
    if not is_trusted and there.more.get("source", SOURCES[0]) in _ABOVE:
        # Whoever makes a bundle can write any id into it.
        return replace(here, outcome="yours", why="another vault says otherwise; what is here stays as it is"), ()
    _check_not_forgotten(bench, frontmatter.parse(raw), one.origin)
    origin = MergeGround(there.path, bench.vault.charter.id, bench.zone, there.id, bench.settings.kinds)
    found = merged(None, ours, raw, origin)
    rewrite = Rewrite(there.path, found.raw, files.digest(ours), "it takes in what the bundle says")
    changes: tuple[Made, ...] = (rewrite,) if found.raw != ours else ()
    if found.parked is None:
        return (One("merged", one.title, one.origin, there.path, there.id), changes) if changes else (here, ())
    if bench.catalogue.known(found.parked_id) is not None:
        return here, ()
    path = ground.free(f"{there.path.removesuffix('.md')}-{found.parked_id[:8]}.md")
    beside = Create(path, found.parked, "it contradicts what is here", About(id=found.parked_id))
    why = f"it contradicts {there.path} ({', '.join(found.about)}): `memvault resolve` says which of them holds"
    return One("beside", one.title, one.origin, path, found.parked_id, why), (*changes, beside)


def _check_not_forgotten(bench: Bench, block: frontmatter.Block, path: str) -> None:
    """Refuse what was forgotten, whether it stands in the text, in a field, or in the name."""
    others = (_tuples(block.fields), title_from_name(_stem(path)))
    if marks_of(bench, without_private(block.text), cleaned(others)):
        raise Forgotten()


def _tuples(value: object) -> object:
    match value:
        case list():
            return tuple(map(_tuples, value))
        case Mapping():
            return {name: _tuples(part) for name, part in value.items()}
        case _:
            return value


def _is_there(ground: Ground, path: str, raw: bytes) -> bool:
    vault = ground.bench.vault
    return vault.exists(path) and files.read(vault.absolute(path)) == raw


def _path(ground: Ground, whole: Whole, *, is_trusted: bool) -> str:
    """Where the note goes: where it lay, or into Tier 2 where that is not for strangers."""
    layout, place = ground.bench.vault.layout, ground.bench.vault.place(whole.path)
    if place is None:
        raise BadInput(what="the path", value=whole.path, reason="no memories lie there")
    if not is_trusted and not is_safe(whole.path):
        reason = "not every system can call a file so; from a vault of yours, --as-mine brings it in under that name"
        raise BadInput(what="the path", value=whole.path, reason=reason)
    return whole.path if is_trusted or place not in _OWN else f"{layout.memories}{whole.path.rpartition('/')[2]}"


def _lowered(whole: Whole) -> bytes:
    """A note of somebody else's: no more trusted than any import, and without secrets."""
    raw = whole.raw
    block = frontmatter.parse(raw)
    source = block.fields.get("source")
    if not source or source in _ABOVE:
        raw = codec.with_fields(raw, {"source": "import"}, path=whole.path)
    elif source not in SOURCES:  # it means something else there, and stays as it is
        raw = codec.with_fields(raw, {"tainted": True}, path=whole.path)
    if any(secrets_in(block.text)):
        raw = codec.with_body(raw, redacted(block.text), path=whole.path)
    if any(secrets_in(raw.decode("utf-8", "replace"))):
        raise BadInput(what="the frontmatter", value=whole.path, reason="what looks like a secret stands in it")
    return raw


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]
