"""Git's settings read as data: as git itself reads them, and of a vault's own only what may not run anything."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.system import git
from memvault.system.git import Git
from memvault.system.git_repository import (
    ALLOWED_KEYS,
    keep_allowed,
    last_value,
    parse_config,
    read_config,
    write_config,
)

FILES = {
    "plain": "[core]\n\tbare = false\n[user]\n\tname = Sara Uy\n",
    "a name without a value": "[core]\n\tbare\n\tsymlinks =\n",
    "sections with names": '[remote "ori gin"]\n\turl = a\n[branch "a\\"b\\\\c"]\n\tmerge = x\n[Branch.Main]\n\tremote = y\n',
    "comments": "# one\n; two\n[core] # three\n\tbare = true ; four\n\teol = lf#five\n",
    "quotes": '[user]\n\tname = "  Sara # Uy  " x\n\temail = a"b c"d\n',
    "escapes": '[user]\n\tname = a\\tb\\nc\\\\d\\"e\n',
    "a line that goes on": "[user]\n\tname = one \\\n  two\n\temail = x\n",
    "one line": "[core] bare = true\n",
    "line ends of Windows": "[core]\r\n\tbare = true\r\n[user]\r\n\tname = a b\r\n",
    "a mark at the beginning": "\ufeff[core]\n\tbare = true\n",
    "twice": "[core]\n\tbare = true\n[core]\n\tbare = false\n",
    "upper case": '[CORE]\n\tBare = True\n[remote "Origin"]\n\tURL = A\n',
    "no end": "[core]\n\tbare = true",
}


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")
@pytest.mark.parametrize("name", FILES)
def test_a_file_is_read_as_git_reads_it(tmp_path: Path, name: str) -> None:
    path = tmp_path / "config"
    path.write_bytes(FILES[name].encode())
    words = ["git", "config", "--file", str(path), "--list", "-z"]
    rows = subprocess.run(words, capture_output=True, check=True).stdout.decode().split("\0")
    pairs = [row.partition("\n") for row in rows if row]
    assert list(read_config(path)) == [(key, value if mark else None) for key, mark, value in pairs]


def test_a_file_that_is_not_there_sets_nothing(tmp_path: Path) -> None:
    assert read_config(tmp_path / "config") == ()


@given(st.text(max_size=200))
def test_no_text_is_too_odd_to_be_read(text: str) -> None:
    list(parse_config(text))


KEYS = st.sampled_from(sorted(key.replace("*", "a.b c") for key in ALLOWED_KEYS))
VALUES = st.none() | st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=30)


@given(st.lists(st.tuples(KEYS, VALUES), max_size=6))
def test_a_written_configuration_reads_back_the_same(items: list[tuple[str, str | None]]) -> None:
    assert list(parse_config(write_config(items))) == items


def test_only_allowed_keys_are_kept() -> None:
    text = (
        '[core]\n\tbare = false\n\tfsmonitor = x\n[filter "a"]\n\tclean = x\n[unheard]\n\tof = x\n'
        '[remote "o"]\n\turl = a\n\turl = b\n\tvcs = x\n\tuploadpack = x\n[remote "-o"]\n\turl = c\n[include]\n\tpath = x\n'
    )
    assert list(keep_allowed(parse_config(text))) == [("core.bare", "false"), ("remote.o.url", "a")]


def test_the_last_value_counts() -> None:
    items = tuple(parse_config("[core]\n\tbare = true\n\tbare = false\n\tsymlinks\n"))
    assert [last_value(items, key) for key in ("core.bare", "core.symlinks", "core.eol")] == ["false", "true", ""]


# -- git as a program that may hang: it is told to end, so that it can take its locks away, before it is made to

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
