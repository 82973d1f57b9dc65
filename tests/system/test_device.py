"""A device is named once, at random, and keeps its name."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from memvault.system import paths


def test_a_name_is_drawn_once_and_kept(tmp_path: Path) -> None:
    drawn = paths.device_name(tmp_path / "state")
    assert re.fullmatch(r"[a-z0-9][a-z0-9-]{3,63}", drawn)
    assert paths.device_name(tmp_path / "state") == drawn
    assert paths.device_name(tmp_path / "other") != drawn


@pytest.mark.parametrize("said", ["desk", "  desk-2\r\n", "0" * 64])
def test_a_persons_own_name_for_it_is_taken(tmp_path: Path, said: str) -> None:
    (tmp_path / "device").write_text(said)
    assert paths.device_name(tmp_path) == said.strip()


@pytest.mark.parametrize(
    "said", [b"", b"abc", b"../../etc", b"Desk", b"a b c d", b"-desk", b"x" * 65, b"caf\xe9", b"\0\0\0\0"]
)
def test_a_name_that_will_not_do_is_replaced_for_good(tmp_path: Path, said: bytes) -> None:
    (tmp_path / "device").write_bytes(said)
    drawn = paths.device_name(tmp_path)
    assert re.fullmatch(r"[0-9a-f]{8}", drawn)
    assert paths.device_name(tmp_path) == drawn


@pytest.mark.skipif(sys.platform == "win32", reason="a file in the way is told in another manner there")
def test_a_device_without_storage_has_no_name(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file is in the way")
    assert paths.device_name(tmp_path / "state") == "unnamed"
