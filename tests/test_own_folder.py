"""Whoever stands in a folder with files named like Python's own modules runs memvault, and none of those."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import memvault


def test_no_file_of_the_current_folder_is_run(tmp_path: Path) -> None:
    for name in ("json", "sqlite3", "tomllib", "datetime"):
        (tmp_path / f"{name}.py").write_text("print('RUN')\n")
    environment = {**os.environ, "HOME": str(tmp_path / "home"), "PYTHONPATH": str(Path(memvault.__file__).parents[1])}
    ran = subprocess.run(
        [sys.executable, "-m", "memvault", "config"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "RUN" not in ran.stdout + ran.stderr
    assert "No vault was found" in ran.stderr
