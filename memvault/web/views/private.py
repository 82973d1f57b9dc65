"""Private memories: shown only while a person has unlocked them, held in memory alone."""

from __future__ import annotations

from starlette.responses import Response

from memvault.web.page import Page


def show_private(page: Page) -> Response:
    """Show the private memories while they lie open, or the way to unlock them."""
    open_ = page.vault.unlocked
    return page.render(
        "private.html",
        keys=page.vault.private_status(),
        is_open=open_ is not None,
        memories=sorted(open_.memories, key=lambda memory: memory.created, reverse=True) if open_ else [],
        minutes=page.vault.settings.number("private.unlock_minutes"),
    )


def unlock(page: Page) -> Response:
    """Open the private memories with this machine's key, for the time that the settings say."""
    found = page.vault.private_memories()
    minutes = page.vault.settings.number("private.unlock_minutes")
    page.unlocked.hold_memories(str(page.vault.root), found.memories, minutes * 60, first=True)
    return page.redirect("/private", note="unlocked" if found.memories else "nothing")


def lock(page: Page) -> Response:
    """Close them again."""
    page.unlocked.forget_memories(str(page.vault.root))
    return page.redirect("/private", note="locked")
