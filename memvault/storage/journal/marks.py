"""Marks in the bytes of a ledger: which can be made out, and of how many lines nobody can tell what they marked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from memvault.storage.journal import jsonl as records

_TOMBSTONE = b'"tombstone"'
_MARK = re.compile(rb'"mac"\s*:\s*"([0-9a-f]{64})"')
_MAC = re.compile(r"[0-9a-f]{64}")
_PROOF = re.compile(rb'"e"\s*:\s*"key"\s*,\s*"mac"\s*:\s*"([0-9a-f]{64})"')
_SORTS = frozenset({"tombstone", "lift", "key", "purging", "purged"})  # that have a mac
_OF_GIT = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")  # around lines that are all there
_MOST = 8  # ledgers of which it is not worked out twice


def has_tombstones(data: bytes) -> bool:
    """Whether a ledger marks anything as forgotten."""
    return _TOMBSTONE in data


def proofs(written: Iterable[bytes]) -> set[str]:
    """The hashes by which the right keys are known."""
    return {mac.decode() for data in written for mac in _PROOF.findall(data)}


def entries(data: bytes) -> list[dict[str, object]]:
    """All entries; of a line that is damaged at least the mark, if it still shows one: too many harm less than one."""
    found: list[dict[str, object]] = []
    for line in _whole(data):
        told = list(records.parse(line))
        mark = None if any(one.get("e") in _SORTS for one in told) else _MARK.search(line)
        if mark:
            why = "purge" if b'"purge"' in line else "forget"
            told = [{"t": "", **one, "e": "tombstone", "mac": mark[1].decode(), "why": why} for one in told or [{}]]
        found += told
    return found


@lru_cache(_MOST)
def lost(data: bytes) -> int:
    """How many lines of a ledger may have marked something by which it can be known no more.

    What a power cut left of the last line was never said to be done, so it is none of them.
    """
    is_blanked = bool(data) and not data.strip(b"\0")
    return is_blanked or sum(map(_is_lost, _whole(data)))


def _whole(data: bytes) -> Iterator[bytes]:
    return iter(data[: data.rfind(b"\n") + 1].split(b"\n"))


def is_ruined(line: bytes) -> bool:
    """Whether nobody can tell what a line of a record said: not even by a mark that it still shows."""
    if not line.strip():
        return False
    try:
        return not isinstance(json.loads(line), dict)
    except ValueError:
        return not _MARK.search(line)


def _is_lost(line: bytes) -> bool:
    if not line.strip() or line.startswith(_OF_GIT):
        return False
    try:
        told = json.loads(line)
    except ValueError:
        return not (_MARK.search(line) or _is_torn(line))
    if not isinstance(told, dict):
        return True
    return told.get("e") == "tombstone" and not _MAC.fullmatch(str(told.get("mac", "")))


def _is_torn(line: bytes) -> bool:
    """Whether a line breaks off, as a power cut leaves it, and others were added below it since."""
    return line.startswith(b"{") and not line.rstrip().endswith(b"}") and b"\0" not in line
