"""A source file with conversations in some format: its bytes, and how far they were read before."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from memvault.errors import Unreadable
from memvault.system import files
from memvault.transcripts.formats import FIRST_BYTES
from memvault.transcripts.model.redact import replace_surrogates

CHUNK = 256 * 1024
_CHECKED = 4_096
_ZIP, _GZIP = b"PK\x03\x04", b"\x1f\x8b"
# The only names that are ever read from a zip; large exports have several numbered parts.
_INSIDE = re.compile(r"(?:.*/)?conversations(?:-\d{1,4})?\.json")
_MOST_INSIDE = 16 * 1024**3


@dataclass(frozen=True, slots=True)
class ReadMark:
    """How far a file was read, and a digest of the bytes before that place."""

    to: int
    sum: str


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file to read: plain, or compressed as exports are."""

    path: Path
    size: int  # of the file on disk
    first: bytes  # of its content
    plain: bool

    @classmethod
    def open_file(cls, path: Path) -> SourceFile:
        """Look at a file; one that cannot be read, or holds no conversations, is Unreadable."""
        with files.open_stream(path) as stream:
            opening = stream.read(FIRST_BYTES)
            stream.seek(0, 2)
            size = stream.tell()
        origin = cls(path, size, opening, plain=not opening.startswith((_ZIP, _GZIP)))
        if origin.plain:
            return origin
        return cls(path, size, next(origin.read_chunks(), b"")[:FIRST_BYTES], plain=False)

    @property
    def name(self) -> str:
        """Return the file's name without its ending."""
        return replace_surrogates(self.path.name.removesuffix(".gz").partition(".")[0])

    @property
    def key(self) -> str:
        """Return what stands for the file in the archive, without revealing its path."""
        return files.digest(str(self.path.absolute()).encode("utf-8", "surrogateescape"))

    @property
    def last(self) -> bytes:
        """Return its last bytes; none where it is compressed."""
        if not self.plain:
            return b""
        with files.open_stream(self.path) as stream:
            stream.seek(max(0, self.size - FIRST_BYTES))
            return stream.read(FIRST_BYTES)

    def read_chunks(self, start: int = 0) -> Iterator[bytes]:
        """Yield its bytes from an offset on, decompressed in bounded memory."""
        with files.open_stream(self.path) as stream:
            opening = stream.read(len(_ZIP))
            if opening == _ZIP:
                yield from self._read_zip(stream)
            elif opening.startswith(_GZIP):
                yield from self._read_gzip(stream)
            else:
                stream.seek(start)
                while chunk := stream.read(CHUNK):
                    yield chunk

    def make_mark(self, to: int) -> ReadMark:
        """Return a mark that reading got to an offset."""
        return ReadMark(to, self._checksum(to))

    def resume_place(self, mark: ReadMark) -> int:
        """Return where to resume: at the mark if the bytes before it are the same, else at the beginning."""
        fits = self.plain and mark.to <= self.size and self._checksum(mark.to) == mark.sum
        return mark.to if fits else 0

    def _checksum(self, to: int) -> str:
        with files.open_stream(self.path) as stream:
            begin = max(0, to - _CHECKED)
            stream.seek(begin)
            return files.digest(stream.read(to - begin))

    def _read_gzip(self, stream: IO[bytes]) -> Iterator[bytes]:
        from gzip import BadGzipFile, GzipFile  # only compressed files need it

        stream.seek(0)
        try:
            with GzipFile(fileobj=stream) as opened:
                while chunk := opened.read(CHUNK):
                    yield chunk
        except (BadGzipFile, EOFError, zlib.error) as error:
            raise Unreadable(path=self.path, reason="its compressed data is damaged") from error

    def _read_zip(self, stream: IO[bytes]) -> Iterator[bytes]:
        from zipfile import BadZipFile, ZipFile  # only exports need it

        try:
            with ZipFile(stream) as archive:
                found = [inside for inside in archive.infolist() if _INSIDE.fullmatch(inside.filename)]
                found = [inside for inside in found if not inside.filename.startswith("__MACOSX/")]
                if not found:
                    raise Unreadable(path=self.path, reason="there is no conversations.json in it")
                if sum(inside.file_size for inside in found) > _MOST_INSIDE:
                    raise Unreadable(path=self.path, reason="its content is too large")
                for inside in sorted(found, key=lambda inside: inside.filename):
                    with archive.open(inside) as opened:
                        while chunk := opened.read(CHUNK):
                            yield chunk
                    yield b"\n"
        # A name that cannot be decoded is a ValueError.
        except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
            raise Unreadable(path=self.path, reason="it is damaged, or needs a password") from error
