"""What turns texts into vectors that lie near each other where they mean the like: one protocol, one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EmbeddingSource:
    """What an embedder is made from: a model's name and folder, or a server with what to ask it for."""

    environment: Mapping[str, str]
    name: str
    folder: Path | None = None
    url: str = ""
    key_env: str = ""
    seconds: float = 2.0
    hides_personal: bool = True


class Embedder(Protocol):
    """A model that gives vectors; whatever keeps it from that, it says as NoVectors."""

    @property
    def model_id(self) -> str:
        """Which model it is: vectors of one are nothing to those of another."""

    @property
    def interactive_limit(self) -> int:
        """How many texts it may be given while somebody waits for an answer."""

    @property
    def is_loaded(self) -> bool:
        """Whether the next text costs no more than a moment."""

    def embed_texts(self, texts: Sequence[str]) -> Rows:
        """A row of length one for each text, and one of zeros for a text that it knows nothing of."""


EmbedderFactory = Callable[[EmbeddingSource], Embedder]


def _load_factory(module: str, name: str) -> EmbedderFactory:
    def make_embedder(source: EmbeddingSource) -> Embedder:
        maker: EmbedderFactory = getattr(import_module(f"memvault.models.embeddings.{module}"), name)
        return maker(source)

    return make_embedder


# Each is imported when texts are to be embedded: what they stand on takes longer to load than a whole recall.
EMBEDDERS: Mapping[str, EmbedderFactory] = MappingProxyType(
    {"model2vec": _load_factory("model2vec", "Model2VecEmbedder"), "openai": _load_factory("openai", "OpenAIEmbedder")}
)


def create_embedder(source: EmbeddingSource) -> Embedder:
    """The embedder of a source: the server where one is named, else the model in its folder."""
    return EMBEDDERS["openai" if source.url else "model2vec"](source)


# Numbers as rows of length one, whoever gave them.


def normalize_rows(numbers: Any) -> Rows:
    """Rows of length one; what is no number counts nothing, and a row of nothing stays zeros."""
    import numpy as np  # deferred: it belongs to an extra, and `model semantic` works without

    rows = np.nan_to_num(np.atleast_2d(np.asarray(numbers, dtype=np.float32)), nan=0.0, posinf=0.0, neginf=0.0)
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    found: Rows = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0, casting="unsafe")
    return found
