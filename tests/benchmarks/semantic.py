"""What finding by meaning adds to finding by words: `python -m tests.benchmarks.semantic --data FILE [--model FOLDER]`.

FILE is as for `tests.benchmarks.retrieval`. A model is a folder as model2vec writes it; one that knows nothing
(directions by chance) tells what a useless model costs.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from memvault.models.embeddings import EmbeddingSource, create_embedder, normalize_rows
from memvault.recall.ranking.question import read_question
from memvault.recall.ranking.turns import ScoredUnit, score_units
from memvault.recall.semantic import NEAREST, WORD_CANDIDATES, best_by_group, fuse_turns
from memvault.storage.index.vectors import VectorStore
from memvault.text.stem import stem
from memvault.text.terms import query_tokens
from tests.benchmarks.engines import LIMIT, NOW, Ours, turns_of
from tests.benchmarks.recalled import BUDGETS, MEASURES, SHOWN, Hit, Row, content, gaps, means, measured

WEIGHTS = (0.5, 1.0, 2.0, 4.0)

Embed = Callable[[Sequence[str]], Any]
Order = Callable[[list[ScoredUnit], dict[int, float]], list[int]]


def main() -> None:
    """Compare on each file, and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, nargs="+")
    parser.add_argument("--model", type=Path)
    chosen = parser.parse_args()
    models: dict[str, Embed] = {"a model of chance": by_chance()}
    if chosen.model:
        models = {
            chosen.model.name: create_embedder(
                EmbeddingSource(environment={}, name="", folder=chosen.model.resolve())
            ).embed_texts,
            **models,
        }
    for path in chosen.data:
        conversations = json.loads(path.read_text(encoding="utf-8"))
        for name, embed in models.items():
            print(f"\n{path.name}, {name}")
            compare(conversations, embed)


def compare(conversations: Sequence[Mapping[str, Any]], embed: Embed) -> dict[str, list[Row]]:
    """Words alone, meaning alone, and both in several ways, over the same questions."""
    rows: dict[str, list[Row]] = {}
    times: list[float] = []
    for conversation in conversations:
        ours = Ours(turns_of(conversation))
        shelf = ours.shelf
        said = {turn["id"]: content(turn["text"]) for turn in conversation["turns"]}
        speakers = [turn["speaker"] for turn in conversation["turns"]]
        texts = [
            text if role else f"{speakers[turn]}: {text}"
            for text, turn, role in zip(shelf.texts, shelf.turns, shelf.roles, strict=True)
        ]
        vectors = _in_memory(texts, embed)
        for question in conversation["questions"]:
            found = score_units(read_question(question["text"], now=NOW), shelf, limit=WORD_CANDIDATES)
            began = perf_counter()
            near = vectors.nearest_keys(
                range(len(texts)), embed([question["text"]]), count=NEAREST, also=[one.unit for one in found]
            )
            fuse_turns(found, near, weight=1.0, turns=shelf.turns, limit=LIMIT)
            times.append(1_000 * (perf_counter() - began))
            wanted = {stem(token) for token in query_tokens(question["text"])}
            for name, order in _ways(shelf.turns).items():
                hits = [Hit(shelf.ids[unit], ours._shown(unit, wanted)) for unit in order(found, near)[:LIMIT]]
                rows.setdefault(name, []).append(measured(hits, set(question["gold"]), said))
    _print(rows, times)
    return rows


def _ways(turns: Sequence[int]) -> dict[str, Order]:
    def add(weight: float) -> Order:
        return lambda found, near: [
            one.unit for one in fuse_turns(found, near, weight=weight, turns=turns, limit=LIMIT)
        ]

    return {
        WORDS: lambda found, _: [one.unit for one in found],
        "meaning alone": lambda _, near: [unit for unit, _ in best_by_group(near, turns.__getitem__, limit=LIMIT)],
        **{f"scores added, weight {weight:g}": add(weight) for weight in WEIGHTS},
    }


WORDS = "words alone"


def _print(rows: Mapping[str, Sequence[Row]], times: Sequence[float]) -> None:
    told = "  ".join(f"{name} {value:.1f}" for name, value in zip(MEASURES, means(rows[WORDS]), strict=True))
    print(f"{WORDS:30}{told}   ({median(times):.1f} ms for meaning)")
    for name in [name for name in rows if name != WORDS]:
        print(f"{name:30}{gaps(rows[WORDS], rows[name], {**SHOWN, len(BUDGETS): MEASURES[-1]})}")


def _in_memory(texts: Sequence[str], embed: Embed) -> VectorStore:
    """Vectors as they are kept beside an index, without the files."""

    class Held(VectorStore):
        def similarities(self, keys: Sequence[int], asked: Any) -> Any:
            return rows @ asked.reshape(-1)

    rows = embed(texts).astype(np.float16).astype(np.float32)
    return Held(Path("/nowhere"), "")


# -- models


def by_chance() -> Embed:
    """Each text somewhere, and no two like ones together."""
    chance = np.random.default_rng(1)
    return lambda texts: normalize_rows(chance.standard_normal((len(texts), 64)))


if __name__ == "__main__":
    main()
