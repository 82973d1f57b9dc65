"""The command that installs an extra: whole, for the environment at hand, and never by a name that anybody may register."""

from __future__ import annotations

import importlib.util
import os
import shlex
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.system.programs import install_command

EXTRAS = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
]
EXTRAS.pop("test")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="words are quoted otherwise there")


@pytest.mark.parametrize("extra", ["mcp", "private", "semantic"])
def test_it_names_what_the_extra_needs_and_never_memvault_of_a_registry(extra: str) -> None:
    words = shlex.split(install_command(extra))
    assert words[:4] == [sys.executable, "-m", "pip", "install"]
    names = {requirement.partition(">")[0] for requirement in EXTRAS[extra]}
    assert {word.partition("<")[0].partition(">")[0] for word in words[4:]} == names
    assert not any(word.startswith("memvault") for word in words[4:])


def test_under_pipx_it_injects(tmp_path: Path) -> None:
    prefix = tmp_path / "pipx" / "venvs" / "memvault"
    assert install_command("private", prefix=str(prefix)).startswith("pipx inject memvault 'pyrage")


def test_in_a_tool_of_uv_it_asks_uv(tmp_path: Path) -> None:
    (tmp_path / "uv-receipt.toml").touch()
    (tmp_path / "uv").touch(mode=0o755)
    found = install_command("private", prefix=str(tmp_path), python="/x/py thon", environment={"PATH": str(tmp_path)})
    assert found.startswith("uv pip install --python '/x/py thon' 'pyrage")


def test_where_there_is_neither_pip_nor_uv_it_gets_pip_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    found = install_command("private", python="/x/python", environment={"PATH": "/nowhere"})
    assert found.startswith("/x/python -m ensurepip && /x/python -m pip install 'pyrage")


def test_where_memvault_was_never_installed_it_names_the_clone(monkeypatch: pytest.MonkeyPatch) -> None:
    def requires(_name: str) -> None:
        raise metadata.PackageNotFoundError

    monkeypatch.setattr(metadata, "requires", requires)
    assert "--editable '.[mcp]'" in install_command("mcp")


_WITHOUT = """
import sys
for name in {names!r}:
    sys.modules[name] = None  # as where it is not installed
from memvault.cli.commands import COMMANDS
from memvault.__main__ import main
for row in COMMANDS.values():
    row.load_function()
sys.argv[1:] = {words!r}
main()
"""


@pytest.mark.parametrize("words", ["model semantic enable --yes", "private init --yes", "agent mcp install"])
def test_without_its_extra_a_command_says_how_to_install_it(
    words: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    Memvault.init(tmp_path / "vault", environment=environment)
    names = ["numpy", "model2vec", "tokenizers", "pyrage", "mcp", "psycopg", "jwt", "keyring"]
    program = _WITHOUT.format(names=names, words=words.split())
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment, "MEMVAULT_DIR": str(tmp_path / "vault")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "hint: Install it with: " in ran.stderr
    assert "bug" not in ran.stderr
