"""Whoosh: the index on disk. Everything about it stays in this file, inside what its forks have in common."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from memvault.index.backends.lean import lean_import

with lean_import():
    import_module("whoosh.codec.whoosh3")  # Whoosh imports these itself as soon as it reads
    import_module("whoosh.reading")
    from whoosh.analysis import IDAnalyzer
    from whoosh.columns import NumericColumn
    from whoosh.fields import COLUMN, ID, TEXT, Schema
    from whoosh.filedb.filestore import FileStorage
    from whoosh.index import FileIndex

from memvault import files
from memvault.core.query import Document, Match
from memvault.core.ranking.bm25f import BODY, CONTEXT, FIELDS, rarity, saturated
from memvault.core.terms import terms as terms_of
from memvault.index.backends import Keep
from memvault.index.backends.scoring import Part, matches

NAME = "MAIN"
_FILES = (".seg", ".toc")
MOST_SEGMENTS = 8
_PARTS = 1 << 16  # more passages than this of one memory are not indexed
_DEPTH, _DEPTH_PER_HIT = 512, 8


def _schema() -> Any:
    """Passages are documents; a memory's context stands on its first one, so that no title is repeated.

    The terms come ready made: no analyser of ours is pickled into the index.
    """
    text = {name: TEXT(analyzer=IDAnalyzer(), phrase=False) for name in FIELDS}
    return Schema(number=ID(), head=ID(), key=COLUMN(NumericColumn("q")), **text)


class WhooshBackend:
    """Finds memories in a Whoosh index."""

    def __init__(self, folder: Path) -> None:
        files.make_folder(folder)
        self._folder = folder
        # Without memory mapping: with it, Whoosh copies every segment into memory at each opening.
        storage = FileStorage(str(folder), supports_mmap=False)
        if not storage.index_exists(NAME):
            FileIndex.create(storage, _schema(), NAME)
        self._index = FileIndex(storage, schema=_schema(), indexname=NAME)
        self._reader: Any = None

    # -- writing

    def replace(self, documents: Iterable[Document], gone: Collection[int]) -> None:
        """Take documents in and let others go, in one commit."""
        writer = self._writer()
        try:
            for docnum in [docnum for number in gone for docnum in self._docnums(number)]:
                writer.delete_document(docnum)
            for document in documents:
                for fields in _rows(document):
                    writer.add_document(**fields)
        except BaseException:
            with suppress(Exception):  # the first trouble is the one to tell
                writer.cancel()
            raise
        writer.commit(merge=len(writer.segments) > MOST_SEGMENTS)
        self._forget_reader()

    def _writer(self) -> Any:
        from memvault.index.backends.lengths import WritingCodec  # readers have no use for it

        return self._index.writer(codec=WritingCodec())

    def _docnums(self, number: int) -> list[int]:
        return [docnum for docnum, _ in _postings(self._opened(), "number", str(number))]

    def state(self) -> str:
        """The number of the last commit, and how its files were left: nobody else has any business writing to them."""
        left = sorted(_files_left(self._folder))
        return f"{self._index.latest_generation()}:{files.digest(repr(left).encode())}"

    def optimise(self) -> None:
        """Merge all segments into one."""
        self._writer().commit(optimize=True)
        self._forget_reader()

    # -- reading

    def search(self, terms: Sequence[str], *, keep: Keep | None, limit: int) -> list[Match]:
        """Score term by term over the postings, then put passages together to memories."""
        reader = self._opened()  # one and the same to the end: another process may commit meanwhile
        if not reader.doc_count_all():  # Whoosh's reader of nothing answers hardly any question
            return []
        worth = _rarity(reader, terms)
        context: dict[int, float] = {}
        bodies: dict[int, float] = {}
        for name in FIELDS:
            _add_scores(reader, bodies if name == BODY else context, name, worth)
        keys = reader.column_reader("key")
        by_number: dict[int, float] = {}
        for docnum, score in context.items():
            by_number[_part(keys[docnum])[0]] = score
        return matches(by_number, self._best_passages(bodies, keys, context, keep, limit), keep=keep, limit=limit)

    def _best_passages(
        self, bodies: dict[int, float], keys: Any, context: dict[int, float], keep: Keep | None, limit: int
    ) -> Iterator[tuple[Part, float]]:
        """The passages worth looking at: the best ones, and those of memories whose context speaks for them."""
        depth, taken = _DEPTH + _DEPTH_PER_HIT * limit, 0
        for docnum in sorted(bodies, key=lambda docnum: (-bodies[docnum], docnum)):
            part = _part(keys[docnum])
            wanted = keep is None or keep(part[0])
            taken += wanted
            if taken > depth and docnum not in context:
                continue
            if wanted:
                yield part, bodies[docnum]

    def rarity(self, terms: Sequence[str]) -> dict[str, float]:
        """How much each term says, by the field in which it is commonest."""
        return _rarity(self._opened(), terms)

    def numbers(self) -> set[int]:
        """The numbers of all memories held."""
        reader = self._opened()
        if not reader.doc_count_all():
            return set()
        keys = reader.column_reader("key")
        return {_part(keys[docnum])[0] for docnum in reader.all_doc_ids()}

    def _opened(self) -> Any:
        """A reader of what was committed last, by whatever process."""
        if self._reader is None or not self._reader_is_current():
            self._forget_reader()
            self._reader = self._index.reader()
        return self._reader

    def _reader_is_current(self) -> bool:
        return bool(self._reader.generation() == self._index.latest_generation())

    def _forget_reader(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def close(self) -> None:
        """Let go of files."""
        self._forget_reader()
        self._index.close()


def _files_left(folder: Path) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(_FILES):
                with suppress(FileNotFoundError):  # another process that commits is just taking old ones away
                    stat = entry.stat()
                    yield entry.name, stat.st_size, stat.st_mtime_ns


def _add_scores(reader: Any, scores: dict[int, float], name: str, worth: dict[str, float]) -> None:
    weight, average = FIELDS[name], _average(reader, name)
    for term, value in worth.items():
        for docnum, frequency in _postings(reader, name, term):
            length = reader.doc_field_length(docnum, name, 1)
            scores[docnum] = scores.get(docnum, 0.0) + value * saturated(frequency, length, average, weight)


def _postings(reader: Any, name: str, term: str) -> Iterator[tuple[int, float]]:
    if (name, term.encode()) not in reader:
        return
    matcher = reader.postings(name, term.encode())
    while matcher.is_active():
        yield matcher.id(), matcher.weight()
        matcher.next()


def _average(reader: Any, name: str) -> float:
    texts = reader.doc_count_all() if name == BODY else reader.doc_frequency("head", b"1")
    return float(reader.field_length(name) / max(texts, 1))


def _rarity(reader: Any, terms: Sequence[str]) -> dict[str, float]:
    total = reader.doc_count_all()
    return {term: rarity(_holding(reader, term) if total else 0, total) for term in dict.fromkeys(terms)}


def _holding(reader: Any, term: str) -> int:
    return max(int(reader.doc_frequency(name, term.encode())) for name in FIELDS)


def _rows(document: Document) -> Iterator[dict[str, object]]:
    number = str(document.number)
    for part, passage in enumerate((document.passages or ("",))[:_PARTS]):
        fields: dict[str, object] = {"number": number, "key": document.number * _PARTS + part}
        context = CONTEXT if part == 0 else ()
        if part == 0:
            fields["head"] = "1"
        texts = {BODY: passage, **{name: getattr(document, name) for name in context}}
        for name, text in texts.items():
            if found := terms_of(text):
                fields[name] = found
        yield fields


def _part(key: int) -> Part:
    return key // _PARTS, key % _PARTS
