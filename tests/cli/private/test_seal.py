"""`memvault seal`: a key is made and told of, and what was sealed goes to stdout alone."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.command_line import Line

KEY = "sk-ant-api03-" + "Q7w9" * 24


@pytest.fixture
def sealing(in_vault: Line, tmp_path: Path) -> Line:
    """In a vault with a conversation of which a line was sealed."""
    pytest.importorskip("pyrage")
    said = f"The key of the gauge server is {KEY} \u202eand so on."
    turns = [{"id": "1", "session": "s", "speaker": "Noor", "text": said}]
    (tmp_path / "talk.json").write_text(json.dumps({"id": "talk-1", "speakers": ["Noor"], "turns": turns}))
    in_vault("seal", "init")
    in_vault("config", "--user", "transcripts.secrets", "seal")
    in_vault("ingest", str(tmp_path / "talk.json"))
    return in_vault


def test_a_key_is_made_once_and_told_of_with_what_its_loss_costs(in_vault: Line, environment: dict[str, str]) -> None:
    pytest.importorskip("pyrage")
    path = str(Path(environment["XDG_CONFIG_HOME"]) / "memvault/seal.agekey")
    first, second = in_vault("seal", "init"), in_vault("seal", "init")
    assert (first.out.strip(), second.out.strip()) == (f"Made your key: {path}", f"There is a key already: {path}")
    assert "keep a copy of it elsewhere" in first.err
    assert "AGE-SECRET-KEY" not in first.out + first.err


def test_what_was_sealed_is_printed_and_cannot_deceive_a_terminal(sealing: Line) -> None:
    ran = sealing("seal", "open", "talk-1")
    assert (ran.code, ran.err) == (0, "")
    assert "\u202e" not in ran.out
    assert f"{KEY} \u202eand" in json.loads(ran.out)["turn"]["text"]
    assert KEY in sealing("seal", "open", "talk-1", "--json").json["result"]["lines"][0]


def test_the_secret_is_in_no_other_answer(sealing: Line) -> None:
    for words in (("dig", "gauge server"), ("dig", "--open", "talk-1:1"), ("seal",), ("log",), ("doctor",)):
        ran = sealing(*words)
        assert KEY not in ran.out + ran.err


def test_the_status_says_what_is_missing(in_vault: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyrage", None)
    ran = in_vault("seal")
    assert "originals are not kept" in ran.out
    assert "memvault[private]" in ran.err
    ran = in_vault("seal", "init")
    assert ran.code == 1
    assert "memvault[private]" in ran.err


def test_an_ingest_that_could_not_seal_says_so_once(in_vault: Line, tmp_path: Path) -> None:
    for number in (1, 2):
        talk = {"id": f"talk-{number}", "turns": [{"id": "1", "speaker": "Noor", "text": f"It is {KEY} for now."}]}
        (tmp_path / f"{number}.json").write_text(json.dumps(talk))
    in_vault("config", "--user", "transcripts.secrets", "seal")
    ran = in_vault("ingest", str(tmp_path / "1.json"), str(tmp_path / "2.json"))
    assert ran.code == 0
    assert ran.err.count("Originals were not sealed") == 1


@pytest.mark.parametrize(
    "words",
    [
        ("burn",),
        ("open",),
        ("init", "talk-1"),
        ("status", "--key", "x"),
        ("open", "talk-1", "--dry-run"),
    ],
)
def test_what_does_not_go_together_is_refused(words: tuple[str, ...], in_vault: Line) -> None:
    assert in_vault("seal", *words).code == 2
