"""The benchmark of topics runs, and measures what it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memvault.core.conversation import Turn
from tests.benchmarks import segmentation
from tests.benchmarks.segmentation import Joined, Source, errors, joined, load, made_up

TURNS = tuple(Turn(id=str(at), speaker="A", text="x") for at in range(40))


def test_right_cuts_are_no_error_and_none_at_all_is_a_large_one() -> None:
    talk = Joined(TURNS, [10, 20, 30])
    assert errors(talk, [10, 20, 30]) == (0.0, 0.0)
    assert errors(talk, [])[0] > 0.35
    near, far = errors(talk, [11, 20, 30]), errors(talk, [15, 20, 30])
    assert 0 < near[0] < far[0]


def test_too_many_cuts_are_seen_by_window_diff() -> None:
    talk = Joined(TURNS, [20])
    pk, diff = errors(talk, list(range(1, 40)))
    assert diff == 1.0
    assert pk < diff


def test_joined_stretches_are_the_same_for_the_same_seed_and_never_of_one_source_in_a_row() -> None:
    sources = made_up(3, count=4)
    one, other = joined(sources, 5, stretches=12), joined(sources, 5, stretches=12)
    assert one == other
    assert len(one.cuts) == 11
    assert len(made_up(3, count=4)[0].turns) == len(sources[0].turns)


def test_stretches_end_where_nobody_waits_for_an_answer() -> None:
    asking = Source((("A", "Really?"), ("B", "Yes.")) * 20, is_with_assistant=False)
    helping = Source((("user", "Mend it."), ("assistant", "Done.")) * 20, is_with_assistant=True)
    talk = joined([asking, helping], 1, stretches=20)
    begins = [talk.turns[at].text for at in talk.cuts]
    assert set(begins) <= {"Really?", "Mend it."}


def test_memvault_is_nearer_the_truth_than_no_topics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = made_up(9, count=6)
    told = [
        {
            "id": str(number),
            "speakers": ["A", "B"],
            "turns": [{"id": "x", "session": "1", "time": "", "speaker": who, "text": text} for who, text in one.turns],
        }
        for number, one in enumerate(made)
    ]
    path = tmp_path / "talks.json"
    path.write_text(json.dumps(told), encoding="utf-8")
    assert [source.turns for source in load(path)] == [one.turns for one in made]
    monkeypatch.setattr(segmentation, "speed", lambda talks: None)
    rows = {name: found for name, found, _ in segmentation.measured([joined(load(path), seed) for seed in range(2)])}
    means = {name: sum(pk for pk, _ in found) / len(found) for name, found in rows.items()}
    assert means["memvault"] < min(means["no topics"], means["fixed length"], means["at random"]) - 0.05
    segmentation.show("made up", [joined(made, 1)])
    assert "memvault" in capsys.readouterr().out
