"""Guard the vault's boundary: no write follows a link out of it, and a read only an allowed one."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

from memvault.core.value import Record
from memvault.errors import LinkLeadsOut, LinkNotFollowed

# The folder of each vault that was opened, as it was named and as it really lies: all writers look here.
# Of each: its real folder, and the links in it that a person allowed to be read.
_boundaries: dict[str, tuple[str, frozenset[str]]] = {}
_JUNCTION = 0xA000_0003  # what Windows calls a mount point


class LinkOut(Record):
    """A link on the way to a path that leads out of its vault."""

    link: str
    target: str
    allowed: bool

    @property
    def sentence(self) -> str:
        """Return what is linked, and where to."""
        return f"{self.link} is a link that leads out of the vault, to {self.target}"


def guard_vault(root: Path, allowed: Iterable[str] = ()) -> None:
    """Guard a vault's folder from now on; allowed links are given by their full names, and may only be read."""
    named = os.path.abspath(root)  # noqa: PTH100 - links stay as named, here and below
    real = os.path.realpath(root)
    links = {os.path.abspath(os.path.expanduser(link)) for link in allowed}  # noqa: PTH100, PTH111
    # Whichever way to the vault a person took when they wrote a name down, the link is the same.
    ways = ((named, real), (real, named))
    links |= {f"{other}{link[len(one) :]}" for one, other in ways for link in links if _is_below(link, one)}
    boundary = _normalize_case(real), frozenset(map(_normalize_case, links))
    _boundaries[_normalize_case(named)] = _boundaries[_normalize_case(real)] = boundary


def check_write(path: Path, *, itself: bool = True) -> None:
    """Raise LinkLeadsOut where a link on the way to a path, or the path itself, leads out of its vault."""
    found = find_link_out(path, itself=itself)
    if found:
        raise LinkLeadsOut(path=path, link=found.link, target=found.target)


def check_read(path: Path) -> None:
    """Raise LinkNotFollowed where a path leads out of its vault by a link that nobody allowed."""
    found = find_link_out(path)
    if found and not found.allowed:
        raise LinkNotFollowed(path=path, reason=found.sentence, link=found.link)


def leads_out(path: Path) -> bool:
    """Return whether a path leads out of its vault by a link that nobody allowed."""
    found = find_link_out(path)
    return found is not None and not found.allowed


def is_readable_file(path: Path) -> bool:
    """Return whether an ordinary file is there, or a link to one that may be read."""
    try:
        found = os.lstat(path)
        return stat.S_ISREG(found.st_mode) or (_is_link(found) and path.is_file() and not leads_out(path))
    except (FileNotFoundError, NotADirectoryError, ValueError):  # of any other trouble nobody can tell
        return False


def is_allowed_link(link: Path) -> bool:
    """Return whether a person allowed a link by its name."""
    boundary = _boundary_around(name := _normalize_case(str(link)))
    return boundary is not None and name in _boundaries[boundary][1]


def find_link_out(path: Path, *, itself: bool = True) -> LinkOut | None:
    """Return the first link on the way to a path that leads out of its vault; None also outside any vault.

    The disk is asked each time: a folder may have become a link since it was last written to.
    """
    name = _normalize_case(str(path))
    if not path.is_absolute():
        name = _normalize_case(str(Path.cwd() / path))  # not made straight: links come before `..`
    root = _boundary_around(name)
    return None if root is None else _walk_links(name, root, itself=itself)


def _walk_links(name: str, root: str, *, itself: bool) -> LinkOut | None:
    real_root, allowed = _boundaries[root]
    at, base = root, root
    parts = [part for part in name[len(root) :].split(os.sep) if part]  # noqa: PTH206
    for part in parts if itself else parts[:-1]:
        if part == os.pardir:
            at = os.path.dirname(at)  # noqa: PTH120 - a Path is slow to make, and every write comes by here
            if not _is_below(at, base):
                return None  # above the vault's own folder: whoever says so means another place
            continue
        at = f"{at}{os.sep}{part}"
        try:
            if not _is_link(os.lstat(at)):
                continue
        except (OSError, ValueError):
            return None  # nothing is there, so nothing leads on
        real = _normalize_case(os.path.realpath(at))
        if not _is_below(real, real_root) or ".git" in real[len(real_root) :].casefold().split(os.sep):  # noqa: PTH206
            return LinkOut(at, real, at in allowed)
        at, base = real, real_root
    return None


def _boundary_around(name: str) -> str | None:
    """Return the folder of the innermost vault that a path lies in."""
    at = name
    while (cut := at.rfind(os.sep)) > 0:
        at = at[:cut]
        if at in _boundaries:
            return at
    return None


def _is_below(name: str, folder: str) -> bool:
    return name == folder or name.startswith(f"{folder.rstrip(os.sep)}{os.sep}")


if sys.platform == "win32":

    def _normalize_case(name: str) -> str:
        return os.path.normcase(name)

    def _is_link(found: os.stat_result) -> bool:
        return stat.S_ISLNK(found.st_mode) or found.st_reparse_tag == _JUNCTION

else:

    def _normalize_case(name: str) -> str:
        return name

    def _is_link(found: os.stat_result) -> bool:
        return stat.S_ISLNK(found.st_mode)
