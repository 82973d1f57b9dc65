"""Cards and listings of notes that are nowhere on disk: the catalogue is told of them, and asks nobody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from uuid import NAMESPACE_URL, uuid5

from memvault.core.memory import IndexEntry, Memory, Place
from memvault.core.query import NO_FILTERS
from memvault.recall.ranking.question import query_words
from memvault.storage.index.index import Index, IndexDiff
from memvault.storage.vault.listing import FolderEntries, pack
from memvault.system.files import StatKey

MADE = datetime(2026, 1, 5, 12, tzinfo=UTC)

Notes = Mapping[str, IndexEntry]


def id_of(name: str) -> str:
    return str(uuid5(NAMESPACE_URL, ascii(name)))


def card(path: str, text: str = "", *, links: tuple[str, ...] = (), **given: object) -> IndexEntry:
    """A note that says something; its id comes from its path unless another is claimed."""
    fields: dict[str, object] = {
        "id": id_of(path),
        "title": path.rpartition("/")[2].removesuffix(".md").replace("-", " "),
        "place": Place.MEMORIES,
        "created": MADE,
        "last_accessed": MADE,
        **given,
    }
    memory = Memory(path=path, **fields)  # type: ignore[arg-type]
    passages = (text,) if text else ()
    return IndexEntry(memory, "", passages, tuple((0, len(part), "") for part in passages), links, f"digest of {text}")


def notes(*cards: IndexEntry) -> dict[str, IndexEntry]:
    return {each.memory.path: each for each in cards}


def entries_of(listed: Iterable[tuple[str, StatKey]]) -> FolderEntries:
    """The entries of a folder with these notes, in this order."""
    entries = FolderEntries()
    for name, key in listed:
        entries.names.append(name)
        entries.keys.extend(pack(*key))
    return entries


def key_of(each: IndexEntry, version: int = 1) -> StatKey:
    """What the disk would say of such a note; another text or version has another key."""
    inode = int(each.memory.id[:6], 16) + 1
    return len(each.text), 1_700_000_000_000_000_000 + version, 1_700_000_000_000_000_000 + version, inode


def listing(held: Notes, versions: Mapping[str, int] | None = None) -> list[tuple[str, FolderEntries]]:
    """The folders of these notes, as a walk would give them."""
    folders: dict[str, list[tuple[str, StatKey]]] = {}
    for path, each in sorted(held.items()):
        folder, slash, name = path.rpartition("/")
        folders.setdefault(folder + slash, []).append((name, key_of(each, (versions or {}).get(path, 1))))
    return [(folder, entries_of(entries)) for folder, entries in sorted(folders.items())]


def freshen(catalogue: Index, held: Notes, versions: Mapping[str, int] | None = None) -> IndexDiff:
    """Compare and take in, as the verb does."""
    with catalogue.lock():
        diff = catalogue.compare_listing(listing(held, versions))
        catalogue.update_notes(diff, drawn(diff, held), fallback_id=lambda path: id_of(f"instead of {path}"))
    return diff


def drawn(diff: IndexDiff, held: Notes) -> Iterator[tuple[StatKey, IndexEntry]]:
    return ((key, held[path]) for path, key in diff.paths_to_read())


def found(catalogue: Index, question: str) -> list[str]:
    """The paths of what is found, best first."""
    hits = catalogue.search(query_words(question), filters=NO_FILTERS, limit=100)
    return [hit.memory.path for hit in hits]
