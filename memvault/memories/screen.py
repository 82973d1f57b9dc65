"""The gate that every text passes on its way into the vault: fit to be written, no secret in it, not forgotten."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any

from memvault.core.secrets import scan as leaks
from memvault.core.secrets.scan import Leak
from memvault.errors import BadInput, Forgotten, SecretFound
from memvault.storage.journal import tombstones
from memvault.storage.vault.context import Bench

_UNFIT = "[\x00\ud800-\udfff]"  # what no file in UTF-8 can hold, and what ends a text for other programs
_LABELS = {"tags": "tag", "topics": "topic", "people": "person", "triggers": "trigger", "aliases": "alias"}
_WHOLES = _LABELS | {"refs": "reference"}  # what is of no use with a mark in the place of a part of it
_FEWEST_WORDS = 2  # of a field's text to be held against what was forgotten


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Who brings a text, and what is to become of secrets in it."""

    by_person: bool
    automatic: bool = False
    secrets: str = ""  # refuse, redact or keep; as the settings say, unless told


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """What was left out of a text on its way."""

    sorts: tuple[str, ...] = ()  # of secrets
    dropped: tuple[str, ...] = ()  # tags, names and the like that were one
    unclosed: bool = False  # a private span that was never closed took the rest with it


NOTHING_LEFT_OUT = LeftOut()


# -- fit to be written


def fit(name: str, value: Any) -> Any:
    """A value that can be written into a note, lists as tuples; whatever else it is, one sentence says so."""
    match value:
        case str():
            return fit_text(name, value)
        case float() if not math.isfinite(value):
            raise BadInput(what=name, value=value, reason="it is no number that can be written")
        case datetime() if value.tzinfo is None:
            raise BadInput(what=name, value=value.isoformat(), reason="it does not say in which time zone it is")
        case None | bool() | int() | float() | datetime():
            return value
        case list() | tuple():
            return tuple(fit_text(f"an item of {name}", part) for part in value)
        case Mapping():
            return MappingProxyType(
                {fit_text(f"a name in {name}", key): fit(name, part) for key, part in value.items()}
            )
        case _:
            raise _no_text(name, value)


def fit_text(name: str, value: Any) -> str:
    """A text that can be written into a note."""
    if not isinstance(value, str):
        raise _no_text(name, value)
    if found := re.search(_UNFIT, value):
        where = f"the character {found.start() + 1:,} of {name}"
        raise BadInput(what=where, value=found[0], reason="no note can hold it")
    return value


def fit_texts(name: str, value: Any) -> tuple[str, ...]:
    """A list of texts that can be written into a note."""
    if not isinstance(value, list | tuple):
        raise BadInput(what=name, value=_kind_of(value), reason="it must be a list of texts")
    return tuple(fit_text(f"an item of {name}", part) for part in value)


def _no_text(name: str, value: Any) -> BadInput:
    return BadInput(what=name, value=_kind_of(value), reason="it must be text")


def _kind_of(value: Any) -> str:
    """What a value is, without a word of it."""
    return "None" if value is None else type(value).__name__


# -- secrets


def without_secrets(
    bench: Bench, values: Mapping[str, Any], wish: Wish, *, there: Iterable[str] = ()
) -> tuple[Mapping[str, Any], LeftOut]:
    """The values without secrets, as far as they are to go; those that are `there` already do not count."""
    # Only a person vouches for a secret.
    wanted = wish.secrets if wish.by_person or wish.secrets != "keep" else ""
    policy = wanted or bench.settings.text("screen.secrets")
    if policy in ("keep", "off"):
        return values, NOTHING_LEFT_OUT
    known = frozenset(secret for text in there for secret in secrets_in(text))
    sorts = tuple(dict.fromkeys(leak.sort for text in texts(values) for leak in _new(text, known)))
    if not sorts:
        return values, NOTHING_LEFT_OUT
    if policy != "redact" and not wish.automatic:
        raise SecretFound(sorts=", ".join(sorts))
    kept = {name: _redacted(name, value, known) for name, value in values.items()}
    dropped = tuple(_WHOLES[name] for name in values if name in _WHOLES and _count(kept[name]) < _count(values[name]))
    return kept, LeftOut(sorts=sorts, dropped=dropped)


def secrets_in(text: str) -> Iterator[str]:
    """The secrets that stand in a text."""
    return (text[leak.start : leak.end] for leak in leaks.found(text))


def redacted(text: str, known: frozenset[str] = frozenset()) -> str:
    """A text with a mark in the place of each secret but the known ones."""
    parts, after = [], 0
    for leak in _new(text, known):
        parts += [text[after : leak.start], f"[redacted: {leak.sort}]"]
        after = leak.end
    return "".join((*parts, text[after:]))


def _new(text: str, known: frozenset[str]) -> list[Leak]:
    return [leak for leak in leaks.found(text) if text[leak.start : leak.end] not in known]


def _redacted(name: str, value: Any, known: frozenset[str]) -> Any:
    match value:
        case str():
            return redacted(value, known)
        case tuple() if name.partition(".")[0] in _WHOLES:
            return tuple(part for part in value if not _new(part, known))
        case tuple():
            return tuple(redacted(part, known) for part in value)
        case Mapping():
            kept = {key: _redacted(name, part, known) for key, part in value.items() if not _new(key, known)}
            return MappingProxyType(kept)
        case _:
            return value


def _count(value: Any) -> int:
    return sum(1 for _ in texts(value))


def texts(value: Any) -> Iterator[str]:
    """Every text in a value of any shape, names of fields too."""
    match value:
        case str():
            yield value
        case tuple():
            yield from (text for part in value for text in texts(part))
        case Mapping():
            yield from (text for key, part in value.items() for text in (key, *texts(part)))


# -- what was forgotten


def marks_of(bench: Bench, text: str, others: Iterable[Any] = ()) -> tuple[str, ...]:
    """The marks by which a text is known as forgotten, and those of other values that say more than a word."""
    told = [said for value in others for said in texts(value) if len(said.split(None, _FEWEST_WORDS)) >= _FEWEST_WORDS]
    # Each look reads every mark that there is, so values of a line go together: each is a part of one text then.
    lines = "\n\n".join(dict.fromkeys(said for said in told if "\n" not in said))
    every = dict.fromkeys((text, *filter(None, (lines, *(said for said in told if "\n" in said)))))
    return tuple(dict.fromkeys(mac for said in every for mac in tombstones.dead(bench, said)))


def check_not_forgotten(bench: Bench, values: Iterable[Any], wish: Wish) -> None:
    """Refuse what was forgotten, unless it is a person who writes it."""
    if not wish.by_person and marks_of(bench, "", values):
        raise Forgotten()
