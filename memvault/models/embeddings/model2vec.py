"""A static model in a folder of this machine, through model2vec, and how it is fetched."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from memvault.errors import MemvaultError, NotDownloaded, NoVectors, VectorsNotInstalled
from memvault.models.embeddings import EmbeddingSource
from memvault.system import files

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
            from memvault.system.programs import install_command  # deferred: only where something is missing

            raise VectorsNotInstalled(name=self._name, command=install_command("semantic")) from None
        try:
            return StaticModel.from_pretrained(str(self._folder))
        except Exception as error:  # noqa: BLE001, RUF100 - files may be damaged in any way
            raise NoVectors(name=self._name, reason=f"its files are damaged ({type(error).__name__})") from None

    def _find_files(self) -> list[Path]:
        paths = [self._folder / name for name in FILES] if self._folder else []
        if not paths or not all(path.is_file() for path in paths):
            raise NoVectors(name=self._name, reason="it is not on this machine")
        return paths


# Fetch a model from where models are shared: its size is asked for first, and what was cut off is resumed.

HOST = "https://huggingface.co"
HOST_VARIABLE = "HF_ENDPOINT"  # by which mirrors are named for everything that fetches from there

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
_CHUNK = 4 << 20
_WAIT = 30.0

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class DownloadPlan:
    """What is to be fetched: the model, whence and whither, and how many bytes each file has."""

    name: str
    host: str
    folder: Path
    sizes: Mapping[str, int]

    @property
    def total_bytes(self) -> int:
        """All bytes together."""
        return sum(self.sizes.values())


def is_model_name(text: str) -> bool:
    """Whether a text is the name of a shared model: WHO/WHICH."""
    return _NAME.fullmatch(text) is not None and ".." not in text


def has_model(folder: Path) -> bool:
    """Whether a folder holds a whole model."""
    return all((folder / name).is_file() for name in FILES)


def plan_download(name: str, folder: Path, environment: Mapping[str, str]) -> DownloadPlan:
    """What fetching a model would fetch; only the sizes are asked for."""
    host = environment.get(HOST_VARIABLE, "").rstrip("/") or HOST
    if not is_model_name(name) or urlsplit(host).scheme not in ("http", "https"):
        raise NotDownloaded(name=name, reason="it is no name such as minishlab/potion-base-8M")
    return DownloadPlan(name, host, folder, {each: _query_size(name, host, each) for each in FILES})


def download_model(plan: DownloadPlan, progress: Progress) -> None:
    """Fetch what is not there yet; a file gets its name once it is whole."""
    files.make_folder(plan.folder)
    done = 0
    for name, size in plan.sizes.items():
        target = plan.folder / name
        if not (target.is_file() and target.stat().st_size == size):
            _download_file(plan, name, lambda more, before=done: progress(before + more, plan.total_bytes))  # type: ignore[misc]
        done += size
        progress(done, plan.total_bytes)


def _download_file(plan: DownloadPlan, name: str, progress: Callable[[int], None]) -> None:
    size, target = plan.sizes[name], plan.folder / name
    part = target.with_name(f"{name}.part")
    have = part.stat().st_size if part.is_file() else 0
    if have > size:
        files.remove_file(part)
        have = 0
    try:
        if have < size:
            _resume_file(plan, name, part, have, progress)
        if part.stat().st_size != size:
            raise NotDownloaded(name=plan.name, reason=f"{name} ended early, or grew meanwhile")
        files.remove_file(target)
        files.move_file(part, target)
    except (OSError, HTTPException) as error:
        raise NotDownloaded(name=plan.name, reason=_explain_error(error, plan.host)) from None


def _resume_file(plan: DownloadPlan, name: str, part: Path, have: int, progress: Callable[[int], None]) -> None:
    """Read the rest of a file, in pieces that stay when the next one does not come."""
    with _open_url(plan.host, plan.name, name, start=have) as reply:
        if have and reply.status != 206:  # the server begins anew
            files.remove_file(part)
            have = 0
        while chunk := reply.read(_CHUNK):
            files.extend_at(part, chunk, at=have)
            have += len(chunk)
            if have > plan.sizes[name]:
                files.remove_file(part)
                raise NotDownloaded(name=plan.name, reason=f"{name} is longer than was said")
            progress(have)


def _query_size(name: str, host: str, file: str) -> int:
    try:
        with _open_url(host, name, file, method="HEAD") as reply:
            return int(reply.headers.get("Content-Length", ""))
    except ValueError:
        raise NotDownloaded(name=name, reason=f"{host} does not say how long {file} is") from None
    except MemvaultError:
        raise
    except (OSError, HTTPException) as error:
        raise NotDownloaded(name=name, reason=_explain_error(error, host)) from None


def _open_url(host: str, name: str, file: str, *, method: str = "GET", start: int = 0) -> HTTPResponse:
    headers = {"Accept-Encoding": "identity", "User-Agent": "memvault"}
    if start:
        headers["Range"] = f"bytes={start}-"
    url = f"{host}/{name}/resolve/main/{file}"
    reply: HTTPResponse = urlopen(Request(url, headers=headers, method=method), timeout=_WAIT)  # noqa: S310, RUF100 - checked above
    return reply


def _explain_error(error: Exception, host: str) -> str:
    """What went wrong, in words that help."""
    where = urlsplit(host).netloc
    match error:
        case HTTPError(code=401 | 403 | 404):
            return f"{where} has no model of that name that everybody may have"
        case HTTPError(code=code):
            return f"{where} reports an error (status {code})"
        case URLError() | TimeoutError() | ConnectionError():
            return f"{where} cannot be reached from here"
        case _:
            return f"the connection broke down ({type(error).__name__})"
