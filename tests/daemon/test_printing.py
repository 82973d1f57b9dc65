"""What a command prints arrives whole, or it is told why not: whoever answers, and whatever reads it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from select import select

import pytest

from memvault.api import Memvault
from memvault.system import daemon
from tests.daemon.porters import SOON, UNIX_ONLY, ask, at_home, memvault, running, until

pytestmark = [
    UNIX_ONLY,
    pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk here that is always full"),
]
__all__ = ["at_home"]
WAYS = pytest.mark.parametrize("by", [{"MEMVAULT_NO_RESIDENT": "1"}, {}], ids=["here", "in the daemon"])
SMALLEST_PIPE = 4096
FULL = (
    b"error: Not all of the output could be written to stdout: the disk is full.\n"
    b"hint: Changes made before that are kept; `memvault vault log` lists them.\n"
)


@pytest.fixture
def home(at_home: dict[str, str], tmp_path: Path) -> Iterator[dict[str, str]]:
    """A machine with a vault of many notes, and a daemon that knows them."""
    root = tmp_path / "vault"
    Memvault.init(root)
    for number in range(40):
        (root / f"2-memories/{number}.md").write_text(f"The portal {number} is open.\n")
    made = {**at_home, "MEMVAULT_DIR": str(root)}
    assert memvault({**made, "MEMVAULT_NO_RESIDENT": "1"}, "list").returncode == 0
    with running(made):
        until(lambda: ask(made, "list") is not None)
        yield made


def ended(home: dict[str, str], *words: str, **streams: int) -> tuple[int, bytes | None, bytes | None]:
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    told = subprocess.run([sys.executable, "-m", "memvault", *words], env=home, timeout=SOON, check=False, **given)  # type: ignore[call-overload]
    return told.returncode, told.stdout, told.stderr


@WAYS
@pytest.mark.points(only=True)
def test_a_full_disk_is_told_of_in_a_sentence(by: dict[str, str], home: dict[str, str]) -> None:
    before = daemon.read_status(home).answered
    with Path("/dev/full").open("wb") as full:
        assert ended({**home, **by}, "recall", "portal", stdout=full.fileno()) == (1, None, FULL)
        assert ended({**home, **by}, "list", "--json", stdout=full.fileno()) == (1, None, FULL)
        assert ended({**home, **by}, "recall", "xyzzy", stderr=full.fileno())[0] == 1
        assert ended({**home, **by}, "recall", "portal", stdout=full.fileno(), stderr=full.fileno())[0] == 1
    assert daemon.read_status(home).answered == before + (0 if by else 4)
    assert not list(Path(home["XDG_STATE_HOME"]).rglob("crashes"))


@WAYS
@pytest.mark.points(only=True)
def test_a_reader_that_has_seen_enough_is_no_error(by: dict[str, str], home: dict[str, str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        assert ended({**home, **by}, "list", stdout=writing) == (0, None, b"")
    finally:
        os.close(writing)


@WAYS
@pytest.mark.points(only=True)
def test_a_slow_reader_gets_all_of_it_from_a_stream_that_does_not_wait(
    by: dict[str, str], home: dict[str, str]
) -> None:
    fcntl = pytest.importorskip("fcntl")
    if not hasattr(fcntl, "F_SETPIPE_SZ"):
        pytest.skip("pipes are of one size here")
    asked = ("list", "--limit", "40", "--json")
    whole = memvault({**home, **by}, *asked).stdout
    assert len(whole) > 2 * SMALLEST_PIPE
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, SMALLEST_PIPE)
    os.set_blocking(writing, False)
    with (
        open(reading, "rb") as reader,  # noqa: PTH123 - it has no path
        subprocess.Popen([sys.executable, "-m", "memvault", *asked], env={**home, **by}, stdout=writing) as process,
    ):
        until(lambda: _is_full(writing))
        os.close(writing)
        assert reader.read() == whole
        assert process.wait(SOON) == 0


def _is_full(pipe: int) -> bool:
    return not select((), (pipe,), (), 0)[1]
