"""The examples of the manual's Python page run, and say what they say."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent.parent / "docs" / "python.md"


def test_the_examples_run_as_written(
    tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("CLAUDECODE", "MEMVAULT_AGENT", "MEMVAULT_DIR", "MEMVAULT_SESSION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    text = PAGE.read_text(encoding="utf-8").replace("```", "")
    examples = doctest.DocTestParser().get_doctest(text, {}, "python.md", str(PAGE), 0)
    assert len(examples.examples) > 15
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples)
    assert result.failed == 0
