"""What is said comes through whole, and whatever else comes is refused within bounds."""

from __future__ import annotations

import io
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.daemon.server import DaemonRequest
from memvault.system import daemon_protocol as protocol
from memvault.system.daemon_protocol import ProtocolError, join_texts, make_frame, receive_frame, split_texts

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
