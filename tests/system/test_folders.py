"""Where a machine keeps what is not the vault's, on three platforms."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memvault.system import paths, project

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


# -- a project is its repository, wherever it is checked out, else its folder


def repository(top: Path, config: str = "") -> Path:
    (top / ".git").mkdir(parents=True)
    (top / ".git" / "config").write_text(config, encoding="utf-8")
    return top


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://Fenwick.example/Trust/Tidemark.git", "fenwick.example/trust/tidemark"),
        ("https://noor:secret@fenwick.example:8443/trust/tidemark", "fenwick.example/trust/tidemark"),
        ("git@fenwick.example:trust/tidemark.git", "fenwick.example/trust/tidemark"),
        ("ssh://git@fenwick.example:22/trust/tidemark.git/", "fenwick.example/trust/tidemark"),
        ("fenwick.example:trust/tidemark", "fenwick.example/trust/tidemark"),
    ],
)
def test_every_spelling_of_a_remote_names_one_project(tmp_path: Path, url: str, name: str) -> None:
    top = repository(tmp_path / "work", f'[core]\n\turl = no\n[remote "origin"]\n\turl = {url}\n')
    (top / "src").mkdir()
    assert project.project_of(top) == project.project_of(top / "src") == name


def test_the_first_of_several_remotes_counts(tmp_path: Path) -> None:
    config = '[remote "a"]\n\turl = https://one.example/a/b\n[remote "b"]\n\turl = https://two.example/a/b\n'
    assert project.project_of(repository(tmp_path / "work", config)) == "one.example/a/b"


def test_a_worktree_belongs_to_its_repository(tmp_path: Path) -> None:
    top = repository(tmp_path / "main", '[remote "o"]\n\turl = git@one.example:a/b.git\n')
    inner = top / ".git" / "worktrees" / "fix"
    inner.mkdir(parents=True)
    (inner / "commondir").write_text("../..\n", encoding="utf-8")
    (tmp_path / "fix").mkdir()
    (tmp_path / "fix" / ".git").write_text(f"gitdir: {inner}\n", encoding="utf-8")
    assert project.project_of(tmp_path / "fix") == "one.example/a/b"


@pytest.mark.parametrize("url", ["/srv/git/tidemark.git", "../tidemark", "file:///srv/tidemark", "C:/git/tidemark"])
def test_a_remote_on_this_machine_names_nothing(tmp_path: Path, url: str) -> None:
    top = repository(tmp_path / "work", f'[remote "o"]\n\turl = {url}\n')
    assert re.fullmatch(r"folder:work-[0-9a-f]{8}", project.project_of(top))


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")
def test_without_a_remote_it_is_the_root_commit(tmp_path: Path) -> None:
    def git(*words: str) -> str:
        own = ["-c", "user.name=n", "-c", "user.email=e@e.example", "-c", "commit.gpgsign=false"]
        return subprocess.run(["git", *own, *words], cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "one")
    root = git("rev-parse", "HEAD").strip()
    git("commit", "-q", "--allow-empty", "-m", "two")
    assert project.project_of(tmp_path) == f"commit:{root[:12]}"


def test_without_a_repository_it_is_the_folder(tmp_path: Path) -> None:
    (tmp_path / "Sketches").mkdir()
    assert re.fullmatch(r"folder:Sketches-[0-9a-f]{8}", project.project_of(tmp_path / "Sketches"))
