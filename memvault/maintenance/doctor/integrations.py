"""Checks of private memories: that only sealed files lie there, and that this machine can open what it seals."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from memvault.errors import MemvaultError
from memvault.maintenance.doctor.finding import DoctorFinding, RemoveGitLock, shell_command
from memvault.maintenance.doctor.scan import ScannedEntry, VaultScan
from memvault.privacy.private.recipients import KeyStatus
from memvault.privacy.private.store import ENDING, HEAD, RECIPIENTS, has_sealed_name, is_sealed
from memvault.storage.vault.layout import is_conflict_copy
from memvault.sync import checkout
from memvault.system import files
from memvault.system.git import find_locks
from memvault.text.dates.dates import write_moment

_OWN_FILES = (RECIPIENTS, ".gitkeep")


def check_private(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find files in the clear where only sealed ones belong, names that tell something, keys that do not fit."""
    folder = scan.vault.layout.private
    inside = [entry for entry in scan.entries if entry.path.startswith(folder) and entry.path != folder]
    sealed = [entry for entry in inside if entry.name.endswith(ENDING) and entry.is_file]
    yield from filter(None, map(_foreign_file, (entry for entry in inside if entry not in sealed)))
    for entry in sealed:
        yield from _judge_sealed(entry, scan)
    if sealed or f"{folder}{RECIPIENTS}" in scan.paths:
        yield from _check_keys(scan, f"{folder}{RECIPIENTS}")


def _foreign_file(entry: ScannedEntry) -> DoctorFinding | None:
    if entry.name in _OWN_FILES or entry.name.startswith(".mv-"):
        return None
    what = "folder" if entry.is_folder else "file"
    return DoctorFinding(
        severity="error",
        path=entry.path,
        sentence=f"This {what} lies in the clear where only sealed memories belong.",
        advice="`memvault remember --private --file FILE` seals its text; then delete it, or move it elsewhere.",
    )


def _judge_sealed(entry: ScannedEntry, scan: VaultScan) -> Iterator[DoctorFinding]:
    if not is_sealed(files.read_file(scan.vault.absolute_path(entry.path), limit=HEAD)):
        yield DoctorFinding(
            severity="error",
            path=entry.path,
            sentence="It is named like a sealed memory and is none: it is damaged, or it is not encrypted.",
            advice="Seal its text with `memvault remember --private --file FILE`, or put back a copy of the file.",
        )
    elif not has_sealed_name(entry.name) and not is_conflict_copy(entry.name):
        yield DoctorFinding(
            severity="warning",
            path=entry.path,
            sentence="Its name may tell what is in it: memvault would have drawn 16 hexadecimal digits.",
            advice="Rename it to such a name; nothing else refers to it.",
        )


def _check_keys(scan: VaultScan, listing: str) -> Iterator[DoctorFinding]:
    try:
        found = scan.private_keys()
    except MemvaultError as error:
        yield DoctorFinding(severity="error", path=listing, sentence=str(error), advice=error.advice)
        return
    yield from _check_own_key(found)
    for strange in found.strange:
        yield DoctorFinding(
            severity="warning",
            path=listing,
            sentence=f"It names a key that was not confirmed on this machine, so nothing is sealed to it: {strange}.",
            advice=f"If it is yours: {shell_command('private', 'admit', strange)}; if not, `dismiss` takes it out.",
        )


def _check_own_key(found: KeyStatus) -> Iterator[DoctorFinding]:
    if found.exposed:
        yield DoctorFinding(
            severity="warning",
            path="",
            sentence=f"Others on this machine may read the key of the private memories, {found.key}.",
            advice=f"`chmod go= {shlex.quote(found.exposed)}` takes that right away; who read it, opens them.",
        )
    if not found.has_key:
        yield DoctorFinding(
            severity="error" if found.was_here and found.closed else "warning",
            path="",
            sentence=f"This machine opens no private memory of this vault: there is no key at {found.key}.",
            advice=f"Copy it from another machine, or have one more made by {shell_command('private', 'init')}.",
        )
    elif found.closed:
        yield DoctorFinding(
            severity="error",
            path="",
            sentence=f"Private memories are not sealed to the key of this machine: {found.closed:,} cannot be opened.",
            advice=f"On a machine that opens them: {shell_command('private', 'admit', found.own)}; "
            f"if their key is lost, {shell_command('private', 'status')} says what is left to do.",
        )
    elif found.older:
        yield DoctorFinding(
            severity="warning",
            path="",
            sentence="Private memories of this vault are still sealed to an older key of yours.",
            advice=f"{shell_command('private', 'rekey')} seals them to the key that you made since.",
        )


def check_hooks(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find what is wrong with the hooks by which agents call memvault, outside the vault."""
    yield from scan.hook_findings()


# Checks of a vault that travels over git: its merges ask memvault, in this clone too.


def check_sync(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find a clone in which git does not know how memories are merged; skip a vault without sync."""
    if checkout.DRIVER not in checkout.read_if_present(scan.context.vault.root / checkout.ATTRIBUTES).decode(
        "utf-8", "replace"
    ):
        return
    yield from _check_git_locks(scan)
    for problem in scan.sync_problems():
        yield DoctorFinding(
            severity="warning",
            path=checkout.ATTRIBUTES,
            sentence=problem,
            advice="`memvault sync status` tells how this clone stands; until `memvault sync init` has set it up, git "
            "merges memories as mere text.",
        )


def _check_git_locks(scan: VaultScan) -> Iterator[DoctorFinding]:
    now = scan.context.now
    for lock in find_locks(scan.context.vault.root):
        if lock.holders:
            continue  # a git at work is nothing amiss
        is_left = lock.is_stale(now)
        yield DoctorFinding(
            severity="warning",
            path=scan.vault.relative_path(lock.path) or str(lock.path),
            sentence=f"This lock of git's is there since {write_moment(lock.created)}, and {lock.owner}.",
            advice="Delete it." if is_left else "Delete it once you are sure that no git is at work there.",
            chore=RemoveGitLock(lock.path) if is_left else None,
        )
