"""The daemon as a process: whatever happens to it, its callers get the right answer in good time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import monotonic

import pytest

from memvault.api import Memvault
from memvault.daemon.server import DaemonRequest
from memvault.system import daemon, daemon_client
from memvault.system import daemon_protocol as protocol
from tests.daemon.porters import (
    SOON,
    UNIX_ONLY,
    ask,
    at_home,
    is_alive,
    memvault,
    pid_of,
    prompt_event,
    running,
    serving,
    until,
)

pytestmark = UNIX_ONLY
__all__ = ["at_home"]
OFF = {"MEMVAULT_NO_RESIDENT": "1"}

# A server whose hooks hang until somebody writes into a pipe; it says when one has begun.
HANGING = """
import os, sys
from contextlib import nullcontext
from memvault.system import daemon_protocol as protocol
from memvault.daemon import handlers as porter
def hang(request):
    os.write(1, b"begun\\n")
    open(sys.argv[1], "rb").read()
porter.Daemon.list_handlers = lambda self: {protocol.HOOK: hang, protocol.RUN: hang}
porter.serve_daemon(os.environ, lambda: os.write(1, b"ready\\n"), lambda end: nullcontext(), hang)
"""


@pytest.fixture
def home(at_home: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """A machine with a vault that is found from anywhere."""
    root = tmp_path / "vault"
    Memvault.init(root)
    made = {**at_home, "MEMVAULT_DIR": str(root)}
    with Memvault(root, environment=made) as vault:
        vault.remember("Sara prefers tea to coffee.", title="tea")
    return made


def event(session: str) -> bytes:
    return prompt_event(session, "Does Sara prefer tea or coffee in the morning?")


@pytest.mark.points(only=True)
def test_recalls_and_hooks_are_answered_by_it_in_the_same_words(home: dict[str, str]) -> None:
    cold = memvault({**home, **OFF}, "recall", "tea")
    cold_hook = memvault({**home, **OFF}, "hook", data=event("one"))
    with running(home):
        until(lambda: ask(home, "list") is not None)
        before = daemon.read_status(home)
        warm = memvault(home, "recall", "tea")
        assert (warm.returncode, warm.stdout, warm.stderr) == (cold.returncode, cold.stdout, cold.stderr)
        hook = memvault(home, "hook", data=event("two"))
        assert hook.stderr == b""
        assert json.loads(hook.stdout)["systemMessage"] == json.loads(cold_hook.stdout)["systemMessage"]
        assert daemon.read_status(home).answered == before.answered + 2
        assert daemon.read_status(home).left_alone == before.left_alone
        missed = memvault(home, "show", "no such memory")
        assert (missed.returncode, missed.stdout) == (3, b"")
        assert b"No memory matches" in missed.stderr
        assert daemon.read_status(home).left_alone == before.left_alone + 1


@pytest.mark.points(only=True)
def test_the_caller_loads_next_to_nothing(home: dict[str, str]) -> None:
    script = "import sys; from memvault import __main__ as door; door._exit_process = lambda code: print(*sys.modules, file=sys.stderr); "
    program = f"{script}sys.argv = ['memvault', 'recall', 'tea']; door._run_in_daemon(sys.argv[1:])"
    plain = subprocess.run(
        [sys.executable, "-c", "import sys; print(*sys.modules)"], env=home, capture_output=True, check=True
    )
    memvault({**home, **OFF}, "list")
    with running(home):
        until(lambda: ask(home, "list") is not None)
        told = subprocess.run([sys.executable, "-c", program], env=home, capture_output=True, check=True, timeout=SOON)
    ours = {"_socket", "memvault", "memvault.__main__", "memvault.system"}
    ours |= {f"memvault.system.{name}" for name in ("daemon_client", "daemon_protocol")}
    assert set(told.stderr.decode().split()) - set(plain.stdout.decode().split()) == ours


@pytest.mark.points(only=True)
def test_a_hung_one_is_not_waited_for(home: dict[str, str]) -> None:
    with running(home) as porter:
        porter.send_signal(signal.SIGSTOP)
        began = monotonic()
        found = memvault(home, "recall", "tea")
        hook = memvault(home, "hook", data=event("one"))
        assert monotonic() - began < 20  # two whole cold starts, on a machine with other work
        assert found.returncode == 0
        assert b"Sara prefers tea" in found.stdout
        assert b"Sara prefers tea" in hook.stdout
        assert daemon.read_status(home) == daemon.DaemonStatus(running=True, place=str(daemon.find_folder(home)))
        told = memvault(home, "vault", "watch", "start")
        assert told.returncode == 1
        assert told.stderr == b"A daemon is running, and does not answer; `memvault vault watch stop` ends it.\n"
        assert daemon.stop_daemon(home)
        assert porter.wait(SOON) == -signal.SIGKILL
    assert not daemon.is_running(home)


@pytest.mark.parametrize("words", [("recall", "tea"), ("hook",)], ids=" ".join)
@pytest.mark.points(only=True)
def test_one_killed_in_the_middle_of_an_answer_takes_nothing_with_it(
    words: tuple[str, ...], home: dict[str, str], tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [sys.executable, "-c", HANGING, str(pipe)]
    with subprocess.Popen(command, env=home, stdout=subprocess.PIPE) as porter:
        assert porter.stdout is not None
        assert porter.stdout.readline() == daemon.READY
        caller = subprocess.Popen(
            [sys.executable, "-m", "memvault", *words],
            env=home,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert caller.stdin is not None
        caller.stdin.write(event("one"))
        caller.stdin.close()
        caller.stdin = None
        assert porter.stdout.readline() == b"begun\n"
        porter.kill()
        out, err = caller.communicate(timeout=SOON)
    assert (caller.returncode, err) == (0, b"")
    assert b"Sara prefers tea" in out
    with running(home):  # what the dead one left is in nobody's way
        until(lambda: ask(home, "recall", "tea") is not None)


@pytest.mark.points(only=True)
def test_a_second_one_refuses_and_the_first_goes_on(home: dict[str, str]) -> None:
    with running(home):
        second = memvault(home, "watch", "--serve")
        assert second.returncode == 5
        assert b"is already running" in second.stderr
        assert b"It is running already." in memvault(home, "vault", "watch", "start").stderr
        until(lambda: ask(home, "recall", "tea") is not None)


@pytest.mark.points(only=True)
def test_whoever_it_does_not_serve_is_told_so(home: dict[str, str]) -> None:
    moved = {**home, "TZ": "Asia/Tokyo"}
    with running(moved):
        assert memvault(home, "recall", "tea").returncode == 0
        told = memvault(home, "vault", "watch", "status").stdout.decode()
        assert "does not serve you: it runs with TZ=Asia/Tokyo; `memvault vault watch stop`, then" in told
        assert "0; left to the callers 1" in told
        again = memvault(home, "vault", "watch", "start")
        assert (again.returncode, b"it runs with TZ=Asia/Tokyo" in again.stderr) == (1, True)
        assert daemon.read_status(moved).refusal == ""
        assert memvault(moved, "vault", "watch", "start").returncode == 0


def answer(told: bytes, _request: DaemonRequest) -> Sequence[bytes]:
    return (told,)


def test_another_memvault_is_told_by_its_place(home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daemon, "is_running", lambda _environment: True)  # the lock is held by this very process
    version, path, changed = protocol.split_texts(daemon_client.package_stamp())
    for code, refusal in (
        ([version, b"/opt/other/memvault/__init__.py", changed], "it is another memvault (/opt/other/memvault)"),
        ([version, path, b"1"], "memvault has been replaced since it started"),
    ):
        told = json.dumps({"code": protocol.join_texts(code).hex(), "variables": {}}).encode()
        with serving(home, {protocol.STATUS: partial(answer, told)}):
            assert daemon.read_status(home).refusal == refusal


@pytest.mark.points(only=True)
def test_of_two_started_at_once_one_is_running_already(home: dict[str, str]) -> None:
    command = [sys.executable, "-m", "memvault", "vault", "watch", "start"]
    try:
        both = [subprocess.Popen(command, env=home, stderr=subprocess.PIPE) for _ in range(2)]
        told = sorted((process.communicate(timeout=SOON)[1], process.returncode) for process in both)
    finally:
        daemon.stop_daemon(home)
    assert told == [(b"It is running already.\n", 0), (b"Started; `memvault vault watch stop` ends it.\n", 0)]


def test_a_status_of_another_version_is_understood(home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daemon, "is_running", lambda _environment: True)
    told = json.dumps({"process": 7, "version": "0.9", "vaults": 2, "something_new": [1]}).encode()
    with serving(home, {protocol.STATUS: partial(answer, told)}):
        found = daemon.read_status(home)
    assert (found.process, found.version, found.vaults) == (7, "0.9", 2)
    assert found.refusal == "it is another memvault (of another version)"


@pytest.mark.skipif(sys.platform != "linux", reason="only there a vault is not polled, and the time is told so")
@pytest.mark.points(only=True)
def test_one_that_nobody_asks_takes_next_to_no_time(home: dict[str, str]) -> None:
    with running(home) as porter:
        until(lambda: ask(home, "recall", "tea") is not None)
        assert daemon.read_status(home).polled == {}
        before = cpu_seconds(porter.pid)
        threading.Event().wait(1.0)  # nothing that could be waited for happens
        assert cpu_seconds(porter.pid) - before < 0.1


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.points(only=True)
def test_it_ends_in_good_order_and_leaves_nothing_behind(home: dict[str, str]) -> None:
    with running(home) as porter:
        until(lambda: ask(home, "recall", "tea") is not None)
        porter.send_signal(signal.SIGTERM)
        assert porter.wait(SOON) == 0
    place = daemon.find_folder(home)
    assert not (place / daemon_client.SOCKET).exists()
    assert not (place / daemon_client.LEDGER).exists()
    assert daemon.log_path(home).read_text().endswith("left: asked\n")


def test_it_is_started_shown_and_ended_by_command(home: dict[str, str]) -> None:
    assert memvault(home, "vault", "watch", "status").stdout == b"No daemon is running.\n"
    secret = {**home, "MY_API_KEY": "sk-secret", "CLAUDECODE": "1"}
    started = memvault(secret, "vault", "watch", "start")
    try:
        assert started.stderr == b"Started; `memvault vault watch stop` ends it.\n"
        pid = pid_of(home)
        if sys.platform == "linux":
            variables = Path(f"/proc/{pid}/environ").read_bytes()
            assert b"sk-secret" not in variables
            assert b"CLAUDECODE" not in variables
        told = json.loads(memvault(home, "vault", "watch", "status", "--json").stdout)["result"]
        assert (told["running"], told["answers"], told["process"]) == (True, True, pid)
    finally:
        ended = memvault(home, "vault", "watch", "stop")
    assert ended.stderr == b"Ended.\n"
    until(lambda: not is_alive(pid))
    assert memvault(home, "vault", "watch", "stop").stderr == b"There was none.\n"


@UNIX_ONLY
def test_whoever_started_it_and_goes_on_takes_note_of_its_end(home: dict[str, str]) -> None:
    assert daemon.start_daemon(home)
    number = daemon.read_status(home).process
    assert daemon.stop_daemon(home)
    until(lambda: not is_alive(number))  # a dead child that nobody asks for is there still


@pytest.mark.points(only=True)
def test_it_starts_by_itself_where_the_user_allows_it(home: dict[str, str]) -> None:
    assert memvault(home, "recall", "tea").returncode == 0
    assert not daemon.is_running(home)
    assert memvault(home, "config", "--user", "live.autostart", "true").returncode == 0
    assert memvault({**home, **OFF}, "recall", "tea").returncode == 0
    assert not daemon.is_running(home)
    try:
        first = memvault(home, "recall", "tea")
        until(lambda: daemon.read_status(home).answers and ask(home, "list") is not None)
        before = daemon.read_status(home).answered
        assert memvault(home, "recall", "tea").stdout == first.stdout
        assert daemon.read_status(home).answered == before + 1
    finally:
        assert daemon.stop_daemon(home)
    memvault(home, "hook", data=event("one"))
    assert not daemon.is_running(home)  # one that ended a moment ago may be one that cannot live


def test_an_idle_one_goes_home(home: dict[str, str]) -> None:
    with running({**home, "MEMVAULT_LIVE_IDLE_MINUTES": "0.0001"}) as porter:
        assert porter.wait(SOON) == 0
    assert daemon.log_path(home).read_text().endswith("left: idle\n")


@pytest.mark.points(only=True)
def test_ten_callers_at_once_while_notes_change_never_get_a_stale_answer(home: dict[str, str]) -> None:
    folder = Path(home["MEMVAULT_DIR"], "2-memories")
    wrong: list[str] = []
    answers: list[bool] = []

    def write_and_ask(number: int) -> None:
        for round_ in range(6):
            word = f"zephyr{number}x{round_}"
            (folder / f"note-{number}.md").write_text(f"The {word} blows.\n")
            told = ask(home, "recall", word)
            answers.append(told is not None)
            if told is not None and word.encode() not in told[1]:
                wrong.append(word)

    with running(home):
        until(lambda: ask(home, "recall", "tea") is not None)
        callers = [threading.Thread(target=write_and_ask, args=(number,)) for number in range(10)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join(SOON)
    assert wrong == []
    assert len(answers) == 60
    assert sum(answers) > 20  # too many at once are left to do it themselves, and not all of them


@pytest.mark.points(only=True)
def test_status_and_doctor_tell_of_it(home: dict[str, str]) -> None:
    assert b"warm" not in memvault(home, "status").stdout
    with running(home) as porter:
        assert b"a daemon answers" in memvault(home, "status").stdout
        assert b"warm" not in memvault(home, "doctor").stderr
        porter.send_signal(signal.SIGSTOP)
        assert b"does not answer" in memvault(home, "doctor").stderr
        porter.send_signal(signal.SIGCONT)
