"""Put something of ours into a file of another program, and take it out as if it had never been there."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from memvault.agents.setup.json_edit import MalformedJson, diff_lines
from memvault.core.settings import find_setting
from memvault.errors import BadConfigFile, BadForeignFile, ChangedMeanwhile, MemvaultError, NotText
from memvault.storage.vault import config
from memvault.system import files
from memvault.text.managed_block import BEGIN, END, find_block, write_block

_TRIES = 3
_WAIT_SECONDS = 10.0
_HOLD_SECONDS = 10
_FAR_FUTURE_NS = 1 << 62  # by this clock whatever is quiet has been so for long


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagedFile:
    """A file of another program, and what is ours in it: how to tell, to put in, to take out."""

    path: Path
    what: str
    agent: str
    is_installed: Callable[[str], bool]
    add_entries: Callable[[str], str]
    remove_entries: Callable[[str, str], str]  # given the text, and the text before ours came
    new_text: str = "{}\n"  # what a new file begins with
    shared: bool = False  # whether others are to read it too, as a project's files


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedFile:
    """What became of a file: whether it changed, how, and where its older bytes are kept."""

    path: str
    changed: bool
    diff: str = ""
    backup: str = ""
    removed: bool = False  # the file was ours alone, and is gone


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedEntries:
    """The files that something of ours was taken out of, and those that would not have it."""

    files: tuple[EditedFile, ...]
    failed: tuple[tuple[str, str], ...] = ()
    dry_run: bool = False


class SettingsWriter:
    """The hand that writes into other programs' files, one at a time."""

    def __init__(self, state: Path, now: datetime) -> None:
        self.backups = BackupStore(state / "agents")
        self._hold = state / "agents" / "held"
        self._now = now

    def install(self, managed: ManagedFile, *, dry_run: bool = False) -> EditedFile:
        """Have exactly our entries stand in a file; nothing is written where they do already."""
        with files.system_errors(managed.path):
            act = partial(self._install_once, managed, dry_run=dry_run)
            return act() if dry_run else self._retry_on_change(act)

    def remove(self, managed: ManagedFile, *, dry_run: bool = False) -> EditedFile:
        """Take our entries out; a file that nobody else has changed is what it was, byte for byte."""
        with files.system_errors(managed.path):
            act = partial(self._remove_once, managed, dry_run=dry_run)
            if dry_run:
                return act()
            done = self._retry_on_change(act)
            # No copy of anybody's settings stays where ours are gone from them, unless somebody writes into it now.
            with suppress(MemvaultError), self._lock():
                self._restore_displaced(_FAR_FUTURE_NS)
        return done

    def remove_all(self, managed: Iterable[ManagedFile], *, dry_run: bool = False) -> RemovedEntries:
        """Take our entries out of several files; one that cannot be read keeps ours in no other."""
        edited: list[EditedFile] = []
        failed: list[tuple[str, str]] = []
        for one in managed:
            try:
                edited.append(self.remove(one, dry_run=dry_run))
            except MemvaultError as error:
                failed.append((str(one.path), str(error)))
        return RemovedEntries(
            files=tuple(done for done in edited if done.changed), failed=tuple(failed), dry_run=dry_run
        )

    def read_text(self, path: Path) -> str:
        """Return the text of a file; empty where it is not there."""
        data = _read_bytes(_resolve_link(path))
        return "" if data is None else _decode_text(path, data)

    # -- one try

    def _install_once(self, managed: ManagedFile, *, dry_run: bool) -> EditedFile:
        path = _resolve_link(managed.path)
        data = _read_bytes(path)
        with _name_unreadable_file(path):
            if data is not None and data.strip() and managed.is_installed(_decode_text(path, data)):
                return EditedFile(path=str(managed.path), changed=False)
            base = None if data is None else self._strip_entries(managed, path, data)
            start = managed.new_text if base is None or not base.strip() else _decode_text(path, base)
            text = managed.add_entries(start)
            if not managed.is_installed(text) or managed.remove_entries(text, start) != start:
                raise MalformedJson("our entries cannot be put into it and taken out again", 1)
        new = text.encode()
        if not dry_run:
            # Before the file: what was there must be known whatever comes next.
            self.backups.save(self._make_backup(managed, path, base, new))
            self._write_file(managed, path, data, new)
        backup = "" if base is None or dry_run else str(self.backups.original_path(path))
        return replace(_describe_edit(managed.path, data, new), backup=backup)

    def _remove_once(self, managed: ManagedFile, *, dry_run: bool) -> EditedFile:
        path = _resolve_link(managed.path)
        data = _read_bytes(path)
        if data is None:
            return self._forget_file(managed, path, dry_run=dry_run)
        with _name_unreadable_file(path):
            base = self._strip_entries(managed, path, data)
        if base == data:
            return self._forget_file(managed, path, dry_run=dry_run)
        if not dry_run:
            self._write_file(managed, path, data, base)
            self._forget_file(managed, path, dry_run=False)
        return _describe_edit(managed.path, data, base)

    def _forget_file(self, managed: ManagedFile, path: Path, *, dry_run: bool) -> EditedFile:
        backup = self.backups.read_backup(path)
        if backup is not None and not dry_run:
            for folder in reversed(backup.folders):
                with suppress(OSError):  # somebody else has put something there
                    folder.rmdir()
            self.backups.remove(path)
        return EditedFile(path=str(managed.path), changed=False)

    def _strip_entries(self, managed: ManagedFile, path: Path, data: bytes) -> bytes | None:
        """Return the bytes without our entries; None where the file was not there and holds nothing else."""
        backup = self.backups.read_backup(path)
        if backup is not None and files.digest(data) == backup.after:
            return backup.before
        if not data.strip():
            return data
        before = managed.new_text if backup is None or not backup.before else _decode_text(path, backup.before)
        bare = managed.remove_entries(_decode_text(path, data), before)
        is_ours_alone = backup is not None and backup.before is None and bare.split() == managed.new_text.split()
        return None if is_ours_alone else bare.encode()

    def _make_backup(self, managed: ManagedFile, path: Path, base: bytes | None, new: bytes) -> FileBackup:
        older = self.backups.read_backup(path)
        missing = tuple(folder for folder in reversed(path.parents) if not folder.exists())
        return FileBackup(
            path=path,
            what=managed.what,
            agent=managed.agent,
            before=base,
            after=files.digest(new),
            folders=(older.folders if older else ()) or missing,
        )

    def _write_file(self, managed: ManagedFile, path: Path, old: bytes | None, new: bytes | None) -> None:
        if old is not None:
            if new is not None:
                files.replace_note(path, new, expected=old, hold=self._hold)
            else:
                files.discard_note(path, expected=old, hold=self._hold)
            for slot in files.list_slots(self._hold):  # what was displaced may be readable to others in its place
                with suppress(OSError):
                    slot.chmod(0o600)
        elif new is not None:
            files.make_folder(path.parent, 0o755 if managed.shared else 0o700)
            files.create_file(path, new, mode=0o644 if managed.shared else 0o600)

    def _retry_on_change(self, act: Callable[[], EditedFile]) -> EditedFile:
        """Try again where the other program wrote at the same moment: what it wrote is what counts then."""
        files.make_folder(self.backups.folder)
        with self._lock():
            self._restore_displaced(int(self._now.timestamp() * 1_000_000_000))
            for _ in range(_TRIES - 1):
                with suppress(ChangedMeanwhile):
                    return act()
            return act()

    def _lock(self) -> AbstractContextManager[object]:
        return files.lock(self.backups.folder / "lock", wait=_WAIT_SECONDS)

    def _restore_displaced(self, now_ns: int) -> None:
        """Bring back what another program wrote into a file in the moment in which we replaced it."""
        for late in files.collect_late_writes(self._hold, older_than_ns=_HOLD_SECONDS * 1_000_000_000, now_ns=now_ns):
            with suppress(MemvaultError):  # it stays where it is kept, and the next time will do
                current = _read_bytes(late.path)
                if current is not None and files.digest(current) == late.replaced_by:
                    files.replace_note(late.path, late.data, expected=current, hold=self._hold)
                else:
                    files.create_file(late.path.with_name(f"{late.path.name}.saved-late"), late.data)
                files.release_slot(late)


def unreadable_settings(path: Path, error: Exception) -> str:
    """Return what is said about a file that cannot be read as settings."""
    problem = (
        f"{path} is no valid JSON: {error.reason} (line {error.line})"
        if isinstance(error, MalformedJson)
        else str(error)
    )
    return f"{problem.rstrip('.')}."


def _resolve_link(path: Path) -> Path:
    """The file itself, where a link leads to it: people keep their settings in a repository, and link to them."""
    return Path(os.path.realpath(path))


def _read_bytes(path: Path) -> bytes | None:
    return files.read_file(path) if os.path.lexists(path) else None


def _decode_text(path: Path, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise NotText(what=str(path), byte=error.start + 1) from None


def _describe_edit(path: Path, old: bytes | None, new: bytes | None) -> EditedFile:
    texts = ["" if data is None else data.decode("utf-8", "replace") for data in (old, new)]
    return EditedFile(path=str(path), changed=True, diff=diff_lines(*texts, name=str(path)), removed=new is None)


@contextmanager
def _name_unreadable_file(path: Path) -> Iterator[None]:
    """Turn what cannot be read as settings into an error that names the file."""
    try:
        yield
    except MalformedJson as trouble:
        raise BadForeignFile(path=path, reason=trouble.reason, line=trouble.line) from None


# What other programs' files were before memvault wrote into them; it lies beside our state.


@dataclass(frozen=True, slots=True, kw_only=True)
class FileBackup:
    """One file: what was put into it and for whom, what it was before, and what it was right after."""

    path: Path
    what: str  # hooks, server, import or setting
    agent: str
    before: bytes | None  # None where the file was not there
    after: str  # its digest once our entries were in it
    folders: tuple[Path, ...] = ()  # made for it, outermost first


class BackupStore:
    """Backups by file; a file has one at most."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read_backup(self, path: Path) -> FileBackup | None:
        """Return the backup of a file; None where there is none, or it cannot be read."""
        return self._read_record(self._record_path(path))

    def list_backups(self) -> Iterator[FileBackup]:
        """Yield every backup that can be read."""
        return filter(None, map(self._read_record, sorted(self.folder.glob("*.json"))))

    def save(self, backup: FileBackup) -> None:
        """Write a backup, in place of an older one of the same file."""
        files.make_folder(self.folder)
        if backup.before is not None:  # first: a record without it would be taken for a file that was not there
            files.overwrite_file(self.original_path(backup.path), backup.before)
        record = {
            "path": str(backup.path),
            "what": backup.what,
            "agent": backup.agent,
            "was_there": backup.before is not None,
            "after": backup.after,
            "folders": [str(folder) for folder in backup.folders],
        }
        files.overwrite_file(self._record_path(backup.path), json.dumps(record, indent=1).encode())

    def remove(self, path: Path) -> None:
        """Take a file's backup away."""
        files.remove_file(self._record_path(path))
        files.remove_file(self.original_path(path))

    def original_path(self, path: Path) -> Path:
        """Return where the bytes lie that a file had before."""
        return self._record_path(path).with_suffix(".before")

    def _record_path(self, path: Path) -> Path:
        # A name that tells a person which file it is about, and no two files share.
        key = f"{path.stem.lstrip('.') or 'file'}-{files.digest(str(path).encode('utf-8', 'surrogateescape'))}"
        return self.folder / f"{key}.json"

    def _read_record(self, record: Path) -> FileBackup | None:
        try:
            row = json.loads(files.read_file(record))
            path = Path(row["path"])
            return FileBackup(
                path=path,
                what=row["what"],
                agent=row["agent"],
                before=files.read_file(self.original_path(path)) if row["was_there"] else None,
                after=row["after"],
                folders=tuple(map(Path, row["folders"])),
            )
        except (MemvaultError, ValueError, KeyError, TypeError):
            return None  # then our entries are taken out one by one, which asks for no backup


# What leads to a vault from outside: a line in an agent's instructions, and the setting that names it for good.


IMPORT, SETTING = "import", "setting"
_NAME = "user.vault"


def claude_import(vault: Path, instructions: Path) -> ManagedFile:
    """The line by which Claude Code loads a vault's CLAUDE.md; a block of another sort that is there already stays."""
    # Only a blank needs it: what follows the @ is read up to the next one.
    target = (vault / "CLAUDE.md").as_posix().replace(" ", "\\ ")
    block = f"{BEGIN}\n@{target}\n{END}"
    return ManagedFile(
        path=instructions,
        what=IMPORT,
        agent="claude-code",
        is_installed=lambda text: (
            _find_block(text, instructions) is not None and _find_import(text, instructions) in ("", f"@{target}")
        ),
        add_entries=lambda text: write_block(text.encode(), block, path=str(instructions)).decode(),
        remove_entries=lambda text, before: _remove_import(text, before, instructions),
        new_text="",
    )


def vault_setting(vault: Path, own_config: Path) -> ManagedFile:
    """Return the line of the person's own config that names a vault for good."""
    row = find_setting(_NAME)
    return ManagedFile(
        path=own_config,
        what=SETTING,
        agent=str(vault),  # so that what is taken out later is this one, and no other that a person wrote
        is_installed=lambda text: _find_vault_name(text, own_config) == str(vault),
        add_entries=lambda text: config.change_setting(text, row, str(vault)),
        remove_entries=lambda text, before: _remove_vault_name(text, before, str(vault), own_config),
        new_text="",
    )


def remove_imports(entries: SettingsWriter, instructions: Path, *, dry_run: bool = False) -> RemovedEntries:
    """Take the line out of Claude Code's instructions, whichever vault it leads to."""
    return entries.remove_all([claude_import(Path(), instructions)], dry_run=dry_run)


def remove_setting(entries: SettingsWriter, own_config: Path, *, dry_run: bool = False) -> RemovedEntries:
    """Have the person's config name no vault any more, if it was `setup` that had it do so."""
    page = entries.backups.read_backup(own_config.resolve())
    if page is None or page.what != SETTING:
        return RemovedEntries(files=(), dry_run=dry_run)
    return entries.remove_all([vault_setting(Path(page.agent), own_config)], dry_run=dry_run)


def _find_block(text: str, path: Path) -> str | None:
    found = find_block(text.encode(), path=str(path))
    return None if found is None else text.encode()[found.start : found.end].decode()


def _find_import(text: str, path: Path) -> str:
    """Return the import that the block consists of; empty where it holds something else, or there is none."""
    lines = (_find_block(text, path) or "").splitlines()[1:-1]
    return lines[0] if len(lines) == 1 and lines[0].startswith("@") else ""


def _remove_import(text: str, before: str, path: Path) -> str:
    if not _find_import(text, path):
        return text
    data = text.encode()
    found = find_block(data, path=str(path))
    assert found is not None
    head, tail = data[: found.start].decode(), data[found.end :].decode()
    rest = tail.removeprefix("\r\n") if tail.startswith("\r\n") else tail.removeprefix("\n")
    if not rest and head.strip() == before.strip() and head.startswith(before):
        return before  # all that stands before it beside the text is the gap that came with it
    return head + rest


def _find_vault_name(text: str, path: Path) -> str:
    import tomllib  # deferred: only an installation asks

    try:
        user = tomllib.loads(text.removeprefix("\ufeff")).get("user", {})
    except tomllib.TOMLDecodeError as error:
        raise BadConfigFile(path=path, reason=error) from None
    return str(user.get("vault", "")) if isinstance(user, dict) else ""


def _remove_vault_name(text: str, before: str, vault: str, path: Path) -> str:
    row = find_setting(_NAME)
    if _find_vault_name(text, path) != vault:
        return text
    if config.change_setting(before, row, vault) == text:
        return before
    older = _find_vault_name(before, path)
    return config.change_setting(text, row, older or None)
