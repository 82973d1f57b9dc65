"""Where a machine keeps what is not the vault's, on three platforms."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from memvault.system import paths

HOME = {"HOME": "/home/sara"}
XDG = {**HOME, "XDG_CACHE_HOME": "/x/cache", "XDG_CONFIG_HOME": "/x/config", "XDG_STATE_HOME": "/x/state"}
WINDOWS = {"USERPROFILE": "C:/Users/sara"}


@pytest.mark.parametrize(
    ("platform", "environment", "cache", "config", "state"),
    [
        ("linux", HOME, "/home/sara/.cache/memvault", "/home/sara/.config/memvault", "/home/sara/.local/state/memvault"),
        ("linux", XDG, "/x/cache/memvault", "/x/config/memvault", "/x/state/memvault"),
        ("freebsd14", XDG, "/x/cache/memvault", "/x/config/memvault", "/x/state/memvault"),
        (
            "darwin",
            HOME,
            "/home/sara/Library/Caches/memvault",
            "/home/sara/.config/memvault",
            "/home/sara/Library/Application Support/memvault",
        ),
        (
            "win32",
            WINDOWS,
            "C:/Users/sara/AppData/Local/memvault/cache",
            "C:/Users/sara/AppData/Roaming/memvault",
            "C:/Users/sara/AppData/Local/memvault/state",
        ),
        ("win32", {**WINDOWS, "LOCALAPPDATA": "D:/l", "APPDATA": "D:/r"}, "D:/l/memvault/cache", "D:/r/memvault", "D:/l/memvault/state"),
    ],
)  # fmt: skip
def test_each_platforms_own_places(platform: str, environment: dict[str, str], cache: str, config: str, state: str) -> None:  # fmt: skip
    assert paths.cache_folder(environment, platform=platform) == Path(cache)
    assert paths.config_folder(environment, platform=platform) == Path(config)
    assert paths.state_folder(environment, platform=platform) == Path(state)


@pytest.mark.parametrize("given", ["", "relative/cache", "~/cache"])
def test_a_folder_that_is_not_absolute_is_passed_over(given: str) -> None:
    assert paths.cache_folder({**HOME, "XDG_CACHE_HOME": given}, platform="linux") == Path("/home/sara/.cache/memvault")


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_the_three_never_share_a_folder_even_without_a_home(platform: str) -> None:
    found = [place({}, platform=platform) for place in (paths.cache_folder, paths.config_folder, paths.state_folder)]
    assert len(set(found)) == 3


# -- a device is named once, at random, and keeps its name


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
