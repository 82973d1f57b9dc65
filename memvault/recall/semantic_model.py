"""Choose the model that finds by meaning, download it, and report its status."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from memvault.core.settings import SETTINGS, Settings
from memvault.errors import MemvaultError, VectorsNotInstalled
from memvault.models.embeddings.model2vec import DownloadPlan, has_model, plan_download
from memvault.open_vault import load_personal_settings, own_config_file
from memvault.recall.semantic import embed_missing, vector_sources
from memvault.storage.index.semantic import model_folder, open_semantic
from memvault.storage.vault.configure import configure
from memvault.storage.vault.context import VaultContext
from memvault.system import paths

USUAL_MODEL = "minishlab/potion-base-8M"
"""30 MB, English, MIT: small enough that it is loaded before anybody notices."""

_CHOICE = ("semantic.model", "semantic.url", "semantic.name", "semantic.key_env")
_PROBE = "what a model is asked to see whether it answers"


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticStatus:
    """The model that finds by meaning, whether it could, and how far its vectors are in one vault."""

    model: str
    url: str
    folder: str
    ready: bool
    problem: str = ""
    vectors: int = 0
    bytes: int = 0
    behind: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedResult:
    """The texts that were embedded just now, and everything that has vectors."""

    fresh: int
    vectors: int
    bytes: int


class SemanticChoice:
    """A person's choice of a model; it needs no vault."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._settings = load_personal_settings(environment)
        self._environment = environment
        self._cache = paths.cache_folder(environment)
        self._file = own_config_file(environment)

    @property
    def is_chosen(self) -> bool:
        """Return whether a model was chosen."""
        return bool(self._settings.text("semantic.model") or self._settings.text("semantic.url"))

    @property
    def chosen_settings(self) -> dict[str, str]:
        """Return the choice, by the names of the settings."""
        return {name: self._settings.text(name) for name in _CHOICE}

    def model_folder(self, name: str) -> Path:
        """Return the folder of a model, whether it is there yet or not."""
        return model_folder(name, self._cache)

    def is_here(self, name: str) -> bool:
        """Return whether a model is on this machine, whole."""
        return has_model(self.model_folder(name))

    def plan_download(self, name: str) -> DownloadPlan:
        """Return what is to be downloaded for a model; asks for the sizes, and nothing else."""
        return plan_download(name, self.model_folder(name), self._environment)

    def check_installed(self) -> None:
        """Raise NoVectors unless what models need is installed."""
        from importlib.util import find_spec

        if find_spec("numpy") is None or find_spec("model2vec") is None:
            from memvault.system.programs import install_command  # deferred: only where something is missing

            raise VectorsNotInstalled(name="for finding by meaning", command=install_command("semantic"))

    def choose(self, choice: Mapping[str, str], *, dry_run: bool = False) -> None:
        """Try a model or a server once, and save it as the chosen one if it answers."""
        wanted = {name: choice.get(name, "") for name in _CHOICE}
        where = str(self._file.path)
        given = {name: SETTINGS[name].accept(value, where=where) for name, value in wanted.items()}
        settings = Settings({**dict(self._settings.non_default()), **given})
        meaning = open_semantic(settings, self._environment, self._cache, only_if_loaded=False)
        assert meaning is not None
        meaning.embedder.embed_texts([_PROBE])
        self._write_settings(wanted, dry_run=dry_run)

    def disable(self, *, dry_run: bool = False) -> None:
        """Search by words alone again; the model stays where it is."""
        self._write_settings(dict.fromkeys(_CHOICE, ""), dry_run=dry_run)

    def status(self) -> SemanticStatus:
        """Return the status apart from any vault; no server is asked."""
        name, url = self._settings.text("semantic.model"), self._settings.text("semantic.url")
        problem = "" if url or not name or self.is_here(name) else "it is not on this machine"
        try:
            if self.is_chosen:
                self.check_installed()
        except MemvaultError as error:
            problem = problem or str(error.data["reason"])
        return SemanticStatus(
            model=self._settings.text("semantic.name") if url else name,
            url=url,
            folder="" if url or not name else str(self.model_folder(name)),
            ready=self.is_chosen and not problem,
            problem=problem,
        )

    def _write_settings(self, wanted: Mapping[str, str], *, dry_run: bool) -> None:
        for name, value in wanted.items():
            configure(self._file, name, value or None, dry_run=dry_run)


def embed_all(context: VaultContext, progress: Callable[[int, int], None]) -> EmbedResult:
    """Embed everything in a vault that has no vector yet."""
    meaning = context.open_semantic() if context.open_semantic is not None else None
    fresh = vectors = size = 0
    for shelf in vector_sources(context, meaning) if meaning is not None else ():
        fresh += embed_missing(shelf, meaning.embedder, progress=progress) if meaning is not None else 0
        vectors += len(shelf.vectors.keys)
        size += shelf.vectors.size
    return EmbedResult(fresh=fresh, vectors=vectors, bytes=size)


def count_vectors(context: VaultContext) -> EmbedResult:
    """Return what has vectors in a vault, and in `fresh` how many texts have none yet."""
    meaning = context.open_semantic() if context.open_semantic is not None else None
    if meaning is None:
        return EmbedResult(fresh=0, vectors=0, bytes=0)
    sources = list(vector_sources(context, meaning))
    return EmbedResult(
        fresh=sum(len(source.missing_keys()) for source in sources),
        vectors=sum(len(source.vectors.keys) for source in sources),
        bytes=sum(source.vectors.size for source in sources),
    )
