"""Checks of permissions: what memvault keeps is nobody else's business on this machine."""

from __future__ import annotations

import shlex
import stat
import sys
from collections import defaultdict
from collections.abc import Iterator

from memvault.maintenance.doctor.finding import CloseUp, Finding
from memvault.maintenance.doctor.scan import Entry, Survey
from memvault.storage.vault.layout import CONFIG, STATE

_OTHERS = 0o077
_GROUP_MAY = {True: 0o050, False: 0o040}  # with files.shared: a folder, a file
_READ_OR_WRITE = 0o066
_WRITE_FOR_ALL = 0o002


def permissions(survey: Survey) -> Iterator[Finding]:
    """Files and folders of memvault's that others on this machine can read or change."""
    if sys.platform == "win32":
        return  # rights are lists there, and the user's own folders are private as they come
    yield from _open_top(survey)
    exposed: dict[str, list[Entry]] = defaultdict(list)
    own = (f"{STATE}/", CONFIG, *survey.tiers)
    reach = {"": _passes(survey.vault.root.stat().st_mode)}
    for entry in survey.entries:
        way_in = reach.get(entry.folder, 0)
        if entry.is_folder:
            reach[entry.path] = way_in & _passes(entry.mode)
        if _beyond(entry, survey) & way_in & _READ_OR_WRITE and entry.path.startswith(own):
            exposed[entry.folder].append(entry)
    for folder, entries in exposed.items():
        yield _exposed(folder, entries, survey)


def _passes(mode: int) -> int:
    """Through a folder pass those who may search it: the rights within matter only to them."""
    return (0o070 if mode & 0o010 else 0) | (0o007 if mode & 0o001 else 0)


def _beyond(entry: Entry, survey: Survey) -> int:
    """The rights that an entry gives others, and the settings do not."""
    if entry.is_link:
        return 0
    may = _GROUP_MAY[entry.is_folder] if survey.vault.settings.flag("files.shared") else 0
    return entry.mode & _OTHERS & ~may


def _exposed(folder: str, entries: list[Entry], survey: Survey) -> Finding:
    writable = any(entry.mode & _WRITE_FOR_ALL for entry in entries)
    modes = tuple((entry.path, stat.S_IMODE(entry.mode & ~_beyond(entry, survey))) for entry in entries)
    one = len(entries) == 1
    what = "it" if one else f"{len(entries)} files and folders in it ({', '.join(e.name for e in entries[:3])} …)"
    return Finding(
        severity="error" if writable else "warning",
        path=entries[0].path if one else folder or ".",
        sentence=f"Others on this machine can {'change' if writable else 'read'} {what}.",
        advice="`chmod go= FILE` takes the rights away; `memvault config files.shared true` lets the group read.",
        chore=CloseUp(modes),
    )


def _open_top(survey: Survey) -> Iterator[Finding]:
    mode = survey.vault.root.stat().st_mode
    if mode & _WRITE_FOR_ALL:
        yield Finding(
            severity="error",
            path=".",
            sentence="Everybody on this machine can put files into the vault's folder, or rename what is in it.",
            advice=f"`chmod o-w {shlex.quote(str(survey.vault.root))}` takes that right away.",
            chore=CloseUp((("", stat.S_IMODE(mode & ~_WRITE_FOR_ALL)),)),
        )
