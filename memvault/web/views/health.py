"""Health: the pictures of the report, what the doctor finds, maintenance, and what runs by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from starlette.responses import Response

from memvault.agents.setup.install import HookSetup, ServerSetup
from memvault.errors import MemvaultError, NotSynced
from memvault.maintenance.doctor import DoctorResult
from memvault.storage.finding import SEVERITIES
from memvault.system.daemon import is_running
from memvault.web.page import Page
from memvault.web.report import collect_report

USUAL_DAYS = 30


def show_health(page: Page) -> Response:
    """Show how the vault is: its pictures, and what looks after it."""
    vault = page.vault
    days = min(page.number("days", USUAL_DAYS) or USUAL_DAYS, 3_650)
    return page.render(
        "health.html",
        days=days,
        report=vault.run(collect_report, days=days),
        status=vault.status(),
        stores=vault.list_stores(),
        glance=_list_services(page),
    )


def _list_services(page: Page) -> list[tuple[str, Any, str]]:
    """Return what runs by itself: its name, its state, and why that is not known."""
    vault = page.vault
    looks: Mapping[str, Callable[[], Any]] = {
        "schedule": lambda: vault.schedule().status(),
        "hooks": HookSetup.from_environment(vault.environment, page.now).status,
        "servers": ServerSetup.from_environment(vault.environment, page.now).status,
        "sync": vault.sync_status,
        "daemon": lambda: is_running(vault.environment),
    }
    return [(name, *_try_look(look)) for name, look in looks.items()]


def _try_look(look: Callable[[], Any]) -> tuple[Any, str]:
    try:
        return look(), ""
    except NotSynced:
        return None, "not set up: memvault sync init"
    except MemvaultError as error:
        return None, str(error)


def show_findings(page: Page, result: DoctorResult | None = None) -> Response:
    """Show what the doctor finds, and how each is mended."""
    found = result or page.vault.doctor()
    groups = [(severity, [one for one in found.findings if one.severity == severity]) for severity in SEVERITIES]
    return page.render(
        "findings.html",
        found=found,
        groups=[(severity, rows) for severity, rows in groups if rows],
        fixable=sum(one.is_fixable for one in found.findings),
    )


def mend(page: Page) -> Response:
    """Mend what needs nobody's word."""
    done = page.vault.doctor(fix=True)
    return page.redirect("/health/doctor", op=done.op, note="" if done.op else "mended")


def show_maintenance(page: Page) -> Response:
    """Show what maintenance would do now, and why."""
    return page.render("maintenance.html", plan=page.vault.maintain(dry_run=True))


def maintain(page: Page) -> Response:
    """Run maintenance."""
    done = page.vault.maintain()
    return page.redirect("/health/maintain", op=done.op, note="" if done.op else "nothing")
