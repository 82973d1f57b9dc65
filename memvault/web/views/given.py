"""What each session was given without asking, and why; and what a person says of it."""

from __future__ import annotations

from itertools import groupby

from starlette.responses import Response

from memvault.context.injection_log import InjectionDetails
from memvault.errors import NothingToDo
from memvault.maintenance.receipts import Verdict, judge_memory
from memvault.web.page import Page

_MOST = 300
_SESSIONS = 20


def show_given(page: Page) -> Response:
    """Show what the latest sessions were given, each with its injections in order; or those of one session."""
    session = page.query("session")
    found = page.vault.list_injections(session=session, limit=_MOST)
    return page.render("given.html", session=session, sessions=_group_sessions(found)[:_SESSIONS])


def judge(page: Page) -> Response:
    """Record that a memory is wrong, or was of no use there; its text stays."""
    said = page.field("verdict")
    verdict: Verdict = "wrong" if said == "wrong" else "useless"
    try:
        done = page.vault.run(judge_memory, page.field("id"), verdict)
    except NothingToDo:
        return page.redirect(note="nothing")
    return page.redirect(op=done.op)


def _group_sessions(found: tuple[InjectionDetails, ...]) -> list[tuple[str, list[InjectionDetails]]]:
    """Return the injections by session, the session with the latest injection first."""
    order = {row.injection.session: number for number, row in reversed(list(enumerate(found)))}
    rows = sorted(found, key=lambda row: order[row.injection.session])
    return [(session, list(group)) for session, group in groupby(rows, key=lambda row: row.injection.session)]
