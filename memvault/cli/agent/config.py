"""`memvault config`: the settings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import Argument, DryRun, Option
from memvault.cli.output.changes import DRY_RUN
from memvault.cli.output.terminal import TerminalFormat, format_table
from memvault.core.settings import SETTINGS, to_toml
from memvault.core.settings.table import Value
from memvault.storage.vault.layout import CONFIG
from memvault.text.display import to_one_line

if TYPE_CHECKING:
    from memvault.storage.vault.configure import SettingInfo


CONFIG_LIST_EXAMPLES = ("memvault config list", "memvault config list recall.limit", "memvault config list --user")
CONFIG_SET_EXAMPLES = (
    "memvault config set recall.limit 20",
    'memvault config set inject.folders "Projects, Journal"',
    "memvault config set --user user.vault ~/memory",
)
CONFIG_UNSET_EXAMPLES = ("memvault config unset recall.limit", "memvault config unset --user user.vault")

NameOrSection = Annotated[
    str,
    Argument(metavar="NAME", help="A setting, or a section such as `recall`.", autocompletion=lambda: list(SETTINGS)),
]
Name = Annotated[str, Argument(metavar="NAME", help="The setting.", autocompletion=lambda: list(SETTINGS))]
NewValue = Annotated[str, Argument(metavar="VALUE", help="What to set it to; a list with commas.")]
User = Annotated[bool, Option("--user", help="Your own config, for all vaults, instead of this vault alone.")]


def config_list(cli: CliContext, name: NameOrSection = "", *, user: User = False) -> CommandResult:
    """List the settings, or show one; what differs from its default is marked with a star.

    What a vault's file sets and may not is ignored, and named here. `memvault config NAME` is short for this.
    """
    return _show_own_settings(cli, name) if user else _show_vault_settings(cli, name)


def config_set(
    cli: CliContext, name: Name, value: NewValue, *, user: User = False, dry_run: DryRun = False
) -> CommandResult:
    """Change a setting; `memvault config NAME VALUE` is short for this.

    A setting that a vault may have is written to its memvault.toml. All others are yours alone: they are written to
    your own config, for this vault. With --user a setting holds for all vaults.
    """
    return _change_setting(cli, name, value, user=user, dry_run=dry_run)


def config_unset(cli: CliContext, name: Name, *, user: User = False, dry_run: DryRun = False) -> CommandResult:
    """Take a setting back to its default: in the vault's file, or with --user in your own config."""
    return _change_setting(cli, name, None, user=user, dry_run=dry_run)


def _show_vault_settings(cli: CliContext, name: str) -> CommandResult:
    with cli.open_vault(may_ask=False) as vault:
        found, ignored = vault.config(name), vault.ignored_config(name)
    return CommandResult(
        result={"settings": found, "ignored": ignored},
        text=lambda paper: _format_settings(found, name, paper),
        warnings=tuple(
            (one.message if one.is_answered else f"{one.message} To set it: `{one.command}`.") for one in ignored
        ),
    )


def _show_own_settings(cli: CliContext, name: str) -> CommandResult:
    from memvault.api import Memvault

    found = Memvault.own_config(name, environment=cli.environment)
    rows = found if name else [row for row in found if row.value != row.default]
    return CommandResult(
        result={"settings": rows},
        text=lambda paper: _format_settings(rows, name, paper),
        messages=() if rows else ("Your own config changes nothing yet.",),
    )


def _change_setting(cli: CliContext, name: str, value: str | None, *, user: bool, dry_run: bool) -> CommandResult:
    new, path = _write_setting(cli, name, value, user=user, dry_run=dry_run)
    is_own = not user and path.name != CONFIG
    return CommandResult(
        result={"name": name, "value": new, "path": str(path), "dry_run": dry_run},
        text=lambda _paper: f"{name} = {to_one_line(to_toml(new))}{' (its default)' if value is None else ''}",
        messages=(DRY_RUN if dry_run else f"Written to {path}, for this vault." if is_own else "",),
    )


def _write_setting(cli: CliContext, name: str, value: str | None, *, user: bool, dry_run: bool) -> tuple[Value, Path]:
    if user:
        from memvault.api import Memvault
        from memvault.open_vault import own_config_path

        new = Memvault.set_own_config(name, value, environment=cli.environment, dry_run=dry_run)
        return new, own_config_path(cli.environment)
    with cli.open_vault(may_ask=False) as vault:
        return vault.set_config(name, value, dry_run=dry_run), vault.config_path(name)


def _format_settings(found: Sequence[SettingInfo], name: str, paper: TerminalFormat) -> str:
    """One setting with what it does, or a table in which what differs from its default is marked."""
    if not found:
        return ""
    if len(found) == 1 and found[0].name == name:
        return _format_setting(found[0], paper)
    rows = [
        ["", row.name, to_toml(row.value), ""]
        if row.value == row.default
        else ["*", row.name, to_toml(row.value), to_toml(row.default)]
        for row in found
    ]
    return format_table("| SETTING | VALUE~ | DEFAULT", rows, paper)


def _format_setting(row: SettingInfo, paper: TerminalFormat) -> str:
    usual = "its default" if row.value == row.default else f"by default {to_toml(row.default)}"
    head = f"{paper.styles.title(row.name)} = {to_one_line(to_toml(row.value))}  ({usual})"
    return f"{head}\n{paper.wrap_block(row.help, '  ')}"
