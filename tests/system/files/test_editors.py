"""Programs that take no lock, and many that do, on one note: no save is silently lost. The long runs are in tests/stress."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.stress import editors
from tests.system.files.tripwire import lacking

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the editor of these tests waits as only POSIX can")


@pytest.mark.parametrize("durable", [True, False])
@pytest.mark.parametrize("style", editors.STYLES)
@pytest.mark.points(only=True)
def test_no_save_of_an_editor_that_ignores_locks_is_lost(style: str, durable: bool, tmp_path: Path) -> None:
    figures = editors.run(tmp_path, saves=100, style=style, durable=durable)
    assert figures.lost == []
    assert durable or figures.writes > 10  # on a slow disk, such an editor may leave no time for a durable one


@pytest.mark.parametrize(("strategy", "style"), [("rename", "rename"), ("rename", "in-place")])
@pytest.mark.points(only=True)
def test_a_writer_that_does_not_look_loses_saves_in_the_same_run(strategy: str, style: str, tmp_path: Path) -> None:
    assert editors.run(tmp_path, saves=40, style=style, strategy=strategy, patience=0.02).lost


def test_on_a_disk_that_cannot_exchange_an_editor_that_saves_in_place_loses_nothing(tmp_path: Path) -> None:
    with lacking("exchange"):
        figures = editors.run(tmp_path, saves=100, style="in-place")
    assert figures.lost == []
