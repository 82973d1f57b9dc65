"""What is found of a conversation, in few tokens: `python -m tests.benchmarks.retrieval --data FILE [--ablate] [--doubt]`.

FILE is a list of conversations: {"id", "speakers", "turns": [{"id", "session", "time", "speaker", "text"}, ..],
"questions": [{"id", "text", "category", "gold": [turn ids]}, ..]}. No such file comes with the project.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter
from types import MappingProxyType
from typing import Any

from memvault.recall.ranking.weights import WEIGHTS, RankingWeights, RoleWeights
from tests.benchmarks.engines import ENGINES, OURS, Ask, Ours, turns_of
from tests.benchmarks.recalled import MEASURES, SHOWN, Row, content, gaps, means, measured

Conversation = Mapping[str, Any]

SURE = 0.4  # from this similarity a hit counts as relevant
_OTHERS = 200  # questions of others that each conversation is asked
_ALL_PARTS = 10**9


def _manners(**changes: Any) -> RankingWeights:
    def changed(manner: RoleWeights) -> RoleWeights:
        return replace(manner, **{name: make(manner) for name, make in changes.items()})

    return replace(WEIGHTS, manners=tuple(map(changed, WEIGHTS.manners)))


WITHOUT: Mapping[str, RankingWeights] = MappingProxyType(
    {
        "turns around": _manners(before=lambda _: (), after=lambda _: (), answer=lambda _: 0.0),
        "answers to questions": _manners(answer=lambda manner: (*manner.before, 0.0)[0]),
        "the sitting": _manners(sitting=lambda _: 0.0),
        "questions below statements": _manners(asking=lambda _: 0.0),
        "the person before the assistant": _manners(voice=lambda _: 1.0),
        "echo": replace(WEIGHTS, echo=0.0),
        "named speakers": replace(WEIGHTS, speaker=0.0),
        "days asked for": replace(WEIGHTS, day=0.0, said_day=0.0),
        "days named in the text": replace(WEIGHTS, said_day=0.0),
        "times for when": replace(WEIGHTS, timed=0.0),
        "vague question words": replace(WEIGHTS, vague=1.0),
        "irregular forms": replace(WEIGHTS, irregular=0.0),
        "near synonyms": replace(WEIGHTS, kin=0.0),
        "things of a kind": replace(WEIGHTS, member=0.0),
        "words that belong together": replace(WEIGHTS, irregular=0.0, kin=0.0, member=0.0),
        "near spellings": replace(WEIGHTS, near=0.0),
    }
)


def main() -> None:
    """Run what is asked for, and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, nargs="+")
    parser.add_argument("--only", help="ids of conversations, with commas between them")
    parser.add_argument("--ablate", action="store_true", help="leave one ingredient out at a time")
    parser.add_argument("--doubt", action="store_true", help="ask each conversation what only others can answer")
    parser.add_argument("--by-category", action="store_true")
    chosen = parser.parse_args()
    for path in chosen.data:
        conversations = json.loads(path.read_text(encoding="utf-8"))
        if chosen.only:
            conversations = [one for one in conversations if one["id"] in chosen.only.split(",")]
        print(
            f"{path.name}: {len(conversations)} conversations, {sum(len(one['questions']) for one in conversations)} questions"
        )
        if chosen.ablate:
            ablate(conversations)
        elif chosen.doubt:
            doubt(conversations)
        else:
            compare(conversations, by_category=chosen.by_category)


def compare(conversations: Sequence[Conversation], *, by_category: bool = False) -> dict[str, list[Row]]:
    """All engines over the same questions."""
    rows: dict[str, list[Row]] = {name: [] for name in ENGINES}
    times: dict[str, list[float]] = {name: [] for name in ENGINES}
    for conversation in conversations:
        turns = turns_of(conversation)
        for name, engine in ENGINES.items():
            found, taken = answered(conversation, engine(turns))
            rows[name] += found
            times[name] += taken
    print(f"{'':34}" + "".join(f"{name:>9}" for name in (*MEASURES, "p50 ms", "p95 ms")))
    for name in ENGINES:
        spread = (median(times[name]), sorted(times[name])[int(0.95 * len(times[name]))])
        print(f"{name:34}" + "".join(f"{value:9.1f}" for value in (*means(rows[name]), *spread)))
    for name in [name for name in ENGINES if name != OURS]:
        print(f"{f'{OURS} over {name}':34}" + gaps(rows[name], rows[OURS], SHOWN))
    if by_category:
        _print_categories(conversations, rows[OURS])
    return rows


def answered(conversation: Conversation, ask: Ask) -> tuple[list[Row], list[float]]:
    """What an engine finds for each question, and how many milliseconds it takes."""
    said = {turn["id"]: content(turn["text"]) for turn in conversation["turns"]}
    rows, times = [], []
    for question in conversation["questions"]:
        began = perf_counter()
        hits = ask(question["text"])
        times.append(1_000 * (perf_counter() - began))
        rows.append(measured(hits, set(question["gold"]), said))
    return rows, times


def ablate(conversations: Sequence[Conversation]) -> dict[str, list[Row]]:
    """Ours, whole and with one ingredient left out at a time: what each is worth."""
    whole = "everything"
    names = (whole, *WITHOUT, "passages of long turns", "leaving out small talk")
    rows: dict[str, list[Row]] = {name: [] for name in names}
    for conversation in conversations:
        turns = turns_of(conversation)
        ours = Ours(turns)
        variants: dict[str, Ours] = {whole: ours} | {name: ours.with_weights(less) for name, less in WITHOUT.items()}
        variants["passages of long turns"] = Ours(turns, long=_ALL_PARTS)
        variants["leaving out small talk"] = Ours(turns, has_small_talk=True)
        for name, variant in variants.items():
            rows[name] += answered(conversation, variant)[0]
    print(
        f"{whole:34}"
        + "".join(f"{name} {value:.1f}  " for name, value in zip(MEASURES, means(rows[whole]), strict=True))
    )
    for name in names[1:]:
        print(f"{name:34}" + gaps(rows[name], rows[whole], SHOWN))
    return rows


def doubt(conversations: Sequence[Conversation]) -> dict[str, float]:
    """How often what can be answered is refused, and what cannot be is: questions of others, also with the names here."""
    known: list[bool] = []
    other: list[bool] = []
    as_here: list[bool] = []
    for conversation in conversations:
        ours = Ours(turns_of(conversation))
        strangers = [one for one in conversations if one is not conversation]
        foreign = [(one, question["text"]) for one in strangers for question in one["questions"]]
        known += [_is_refused(ours, question["text"]) for question in conversation["questions"]]
        for one, text in foreign[:: max(1, len(foreign) // _OTHERS)]:
            other.append(_is_refused(ours, text))
            as_here.append(_is_refused(ours, renamed(text, one["speakers"], conversation["speakers"])))
    shares = {
        "answerable, but refused": sum(known) / len(known),
        "of another conversation, refused": sum(other) / len(other),
        "the same with the names of here": sum(as_here) / len(as_here),
    }
    for name, share in shares.items():
        print(f"{name:34}{100 * share:8.1f} %")
    return shares


def _is_refused(ours: Ours, text: str) -> bool:
    return all(one.similarity < SURE for one in ours.scored(text)[:5])


def renamed(text: str, theirs: Sequence[str], ours: Sequence[str]) -> str:
    """A question of one conversation with the names of another."""
    for their, our in zip(theirs, ours, strict=False):
        text = re.sub(rf"\b{re.escape(their)}\b", our, text)
    return text


def _print_categories(conversations: Sequence[Conversation], rows: Sequence[Row]) -> None:
    kinds = [question["category"] for conversation in conversations for question in conversation["questions"]]
    for kind in sorted(set(kinds)):
        chosen = [row for row, of in zip(rows, kinds, strict=True) if of == kind]
        print(f"{f'{kind} ({len(chosen)})':34}" + "".join(f"{value:9.1f}" for value in means(chosen)))


if __name__ == "__main__":
    main()
