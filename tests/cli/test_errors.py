"""Every mistake is a sentence and an exit code; a bug is told without a word of anybody's memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from memvault.api import Memvault
from memvault.errors import Busy, MemvaultError, Unwritable
from tests.command_line import Line


@pytest.mark.parametrize(
    ("words", "code", "name"),
    [
        (("show", "nobody"), 3, "NotFound"),
        (("status", "--vault", "nowhere"), 4, "NoVault"),
        (("init", "."), 5, "AlreadyAVault"),
        (("vault", "move", "tea", "../out"), 5, "OutsideVault"),
        (("config", "recall.limit", "many"), 2, "BadSetting"),
        (("config", "no.such"), 2, "UnknownSetting"),
        (("undo", "nonsense"), 3, "NoOperation"),
        (("vault", "list", "--sort", "colour"), 2, "BadInput"),
        (("vault", "list", "--nonsense"), 2, "Misused"),
        (("vault", "open", "tea", "coffee"), 2, "Misused"),
        (("nonsense",), 2, "UnknownCommand"),
    ],
)
def test_each_mistake_has_its_exit_code_in_text_and_in_json(
    words: tuple[str, ...], code: int, name: str, in_vault: Line
) -> None:
    told = in_vault(*words)
    assert told.code == code
    assert told.out == ""
    assert told.err.startswith("error: ")
    assert "Traceback" not in told.err

    envelope = in_vault(*words, "--json")
    assert envelope.code == code
    assert envelope.err == ""
    assert envelope.json["ok"] is False
    assert envelope.json["error"]["code"] == name
    assert envelope.json["error"]["exit_code"] == code


@pytest.mark.parametrize(
    ("error", "code"), [(Busy(path="v", seconds=30.0), 6), (Unwritable(path="v", reason="the disk is full"), 1)]
)
def test_what_the_vault_says_comes_through(
    error: MemvaultError, code: int, in_vault: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_args: object, **_given: object) -> None:
        raise error

    monkeypatch.setattr(Memvault, "run", fails)
    ran = in_vault("vault", "pin", "tea")
    assert ran.code == code
    assert str(error) in ran.err


class TestABug:
    SECRET = "the words of a memory"

    @pytest.fixture
    def broken(self, in_vault: Line, monkeypatch: pytest.MonkeyPatch) -> Line:
        def fails(*_args: object, **_given: object) -> None:
            raise ZeroDivisionError(self.SECRET)

        monkeypatch.setattr(Memvault, "run", fails)
        return in_vault

    def test_is_told_in_one_sentence_with_where_its_details_are(
        self, broken: Line, environment: dict[str, str]
    ) -> None:
        ran = broken("recall", self.SECRET, "--limit", "2")
        assert ran.code == 1
        assert "bug in memvault (ZeroDivisionError)" in ran.err
        assert "Traceback" not in ran.err
        kept = list(Path(environment["XDG_STATE_HOME"]).rglob("crashes/*.txt"))
        assert len(kept) == 1
        assert str(kept[0]) in ran.err

    def test_is_written_down_without_a_word_of_a_memory(self, broken: Line, environment: dict[str, str]) -> None:
        broken("recall", self.SECRET, "--limit", "2", "--tag=secret-tag")
        [kept] = Path(environment["XDG_STATE_HOME"]).rglob("crashes/*.txt")
        report = kept.read_text(encoding="utf-8")
        assert "ZeroDivisionError" in report
        assert "in recall" in report
        assert "command: recall --limit --tag" in report
        assert self.SECRET not in report
        assert "secret-tag" not in report

    def test_answers_in_json_too(self, broken: Line) -> None:
        ran = broken("recall", "tea", "--json")
        assert ran.json["error"]["code"] == "Bug"
        assert ran.code == 1

    def test_shows_its_traceback_to_whoever_asks(self, broken: Line) -> None:
        with pytest.raises(ZeroDivisionError):
            broken("recall", "tea", MEMVAULT_DEBUG="1")

    def test_is_told_also_where_nothing_can_be_written(self, broken: Line, environment: dict[str, str]) -> None:
        Path(environment["XDG_STATE_HOME"]).joinpath("memvault", "crashes").write_text("in the way", encoding="utf-8")
        ran = broken("recall", "tea")
        assert ran.code == 1
        assert "MEMVAULT_DEBUG=1" in ran.err


@pytest.mark.parametrize(
    ("words", "data"),
    [(("remember",), b"caf\xe9"), (("remember", "-"), b"caf\xe9"), (("edit", "tea", "--text", "-"), b"\xff\x00")],
)
def test_what_is_no_text_is_refused_before_anything_is_written(
    words: tuple[str, ...], data: bytes, in_vault: Line
) -> None:
    before = in_vault("show", "--raw", "tea").out
    ran = in_vault(*words, stdin=data)
    assert ran.code == 2
    assert "is not text in UTF-8" in ran.err
    assert in_vault("show", "--raw", "tea").out == before


def test_text_in_utf_16_is_read_where_it_says_so(in_vault: Line) -> None:
    assert in_vault("remember", "-", stdin="Tee für Sára".encode("utf-16")).code == 0
    assert "Tee für Sára" in in_vault("recall", "Tee").out


def test_no_editor_is_started_where_nobody_could_use_it(in_vault: Line) -> None:
    ran = in_vault("edit", "tea", stdin=b"")
    assert ran.code == 1
    assert "there is no terminal here" in ran.err
    assert in_vault("remember", stdin=b"").code == 2
