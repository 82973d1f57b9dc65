"""The semantic model that a vault's settings name, and its vectors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.core.settings import Settings
from memvault.errors import VectorsNotInstalled
from memvault.models.embeddings import Embedder, EmbeddingSource, create_embedder
from memvault.system import files

if TYPE_CHECKING:
    from memvault.storage.index.vectors import VectorStore

_REST = timedelta(minutes=1)  # before a failed model is asked again


@dataclass(slots=True)
class SemanticIndex:
    """The chosen model: loaded when first asked, and left alone for a while after a failure."""

    embedder: Embedder
    weight: float
    only_if_loaded: bool = False  # used only if loaded already
    _paused_until: datetime | None = None
    _vectors: dict[Path, VectorStore] = field(default_factory=dict)
    filled_states: dict[Path, object] = field(default_factory=dict)  # folder -> index state with all vectors

    def is_available(self, now: datetime) -> bool:
        """Return whether it may be asked at this moment."""
        is_resting = self._paused_until is not None and now < self._paused_until
        return not is_resting and (self.embedder.is_loaded or not self.only_if_loaded)

    def pause(self, now: datetime) -> None:
        """Ask nothing for a while, after an error."""
        self._paused_until = now + _REST

    def open_vectors(self, folder: Path) -> VectorStore:
        """Return this model's vectors beside the index in a folder."""
        mark = self.embedder.model_id
        own = folder / "vectors" / files.digest(mark.encode())[:12]
        if own not in self._vectors:
            try:
                from memvault.storage.index.vectors import VectorStore
            except ImportError:
                from memvault.system.programs import install_command  # deferred: only where something is missing

                raise VectorsNotInstalled(name=mark.split(" ")[0], command=install_command("semantic")) from None
            self._vectors[own] = VectorStore(own, mark)
        return self._vectors[own]

    def is_current(self) -> bool:
        """Return whether it may be used again: a loaded model stays loaded."""
        return True

    def close(self) -> None:
        """Close the vector files."""
        for vectors in self._vectors.values():
            vectors.close()
        self._vectors.clear()
        self.filled_states.clear()


def open_semantic(
    settings: Settings, environment: Mapping[str, str], cache: Path, *, only_if_loaded: bool
) -> SemanticIndex | None:
    """Return the model of the settings; None where there is none."""
    name, url = settings.text("semantic.model"), settings.text("semantic.url")
    if not (name or url):
        return None
    folder = None if url else model_folder(name, cache)
    source = EmbeddingSource(
        environment=environment,
        name=settings.text("semantic.name") if url else name,
        folder=folder,
        url=url,
        key_env=settings.text("semantic.key_env"),
        seconds=settings.number("semantic.seconds"),
        hides_personal=settings.flag("screen.personal"),
    )
    return SemanticIndex(create_embedder(source), settings.number("semantic.weight"), only_if_loaded)


def model_folder(name: str, cache: Path) -> Path:
    """Return the folder of a model: the one its name is, or one in the cache."""
    return Path(name) if Path(name).is_absolute() else cache / "models" / name.replace("/", "--")
