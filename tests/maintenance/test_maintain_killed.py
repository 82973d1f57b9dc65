"""Upkeep killed at any step: each note is wholly before or after, nothing is lost, and the next run finishes the work."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.storage.journal.runs import MaintainResult
from tests import points
from tests.conftest import Clock, Opener
from tests.storage.journal.test_recover import changes, killed, tree

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills child processes as only POSIX can")

TWINS = "The staging database of the portal runs on host db7 in the Oslo data centre and is copied every night."
TEXTS = (TWINS, "Sara waters the ferns on the balcony every other morning.", "An old remark about the blue bicycle.")


@pytest.fixture
def due(tmp_path: Path, clock: Clock, open_vault: Opener) -> Path:
    """A vault in which a run has something of each sort to do: merge, archive, fade, fold uses, raise, write its page."""
    root = tmp_path / "due"
    Memvault.init(root, clock=clock)
    with open_vault(root) as vault:
        vault.remember(TEXTS[2], title="Bicycle", weight=0.3)
        clock.pass_(days=60)
        vault.remember(TWINS, title="Staging database")
        vault.remember(TWINS, title="Staging database")
        vault.remember(TEXTS[1], title="Ferns")
        for _ in range(3):
            clock.pass_(days=1)
            vault.show("Ferns")
        clock.pass_(days=10)
    return root


@pytest.mark.points
def test_killed_at_any_step_of_a_run(due: Path, tmp_path: Path, clock: Clock, open_vault: Opener) -> None:
    before = tree(due)
    with open_vault(_copied(due, tmp_path / "whole")) as vault:
        done: list[MaintainResult] = []
        kinds = changes(lambda: done.append(vault.maintain()))
        rules = {rule for each in done[0].done for rule in each.rules}
        assert {"archive", "consolidate", "decay", "touches", "hot", "claude-md"} <= rules
        after = tree(vault.root)
    seen = set()
    for at in points.chosen(kinds):
        root = _copied(due, tmp_path / str(at))
        vault = open_vault(root)
        vault.refresh()
        vault.close()
        assert killed(lambda vault=vault: vault.maintain(), at=at, after=bool(at % 2))
        clock.pass_(minutes=1)
        vault.remember("Another day.", title="Later")
        settled = _without_the_later_one(tree(root))
        _nothing_is_half_done(settled, before, after, f"killed at {at}")
        seen.add(tuple(sorted(settled)))
        vault.maintain()
        assert _bookkept(_without_the_later_one(tree(root))) == _bookkept(after), f"killed at {at}"
        assert not _wishes(root), f"killed at {at}: what the run wrote was taken for a person's"
        vault.close()
        shutil.rmtree(root)
    assert len(kinds) > 10
    assert len(seen) > 3, "some were killed early and some late"


def _copied(source: Path, target: Path) -> Path:
    shutil.copytree(source, target)
    return target


def _without_the_later_one(found: dict[str, bytes]) -> dict[str, bytes]:
    return {path: data for path, data in found.items() if "later" not in path}


def _nothing_is_half_done(
    found: dict[str, bytes], before: dict[str, bytes], after: dict[str, bytes], when: str
) -> None:
    known = {*before.values(), *after.values()}
    assert set(found.values()) <= known, f"{when}: a note is neither as it was nor as it is to be"
    whole = b"\n".join(found.values()).decode()
    for text in TEXTS:
        assert text in whole, f"{when}: {text!r} is lost"


def _bookkept(found: dict[str, bytes]) -> dict[str, bytes]:
    """The notes, but for the page that lists the later one too."""
    return {path: data for path, data in found.items() if path != "CLAUDE.md"}


def _wishes(root: Path) -> list[str]:
    lines = [line for path in root.glob(".memvault/journal/*/*.jsonl") for line in path.read_text().splitlines()]
    return [line for line in lines if '"e":"weight"' in line or '"e":"status"' in line or '"e":"edit"' in line]
