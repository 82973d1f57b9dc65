"""Git as a program that may hang: it is told to end, so that it can take its locks away, before it is made to."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from memvault.system import git
from memvault.system.git import Git

_HANGING = """#!/bin/sh
: > index.lock
trap 'rm index.lock; exit 1' TERM
while :; do :; done
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal there")
def test_a_git_that_hangs_is_ended_and_takes_its_lock_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "git"
    program.write_text(_HANGING)
    program.chmod(0o755)
    monkeypatch.setattr(git, "_SECONDS", 0.3)
    ran = Git(tmp_path, {"PATH": f"{tmp_path}:/usr/bin:/bin"}).try_run("status")
    assert (ran.code, (tmp_path / "index.lock").exists()) == (124, False)
