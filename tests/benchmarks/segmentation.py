"""How well conversations are cut into topics, on stretches of different conversations joined into one.

`python -m tests.benchmarks.segmentation` makes its own conversations; `--data FILE` takes a file of them: a list of
`{"id", "speakers", "turns": [{"id", "session", "time", "speaker", "text"}]}`. The first half was there to tune by; the
figures are stated for the other. What would give a seam away is taken out: sessions, times, and who speaks to whom. A
stretch ends where nobody waits for an answer, as topics do; `--anywhere` cuts at any turn.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memvault.core.conversation import Turn
from memvault.transcripts.extract.segments import segment_turns
from tests.benchmarks.chats import Chats

SEEDS, STRETCHES = 8, 40
SHORTEST, LONGEST = 3, 20
_NORMAL_95 = 1.96
_ASKS = re.compile(r"\?\W*(?:\[[^\]]*\]\W*)?\Z")

Cuts = list[int]
Cutter = Callable[[Sequence[Turn]], Cuts]
Said = tuple[str, str]  # who and what


@dataclass(frozen=True, slots=True)
class Source:
    """A conversation that stretches are taken from."""

    turns: tuple[Said, ...]
    is_with_assistant: bool


@dataclass(frozen=True, slots=True)
class Joined:
    """Stretches of different conversations as one, and where each but the first begins."""

    turns: tuple[Turn, ...]
    cuts: Cuts


# -- conversations


def load(path: Path) -> list[Source]:
    """The conversations of a file."""
    return [_source(one) for one in json.loads(path.read_text(encoding="utf-8"))]


def made_up(seed: int, count: int = 12) -> list[Source]:
    """Conversations about the things of a made-up year, each of them about one part of one project."""
    return [Source(tuple(talk), is_with_assistant=False) for talk in Chats(seed).talks(count)]


def _source(told: Mapping[str, Any]) -> Source:
    names = {name for speaker in told["speakers"] for name in speaker.split() if name not in ("user", "assistant")}
    begins = sorted(re.escape(name[:3]) for name in names if len(name) > 2)  # as Mel is short for Melanie
    called = re.compile(rf"\b(?:{'|'.join(begins)})[a-z]*\b") if begins else None
    order = {speaker: "AB"[number % 2] for number, speaker in enumerate(told["speakers"])} if names else {}
    turns = [
        (order.get(turn["speaker"], turn["speaker"]), called.sub("you", turn["text"]) if called else turn["text"])
        for turn in told["turns"]
    ]
    return Source(tuple(turns), is_with_assistant=not names)


def joined(sources: Sequence[Source], seed: int, *, anywhere: bool = False, stretches: int = STRETCHES) -> Joined:
    """So many stretches, none followed by another of the same conversation."""
    made = random.Random(seed)
    said: list[Said] = []
    begins: Cuts = []
    last: Source | None = None
    while len(begins) < stretches:
        source = made.choice([one for one in sources if one is not last])
        begins.append(len(said))
        said += _stretch(source, made, anywhere=anywhere)
        last = source
    turns = [Turn(id=str(at), speaker=speaker, text=text) for at, (speaker, text) in enumerate(said)]
    return Joined(tuple(turns), begins[1:])


def _stretch(source: Source, made: random.Random, *, anywhere: bool) -> Sequence[Said]:
    turns = source.turns
    length = min(made.randint(SHORTEST, LONGEST), len(turns))
    first = made.randint(0, len(turns) - length)
    after = first + length
    if not anywhere:
        while first > 0 and _goes_on(source, first):
            first -= 1
        while after < len(turns) and _goes_on(source, after):
            after += 1
    return turns[first:after]


def _goes_on(source: Source, at: int) -> bool:
    """Whether a turn is an answer."""
    if source.is_with_assistant:
        return source.turns[at][0] != "user"
    return _ASKS.search(source.turns[at - 1][1]) is not None


# -- how wrong


def errors(talk: Joined, found: Cuts) -> tuple[float, float]:
    """Pk and WindowDiff: of two turns half a stretch apart, how often it is wrong whether, and how often, they part."""
    count = len(talk.turns)
    window = max(2, round(count / (len(talk.cuts) + 1) / 2))
    truth, told = _sums(talk.cuts, count), _sums(found, count)
    pairs = [(truth[at + window] - truth[at], told[at + window] - told[at]) for at in range(count - window)]
    pk = sum((one > 0) != (other > 0) for one, other in pairs) / len(pairs)
    return pk, sum(one != other for one, other in pairs) / len(pairs)


def _sums(cuts: Cuts, count: int) -> list[int]:
    marks, sums = set(cuts), [0]
    for at in range(1, count + 1):
        sums.append(sums[-1] + (at in marks))
    return sums


# -- ways to cut


def by_rules(turns: Sequence[Turn]) -> Cuts:
    """As memvault does."""
    return [one.first for one in segment_turns(turns)][1:]


def nowhere(_turns: Sequence[Turn]) -> Cuts:
    """No topics at all."""
    return []


def every(length: int) -> Cutter:
    """At every so many turns."""
    return lambda turns: list(range(length, len(turns), length))


def anyhow(share: float) -> Cutter:
    """At random, as often as topics change."""

    def cuts(turns: Sequence[Turn]) -> Cuts:
        made = random.Random(len(turns))
        return [at for at in range(1, len(turns)) if made.random() < share]

    return cuts


def measured(talks: Sequence[Joined]) -> Iterator[tuple[str, Sequence[tuple[float, float]], float]]:
    """Each way with its errors on each conversation, and how many cuts it makes for each there is."""
    turns, cuts = sum(len(talk.turns) for talk in talks), sum(len(talk.cuts) for talk in talks)
    ways: dict[str, Cutter] = {
        "no topics": nowhere,
        "fixed length": every(round(turns / (cuts + len(talks)))),
        "at random": anyhow(cuts / turns),
        "memvault": by_rules,
    }
    for name, way in ways.items():
        found = [way(talk.turns) for talk in talks]
        rows = [errors(talk, cut) for talk, cut in zip(talks, found, strict=True)]
        yield name, rows, sum(map(len, found)) / cuts


def show(title: str, talks: Sequence[Joined]) -> None:
    """The figures of one set of conversations."""
    print(f"{title}: {len(talks)} joined conversations, {sum(len(talk.turns) for talk in talks):,} turns")
    for name, rows, share in measured(talks):
        pk, diff = ([row[number] for row in rows] for number in (0, 1))
        print(f"  {name:<13} Pk {_mean(pk)}   WindowDiff {_mean(diff)}   cuts made / there {share:.2f}")


def _mean(values: Sequence[float]) -> str:
    spread = _NORMAL_95 * statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return f"{statistics.mean(values):.3f} ±{spread:.3f}"


def speed(talks: Sequence[Joined], count: int = 20_000) -> None:
    """How long it takes to cut a long conversation."""
    turns = [turn for talk in talks for turn in talk.turns]
    long = (turns * (count // len(turns) + 1))[:count]
    start = time.process_time()
    found = segment_turns(long)
    spent = time.process_time() - start
    print(f"  {count:,} turns in one go: {spent:.1f} s, {len(found):,} topics")


def main() -> None:
    """Measure, and say so."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, action="append", default=[], help="conversations to take stretches from")
    parser.add_argument("--tuning", action="store_true", help="use those that were there to tune by")
    parser.add_argument("--anywhere", action="store_true", help="cut stretches at any turn")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    given = parser.parse_args()
    sets = {path.name: load(path) for path in given.data} or {"made up": made_up(1)}
    for name, sources in sets.items():
        half = (len(sources) + 1) // 2
        used = sources[:half] if given.tuning else sources[half:]
        talks = [joined(used, seed, anywhere=given.anywhere) for seed in range(given.seeds)]
        show(name, talks)
        speed(talks)


if __name__ == "__main__":
    main()
