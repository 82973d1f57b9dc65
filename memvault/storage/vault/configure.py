"""Lists the settings, changes one, and reports those that a vault's file may not set."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from memvault.core.settings import FOR_ALL_VAULTS, SETTINGS, IgnoredSetting, Settings, find_setting
from memvault.core.settings.table import MACHINE, PERSON, SETTING_ROWS, VAULT, SetBy, Setting, Value
from memvault.errors import BadConfigFile, BadSetting
from memvault.storage.vault import config
from memvault.storage.vault.layout import CONFIG
from memvault.system import files

_LONGEST_VALUE = 80

# Earlier versions obeyed these in a vault's file, so a person may have set them there.
_ONCE_OBEYED = (
    *("claude_md.", "files.", "hot.", "index.", "inject.", "intents.", "prune.", "schedule.", "sync.", "undo."),
    *("decay.control", "screen.duplicates", "screen.trivial_below", "screen.web_tools"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingInfo:
    """One setting: its value, its default, what it does, and who may set it."""

    name: str
    value: Value
    default: Value
    help: str
    personal: bool  # whether a vault's file may not set it
    set_by: SetBy


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoredSettingInfo:
    """A setting in the vault's file that is ignored, and the command that sets it for this person."""

    name: str
    value: str
    message: str
    command: str
    is_answered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFile:
    """A file that settings are written to, and where a change keeps what it displaces."""

    path: Path
    hold: Path
    is_persons: bool = False
    vault_id: str = ""  # in a person's config: the one vault that the setting is for


def list_settings(settings: Settings, name: str = "") -> list[SettingInfo]:
    """Return all settings, or the one of that name, or those of that section."""
    rows = [row for row in SETTING_ROWS if not name or row.name == name or row.section == name]
    return [
        SettingInfo(
            name=row.name,
            value=settings[row.name],
            default=row.default,
            help=row.help,
            personal=row.set_by != VAULT,
            set_by=row.set_by,
        )
        for row in rows or [find_setting(name)]
    ]


# -- ignored settings


def list_ignored(settings: Settings, name: str = "") -> list[IgnoredSettingInfo]:
    """Return the ignored settings of the vault's file: all, the one of that name, or those of that section."""
    return [
        describe_ignored(one)
        for one in settings.ignored
        if not name or one.name == name or one.name.startswith(f"{name}.")
    ]


def describe_ignored(one: IgnoredSetting) -> IgnoredSettingInfo:
    """Return an ignored setting as a sentence and a command."""
    value = one.written if len(one.written) <= _LONGEST_VALUE else f"{one.written[: _LONGEST_VALUE - 1]}…"
    return IgnoredSettingInfo(
        name=one.name,
        value=value,
        message=f"{CONFIG} sets {one.name} = {value}. It is ignored: only you may set it, in your own config.",
        command=_set_command(one),
        is_answered=one.is_answered,
    )


def _set_command(one: IgnoredSetting) -> str:
    """Return the command that sets it; without the value where a command line cannot carry that."""
    row = SETTINGS[one.name]
    how = f"memvault config --user {one.name}" if row.set_by == MACHINE else f"memvault config {one.name}"
    word = _value_word(one.value)
    is_sayable = word and word.isprintable() and not word.startswith("-") and len(word) <= _LONGEST_VALUE
    if not is_sayable or _read_word(row, word) != one.value:
        return how
    return f"{how} {shlex.quote(word)}"


def _value_word(value: Value | None) -> str:
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case tuple():
            return ", ".join(value)
        case _:
            return str(value)


def _read_word(row: Setting, word: str) -> Value | None:
    try:
        return row.from_text(word, where="a command line")
    except BadSetting:
        return None


def open_questions(settings: Settings) -> tuple[IgnoredSetting, ...]:
    """Return what an older vault asks for and the person has not decided on yet."""
    return tuple(
        one
        for one in settings.ignored
        if not one.is_answered
        and one.value is not None
        and SETTINGS[one.name].set_by == PERSON
        and one.name.startswith(_ONCE_OBEYED)
    )


def answer_questions(file: ConfigFile, questions: Sequence[IgnoredSetting], *, accept: bool) -> None:
    """Write to the person's config that they were asked about a vault and, where they agreed, what it asks for."""

    def record_answers(text: str) -> str:
        for one in questions if accept else ():
            text = config.change_setting(text, SETTINGS[one.name], one.value, vault_id=file.vault_id)
        return config.mark_answered(text, file.vault_id)

    _rewrite_file(file, record_answers)


# -- changing


def configure(file: ConfigFile, name: str, value: str | None, *, dry_run: bool = False) -> Value:
    """Set one setting in a config file, or take it back to its default; every other line stays."""
    row = find_setting(name)
    wanted = None if value is None else row.from_text(value, where=str(file.path))
    if row.set_by == MACHINE and not (file.is_persons and not file.vault_id):
        raise BadSetting(name=row.name, where=file.path, value=value, reason=FOR_ALL_VAULTS)
    _rewrite_file(file, lambda text: config.change_setting(text, row, wanted, vault_id=file.vault_id), dry_run=dry_run)
    return row.default if wanted is None else wanted


def _rewrite_file(file: ConfigFile, change: Callable[[str], str], *, dry_run: bool = False) -> None:
    path = file.path
    before = files.read_file(path) if path.exists() else b""
    after = change(before.decode("utf-8")).encode()
    if dry_run or after == before:
        return
    import tomllib  # deferred: only a change needs it

    try:
        tomllib.loads(after.decode("utf-8-sig"))
    except ValueError as error:
        raise BadConfigFile(path=path, reason=f"with that line changed, {error}") from None
    files.make_folder(path.parent)
    if file.is_persons:
        files.clear_orphans(path.parent)
    if path.exists():
        files.replace_note(path, after, expected=before, hold=file.hold)
    else:
        files.create_file(path, after)
