"""What is shipped: the wheel carries the template and the samples, and works from an environment of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    words = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(out.glob("*.whl"))


@pytest.mark.points(only=True)
def test_the_wheel_carries_every_file_of_the_template_and_no_tests(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    template = {
        path.relative_to(ROOT / "vault_template").as_posix()
        for path in (ROOT / "vault_template").rglob("*")
        if path.is_file()
    }
    assert {f"memvault/_vault_template/{name}" for name in template} <= names
    assert "memvault/py.typed" in names
    page = (ROOT / "memvault" / "web").rglob("*")
    pages = {path.relative_to(ROOT).as_posix() for path in page if path.suffix in (".html", ".css", ".js", ".svg")}
    assert len(pages) > 15
    assert pages <= names
    assert any(name.startswith("memvault/storage/vault/sample/") for name in names)
    assert not any(name.startswith(("tests/", "docs/")) for name in names)


def test_the_installed_wheel_makes_a_vault_and_recalls(
    wheel: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    target = tmp_path / "site"
    with zipfile.ZipFile(wheel) as packed:  # what pip does, without asking the network for what is here already
        packed.extractall(target)
    run = [sys.executable, "-m", "memvault"]
    there = {**environment, "PYTHONPATH": str(target), "PYTHONSAFEPATH": "1"}

    def memvault(*words: str) -> str:
        done = subprocess.run([*run, *words], env=there, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    where = subprocess.run(
        [sys.executable, "-c", "import memvault; print(memvault.__file__)"],
        env=there,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(target) in where.stdout
    memvault("init", "v", "--sample")
    assert (tmp_path / "v" / ".obsidian" / "types.json").is_file()
    memvault("--vault", "v", "remember", "Sara prefers tea")
    assert "Sara prefers tea" in memvault("--vault", "v", "recall", "tea for Sara")


@pytest.fixture(scope="module")
def installers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment with uv and pipx."""
    folder = tmp_path_factory.mktemp("installers")
    venv.create(folder, with_pip=True)
    done = subprocess.run([folder / "bin" / "pip", "install", "-q", "uv", "pipx"], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("uv and pipx cannot be installed here: there is no network, or no index")
    return folder / "bin"


@pytest.mark.points(only=True)
@pytest.mark.skipif(sys.platform == "win32", reason="programs lie elsewhere there")
@pytest.mark.parametrize("words", [("uv", "tool", "install", "-q"), ("pipx", "install", "-q")], ids=["uv", "pipx"])
def test_a_clone_is_installed_as_a_tool(installers: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    passed_on = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_", "SSL_"))}
    there = {
        **passed_on,
        **{name: str(tmp_path / "bin") for name in ("UV_TOOL_BIN_DIR", "PIPX_BIN_DIR")},
        "UV_TOOL_DIR": str(tmp_path / "tools"),
        "UV_CACHE_DIR": str(tmp_path / "cache"),
        "PIPX_HOME": str(tmp_path / "pipx"),
        "PIPX_DEFAULT_PYTHON": sys.executable,
        "HOME": str(tmp_path),
        "PATH": f"{installers}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(
        [installers / words[0], *words[1:], str(ROOT)], env=there, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr

    def memvault(*words: str, code: int = 0) -> str:
        ran = subprocess.run(
            [tmp_path / "bin" / "memvault", *words],
            env=there,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == code, ran.stderr
        return ran.stdout + ran.stderr

    memvault("init", "v")
    memvault("--vault", "v", "remember", "Sara prefers tea")
    assert "Sara prefers tea" in memvault("--vault", "v", "recall", "tea for Sara")
    # What an extra needs is named by a command that works for this way of installing.
    hint = memvault("--vault", "v", "mcp", "install", code=1)
    assert ("uv pip install" if words[0] == "uv" else "pipx inject memvault") in hint
    command = next(line.partition("Install it with: ")[2] for line in hint.splitlines() if "Install it with" in line)
    assert subprocess.run(command, shell=True, env=there, capture_output=True, check=False).returncode == 0
    memvault("--vault", "v", "mcp", "install")
