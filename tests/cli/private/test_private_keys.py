"""Keys of private memories that were renewed, lost or left open: nothing is sealed to them without a word."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from memvault.api import Memvault
from tests.command_line import Line
from tests.conftest import Opener
from tests.privacy.private.test_private_memories import key_file, titles

pytest.importorskip("pyrage")

KEY = "sk-ant-api03-" + "Q7w9" * 24


@pytest.fixture
def sealed(in_vault: Line) -> Line:
    """Command lines in a vault with a key and one private memory."""
    in_vault("private", "init", "--yes")
    in_vault("remember", "--private", "The alarm code is on the bridge.", "--title", "Alarm")
    return in_vault


# -- a key that was renewed in another vault


@pytest.fixture
def two(vault: Memvault, open_vault: Opener, tmp_path: Path) -> tuple[Memvault, Memvault]:
    """Two vaults of one person, each with a private memory, of which the second one was sealed to a new key."""
    Memvault.init(tmp_path / "second")
    second = open_vault(tmp_path / "second")
    for each in (vault, second):
        each.private_init()
        each.remember_privately("Sealed to the first key.", title="Before")
    second.private_rekey()
    return vault, second


def test_a_new_key_keeps_no_other_vault_from_being_used(two: tuple[Memvault, Memvault]) -> None:
    first, _ = two
    first.remember_privately("Sealed to the new key.", title="After")
    assert titles(first) == {"Before", "After"}
    found = first.private_status()
    assert (found.strange, found.closed, len(found.older)) == ((), 0, 1)
    told = [finding for finding in first.doctor().findings if "older key" in finding.sentence]
    assert [finding.severity for finding in told] == ["warning"]


def test_the_next_rekey_takes_the_older_key_out_and_makes_no_third(
    two: tuple[Memvault, Memvault], environment: dict[str, str]
) -> None:
    first, second = two
    keys = key_file(environment).read_text()
    assert first.private_rekey().recipients == second.private_status().recipients
    assert key_file(environment).read_text() == keys
    assert not first.private_status().older
    assert titles(first) == {"Before"}


# -- a key that was lost


def test_what_this_machine_cannot_open_is_sealed_with_a_warning(sealed: Line, environment: dict[str, str]) -> None:
    assert "cannot open" not in sealed("remember", "--private", "With the key.").err
    key_file(environment).unlink()
    ran = sealed("remember", "--private", "Without the key.")
    assert (ran.code, "cannot open it" in ran.err) == (0, True)
    assert "3 private memories cannot be opened" in " ".join(sealed("private", "status").err.split())


def test_a_key_made_after_the_loss_says_what_stays_closed_and_the_way_out(
    sealed: Line, environment: dict[str, str]
) -> None:
    lost = sealed("private", "status", "--json").json["result"]["own"]
    key_file(environment).unlink()
    ran = sealed("private", "init", "--yes")
    own = sealed("private", "status", "--json").json["result"]["own"]
    said = " ".join((ran.out + ran.err).split())
    assert "1 private memory cannot be opened" in said
    assert f"memvault private admit {own}" in said
    assert f"memvault private dismiss {lost}" in said
    assert sealed("private", "dismiss", lost).code == 0
    ran = sealed("remember", "--private", "To the new key.", "--title", "New")
    assert (ran.code, "cannot open" in ran.err) == (0, False)
    assert "To the new key." in sealed("private", "show", "New").out


def test_the_last_key_is_not_dismissed_before_another_is_there(sealed: Line, environment: dict[str, str]) -> None:
    lost = sealed("private", "status", "--json").json["result"]["own"]
    key_file(environment).unlink()
    ran = sealed("private", "dismiss", lost)
    assert (ran.code, "private admit" in ran.err) == (2, True)


def test_the_doctor_calls_a_lost_key_an_error(vault: Memvault, environment: dict[str, str]) -> None:
    vault.private_init()
    vault.remember_privately("Sealed.")
    assert vault.doctor().is_sound
    key_file(environment).unlink()
    told = [finding for finding in vault.doctor().findings if "there is no key at" in finding.sentence]
    assert [finding.severity for finding in told] == ["error"]
    vault.private_init()
    told = [finding for finding in vault.doctor().findings if "cannot be opened" in finding.sentence]
    assert [finding.severity for finding in told] == ["error"]


# -- a key that others can read


@pytest.mark.skipif(sys.platform == "win32", reason="rights are lists there")
def test_a_key_that_others_can_read_is_told(sealed: Line, environment: dict[str, str]) -> None:
    assert "chmod" not in sealed("private", "status").err
    assert "may read the key" not in sealed("doctor").out
    key_file(environment).chmod(0o644)
    for words in (
        ("private", "status"),
        ("private",),
        (
            "vault",
            "doctor",
        ),
    ):
        ran = sealed(*words)
        assert "chmod go=" in " ".join((ran.out + ran.err).split()), words


# -- originals of lines with secrets


@pytest.fixture
def sealing(in_vault: Line, tmp_path: Path) -> Line:
    """In a vault with a conversation of which a line was sealed."""
    said = f"The key of the gauge server is {KEY} \u202eand so on."
    turns = [{"id": "1", "session": "s", "speaker": "Noor", "text": said}]
    (tmp_path / "talk.json").write_text(json.dumps({"id": "talk-1", "speakers": ["Noor"], "turns": turns}))
    in_vault("private", "init", "--yes")
    in_vault("config", "--user", "transcripts.secrets", "seal")
    in_vault("session", "ingest", str(tmp_path / "talk.json"))
    return in_vault


def test_what_was_sealed_is_printed_and_cannot_deceive_a_terminal(sealing: Line) -> None:
    ran = sealing("private", "originals", "talk-1")
    assert (ran.code, ran.err) == (0, "")
    assert "\u202e" not in ran.out
    assert f"{KEY} \u202eand" in json.loads(ran.out)["turn"]["text"]
    assert KEY in sealing("private", "originals", "talk-1", "--json").json["result"]["lines"][0]


def test_the_secret_is_in_no_other_answer(sealing: Line) -> None:
    for words in (
        ("dig", "gauge server"),
        ("session", "show", "talk-1:1"),
        ("private", "status"),
        (
            "vault",
            "log",
        ),
        (
            "vault",
            "doctor",
        ),
    ):
        ran = sealing(*words)
        assert KEY not in ran.out + ran.err


def test_the_status_says_what_is_missing(in_vault: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyrage", None)
    ran = in_vault("private", "status")
    assert "secrets: not kept" in ran.out
    assert "-m pip install 'pyrage" in ran.err
    ran = in_vault("private", "init", "--yes")
    assert ran.code == 1
    assert "-m pip install 'pyrage" in ran.err


def test_an_ingest_that_could_not_seal_says_so_once(in_vault: Line, tmp_path: Path) -> None:
    for number in (1, 2):
        talk = {"id": f"talk-{number}", "turns": [{"id": "1", "speaker": "Noor", "text": f"It is {KEY} for now."}]}
        (tmp_path / f"{number}.json").write_text(json.dumps(talk))
    in_vault("config", "--user", "transcripts.secrets", "seal")
    ran = in_vault("session", "ingest", str(tmp_path / "1.json"), str(tmp_path / "2.json"))
    assert ran.code == 0
    assert ran.err.count("Originals were not sealed") == 1


def test_seal_of_earlier_versions_means_the_command_that_took_its_place(in_vault: Line) -> None:
    assert in_vault("seal", "status").err.endswith("`memvault seal` is now `memvault private`.\n")
