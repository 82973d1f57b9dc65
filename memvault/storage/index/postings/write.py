"""Writes a term index through Whoosh's lock, writer, segments and cleanup, in a format of our own."""

from __future__ import annotations

import sys
import warnings
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

from memvault.errors import Busy
from memvault.storage.index.postings.build import DocumentBuffer, SegmentMerge, SegmentSource
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
from memvault.storage.index.postings.segment import SegmentBuilder, SegmentFile
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
    from whoosh.codec.base import Codec, Segment
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
        _merge_segments(folder, fields, _choose_small)


def merge_small(folder: Path, fields: tuple[str, ...]) -> bool:
    """Merge the small segments and those with many deletions, if there are enough; return whether any were."""
    return _merge_segments(folder, fields, _choose_small)


def merge_all(folder: Path, fields: tuple[str, ...]) -> bool:
    """Merge all segments into one."""
    return _merge_segments(folder, fields, list)


Choice = Callable[[list["LeanSegment"]], list["LeanSegment"]]


def _merge_segments(folder: Path, fields: tuple[str, ...], choose: Choice) -> bool:
    with _open_writer(folder, fields) as writer:
        chosen = choose(writer.segments)
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
        gone = array("I", sorted([*self._gone, *sorted(self._going)])) if self._going else self._part.gone
        return SegmentInfo(self._part.id, self._part.documents, self._part.directory, gone)

    def write_file(self, source: SegmentSource, fields: tuple[str, ...], storage: Any) -> None:
        """Write its file."""
        with self.create_file(storage, SEGMENT) as sink:
            maker = SegmentBuilder(sink)
            for term, found in source.terms():
                maker.add_term(term, found)
            keys = source.keys()
            place = maker.finish(keys, {field: source.lengths(field) for field in fields})
        self._part = SegmentInfo(self.segment_id(), len(keys), place, array("I"))

    def segment_file(self) -> SegmentFile:
        """Return its file, opened once."""
        if self._file is None:
            self._file = SegmentFile(self._folder, self.segment_info())
        return self._file

    def doc_count_all(self) -> int:
        """Return how many documents it was written with."""
        return self._part.documents if self._part else 0

    def set_doc_count(self, _: int) -> None:
        """Ignore the number: it counts for itself."""

    def deleted_count(self) -> int:
        """Return how many of its documents are deleted."""
        return len(self._gone) + len(self._going)

    def deleted_docs(self) -> Iterable[int]:
        """Return its deleted documents."""
        return iter((*self._gone, *self._going))

    def is_deleted(self, docnum: int) -> bool:
        """Return whether a document is deleted."""
        return docnum in self._going or contains_number(self._gone, docnum)

    def delete_document(self, docnum: int) -> None:
        """Mark a document as deleted."""
        if not contains_number(self._gone, docnum):
            self._going.add(docnum)

    def should_assemble(self) -> bool:
        """Return False: it is one file from the start."""
        return False


class LeanStorage(FileStorage):  # type: ignore[misc]
    """A folder without temporary files, as nothing is sorted on disk."""

    def temp_storage(self, _name: str | None = None) -> LeanStorage:
        """Return itself: nothing is put there, and making and removing a folder is slow."""
        return self

    def destroy(self) -> None:
        """Do nothing: nothing was put there."""


class LeanIndex:
    """The part of an index that Whoosh's writer asks for."""

    indexname = NAME

    def __init__(self, folder: Path, fields: tuple[str, ...], opened: Opened) -> None:
        self.folder = folder
        self.fields = fields
        self._opened = opened
        self.storage = LeanStorage(str(folder), supports_mmap=False)
        self._lock: Any = None

    def lock(self, name: str) -> Any:
        """Return Whoosh's own lock, which is released when a process is killed."""
        self._lock = self.storage.lock(f"{NAME}_{name}")
        return self._lock

    def unlock(self) -> None:
        """Release the lock for a writer that could not be made."""
        if self._lock is not None:
            self._lock.release()

    def _read_toc(self) -> Any:
        """Return the table of contents; the writer calls it with the lock held."""
        contents = read_contents(self.folder, self.fields)
        if contents.state == NEVER_WRITTEN:  # written first: segments without it would mean that it was lost
            _write_contents(self.storage, TableOfContents(0, ()), self.fields)
        segments = [LeanSegment(self.folder, part, self._opened.get(part.id)) for part in contents.parts]
        return TOC(None, segments, contents.generation)


class LeanCodec(Codec):  # type: ignore[misc]
    """Our segment format for Whoosh's writer."""

    length_stats = False

    def __init__(self, index: LeanIndex) -> None:
        self._index = index

    def new_segment(self, _storage: Any, _indexname: str) -> LeanSegment:
        """Return an empty segment to write."""
        return LeanSegment(self._index.folder)

    def per_document_writer(self, _storage: Any, segment: LeanSegment) -> SegmentFileWriter:
        """Return the writer of documents, which go with their terms."""
        return SegmentFileWriter(self._index, segment)

    def field_writer(self, _storage: Any, segment: LeanSegment) -> SegmentFileWriter:
        """Return the writer of the segment."""
        return SegmentFileWriter(self._index, segment)


class SegmentFileWriter:
    """Writes all of a segment at once."""

    def __init__(self, index: LeanIndex, segment: LeanSegment) -> None:
        self._index = index
        self._segment = segment
        self.is_closed = False

    def add_postings(self, _schema: object, _lengths: object, source: SegmentSource) -> None:
        """Write the segment."""
        self._segment.write_file(source, self._index.fields, self._index.storage)

    def close(self) -> None:
        """Do nothing but say so: no file is open."""
        self.is_closed = True


class PostingPool:
    """Stands where Whoosh's writer keeps postings to sort."""

    def __init__(self, source: SegmentSource) -> None:
        self.source = source

    def iter_postings(self) -> SegmentSource:
        """Return the source the segment is written from."""
        return self.source

    def cleanup(self) -> None:
        """Do nothing: nothing was put on disk."""


class LeanWriter(SegmentWriter):  # type: ignore[misc]
    """Whoosh's writer, given documents as terms and merging segments as they are."""

    def __init__(self, index: LeanIndex) -> None:
        super().__init__(index, codec=LeanCodec(index), timeout=WAIT_SECONDS, compound=False)
        self._index = index
        self._gathered = DocumentBuffer(index.fields)
        self._last = -1
        self._written: list[LeanSegment] = []
        self.kept: list[LeanSegment] = []

    def delete_keys(self, wanted: range) -> None:
        """Mark the documents whose keys lie in a range."""
        for segment in self.segments:
            for number in segment.segment_file().documents_in(wanted):
                segment.delete_document(number)

    def add_postings(self, key: int, texts: Texts) -> None:
        """Add a document; consecutive keys stay in one segment."""
        if self._gathered.terms_held > MOST_TERMS and key != self._last + 1:
            self._written.append(self._finalize_segment())
            self._start_segment()
        self._gathered.add_document(key, texts)
        self._last = key
        self._added = True

    def merge_segments(self, chosen: list[LeanSegment], segments: list[LeanSegment]) -> list[LeanSegment]:
        """Write the new segment from old ones and return the segments that stay."""
        in_turn = sorted(chosen, key=lambda segment: segment.segment_file().keys()[0])
        self.pool = PostingPool(
            SegmentMerge([each.segment_file() for each in in_turn], [each.segment_info().gone for each in in_turn])
        )
        self._added = True
        return [segment for segment in segments if segment not in chosen]

    def _start_segment(self) -> None:
        self._gathered = DocumentBuffer(self._index.fields)
        self._added = False
        self.newsegment = self.codec.new_segment(self.storage, self.indexname)
        self.perdocwriter = self.codec.per_document_writer(self.storage, self.newsegment)
        self.fieldwriter = self.codec.field_writer(self.storage, self.newsegment)

    def _flush_segment(self) -> None:
        if len(self._gathered):
            self._gathered.sort_documents()
            self.pool = PostingPool(self._gathered)
        super()._flush_segment()

    def _commit_toc(self, segments: list[LeanSegment]) -> None:
        kept = [segment for segment in [*segments, *self._written] if segment.doc_count()]
        # The largest first: its documents keep their numbers, so most lists need no change when read.
        self.kept = sorted(kept, key=lambda segment: -segment.doc_count_all())
        contents = TableOfContents(self.generation, tuple(segment.segment_info() for segment in self.kept))
        _write_contents(self.storage, contents, self._index.fields)
        clean_files(self.storage, self.indexname, self.generation, self.kept)


def _write_contents(storage: Any, contents: TableOfContents, fields: tuple[str, ...]) -> None:
    # Named like an unknown segment's file, so that a leftover is cleaned up.
    temporary = f"{NAME}_contents.tmp"
    with storage.create_file(temporary) as sink:
        sink.write(encode_contents(contents, fields))
    storage.rename_file(temporary, TOC._filename(NAME, contents.generation), safe=True)
