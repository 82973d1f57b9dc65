"""Have an agent call memvault at its events: install that, take it away, look at it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from memvault.agents.setup import entries as hooking
from memvault.agents.setup.backup import (
    BackupStore,
    FileBackup,
    SettingsFile,
    check_command,
    find_agent,
    find_settings_file,
    is_program_found,
    list_settings_files,
)
from memvault.agents.setup.clients import HOOK_AGENTS, PROJECT, USER, AgentFolders, CommandWords, HookAgent
from memvault.agents.setup.entries import HookEntry, build_scope_command
from memvault.agents.setup.json_edit import MalformedJson, diff_lines
from memvault.errors import BadForeignFile, ChangedMeanwhile, MemvaultError, NotText
from memvault.storage.vault.layout import CONFIG
from memvault.storage.vault.vault_file import is_vault
from memvault.system import files

# Put something of ours into a file of another program, and take it out as if it had never been there.

SHARED_NOTE = (
    "It calls `memvault` by its name: all who work on this project need it in their PATH, and a vault of their own."
)
NOT_FOUND_NOTE = (
    "From another folder no vault would be found: `memvault config --user user.vault PATH` names one for good, "
    "or install again with --vault."
)
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
    is_removable: str = "{}\n"  # what a new file begins with
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

    def install(self, lodging: ManagedFile, *, dry_run: bool = False) -> EditedFile:
        """Have exactly our entries stand in a file; nothing is written where they do already."""
        with files.system_errors(lodging.path):
            if dry_run:
                return self._install_once(lodging, dry_run=True)
            return self._retry_on_change(lambda: self._install_once(lodging, dry_run=False))

    def remove(self, lodging: ManagedFile, *, dry_run: bool = False) -> EditedFile:
        """Take our entries out; a file that nobody else has changed is what it was, byte for byte."""
        with files.system_errors(lodging.path):
            if dry_run:
                return self._remove_once(lodging, dry_run=True)
            done = self._retry_on_change(lambda: self._remove_once(lodging, dry_run=False))
            self._delete_backups()
        return done

    def remove_all(self, lodgings: Iterable[ManagedFile], *, dry_run: bool = False) -> RemovedEntries:
        """Take our entries out of several files; one that cannot be read keeps ours in no other."""
        edited: list[EditedFile] = []
        failed: list[tuple[str, str]] = []
        for lodging in lodgings:
            try:
                edited.append(self.remove(lodging, dry_run=dry_run))
            except MemvaultError as error:
                failed.append((str(lodging.path), str(error)))
        return RemovedEntries(
            files=tuple(done for done in edited if done.changed), failed=tuple(failed), dry_run=dry_run
        )

    def read_text(self, path: Path) -> str:
        """Return the text of a file; empty where it is not there."""
        data = _read_bytes(_resolve_link(path))
        return "" if data is None else _decode_text(path, data)

    # -- one try

    def _install_once(self, lodging: ManagedFile, *, dry_run: bool) -> EditedFile:
        path = _resolve_link(lodging.path)
        data = _read_bytes(path)
        with _name_unreadable_file(path):
            if data is not None and data.strip() and lodging.is_installed(_decode_text(path, data)):
                return EditedFile(path=str(lodging.path), changed=False)
            base = None if data is None else self._strip_entries(lodging, path, data)
            start = lodging.is_removable if base is None or not base.strip() else _decode_text(path, base)
            text = lodging.add_entries(start)
            _check_edit(lodging, start, text)
        new = text.encode()
        if not dry_run:
            page = self._make_backup(lodging, path, base, new)
            self.backups.save(page)  # before the file: what was there must be known whatever comes next
            self._write_file(lodging, path, data, new)
        backup = "" if base is None or dry_run else str(self.backups.original_path(path))
        return replace(_describe_edit(lodging.path, data, new), backup=backup)

    def _remove_once(self, lodging: ManagedFile, *, dry_run: bool) -> EditedFile:
        path = _resolve_link(lodging.path)
        data = _read_bytes(path)
        if data is None:
            return self._forget_file(lodging, path, dry_run=dry_run)
        with _name_unreadable_file(path):
            base = self._strip_entries(lodging, path, data)
        if base == data:
            return self._forget_file(lodging, path, dry_run=dry_run)
        if not dry_run:
            self._write_file(lodging, path, data, base)
            self._forget_file(lodging, path, dry_run=False)
        return _describe_edit(lodging.path, data, base)

    def _forget_file(self, lodging: ManagedFile, path: Path, *, dry_run: bool) -> EditedFile:
        page = self.backups.read_backup(path)
        if page is not None and not dry_run:
            for folder in reversed(page.folders):
                with suppress(OSError):  # somebody else has put something there
                    folder.rmdir()
            self.backups.remove(path)
        return EditedFile(path=str(lodging.path), changed=False)

    def _strip_entries(self, lodging: ManagedFile, path: Path, data: bytes) -> bytes | None:
        """Return the bytes without our entries; None where the file was not there and holds nothing else."""
        page = self.backups.read_backup(path)
        if page is not None and files.digest(data) == page.after:
            return page.before
        if not data.strip():
            return data
        text = _decode_text(path, data)
        before = lodging.is_removable if page is None or not page.before else _decode_text(path, page.before)
        bare = lodging.remove_entries(text, before)
        is_ours_alone = page is not None and page.before is None and bare.split() == lodging.is_removable.split()
        return None if is_ours_alone else bare.encode()

    def _make_backup(self, lodging: ManagedFile, path: Path, base: bytes | None, new: bytes) -> FileBackup:
        older = self.backups.read_backup(path)
        made = () if older is None else older.folders
        missing = tuple(folder for folder in reversed(path.parents) if not folder.exists())
        return FileBackup(
            path=path,
            what=lodging.what,
            agent=lodging.agent,
            before=base,
            after=files.digest(new),
            folders=made or missing,
        )

    def _write_file(self, lodging: ManagedFile, path: Path, old: bytes | None, new: bytes | None) -> None:
        if old is not None and new is not None:
            files.replace_note(path, new, expected=old, hold=self._hold)
            self._restrict_displaced()
        elif old is not None:
            files.discard_note(path, expected=old, hold=self._hold)
            self._restrict_displaced()
        elif new is not None:
            files.make_folder(path.parent, 0o755 if lodging.shared else 0o700)
            files.create_file(path, new, mode=0o644 if lodging.shared else 0o600)

    def _retry_on_change(self, act: Callable[[], EditedFile]) -> EditedFile:
        """Try again where the other program wrote at the same moment: what it wrote is what counts then."""
        files.make_folder(self.backups.folder)
        with files.lock(self.backups.folder / "lock", wait=_WAIT_SECONDS):
            self._restore_displaced(int(self._now.timestamp() * 1_000_000_000))
            for _ in range(_TRIES - 1):
                with suppress(ChangedMeanwhile):
                    return act()
            return act()

    def _delete_backups(self) -> None:
        """Keep no copy of anybody's settings where ours are gone from them, unless somebody is writing into it now."""
        with suppress(MemvaultError), files.lock(self.backups.folder / "lock", wait=_WAIT_SECONDS):
            self._restore_displaced(_FAR_FUTURE_NS)

    def _restrict_displaced(self) -> None:
        """What was displaced has the rights that it had in its place, where others may be meant to read it."""
        for slot in files.list_slots(self._hold):
            with suppress(OSError):
                slot.chmod(0o600)

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
    told = (
        f"{path} is no valid JSON: {error.reason} (line {error.line})"
        if isinstance(error, MalformedJson)
        else str(error)
    )
    return f"{told.rstrip('.')}."


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


def _check_edit(lodging: ManagedFile, before: str, after: str) -> None:
    """Refuse what does not hold ours and nothing but ours in addition."""
    if not lodging.is_installed(after) or lodging.remove_entries(after, before) != before:
        raise MalformedJson("our entries cannot be put into it and taken out again", 1)


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


WHAT = "hooks"
_REINSTALL_ADVICE = "`memvault hooks install` puts that right."
_LOCAL_ADVICE = "`--scope local` is for you alone."


@dataclass(frozen=True, slots=True, kw_only=True)
class HookOptions:
    """Which hooks are to be installed where, and for which vault; an empty vault is the one that memvault finds."""

    agent: str = "claude-code"
    scope: str = USER
    profile: str = "production"
    vault: str = ""
    is_found: bool = True  # whether memvault finds a vault wherever an agent is at work
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HookInstallResult:
    """What was installed: into which file, for which events, what is run, and how the file differs."""

    agent: str
    scope: str
    path: str
    events: tuple[str, ...]
    command: CommandWords
    changed: bool
    diff: str = ""
    backup: str = ""
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HookPlace:
    """One file of settings in which hooks of ours stand."""

    agent: str
    scope: str
    path: str
    events: tuple[str, ...]
    command: CommandWords
    vault: str = ""
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HookStatus:
    """Where hooks of ours are installed, whether a plugin brings them too, and what is wrong."""

    places: tuple[HookPlace, ...]
    plugins: tuple[str, ...] = ()  # the settings that have the plugin enabled
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    passed_over: str = ""  # a folder here that looks like a vault to a person, and is none


_SETTINGS = Path("the settings of agents")  # for when the system does not say which file


class HookSetup:
    """The hooks of this person's agents, as seen from one folder."""

    def __init__(self, ground: AgentFolders, program: CommandWords, entries: SettingsWriter) -> None:
        self._ground = ground
        self._program = program
        self._entries = entries

    @files.system_errors(_SETTINGS)
    def install(self, wanted: HookOptions) -> HookInstallResult:
        """Have an agent call memvault; whatever else stands in its settings stays byte for byte."""
        place = find_settings_file(HOOK_AGENTS, wanted.agent, wanted.scope, self._ground)
        words = build_scope_command(wanted.scope, self._program, "hook", vault=wanted.vault)
        check_command(words)
        events = place.agent.select_events(wanted.profile)
        groups = hooking.build_hook_groups(place.agent, events, words, self._ground.platform)
        lodging = replace(
            _managed_file(place),
            is_installed=lambda text: hooking.has_exact_hooks(text, groups),
            add_entries=lambda text: hooking.add_hooks(text, groups),
        )
        done = self._entries.install(lodging, dry_run=wanted.dry_run)
        return HookInstallResult(
            agent=place.agent.name,
            scope=wanted.scope,
            path=done.path,
            events=tuple(event.name for event in events),
            command=words,
            changed=done.changed,
            diff=done.diff,
            backup=done.backup,
            notes=tuple(filter(None, (place.agent.remark,))),
            warnings=self._list_warnings(wanted, place),
            dry_run=wanted.dry_run,
        )

    def remove(self, *, agent: str = "", scope: str = "", dry_run: bool = False) -> RemovedEntries:
        """Take our hooks out of every file they are known to be in, or of those that are named."""
        if agent:
            find_agent(HOOK_AGENTS, agent)
        found = (each for each in self._list_files() if agent in ("", each.agent.name) and scope in ("", each.scope))
        return self._entries.remove_all(map(_managed_file, found), dry_run=dry_run)

    @files.system_errors(_SETTINGS)
    def status(self) -> HookStatus:
        """Return where our hooks are installed, as seen from here, and whether they can do their work."""
        places: list[HookPlace] = []
        plugins: list[str] = []
        problems: list[str] = []
        for each in self._list_files():
            try:
                text = self._entries.read_text(each.path)
                hooks = hooking.find_hooks(text) if text.strip() else ()
                plugins += [str(each.path)] if text.strip() and hooking.has_plugin(text) else []
            except (MemvaultError, MalformedJson) as error:
                problems.append(unreadable_settings(each.path, error))
                continue
            if hooks:
                places.append(self._describe_place(each, hooks, text))
        return HookStatus(
            places=tuple(places),
            plugins=tuple(plugins),
            problems=tuple(problems),
            notes=_describe_duplicates(places, plugins),
            passed_over=_find_foreign_vault(self._ground.project),
        )

    def _list_files(self) -> Iterator[SettingsFile[HookAgent]]:
        return list_settings_files(HOOK_AGENTS, WHAT, self._ground, self._entries.backups)

    # -- what is wrong

    def _list_warnings(self, wanted: HookOptions, place: SettingsFile[HookAgent]) -> tuple[str, ...]:
        others = [
            each.path for each in self.status().places if each.agent == wanted.agent and each.path != str(place.path)
        ]
        told = (
            (f"{SHARED_NOTE} {_LOCAL_ADVICE}", wanted.scope == PROJECT),
            (NOT_FOUND_NOTE, not wanted.vault and not wanted.is_found),
            (f"Hooks stand in {', '.join(others)} too; each event is served once.", bool(others)),
        )
        return tuple(sentence for sentence, applies in told if applies)

    def _describe_place(self, place: SettingsFile[HookAgent], hooks: Sequence[HookEntry], text: str) -> HookPlace:
        call = hooks[0].call
        return HookPlace(
            agent=place.agent.name,
            scope=place.scope,
            path=str(place.path),
            events=tuple(dict.fromkeys(hook.event for hook in hooks)),
            command=call.words,
            vault=call.vault,
            problems=tuple(self._find_problems(hooks, text)),
        )

    def _find_problems(self, hooks: Sequence[HookEntry], text: str) -> Iterator[str]:
        for program in dict.fromkeys(hook.call.program for hook in hooks):
            if not is_program_found(program, self._ground):
                yield f"{program} is not there; {_REINSTALL_ADVICE}"
        for vault in dict.fromkeys(hook.call.vault for hook in hooks):
            if vault and not Path(vault).expanduser().is_dir():
                yield f"There is no vault {vault} any more; {_REINSTALL_ADVICE}"
        events = [hook.event for hook in hooks]
        if len(set(events)) < len(events):
            yield f"An event has two hooks of memvault's here; {_REINSTALL_ADVICE}"
        if hooking.is_switched_off(text):
            yield "All hooks are switched off there, by disableAllHooks."


def _find_foreign_vault(folder: Path) -> str:
    """Return the nearest folder with settings of a vault, at a folder or above it, that is no vault."""
    found = (each for each in (folder, *folder.parents) if (each / CONFIG).is_file() and not is_vault(each))
    return str(next(found, ""))


def _managed_file(place: SettingsFile[HookAgent]) -> ManagedFile:
    """Return the file as it stands without us."""
    return ManagedFile(
        path=place.path,
        what=WHAT,
        agent=place.agent.name,
        is_installed=lambda text: not hooking.find_hooks(text),
        add_entries=str,
        remove_entries=hooking.remove_hooks,
        shared=place.scope == PROJECT,
    )


def _describe_duplicates(places: Sequence[HookPlace], plugins: Sequence[str]) -> tuple[str, ...]:
    """Return what is told where one agent has our hooks from several sides."""
    told = []
    for agent in HOOK_AGENTS.values():
        sides = [place.path for place in places if place.agent == agent.name]
        sides += [f"the plugin ({path})" for path in plugins] if agent.name == "claude-code" else []
        if len(sides) > 1:
            both = " and ".join(sides)
            told.append(f"{agent.title} has them from {both}: each event is served once, by whichever is called first.")
    return tuple(told)
