"""A vault that came with a `.git` of its own: nothing that this names is run, whatever key names it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memvault.errors import GitFailed, MemvaultError
from memvault.system.git_repository import ALLOWED_KEYS
from tests.sync.test_sync import Machine, git, hub, rewrite, two

__all__ = ["hub", "two"]

pytestmark = [
    pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here"),
    pytest.mark.skipif(sys.platform == "win32", reason="the programs here are scripts of a shell"),
]

Two = tuple[Machine, Machine, str]

HOOKS = (
    "applypatch-msg commit-msg fsmonitor-watchman p4-changelist post-applypatch post-checkout post-commit post-index-change "
    "post-merge post-receive post-rewrite post-update pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push "
    "pre-rebase pre-receive prepare-commit-msg proc-receive push-to-checkout reference-transaction sendemail-validate update"
).split()
NAMES = {
    "<name>": "origin",
    "<driver>": "evil",
    "<remote>": "origin",
    "<format>": "ssh",
    "<cmd>": "status",
    "<command>": "status",
    "<base>": "https://example.org/",
    "<url>": "https://example.org/",
    "<condition>": "onbranch:main",
    "<protocol>": "ext",
    "*": "evil",
}
# Git itself stops at a program where it wants a number or a yes; and the remote is to be found.
TYPED = tuple(key for key in ALLOWED_KEYS if key.startswith(("commit.", "core.", "extensions.", "index.", "receive.")))
KEPT = ("remote.origin.url", "remote.origin.fetch", *TYPED)


def every_key() -> list[str]:
    """Return every key that this git knows, with a name for each of its placeholders."""
    listed = subprocess.run(["git", "help", "--config"], capture_output=True, text=True, check=True).stdout.split("\n")
    keys = [line for line in listed if re.fullmatch(r"[A-Za-z][\w-]*\.\S+", line)]
    for placeholder, name in NAMES.items():
        keys = [key.replace(placeholder, name) for key in keys]
    keys = [re.sub(r"<[^>]*>", "evil", key) for key in keys]
    return [key for key in keys if re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", key.rpartition(".")[2])]


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def hook(path: Path, marks: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\ntouch '{marks}/{path.name}'\n")
    path.chmod(0o755)


def poison(machine: Machine, marks: Path) -> None:
    """Let every key of a vault's repository, every hook and every attribute name a program that leaves a mark."""
    marks.mkdir()
    own, vault = machine.note(".git"), machine.root
    rows = [own.joinpath("config").read_text()]
    for key in every_key():
        if not key.lower().startswith(KEPT):
            section, _, rest = key.partition(".")
            subsection, _, name = rest.rpartition(".")
            program = f"touch '{marks}/{re.sub('[^A-Za-z.]', '-', key)}'; cat"
            rows.append(
                f'[{section}{f" {chr(34)}{subsection}{chr(34)}" if subsection else ""}]\n\t{name} = "{program}"\n'
            )
    own.joinpath("config").write_text("".join(rows))
    for name in HOOKS:
        hook(own / "hooks" / name, marks)
        hook(vault / "hooks" / name, marks)
    (own / "info").mkdir(exist_ok=True)
    for path in (own / "info/attributes", vault / ".gitattributes"):
        path.write_text("* filter=evil diff=evil merge=evil\n")


def work(machine: Machine, path: str, *, most: int | None = None) -> list[str]:
    """Do all that calls git, or so much of it, and return what refused."""
    refused = []
    with machine.open() as vault:
        deeds = (
            vault.sync_status,
            lambda: vault.sync_run(dry_run=True),
            vault.sync_run,
            vault.doctor,
            lambda: vault.doctor(fix=True),
            vault.sync_init,
            vault.maintain,
            lambda: vault.purge(path, verify=True),
            vault.sync_run,
            vault.sync_status,
        )
        for number, deed in enumerate(deeds[:most]):
            try:
                deed()
            except MemvaultError as error:
                refused.append(f"{number}: {error}")
    return refused


@pytest.mark.points(only=True)
def test_no_key_no_hook_and_no_attribute_of_a_vaults_repository_runs_anything(two: Two, tmp_path: Path) -> None:
    desk, laptop, path = two
    rewrite(desk, path, "quay", "pier")
    desk.sync()
    rewrite(laptop, path, "red", "blue")
    marks = tmp_path / "marks"
    poison(laptop, marks)
    assert len(every_key()) > 300
    assert work(laptop, path) == []
    assert left_in(marks) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("core.fsmonitor", "{program}"),
        ("filter.evil.clean", "{program}"),
        ("diff.evil.textconv", "{program}"),
        ("remote.origin.uploadpack", "{program}; git-upload-pack"),
        ("remote.origin.receivepack", "{program}; git-receive-pack"),
        ("remote.origin.vcs", "evil"),
        ("branch.main.remote", "--upload-pack={program}"),
        ("branch.main.merge", "--upload-pack={program}"),
        ("include.path", "../evil-config"),
        ("core.alternateRefsCommand", "{program}"),
        ("core.gitProxy", "{program}"),
        ("alias.status", "!{program}"),
        ("url.ext::{program}.insteadOf", "/"),
    ],
)
@pytest.mark.points(quick=3)
def test_one_key_alone_runs_nothing(two: Two, tmp_path: Path, key: str, value: str) -> None:
    _, laptop, path = two
    marks = tmp_path / "marks"
    marks.mkdir()
    program = f"touch '{marks}/it'"
    git(laptop.root, "config", key.format(program=program), value.format(program=program))
    laptop.note("evil-config").write_text(f'[core]\n\tfsmonitor = "{program}"\n')
    laptop.note(".gitattributes").write_text("* filter=evil diff=evil merge=evil\n")
    rewrite(laptop, path, "red", "blue")
    work(laptop, path, most=4)
    assert left_in(marks) == []


def test_a_repository_beside_the_vault_is_served_without_its_hooks(two: Two, hub: Path, tmp_path: Path) -> None:
    _, laptop, path = two
    marks = tmp_path / "marks"
    marks.mkdir()
    for name in HOOKS:
        hook(hub / "hooks" / name, marks)
    git(hub, "config", "core.alternateRefsCommand", f"touch '{marks}/alternates'")
    git(hub, "config", "core.fsmonitor", f"touch '{marks}/fsmonitor'")
    rewrite(laptop, path, "red", "blue")
    laptop.sync()
    assert git(hub, "show", f"main:{path}").count("blue") == 1
    assert left_in(marks) == []


@pytest.mark.points(only=True)
def test_a_repository_inside_the_vault_is_not_looked_into_by_git(two: Two, tmp_path: Path) -> None:
    _, laptop, path = two
    inner, marks = laptop.note("2-memories/inner"), tmp_path / "marks"
    inner.mkdir()
    marks.mkdir()
    git(inner, "init", "-q")
    git(inner, "-c", "user.name=n", "-c", "user.email=e@e.example", "commit", "-q", "--allow-empty", "-m", "one")
    git(laptop.root, "-c", "advice.addEmbeddedRepo=false", "add", "2-memories/inner")
    git(inner, "config", "core.fsmonitor", f"touch '{marks}/it'")
    (inner / "note.md").write_text("A note.\n")
    work(laptop, path)
    assert left_in(marks) == []


@pytest.mark.parametrize("address", ["ext::touch {marks}/it", "evil::{marks}/it"])
def test_no_remote_is_a_program(two: Two, tmp_path: Path, address: str) -> None:
    _, laptop, _ = two
    marks, programs = tmp_path / "marks", tmp_path / "programs"
    marks.mkdir()
    programs.mkdir()
    hook(programs / "git-remote-evil", marks)
    laptop.environment["PATH"] = f"{programs}{os.pathsep}{laptop.environment['PATH']}"
    git(laptop.root, "config", "remote.origin.url", address.format(marks=marks))
    git(laptop.root, "config", "protocol.ext.allow", "always")
    with pytest.raises(GitFailed, match="not allowed"):
        laptop.sync()
    assert left_in(marks) == []


def test_what_the_persons_own_git_says_still_holds(two: Two, tmp_path: Path) -> None:
    _, laptop, path = two
    marks, home = tmp_path / "marks", Path(laptop.environment["HOME"])
    marks.mkdir()
    hook(tmp_path / "ssh", marks)
    home.mkdir(exist_ok=True)
    home.joinpath(".gitconfig").write_text(
        f"[core]\n\tsshCommand = {tmp_path / 'ssh'}\n[user]\n\tname = Sara\n\temail = sara@example.org\n"
    )
    rewrite(laptop, path, "red", "blue")
    git(laptop.root, "config", "remote.origin.url", "ssh://example.org/vault.git")
    with pytest.raises(GitFailed):
        laptop.sync()
    assert left_in(marks) == ["ssh"]
    assert git(laptop.root, "log", "-1", "--format=%an <%ae>").strip() == "Sara <sara@example.org>"


@pytest.mark.points(only=True)
def test_a_plain_pull_still_merges_notes(two: Two) -> None:
    desk, laptop, path = two
    rewrite(desk, path, "quay", "pier")
    desk.sync()
    rewrite(laptop, path, "red", "blue")
    git(laptop.root, "-c", "user.name=n", "-c", "user.email=e@e.example", "commit", "-q", "-a", "-m", "by hand")
    environment = {**os.environ, **laptop.environment}
    own = ["-c", "user.name=n", "-c", "user.email=e@e.example"]
    subprocess.run(["git", *own, "pull", "-q", "--no-rebase"], cwd=laptop.root, env=environment, check=True)
    assert all(part in laptop.note(path).read_text() for part in ("pier", "blue"))


@pytest.mark.parametrize("name", ["logs/HEAD", "COMMIT_EDITMSG", "FETCH_HEAD", "refs/heads/main", "objects", "index"])
def test_git_writes_through_no_link_of_its_folder(two: Two, tmp_path: Path, name: str) -> None:
    _, laptop, path = two
    entry, outside = laptop.note(f".git/{name}"), tmp_path / "outside"
    if entry.exists():
        entry.rename(outside)
    else:
        outside.write_text("mine\n")
    entry.symlink_to(outside)
    before = outside.read_bytes() if outside.is_file() else left_in(outside)
    rewrite(laptop, path, "red", "blue")
    with pytest.raises(GitFailed, match="is a link"):
        laptop.sync()
    assert (outside.read_bytes() if outside.is_file() else left_in(outside)) == before


def test_a_vault_does_not_write_into_another_repository(two: Two) -> None:
    desk, laptop, path = two
    shutil.rmtree(laptop.note(".git"))
    laptop.note(".git").write_text(f"gitdir: {desk.note('.git')}\n")
    rewrite(laptop, path, "red", "blue")
    before = git(desk.root, "rev-parse", "HEAD")
    with pytest.raises(GitFailed, match="does not name this folder"):
        laptop.sync()
    assert git(desk.root, "rev-parse", "HEAD") == before


def test_a_repository_that_says_whose_it_is_may_lie_elsewhere(two: Two, tmp_path: Path) -> None:
    _, laptop, path = two
    laptop.note(".git").rename(tmp_path / "laptop.git")
    laptop.note(".git").write_text(f"gitdir: {tmp_path / 'laptop.git'}\n")
    subprocess.run(["git", "--git-dir", tmp_path / "laptop.git", "config", "core.worktree", laptop.root], check=True)
    rewrite(laptop, path, "red", "blue")
    laptop.sync()
    assert "blue" in git(laptop.root, "show", f"HEAD:{path}")


def test_no_git_in_the_vault_is_taken_for_the_program(
    two: Two, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, laptop, _ = two
    marks = tmp_path / "marks"
    marks.mkdir()
    hook(laptop.note("git"), marks)
    laptop.environment["PATH"] = f".{os.pathsep}{os.pathsep}{laptop.environment['PATH']}"
    monkeypatch.chdir(laptop.root)
    with laptop.open() as vault:
        vault.sync_status()
    assert left_in(marks) == []
