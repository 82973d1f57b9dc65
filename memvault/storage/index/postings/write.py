"""Writes a term index through Whoosh's lock, writer, segments and cleanup, in a format of our own."""

from __future__ import annotations

import sys
import warnings
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from heapq import merge
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, Protocol

from memvault.errors import Busy
from memvault.storage.index.postings.contents import (
    NAME,
    NEVER_WRITTEN,
    SEGMENT,
    SegmentInfo,
    TableOfContents,
    contains_number,
    encode_contents,
    read_contents,
)
from memvault.storage.index.postings.segment import SegmentBuilder, SegmentFile, StoredPostings, TermPostings
from memvault.system import files

# Importing Whoosh without packages that it imports but never calls when searching.


@contextmanager
def lean_import() -> Iterator[None]:
    """Replace an HTTP client and asyncio, 25 ms of every start, while Whoosh is imported.

    Whoosh imports one for `urlretrieve`, which it never calls, and the other through a package whose `cached_property`
    the standard library has too. Later imports get the real ones.
    """
    wanted = {
        "urllib.request": _stub_module("urllib.request", urlretrieve=None),
        "cached_property": _stub_module("cached_property", cached_property=cached_property),
    }
    absent = {name: module for name, module in wanted.items() if name not in sys.modules}
    sys.modules.update(absent)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # old escapes in its sources, reported at the first compilation
            yield
    finally:
        for name in absent:
            del sys.modules[name]


def _stub_module(name: str, **content: Any) -> ModuleType:
    module = ModuleType(name, "Stands in while Whoosh is imported.")
    vars(module).update(content)
    return module


with lean_import():
    from whoosh.codec.base import Segment
    from whoosh.filedb.filestore import FileStorage
    from whoosh.index import TOC, LockError, clean_files
    from whoosh.writing import SegmentWriter

WAIT_SECONDS = 60.0
MOST_TERMS = 3_000_000  # held in memory; beyond, one commit writes several segments
MOST_SEGMENTS = 32  # in a folder where nothing was ever merged

Texts = Mapping[str, Sequence[str]]
Opened = Mapping[str, SegmentFile]
NONE_OPENED: Opened = MappingProxyType({})


def replace_documents(
    folder: Path,
    fields: tuple[str, ...],
    documents: Iterable[tuple[int, Texts]],
    gone: Iterable[range],
    *,
    opened: Opened = NONE_OPENED,
) -> None:
    """Add and delete documents in one commit; files that are already open are not opened again."""
    with _open_writer(folder, fields, opened) as writer:
        for wanted in gone:
            writer.delete_keys(wanted)
        for key, texts in documents:
            writer.add_postings(key, texts)
        writer.commit(merge=False)
        segments = len(writer.kept)
    if segments > MOST_SEGMENTS:
        merge_segments(folder, fields)


def merge_segments(folder: Path, fields: tuple[str, ...], *, all_segments: bool = False) -> bool:
    """Merge all segments, or the small ones and those with many deletions, if there are enough; tell whether."""
    with _open_writer(folder, fields) as writer:
        chosen = list(writer.segments) if all_segments else _choose_small(writer.segments)
        if not chosen or (len(chosen) == 1 and not chosen[0].has_deletions()):
            writer.cancel()
            return False
        writer.commit(mergetype=lambda _, segments: writer.merge_segments(chosen, segments))
        return True


def _choose_small(segments: list[LeanSegment]) -> list[LeanSegment]:
    """Choose segments from the smallest up, so that nothing is copied often."""
    chosen: list[LeanSegment] = []
    held = 0
    for segment in sorted(segments, key=LeanSegment.doc_count_all):
        if _is_mostly_deleted(segment) or not chosen or segment.doc_count() <= 2 * held:
            chosen.append(segment)
            held += segment.doc_count()
    return chosen if len(chosen) > 2 or any(map(_is_mostly_deleted, chosen)) else []


def _is_mostly_deleted(segment: LeanSegment) -> bool:
    return segment.deleted_count() * 4 > segment.doc_count_all()


@contextmanager
def _open_writer(folder: Path, fields: tuple[str, ...], opened: Opened = NONE_OPENED) -> Iterator[LeanWriter]:
    files.make_folder(folder)
    index = LeanIndex(folder, fields, opened)
    try:
        writer = LeanWriter(index)
    except LockError:
        raise Busy(path=folder, seconds=WAIT_SECONDS) from None
    except BaseException:
        with suppress(Exception):  # report the first error: without the lock, unlocking fails as well
            index.unlock()
        raise
    try:
        yield writer
    except BaseException:
        if not writer.is_closed:
            with suppress(Exception):  # report the first error
                writer.cancel()
        raise


class LeanSegment(Segment):  # type: ignore[misc]  # Whoosh has no types
    """A segment as Whoosh's writer sees it: counted, with deletions marked."""

    def __init__(self, folder: Path, part: SegmentInfo | None = None, file: SegmentFile | None = None) -> None:
        super().__init__(NAME)
        self._folder = folder
        self._part = part
        self._gone: Sequence[int] = part.gone if part else ()
        self._going: set[int] = set()
        self._file = file
        if part:
            self.segid = part.id.removeprefix(f"{NAME}_")

    def segment_info(self) -> SegmentInfo:
        """Return its row in the table of contents."""
        assert self._part is not None, "it is written"
        gone = array("I", sorted([*self._gone, *self._going])) if self._going else self._part.gone
        return SegmentInfo(self._part.id, self._part.documents, self._part.directory, gone)

    def write_file(self, source: SegmentSource, index: LeanIndex) -> None:
        """Write its file."""
        with self.create_file(index, SEGMENT) as sink:
            maker = SegmentBuilder(sink)
            for term, found in source.terms():
                maker.add_term(term, found)
            keys = source.keys()
            place = maker.finish(keys, {field: source.lengths(field) for field in index.fields})
        self._part = SegmentInfo(self.segment_id(), len(keys), place, array("I"))

    def segment_file(self) -> SegmentFile:
        """Return its file, opened once."""
        if self._file is None:
            self._file = SegmentFile(self._folder, self.segment_info())
        return self._file

    def doc_count_all(self) -> int:
        """Return how many documents it was written with."""
        return self._part.documents if self._part else 0

    def deleted_count(self) -> int:
        """Return how many of its documents are deleted."""
        return len(self._gone) + len(self._going)

    def delete_documents(self, keys: range) -> None:
        """Mark the documents whose keys lie in a range as deleted."""
        numbers = self.segment_file().documents_in(keys)
        self._going.update(number for number in numbers if not contains_number(self._gone, number))


class LeanIndex(FileStorage):  # type: ignore[misc]
    """The index, folder and codec that Whoosh's writer asks for, without temporary files: nothing is sorted on disk."""

    indexname = NAME

    def __init__(self, folder: Path, fields: tuple[str, ...], opened: Opened) -> None:
        super().__init__(str(folder), supports_mmap=False)
        self.fields = fields
        self._path = folder
        self._opened = opened
        self._lock: Any = None

    @property
    def storage(self) -> LeanIndex:
        """Return itself; as an attribute, that would keep segments open until garbage is looked for."""
        return self

    def lock(self, name: str) -> Any:
        """Return Whoosh's own lock, which is released when a process is killed."""
        self._lock = super().lock(f"{NAME}_{name}")
        return self._lock

    def unlock(self) -> None:
        """Release the lock for a writer that could not be made."""
        if self._lock is not None:
            self._lock.release()

    def _read_toc(self) -> Any:
        """Return the table of contents; the writer calls it with the lock held."""
        contents = read_contents(self._path, self.fields)
        if contents.state == NEVER_WRITTEN:  # written first: segments without it would mean that it was lost
            self.write_contents(TableOfContents(0, ()))
        segments = [LeanSegment(self._path, part, self._opened.get(part.id)) for part in contents.parts]
        return TOC(None, segments, contents.generation)

    def write_contents(self, contents: TableOfContents) -> None:
        """Write the table of contents of one generation."""
        # Named like an unknown segment's file, so that a leftover is cleaned up.
        temporary = f"{NAME}_contents.tmp"
        with self.create_file(temporary) as sink:
            sink.write(encode_contents(contents, self.fields))
        self.rename_file(temporary, TOC._filename(NAME, contents.generation), safe=True)

    def new_segment(self, *_: Any) -> LeanSegment:
        """Return an empty segment to write."""
        return LeanSegment(self._path)

    def temp_storage(self, *_: Any) -> LeanIndex:
        """Return itself: nothing is put there, and making and removing a folder is slow."""
        return self

    def _do_nothing(self, *_: Any) -> None:
        """Do nothing: a segment is written at once, and nothing was put aside."""

    destroy = per_document_writer = field_writer = _do_nothing


class LeanWriter(SegmentWriter):  # type: ignore[misc]
    """Whoosh's writer, given documents as terms and merging segments as they are."""

    def __init__(self, index: LeanIndex) -> None:
        super().__init__(index, codec=index, timeout=WAIT_SECONDS, compound=False)
        self._index = index
        self._gathered = DocumentBuffer(index.fields)
        self._merged: SegmentMerge | None = None
        self._last = -1
        self._written: list[LeanSegment] = []
        self.kept: list[LeanSegment] = []

    def delete_keys(self, wanted: range) -> None:
        """Mark the documents whose keys lie in a range."""
        for segment in self.segments:
            segment.delete_documents(wanted)

    def add_postings(self, key: int, texts: Texts) -> None:
        """Add a document; consecutive keys stay in one segment."""
        if self._gathered.terms_held > MOST_TERMS and key != self._last + 1:
            self._written.append(self._finalize_segment())
            self._gathered = DocumentBuffer(self._index.fields)
            self.newsegment = self._index.new_segment()
        self._gathered.add_document(key, texts)
        self._last = key
        self._added = True

    def merge_segments(self, chosen: list[LeanSegment], segments: list[LeanSegment]) -> list[LeanSegment]:
        """Take old segments as the content of the new one, and return those that stay."""
        in_turn = sorted(chosen, key=lambda segment: segment.segment_file().keys()[0])
        self._merged = SegmentMerge(
            [each.segment_file() for each in in_turn], [each.segment_info().gone for each in in_turn]
        )
        self._added = True
        return [segment for segment in segments if segment not in chosen]

    def _finalize_segment(self) -> LeanSegment:
        if self._merged is None:
            self._gathered.sort_documents()
        segment: LeanSegment = self.newsegment
        segment.write_file(self._merged or self._gathered, self._index)
        return segment

    def _close_segment(self) -> None:
        """Do nothing: no file is open."""

    def _commit_toc(self, segments: list[LeanSegment]) -> None:
        kept = [segment for segment in [*segments, *self._written] if segment.doc_count()]
        # The largest first: its documents keep their numbers, so most lists need no change when read.
        self.kept = sorted(kept, key=lambda segment: -segment.doc_count_all())
        self._index.write_contents(
            TableOfContents(self.generation, tuple(segment.segment_info() for segment in self.kept))
        )
        clean_files(self.storage, self.indexname, self.generation, self.kept)


# The content of a new segment: new documents, or the documents of segments that are merged.

_ONCE = (1,)

Pairs = tuple[Sequence[int], Sequence[int]]


class SegmentSource(Protocol):
    """Where the writer of a segment takes its content from."""

    def keys(self) -> array[int]:
        """Return the key of each document, ascending."""

    def lengths(self, field: str) -> Sequence[int]:
        """Return how many terms each document has in a field."""

    def terms(self) -> Iterator[tuple[str, Iterable[TermPostings]]]:
        """Yield every term, in order, with its postings in each field."""


class DocumentBuffer:
    """Documents held in memory until there are enough of them."""

    def __init__(self, fields: tuple[str, ...]) -> None:
        self.terms_held = 0
        self._keys: array[int] = array("q")
        self._lengths = {field: array("I") for field in fields}
        # A document's number for each occurrence of the term, counted at the end.
        self._stands: dict[str, defaultdict[str, list[int]]] = {field: defaultdict(list) for field in fields}
        self._ranks: list[int] | None = None

    def add_document(self, key: int, texts: Mapping[str, Sequence[str]]) -> None:
        """Add a document."""
        number = len(self._keys)
        self._keys.append(key)
        for field, lengths in self._lengths.items():
            terms = texts.get(field, ())
            lengths.append(len(terms))
            if terms:
                self.terms_held += len(terms)
                for places in map(self._stands[field].__getitem__, terms):
                    places.append(number)

    def sort_documents(self) -> None:
        """Sort the documents by their keys; none is added afterwards."""
        order = sorted(range(len(self._keys)), key=self._keys.__getitem__)
        if order != list(range(len(order))):
            self._ranks = [0] * len(order)
            for rank, number in enumerate(order):
                self._ranks[number] = rank
            self._keys = array("q", [self._keys[number] for number in order])
            self._lengths = {
                field: array("I", [lengths[number] for number in order]) for field, lengths in self._lengths.items()
            }

    def keys(self) -> array[int]:
        """Return the key of each document, ascending."""
        return self._keys

    def lengths(self, field: str) -> Sequence[int]:
        """Return how many terms each document has in a field."""
        return self._lengths[field]

    def terms(self) -> Iterator[tuple[str, Iterable[TermPostings]]]:
        """Yield every term, in order, with its postings in each field."""
        fields = list(enumerate(self._stands.values()))
        for term in sorted(set().union(*self._stands.values())):
            yield term, [self._count_postings(field, stands[term]) for field, stands in fields if term in stands]

    def _count_postings(self, field: int, stands: list[int]) -> TermPostings:
        if self._ranks is not None:
            stands = sorted(map(self._ranks.__getitem__, stands))
        counts = dict.fromkeys(stands, 1)
        if len(counts) == len(stands):
            return TermPostings(field, stands, _ONCE * len(stands))
        counts = Counter(stands)
        return TermPostings(field, list(counts), list(counts.values()))


class SegmentMerge:
    """The documents of several segments without the deleted ones."""

    def __init__(self, files: Sequence[SegmentFile], gone: Sequence[array[int]]) -> None:
        self._files = files
        away = [set(each) for each in gone]
        found = sorted(
            (key, at, number)
            for at, file in enumerate(files)
            for number, key in enumerate(file.keys())
            if number not in away[at]
        )
        self._chosen = [(at, number) for _, at, number in found]
        self._keys = array("q", [key for key, _, _ in found])
        self._in_turn = [at for at, _ in self._chosen] == sorted(at for at, _ in self._chosen)
        self._new: list[list[int]] = [[-1] * file.documents for file in files]
        for new, (at, number) in enumerate(self._chosen):
            self._new[at][number] = new

    def keys(self) -> array[int]:
        """Return the key of each document, ascending."""
        return self._keys

    def lengths(self, field: str) -> Sequence[int]:
        """Return how many terms each document has in a field."""
        known = [file.lengths(field) for file in self._files]
        return [known[at][number] for at, number in self._chosen]

    def terms(self) -> Iterator[tuple[str, Iterable[TermPostings]]]:
        """Yield every term, in order, with its postings in each field."""
        rows = merge(*(self._segment_rows(at) for at in range(len(self._files))), key=itemgetter(0))
        for term, parts in groupby(rows, key=itemgetter(0)):
            by_field: dict[int, list[Pairs]] = {}
            for _, at, found in parts:
                for held in found:
                    by_field.setdefault(held.field, []).append(self._renumber(at, held))
            posted = [self._join_postings(field, lists) for field, lists in sorted(by_field.items())]
            if kept := [each for each in posted if each.documents]:
                yield term, kept

    def _segment_rows(self, at: int) -> Iterator[tuple[str, int, Sequence[StoredPostings]]]:
        return ((term, at, found) for term, found in self._files[at].iter_terms())

    def _renumber(self, at: int, held: StoredPostings) -> Pairs:
        old, often = self._files[at].unpack(held)
        new = list(map(self._new[at].__getitem__, old))
        if -1 not in new:
            return new, often
        kept = [(number, times) for number, times in zip(new, often, strict=True) if number >= 0]
        return [number for number, _ in kept], [times for _, times in kept]

    def _join_postings(self, field: int, lists: list[Pairs]) -> TermPostings:
        if len(lists) == 1:
            return TermPostings(field, *lists[0])
        documents: list[int] = []
        frequencies: list[int] = []
        for some, often in lists:
            documents += some
            frequencies += often
        if self._in_turn:
            return TermPostings(field, documents, frequencies)
        pairs = sorted(zip(documents, frequencies, strict=True))
        return TermPostings(field, [number for number, _ in pairs], [often for _, often in pairs])
