"""What extensions add to memvault's own: the house that they are given, and the registries that come of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Never, TypeVar

from memvault.core.value import Record, replace
from memvault.errors import BadExtension, LostPart, MemvaultError, NoSuchPart
from memvault.extensions import load as extensions
from memvault.system.guard import ExtensionError, call_guarded

if TYPE_CHECKING:
    from memvault.core.kinds import Kind
    from memvault.core.secrets.screens import TriviaScreen
    from memvault.extensions.guards import Extension
    from memvault.models.llm.providers import ProviderFactory as ProviderMaker
    from memvault.storage.index.search import BackendMaker as BackendMaker

T = TypeVar("T")

_NAME = r"[a-z][a-z0-9_-]{1,30}"  # compiled when it is used: most people have no extensions


_NO_PARTS: Mapping[str, Never] = MappingProxyType({})


class Extensions(Record):
    """What all extensions together add, by name; and the extensions themselves."""

    kinds: Mapping[str, Kind] = _NO_PARTS
    reviewers: Mapping[str, str] = _NO_PARTS
    screens: Mapping[str, TriviaScreen] = _NO_PARTS
    providers: Mapping[str, ProviderMaker] = _NO_PARTS
    backends: Mapping[str, BackendMaker] = _NO_PARTS
    extensions: tuple[Extension, ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        """A sentence for each extension that was left out."""
        return tuple(found.problem for found in self.extensions if found.problem)

    def as_settings(self) -> dict[str, Kind]:
        """Return the kinds as settings are given them."""
        return {f"kinds.{name}": kind for name, kind in self.kinds.items()}


class _RefusedPart(ValueError):
    """Why something cannot be added, as the person who wrote the extension is told it."""


class ExtensionRegistry:
    """What an extension is given: a method for each sort of thing that it may add."""

    def __init__(self, before: Extensions) -> None:
        self._before = before
        self._kinds: dict[str, Kind] = {}
        self._reviewers: dict[str, str] = {}
        self._screens: dict[str, TriviaScreen] = {}
        self._providers: dict[str, ProviderMaker] = {}
        self._backends: dict[str, BackendMaker] = {}
        self._adds: list[str] = []

    def kind(self, kind: Kind) -> None:
        """Add a kind of memory."""
        from memvault.extensions import guards  # deferred: an extension pays for what it adds

        others = {**self._before.kinds, **self._kinds}
        if reason := guards.find_kind_problem(kind, others.values()):
            raise _RefusedPart(f"the kind {getattr(kind, 'name', kind)!r} will not do: {reason}")
        self._add_part("kind", kind.name, guards.guard_kind(kind), self._kinds, guards.OWN_KINDS, self._before.kinds)

    def reviewer(self, name: str, prompt: str) -> None:
        """Add a reviewer: what a language model is told about how to judge a text."""
        from memvault.models.llm.prompts import read_reviewers  # deferred, as above

        if not isinstance(prompt, str) or not prompt.strip():
            raise _RefusedPart(f"the reviewer {name!r} has no instructions")
        self._add_part("reviewer", name, prompt.strip(), self._reviewers, read_reviewers(), self._before.reviewers)

    def screen(self, name: str, function: TriviaScreen) -> None:
        """Add a screen: a function that says why a text is not to be kept, or nothing."""
        from memvault.core.secrets.screens import TRIVIA_SCREENS
        from memvault.extensions import guards  # deferred, as above

        self._check_callable("screen", name, function)
        self._add_part(
            "screen", name, guards.guard_screen(name, function), self._screens, TRIVIA_SCREENS, self._before.screens
        )

    def provider(self, name: str, maker: ProviderMaker) -> None:
        """Add a way to a language model, made when it is to be asked."""
        from memvault.models.llm.providers import (
            PROVIDERS,  # deferred, as above
            guard_factory,
        )

        self._check_callable("provider", name, maker)
        self._add_part("provider", name, guard_factory(name, maker), self._providers, PROVIDERS, self._before.providers)

    def backend(self, name: str, maker: BackendMaker) -> None:
        """Add a search backend, made when a vault is opened that is to be searched by it."""
        from memvault.storage.index.search import BACKENDS  # deferred, as above

        self._check_callable("backend", name, maker)
        self._add_part("backend", name, maker, self._backends, BACKENDS, self._before.backends)

    def _add_part(
        self, sort: str, name: str, thing: T, mine: dict[str, T], ours: Iterable[str], others: Iterable[str]
    ) -> None:
        if not isinstance(name, str) or not re.fullmatch(_NAME, name):
            raise _RefusedPart(f"{name!r} is no name for a {sort}: a word of small letters, digits, - and _")
        if name in ours:
            raise _RefusedPart(f"memvault has a {sort} named {name} itself")
        if name in mine or name in others:
            raise _RefusedPart(f"there is another {sort} named {name} already")
        mine[name] = thing
        self._adds.append(f"{sort} {name}")

    def _check_callable(self, sort: str, name: str, given: object) -> None:
        if not callable(given):
            raise _RefusedPart(f"the {sort} {name!r} must be a function or a class, not {type(given).__name__}")

    def collect_extensions(self, source: extensions.ExtensionSource) -> Extensions:
        """Return what there was before, and what this extension adds to it."""
        from memvault.extensions.guards import Extension  # deferred: most people have no extensions

        before = self._before
        return Extensions(
            kinds={**before.kinds, **self._kinds},
            reviewers={**before.reviewers, **self._reviewers},
            screens={**before.screens, **self._screens},
            providers={**before.providers, **self._providers},
            backends={**before.backends, **self._backends},
            extensions=(*before.extensions, Extension(source.name, source.where, tuple(self._adds))),
        )


NO_EXTENSIONS = Extensions()


def load_extensions(config: Path, cache: Path, *, vault: Path | None = None) -> Extensions:
    """Return what the extensions of this person add; each is taken whole or not at all, and none stops another."""
    found = NO_EXTENSIONS
    for source in extensions.find_sources(config, cache, vault=vault):
        found = _add_extension(source, found, vault)
    return found


def _add_extension(source: extensions.ExtensionSource, before: Extensions, vault: Path | None) -> Extensions:
    house = ExtensionRegistry(before)
    done = call_guarded(lambda: extensions.load_extension(source, vault=vault)(house))
    if not isinstance(done, ExtensionError):
        return house.collect_extensions(source)
    if isinstance(done.error, BadExtension):
        return _add_failure(source, before, done.error)
    reason = str(done.error) if isinstance(done.error, _RefusedPart) else extensions.describe_error(done.error)
    return _add_failure(source, before, BadExtension(name=source.name, where=source.where, reason=reason))


def _add_failure(source: extensions.ExtensionSource, before: Extensions, error: MemvaultError) -> Extensions:
    from memvault.extensions.guards import Extension  # deferred: most people have no extensions

    missing = Extension(source.name, source.where, problem=str(error))
    return replace(before, extensions=(*before.extensions, missing))


# -- reviewers


def list_reviewers(config: Path, added: Extensions) -> tuple[dict[str, str], tuple[Extension, ...]]:
    """What every reviewer is told, ours first, then those of extensions and of files; and how the files stand."""
    from memvault.extensions.guards import Extension  # deferred, and what a text is reviewed by
    from memvault.models.llm.prompts import read_reviewers as ours

    known = {**ours(), **added.reviewers}
    files = []
    for name, path in extensions.find_prompts(config):
        house = ExtensionRegistry(replace(NO_EXTENSIONS, reviewers=known))
        try:
            house.reviewer(name, extensions.read_prompt(path))
        except (MemvaultError, _RefusedPart) as error:
            files.append(Extension(name, str(path), problem=_describe_problem(name, path, error)))
            continue
        known = {**house.collect_extensions(extensions.FileExtension(name, path)).reviewers}
        files.append(Extension(name, str(path), (f"reviewer {name}",)))
    return known, tuple(files)


def list_prompt_files(config: Path, added: Extensions) -> tuple[Extension, ...]:
    """Return how the files of instructions stand."""
    return list_reviewers(config, added)[1] if any(extensions.find_prompts(config)) else ()


def _describe_problem(name: str, path: Path, error: Exception) -> str:
    return str(error) if isinstance(error, MemvaultError) else str(BadExtension(name=name, where=path, reason=error))


# -- what a setting names


EXTENSIBLE_SETTINGS = ("index.backend", "model.provider")


def check_part(name: str, value: str | None, added: Extensions) -> None:
    """Nothing, if a setting names something that there is; otherwise NoSuchPart."""
    if name not in EXTENSIBLE_SETTINGS or value is None:
        return
    sort, known = _list_parts(name, added)
    if value not in known:
        error = LostPart if added.problems else NoSuchPart  # what was left out has not told us what it would add
        way_out = " ".join(added.problems) or "docs/extending.md says how one is added."
        raise error(name=name, value=value, sort=sort, known=", ".join(known), way_out=way_out)


def _list_parts(name: str, added: Extensions) -> tuple[str, tuple[str, ...]]:
    if name == "index.backend":
        from memvault.storage.index.search import BACKENDS  # deferred: each where it is asked for

        return "search backend", (*BACKENDS, *added.backends)
    from memvault.models.llm.providers import PROVIDERS

    return "provider", (*PROVIDERS, *added.providers)


def list_providers(name: str, added: Extensions) -> Mapping[str, ProviderMaker]:
    """Return every provider there is; where there is none of the wanted name, one of that name that only says so."""
    from memvault.models.llm.providers import PROVIDERS  # deferred: most commands ask nobody

    known = {**PROVIDERS, **added.providers}
    if name in known:
        return known
    from memvault.models.llm.ask import Failure
    from memvault.models.llm.providers import GuardedProvider

    # A model that is missing is no error: rules judge in its place.
    detail = f"there is no provider named {name}: there are {', '.join(known)}"
    if added.problems:
        why = " ".join(added.problems).rstrip(".")
        detail = f"the provider {name} may be of an extension that could not be loaded. {why}"
    missing = GuardedProvider(name, Failure("unset", detail))
    return {**known, name: lambda _setup: missing}
