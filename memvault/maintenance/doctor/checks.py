"""Every check of the doctor, in the order in which they are made and reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memvault.maintenance.doctor import (
    copies,
    hooks,
    identity,
    index,
    leaving,
    links,
    names,
    notes,
    permissions,
    records,
    state,
    sync,
    talks,
)
from memvault.maintenance.doctor import (
    integrations as private,
)
from memvault.maintenance.doctor import (
    vault as layout,
)
from memvault.maintenance.doctor.finding import Finding
from memvault.maintenance.doctor.scan import Survey


@dataclass(frozen=True, slots=True)
class Check:
    """One row: the name that findings carry, and the function that makes the check."""

    name: str
    find: Callable[[Survey], Iterator[Finding]]


CHECKS: tuple[Check, ...] = (
    Check("settings", layout.settings),
    Check("folders", layout.folders),
    Check("nested", layout.nested),
    Check("links-out", leaving.links_out),
    Check("unreadable", notes.unreadable),
    Check("encoding", notes.encoding),
    Check("frontmatter", notes.frontmatter),
    Check("merge-markers", notes.merge_markers),
    Check("conflict-copies", copies.conflict_copies),
    Check("twins", identity.twins),
    Check("ids", identity.ids),
    Check("case-twins", names.case_twins),
    Check("shared-names", names.shared_names),
    Check("portable-names", names.portable_names),
    Check("status", notes.status),
    Check("dates", notes.dates),
    Check("values", notes.values),
    Check("empty", notes.empty),
    Check("too-long", notes.too_long),
    Check("borrowed", notes.borrowed),
    Check("triggers", notes.triggers),
    Check("links", links.dangling_links),
    Check("faded-links", links.faded_links),
    Check("references", links.references),
    Check("always-loaded", layout.always_loaded),
    Check("interrupted", state.interrupted),
    Check("late-writes", state.late_writes),
    Check("leftovers", state.leftovers),
    Check("permissions", permissions.permissions),
    Check("log-lines", records.lines),
    Check("marks", records.marks),
    Check("forgotten", records.returned),
    Check("log-dates", records.futures),
    Check("log-writable", records.writable),
    Check("undo-store", state.undo_store),
    Check("conversations", talks.conversations),
    Check("index", index.catalogue),
    Check("set-aside", index.set_aside),
    Check("private", private.private),
    Check("hooks", hooks.hooks),
    Check("sync", sync.sync),
)
