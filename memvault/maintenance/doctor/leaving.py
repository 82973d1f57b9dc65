"""Checks of links that lead out of the vault: what lies behind them is neither read nor written."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from memvault.maintenance.doctor.finding import Finding, command
from memvault.maintenance.doctor.scan import Entry, Survey
from memvault.storage.vault.layout import STATE, TRASH
from memvault.system import files


@dataclass(frozen=True, slots=True)
class WayOut:
    """A link in the vault that leads out of it, and whether the person allowed it to be read."""

    path: str
    target: str
    allowed: bool


def ways_out(survey: Survey) -> Iterator[WayOut]:
    """Every link that leads out of the vault."""
    for entry in survey.entries:
        found = files.exit_on(survey.vault.root / entry.path.rstrip("/")) if _may_lead(entry) else None
        if found:
            yield WayOut(entry.path.rstrip("/"), found.target, found.allowed)


def links_out(survey: Survey) -> Iterator[Finding]:
    """Links that lead out of the vault, and how to allow or replace them."""
    for link in ways_out(survey):
        is_ours = survey.vault.layout.keeps(link.path)
        if link.allowed and not is_ours:
            continue
        read = "it is read, as you allowed, and never written" if link.allowed else "it is neither read nor written"
        name = survey.vault.root / link.path
        allow = "" if link.allowed or _is_closed(link.path) else f" {_allowing(survey, str(name))} has it read."
        yield Finding(
            severity="error" if is_ours or link.path in survey.unread else "note",
            path=link.path,
            sentence=f"It is a link that leads out of the vault, to {link.target}: {read}.",
            advice=f"Put a folder or file of its own in its place; what it leads to stays.{allow}",
        )


def _may_lead(entry: Entry) -> bool:
    return entry.is_link or (sys.platform == "win32" and entry.is_folder)  # a junction passes for a folder there


def _is_closed(path: str) -> bool:
    """Whether reading alone would be of no use: memvault keeps things there, and writes whenever it works."""
    return f"{path}/".startswith((f"{STATE}/", f"{TRASH}/"))


def _allowing(survey: Survey, name: str) -> str:
    """The command that allows one more link, the ones before it kept."""
    links = (*survey.vault.settings.texts("vault.links"), name)
    return command("config", "--user", "vault.links", ",".join(links))
