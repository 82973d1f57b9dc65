"""What is shipped: the wheel carries the template and the samples, and works from an environment of its own."""

from __future__ import annotations

import subprocess
import sys
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
