"""The benchmark of retrieval runs, on conversations far too small to measure anything."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.benchmarks import retrieval
from tests.benchmarks.engines import ENGINES
from tests.benchmarks.recalled import Hit, carries, content, cost, difference, measured

SAID = (
    "The kayak is red.",
    "I sold the piano in May.",
    "Which boat came in late?",
    "The zeppelin moored at the harbour.",
)


def conversation(id_: str, speakers: tuple[str, str], extra: str) -> dict[str, object]:
    texts = (*SAID, extra)
    turns = [
        {
            "id": f"t{number}",
            "session": "s",
            "time": "2024-05-02T09:00:00",
            "speaker": speakers[number % 2],
            "text": text,
        }
        for number, text in enumerate(texts)
    ]
    asked = {"id": f"{id_}#0", "text": f"What about the {extra.split()[1]}?", "category": "plain", "gold": ["t4"]}
    return {"id": id_, "speakers": list(speakers), "turns": turns, "questions": [asked]}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "said.json"
    talks = [
        conversation("one", ("Mara", "Ilja"), "The boiler broke."),
        conversation("two", ("user", "assistant"), "The oven steams."),
    ]
    path.write_text(json.dumps(talks), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("option", "shown"),
    [
        ((), tuple(ENGINES)),
        (("--by-category",), ("plain (2)",)),
        (("--ablate",), tuple(retrieval.WITHOUT)),
        (("--doubt",), ("refused",)),
    ],
)
def test_it_runs(option, shown, data, monkeypatch, capsys):
    monkeypatch.setattr("tests.benchmarks.recalled.RESAMPLES", 40)
    monkeypatch.setattr(sys, "argv", ["retrieval", "--data", str(data), *option])
    retrieval.main()
    out = capsys.readouterr().out
    assert all(name in out for name in shown)


@pytest.mark.parametrize("name", ENGINES)
def test_every_engine_finds_a_plain_word(name, data):
    one = json.loads(data.read_text(encoding="utf-8"))[0]
    rows, _ = retrieval.answered(one, ENGINES[name](retrieval.turns_of(one)))
    assert rows[0][0] == 1.0


def test_a_hit_counts_only_if_it_carries_its_turn_and_fits():
    said = {"t": content("one two three four five six seven eight nine ten harbour zeppelin mooring")}
    whole, little = "seven eight three harbour zeppelin mooring", "zeppelin"
    assert measured([Hit("t", whole)], {"t"}, said)[0] == 1.0
    assert measured([Hit("t", little)], {"t"}, said)[0] == 0.0
    assert measured([Hit("u", "word " * 400), Hit("t", whole)], {"t"}, said)[:4] == (0.0, 0.0, 1.0, 1.0)
    assert measured([Hit("u", "x"), Hit("t", whole)], {"t"}, said)[-1] == 0.5
    assert not carries("", said["t"])


def test_a_text_costs_by_its_words_or_its_letters():
    assert cost("one two three four five six seven eight nine ten") == 13
    assert cost("a" * 600) == 100


def test_a_difference_is_paired_and_has_an_interval():
    gain, low, high = difference([(0.0,)] * 50, [(1.0,)] * 25 + [(0.0,)] * 25, 0)
    assert gain == 50
    assert 20 < low < 50 < high < 80
