"""Recovery before anything is written: finishes what a killed process left, rescues an editor's late writes."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from memvault.core.plan import Operation, OperationStep
from memvault.errors import AlreadyThere, MemvaultError
from memvault.storage import frontmatter
from memvault.storage.vault.vault import Vault
from memvault.system import files

HOLD_SECONDS = 10
MEGA = 1024 * 1024


def recover_vault(vault: Vault, now: datetime) -> None:
    """Bring the vault to a clean state; call it with the lock held."""
    last = vault.journal.last_own_entry("op")
    if is_cut_short(last):
        for operation in vault.log.recent_own():
            if operation.state == "begun":
                vault.log.end_operation(operation.op, _missed_steps(operation, vault, now), now)
    # What an editor with the old file still open saved after it was replaced. By the real time, not the caller's `now`:
    # it is compared with time stamps of the file system.
    for late in vault.late_writes(older_than_ns=HOLD_SECONDS * 10**9, now_ns=time.time_ns()):
        try:
            _restore_late_write(vault, late, now)
        except MemvaultError:
            continue  # it stays displaced and is tried again at the next command
        files.release_slot(late)
    if last is None or not str(last.get("t", "")).startswith(f"{now:%Y-%m-%d}"):  # once a day is enough
        vault.log.expire_bytes(now, keep_days=vault.settings.integer("undo.keep_days"))
        vault.log.shrink_to(keep_bytes=vault.settings.integer("undo.keep_megabytes") * MEGA)


def is_cut_short(last: Mapping[str, object] | None) -> bool:
    """Return whether the last operation of a log was interrupted."""
    return last is not None and last.get("e") != "done"


def _missed_steps(operation: Operation, vault: Vault, now: datetime) -> list[int]:
    """Return the steps that were not made; a decision counts as made if all steps before it were."""
    missed: list[int] = []
    for number, step in enumerate(operation.steps):
        if step.do == "note" and step.entry is not None and not missed:
            vault.ledger.append(vault.ledger.missing_entries([step.entry]), now)
        try:
            is_made = is_step_made(step, vault)
        except MemvaultError:  # an unsettled step must not stop every later command
            is_made = False
        if not is_made:
            missed.append(number)
    # The notes of the steps that were made are written, and those of the others reverted.
    steps = list(enumerate(operation.steps))
    wanted = [entry for number, step in steps if number not in missed for entry, _ in step.notes]
    reverted = [inverse for number, step in steps if number in missed for _, inverse in step.notes if inverse]
    if wanted or reverted:
        vault.ledger.append([*vault.ledger.missing_entries(wanted), *reverted], now)
    return missed


def is_step_made(step: OperationStep, vault: Vault) -> bool:
    """Return whether a step of an interrupted operation was made; a move caught half-way is completed."""
    match step.do:
        case "create" | "rewrite":
            return _note_digest(vault, step.path) == step.after
        case "remove":
            return not vault.exists(step.path)
        case "outside":
            return _file_digest(Path(step.path)) == step.after or (not step.after and not Path(step.path).exists())
        case "move":
            if vault.exists(step.path) and vault.exists(step.to):
                files.finish_move(vault.absolute_path(step.path), vault.absolute_path(step.to))
            elif step.before != step.after == _note_digest(vault, step.path):  # its text was changed already
                files.make_folder(vault.absolute_path(step.to).parent, mode=vault.folder_mode)
                files.move_file(vault.absolute_path(step.path), vault.absolute_path(step.to))
            return not vault.exists(step.path) and vault.exists(step.to)
        case _:
            return step.entry is not None and not vault.ledger.missing_entries([step.entry])


def _note_digest(vault: Vault, path: str) -> str:
    try:
        return _file_digest(vault.absolute_path(path))
    except MemvaultError:
        return ""


def _file_digest(path: Path) -> str:
    try:
        return files.digest(files.read_file(path))
    except MemvaultError:
        return ""


def _restore_late_write(vault: Vault, late: files.LateWrite, now: datetime) -> None:
    """Write the editor's text into its note, or beside it where the note changed again.

    The target is named by a file in the vault, which may come from elsewhere: nothing is written outside.
    """
    if not vault.is_own_file(late.path):
        _copy_beside(vault.root / f"Rescued {late.path.name}", late.data, now)
        return
    try:
        current = files.read_file(late.path)
        if files.digest(current) == late.replaced_by:
            files.replace_note(
                late.path, _with_program_fields(late.data, current), expected=current, hold=vault.displaced_folder
            )
            return
    except MemvaultError:
        pass  # the note is gone or changing: a copy beside it keeps the text
    # A power cut may have lost the note's name: its text then goes to the top folder.
    nameless = late.path.parent == vault.displaced_folder
    _copy_beside(vault.root / "Rescued.md" if nameless else late.path, late.data, now)


def _with_program_fields(text: bytes, ours: bytes) -> bytes:
    """Return the editor's text with the program's fields that were written at the same time."""
    theirs, ours_ = frontmatter.parse(text).fields, frontmatter.parse(ours).fields
    changes = {name: ours_[name] for name in ("last_accessed", "access_count", "weight", "status") if name in ours_}
    differing = {name: value for name, value in changes.items() if theirs.get(name) != value}
    try:
        plain = {name: frontmatter.PlainScalar(value) for name, value in differing.items() if isinstance(value, str)}
        return frontmatter.patch(text, plain)
    except frontmatter.Refusal:
        return text


def _copy_beside(path: Path, data: bytes, now: datetime) -> None:
    for turn in range(1, 1000):
        copy = path.with_name(f"{path.stem} (conflict {now:%Y-%m-%d} {turn}){path.suffix}")
        if not copy.exists():
            files.make_folder(copy.parent)
            files.create_file(copy, data)
            return
    raise AlreadyThere(path=path)
