"""Cards and listings of notes that are nowhere on disk: the catalogue is told of them, and asks nobody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from uuid import NAMESPACE_URL, uuid5

from memvault.core.memory import Card, Memory, Place
from memvault.core.query import ANY
from memvault.storage.index.index import Catalogue, Diff
from memvault.storage.vault.listing import Entries, StatKey
from memvault.text.terms import query_words

MADE = datetime(2026, 1, 5, 12, tzinfo=UTC)

Notes = Mapping[str, Card]


def id_of(name: str) -> str:
    return str(uuid5(NAMESPACE_URL, ascii(name)))


def card(path: str, text: str = "", *, links: tuple[str, ...] = (), **given: object) -> Card:
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
    return Card(memory, "", passages, tuple((0, len(part), "") for part in passages), links, f"digest of {text}")


def notes(*cards: Card) -> dict[str, Card]:
    return {each.memory.path: each for each in cards}


def key_of(each: Card, version: int = 1) -> StatKey:
    """What the disk would say of such a note; another text or version has another key."""
    inode = int(each.memory.id[:6], 16) + 1
    return len(each.text), 1_700_000_000_000_000_000 + version, 1_700_000_000_000_000_000 + version, inode


def listing(held: Notes, versions: Mapping[str, int] | None = None) -> list[tuple[str, Entries]]:
    """The folders of these notes, as a walk would give them."""
    folders: dict[str, list[tuple[str, StatKey]]] = {}
    for path, each in sorted(held.items()):
        folder, slash, name = path.rpartition("/")
        folders.setdefault(folder + slash, []).append((name, key_of(each, (versions or {}).get(path, 1))))
    return [(folder, Entries.of(entries)) for folder, entries in sorted(folders.items())]


def freshen(catalogue: Catalogue, held: Notes, versions: Mapping[str, int] | None = None) -> Diff:
    """Compare and take in, as the verb does."""
    with catalogue.lock():
        diff = catalogue.diff(listing(held, versions))
        catalogue.take_in(diff, drawn(diff, held), fallback_id=lambda path: id_of(f"instead of {path}"))
    return diff


def drawn(diff: Diff, held: Notes) -> Iterator[tuple[StatKey, Card]]:
    return ((key, held[path]) for path, key in diff.wanted())


def found(catalogue: Catalogue, question: str) -> list[str]:
    """The paths of what is found, best first."""
    hits = catalogue.search(query_words(question), filters=ANY, limit=100)
    return [hit.memory.path for hit in hits]
