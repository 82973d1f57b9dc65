"""Private memories on their way to another machine: sealed they travel, whatever else lies there stays."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.privacy.private.test_private_memories import NEEDLE, TEXT
from tests.sync.test_sync import Machine, git, hub, two

pytest.importorskip("pyrage")
pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")

__all__ = ["hub", "two"]


@pytest.fixture
def both(two: tuple[Machine, Machine, str]) -> tuple[Machine, Machine]:
    """Two machines, each with a key of its own and admitted, and one private memory."""
    one, other, _ = two
    with one.open() as vault:
        vault.private_init()
        vault.remember_privately(TEXT, title="Spare key")
    one.sync()
    other.sync()
    with other.open() as vault:
        recipient = vault.private_init().own
    with one.open() as vault:
        vault.private_admit(recipient)
    one.sync()
    other.sync()
    return one, other


def titles(machine: Machine) -> set[str]:
    with machine.open() as vault:
        return {memory.title for memory in vault.private_memories().memories}


@pytest.mark.points(only=True)
def test_sync_carries_sealed_files_and_the_recipient_list_only(both: tuple[Machine, Machine], hub: Path) -> None:
    one, other = both
    (one.root / "private/plan.md").write_text(f"In the clear: {NEEDLE}")
    (one.root / "private/private.agekey").write_text("AGE-SECRET-KEY-1")
    (one.root / "private/deep").mkdir()
    (one.root / "private/deep/note.md").write_text(NEEDLE)
    one.sync()
    other.sync()
    assert titles(other) == titles(one) == {"Spare key"}
    travelled = {path for path in git(hub, "ls-tree", "-r", "--name-only", "main").split() if "private" in path}
    assert {Path(path).suffix or Path(path).name for path in travelled} == {".age", ".recipients"}
    assert NEEDLE not in git(hub, "log", "-p", "--all", "--", "*.md")


def test_synced_private_memories_open_on_both_machines(both: tuple[Machine, Machine]) -> None:
    one, other = both
    for machine, title in ((one, "Desk"), (other, "Laptop")):
        with machine.open() as vault:
            vault.remember_privately(f"Sealed by {title}.", title=title)
    for machine in (one, other, one):
        machine.sync()
    assert titles(one) == titles(other) == {"Spare key", "Desk", "Laptop"}


@pytest.mark.points(only=True)
def test_sync_merges_diverged_recipient_lists(both: tuple[Machine, Machine]) -> None:
    import pyrage

    one, other = both
    added = [str(pyrage.x25519.Identity.generate().to_public()) for _ in range(2)]
    for machine, recipient in zip((one, other), added, strict=True):
        listing = machine.root / "private/.recipients"
        listing.write_text(f"{listing.read_text()}{recipient}\n")
    for machine in (one, other, one):
        machine.sync()
    for machine in both:
        with machine.open() as vault:
            assert set(vault.private_status().strange) == set(added)


@pytest.mark.points(only=True)
def test_sync_keeps_both_versions_of_a_private_memory(both: tuple[Machine, Machine]) -> None:
    one, other = both
    for machine, said in ((one, "By the desk."), (other, "By the laptop.")):
        with machine.open() as vault:
            vault.private_edit("Spare key", append=said)
    one.sync()
    for machine in (other, one, other):
        machine.sync()
    for machine in both:
        with machine.open() as vault:
            bodies = {memory.body for memory in vault.private_memories().memories}
            amiss = [each for each in vault.doctor().left if each.check == "private"]
        assert bodies == {f"{TEXT}\n\nBy the {name}.\n" for name in ("desk", "laptop")}
        assert not amiss
