"""Keys of private memories that were renewed, lost or left open: nothing is sealed to them without a word."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from memvault.api import Memvault
from memvault.errors import StrangeRecipient
from memvault.privacy.private.store import PrivateStore
from tests.command_line import Line
from tests.conftest import Opener
from tests.privacy.private.test_private_memories import identity, key_file, titles

pytest.importorskip("pyrage")


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
    first.remember_privately("Sealed to the older key still.", title="After")
    assert titles(first) == {"Before", "After"}
    found = first.private_status()
    assert (found.strange, found.closed, found.is_admitted) == ((), 0, True)
    assert found.outdated == found.recipients
    told = [finding for finding in first.doctor().findings if "older key" in finding.sentence]
    assert [finding.severity for finding in told] == ["warning"]


def test_the_next_rekey_takes_the_older_key_out_and_makes_no_third(
    two: tuple[Memvault, Memvault], environment: dict[str, str]
) -> None:
    first, second = two
    keys = key_file(environment).read_text()
    assert first.private_rekey().recipients == second.private_status().recipients
    assert key_file(environment).read_text() == keys
    assert not first.private_status().outdated
    assert titles(first) == {"Before"}


def test_somebody_elses_key_is_a_stranger_as_before(two: tuple[Memvault, Memvault]) -> None:
    first, _ = two
    PrivateStore(first._vault).seal_to([*first.private_status().recipients, identity()[1]])
    with pytest.raises(StrangeRecipient):
        first.remember_privately("For nobody else.")


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
    assert f"memvault private admit {own}; then: memvault private dismiss {lost}" in said
    assert f"{lost} (a key that is not here)" in said
    assert "cannot open it" in sealed("remember", "--private", "Still to the lost key.").err
    assert sealed("private", "admit", own).code == 0
    assert sealed("private", "dismiss", lost).code == 0
    ran = sealed("remember", "--private", "To the new key.", "--title", "New")
    assert (ran.code, "cannot open" in ran.err) == (0, False)
    assert "To the new key." in sealed("private", "show", "New").out


def test_the_last_key_is_not_dismissed_before_another_is_there(sealed: Line, environment: dict[str, str]) -> None:
    lost = sealed("private", "status", "--json").json["result"]["own"]
    key_file(environment).unlink()
    sealed("private", "init", "--yes")
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
    for words in (("private", "status"), ("private",), ("doctor",)):
        ran = sealed(*words)
        assert "chmod go=" in " ".join((ran.out + ran.err).split()), words
