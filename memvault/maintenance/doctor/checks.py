"""Every check of the doctor, in the order in which they are made and reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memvault.maintenance.doctor import copies, integrations, links, notes, records, vault
from memvault.maintenance.doctor.finding import DoctorFinding
from memvault.maintenance.doctor.scan import VaultScan


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """One row: the name that findings carry, and the function that makes the check."""

    name: str
    run: Callable[[VaultScan], Iterator[DoctorFinding]]


CHECKS: tuple[DoctorCheck, ...] = (
    DoctorCheck("settings", vault.check_settings),
    DoctorCheck("folders", vault.check_folders),
    DoctorCheck("nested", vault.check_nested_vaults),
    DoctorCheck("links-out", links.check_outside_links),
    DoctorCheck("unreadable", notes.check_unreadable),
    DoctorCheck("encoding", notes.check_encoding),
    DoctorCheck("frontmatter", notes.check_frontmatter),
    DoctorCheck("merge-markers", notes.check_merge_markers),
    DoctorCheck("conflict-copies", copies.check_conflict_copies),
    DoctorCheck("twins", links.check_duplicate_ids),
    DoctorCheck("ids", links.check_ids),
    DoctorCheck("case-twins", notes.check_case_twins),
    DoctorCheck("shared-names", notes.check_shared_names),
    DoctorCheck("portable-names", notes.check_portable_names),
    DoctorCheck("status", notes.check_status),
    DoctorCheck("dates", notes.check_dates),
    DoctorCheck("values", notes.check_values),
    DoctorCheck("empty", notes.check_empty),
    DoctorCheck("too-long", notes.check_too_long),
    DoctorCheck("borrowed", notes.check_linked_files),
    DoctorCheck("triggers", notes.check_triggers),
    DoctorCheck("links", links.check_dangling_links),
    DoctorCheck("faded-links", links.check_faded_links),
    DoctorCheck("references", links.check_references),
    DoctorCheck("always-loaded", vault.check_always_loaded),
    DoctorCheck("interrupted", vault.check_interrupted),
    DoctorCheck("late-writes", vault.check_late_writes),
    DoctorCheck("leftovers", vault.check_leftovers),
    DoctorCheck("permissions", vault.check_permissions),
    DoctorCheck("log-lines", records.check_lines),
    DoctorCheck("marks", records.check_tombstones),
    DoctorCheck("forgotten", records.check_returned),
    DoctorCheck("log-dates", records.check_future_entries),
    DoctorCheck("log-writable", records.check_writable),
    DoctorCheck("undo-store", vault.check_undo_store),
    DoctorCheck("conversations", records.check_conversations),
    DoctorCheck("index", records.check_index),
    DoctorCheck("set-aside", records.check_set_aside),
    DoctorCheck("private", integrations.check_private),
    DoctorCheck("hooks", integrations.check_hooks),
    DoctorCheck("sync", integrations.check_sync),
)
