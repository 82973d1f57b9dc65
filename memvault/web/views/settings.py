"""The settings: what each does, where it may be set, and a form for it."""

from __future__ import annotations

from http import HTTPStatus
from itertools import groupby

from starlette.responses import Response

from memvault.core.settings import find_setting
from memvault.core.settings.table import MACHINE
from memvault.errors import MemvaultError
from memvault.storage.vault.configure import SettingInfo
from memvault.web.page import Page, format_value


def show_settings(
    page: Page, *, code: HTTPStatus = HTTPStatus.OK, error: MemvaultError | None = None, name: str = ""
) -> Response:
    """Show all settings by section; `q` narrows them to those that speak of something."""
    query = page.query("q").casefold()
    rows = [row for row in page.vault.config() if query in f"{row.name} {row.help}".casefold()]
    sections = [(section, list(group)) for section, group in groupby(rows, key=lambda row: row.name.partition(".")[0])]
    return page.render(
        "settings.html",
        code=code,
        query=page.query("q"),
        sections=sections,
        ignored={one.name: one for one in page.vault.ignored_config()},
        scopes={"vault": "for this vault", "person": "yours, for this vault", "machine": "yours, for all vaults"},
        error=error,
        wrong=name,
        before=page.memo.get("setting") if page.query("note") == "set" else None,
        text_of=lambda row: setting_text(page, row),
    )


def setting_text(page: Page, row: SettingInfo) -> str:
    """Return a setting's value as its form has it."""
    return format_value(row.value, page.zone)


def change_setting(page: Page) -> Response:
    """Set a setting where it is to be set, or take it back to its default."""
    name, value = page.field("name"), page.text("value")
    try:
        row = find_setting(name)
        reset = page.field("act") == "reset"
        [now] = page.vault.config(name)
        if row.set_by == MACHINE:
            page.vault.set_own_config(name, None if reset else value, environment=page.vault.environment)
        else:
            page.vault.set_config(name, None if reset else value)
    except MemvaultError as error:
        return show_settings(page, code=HTTPStatus.BAD_REQUEST, error=error, name=name)
    page.memo["setting"] = (name, "" if now.value == now.default else setting_text(page, now), setting_text(page, now))
    return page.redirect(f"/settings#{name}", note="set")
