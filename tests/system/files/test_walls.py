"""The border of a vault: every writer and reader of files stops at a link that leads out of it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memvault.errors import LinkLeadsOut, LinkNotFollowed
from memvault.system import files

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="makes symbolic links")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A guarded folder with a link to another one that has a file in it."""
    inner, outer = tmp_path / "vault", tmp_path / "outside"
    for folder in (inner, outer, inner / "own"):
        folder.mkdir()
    for file in (outer / "file", inner / "own/file"):
        file.write_bytes(b"old\n")
    (inner / "link").symlink_to(outer)
    (inner / "near").symlink_to("own")
    files.guard_vault(inner)
    return inner


WRITERS: dict[str, Callable[[Path, Path], object]] = {
    "create": lambda path, _: files.create_file(path.with_name("new"), b"x"),
    "replace": lambda path, own: files.replace_note(path, b"x", expected=b"old\n", hold=own.parent),
    "replace, kept there": lambda path, own: files.replace_note(own, b"x", expected=b"old\n", hold=path.parent),
    "discard": lambda path, own: files.discard_note(path, expected=b"old\n", hold=own.parent),
    "overwrite": lambda path, _: files.overwrite_file(path, b"x"),
    "append": lambda path, _: files.append_line(path, b"x\n"),
    "append anew": lambda path, _: files.append_line(path.with_name("sub") / "new", b"x\n", durable=True),
    "extend": lambda path, _: files.extend_at(path, b"x", at=0),
    "amend": lambda path, _: files.overwrite_spans(path, [(0, b"x")]),
    "claim": lambda path, _: files.create_claim(path.with_name("claim")),
    "remove": lambda path, _: files.remove_file(path),
    "make a folder": lambda path, _: files.make_folder(path.with_name("folder") / "in it"),
    "move in": lambda path, own: files.move_file(own, path.with_name("moved")),
    "move out": lambda path, own: files.move_file(path, own.with_name("moved")),
    "finish a move": lambda path, own: files.finish_move(path, own),
    "lock": lambda path, _: files.lock(path.with_name("lock"), wait=0).__enter__(),
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_no_writer_goes_through_a_link_that_leads_out(root: Path, write: Callable[[Path, Path], object]) -> None:
    outer = root.parent / "outside"
    before = {path: path.read_bytes() for path in outer.rglob("*")}
    with pytest.raises(LinkLeadsOut, match="is a link that leads out of the vault, to ") as caught:
        write(root / "link/file", root / "own/file")
    assert caught.value.data["link"] == str(root / "link")
    assert {path: path.read_bytes() for path in outer.rglob("*")} == before
    assert (root / "own/file").read_bytes() == b"old\n"


@pytest.mark.parametrize(
    "write",
    [files.overwrite_file, files.append_line, files.create_claim, lambda p, _=b"": files.overwrite_spans(p, [])],
)
@pytest.mark.parametrize("name", ["file", "not there"])
def test_no_writer_writes_into_a_link_that_leads_out(root: Path, write: Callable[..., object], name: str) -> None:
    (root / "one").symlink_to(root.parent / "outside" / name)
    with pytest.raises(LinkLeadsOut):
        write(root / "one", *((b"x",) if write in (files.overwrite_file, files.append_line) else ()))
    assert not (root.parent / "outside/not there").exists()


@pytest.mark.parametrize("read", [files.read_file, lambda path: files.open_stream(path).__enter__()])
def test_a_reader_stops_there_too_unless_the_link_is_allowed(root: Path, read: Callable[[Path], object]) -> None:
    with pytest.raises(LinkNotFollowed, match="leads out of the vault"):
        read(root / "link/file")
    files.guard_vault(root, [str(root / "link")])
    read(root / "link/file")
    with pytest.raises(LinkLeadsOut):
        files.append_line(root / "link/file", b"x")
    files.guard_vault(root, [str(root / "other"), str(root.parent / "outside")])
    with pytest.raises(LinkNotFollowed):
        read(root / "link/file")


def test_a_folder_that_becomes_a_link_is_noticed_at_the_next_write(root: Path) -> None:
    files.append_line(root / "log/file", b"x\n")
    (root / "log/file").unlink()
    (root / "log").rmdir()
    (root / "log").symlink_to(root.parent / "outside")
    with pytest.raises(LinkLeadsOut):
        files.append_line(root / "log/file", b"x\n")


def test_a_link_within_the_vault_is_as_good_as_a_folder(root: Path) -> None:
    files.append_line(root / "near/file", b"new\n")
    assert files.read_file(root / "near/file") == b"old\nnew\n"


def test_no_link_into_git_folders_is_followed(root: Path) -> None:
    (root / ".git/hooks").mkdir(parents=True)
    (root / "hooked").symlink_to(".git/hooks")
    with pytest.raises(LinkLeadsOut):
        files.create_file(root / "hooked/pre-commit", b"x")


@pytest.mark.parametrize("to", ["../outside", "own/../../outside", "again"])
def test_links_of_links_and_links_with_dots_are_followed_in_thought_alone(root: Path, to: str) -> None:
    (root / "again").symlink_to("link")
    (root / "far").symlink_to(to)
    with pytest.raises(LinkLeadsOut):
        files.append_line(root / "far/file", b"x")


def test_a_link_before_two_dots_is_seen(root: Path) -> None:
    with pytest.raises(LinkLeadsOut):
        files.create_file(root / "link/../beside", b"x")
    files.create_file(root / "own/../../beside", b"x")  # a person's own words for another place


def test_the_vaults_own_folder_may_be_a_link_or_lie_below_one(root: Path, tmp_path: Path) -> None:
    (tmp_path / "way").symlink_to(tmp_path)
    (tmp_path / "short").symlink_to(root)
    for named in (tmp_path / "way/vault", tmp_path / "short"):
        files.guard_vault(named, [str(named / "link")])
        files.append_line(named / "own/file", b"x\n")
        assert files.read_file(named / "link/file") == b"old\n"
        assert files.read_file(root / "link/file") == b"old\n", "by whichever way it was named"
        with pytest.raises(LinkLeadsOut):
            files.append_line(named / "link/file", b"x\n")
    assert (tmp_path / "short").readlink() == root


def test_paths_outside_any_vault_are_not_checked(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "config").symlink_to(tmp_path / "dotfiles")
    files.append_line(tmp_path / "config/config.toml", b"x\n")
    assert (tmp_path / "dotfiles/config.toml").read_bytes() == b"x\n"
