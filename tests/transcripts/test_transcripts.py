"""The command line as people meet it: every transcript still reads as it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.transcripts.harness import Player

HERE = Path(__file__).parent
TRANSCRIPTS = sorted(HERE.glob("*.txt"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_transcript(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, rewrite: bool) -> None:
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    written = path.read_text(encoding="utf-8")
    played = Player(tmp_path).play(written)
    if rewrite and played != written:
        path.write_text(played, encoding="utf-8")
    assert rewrite or played == written


def test_cli_transcripts_exist() -> None:
    assert len(TRANSCRIPTS) >= 10
