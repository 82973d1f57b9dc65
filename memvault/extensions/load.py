"""Extensions that a person added: where they lie, and how their code is brought in; never out of a vault."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from memvault.core.value import Record
from memvault.errors import BadExtension, MemvaultError, Unreadable
from memvault.system import files

GROUP = "memvault.extensions"
"""The entry-point group that packages are found by."""

FOLDER, PROMPTS = "extensions", "prompts"
"""Below the person's config folder: modules of one file, and instructions for reviewers."""

FUNCTION = "extend"

ExtendFunction = Callable[[object], object]

_REVIEW, _ENDING = "review-", ".md"
_MAX_PROMPT = 50_000


class FileExtension(Record):
    """An extension that is one file in the person's config folder."""

    name: str
    path: Path

    @property
    def where(self) -> str:
        """Where it is to be mended."""
        return str(self.path)


class PackageExtension(Record):
    """An extension that came with an installed package."""

    name: str
    package: str
    value: str  # as the entry point has it: a module, or a module and a function

    @property
    def where(self) -> str:
        """Where it is to be mended."""
        return f"the package {self.package}: {self.value}"


ExtensionSource = FileExtension | PackageExtension


def load_extension(source: ExtensionSource, *, vault: Path | None) -> ExtendFunction:
    """Return the function by which an extension adds what it has; raise BadExtension, or whatever its code raises."""
    with redirect_stdout(sys.stderr):  # what it prints must not end up in the middle of an answer
        found = _load_file(source, vault) if isinstance(source, FileExtension) else _load_package(source, vault)
    if not callable(found):
        raise BadExtension(name=source.name, where=source.where, reason=f"it has no function {FUNCTION}(house)")
    return found


def describe_error(error: BaseException) -> str:
    """Return what somebody else's code raised, on one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:300].rstrip(": .")


# -- files


def find_files(folder: Path) -> Iterator[FileExtension]:
    """Yield the extensions that are files in a folder, none of them loaded."""
    try:
        names = os.listdir(folder)  # noqa: PTH208 - the one look that every command takes
    except OSError:
        return
    for name in sorted(names):
        stem, ending = os.path.splitext(name)  # noqa: PTH122 - names, not paths
        if ending == ".py" and not name.startswith(("_", ".")):
            yield FileExtension(stem, folder / name)


def _load_file(source: FileExtension, vault: Path | None) -> object:
    from importlib.util import module_from_spec, spec_from_file_location  # deferred: most people have no extensions

    _check_outside(source, [source.path], vault)
    name = f"memvault_extensions.{source.name}"
    spec = spec_from_file_location(name, source.path)
    if spec is None or spec.loader is None:
        raise BadExtension(name=source.name, where=source.where, reason="it is no Python file")
    module: ModuleType = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and the like look themselves up there
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return getattr(module, FUNCTION, None)


# -- packages


def find_packages(cache_folder: Path, vault: Path | None) -> tuple[PackageExtension, ...]:
    """Return what installed packages offer; looked up again only when something was installed or removed."""
    # Neither the folder we stand in nor one inside the vault is looked into: `python -m memvault` puts the current
    # folder first, and that may be a vault that somebody else made.
    here = ""
    with suppress(OSError):  # the folder we stand in may be gone
        here = os.getcwd()  # noqa: PTH109 - as sys.path has it
    roots = [root for root in (vault, vault and vault.resolve()) if root]
    named = (os.path.normpath(os.path.join(here, folder)) for folder in sys.path if folder)  # noqa: PTH118 - as above
    folders = [each for each in named if each != here and not any(_is_inside(each, root) for root in roots)]
    stamp = tuple((folder, changed) for folder in folders if (changed := _modified_at(folder)))
    return _cached_packages(stamp, cache_folder)


def _is_inside(path: str, vault: Path | None) -> bool:
    root = str(vault)
    return vault is not None and (path == root or path.startswith(root + os.sep))


def _modified_at(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns  # noqa: PTH116 - done at every start
    except OSError:
        return 0


@cache
def _cached_packages(stamp: tuple[tuple[str, int], ...], cache_folder: Path) -> tuple[PackageExtension, ...]:
    """Return what a file in the cache says of folders that did not change since; otherwise what the folders say."""
    folders = "\n".join(folder for folder, _ in stamp)
    path = cache_folder / FOLDER / files.digest(folders.encode(errors="surrogateescape"))[:16]
    mark = files.digest(repr(stamp).encode(errors="surrogateescape"))
    with suppress(MemvaultError, UnicodeError, TypeError):
        first, *lines = files.read_file(path).decode().split("\n") if path.exists() else [""]
        if first == mark:
            return tuple(PackageExtension(*line.split("\t")) for line in lines if line)
    found = tuple(_scan_packages([folder for folder, _ in stamp]))
    lines = [mark, *("\t".join((one.name, one.package, one.value)) for one in found)]
    with suppress(MemvaultError, OSError, UnicodeError):  # a cache that cannot be written costs time, nothing else
        files.make_folder(path.parent)
        files.overwrite_file(path, "\n".join(lines).encode())
    return found


def _scan_packages(folders: list[str]) -> Iterator[PackageExtension]:
    from importlib.metadata import distributions  # deferred: 15 ms, and the answer is kept

    found: dict[tuple[str, str], PackageExtension] = {}
    for distribution in distributions(path=folders):
        with suppress(Exception):  # damaged metadata of any package whatever is not our affair
            package = ""
            for entry in distribution.entry_points:
                if entry.group == GROUP:
                    package = package or str(distribution.metadata["Name"])
                    found.setdefault((package, entry.name), PackageExtension(entry.name, package, entry.value))
    yield from sorted(found.values(), key=lambda one: (one.name, one.package))


def _load_package(source: PackageExtension, vault: Path | None) -> object:
    from importlib.util import find_spec  # deferred, as above

    module, _, function = (part.strip() for part in source.value.partition(":"))
    spec = find_spec(module.partition(".")[0])
    if spec is not None:
        origin = [Path(spec.origin)] if spec.origin else []
        _check_outside(source, [*origin, *map(Path, spec.submodule_search_locations or ())], vault)
    found: object = import_module(module)
    for name in (function or FUNCTION).split("."):
        found = getattr(found, name, None)
    return found


def _check_outside(source: ExtensionSource, paths: list[Path], vault: Path | None) -> None:
    root = None if vault is None else vault.resolve()
    if any(_is_inside(str(path.resolve()), root) for path in paths):
        reason = "it lies inside the vault, and no code in a vault is ever run"
        raise BadExtension(name=source.name, where=source.where, reason=reason)


# -- instructions for reviewers


def find_prompts(config: Path) -> Iterator[tuple[str, Path]]:
    """Yield the reviewers that have a file of instructions in the person's config folder, by name."""
    try:
        paths = sorted((config / PROMPTS).glob(f"{_REVIEW}*{_ENDING}"))
    except OSError:
        return
    yield from ((path.name[len(_REVIEW) : -len(_ENDING)], path) for path in paths)


def read_prompt(path: Path) -> str:
    """Return the instructions in a file; otherwise Unreadable."""
    try:
        text = files.read_file(path).decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise Unreadable(path=path, reason="it is not text in UTF-8") from None
    if not text or len(text) > _MAX_PROMPT:
        raise Unreadable(path=path, reason=f"instructions are a text of 1 to {_MAX_PROMPT:,} characters")
    return text
