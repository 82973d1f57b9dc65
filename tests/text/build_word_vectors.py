"""Make the table of word vectors that memvault ships, out of a sentence encoder's own words.

`python -m tests.text.build_word_vectors FOLDER` reads `vocab.txt` and `model.safetensors` of all-MiniLM-L6-v2
(Apache-2.0) from a folder and writes `memvault/text/statements/word_vectors.bin`. It needs numpy and safetensors.

Each whole English word of the encoder's vocabulary is encoded as a text of its own. The 64 directions in which words
differ most are kept, four bits each. A word's vector is as long as the word is telling: the vocabulary stands in the
order of frequency, and a word of rank r occurs about 0.1 / r of the time.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file

from memvault.text.statements.word_vectors import DIMENSIONS, TABLE

BATCH, HEADS, LAYERS = 256, 12, 6
BEGIN, END = "[CLS]", "[SEP]"
COMMON = 1e-4  # the frequency at which a word counts for half
LEVELS = 7


def main(folder: Path) -> None:
    """Write the table."""
    vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    numbers = {word: number for number, word in enumerate(vocabulary)}
    words = [word for word in vocabulary if re.fullmatch("[a-z]{2,}", word)]
    weights = {name: value.astype(np.float32) for name, value in load_file(folder / "model.safetensors").items()}
    rows = np.array([[numbers[BEGIN], numbers[word], numbers[END]] for word in words])
    vectors = np.vstack([encode_rows(weights, rows[at : at + BATCH]) for at in range(0, len(rows), BATCH)])
    vectors -= vectors.mean(0)
    reduced = vectors @ np.linalg.svd(vectors, full_matrices=False)[2][:DIMENSIONS].T
    largest = np.abs(reduced).max(1, keepdims=True)
    frequency = 0.1 / np.arange(1, len(words) + 1)
    scales = largest[:, 0] / LEVELS * COMMON / (COMMON + frequency)
    levels = (np.round(reduced / largest * LEVELS) + LEVELS + 1).astype(np.uint8)
    packed = (levels[:, 0::2] << 4 | levels[:, 1::2]).astype(np.uint8)
    TABLE.write_bytes("\n".join(words).encode() + b"\n\n" + scales.astype("<f2").tobytes() + packed.tobytes())
    print(f"{len(words):,} words, {TABLE.stat().st_size:,} bytes")


def encode_rows(weights: dict[str, Any], rows: Any) -> Any:
    """Return the encoder's vector of each row of token numbers, of length one."""
    count, length = rows.shape
    start = "embeddings."
    state = weights[f"{start}word_embeddings.weight"][rows] + weights[f"{start}position_embeddings.weight"][:length]
    state = normalize(weights, f"{start}LayerNorm", state + weights[f"{start}token_type_embeddings.weight"][0])
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        query, key, value = (
            apply(weights, f"{name}.attention.self.{part}", state).reshape(count, length, HEADS, -1).swapaxes(1, 2)
            for part in ("query", "key", "value")
        )
        scores = np.exp(query @ key.swapaxes(2, 3) / sqrt(query.shape[-1]))
        mixed = (scores / scores.sum(-1, keepdims=True) @ value).swapaxes(1, 2).reshape(count, length, -1)
        attended = state + apply(weights, f"{name}.attention.output.dense", mixed)
        state = normalize(weights, f"{name}.attention.output.LayerNorm", attended)
        widened = apply(weights, f"{name}.intermediate.dense", state)
        narrowed = apply(weights, f"{name}.output.dense", widened * (1 + erf(widened / sqrt(2))) / 2)
        state = normalize(weights, f"{name}.output.LayerNorm", state + narrowed)
    found = state.mean(1)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def apply(weights: dict[str, Any], name: str, state: Any) -> Any:
    """Return a linear layer's output."""
    return state @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def normalize(weights: dict[str, Any], name: str, state: Any) -> Any:
    """Return a normalized layer."""
    centered = state - state.mean(-1, keepdims=True)
    scaled = centered / np.sqrt((centered**2).mean(-1, keepdims=True) + 1e-12)
    return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def erf(values: Any) -> Any:
    """Return the error function, to seven digits."""
    near = 1 / (1 + 0.3275911 * np.abs(values))
    terms: Iterator[float] = iter((1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592))
    total = next(terms)
    for term in terms:
        total = total * near + term
    return np.sign(values) * (1 - total * near * np.exp(-(values**2)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
