"""Private memories lie open in the daemon for their time, for a person, and for nobody else."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from memvault.api import Memvault
from memvault.api.cache import UnlockedMemories
from memvault.core.settings import Settings
from memvault.privacy.private.read import UnlockMessage
from tests.conftest import START, Clock
from tests.daemon.porters import UNIX_ONLY, at_home, memory_of, memvault, prompt_event, running
from tests.privacy.private.test_private_memories import NEEDLE, TEXT, holding

pytest.importorskip("pyrage")

__all__ = ["at_home"]


class Hours:
    """Two clocks, each moved by itself."""

    def __init__(self) -> None:
        self.awake = self.day = 0.0


@pytest.fixture
def hours() -> Hours:
    return Hours()


@pytest.fixture
def unlocked(hours: Hours) -> UnlockedMemories:
    return UnlockedMemories(clock=lambda: hours.awake, day=lambda: hours.day)


@pytest.fixture
def safe(vault: Memvault) -> Memvault:
    vault.private_init()
    vault.remember_privately(TEXT, title="Spare key")
    vault.remember_privately("The surgery is on Friday.", title="Surgery")
    return vault


def hold(unlocked: UnlockedMemories, vault: Memvault, *, first: bool = True, seconds: float = 60) -> None:
    unlocked.hold_memories(str(vault.root), vault.private_memories().memories, seconds, first=first)


def found(unlocked: UnlockedMemories, vault: Memvault, query: str) -> list[str]:
    texts = unlocked.find_memories(str(vault.root))
    if texts is None:
        return []
    hits = texts.search(query, now=START, settings=Settings({}), limit=10, least=0.4)
    return [hit.memory.title for hit in hits]


@pytest.mark.parametrize("which", ["awake", "day"])
def test_when_the_time_is_over_nothing_lies_open(
    unlocked: UnlockedMemories, hours: Hours, safe: Memvault, which: str
) -> None:
    hold(unlocked, safe)
    setattr(hours, which, 59.9)
    assert found(unlocked, safe, NEEDLE) == ["Spare key"]
    setattr(hours, which, 60)
    assert found(unlocked, safe, NEEDLE) == []
    assert len(unlocked) == 0


def test_what_was_changed_or_let_go_since_is_held_no_longer(unlocked: UnlockedMemories, safe: Memvault) -> None:
    hold(unlocked, safe)
    safe.private_edit("Spare key", body="Nowhere.")
    assert found(unlocked, safe, NEEDLE) == []
    assert found(unlocked, safe, "surgery") == ["Surgery"]
    safe.private_forget("Surgery")
    assert unlocked.find_memories(str(safe.root)) is None


def test_a_second_part_joins_the_first_and_a_new_unlocking_takes_its_place(
    unlocked: UnlockedMemories, hours: Hours, safe: Memvault
) -> None:
    one, two = safe.private_memories().memories
    unlocked.hold_memories("a", [one], 60, first=True)
    hours.awake = 30
    unlocked.hold_memories("a", [two], 60, first=False)
    assert len(unlocked) == 2
    hours.awake = 60  # counted from the first part
    assert len(unlocked) == 0
    unlocked.hold_memories("a", [one, two], 60, first=True)
    unlocked.hold_memories("a", [one], 60, first=True)
    unlocked.hold_memories("b", [two], 60, first=True)
    assert len(unlocked) == 2
    assert (unlocked.forget_memories("a"), unlocked.forget_memories("a"), len(unlocked)) == (1, 0, 1)
    unlocked.close()
    assert len(unlocked) == 0


def test_a_message_comes_as_it_was_sent() -> None:
    sent = UnlockMessage("/v", 60.0, True, [("private/a.md.age", "0f", b"---\n\xff\x00")])
    assert UnlockMessage.decode(sent.encode()) == sent


@UNIX_ONLY
@pytest.mark.points(only=True)
def test_recall_finds_them_while_they_are_unlocked_and_no_agent_does(
    at_home: dict[str, str], tmp_path: Path, clock: Clock
) -> None:
    root = tmp_path / "vault"
    Memvault.init(root, clock=clock)

    def line(*words: str, **variables: str) -> str:
        ran = memvault({**at_home, **variables}, "--vault", str(root), *words)
        return (ran.stdout + ran.stderr).decode()

    line("private", "init", "--yes")
    line("remember", "--private", TEXT, "--title", "Spare key")
    line("remember", "The gauge at Hollin has a new lid.")
    with running(at_home):
        assert "1 memory" in line("private", "unlock", "--for", "5m")
        hits = line("recall", "spare key")  # the very first that is asked of it
        assert json.loads(line("vault", "watch", "status", "--json"))["result"]["unlocked"] == 1
        assert "· private" in hits
        assert NEEDLE in hits
        assert json.loads(line("recall", "spare key", "--json"))["result"]["private"][0]["memory"]["private"] is True
        assert NEEDLE not in line("recall", "spare key", CLAUDECODE="1")
        assert NEEDLE not in line("recall", "spare key", "--context")
        assert NEEDLE not in line("recall", "spare key", "--tag", "x")
        told = memvault(
            at_home, "hook", "--vault", str(root), data=prompt_event("s", "where is the spare key?", cwd=root)
        )
        assert NEEDLE.encode() not in told.stdout
        assert not holding(tmp_path)
        assert "Locked." in line("private", "lock")
        assert NEEDLE not in line("recall", "spare key")
    assert not holding(tmp_path)


# -- what a process has read stays in its memory until it ends


def run_of(environment: dict[str, str]) -> str:
    """Which run of the daemon answers, once one does."""
    return json.loads(memvault(environment, "watch", "--status", "--json").stdout)["result"]["run"]


def test_a_daemon_knows_that_it_had_memories_open(unlocked: UnlockedMemories, hours: Hours, safe: Memvault) -> None:
    hold(unlocked, safe)
    assert not unlocked.has_let_go
    hours.awake = 60
    unlocked.trim()
    assert unlocked.has_let_go


@pytest.mark.skipif(sys.platform != "linux", reason="nobody can look into a process there")
@pytest.mark.points(only=True)
def test_what_is_locked_or_purged_is_in_no_process_any_more(
    at_home: dict[str, str], tmp_path: Path, clock: Clock
) -> None:
    root = tmp_path / "vault"
    Memvault.init(root, clock=clock)

    def line(*words: str) -> str:
        ran = memvault(at_home, "--vault", str(root), *words)
        return (ran.stdout + ran.stderr).decode()

    line("private", "init", "--yes")
    line("remember", "--private", TEXT, "--title", "Spare key")
    line("remember", "The gauge at Hollin hangs below the heron's nest.", "--title", "Gauge")
    with running(at_home) as process:
        line("private", "unlock", "--for", "5m")
        assert NEEDLE in line("recall", "spare key")
        first = run_of(at_home)
        assert NEEDLE.encode() in memory_of(process.pid)
        line("private", "lock")
        second = run_of(at_home)
        assert second not in ("", first)
        assert NEEDLE.encode() not in memory_of(process.pid)
        assert "heron" in line("recall", "gauge hollin")
        told = line("vault", "purge", "--verify", "--yes", "Gauge")
        assert "verified" in told
        assert run_of(at_home) not in ("", second)
        assert b"heron" not in memory_of(process.pid)
