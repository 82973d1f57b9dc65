"""Conversations kept as notes, one for each sitting: `python -m tests.benchmarks.kept --data FILE [--doubt] [--around]`.

FILE is one of `tests.benchmarks.retrieval`. Each note has its day for a title, and in its text in figures alone, as in a diary.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch
from uuid import NAMESPACE_URL, uuid5

from memvault import Memvault
from memvault.core.query import IndexDocument, Word
from memvault.recall.ranking.question import read_note_question
from memvault.recall.ranking.weights import WEIGHTS, RankingWeights
from memvault.storage.index.search import open_backend
from memvault.storage.index.search.bm25 import BODY, CONTEXT, FIELDS, saturated_share
from memvault.text.markdown import split_passages
from memvault.text.terms import extract_terms
from tests.benchmarks.note_set import NONE, Question
from tests.benchmarks.note_set import notes as made_up_notes
from tests.benchmarks.note_set import questions as made_up_questions
from tests.benchmarks.notes import DEPTH, MEASURES, NOW, SURE, Ask, Row, document_of, gaps, means, row
from tests.benchmarks.retrieval import renamed

_OTHERS = 70  # questions of others that each conversation is asked
_LONG = 10  # turns, where the talk with an assistant would make one note of many pages

AROUND: Mapping[str, tuple[float, float]] = {
    "the passages around, 0.3": (0.3, 0.0),
    "the passages around, 0.6": (0.6, 0.0),
    "all other passages, 0.3": (0.0, 0.3),
    "all other passages, 0.6": (0.0, 0.6),
}


@dataclass(frozen=True, slots=True)
class Kept:
    """A conversation as notes, and what is asked of it."""

    notes: Mapping[str, tuple[str, str]]  # by name: the day, and the text
    questions: tuple[Question, ...]
    speakers: tuple[str, ...]


def main() -> None:
    """Run what is asked for, and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, nargs="+")
    parser.add_argument("--doubt", action="store_true", help="ask each what only others can answer")
    parser.add_argument("--around", action="store_true", help="let passages count by those around them")
    parser.add_argument("--every", type=int, default=1, help="ask every so many of the questions")
    chosen = parser.parse_args()
    if chosen.around:
        print("the made-up notes")
        compare_around([(_documents_of_notes(), _made_up())])
    for path in chosen.data:
        every = [kept(one, chosen.every) for one in json.loads(path.read_text(encoding="utf-8"))]
        print(f"{path.name}: {sum(len(one.notes) for one in every)} notes")
        if chosen.around:
            compare_around([(_documents(one), one.questions) for one in every])
        elif chosen.doubt:
            doubt(every)
        else:
            compare_spelling(every)


def kept(conversation: Mapping[str, Any], every: int = 1) -> Kept:
    """A conversation as notes: a sitting each, or ten turns of it where an assistant talks at length."""
    sittings: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for turn in conversation["turns"]:
        sittings[turn["session"]].append(turn)
    longest = _LONG if "assistant" in conversation["speakers"] else len(conversation["turns"])
    notes: dict[str, tuple[str, str]] = {}
    holding: dict[str, str] = {}
    for number, turns in enumerate(sittings.values()):
        for first in range(0, len(turns), longest):
            name, some = f"{number}-{first}", turns[first : first + longest]
            text = "\n\n".join(f"{turn['speaker']}: {turn['text']}" for turn in some)
            notes[name] = (some[0].get("time") or "")[:10], text
            holding |= {turn["id"]: name for turn in some}
    questions = tuple(
        Question("", one["category"], one["text"], frozenset(holding[turn] for turn in one["gold"]))
        for one in conversation["questions"][::every]
    )
    return Kept(notes, questions, tuple(conversation["speakers"]))


@contextmanager
def vault_of(one: Kept, *, weights: RankingWeights = WEIGHTS) -> Iterator[Ask]:
    """A vault of these notes."""
    names = {str(uuid5(NAMESPACE_URL, name)): name for name in one.notes}
    with TemporaryDirectory() as folder, patch.dict(read_note_question.__kwdefaults__, weights=weights):
        Memvault.init(Path(folder) / "vault", clock=lambda: NOW)
        place = Path(folder) / "vault" / "2-memories"
        place.mkdir(exist_ok=True)
        for id_, name in names.items():
            day, text = one.notes[name]
            (place / f"{name}.md").write_text(f"---\nid: {id_}\n---\n\n# {day}\n\n{text}\n", encoding="utf-8")
        with Memvault(Path(folder) / "vault", clock=lambda: NOW, environment={"HOME": folder}) as vault:
            vault.recall("warm")

            def ask(text: str) -> list[tuple[str, float]]:
                hits = vault.recall(text, limit=DEPTH, min_similarity=0.0, budget=100_000, fresh=True).hits
                return [(names[hit.memory.id], hit.similarity) for hit in hits]

            yield ask


def compare_spelling(every: Sequence[Kept]) -> None:
    """How well they are found, with days as a diary writes them and without."""
    rows: dict[str, list[Row]] = {"whole": [], "without": []}
    for one in every:
        for name, weights in (("whole", WEIGHTS), ("without", replace(WEIGHTS, written=0.0))):
            with vault_of(one, weights=weights) as ask:
                rows[name] += [row(ask(question.text), question) for question in one.questions]
    print("  ".join(f"{name} {value:.1f}" for name, value in zip(MEASURES, means(rows["whole"]), strict=True)))
    print(f"{'days written otherwise':28}{gaps(rows['without'], rows['whole'])}")


def doubt(every: Sequence[Kept]) -> None:
    """How often nothing is sure enough: of what has an answer, and of what only others can tell."""
    refused: dict[str, list[bool]] = defaultdict(list)
    for one in every:
        foreign = [(other, question.text) for other in every if other is not one for question in other.questions]
        with vault_of(one) as ask:
            refused["answerable"] += [_is_refused(ask, question.text) for question in one.questions]
            for other, text in foreign[:: max(1, len(foreign) // _OTHERS)]:
                refused["of another conversation"].append(_is_refused(ask, text))
                own = renamed(text, other.speakers, one.speakers)
                refused["the same with the names of here"].append(_is_refused(ask, own))
    for name, found in refused.items():
        print(f"{name + ', refused':44}{100 * fmean(found):6.1f} %")


def _is_refused(ask: Ask, text: str) -> bool:
    return not any(sure >= SURE for _, sure in ask(text))


# -- passages in the light of those around them


def compare_around(every: Sequence[tuple[Sequence[IndexDocument], Sequence[Question]]]) -> None:
    """Best passages as they are, and with what those around them say of words that they lack."""
    rows: dict[str, list[Row]] = defaultdict(list)
    for documents, questions in every:
        said = _Said(documents)
        for question in questions:
            earned = said.of(question.text)
            for name, (beside, anywhere) in {"alone": (0.0, 0.0), **AROUND}.items():
                rows[name].append(row(_order(documents, earned, beside, anywhere), question))
    print("  ".join(f"{name} {value:.1f}" for name, value in zip(MEASURES, means(rows["alone"]), strict=True)))
    for name in AROUND:
        print(f"{name:28}{gaps(rows['alone'], rows[name])}")


class _Said:
    """What the words of a question earn in the context and in each passage of some documents."""

    def __init__(self, documents: Sequence[IndexDocument]) -> None:
        self._folder = TemporaryDirectory()
        self._backend = open_backend("scan", Path(self._folder.name))
        self._backend.replace(documents, ())
        parts = [[*(getattr(one, name) for name in CONTEXT), *one.passages] for one in documents]
        self._terms = [[extract_terms(text) for text in texts] for texts in parts]

    def of(self, text: str) -> list[list[dict[Word, float]]]:
        """By document, by part."""
        question = read_note_question(text, now=NOW, people=(), near=self._backend.near)
        rarity = self._backend.rarity([term for word in question.words for term in _terms_of(word)])
        names = [*CONTEXT, BODY]
        averages = {name: self._average(place, name) for place, name in enumerate(names)}
        return [
            [
                _earned(part, names[min(place, len(CONTEXT))], question.words, rarity, averages)
                for place, part in enumerate(one)
            ]
            for one in self._terms
        ]

    def _average(self, place: int, name: str) -> float:
        lengths = [
            len(part) for one in self._terms for part in (one[place:] if name == BODY else one[place : place + 1])
        ]
        return fmean(lengths)


def _terms_of(word: Word) -> tuple[str, ...]:
    return (word.term, *(term for term, _ in word.others))


def _earned(
    part: Sequence[str], name: str, words: Sequence[Word], rarity: Mapping[str, float], averages: Mapping[str, float]
) -> dict[Word, float]:
    earned = {}
    for word in words:
        often = part.count(word.term) + sum(share * part.count(term) for term, share in word.others)
        if often:
            worth = word.weight * min(rarity[term] for term in _terms_of(word) if term in part)
            earned[word] = worth * saturated_share(often, len(part), averages[name], FIELDS[name])
    return earned


def _order(
    documents: Sequence[IndexDocument], earned: Sequence[Sequence[Mapping[Word, float]]], beside: float, anywhere: float
) -> list[tuple[str, float]]:
    scores: dict[str, float] = {}
    for document, parts in zip(documents, earned, strict=True):
        context, passages = parts[: len(CONTEXT)], parts[len(CONTEXT) :]
        best = max((_with_around(passages, at, beside, anywhere) for at in range(len(passages))), default=0.0)
        if score := best + sum(sum(part.values()) for part in context):
            scores[document.names.rpartition("\n")[2]] = score
    return sorted(scores.items(), key=lambda pair: -round(pair[1], 9))[:DEPTH]


def _with_around(passages: Sequence[Mapping[Word, float]], at: int, beside: float, anywhere: float) -> float:
    own = dict(passages[at])
    for place, other in enumerate(passages):
        share = max(beside if abs(place - at) == 1 else 0.0, anywhere)
        for word, value in other.items():
            own[word] = max(own.get(word, 0.0), share * value)
    return sum(own.values())


def _documents(one: Kept) -> list[IndexDocument]:
    found = []
    for number, (name, (day, text)) in enumerate(one.notes.items()):
        passages = tuple(text[part.start : part.end] for part in split_passages(text))
        found.append(IndexDocument(number, day, name, "", "", passages))
    return found


def _documents_of_notes() -> list[IndexDocument]:
    made = [document_of(number, note) for number, note in enumerate(made_up_notes())]
    return [replace(one, names=f"{one.names}\n{note.name}") for one, note in zip(made, made_up_notes(), strict=True)]


def _made_up() -> list[Question]:
    return [one for one in made_up_questions() if one.part == "development" and one.sort != NONE]


if __name__ == "__main__":
    main()
