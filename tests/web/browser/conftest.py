"""A browser for all tests, and for each test a page of a vault, watched for whatever it must not do."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from memvault.api import Memvault
from tests.conftest import Clock
from tests.web.browser.chromium import browser as launch
from tests.web.browser.chromium import missing, served
from tests.web.browser.demo import NOW, make_demo

HERE = Path(__file__).parent
AXE = "MEMVAULT_TEST_AXE"
WIDTHS = {"narrow": {"width": 360, "height": 740}, "wide": {"width": 1280, "height": 900}}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests in this folder need a browser."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker("browser")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser."""
    if reason := missing():
        pytest.skip(reason)
    with launch() as found:
        yield found


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core, which looks for what keeps people out."""
    path = Path(os.environ.get(AXE, ""))
    if not path.is_file():
        pytest.skip(f"axe-core is not there (npm install axe-core, and its axe.min.js in {AXE})")
    return path.read_text("utf-8")


class Watched:
    """Pages of one browser window, and all that went wrong in them."""

    def __init__(self, context: Any, address: str) -> None:
        self.context = context
        self.start = address.partition("/?")[0]
        self.troubles: list[str] = []
        context.on("request", self._note_request)
        context.on("page", self._watch)
        self.page = context.new_page()
        self.page.goto(address)

    def _watch(self, page: Any) -> None:
        page.on("dialog", lambda dialog: (self.troubles.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on("pageerror", lambda error: self.troubles.append(f"error {error}"))
        page.on("console", self._note_message)

    def _note_message(self, message: Any) -> None:
        if message.type in ("error", "warning") and "the server responded with a status of" not in message.text:
            self.troubles.append(f"console {message.text}")

    def _note_request(self, request: Any) -> None:
        if urlsplit(request.url).netloc != urlsplit(self.start).netloc:
            self.troubles.append(f"fetch {request.url}")

    def go(self, address: str, page: Any = None) -> Any:
        """Go to a page of the vault."""
        (page or self.page).goto(self.start + address)
        return page or self.page


Opening = Callable[..., Watched]


@pytest.fixture
def open_page(chromium: Any, tmp_path: Path) -> Iterator[Opening]:  # the folder outlives the page
    """Opens the page of a vault in a window of its own; in the end nothing may have gone wrong in it."""
    with ExitStack() as stack:
        opened: list[Watched] = []

        def open_(vault: Memvault, **given: Any) -> Watched:
            address = stack.enter_context(served(vault))
            context = chromium.new_context(**given)
            context.set_default_timeout(120_000)  # a machine may have other work
            stack.callback(context.close)
            opened.append(Watched(context, address))
            return opened[-1]

        yield open_
        assert [trouble for each in opened for trouble in each.troubles] == []


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The demonstration vault, made once."""
    home = tmp_path_factory.mktemp("demo")
    names = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
    environment = {name: str(home / name.lower()) for name in names} | {"MEMVAULT_NO_RESIDENT": "1"}
    return make_demo(home / "notebook", environment).root, environment


@pytest.fixture
def demo(made: tuple[Path, dict[str, str]], tmp_path: Path, clock: Clock) -> Iterator[Memvault]:
    """A copy of it, whose state came along."""
    root, environment = made
    home = shutil.copytree(root.parent, tmp_path / "copy")
    there = {name: value.replace(str(root.parent), str(home)) for name, value in environment.items()}
    clock.now = NOW
    with Memvault(home / root.name, environment=there, clock=clock, zone=NOW.tzinfo) as vault:
        states = [path.parent for path in home.rglob("injected.jsonl")]
        for state in states:  # it is named after the vault's place
            shutil.copytree(state, vault.state_folder, dirs_exist_ok=True)
        yield vault
