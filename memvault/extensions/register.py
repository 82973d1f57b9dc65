"""What extensions add to memvault's own: the house that they are given, and the registries that come of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Never, ParamSpec, TypeVar

from memvault.core.value import Record, replace
from memvault.errors import BadExtension, LostPart, MemvaultError, NoSuchPart
from memvault.extensions import load as extensions

if TYPE_CHECKING:
    from memvault.core.kinds import Kind
    from memvault.core.query import Ranking
    from memvault.core.secrets.screens import Captured, TriviaScreen
    from memvault.models.llm.model import ProviderFactory as ProviderMaker
    from memvault.storage.index.search import BackendMaker as BackendMaker

T = TypeVar("T")
Given = ParamSpec("Given")

_NAME = r"[a-z][a-z0-9_-]{1,30}"  # compiled when it is used: most people have no extensions


OWN_RANKINGS = ("words", "weighted")  # that need no extension
_NO_PARTS: Mapping[str, Never] = MappingProxyType({})


class Extension(Record):
    """A person's own addition: where it lies, and what it adds or why it was left out."""

    name: str
    where: str
    adds: tuple[str, ...] = ()
    problem: str = ""


class Extensions(Record):
    """What all extensions together add, by name; and the extensions themselves."""

    kinds: Mapping[str, Kind] = _NO_PARTS
    reviewers: Mapping[str, str] = _NO_PARTS
    screens: Mapping[str, TriviaScreen] = _NO_PARTS
    providers: Mapping[str, ProviderMaker] = _NO_PARTS
    backends: Mapping[str, BackendMaker] = _NO_PARTS
    rankings: Mapping[str, Ranking] = _NO_PARTS
    extensions: tuple[Extension, ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        """A sentence for each extension that was left out."""
        return tuple(found.problem for found in self.extensions if found.problem)


class _RefusedPart(ValueError):
    """Why something cannot be added, as the person who wrote the extension is told it."""


class ExtensionRegistry:
    """What an extension is given: a method for each sort of thing that it may add."""

    def __init__(self, before: Extensions, source: extensions.ExtensionSource) -> None:
        self._before = before
        self._source = source
        self._kinds: dict[str, Kind] = {}
        self._reviewers: dict[str, str] = {}
        self._screens: dict[str, TriviaScreen] = {}
        self._providers: dict[str, ProviderMaker] = {}
        self._backends: dict[str, BackendMaker] = {}
        self._rankings: dict[str, Ranking] = {}
        self._adds: list[str] = []

    def kind(self, kind: Kind) -> None:
        """Add a kind of memory."""
        from memvault.core.kinds import FIELDS, KINDS  # deferred: an extension pays for what it adds
        from memvault.core.memory import Memory

        others = {**self._before.kinds, **self._kinds}
        known = {*FIELDS, *Memory.__slots__, *(row.name for other in others.values() for row in other.fields)}
        if taken := [row.name for row in kind.fields if row.name in known]:
            raise _RefusedPart(f"there is a field named {taken[0]} already")
        fields = tuple(replace(row, read=self._name_errors(row.read)) for row in kind.fields)
        fill = None if kind.fill is None else self._name_errors(kind.fill)
        self._add_part("kind", kind.name, replace(kind, fields=fields, fill=fill), self._kinds, KINDS, others)

    def reviewer(self, name: str, prompt: str) -> None:
        """Add a reviewer: what a language model is told about how to judge a text."""
        from memvault.models.llm.ask import read_reviewers  # deferred, as above

        self._add_part("reviewer", name, prompt.strip(), self._reviewers, read_reviewers(), self._before.reviewers)

    def screen(self, name: str, function: TriviaScreen) -> None:
        """Add a screen: a function that says why a text is not to be kept, or nothing."""
        from memvault.core.secrets.screens import TRIVIA_SCREENS  # deferred, as above

        judge = self._name_errors(function)

        def judge_by_name(captured: Captured) -> str:
            reason = judge(captured)
            return f"{reason.rstrip('.')} (the screen {name})" if reason else ""

        self._add_part("screen", name, judge_by_name, self._screens, TRIVIA_SCREENS, self._before.screens)

    def provider(self, name: str, maker: ProviderMaker) -> None:
        """Add a way to a language model, made when it is to be asked."""
        from memvault.models.llm.model import PROVIDERS  # deferred, as above

        named = self._name_errors(maker)
        self._add_part("provider", name, named, self._providers, PROVIDERS, self._before.providers)

    def backend(self, name: str, maker: BackendMaker) -> None:
        """Add a search backend, made when a vault is opened that is to be searched by it."""
        from memvault.storage.index.search import BACKENDS  # deferred, as above

        self._add_part("backend", name, maker, self._backends, BACKENDS, self._before.backends)

    def ranking(self, name: str, function: Ranking) -> None:
        """Add an order of hits: a function of the question, the hits and the moment that returns ids, best first."""
        self._add_part(
            "ranking", name, self._name_errors(function), self._rankings, OWN_RANKINGS, self._before.rankings
        )

    def _name_errors(self, act: Callable[Given, T]) -> Callable[Given, T]:
        """Return a function of an extension, with whatever it raises as an error that names the extension."""

        def act_or_name(*given: Given.args, **named: Given.kwargs) -> T:
            try:
                return act(*given, **named)
            except MemvaultError:
                raise
            except Exception as error:
                reason = extensions.describe_error(error)
                raise BadExtension(name=self._source.name, where=self._source.where, reason=reason) from error

        return act_or_name

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

    def collect_extensions(self) -> Extensions:
        """Return what there was before, and what this extension adds to it."""
        before, source = self._before, self._source
        return Extensions(
            kinds={**before.kinds, **self._kinds},
            reviewers={**before.reviewers, **self._reviewers},
            screens={**before.screens, **self._screens},
            providers={**before.providers, **self._providers},
            backends={**before.backends, **self._backends},
            rankings={**before.rankings, **self._rankings},
            extensions=(*before.extensions, Extension(source.name, source.where, tuple(self._adds))),
        )


NO_EXTENSIONS = Extensions()


def load_extensions(config: Path, cache: Path, *, vault: Path | None = None) -> Extensions:
    """Return what the extensions of this person add; each is taken whole or not at all, and none stops another."""
    found = NO_EXTENSIONS
    sources: list[extensions.ExtensionSource] = [*extensions.find_packages(cache, vault)]
    for source in [*sources, *extensions.find_files(config / extensions.FOLDER)]:
        found = _add_extension(source, found, vault)
    return found


def _add_extension(source: extensions.ExtensionSource, before: Extensions, vault: Path | None) -> Extensions:
    registry = ExtensionRegistry(before, source)
    try:
        extensions.load_extension(source, vault=vault)(registry)
    except (Exception, SystemExit) as error:  # code of somebody else's: whatever it does, the rest goes on
        missing = Extension(source.name, source.where, problem=_describe_problem(source.name, source.where, error))
        return replace(before, extensions=(*before.extensions, missing))
    return registry.collect_extensions()


# -- reviewers


def list_reviewers(config: Path, added: Extensions) -> tuple[dict[str, str], tuple[Extension, ...]]:
    """What every reviewer is told, ours first, then those of extensions and of files; and how the files stand."""
    from memvault.models.llm.ask import read_reviewers as ours  # deferred: only what a text is reviewed by

    known = {**ours(), **added.reviewers}
    files = []
    for name, path in extensions.find_prompts(config):
        source = extensions.FileExtension(name, path)
        registry = ExtensionRegistry(replace(NO_EXTENSIONS, reviewers=known), source)
        try:
            registry.reviewer(name, extensions.read_prompt(path))
        except (MemvaultError, _RefusedPart) as error:
            files.append(Extension(name, str(path), problem=_describe_problem(name, str(path), error)))
            continue
        known = {**registry.collect_extensions().reviewers}
        files.append(Extension(name, str(path), (f"reviewer {name}",)))
    return known, tuple(files)


def list_prompt_files(config: Path, added: Extensions) -> tuple[Extension, ...]:
    """Return how the files of instructions stand."""
    return list_reviewers(config, added)[1] if any(extensions.find_prompts(config)) else ()


def _describe_problem(name: str, where: str, error: BaseException) -> str:
    if isinstance(error, MemvaultError):
        return str(error)
    reason = str(error) if isinstance(error, _RefusedPart) else extensions.describe_error(error)
    return str(BadExtension(name=name, where=where, reason=reason))


# -- what a setting names


EXTENSIBLE_SETTINGS = ("index.backend", "model.provider", "recall.ranking")


def check_part(name: str, value: str | None, added: Extensions) -> None:
    """Nothing, if a setting names something that there is; otherwise NoSuchPart."""
    if name not in EXTENSIBLE_SETTINGS or value is None:
        return
    if name == "index.backend":
        from memvault.storage.index.search import BACKENDS  # deferred: each where it is asked for

        sort, known = "search backend", (*BACKENDS, *added.backends)
    elif name == "recall.ranking":
        sort, known = "ranking", (*OWN_RANKINGS, *added.rankings)
    else:
        from memvault.models.llm.model import PROVIDERS

        sort, known = "provider", (*PROVIDERS, *added.providers)
    if value not in known:
        error = LostPart if added.problems else NoSuchPart  # what was left out has not told us what it would add
        way_out = " ".join(added.problems) or "docs/python.md says how one is added."
        raise error(name=name, value=value, sort=sort, known=", ".join(known), way_out=way_out)


def list_providers(name: str, added: Extensions) -> Mapping[str, ProviderMaker]:
    """Return every provider there is; where there is none of the wanted name, one of that name that only says so."""
    from memvault.models.llm.model import PROVIDERS  # deferred: most commands ask nobody

    known = {**PROVIDERS, **added.providers}
    if name in known:
        return known
    from memvault.models.llm.ask import Failure
    from memvault.models.llm.model import NoProvider

    # A model that is missing is no error: rules judge in its place.
    detail = f"there is no provider named {name}: there are {', '.join(known)}"
    if added.problems:
        why = " ".join(added.problems).rstrip(".")
        detail = f"the provider {name} may be of an extension that could not be loaded. {why}"
    missing = NoProvider(name, failure=Failure("unset", detail))
    return {**known, name: lambda _setup: missing}
