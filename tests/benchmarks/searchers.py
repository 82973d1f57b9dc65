"""Engines that search the same notes, each in a folder of its own behind the same few calls."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from memvault.core.memory import Memory, Place
from memvault.core.query import IndexDocument
from memvault.recall.ranking.question import query_words
from memvault.storage.index.index import BATCH
from memvault.storage.index.postings.write import lean_import
from memvault.storage.index.rows import search_document
from memvault.storage.index.search.whoosh import WhooshBackend
from memvault.storage.index.update import index_entry
from tests.benchmarks.corpus import MadeNote
from tests.benchmarks.fts5 import Table

MADE = datetime(2026, 1, 5, 12, tzinfo=UTC)
_WORD = re.compile(r"\w+")


class Row(NamedTuple):
    """A note as every engine gets it."""

    number: int
    title: str
    names: tuple[str, ...]
    body: str


def row_of(number: int, note: MadeNote) -> Row:
    """A made-up note under its number."""
    return Row(number, note.title, (*note.tags, *note.people), note.body)


class Searcher(Protocol):
    """An engine over one folder."""

    def build(self, rows: Iterable[Row]) -> None:
        """Take all notes in."""

    def settle(self) -> None:
        """What the engine has to do when there is time."""

    def open(self) -> None:
        """Open anew, with nothing remembered of earlier questions."""

    def ask(self, words: Sequence[str], limit: int) -> list[int]:
        """The numbers of the best notes that hold any of the words."""

    def update(self, row: Row) -> None:
        """Put a note in the place of the one of that number."""


class Ours:
    """The words of memvault's index: five fields, passages of 40 to 80 words, stemmed."""

    numpy: Any = None

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers: dict[int, int] = {}  # of notes that were changed: theirs in the index, which uses none twice
        self._backend = WhooshBackend(folder)
        self._next = max(self._backend.numbers(), default=0) + 1

    def build(self, rows: Iterable[Row]) -> None:
        """In batches, as the catalogue does it."""
        stream = iter(rows)
        while batch := list(islice(stream, BATCH)):
            self._backend.replace((self._document(row, row.number) for row in batch), ())
            self._next = batch[-1].number + 1

    def settle(self) -> None:
        """Merged into one segment."""
        self._backend.optimise()

    def open(self) -> None:
        """A backend that remembers nothing."""
        self._backend.close()
        self._backend = WhooshBackend(self._folder)

    def ask(self, words: Sequence[str], limit: int) -> list[int]:
        """As a recall does it, but for the rows."""
        found = self._backend.search(query_words(" ".join(words)), keep=None, limit=limit)
        return [match.number for match in found]

    def update(self, row: Row) -> None:
        """One gone, one come, in one commit."""
        before, self._numbers[row.number] = self._numbers.get(row.number, row.number), self._next
        self._backend.replace([self._document(row, self._next)], [before])
        self._next += 1

    def _document(self, row: Row, number: int) -> IndexDocument:
        memory = Memory(
            id=str(row.number),
            path=f"{row.number}.md",
            place=Place.MEMORIES,
            title=row.title,
            created=MADE,
            last_accessed=MADE,
            tags=row.names,
            body=row.body,
        )
        return search_document(number, index_entry(memory))


class Whoosh:
    """Whoosh as its manual begins: a text field with its stemmer, titles and names with the text."""

    def __init__(self, folder: Path) -> None:
        with lean_import():
            from whoosh import index, query
            from whoosh.analysis import StemmingAnalyzer
            from whoosh.fields import NUMERIC, TEXT, Schema
            from whoosh.filedb.filestore import FileStorage
        self._query, self._analyzer = query, StemmingAnalyzer()
        schema = Schema(number=NUMERIC(unique=True, stored=True), text=TEXT(analyzer=self._analyzer, phrase=False))
        self._index = FileStorage(str(folder), supports_mmap=False).create_index(schema)
        self._searcher: Any = None
        assert index

    def build(self, rows: Iterable[Row]) -> None:
        """In one commit."""
        writer = self._index.writer(limitmb=256)
        for row in rows:
            writer.add_document(number=row.number, text=_joined(row))
        writer.commit()

    def settle(self) -> None:
        """Nothing."""

    def open(self) -> None:
        """A searcher of its own."""
        self._searcher = self._index.searcher()

    def ask(self, words: Sequence[str], limit: int) -> list[int]:
        """Any word may match."""
        terms = [self._query.Term("text", token.text) for word in words for token in self._analyzer(word)]
        return [hit["number"] for hit in self._searcher.search(self._query.Or(terms), limit=limit)]

    def update(self, row: Row) -> None:
        """With the merging that it does by itself."""
        writer = self._index.writer()
        writer.update_document(number=row.number, text=_joined(row))
        writer.commit()


class Fts5:
    """SQLite's FTS5 with Porter's stemmer: title, names and body, the text in the table."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "fts5.db"
        self.open()

    def build(self, rows: Iterable[Row]) -> None:
        """In one transaction."""
        self._table.fill((row.number, _texts(row)) for row in rows)
        self._checkpoint()

    def settle(self) -> None:
        """Merged into one segment."""
        self._table.merge()
        self._checkpoint()

    def open(self) -> None:
        """A connection of its own."""
        self.close()
        self._base = sqlite3.connect(self._path, isolation_level=None)
        self._base.execute("pragma journal_mode = wal")
        self._table = Table(self._base, "title", "names", "body")

    def ask(self, words: Sequence[str], limit: int) -> list[int]:
        """Any word may match, best by bm25()."""
        return self._table.ask(words, limit)

    def update(self, row: Row) -> None:
        """One statement, one commit."""
        self._table.change(row.number, _texts(row))

    def close(self) -> None:
        """Let go of the file."""
        if hasattr(self, "_base"):
            self._base.close()

    def _checkpoint(self) -> None:
        self._base.execute("pragma wal_checkpoint(truncate)")


class Tantivy:
    """Tantivy by its Python package: title, names and body with an English stemmer, one thread."""

    def __init__(self, folder: Path) -> None:
        self._tantivy = tantivy = import_module("tantivy")
        schema = tantivy.SchemaBuilder()
        schema.add_integer_field("number", stored=True, indexed=True)
        for name in ("title", "names", "body"):
            schema.add_text_field(name, tokenizer_name="en_stem", index_option="freq")
        self._index = tantivy.Index(schema.build(), path=str(folder))
        self._searcher: Any = None

    def build(self, rows: Iterable[Row]) -> None:
        """In one commit."""
        writer = self._index.writer(num_threads=1)
        for row in rows:
            writer.add_document(self._document(row))
        writer.commit()
        writer.wait_merging_threads()

    def settle(self) -> None:
        """Nothing."""

    def open(self) -> None:
        """A searcher of the last commit."""
        self._index.reload()
        self._searcher = self._index.searcher()

    def ask(self, words: Sequence[str], limit: int) -> list[int]:
        """Any word may match in any field."""
        wanted = self._index.parse_query(" ".join(words), ["title", "names", "body"])
        found = self._searcher.search(wanted, limit).hits
        return [self._searcher.doc(address)["number"][0] for _, address in found]

    def update(self, row: Row) -> None:
        """Delete, add, commit, and look at what was committed."""
        writer = self._index.writer(num_threads=1)
        writer.delete_documents("number", row.number)
        writer.add_document(self._document(row))
        writer.commit()
        self._index.reload()

    def _document(self, row: Row) -> Any:
        return self._tantivy.Document(number=row.number, title=row.title, names=" ".join(row.names), body=row.body)


class Bm25s:
    """bm25s: scores of all words and notes worked out beforehand, held in memory, no single update."""

    def __init__(self, folder: Path) -> None:
        self._bm25s = import_module("bm25s")
        self._folder = folder
        self._made: Any = None

    def build(self, rows: Iterable[Row]) -> None:
        """From stemmed words, as ours has them."""
        from memvault.text.terms import extract_terms

        made = self._bm25s.BM25()
        made.index([extract_terms(_joined(row)) for row in rows], show_progress=False)
        made.save(str(self._folder))

    def settle(self) -> None:
        """Nothing."""

    def open(self) -> None:
        """Loaded from its files."""
        self._made = self._bm25s.BM25.load(str(self._folder))

    def ask(self, words: Sequence[str], limit: int) -> list[int]:
        """The best of all."""
        wanted = [[word.term for word in query_words(" ".join(words))]]
        found, _ = self._made.retrieve(wanted, k=limit, show_progress=False, n_threads=1)
        return [int(number) + 1 for number in found[0]]

    def update(self, row: Row) -> None:
        """There is no such thing but building anew."""
        raise NotImplementedError


def _texts(row: Row) -> tuple[str, str, str]:
    return row.title, " ".join(row.names), row.body


def _joined(row: Row) -> str:
    return "\n".join(_texts(row))


PURE, BULK, YARDSTICK = "memvault", "memvault, numpy", "FTS5"
ENGINES: Mapping[str, Callable[[Path], Searcher]] = MappingProxyType(
    {PURE: Ours, BULK: Ours, YARDSTICK: Fts5, "Whoosh": Whoosh, "tantivy": Tantivy, "bm25s": Bm25s}
)


def made(name: str, folder: Path) -> Searcher:
    """The engine of that name; ImportError where it is not installed."""
    if name == BULK:
        import_module("numpy")  # once it is loaded, ours takes to it
    return ENGINES[name](folder)


def words_of(text: str) -> Iterator[str]:
    """The words of a text, in small letters."""
    return (found[0] for found in _WORD.finditer(text.casefold()))
