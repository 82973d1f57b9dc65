"""A Whoosh codec that reads the lengths of fields once while it writes, and not once for every posting."""

from __future__ import annotations

from typing import Any

from whoosh.codec.whoosh3 import LENGTHS_COLUMN, W3Codec, W3PerDocReader, byte_to_length


class Lengths(W3PerDocReader):  # type: ignore[misc]  # Whoosh has no types
    """Knows the length of every field of the segment that is being written."""

    def __init__(self, storage: Any, segment: Any) -> None:
        super().__init__(storage, segment)
        self._lengths: dict[str, list[int]] = {}

    def doc_field_length(self, docnum: int, fieldname: str, default: int = 0) -> int:
        """The length of a field of a document."""
        known = self._lengths.get(fieldname)
        if known is None:
            known = self._lengths[fieldname] = self._read(fieldname)
        return known[docnum] if docnum < len(known) else default

    def _read(self, fieldname: str) -> list[int]:
        reader = self._cached_reader(f"_{fieldname}_len", LENGTHS_COLUMN)
        return [byte_to_length(byte) for byte in reader] if reader is not None else []


class WritingCodec(W3Codec):  # type: ignore[misc]
    """Whoosh's own codec, with quicker lengths; what it writes is read by the original."""

    def new_segment(self, storage: Any, indexname: str) -> Any:
        """A segment that says it was written by Whoosh's own codec: the name of this one is pickled nowhere."""
        return W3Codec().new_segment(storage, indexname)

    def per_document_reader(self, storage: Any, segment: Any) -> Lengths:
        """A reader for the segment that is being written."""
        return Lengths(storage, segment)
