"""Look at the settings, and change one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memvault import files
from memvault.core.settings import TABLE, Setting, Settings, Value, lookup
from memvault.errors import BadSetting
from memvault.vault import config


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingShown:
    """One setting: what it is now, what it would be by itself, and what it does."""

    name: str
    value: Value
    default: Value
    help: str
    personal: bool


def settings_shown(settings: Settings, name: str = "") -> list[SettingShown]:
    """All settings, or the one of that name, or those of that section."""
    rows = [row for row in TABLE if not name or row.name == name or row.section == name]
    return [_shown(row, settings) for row in rows or [lookup(name)]]


def _shown(row: Setting, settings: Settings) -> SettingShown:
    return SettingShown(
        name=row.name, value=settings[row.name], default=row.default, help=row.help, personal=row.personal
    )


def configure(path: Path, name: str, value: str | None, *, hold: Path, personal: bool, dry_run: bool = False) -> Value:
    """Set one setting in a config file, or take it back to its default; every other line stays."""
    row = lookup(name)
    if row.personal and not personal:
        reason = "it may only be set in your own config (--user), so that a vault cannot decide it"
        raise BadSetting(name=row.name, where=path, value=value, reason=reason)
    wanted = None if value is None else row.from_text(value, where=str(path))
    before = files.read(path) if path.exists() else b""
    after = config.changed(before.decode("utf-8"), row, wanted).encode()
    if not dry_run and after != before:
        files.make_folder(path.parent)
        if personal:
            files.clear(path.parent)
        if path.exists():
            files.replace(path, after, expected=before, hold=hold)
        else:
            files.create(path, after)
    return row.default if wanted is None else wanted
