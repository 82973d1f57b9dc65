"""Today: what is due and open, the tasks in hand, what was given and changed last; and a memory to be made."""

from __future__ import annotations

from http import HTTPStatus
from time import monotonic
from typing import Any, NamedTuple

from starlette.responses import Response

from memvault.errors import MemvaultError
from memvault.maintenance.inbox import CARD_KINDS, DayOverview
from memvault.web.markdown import memory_address
from memvault.web.page import NAVIGATION, Page

_RECENT, _FADING, _TODO = 6, 6, 12
_LONG, _KEPT_SECONDS = 0.5, 60.0


class _KnownDay(NamedTuple):
    """A day at a glance, the last operation before it, and when it was made, in how long."""

    day: DayOverview
    last: str
    made: float
    seconds: float


def show_today(page: Page, *, code: HTTPStatus = HTTPStatus.OK, **more: object) -> Response:
    """Show the day at a glance."""
    vault = page.vault
    todo, day = vault.list_reminders(), _find_day(page)
    values: dict[str, Any] = {"text": "", "error": None, "secrets": False, **more}
    return page.render(
        "today.html",
        code=code,
        reminders=todo.reminders[:_TODO],
        open_reminders=len(todo.reminders),
        due=todo.due,
        tasks=vault.work_in_hand(),
        day=day,
        kinds=[(kind, day.waiting[kind.name]) for kind in CARD_KINDS.values() if day.waiting.get(kind.name)],
        given=vault.list_injections(limit=_RECENT),
        operations=vault.log(limit=_RECENT),
        device=vault.device,
        fading=day.fading[:_FADING],
        **values,
    )


def _find_day(page: Page) -> DayOverview:
    """Return the day at a glance: made anew after each operation, or where that takes long after a minute."""
    last = page.last_operation
    known: _KnownDay | None = page.memo.get("day")
    if known is not None:
        is_recent = known.seconds > _LONG and monotonic() - known.made < _KEPT_SECONDS
        if is_recent or (known.last == last and monotonic() - known.made < _KEPT_SECONDS):
            return known.day
    began = monotonic()
    found = page.vault.today()
    page.memo["day"] = _KnownDay(found, last, monotonic(), monotonic() - began)
    return found


def mark_done(page: Page) -> Response:
    """Mark a reminder as done, or as one that will not be."""
    done = page.vault.mark_done(page.field("id"), cancel=page.field("act") == "cancel")
    return page.redirect(op=done.op, note="" if done.op else "nothing")


def finish_task(page: Page) -> Response:
    """End a task in hand; `keep` has what it says become a lasting memory."""
    done = page.vault.work_done(task=page.field("id"), keep=page.field("act") == "keep")
    return page.redirect(op=done.op)


def remember(page: Page) -> Response:
    """Remember a text; what is refused stands in the form again, with the reason."""
    text = page.text("text")
    secrets = page.field("secrets") if page.field("secrets") in ("redact", "keep") else ""
    try:
        made = page.vault.remember(text, secrets=secrets)
    except MemvaultError as error:
        return show_today(
            page, code=HTTPStatus.BAD_REQUEST, text=text, error=error, secrets=error.code == "SecretFound"
        )
    return page.redirect(memory_address(made.memory.id), op=made.op, note="" if made.op else "nothing")


def show_keys(page: Page) -> Response:
    """Show the keys that every page knows."""
    return page.render("keys.html", links=NAVIGATION)
