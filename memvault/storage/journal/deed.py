"""One change of a plan: the bytes before and after it, and how it is made."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memvault.core.memory import FieldValue
from memvault.core.plan import (
    Append,
    Change,
    Create,
    Move,
    Note,
    Outside,
    Remove,
    Rewrite,
    SetFields,
    Step,
    about,
)
from memvault.errors import AlreadyThere, ChangedMeanwhile, MemvaultError
from memvault.storage.vault import codec
from memvault.storage.vault.context import Bench
from memvault.storage.vault.vault import Vault
from memvault.system import files


@dataclass(frozen=True, slots=True)
class Deed:
    """A change with the bytes before and after, just about to be made."""

    change: Change
    step: Step
    before: bytes | None = None
    after: bytes | None = None


def prepare(change: Change, vault: Vault) -> Deed:
    """The change as it would be made of what is there now; what stands in its way is raised."""
    match change:
        case Note(entry, why, inverse):
            more = about(change)
            step = Step("note", "", why=why, entry=entry, inverse=inverse, id=more.id, rules=more.rules)
            return Deed(change, step)
        case Create(path, data, why):
            if vault.exists(path):
                raise AlreadyThere(path=path)
            return _deed(change, "create", path, None, data, why)
        case Remove(path, version, why):
            return _deed(change, "remove", path, _current(vault, path, version), None, why)
        case Outside(path, data, version, why):
            before = _outside(Path(path), version)
            return _deed(change, "outside", path, before, data, why)
        case Move(path, to, why):
            if vault.exists(to):
                raise AlreadyThere(path=to)
            before = _current(vault, path, change.version)
            return _deed(change, "move", path, before, _changed(before, change, vault), why, to=to)
        case _:
            before = _current(vault, change.path, change.version)
            return _deed(change, "rewrite", change.path, before, _changed(before, change, vault), change.why)


def _changed(before: bytes, change: SetFields | Append | Rewrite | Move, vault: Vault) -> bytes:
    """The bytes that a change makes of those that are there."""
    match change:
        case Rewrite(_, data):
            return data
        case Move(data=bytes(data)):
            return data
        case Append(path, text, _, fields):
            return _listed(_with(codec.appended(before, text, path=path), fields, path), change, vault)
        case SetFields():
            return _listed(_with(before, change.fields, change.path), change, vault)
        case _:
            return _with(before, change.fields, change.path)


def _listed(before: bytes, change: SetFields | Append, vault: Vault) -> bytes:
    if not change.lists:
        return before
    return codec.with_items(before, change.lists, path=change.path, kinds=vault.settings.kinds)


def _deed(
    change: Change, do: str, path: str, before: bytes | None, after: bytes | None, why: str, *, to: str = ""
) -> Deed:
    more = about(change)
    step = Step(do, path, to, _sha(before), _sha(after), why, id=more.id, rules=more.rules, notes=more.notes)
    return Deed(change, step, before, after)


def _sha(data: bytes | None) -> str:
    return "" if data is None else files.digest(data)


def _with(before: bytes, fields: Mapping[str, FieldValue | None], path: str) -> bytes:
    return codec.with_fields(before, fields, path=path) if fields else before


def _current(vault: Vault, path: str, version: str) -> bytes:
    data = files.read(vault.absolute(path))
    if version and files.digest(data) != version:
        raise ChangedMeanwhile(path=path)
    return data


def _outside(path: Path, version: str) -> bytes | None:
    """The bytes of a file outside the vault, which must be the ones that were read; None where there must be none."""
    if not version:
        if os.path.lexists(path):
            raise AlreadyThere(path=path)
        return None
    data = files.read(path)
    if files.digest(data) != version:
        raise ChangedMeanwhile(path=path)
    return data


def execute(deed: Deed, vault: Vault, bench: Bench) -> None:
    """Make the change, unless its file was changed since the deed was prepared."""
    before, after, step = deed.before, deed.after, deed.step
    if step.do == "note" and step.entry is not None:
        vault.ledger.append([step.entry], bench.now)
        return
    if step.do == "outside":
        _write_outside(Path(step.path), before, after, vault)
        return
    path = vault.absolute(step.path)
    if step.do == "create" and after is not None:
        files.make_folder(path.parent, mode=vault.folder_mode)
        files.create(path, after, mode=vault.file_mode)
    if step.do == "rewrite" and before is not None and after is not None and before != after:
        files.replace(path, after, expected=before, hold=vault.held)
    if step.do == "move" and before is not None and after is not None:
        _move(deed, vault)
    if step.do == "remove" and before is not None:
        files.discard(path, expected=before, hold=vault.held)


def _write_outside(path: Path, before: bytes | None, after: bytes | None, vault: Vault) -> None:
    if before is None:
        files.create(path, after or b"", mode=0o644)
        return
    # What is displaced can only be exchanged within one file system; an editor's late write is then seen to as ever.
    files.make_folder(vault.held)
    is_near = vault.held.stat().st_dev == path.parent.stat().st_dev
    hold = vault.held if is_near else path.parent / f".memvault-{files.digest(before)[:8]}"
    if after is None:
        files.discard(path, expected=before, hold=hold)
    else:
        files.replace(path, after, expected=before, hold=hold)
    if not is_near:
        shutil.rmtree(hold, ignore_errors=True)


def _move(deed: Deed, vault: Vault) -> None:
    """Change the text where it lies, then move it: killed in between, it is whole in the old place."""
    assert deed.before is not None
    assert deed.after is not None
    source, target = vault.absolute(deed.step.path), vault.absolute(deed.step.to)
    files.make_folder(target.parent, mode=vault.folder_mode)
    if deed.before != deed.after:
        files.replace(source, deed.after, expected=deed.before, hold=vault.held)
    try:
        files.move(source, target)
    except MemvaultError:
        if deed.before != deed.after:  # what is not moved is not changed either
            files.replace(source, deed.before, expected=deed.after, hold=vault.held)
        raise


def insists_on_version(change: Change) -> bool:
    """Whether a change may only be made of the very text it was planned for."""
    return isinstance(change, Rewrite | Remove | Outside) or bool(getattr(change, "version", ""))
