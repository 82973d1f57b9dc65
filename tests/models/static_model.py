"""A static model made on the spot: a handful of words, and vectors by which those of one meaning lie together."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

MEANINGS: Mapping[str, str] = {
    "vehicle": "car automobile vehicle truck sedan",
    "meal": "dinner supper meal food lasagna",
    "doctor": "doctor physician surgeon clinic hospital",
    "pet": "dog puppy hound poodle leash",
    "work": "office job work meeting desk",
    "code": "code program deploy server test",
}
DIMENSIONS = 16


def make_model(folder: Path, meanings: Mapping[str, str] = MEANINGS) -> Path:
    """Write such a model into a folder, as model2vec writes its own."""
    import numpy as np
    from model2vec import StaticModel
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.normalizers import Lowercase
    from tokenizers.pre_tokenizers import Whitespace

    rows = np.random.default_rng(7)
    vocabulary, vectors = {"[UNK]": 0}, [np.zeros(DIMENSIONS, np.float32)]
    for words in meanings.values():
        centre = rows.standard_normal(DIMENSIONS)
        for word in words.split():
            vocabulary[word] = len(vectors)
            vectors.append((centre + 0.1 * rows.standard_normal(DIMENSIONS)).astype(np.float32))
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = Lowercase(), Whitespace()
    StaticModel(np.stack(vectors), tokenizer, config={}, normalize=True).save_pretrained(folder)
    return folder
