"""How often a way was followed and worked: from the file at first, from the journals since, on every device the same."""

from __future__ import annotations

from pathlib import Path

import frontmatter
import pytest

from memvault import Memvault
from memvault.errors import BadInput
from tests.conftest import Clock, Opener


def way(vault: Memvault, **more: object) -> str:
    made = vault.remember("How to release: tag it, push it.", kind="procedural", more=more)  # type: ignore[arg-type]
    return made.memory.id


def fields(vault: Memvault, id_: str) -> dict[str, object]:
    return dict(frontmatter.load(str(vault.path_of(id_))).metadata)


def test_the_numbers_in_the_file_follow_at_upkeep(vault: Memvault, clock: Clock) -> None:
    id_ = way(vault)
    for ok in (True, True, False):
        clock.pass_(hours=1)
        found = vault.record_use(id_, ok=ok)
    assert (found.standing.count, found.standing.rate) == (3, 0.6667)
    assert "usage_count" not in fields(vault, id_)
    vault.maintain()
    said = fields(vault, id_)
    assert (said["usage_count"], said["success_rate"], said["last_used_at"]) == (3, 0.6667, clock.now)
    before = vault.path_of(id_).read_bytes()
    vault.maintain()
    assert vault.path_of(id_).read_bytes() == before


def test_the_first_numbers_in_a_file_count_on(vault: Memvault, clock: Clock) -> None:
    id_ = way(vault, usage_count=3, success_rate=1.0)
    for _ in range(2):
        clock.pass_(hours=1)
        vault.record_use(id_, ok=False)
        vault.maintain()
    said = fields(vault, id_)
    assert (said["usage_count"], said["success_rate"]) == (5, 0.6)


def test_a_count_without_a_rate_says_nothing_of_success(vault: Memvault) -> None:
    id_ = way(vault, usage_count=3)
    standing = vault.record_use(id_, ok=True).standing
    assert (standing.count, standing.rate) == (4, 1.0)


@pytest.mark.points(only=True)
def test_it_does_not_matter_how_often_upkeep_runs(tmp_path: Path, clock: Clock, open_vault: Opener) -> None:
    start, found = clock.now, []
    for name, often in (("often", True), ("once", False)):
        clock.now = start
        Memvault.init(tmp_path / name, clock=clock)
        vault = open_vault(tmp_path / name)
        id_ = way(vault, usage_count=1, success_rate=0.5)
        for ok in (True, False, True, True):
            clock.pass_(hours=7)
            vault.record_use(id_, ok=ok)
            if often:
                vault.maintain()
        vault.maintain()
        said = fields(vault, id_)
        found.append([said[name] for name in ("usage_count", "success_rate", "last_used_at")])
    assert found[0] == found[1]


def test_other_devices_count_whenever_their_journals_arrive(vault: Memvault, clock: Clock) -> None:
    id_ = way(vault)
    clock.pass_(hours=2)
    vault.record_use(id_, ok=True)
    vault.maintain()
    journal = vault.root / ".memvault" / "journal" / "elsewhere" / "2026-01.jsonl"
    journal.parent.mkdir(parents=True)
    line = f'{{"t":"2026-01-29T10:00:00Z","e":"use","id":"{id_}","ok":false}}\n'
    journal.write_text(line + line)  # as older versions wrote it: one second, one outcome, one use
    vault.maintain()
    said = fields(vault, id_)
    assert (said["usage_count"], said["success_rate"], said["last_used_at"]) == (2, 0.5, clock.now)


def test_uses_within_one_second_all_count(vault: Memvault) -> None:
    id_ = way(vault)
    for ok in (True, True, True, True, False):
        found = vault.record_use(id_, ok=ok)
    assert (found.standing.count, found.standing.rate) == (5, 0.8)


@pytest.mark.parametrize("again", ["below", "beside"])
def test_a_line_that_is_there_twice_is_one_use(vault: Memvault, tmp_path: Path, open_vault: Opener, again: str) -> None:
    id_ = way(vault)
    for _ in range(2):
        vault.record_use(id_, ok=True)
    [journal] = (vault.root / ".memvault" / "journal").rglob("*.jsonl")
    target = journal if again == "below" else journal.with_name(f"{journal.stem} (conflicted copy).jsonl")
    lines = journal.read_bytes()
    with target.open("ab") as file:
        file.write(lines)
    assert vault.record_use(id_, ok=True).standing.count == 3
    elsewhere = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "other")}
    found = open_vault(vault.root, environment=elsewhere).record_use(id_, ok=True)
    assert found.standing.count == 4


def test_a_remark_goes_where_it_helps(vault: Memvault) -> None:
    id_ = way(vault)
    vault.record_use(id_, ok=False, note="The lock was still there.")
    vault.record_use(id_, ok=False, note="The lock was still there.")
    vault.record_use(id_, ok=True, note="The tag shows up.")
    said = fields(vault, id_)
    assert said["failure_patterns"] == ["The lock was still there."]
    assert said["success_conditions"] == ["The tag shows up."]


def test_only_procedural_memories_can_be_used(vault: Memvault) -> None:
    fact = vault.remember("The fence is grey.", kind="semantic").memory.id
    with pytest.raises(BadInput):
        vault.record_use(fact, ok=True)
