"""A static model in a folder of this machine, through model2vec: no network, no graphics card, a moment for a text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memvault.errors import NoVectors
from memvault.models.embeddings import NEEDS_EXTRA, Source

if TYPE_CHECKING:
    from memvault.models.embeddings import Rows

FILES = ("config.json", "tokenizer.json", "model.safetensors")  # data alone: none of them can hold code
_AT_ONCE = 5_000
_LONGEST = 8_000  # characters: of a longer text the beginning has to do


class Model2Vec:
    """A model that is read when the first text is to be embedded."""

    at_once = _AT_ONCE

    def __init__(self, source: Source) -> None:
        self._name = source.name
        self._folder = source.folder
        self._model: Any = None

    @property
    def mark(self) -> str:
        """The model's name, and the size and age of its files: a folder may be given another model."""
        found = [path.stat() for path in self._paths()]
        return " ".join((self._name, *(f"{each.st_size}.{each.st_mtime_ns}" for each in found)))

    @property
    def is_loaded(self) -> bool:
        """Whether it was read already."""
        return self._model is not None

    def embed(self, texts: Sequence[str]) -> Rows:
        """A row of length one for each text, and one of zeros for a text whose words it does not know."""
        if self._model is None:
            self._model = self._loaded()
        from memvault.models.embeddings import unit_rows

        try:
            found = self._model.encode([text[:_LONGEST] for text in texts], use_multiprocessing=False)
        except Exception as error:  # noqa: BLE001, RUF100 - whatever somebody else's model raises
            raise NoVectors(name=self._name, reason=f"it fails ({type(error).__name__})") from None
        return unit_rows(found.reshape(len(texts), -1))

    def _loaded(self) -> Any:
        self._paths()
        try:
            from model2vec import StaticModel
        except ImportError:
            raise NoVectors(name=self._name, reason=NEEDS_EXTRA) from None
        try:
            return StaticModel.from_pretrained(str(self._folder))
        except Exception as error:  # noqa: BLE001, RUF100 - files may be damaged in any way
            raise NoVectors(name=self._name, reason=f"its files are damaged ({type(error).__name__})") from None

    def _paths(self) -> list[Path]:
        paths = [self._folder / name for name in FILES] if self._folder else []
        if not paths or not all(path.is_file() for path in paths):
            raise NoVectors(name=self._name, reason="it is not on this machine")
        return paths


def make(source: Source) -> Model2Vec:
    """The model of a folder."""
    return Model2Vec(source)
