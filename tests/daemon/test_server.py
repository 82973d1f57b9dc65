"""A server takes on what it can, leaves the rest to the callers, and knows when to leave."""

from __future__ import annotations

import io
import os
import socket
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.daemon import server
from memvault.daemon.server import DaemonRequest, SessionLocks
from memvault.daemon.socket import open_socket
from memvault.errors import PorterThere, Unwritable
from memvault.system import daemon, daemon_client, paths
from memvault.system import daemon_protocol as protocol
from memvault.system.daemon_protocol import ProtocolError, join_texts, make_frame, receive_frame, split_texts
from tests.daemon.porters import SOON, UNIX_ONLY, ask, at_home, serving

pytestmark = UNIX_ONLY
__all__ = ["at_home"]


def told(request: DaemonRequest) -> Sequence[bytes]:
    return [" ".join(request.words).encode(), request.data, str(request.folder).encode()]


def told_of(word: str) -> list[bytes]:
    return [word.encode(), b"", os.fsencode(Path.cwd())]


def test_a_request_comes_through_with_all_that_belongs_to_it(at_home: dict[str, str]) -> None:
    seen: list[DaemonRequest] = []

    def answer(request: DaemonRequest) -> Sequence[bytes]:
        seen.append(request)
        return told(request)

    with serving(at_home, {protocol.RUN: answer}):
        assert ask(at_home, "recall", "čaj", "", data=b"\0\xff") == [
            "recall čaj ".encode(),
            b"\0\xff",
            os.fsencode(Path.cwd()),
        ]
    assert seen[0].environment == at_home
    assert seen[0].columns == 0 or seen[0].terminals[1]


def test_what_is_declined_fails_or_is_unknown_is_left_to_the_caller(at_home: dict[str, str]) -> None:
    lines: list[str] = []

    def broken(_request: DaemonRequest) -> Sequence[bytes]:
        raise ValueError("secret words")

    handlers = {protocol.RUN: broken, protocol.HOOK: lambda _request: None}
    with serving(at_home, handlers, note=lines.append) as served:
        assert [ask(at_home, kind=kind) for kind in (protocol.RUN, protocol.HOOK, b"?")] == [None, None, None]
        assert (served.server.answered, served.server.left_alone) == (0, 2)
    assert lines == ["ValueError while at work"]


def test_a_caller_from_another_home_or_clock_is_left_alone(at_home: dict[str, str]) -> None:
    with serving(at_home, {protocol.RUN: told}) as served:
        assert ask({**at_home, "TZ": "Asia/Tokyo"}, "recall") is None
        assert ask(at_home, "recall") is not None
        assert (served.server.answered, served.server.left_alone) == (1, 1)


def test_an_answer_is_given_before_the_rest_is_done(at_home: dict[str, str]) -> None:
    done, go_on = threading.Event(), threading.Event()
    taken: list[bool] = []

    def rest(is_taken: bool) -> None:
        assert go_on.wait(SOON)
        taken.append(is_taken)
        done.set()

    handlers = {protocol.HOOK: lambda request: server.DeferredReply(told(request), rest)}
    with serving(at_home, handlers) as served:
        assert ask(at_home, "first", kind=protocol.HOOK) == told_of("first")
        assert not done.is_set()
        go_on.set()
        assert done.wait(SOON)
        assert served.server.answered == 1
    assert taken == [True]


def test_the_rest_is_done_though_it_fails_or_the_caller_has_gone(at_home: dict[str, str]) -> None:
    lines: list[str] = []
    begun, gone, done = threading.Event(), threading.Event(), threading.Event()
    taken: list[bool] = []

    def early(request: DaemonRequest) -> server.DeferredReply:
        begun.set()
        assert gone.wait(SOON)
        return server.DeferredReply(told(request), rest)

    def rest(is_taken: bool) -> None:
        taken.append(is_taken)
        done.set()

    def broken(_is_taken: bool) -> None:
        raise ValueError("secret words")

    handlers = {protocol.HOOK: early, protocol.RUN: lambda request: server.DeferredReply(told(request), broken)}
    with serving(at_home, handlers, note=lines.append, workers=1) as served:
        with served.call() as caller:
            request = daemon_client._request_fields(["recall"], b"", at_home, daemon_client.package_stamp())
            caller.sendall(protocol.make_frame(protocol.HOOK, request))
            assert begun.wait(SOON)
        gone.set()
        assert done.wait(SOON)
        assert ask(at_home, "second") == told_of("second")
        assert ask(at_home, "third") == told_of("third")
    assert lines == ["ValueError while at work"] * 2
    assert taken == [False]


class Slow:
    """A handler that answers when it is let go on."""

    def __init__(self) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()

    def __call__(self, _request: DaemonRequest) -> Sequence[bytes]:
        self.begun.set()
        assert self.go_on.wait(SOON)
        return [b"done"]


def test_a_full_queue_refuses_at_once(at_home: dict[str, str]) -> None:
    slow = Slow()
    found: list[object] = []
    with serving(at_home, {protocol.RUN: slow}, workers=1, waiting=1, waited_seconds=SOON) as served:
        first = threading.Thread(target=lambda: found.append(ask(at_home, "first")))
        first.start()
        assert slow.begun.wait(SOON)
        with served.call() as second, served.call() as third:
            second.sendall(
                protocol.make_frame(
                    protocol.RUN, daemon_client._request_fields(["second"], b"", at_home, daemon_client.package_stamp())
                )
            )
            assert answered(second) == protocol.ACCEPTED
            assert answered(third) == protocol.BUSY
            slow.go_on.set()
            assert answered(second) == protocol.DONE
        first.join(SOON)
    assert found == [[b"done"]]


def test_whoever_waited_too_long_does_it_alone(at_home: dict[str, str]) -> None:
    with serving(at_home, {protocol.RUN: told}, waited_seconds=0.0):
        assert ask(at_home, "recall") is None


def test_who_still_waits_when_it_leaves_does_it_alone(at_home: dict[str, str]) -> None:
    slow = Slow()
    found: list[object] = []
    with serving(at_home, {protocol.RUN: slow}, workers=1) as served:
        first = threading.Thread(target=lambda: found.append(ask(at_home, "first")))
        first.start()
        assert slow.begun.wait(SOON)
        with served.call() as second:
            assert answered(second) == protocol.ACCEPTED
            served.server.request_stop(server.ASKED)
            assert answered(second) == protocol.DECLINED
        slow.go_on.set()
        first.join(SOON)
    assert found == [[b"done"]]  # what was begun is finished


def answered(connection: socket.socket) -> bytes:
    kind, _ = protocol.receive_frame(connection.recv, monotonic() + SOON, connection.settimeout)
    return kind


def test_garbage_and_callers_who_go_away_do_no_harm(at_home: dict[str, str]) -> None:
    with serving(at_home, {protocol.RUN: told}, talk_seconds=0.2) as served:
        for garbage in (b"", b"GET / HTTP/1.1\r\n\r\n", b"mv\x01r\xff\xff\xff\xff", b"mv\x01r\x00\x00\x00\x08four"):
            with served.call() as caller:
                caller.sendall(garbage)
        assert ask(at_home, "recall") is not None


def test_another_version_is_told_so_and_a_replaced_one_leaves(
    at_home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = daemon_client.package_stamp()
    with serving(at_home, {protocol.RUN: told}) as served:
        monkeypatch.setattr(daemon_client, "package_stamp", lambda: ours + b"9")
        assert ask(at_home, "recall") is None  # somebody else's memvault: no reason to leave
        assert served.server.left_alone == 1
        monkeypatch.setattr(daemon_client, "package_stamp", lambda: ours)
        assert ask(at_home, "recall") is not None
        monkeypatch.setattr(server, "package_stamp", lambda: ours + b"9")
        monkeypatch.setattr(daemon_client, "package_stamp", lambda: ours + b"9")
        assert ask(at_home, "recall") is None
        assert served.left() == server.UPGRADED
    assert not (served.place / daemon_client.SOCKET).exists()


def test_it_leaves_when_nobody_calls_for_long(at_home: dict[str, str]) -> None:
    with serving(at_home, {}, idle_seconds=0.01, tick_seconds=0.02) as served:
        assert served.left() == server.IDLE


def test_it_leaves_when_its_socket_was_swept_away(at_home: dict[str, str]) -> None:
    with serving(at_home, {}, tick_seconds=0.02) as served:
        (served.place / daemon_client.SOCKET).unlink()
        assert served.left() == server.LOST


def test_it_leaves_when_a_request_hangs(at_home: dict[str, str]) -> None:
    slow = Slow()
    with serving(at_home, {protocol.RUN: slow}, stuck_seconds=0.05, tick_seconds=0.02, last_seconds=0.05) as served:
        caller = threading.Thread(target=lambda: ask(at_home, "recall"))
        caller.start()
        assert served.left() == server.STUCK
        slow.go_on.set()
        caller.join(SOON)


def test_its_ticks_go_on_whatever_they_meet(at_home: dict[str, str]) -> None:
    ticks = threading.Semaphore(0)

    def tick() -> None:
        ticks.release()
        raise OSError

    with serving(at_home, {protocol.RUN: told}, tick=tick, tick_seconds=0.01):
        assert all(ticks.acquire(timeout=SOON) for _ in range(3))
        assert ask(at_home, "recall") is not None


# -- the doorstep


def test_it_is_the_users_alone_and_there_is_one(at_home: dict[str, str]) -> None:
    place = daemon.find_folder(at_home)
    with open_socket(place):
        assert place.stat().st_mode & 0o777 == 0o700
        assert (place / daemon_client.SOCKET).stat().st_mode & 0o777 == 0o600
        failed: list[BaseException] = []
        other = threading.Thread(target=lambda: failed.append(refused(place)))
        other.start()
        other.join(SOON)
    assert isinstance(failed[0], PorterThere)
    with open_socket(place):  # and the next one may
        pass


def refused(place: Path) -> BaseException:
    with pytest.raises(PorterThere) as error, open_socket(place):
        pass
    return error.value


def test_a_stale_socket_is_replaced(at_home: dict[str, str]) -> None:
    place = daemon.find_folder(at_home)
    place.mkdir(mode=0o700, parents=True)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(place / daemon_client.SOCKET))
    assert daemon_client.send_request(protocol.STATUS, within=1, environment=at_home) is None
    with serving(at_home, {protocol.RUN: told}):
        assert ask(at_home, "recall") is not None


def test_a_folder_that_others_can_get_at_is_used_by_neither_side(at_home: dict[str, str]) -> None:
    place = daemon.find_folder(at_home)
    with serving(at_home, {protocol.RUN: told}):
        place.chmod(0o755)
        assert ask(at_home, "recall") is None
    with pytest.raises(Unwritable), open_socket(place):
        pass


def test_another_users_process_is_not_taken(at_home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(at_home, {protocol.RUN: told}):
        monkeypatch.setattr("memvault.daemon.socket._find_peer_user", lambda _connection: os.geteuid() + 1)
        assert ask(at_home, "recall") is None
        monkeypatch.undo()


def test_where_a_socket_cannot_be_named_a_port_with_secrets_does(at_home: dict[str, str], tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 90)
    deep.mkdir()
    far = {**at_home, "XDG_RUNTIME_DIR": str(deep)}
    place = daemon.find_folder(far)
    assert not daemon_client.has_socket(str(place))
    with serving(far, {protocol.RUN: told}):
        found = place / daemon_client.PORT
        assert found.stat().st_mode & 0o777 == 0o600
        assert ask(far, "recall") == [b"recall", b"", os.fsencode(Path.cwd())]
        port, ours, theirs = found.read_text().split()
        found.write_text(f"{port} {theirs} {ours}\n")
        assert ask(far, "recall") is None


def test_it_is_found_where_the_other_state_of_this_user_is(tmp_path: Path) -> None:
    for platform in ("linux", "darwin", "win32"):
        for variables in (
            {"HOME": "/home/ana"},
            {"HOME": "/home/ana", "XDG_STATE_HOME": "/state", "LOCALAPPDATA": "/local"},
            {"USERPROFILE": "/home/ana", "XDG_STATE_HOME": "relative"},
        ):
            expected = paths.state_folder(variables, platform=platform) / "run"
            assert Path(daemon_client.socket_folder(variables, platform=platform)) == expected
    run = str(tmp_path)
    assert daemon_client.socket_folder({"HOME": "/h", "XDG_RUNTIME_DIR": run}, platform="linux") == f"{run}/memvault"


def test_a_folder_for_things_that_pass_is_used_only_where_it_is_and_can_be_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = {"HOME": "/h", "XDG_RUNTIME_DIR": str(tmp_path / "missing")}
    assert daemon_client.socket_folder(missing, platform="linux") == "/h/.local/state/memvault/run"
    monkeypatch.setattr(os, "access", lambda _path, mode: not mode & os.W_OK)
    read_only = {"HOME": "/h", "XDG_RUNTIME_DIR": str(tmp_path)}
    assert daemon_client.socket_folder(read_only, platform="linux") == "/h/.local/state/memvault/run"


# -- who comes to a session waits for what was begun in it, and not for ever


def test_one_that_hangs_is_not_waited_for_any_longer() -> None:
    turns = SessionLocks()
    with turns.hold_session("one", wait=SOON), turns.hold_session("one", wait=0.0):
        pass
    with turns.hold_session("one", wait=0.0):
        pass


def test_who_waited_long_enough_holds_it_after_the_first_has_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    turns, free = SessionLocks(), list[bool]()

    def look(is_free: Callable[[], bool], _wait: float) -> None:
        free.append(is_free())

    monkeypatch.setattr(turns._changed, "wait_for", look)
    second = turns.hold_session("one", wait=0.0)
    with turns.hold_session("one", wait=0.0):
        second.__enter__()
    with turns.hold_session("one", wait=0.0):
        second.__exit__(None, None, None)
    with turns.hold_session("one", wait=0.0):
        pass
    assert free == [True, False, False, True]


# -- what is said comes through whole, and whatever else comes is refused within bounds

LATER = 60.0


def received(data: bytes, *, most: int = 1 << 20) -> tuple[bytes, list[bytes]]:
    stream = io.BytesIO(data)
    return receive_frame(lambda size: stream.read(min(size, most)), monotonic() + LATER, lambda _rest: None)


@given(st.binary(min_size=1, max_size=1), st.lists(st.binary(max_size=300), max_size=8), st.integers(1, 50))
def test_what_is_said_comes_through_in_pieces_of_any_size(kind: bytes, fields: list[bytes], most: int) -> None:
    assert received(make_frame(kind, fields), most=most) == (kind, fields)


@given(st.binary(max_size=200))
def test_what_is_no_frame_is_refused(data: bytes) -> None:
    whole = make_frame(protocol.RUN, [b"words", b"more"])
    for told in (data, b"mv" + data, whole[:8] + data, whole[: len(data) % len(whole)]):
        try:
            kind, fields = received(told)
        except ProtocolError:
            continue
        assert make_frame(kind, fields) == told[: len(make_frame(kind, fields))]


def test_a_frame_of_another_protocol_or_too_long_is_refused_before_it_is_read() -> None:
    whole = bytearray(make_frame(protocol.RUN))
    whole[2] += 1
    with pytest.raises(ProtocolError):
        received(bytes(whole))
    with pytest.raises(ProtocolError):
        received(make_frame(protocol.RUN)[:4] + (protocol.LONGEST + 1).to_bytes(4, "big"))
    with pytest.raises(ProtocolError):
        received(make_frame(protocol.RUN, [b""] * 33))


def test_nobody_is_waited_for_beyond_the_time_limit() -> None:
    with pytest.raises(TimeoutError):
        receive_frame(lambda _size: b"m", monotonic() - 1, lambda _rest: None)


@given(st.lists(st.binary(max_size=30).map(lambda text: text.replace(b"\0", b"")), max_size=8))
def test_a_list_of_texts_fits_into_one_field(texts: list[bytes]) -> None:
    assert split_texts(join_texts(texts)) == texts


@given(st.lists(st.binary(max_size=20), max_size=9))
def test_fields_that_make_no_request_are_refused(fields: list[bytes]) -> None:
    try:
        request = DaemonRequest.from_fields(fields)
    except ProtocolError:
        return
    assert len(fields) == 7
    assert request.data == fields[6]
