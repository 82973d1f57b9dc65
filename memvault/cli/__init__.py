"""The command line: one file for each command, imported only when that command is run."""

from __future__ import annotations

from memvault.cli.main import run_command

__all__ = ["run_command"]
