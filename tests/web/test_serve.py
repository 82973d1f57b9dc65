"""The process that serves the page: found, started, ended when nobody comes or somebody asks, begun anew after a purge."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from http.client import HTTPConnection
from pathlib import Path
from queue import Queue
from threading import Thread
from urllib.parse import urlsplit

import pytest

import memvault
from memvault.api import Memvault
from memvault.errors import BadInput, OnlyAPerson
from memvault.system import files
from memvault.system.memory_holders import read_mark
from memvault.web import serve
from memvault.web.app import VaultPages
from memvault.web.keys import PageKeys
from tests.conftest import Clock, Opener
from tests.daemon.porters import SOON, UNIX_ONLY, machine
from tests.web.visitor import Visitor

WEB = Path(memvault.__file__).parent / "web"


def serving(vault: Memvault, **given: float) -> tuple[Thread, str, Queue[bool]]:
    """A page that is served by a thread, its address, and what comes of it in the end."""
    told: Queue[str] = Queue()
    ended: Queue[bool] = Queue()
    thread = Thread(target=lambda: ended.put(serve.serve_page(vault, say=told.put, **given)), daemon=True)  # type: ignore[arg-type]
    thread.start()
    return thread, told.get(timeout=SOON), ended


def fetch(address: str, cookie: str = "") -> tuple[int, str]:
    """The status of an answer, and the cookie that came with it."""
    parts = urlsplit(address)
    connection = HTTPConnection(parts.netloc, timeout=SOON)
    connection.request("GET", f"{parts.path}?{parts.query}", headers={"cookie": cookie} if cookie else {})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, (answer.getheader("set-cookie") or "").partition(";")[0]


@pytest.fixture(autouse=True)
def looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "_LOOK_SECONDS", 0.01)


def test_the_page_is_served_on_the_loopback_and_ends_when_somebody_asks(vault: Memvault) -> None:
    assert serve.find_page(vault) == ""
    thread, address, ended = serving(vault)
    assert address.startswith("http://127.0.0.1:")
    status, cookie = fetch(address)
    assert status == 303
    assert fetch(address.partition("?")[0], cookie)[0] == 200
    again = serve.find_page(vault)
    assert fetch(again)[0] == 303
    assert serve.stop_page(vault)
    assert ended.get(timeout=SOON)
    thread.join(SOON)
    assert not serve.stop_page(vault)
    assert serve.find_page(vault) == ""


def test_the_port_of_a_process_that_was_killed_is_not_taken_for_that_of_the_next(vault: Memvault) -> None:
    keys = PageKeys(vault.state_folder)
    keys.prepare_folder()
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    keys.save_port(port)
    with files.lock(keys.lock_path, wait=0):  # by the next, which has not said its own yet
        found: list[str] = []
        looking = Thread(target=lambda: found.append(serve.find_page(vault)))  # a thread may take its own lock again
        looking.start()
        looking.join(SOON)
        assert found == [""]
    _thread, address, ended = serving(vault)
    assert f":{port}/" not in address
    assert f":{port}/" not in serve.find_page(vault) != ""
    assert serve.stop_page(vault)
    ended.get(timeout=SOON)
    assert keys.find_port() is None


def test_it_ends_when_nobody_has_come_for_a_while(vault: Memvault) -> None:
    _thread, _address, ended = serving(vault, idle_seconds=0.0)
    assert ended.get(timeout=SOON) is False


def test_a_vault_has_one_page(vault: Memvault, open_vault: Opener) -> None:
    _thread, _address, ended = serving(vault)
    with pytest.raises(BadInput, match="served already"):
        serve.serve_page(open_vault(vault.root))
    serve.stop_page(vault)
    ended.get(timeout=SOON)


@pytest.mark.parametrize("port", [-1, 70_000])
def test_a_port_must_be_one(vault: Memvault, port: int) -> None:
    with pytest.raises(BadInput):
        serve.serve_page(vault, port=port)


def test_an_agent_does_not_open_the_page(vault: Memvault, open_vault: Opener) -> None:
    agent = open_vault(vault.root, agent="claude-code")
    for act in (serve.find_page, serve.serve_page):
        with pytest.raises(OnlyAPerson):
            act(agent)


def test_what_is_private_again_or_was_purged_is_in_the_memory_of_no_process_for_long(
    vault: Memvault, clock: Clock
) -> None:
    visitor = Visitor(vault, clock)
    server, mark = serve._PageServer(vault, visitor.keys, 60.0), read_mark(vault.environment)
    visitor.keys.prepare_folder()
    assert server._find_end(visitor.app, visitor.pages, mark) == ""
    visitor.pages.unlocked.hold_memories(str(vault.root), [], 60.0, first=True)
    assert server._find_end(visitor.app, visitor.pages, mark) == ""
    visitor.pages.unlocked.forget_memories(str(vault.root))
    assert server._find_end(visitor.app, visitor.pages, mark) == "renewed"
    assert server._find_end(visitor.app, VaultPages(vault.root, environment=vault.environment), b"other") == "renewed"
    visitor.pages.close()


def test_keys_that_nobody_used_end_with_the_process(vault: Memvault) -> None:
    keys = PageKeys(vault.state_folder)
    key = keys.issue_key(vault.now())
    keys.drop_keys()
    assert not keys.redeem_key(key, vault.now())


@UNIX_ONLY
@pytest.mark.points(only=True)
def test_the_command_starts_a_process_and_ends_it(vault: Memvault, environment: Mapping[str, str]) -> None:
    def run(*words: str) -> dict[str, str]:
        done = subprocess.run(
            [sys.executable, "-m", "memvault", "--vault", str(vault.root), "web", *words, "--json"],
            env=machine(environment),
            capture_output=True,
            timeout=SOON,
            check=True,
        )
        return json.loads(done.stdout)["result"]  # type: ignore[no-any-return]

    address = run("--no-open")["url"]
    try:
        status, cookie = fetch(address)
        assert status == 303
        other = run("--no-open")["url"]
        assert urlsplit(other).netloc == urlsplit(address).netloc
        assert fetch(address.partition("?")[0], cookie)[0] == 200
    finally:
        run("stop")
    with pytest.raises(OSError):
        fetch(address)


@UNIX_ONLY
@pytest.mark.points(only=True)
def test_after_a_purge_it_begins_anew_and_its_visitors_stay(vault: Memvault, environment: Mapping[str, str]) -> None:
    vault.remember("The safe opens with the zephyr code.", title="The safe")
    words = [sys.executable, "-m", "memvault", "--vault", str(vault.root), "web", "serve"]
    with subprocess.Popen(words, env=machine(environment), stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = process.stderr.readline().strip()
        start = address.partition("?")[0]
        _, cookie = fetch(address)
        assert fetch(f"{start}memory?id=The+safe", cookie)[0] == 200
        vault.purge("The safe")  # waits until whoever may have read it has begun anew
        assert fetch(f"{start}memory?id=The+safe", cookie)[0] == 404
        process.terminate()


# -- what is shipped


def test_the_script_is_small_and_loads_nothing_from_elsewhere() -> None:
    script = (WEB / "static" / "page.js").read_text("utf-8")
    assert len(script.encode()) < 15_000
    for path in [*WEB.rglob("*.html"), *(WEB / "static").iterdir()]:
        text = path.read_text("utf-8").replace('xmlns="http://www.w3.org/2000/svg"', "")
        assert "http:" not in text, path.name
        assert "https:" not in text, path.name
    assert len(list((WEB / "static").glob("*.css"))) == 1


def test_no_template_trusts_a_text() -> None:
    """Only the report's own style, mark and policy are put in as they are."""
    trusted = {path.name: path.read_text("utf-8").count("|safe") for path in WEB.rglob("*.html")}
    assert {name: count for name, count in trusted.items() if count} == {"report.html": 3}


def test_files_of_the_page_are_where_the_wheel_takes_them_from() -> None:
    assert os.access(WEB / "templates" / "base.html", os.R_OK)
    assert not [path for path in WEB.rglob("*") if path.is_file() and path.name.startswith(".")]
