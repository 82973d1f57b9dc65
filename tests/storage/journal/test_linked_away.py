"""Folders of memvault's own that are links, and kept files that name others: nothing outside the vault is ours."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.errors import LinkLeadsOut, MemvaultError, OutsideVault, UndoRefused
from memvault.storage.journal import recover as recovery
from memvault.system import files
from tests.conftest import Opener

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="makes symbolic links")
SECRET = "The key to the shed lies below the third blue flower pot."


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Path]:
    """A folder outside the vault with what a purge would take for its own; it stays as it is."""
    folder = tmp_path / "Documents"
    for name in ("20260129T093000Z-0000/old", "held/letter.md", "seen/desk/1.seen", "letter.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(SECRET)
    before = _tree(folder)
    yield folder
    assert _tree(folder) == before


def _tree(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def _linked(vault: Memvault, name: str, target: Path) -> None:
    link = vault.root / name
    shutil.rmtree(link, ignore_errors=True)
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(target, target_is_directory=True)


def test_where_what_is_displaced_would_leave_the_vault_nothing_is_written(vault: Memvault, elsewhere: Path) -> None:
    note = vault.root / vault.remember(SECRET, title="Key").memory.path
    before = note.read_bytes()
    _linked(vault, ".memvault/undo", elsewhere)
    for act in (lambda: vault.purge("Key"), lambda: vault.pin("Key"), lambda: vault.remember("A boat.")):
        with pytest.raises(OutsideVault, match="undo"):
            act()
    assert note.read_bytes() == before
    assert vault.recall("shed").hits, "what is there is read as ever"
    assert {found.path: found.severity for found in vault.doctor().left}[".memvault/undo"] == "error"


@pytest.mark.parametrize(
    "name", [".memvault/undo/seen", ".memvault/undo/seen/desk", ".memvault/undo/20260129T093000Z-0000"]
)
def test_nothing_is_kept_in_or_taken_out_of_what_a_link_leads_to(vault: Memvault, elsewhere: Path, name: str) -> None:
    made = vault.remember(SECRET, title="Key", kind="semantic").memory
    _linked(vault, name, elsewhere / Path(name).relative_to(".memvault/undo"))
    vault.maintain()
    vault.purge(made.id)


def test_a_trash_that_is_a_link_has_no_memories_in_it(vault: Memvault, elsewhere: Path, tmp_path: Path) -> None:
    vault.remember(SECRET, title="Key")
    _linked(vault, ".trash", elsewhere)
    assert vault.run(lambda context: context.vault.trash_paths()) == []
    vault.purge("Key")
    vault.maintain()


@pytest.mark.parametrize("to", ["../Documents/letter.md", ".git/config"])
def test_a_kept_file_says_of_no_other_that_it_is_to_be_written(
    vault: Memvault, elsewhere: Path, open_vault: Opener, monkeypatch: pytest.MonkeyPatch, to: str
) -> None:
    """Such a file may have come with a vault from elsewhere, and the text in it from whoever made that."""
    monkeypatch.setattr(recovery, "HOLD_SECONDS", -5)
    (vault.root / ".git").mkdir()
    victim = vault.root / to
    victim.write_text(SECRET)
    held = vault.root / ".memvault/undo/held"
    held.mkdir(parents=True, exist_ok=True)
    known = files.digest(SECRET.encode())
    (held / f"{'0' * 16}-{'1' * 32}-{known}.held").write_text("Not what was there.")
    (held / f"{'0' * 16}.note").write_text(os.path.relpath(victim, held))
    beside = sorted(victim.parent.iterdir())
    open_vault(vault.root).remember("A boat.")
    assert victim.read_text() == SECRET
    assert sorted(victim.parent.iterdir()) == beside
    assert [path.read_text() for path in vault.root.glob("Rescued*")] == ["Not what was there."]


# -- links that a person allowed


def _allow(environment: dict[str, str], *links: Path) -> None:
    Memvault.set_own_config("vault.links", ",".join(map(str, links)), environment=environment)


def _shape(folder: Path) -> dict[Path, tuple[int, bytes]]:
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in sorted(folder.rglob("*")) if path.is_file()}


def test_notes_behind_a_link_that_the_person_allowed_are_read_and_never_written(
    vault: Memvault, elsewhere: Path, environment: dict[str, str], open_vault: Opener
) -> None:
    (vault.root / "Shared").symlink_to(elsewhere)
    (vault.root / "one.md").symlink_to(elsewhere / "letter.md")
    assert not vault.recall("blue flower pot").hits
    _allow(environment, vault.root / "Shared", vault.root / "one.md")
    before = _shape(elsewhere)
    allowed = open_vault(vault.root)
    found = {hit.memory.path for hit in allowed.recall("blue flower pot").hits}
    assert found >= {"Shared/held/letter.md", "one.md"}
    assert SECRET in (allowed.show("one.md").memory.body or "")
    for act in (lambda: allowed.pin("Shared/letter.md"), lambda: allowed.forget("Shared/held/letter.md")):
        with pytest.raises(MemvaultError):
            act()
    allowed.maintain()
    assert _shape(elsewhere) == before


def test_no_vault_allows_its_own_links(vault: Memvault, elsewhere: Path, open_vault: Opener) -> None:
    (vault.root / "Shared").symlink_to(elsewhere)
    with (vault.root / "memvault.toml").open("a") as file:
        file.write(f'\n[vault]\nlinks = ["{vault.root}/Shared"]\n')
    with pytest.raises(MemvaultError):
        open_vault(vault.root)


def test_the_doctor_says_how_a_link_is_allowed(
    vault: Memvault, elsewhere: Path, environment: dict[str, str], open_vault: Opener
) -> None:
    (vault.root / "Shared").symlink_to(elsewhere)
    found = next(each for each in vault.doctor().left if each.check == "links-out")
    assert str(elsewhere) in found.sentence
    assert f"memvault config --user vault.links {vault.root}/Shared" in found.advice
    _allow(environment, vault.root / "Shared")
    assert "links-out" not in {each.check for each in open_vault(vault.root).doctor().left}


# -- vaults and logs from elsewhere


def test_no_vault_is_laid_down_through_a_link(tmp_path: Path, elsewhere: Path) -> None:
    root = tmp_path / "new"
    root.mkdir()
    for name in (".memvault", "2-memories"):
        (root / name).symlink_to(elsewhere)
        with pytest.raises(OutsideVault, match="leads out of the vault"):
            Memvault.init(root)
        (root / name).unlink()


@pytest.mark.parametrize("device", ["", "own"])
def test_a_log_from_elsewhere_names_no_file_outside_to_be_written(
    vault: Memvault, elsewhere: Path, open_vault: Opener, device: str
) -> None:
    """Nor does one that passes for this machine's, but where a block may stand."""
    journal = vault.root / ".memvault/journal" / (vault.device if device else "stranger")
    journal.mkdir(parents=True)
    op, sha = "20260129T093000Z-abcdef", files.digest(b"evil")
    kept = vault.root / ".memvault/undo" / op
    kept.mkdir(parents=True)
    (kept / sha).write_bytes(b"evil")
    t = "2026-01-29T09:30:00Z"
    target = elsewhere / "profile"
    lines = [
        {"t": t, "e": "op", "op": op, "verb": "claude-md"},
        {"t": t, "e": "step", "op": op, "do": "outside", "path": str(target), "before": sha},
        {"t": t, "e": "done", "op": op},
    ]
    (journal / "2026-01.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(UndoRefused, match="outside the vault"):
        open_vault(vault.root).undo(op)
    assert not target.exists()


def test_an_open_vault_whose_journal_becomes_a_link_writes_nothing_more(vault: Memvault, elsewhere: Path) -> None:
    """As it is for the daemon, which keeps vaults open while other programs check things out."""
    vault.remember("A boat lies at the quay.", title="Boat")
    _linked(vault, f".memvault/journal/{vault.device}", elsewhere)
    with pytest.raises(LinkLeadsOut):
        vault.remember("Another boat lies there.", title="Other")
    assert vault.recall("boat quay").hits
