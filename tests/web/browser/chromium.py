"""A real browser for the tests: Debian's chromium, driven by playwright; and the page of a vault, served to it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

from memvault.api import Memvault
from memvault.web.keys import PageKeys
from memvault.web.serve import serve_page

CHROMIUM = "/usr/bin/chromium"
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
ROOT = Path(__file__).resolve().parents[3]


def missing() -> str:
    """What there is none of, of all that a browser test needs; empty where it is all there."""
    try:
        import playwright  # noqa: F401
    except ImportError:
        return "playwright is not installed (pip install 'memvault[test-browser]')"
    return "" if os.access(CHROMIUM, os.X_OK) else f"{CHROMIUM} is not there (apt-get install chromium)"


@contextmanager
def browser() -> Iterator[Any]:
    """A browser, for as long as it is needed."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield found
        found.close()


@contextmanager
def served(vault: Memvault) -> Iterator[str]:
    """The page of a vault, served by a thread with the vault's own clock; gives the address that opens it."""
    told: Queue[str] = Queue()
    now = vault.now()
    words = {"clock": vault.now, "zone": now.tzinfo, "say": told.put}
    thread = Thread(target=serve_page, args=(vault,), kwargs=words, daemon=True)
    thread.start()
    try:
        yield told.get(timeout=20)
    finally:
        PageKeys(vault.state_folder).ask_to_stop()
        thread.join(timeout=20)
