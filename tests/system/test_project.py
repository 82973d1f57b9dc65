"""A project is its repository, wherever it is checked out, else its folder."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from memvault.system import project


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
