"""Vectors beside the index: unit rows by key, in memory-mapped files that are never changed."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from zlib import crc32

import numpy as np

from memvault.system import files

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows: TypeAlias = NDArray[np.float32]
    Keys: TypeAlias = NDArray[np.int64]

VERSION = 1
_ENDING = ".vectors"
_HEAD = struct.Struct("<8sIIII16s")  # sign, version, rows, numbers in a row, sum over the keys, the model's digest
_SIGN = b"MEMVVEC\n"
_KEY = np.dtype("<i8")
_SCALE = np.dtype("<f4")
_NUMBER = np.dtype("i1")  # steps of the row's largest number: a quarter of the size of floats, similarity to 0.01
_STEPS = 127
_BLOCK = 16_384  # rows compared at a time
_MOST_FILES = 8
_USUAL, _AS_MANY = 0.1, 10  # the usual deviation, mixed in as this many texts


@dataclass(frozen=True, slots=True)
class VectorSegment:
    path: Path
    keys: Keys
    scales: Rows
    rows: NDArray[np.int8]

    def common_keys(self, wanted: Keys) -> tuple[Keys, Keys]:
        """Return the ascending keys that are also here: their places in the argument, and here."""
        places = np.searchsorted(wanted, self.keys)
        places[places == len(wanted)] = 0
        here = np.flatnonzero(wanted[places] == self.keys) if len(wanted) else places[:0]
        return places[here], here


class VectorStore:
    """The vectors of one model in their own folder; a key stands for one text forever."""

    def __init__(self, folder: Path, mark: str) -> None:
        self.folder = folder
        self._digest = bytes.fromhex(files.digest(f"{VERSION} {mark}".encode()))[:16]
        self._segments: list[VectorSegment] = []
        self.keys: Keys = np.empty(0, _KEY)  # those that have a vector, ascending
        self.refresh()

    def refresh(self) -> None:
        """Read the folder again; damaged files and those of another model are deleted."""
        self.close()
        for path in sorted(self.folder.glob(f"*{_ENDING}")):
            segment = _open_segment(path, self._digest)
            if segment is None:
                with suppress(OSError):  # if it cannot be removed, it is skipped each time
                    path.unlink()
            elif len(segment.keys):
                self._segments.append(segment)
        if self._segments:
            self.keys = np.unique(np.concatenate([segment.keys for segment in self._segments]))

    def close(self) -> None:
        """Release the files."""
        self._segments = []
        self.keys = np.empty(0, _KEY)

    @property
    def size(self) -> int:
        """Return the size of the files in bytes."""
        return sum(each.keys.nbytes + each.scales.nbytes + each.rows.nbytes for each in self._segments)

    def missing_keys(self, wanted: Iterable[int]) -> list[int]:
        """Return the keys that have no vector, ascending."""
        wanted_keys = _key_array(wanted)
        found: list[int] = wanted_keys[~np.isin(wanted_keys, self.keys)].tolist()
        return sorted(found)

    def add_vectors(self, batches: Sequence[tuple[Sequence[int], Rows]]) -> None:
        """Write batches of keys and rows as one file; after a kill they are still missing."""
        full = [(keys, rows) for keys, rows in batches if len(keys)]
        if full:
            keys = np.concatenate([_key_array(keys) for keys, _ in full])
            self._write_segment(keys, *_pack_rows(np.concatenate([rows for _, rows in full])))
            self.refresh()

    def keep_keys(self, wanted: Iterable[int]) -> None:
        """Drop all other keys and merge the files, where that changes enough."""
        wanted_keys = _key_array(wanted)
        known = self.keys
        dropped = len(np.setdiff1d(known, wanted_keys, assume_unique=True))
        if dropped * 2 > len(known) or len(self._segments) > _MOST_FILES:
            self.purge_except(wanted_keys)

    def purge_except(self, wanted: Iterable[int]) -> None:
        """Drop all other keys, so that no byte of their vectors stays."""
        wanted_keys = np.intersect1d(_key_array(wanted), self.keys)
        old, rows_kept = self._segments, self._rows_of(wanted_keys)
        self.close()
        if len(wanted_keys):
            self._write_segment(wanted_keys, *rows_kept)
        for segment in old:
            with suppress(OSError):  # a mapped file stays on Windows; harmless, as its keys are in the new one too
                segment.path.unlink()
        self.refresh()

    # -- similarity

    def similarities(self, keys: Sequence[int], asked: Rows) -> Rows:
        """Return each text's similarity to the query, from -1 to 1; the mean for a key without a vector."""
        wanted = _key_array(keys)
        found = np.full(len(wanted), np.nan, np.float32)
        for segment in self._segments:
            if segment.rows.shape[1] != asked.shape[-1]:
                continue
            places, here = segment.common_keys(wanted)
            for start in range(0, len(here), _BLOCK):
                part = here[start : start + _BLOCK]
                # Mostly they are consecutive, and slicing a mapped file copies nothing.
                in_a_row = part[-1] - part[0] + 1 == len(part)
                rows = segment.rows[part[0] : part[-1] + 1] if in_a_row else segment.rows[part]
                likeness = rows.astype(np.float32) @ asked.reshape(-1)
                found[places[start : start + _BLOCK]] = likeness * segment.scales[part]
        known = found[np.isfinite(found)]
        return np.nan_to_num(found, nan=float(known.mean()) if len(known) else 0.0)

    def nearest_keys(
        self, keys: Sequence[int], asked: Rows, *, count: int, also: Iterable[int] = ()
    ) -> dict[int, float]:
        """Return how far the nearest and some other places stand out from all, in deviations beyond one."""
        likeness = self.similarities(keys, asked)
        if not len(likeness):
            return {}
        spread = (likeness.var() * len(likeness) + _USUAL**2 * _AS_MANY) / (len(likeness) + _AS_MANY)
        beyond = np.maximum((likeness - likeness.mean()) / np.sqrt(spread) - 1.0, 0.0)
        top = np.argpartition(-beyond, min(count, len(beyond) - 1))[:count]
        places = sorted({*top.tolist(), *also})
        return {place: float(beyond[place]) for place in places if beyond[place] > 0}

    # -- files

    def _rows_of(self, keys: Keys) -> tuple[Rows, NDArray[np.int8]]:
        width = self._segments[0].rows.shape[1] if self._segments else 0
        scales, rows = np.zeros(len(keys), _SCALE), np.zeros((len(keys), width), _NUMBER)
        for segment in self._segments:
            if segment.rows.shape[1] == width:
                places, here = segment.common_keys(keys)
                scales[places], rows[places] = segment.scales[here], segment.rows[here]
        return scales, rows

    def _write_segment(self, keys: Keys, scales: Rows, rows: NDArray[np.int8]) -> None:
        order = np.argsort(keys, kind="stable")
        named = keys[order].tobytes()
        head = _HEAD.pack(_SIGN, VERSION, len(keys), rows.shape[1], crc32(named), self._digest)
        files.make_folder(self.folder)
        last = max((int(path.stem) for path in self.folder.glob(f"*{_ENDING}") if path.stem.isdecimal()), default=0)
        data = b"".join((head, named, scales[order].tobytes(), rows[order].tobytes()))
        files.create_file(self.folder / f"{last + 1:08}{_ENDING}", data)


def _pack_rows(rows: Rows) -> tuple[Rows, NDArray[np.int8]]:
    scales = (np.abs(rows).max(axis=1) / _STEPS).astype(_SCALE)
    steps = np.divide(rows, scales[:, None], out=np.zeros_like(rows), where=scales[:, None] > 0)
    return scales, np.rint(steps).astype(_NUMBER)


def _key_array(numbers: Iterable[int]) -> Keys:
    found = np.asarray(numbers if isinstance(numbers, np.ndarray | Sequence) else list(numbers), dtype=_KEY)
    return found.reshape(-1)


def _open_segment(path: Path, digest: bytes) -> VectorSegment | None:
    """Map a file into memory; None where it is not whole or of another model."""
    try:
        with files.open_stream(path) as stream:
            head = stream.read(_HEAD.size)
            sign, version, count, width, total, of = _HEAD.unpack(head)
            named = stream.read(count * _KEY.itemsize)
            scales = stream.read(count * _SCALE.itemsize)
        start = _HEAD.size + len(named) + len(scales)
        whole = path.stat().st_size == start + count * width * _NUMBER.itemsize
        if (sign, version, of) != (_SIGN, VERSION, digest) or not whole or crc32(named) != total:
            return None
        rows = np.memmap(path, _NUMBER, "r", offset=start, shape=(count, width)) if count * width else None
    except (OSError, ValueError, struct.error, OverflowError):
        return None
    known = np.nan_to_num(np.frombuffer(scales, _SCALE), nan=0.0, posinf=0.0, neginf=0.0)
    return VectorSegment(
        path, np.frombuffer(named, _KEY), known, np.zeros((count, width), _NUMBER) if rows is None else rows
    )
