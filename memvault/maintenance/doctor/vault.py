"""Checks of the vault as a whole: its folders, its settings, what is loaded always, and vaults within it."""

from __future__ import annotations

import os
import shlex
import stat
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property

from memvault.core.memory import Place
from memvault.core.plan import CreateFile
from memvault.core.settings import read_vault_settings
from memvault.core.value import replace
from memvault.errors import MemvaultError, Unwritable
from memvault.maintenance.doctor.scan import KILO, ScannedEntry, VaultScan, inner_vaults
from memvault.storage.finding import Chore, DoctorFinding
from memvault.storage.vault import config
from memvault.storage.vault.configure import IgnoredSettingInfo, describe_ignored
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import CONFIG, IGNORE, STATE, Layout
from memvault.system import files

_LOADED_TIERS = ((Place.IDENTITY, "Tier 0", 3, "always"), (Place.HOT, "Tier 1", 20, "in every session"))


def check_folders(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find Tier folders that are not there: never made, renamed, or gone with their notes."""
    known = _KnownPaths(scan)
    home = scan.vault.settings.text("layout.home")
    if home and not _is_folder(scan, home):
        yield from _missing_folder(scan, known, f"{home}/", "layout.home")
        return
    for setting, folder in _tier_folders(scan.vault.layout).items():
        if not _is_folder(scan, folder):
            yield from _missing_folder(scan, known, folder, setting)


def _tier_folders(layout: Layout) -> Mapping[str, str]:
    """Return the folders of the tiers by the settings that name them."""
    return {
        "layout.identity": layout.identity,
        "layout.hot": layout.hot,
        "layout.memories": layout.memories,
        "layout.raw": layout.raw,
    }


def _is_folder(scan: VaultScan, folder: str) -> bool:
    return (scan.vault.root / folder).is_dir()


def _missing_folder(scan: VaultScan, known: _KnownPaths, folder: str, setting: str) -> Iterator[DoctorFinding]:
    gone, new_place = known.missing_from(folder)
    if scan.vault.exists(folder.rstrip("/")):
        yield DoctorFinding(
            severity="error",
            path=folder,
            sentence="A file stands where this folder of the vault belongs.",
            advice="Give the file another name.",
        )
    elif new_place:
        yield DoctorFinding(
            severity="error",
            path=folder,
            sentence=f"The folder is gone, and notes that lay in it lie in {new_place} now: it was renamed.",
            advice="Rename it back, or set "
            f'`{setting.partition(".")[2]} = "{_setting_value(scan, setting, new_place)}"` '
            "under [layout] in memvault.toml.",
        )
    elif gone:
        yield DoctorFinding(
            severity="error",
            path=folder,
            sentence=f"The folder is gone, and with it {gone} {'note' if gone == 1 else 'notes'} memvault knew there.",
            advice="Bring it back from a copy; or, if it was deleted on purpose, make it again, empty.",
        )
    elif not scan.vault.vault_file.adopted:
        yield DoctorFinding(
            severity="note",
            path=folder,
            sentence="The folder is not there; it is made when it is first needed.",
            advice="Make it, if you want to put notes there yourself.",
            chore=Chore("make the folder", _make_folder, (folder,)),
        )


def _make_folder(context: VaultContext, folder: str) -> None:
    files.make_folder(context.vault.absolute_path(folder), mode=context.vault.folder_mode)


def _setting_value(scan: VaultScan, setting: str, folder: str) -> str:
    home = scan.vault.settings.text("layout.home")
    top = f"{home}/" if home and setting != "layout.home" else ""
    return folder.removeprefix(top).rstrip("/")


class _KnownPaths:
    """Where notes lay as far as the ledger and the operation log know."""

    def __init__(self, scan: VaultScan) -> None:
        self._scan = scan
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for note in scan.notes:
            self._by_name[note.entry.name].append(note.path)

    def missing_from(self, folder: str) -> tuple[int, str]:
        """Return how many notes of a folder are nowhere, and the folder that others of them went to together."""
        nowhere, went = 0, Counter[str]()
        for path in self._missing_paths:
            if not path.startswith(folder):
                continue
            inner = path.removeprefix(folder)
            found = self._by_name.get(path.rpartition("/")[2], [])
            nowhere += not found
            # Of several notes of one name it cannot be told which of them it was.
            if len(found) == 1 and found[0].endswith(f"/{inner}"):
                went[found[0].removesuffix(inner)] += 1
        new_place = next((place for place, _ in went.most_common(1)), "")
        return nowhere, "" if self._is_tier(new_place) else new_place

    @cached_property
    def _missing_paths(self) -> set[str]:
        by_id: dict[str, list[str]] = defaultdict(list)
        for path, id_ in self._scan.vault.ledger.decisions().ids_by_path.items():
            by_id[id_].append(path)
        vault = self._scan.vault
        unfound = (paths for paths in by_id.values() if not any(vault.exists(path) for path in paths))
        return {path for paths in unfound for path in paths} | self._logged_paths()

    def _logged_paths(self) -> set[str]:
        """Return the files that the log leaves in place, but for those that are forgotten."""
        there: set[str] = set()
        for step in (step for operation in self._scan.operations for step in operation.steps):
            if step.do in ("move", "remove"):
                there.discard(step.path)
            if step.do in ("create", "move"):
                there.add(step.to or step.path)
        return {path for path in there if not self._scan.vault.exists(path)}

    def _is_tier(self, folder: str) -> bool:
        return folder.startswith(tuple(_tier_folders(self._scan.vault.layout).values()))


# -- what is loaded always


def check_always_loaded(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find Tier 0 and Tier 1 larger than what fits before every conversation."""
    for place, tier, kilobytes, when in _LOADED_TIERS:
        size = sum(note.entry.size for note in scan.notes if note.memory.place is place)
        if size > kilobytes * KILO:
            yield DoctorFinding(
                severity="warning",
                path=scan.vault.layout.folder_of(place),
                sentence=f"{tier} is {size / KILO:.1f} KB; it is loaded {when}, and should be {kilobytes} KB at most.",
                advice="Shorten its notes, or move some to Tier 2 (`memvault vault move NAME memories`).",
            )


# -- settings


def check_settings(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find a settings file that is missing or cannot be read, and settings that are unknown or ignored."""
    path = scan.vault.root / CONFIG
    if not path.exists():
        template = CreateFile(
            CONFIG, config.config_template({}).encode(), "write one that shows every default as a comment"
        )
        yield DoctorFinding(
            severity="warning",
            path=CONFIG,
            sentence="The settings file is missing, so the defaults hold.",
            advice="Bring it back from a copy if you had changed settings.",
            mends=(template,),
        )
        return
    try:
        tree = tomllib.loads(files.read_file(path).decode("utf-8-sig"))
    except MemvaultError as error:
        yield _unreadable_settings(str(error), "Give yourself the right to read it.")
    except ValueError as error:
        yield _unreadable_settings(
            f"It cannot be read as TOML: {error}.", "Fix that line; until then no command works."
        )
    else:
        yield from _check_rows(scan, tree)


def _check_rows(scan: VaultScan, tree: Mapping[str, object]) -> Iterator[DoctorFinding]:
    """Check each row by itself, so that one bad row does not hide the next."""
    answered = {one.name for one in scan.vault.settings.ignored if one.is_answered}
    for section, rows in tree.items():
        inner = rows.items() if isinstance(rows, Mapping) else (("", rows),)
        for key, value in inner:
            row = {section: {key: value}} if isinstance(rows, Mapping) else {section: value}
            try:
                ignored = read_vault_settings(row, where=CONFIG).ignored
            except MemvaultError as error:
                yield _unreadable_settings(str(error), error.advice)
            else:
                yield from (
                    _ignored_setting(describe_ignored(replace(one, is_answered=one.name in answered)))
                    for one in ignored
                )


def _ignored_setting(one: IgnoredSettingInfo) -> DoctorFinding:
    return DoctorFinding(
        severity="note" if one.is_answered else "warning",
        path=CONFIG,
        sentence=f"{one.name} = {one.value} is ignored: only you may set it, in your own config.",
        advice="Take the line out." if one.is_answered else f"Take the line out. To set it yourself: `{one.command}`.",
    )


def _unreadable_settings(sentence: str, advice: str) -> DoctorFinding:
    return DoctorFinding(severity="error", path=CONFIG, sentence=sentence, advice=advice)


# -- vaults within


def check_nested_vaults(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find vaults that lie inside this one."""
    for folder in inner_vaults(scan):
        yield DoctorFinding(
            severity="warning",
            path=folder,
            sentence="Another vault is in this folder, so its notes are found from both.",
            advice=f"Add the line `/{folder}` to {IGNORE} to leave them to the inner vault, or move that vault out.",
        )


# Checks of permissions: what memvault keeps is nobody else's business on this machine.

_RIGHTS_OF_OTHERS = 0o077
_GROUP_MAY = {True: 0o050, False: 0o040}  # with files.shared: a folder, a file
_READ_OR_WRITE = 0o066
_WRITE_FOR_ALL = 0o002


def check_permissions(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find files and folders of memvault's that others on this machine can read or change."""
    if sys.platform == "win32":
        return  # rights are lists there, and the user's own folders are private as they come
    mode = scan.vault.root.stat().st_mode
    if mode & _WRITE_FOR_ALL:
        yield DoctorFinding(
            severity="error",
            path=".",
            sentence="Everybody on this machine can put files into the vault's folder, or rename what is in it.",
            advice=f"`chmod o-w {shlex.quote(str(scan.vault.root))}` takes that right away.",
            chore=_restriction((("", stat.S_IMODE(mode & ~_WRITE_FOR_ALL)),)),
        )
    exposed: dict[str, list[ScannedEntry]] = defaultdict(list)
    own = (f"{STATE}/", CONFIG, *scan.tiers)
    reach = {"": _passing_rights(scan.vault.root.stat().st_mode)}
    for entry in scan.entries:
        way_in = reach.get(entry.folder, 0)
        if entry.is_folder:
            reach[entry.path] = way_in & _passing_rights(entry.mode)
        if _excess_rights(entry, scan) & way_in & _READ_OR_WRITE and entry.path.startswith(own):
            exposed[entry.folder].append(entry)
    for folder, entries in exposed.items():
        writable = any(entry.mode & _WRITE_FOR_ALL for entry in entries)
        modes = tuple((entry.path, stat.S_IMODE(entry.mode & ~_excess_rights(entry, scan))) for entry in entries)
        one = len(entries) == 1
        what = "it" if one else f"{len(entries)} files and folders in it ({', '.join(e.name for e in entries[:3])} …)"
        yield DoctorFinding(
            severity="error" if writable else "warning",
            path=entries[0].path if one else folder or ".",
            sentence=f"Others on this machine can {'change' if writable else 'read'} {what}.",
            advice="`chmod go= FILE` takes the rights away; `memvault config files.shared true` lets the group read.",
            chore=_restriction(modes),
        )


def _passing_rights(mode: int) -> int:
    """Return the rights that count within a folder: those of whoever may search it."""
    return (0o070 if mode & 0o010 else 0) | (0o007 if mode & 0o001 else 0)


def _excess_rights(entry: ScannedEntry, scan: VaultScan) -> int:
    """Return the rights that an entry gives others, and the settings do not."""
    if entry.is_link:
        return 0
    may = _GROUP_MAY[entry.is_folder] if scan.vault.settings.flag("files.shared") else 0
    return entry.mode & _RIGHTS_OF_OTHERS & ~may


def _restriction(modes: tuple[tuple[str, int], ...]) -> Chore:
    return Chore("take the permissions away that others should not have", _restrict_modes, (modes,))


def _restrict_modes(context: VaultContext, modes: tuple[tuple[str, int], ...]) -> None:
    for path, mode in modes:
        target = context.vault.absolute_path(path)
        # A link in its place by now could lead anywhere.
        if not os.path.lexists(target) or target.is_symlink() or files.find_link_out(target):
            continue
        try:
            target.chmod(mode)
        except OSError as error:
            raise Unwritable(path=path or ".", reason=error.strerror or error) from None
