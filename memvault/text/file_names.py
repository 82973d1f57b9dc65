"""Make readable file names that every system can hold and every wikilink can reach."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from itertools import count
from unicodedata import category, normalize

UNTITLED = "untitled"
LONGEST_NAME = 80
LONGEST_NAME_BYTES = 120

_LONGEST_ANYWHERE = 255  # bytes
_LONGEST_TITLE = 1_000
_DRESS = len("2026-01-29-") + len("-9999.md")
_FORBIDDEN = '\\/:*?"<>|'
_BREAKS_LINKS = "#^[]"
_JOINERS = "\u200c\u200d"  # letters of some scripts, and emoji, need them
_PORTS = (f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³")
_DEVICES = frozenset(("con", "prn", "aux", "nul", "conin$", "conout$", *_PORTS))


def slugify(title: str) -> str:
    """Return the part of a file name that says what is in it: letters of every script, lower case, hyphens."""
    plain = normalize("NFKC", title[:_LONGEST_TITLE]).lower()
    words = normalize("NFKC", "".join(map(_slug_character, plain))).split()
    named = "-".join(filter(None, map(_without_lone_marks, words)))
    fitting = _fit_length(named, LONGEST_NAME - _DRESS, LONGEST_NAME_BYTES - _DRESS) or UNTITLED
    return f"{fitting}-" if fitting in _DEVICES else fitting


def free_file_name(day: date, title: str, *, taken: Callable[[str], bool]) -> str:
    """Return a free name for a new note, such as `2026-01-29-going-places.md`, or `…-2.md` where that is taken.

    `taken` must compare names by their `name_key`, so that no two names differ only in case or composition.
    """
    base = f"{day.isoformat()}-{slugify(title)}"
    names = (f"{base}.md" if turn == 1 else f"{base}-{turn}.md" for turn in count(1))
    return next(name for name in names if not taken(name))


def name_key(name: str) -> str:
    """Return the form in which two names are one and the same on some system."""
    return normalize("NFC", normalize("NFD", name).casefold())


def portability_problem(name: str) -> str | None:
    """Return why a name will not do on every system, or in a wikilink; None where it will."""
    if not name or name.startswith(".") or name[-1] in ". " or name[0] == " ":
        return "it is empty, or starts or ends with a dot or a space"
    unfit = next((char for char in name if _is_unfit(char)), None)
    if unfit:
        return f"it holds {unfit!a}, which {'breaks links' if unfit in _BREAKS_LINKS else 'not every system allows'}"
    if name.split(".")[0].rstrip().casefold() in _DEVICES:
        return "Windows reserves that name for a device"
    if normalize("NFC", name) != name:
        return "its letters are not in composed form (NFC), so that other systems may see another name"
    if len(name.encode()) > _LONGEST_ANYWHERE:
        return f"it is longer than {_LONGEST_ANYWHERE} bytes"
    return None


def _is_unfit(char: str) -> bool:
    if char in _FORBIDDEN or char in _BREAKS_LINKS:
        return True
    return category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and char not in _JOINERS


def _slug_character(char: str) -> str:
    kind = category(char)
    if kind[0] in "LM" or kind in ("Nd", "Nl"):
        return char
    return "" if char in "'’‘" or kind == "Cf" else " "


def _without_lone_marks(word: str) -> str:
    start = next((place for place, char in enumerate(word) if category(char)[0] != "M"), len(word))
    return word[start:]


def _fit_length(text: str, longest: int, longest_bytes: int) -> str:
    cut = text[:longest].encode()[:longest_bytes].decode("utf-8", "ignore")
    if len(cut) == len(text):
        return text
    while cut and category(text[len(cut)])[0] == "M":
        cut = cut[:-1]
    whole_words = cut if text[len(cut)] == "-" else cut.rpartition("-")[0]
    return whole_words if len(whole_words) > len(cut) // 2 else cut.rstrip("-")


# What a path that came from elsewhere may be, so that it means the same on every system.

# What no system takes for a plain name, or takes for another one.
_UNSAFE = re.compile(r'[\x00-\x1f\x7f\\:*?"<>|\ud800-\udfff]')
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")
_IMPOSSIBLE = re.compile(r"[\x00\ud800-\udfff]")  # what no file's name in UTF-8 can hold


def is_safe(path: str) -> bool:
    """Return whether a path stays below the folder it begins in, on every system."""
    parts = path.split("/")
    return not _UNSAFE.search(path) and all(map(_is_name, parts))


def is_within(path: str, *, windows: bool) -> bool:
    """Return whether a path stays below the folder it begins in on one system, and can be a file there."""
    if windows:
        return is_safe(path)
    return not _IMPOSSIBLE.search(path) and all(map(_is_plain, path.split("/")))


def _is_plain(part: str) -> bool:
    return part not in ("", ".", "..") and len(part.encode()) <= _LONGEST_ANYWHERE


def _is_name(part: str) -> bool:
    return _is_plain(part) and part[-1] not in ". " and not _RESERVED.fullmatch(part)
