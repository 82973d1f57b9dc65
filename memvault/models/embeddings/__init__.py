"""What turns texts into vectors that lie near each other where they mean the like: one protocol, one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows: TypeAlias = NDArray[np.float32]

NEEDS_EXTRA = "it needs what `pip install 'memvault[semantic]'` brings"


@dataclass(frozen=True, slots=True)
class Source:
    """What an embedder is made from: a model's name and folder, or a server with what to ask it for."""

    environment: Mapping[str, str]
    name: str
    folder: Path | None = None
    url: str = ""
    key_env: str = ""
    seconds: float = 2.0


class Embedder(Protocol):
    """A model that gives vectors; whatever keeps it from that, it says as NoVectors."""

    @property
    def mark(self) -> str:
        """Which model it is: vectors of one are nothing to those of another."""

    @property
    def at_once(self) -> int:
        """How many texts it may be given while somebody waits for an answer."""

    @property
    def is_loaded(self) -> bool:
        """Whether the next text costs no more than a moment."""

    def embed(self, texts: Sequence[str]) -> Rows:
        """A row of length one for each text, and one of zeros for a text that it knows nothing of."""


Maker = Callable[[Source], Embedder]


def _from(module: str) -> Maker:
    def make(source: Source) -> Embedder:
        maker: Maker = import_module(f"memvault.models.embeddings.{module}").make
        return maker(source)

    return make


# Each is imported when texts are to be embedded: what they stand on takes longer to load than a whole recall.
EMBEDDERS: Mapping[str, Maker] = MappingProxyType({"model2vec": _from("model2vec"), "openai": _from("openai")})


def embedder(source: Source) -> Embedder:
    """The embedder of a source: the server where one is named, else the model in its folder."""
    return EMBEDDERS["openai" if source.url else "model2vec"](source)
