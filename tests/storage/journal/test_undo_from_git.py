"""What undo keeps no more, or another machine did, is taken back from what git has."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from memvault import Memvault
from memvault.errors import NoOperation, UndoRefused

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")


def committed(vault: Memvault) -> None:
    """Have git keep the vault as it is."""
    who = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org", "-c", "commit.gpgsign=false")
    for words in (("init", "--quiet"), ("add", "--all"), (*who, "commit", "--quiet", "-m", "kept")):
        subprocess.run(["git", *words], cwd=vault.root, check=True)


def lose_what_undo_keeps(vault: Memvault) -> None:
    for folder in (vault.root / ".memvault" / "undo").iterdir():
        if folder.name[0].isdigit():
            shutil.rmtree(folder)


def test_an_edit_is_taken_back_with_the_bytes_that_git_has(vault: Memvault) -> None:
    made = vault.remember("It lies at the quay.").memory
    before = vault.path_of(made.id).read_bytes()
    committed(vault)
    vault.edit(made.id, body="It lies at the pier.")
    committed(vault)
    lose_what_undo_keeps(vault)
    vault.undo()
    assert vault.path_of(made.id).read_bytes() == before


def test_what_git_never_saw_is_told_as_gone(vault: Memvault) -> None:
    made = vault.remember("It lies at the quay.").memory
    vault.edit(made.id, body="It lies at the pier.")
    committed(vault)
    lose_what_undo_keeps(vault)
    with pytest.raises(UndoRefused, match="no longer kept"):
        vault.undo()


def test_another_machine_may_take_it_back(vault: Memvault, tmp_path, open_vault) -> None:  # type: ignore[no-untyped-def]
    made = vault.remember("It lies at the quay.").memory
    before = vault.path_of(made.id).read_bytes()
    committed(vault)
    edited = vault.edit(made.id, body="It lies at the pier.")
    committed(vault)
    subprocess.run(["git", "clone", "--quiet", str(vault.root), str(tmp_path / "elsewhere")], check=True)
    home = tmp_path / "another-home"
    environment = {"HOME": str(home), **{f"XDG_{kind}_HOME": str(home / kind) for kind in ("CACHE", "CONFIG", "STATE")}}
    elsewhere = open_vault(tmp_path / "elsewhere", environment=environment)
    assert elsewhere.device != vault.device
    with pytest.raises(NoOperation):
        elsewhere.undo()  # it is not the last thing that was done here
    elsewhere.undo(edited.op)
    assert elsewhere.path_of(made.id).read_bytes() == before
