"""A static model in a folder of this machine, through model2vec: no network, no graphics card, a moment for a text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memvault.errors import NoVectors
from memvault.models.embeddings import NEEDS_EXTRA, EmbeddingSource

if TYPE_CHECKING:
    from memvault.models.embeddings import Rows

FILES = ("config.json", "tokenizer.json", "model.safetensors")  # data alone: none of them can hold code
_INTERACTIVE_LIMIT = 5_000
_MAX_CHARACTERS = 8_000  # characters: of a longer text the beginning has to do


class Model2VecEmbedder:
    """A model that is read when the first text is to be embedded."""

    interactive_limit = _INTERACTIVE_LIMIT

    def __init__(self, source: EmbeddingSource) -> None:
        self._name = source.name
        self._folder = source.folder
        self._model: Any = None

    @property
    def model_id(self) -> str:
        """The model's name, and the size and age of its files: a folder may be given another model."""
        found = [path.stat() for path in self._find_files()]
        return " ".join((self._name, *(f"{each.st_size}.{each.st_mtime_ns}" for each in found)))

    @property
    def is_loaded(self) -> bool:
        """Whether it was read already."""
        return self._model is not None

    def embed_texts(self, texts: Sequence[str]) -> Rows:
        """A row of length one for each text, and one of zeros for a text whose words it does not know."""
        if self._model is None:
            self._model = self._load_model()
        from memvault.models.embeddings import normalize_rows

        try:
            found = self._model.encode([text[:_MAX_CHARACTERS] for text in texts], use_multiprocessing=False)
        except Exception as error:  # noqa: BLE001, RUF100 - whatever somebody else's model raises
            raise NoVectors(name=self._name, reason=f"it fails ({type(error).__name__})") from None
        return normalize_rows(found.reshape(len(texts), -1))

    def _load_model(self) -> Any:
        self._find_files()
        try:
            from model2vec import StaticModel
        except ImportError:
            raise NoVectors(name=self._name, reason=NEEDS_EXTRA) from None
        try:
            return StaticModel.from_pretrained(str(self._folder))
        except Exception as error:  # noqa: BLE001, RUF100 - files may be damaged in any way
            raise NoVectors(name=self._name, reason=f"its files are damaged ({type(error).__name__})") from None

    def _find_files(self) -> list[Path]:
        paths = [self._folder / name for name in FILES] if self._folder else []
        if not paths or not all(path.is_file() for path in paths):
            raise NoVectors(name=self._name, reason="it is not on this machine")
        return paths


def make_model2vec(source: EmbeddingSource) -> Model2VecEmbedder:
    """The model of a folder."""
    return Model2VecEmbedder(source)
