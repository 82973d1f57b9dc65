"""Ask the person, once, about what an older vault's file sets and only they may set."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from memvault.core.settings import find_setting
from memvault.storage.vault.layout import CONFIG
from memvault.text.display import to_one_line

if TYPE_CHECKING:
    from memvault.api import Memvault


def ask_about_ignored(vault: Memvault, *, say: Callable[[str], None], ask: Callable[[str], str | None]) -> bool:
    """Ask whether to set for this vault what its file asks for; return whether that changed the settings."""
    questions = vault.open_config_questions()
    if not questions:
        return False
    say(f"{to_one_line(str(vault.root / CONFIG))} sets what only you may set, so it is ignored:")
    for one in questions:
        say(f"  {to_one_line(f'{one.name} = {one.written}')}\n    {find_setting(one.name).help}")
    answer = ask("Set it in your own config, for this vault? You are asked once. [y/N] ")
    if answer is None:  # nobody is there any more
        return False
    agrees = answer.casefold() in ("y", "yes")
    path = vault.answer_config_questions(accept=agrees)
    say(f"Written to {path}, for this vault." if agrees else "It stays ignored. `memvault config` lists it.")
    return agrees
