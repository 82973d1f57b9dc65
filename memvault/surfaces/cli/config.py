"""`memvault config`: the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from memvault.core.settings import SETTINGS, Value, as_toml
from memvault.errors import Misused
from memvault.render import reports
from memvault.surfaces.cli.answer import Answer
from memvault.surfaces.cli.declare import Argument, Option
from memvault.surfaces.cli.desk import Desk
from memvault.surfaces.cli.options import DryRun
from memvault.surfaces.cli.writing import DRY_RUN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memvault.verbs.configure import SettingShown

EXAMPLES = (
    "memvault config",
    "memvault config recall.limit",
    "memvault config recall.limit 20",
    "memvault config --user user.vault ~/memory",
    "memvault config --unset recall.limit",
)

Name = Annotated[
    str,
    Argument(
        metavar="NAME",
        help="A setting, or a section such as `recall`.",
        show_default=False,
        autocompletion=lambda: list(SETTINGS),
    ),
]
NewValue = Annotated[
    str | None, Argument(metavar="VALUE", help="What to set it to; a list with commas.", show_default=False)
]
Unset = Annotated[bool, Option("--unset", help="Take the setting back to its default.")]
User = Annotated[bool, Option("--user", help="Your own config, for all vaults, instead of this vault's.")]


def config(
    desk: Desk,
    name: Name = "",
    value: NewValue = None,
    *,
    unset: Unset = False,
    user: User = False,
    dry_run: DryRun = False,
) -> Answer:
    """Show the settings, one of them, or change one.

    What differs from its default is marked with a star. A setting made in your own config goes before the vault's,
    and an environment variable (MEMVAULT_RECALL_LIMIT) before both.
    """
    if unset and (value is not None or not name):
        raise Misused(reason="--unset takes the name of a setting, and no value.", command="memvault config")
    if value is None and not unset:
        return _shown(_settings(desk, name, user=user), name, user=user)
    new = _set(desk, name, value, user=user, dry_run=dry_run)
    return Answer(
        result={"name": name, "value": new, "dry_run": dry_run},
        text=lambda _paper: f"{name} = {as_toml(new)}{' (its default)' if unset else ''}",
        talk=(DRY_RUN if dry_run else "",),
    )


def _settings(desk: Desk, name: str, *, user: bool) -> Sequence[SettingShown]:
    if user:
        from memvault.api import Memvault

        found = Memvault.own_config(name, environment=desk.environment)
        return found if name else [row for row in found if row.value != row.default]
    with desk.open() as vault:
        return vault.config(name)


def _set(desk: Desk, name: str, value: str | None, *, user: bool, dry_run: bool) -> Value:
    if user:
        from memvault.api import Memvault

        return Memvault.set_own_config(name, value, environment=desk.environment, dry_run=dry_run)
    with desk.open() as vault:
        return vault.set_config(name, value, dry_run=dry_run)


def _shown(found: Sequence[SettingShown], name: str, *, user: bool) -> Answer:
    if len(found) == 1 and found[0].name == name:
        row = found[0]
        return Answer(
            result={"settings": found},
            text=lambda paper: reports.setting(row.name, row.value, row.default, row.help, paper),
        )
    rows = [(row.name, row.value, row.default) for row in found]
    return Answer(
        result={"settings": found},
        text=lambda paper: reports.settings(rows, paper) if rows else "",
        talk=("Your own config changes nothing yet.",) if user and not rows else (),
    )
