"""How well notes are found: `python -m tests.benchmarks.notes [--part held_out] [--by-category] [--ablate] [--misses]`.

Times are of the whole way (reading the question, searching, opening the files of the hits, what contradicts what), and of
the search alone, which is what the others do.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory
from types import MappingProxyType, ModuleType
from unittest.mock import patch

from memvault import Memvault
from memvault.core.query import IndexDocument
from memvault.recall.ranking import question as rules
from memvault.recall.ranking.question import day_bonus, read_note_question
from memvault.recall.ranking.weights import WEIGHTS, RankingWeights
from memvault.storage.index import search as backends
from memvault.storage.index.search import open_backend
from memvault.storage.index.search.bm25 import FIELDS, FieldWeight
from memvault.text.markdown import split_passages
from tests.benchmarks.engines import SEARCHES, Search
from tests.benchmarks.measuring import cpu_ms
from tests.benchmarks.note_set import ALIASES, NONE, PARTS, Note, Question, notes, questions, write
from tests.benchmarks.recalled import gaps, means

NOW = datetime(2025, 6, 30, 12, tzinfo=UTC)
DEPTH = 10
SURE = 0.4
MEASURES = ("R@1", "R@5", "MRR")
NUMBERED = dict(enumerate(MEASURES))
OURS, ALONE = "memvault", "search alone"

Found = list[tuple[str, float]]  # names of notes, best first, each with how sure that is
Ask = Callable[[str], Found]
Row = tuple[float, float, float]

WITHOUT: Mapping[str, RankingWeights] = MappingProxyType(
    {
        "words that belong together": replace(WEIGHTS, irregular=0.0, kin=0.0, member=0.0),
        "… irregular forms": replace(WEIGHTS, irregular=0.0),
        "… near synonyms": replace(WEIGHTS, kin=0.0),
        "… things of a kind": replace(WEIGHTS, member=0.0),
        "near spellings": replace(WEIGHTS, near=0.0),
        "numbers and days otherwise": replace(WEIGHTS, written=0.0),
        "vague question words": replace(WEIGHTS, vague=1.0),
    }
)
ALL_ALIKE = dict.fromkeys(FIELDS, FieldWeight(1.0, 0.6))


def main() -> None:
    """Ask all, and print what they find."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=PARTS, default=PARTS[0])
    parser.add_argument("--by-category", action="store_true")
    parser.add_argument("--misses", action="store_true", help="which of the questions to tune by have other first hits")
    parser.add_argument("--speed", type=int, default=1, help="how often each question is timed")
    parser.add_argument("--ablate", action="store_true", help="leave one ingredient out at a time")
    chosen = parser.parse_args()
    every = [question for question in questions() if question.part == chosen.part]
    told = [question for question in every if question.sort != NONE]
    print(f"{chosen.part}: {len(notes())} notes, {len(told)} questions with answers, {len(every) - len(told)} without")
    if chosen.ablate:
        ablate(told)
        return
    with engines() as made:
        found = {name: [ask(question.text) for question in told] for name, ask in made.items()}
        rows = {name: [row(hits, question) for hits, question in zip(found[name], told, strict=True)] for name in made}
        _print_means(rows, times(made, told, chosen.speed))
        _print_doubt(found[OURS], [made[OURS](question.text) for question in every if question.sort == NONE], told)
        if chosen.by_category:
            _print_categories(rows, told)
        if chosen.misses and chosen.part == PARTS[0]:
            _print_misses(found[OURS], made[OURS], every)


@contextmanager
def engines() -> Iterator[Mapping[str, Ask]]:
    """Four that search the same notes."""
    with TemporaryDirectory() as folder, ours(Path(folder) / "ours") as ask:
        yield {
            OURS: ask,
            ALONE: _search_alone(Path(folder) / "alone"),
            **{name: _named(search(note.plain for note in notes())) for name, search in SEARCHES.items()},
        }


@contextmanager
def ours(folder: Path, people: tuple[str, ...] = ALIASES) -> Iterator[Ask]:
    """A vault of these notes, asked as a program asks it that runs on."""
    home = {"HOME": str(folder)}
    Memvault.init(folder / "vault", clock=lambda: NOW)
    write(folder / "vault")
    names = {note.id: note.name for note in notes()}
    given = {"people.aliases": people}
    with Memvault(folder / "vault", clock=lambda: NOW, environment=home, settings=given) as vault:
        vault.recall("warm")

        def ask(text: str) -> Found:
            hits = vault.recall(text, limit=DEPTH, min_similarity=0.0, budget=100_000, fresh=True).hits
            return [(names[hit.memory.id], hit.similarity) for hit in hits]

        yield ask


def _search_alone(folder: Path) -> Ask:
    backend = open_backend("whoosh", folder)
    backend.replace((document_of(number, note) for number, note in enumerate(notes())), ())

    def ask(text: str) -> Found:
        question = read_note_question(text, now=NOW, people=ALIASES, near=backend.near)
        return [(notes()[match.number].name, 1.0) for match in backend.search(question.words, keep=None, limit=DEPTH)]

    return ask


def document_of(number: int, note: Note) -> IndexDocument:
    """A note as a search backend is given it."""
    passages = split_passages(note.body)
    headings = "\n".join(dict.fromkeys(passage.heading for passage in passages))
    names = "\n".join((*note.tags, *note.people, f"{note.day}-{note.name}"))
    return IndexDocument(
        number, note.title, names, "", headings, tuple(note.body[part.start : part.end] for part in passages)
    )


def _named(search: Search) -> Ask:
    return lambda text: [(notes()[number].name, 1.0) for number in search(text, DEPTH)]


def ablate(told: Sequence[Question]) -> None:
    """Ours, whole and with one ingredient left out at a time: what each is worth."""
    whole = _rows_with(told)
    print(
        f"{'everything':28}"
        + "".join(f"{name} {value:.1f}   " for name, value in zip(MEASURES, means(whole), strict=True))
    )
    for name, weights in WITHOUT.items():
        print(f"{name:28}{gaps(_rows_with(told, weights=weights), whole, NUMBERED)}")
    print(f"{'other names of people':28}{gaps(_rows_with(told, people=()), whole, NUMBERED)}")
    print(f"{'days of the question':28}{gaps(_rows_with(told, ahead=0.0), whole, NUMBERED)}")
    print(f"{'fields by their worth':28}{gaps(_rows_with(told, fields=ALL_ALIKE), whole, NUMBERED)}")


def _rows_with(
    told: Sequence[Question],
    *,
    weights: RankingWeights = WEIGHTS,
    people: tuple[str, ...] = ALIASES,
    ahead: float = rules.ON_THE_DAY,
    fields: Mapping[str, FieldWeight] = FIELDS,
) -> list[Row]:
    with TemporaryDirectory() as folder, ExitStack() as stack:
        stack.enter_context(patch.dict(read_note_question.__kwdefaults__, weights=weights))
        stack.enter_context(patch.object(rules, "day_bonus", lambda days: ahead and day_bonus(days)))
        for module in _weighing_fields():
            stack.enter_context(patch.object(module, "FIELDS", fields))
        ask = stack.enter_context(ours(Path(folder), people))
        return [row(ask(question.text), question) for question in told]


def _weighing_fields() -> list[ModuleType]:
    """All parts of the search that hold the table: one that was left out would weigh fields as before."""
    loaded = [module for name, module in sys.modules.items() if name.startswith(f"{backends.__name__}.")]
    return [module for module in loaded if getattr(module, "FIELDS", None) is FIELDS]


def row(hits: Found, question: Question) -> Row:
    """The share of the answers among the first one (or as many as there are) and five, and one over the first rank."""
    names = [name for name, _ in hits]
    few = max(1, len(question.gold))
    rank = next((place for place, name in enumerate(names, 1) if name in question.gold), 0)
    first, five = (len(question.gold.intersection(names[:most])) / few for most in (few, max(5, few)))
    return first, five, 1 / rank if rank else 0.0


def times(made: Mapping[str, Ask], asked: Sequence[Question], rounds: int) -> dict[str, list[float]]:
    """Milliseconds of CPU time for each question, the engines taking turns; of several rounds the fastest."""
    taken: dict[str, list[float]] = {name: [] for name in made}
    gc.collect()
    for question in asked:
        for name, ask in made.items():
            taken[name].append(min(cpu_ms(partial(ask, question.text)) for _ in range(rounds)))
    return taken


def _print_means(rows: Mapping[str, Sequence[Row]], taken: Mapping[str, list[float]]) -> None:
    print(f"{'':24}" + "".join(f"{name:>9}" for name in (*MEASURES, "p50 ms", "p95 ms")))
    for name, found in rows.items():
        spread = (median(taken[name]), sorted(taken[name])[int(0.95 * len(taken[name]))])
        print(f"{name:24}" + "".join(f"{value:9.1f}" for value in (*means(found), *spread)))
    for name in [name for name in rows if name != OURS]:
        print(f"{f'{OURS} over {name}':24}{gaps(rows[name], rows[OURS], NUMBERED)}")


def _print_doubt(told: Sequence[Found], none: Sequence[Found], asked: Sequence[Question]) -> None:
    """How often nothing is sure enough: of what has an answer, and of what has none."""
    refused = fmean(not any(sure >= SURE for _, sure in hits) for hits in told)
    wrong = fmean(
        not any(sure >= SURE and name in question.gold for name, sure in hits)
        for hits, question in zip(told, asked, strict=True)
    )
    silent = fmean(not any(sure >= SURE for _, sure in hits) for hits in none)
    print(
        f"at similarity {SURE}: nothing relevant for {100 * refused:.1f} % of the questions with answers "
        f"(the answer itself below it: {100 * wrong:.1f} %), and for {100 * silent:.1f} % of those without"
    )


def _print_categories(rows: Mapping[str, Sequence[Row]], asked: Sequence[Question]) -> None:
    print(f"{'R@5 (MRR)':16}{'n':>4}" + "".join(f"{name:>16}" for name in rows))
    for sort in dict.fromkeys(question.sort for question in asked):
        places = [place for place, question in enumerate(asked) if question.sort == sort]
        cells = (means([found[place] for place in places]) for found in rows.values())
        print(f"{sort:16}{len(places):4}" + "".join(f"{cell[1]:9.1f} ({cell[2]:4.1f})" for cell in cells))


def _print_misses(found: Sequence[Found], ask: Ask, asked: Sequence[Question]) -> None:
    told = [question for question in asked if question.sort != NONE]
    for hits, question in zip(found, told, strict=True):
        sure = next((f"{value:.2f}" for name, value in hits if name in question.gold), "-")
        if not hits or hits[0][0] not in question.gold or hits[0][1] < SURE:
            first = " ".join(f"{name}:{value:.2f}" for name, value in hits[:3])
            print(f"  {question.sort:10} {question.text!r} -> {first} | gold {','.join(question.gold)} {sure}")
    for question in asked:
        if question.sort == NONE and (hits := [hit for hit in ask(question.text) if hit[1] >= SURE]):
            print(f"  none       {question.text!r} -> {hits[:2]}")


if __name__ == "__main__":
    main()
