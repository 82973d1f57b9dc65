"""Every check of the doctor, in the order in which they are made and reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memvault.maintenance.doctor import copies, integrations, links, notes, records, vault
from memvault.maintenance.doctor.finding import Finding
from memvault.maintenance.doctor.scan import Survey


@dataclass(frozen=True, slots=True)
class Check:
    """One row: the name that findings carry, and the function that makes the check."""

    name: str
    find: Callable[[Survey], Iterator[Finding]]


CHECKS: tuple[Check, ...] = (
    Check("settings", vault.settings),
    Check("folders", vault.folders),
    Check("nested", vault.nested),
    Check("links-out", links.links_out),
    Check("unreadable", notes.unreadable),
    Check("encoding", notes.encoding),
    Check("frontmatter", notes.frontmatter),
    Check("merge-markers", notes.merge_markers),
    Check("conflict-copies", copies.conflict_copies),
    Check("twins", links.twins),
    Check("ids", links.ids),
    Check("case-twins", notes.case_twins),
    Check("shared-names", notes.shared_names),
    Check("portable-names", notes.portable_names),
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
    Check("always-loaded", vault.always_loaded),
    Check("interrupted", vault.interrupted),
    Check("late-writes", vault.late_writes),
    Check("leftovers", vault.leftovers),
    Check("permissions", vault.permissions),
    Check("log-lines", records.lines),
    Check("marks", records.marks),
    Check("forgotten", records.returned),
    Check("log-dates", records.futures),
    Check("log-writable", records.writable),
    Check("undo-store", vault.undo_store),
    Check("conversations", records.conversations),
    Check("index", records.catalogue),
    Check("set-aside", records.set_aside),
    Check("private", integrations.private),
    Check("hooks", integrations.hooks),
    Check("sync", integrations.sync),
)
