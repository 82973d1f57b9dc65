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
from memvault.core.secrets.contacts import find_doubtful, redact_contacts
from memvault.core.secrets.personal_numbers import PERSONAL_NUMBERS
from memvault.core.secrets.scan import Secret
from memvault.errors import BadInput, Forgotten, SecretFound
from memvault.storage.journal import tombstones
from memvault.storage.vault.context import VaultContext

_UNFIT_CHARACTERS = "[\x00\ud800-\udfff]"  # what no file in UTF-8 can hold, and what ends a text for other programs
_LABELS = {"tags": "tag", "topics": "topic", "people": "person", "triggers": "trigger", "aliases": "alias"}
_WHOLES = _LABELS | {"refs": "reference"}  # what is of no use with a mark in the place of a part of it
_TEXTS = ("text", "title")  # in which contacts are looked for
_FEWEST_WORDS = 2  # of a field's text to be held against what was forgotten


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenPolicy:
    """Who brings a text, and what is to become of secrets in it."""

    by_person: bool
    automatic: bool = False
    secrets: str = ""  # refuse, redact or keep; as the settings say, unless told
    own_words: bool = False  # the user said it, whoever picked it up


@dataclass(frozen=True, slots=True, kw_only=True)
class Redactions:
    """What was left out of a text on its way."""

    sorts: tuple[str, ...] = ()  # of secrets
    dropped: tuple[str, ...] = ()  # tags, names and the like that were one
    unclosed: bool = False  # a private span that was never closed took the rest with it


NO_REDACTIONS = Redactions()


# -- fit to be written


def validate_value(name: str, value: Any) -> Any:
    """Return a value that can be written into a note, lists as tuples; refuse any other."""
    match value:
        case str():
            return validate_text(name, value)
        case float() if not math.isfinite(value):
            raise BadInput(what=name, value=value, reason="it is no number that can be written")
        case datetime() if value.tzinfo is None:
            raise BadInput(what=name, value=value.isoformat(), reason="it does not say in which time zone it is")
        case None | bool() | int() | float() | datetime():
            return value
        case list() | tuple():
            return tuple(validate_text(f"an item of {name}", part) for part in value)
        case Mapping():
            return MappingProxyType(
                {validate_text(f"a name in {name}", key): validate_value(name, part) for key, part in value.items()}
            )
        case _:
            raise _not_text(name, value)


def validate_text(name: str, value: Any) -> str:
    """Return a text that can be written into a note."""
    if not isinstance(value, str):
        raise _not_text(name, value)
    if found := re.search(_UNFIT_CHARACTERS, value):
        where = f"the character {found.start() + 1:,} of {name}"
        raise BadInput(what=where, value=found[0], reason="no note can hold it")
    return value


def validate_texts(name: str, value: Any) -> tuple[str, ...]:
    """Return a list of texts that can be written into a note."""
    if not isinstance(value, list | tuple):
        raise BadInput(what=name, value=_kind_of(value), reason="it must be a list of texts")
    return tuple(validate_text(f"an item of {name}", part) for part in value)


def _not_text(name: str, value: Any) -> BadInput:
    return BadInput(what=name, value=_kind_of(value), reason="it must be text")


def _kind_of(value: Any) -> str:
    """Return the type of a value, without a word of it."""
    return "None" if value is None else type(value).__name__


# -- secrets


def remove_secrets(
    context: VaultContext, values: Mapping[str, Any], policy: ScreenPolicy, *, there: Iterable[str] = ()
) -> tuple[Mapping[str, Any], Redactions]:
    """Return the values without secrets, as the policy says; those that are `there` already do not count."""
    # Only a person vouches for a secret.
    wanted = policy.secrets if policy.by_person or policy.secrets != "keep" else ""
    handling = wanted or context.settings.text("screen.secrets")
    if handling in ("keep", "off"):
        return values, NO_REDACTIONS
    known = frozenset(secret for text in there for secret in find_secrets(text))
    if not context.settings.flag("screen.personal"):
        known |= {number for text in texts_in(values) for number in _find_personal_numbers(text)}
    sorts = tuple(dict.fromkeys(secret.sort for text in texts_in(values) for secret in _new_secrets(text, known)))
    if not sorts:
        return values, NO_REDACTIONS
    if handling != "redact" and not policy.automatic:
        raise SecretFound(sorts=", ".join(sorts))
    kept = {name: _redact_value(name, value, known) for name, value in values.items()}
    dropped = tuple(
        _WHOLES[name] for name in values if name in _WHOLES and _count_texts(kept[name]) < _count_texts(values[name])
    )
    return kept, Redactions(sorts=sorts, dropped=dropped)


def find_secrets(text: str) -> Iterator[str]:
    """Return the secrets that stand in a text."""
    return (text[secret.start : secret.end] for secret in leaks.find_secrets(text))


def _find_personal_numbers(text: str) -> Iterator[str]:
    return (text[found.start : found.end] for found in leaks.find_secrets(text) if found.sort in PERSONAL_NUMBERS)


def remove_contacts(
    context: VaultContext, values: Mapping[str, Any], policy: ScreenPolicy
) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """Return what was captured automatically without the contacts that nobody meant to be kept, and their sorts."""
    if not (policy.automatic and context.settings.flag("screen.personal")):
        return values, ()
    texts = {name: str(values[name]) for name in _TEXTS}
    sorts = (sort for text in texts.values() for sort, _, _ in find_doubtful(text, own_words=policy.own_words))
    kept = {name: redact_contacts(text, own_words=policy.own_words) for name, text in texts.items()}
    return {**values, **kept}, tuple(dict.fromkeys(sorts))


def _new_secrets(text: str, known: frozenset[str]) -> list[Secret]:
    return [secret for secret in leaks.find_secrets(text) if text[secret.start : secret.end] not in known]


def _redact_value(name: str, value: Any, known: frozenset[str]) -> Any:
    match value:
        case str():
            return leaks.redact_secrets(value, known)
        case tuple() if name.partition(".")[0] in _WHOLES:
            return tuple(part for part in value if not _new_secrets(part, known))
        case tuple():
            return tuple(leaks.redact_secrets(part, known) for part in value)
        case Mapping():
            kept = {
                key: _redact_value(name, part, known) for key, part in value.items() if not _new_secrets(key, known)
            }
            return MappingProxyType(kept)
        case _:
            return value


def _count_texts(value: Any) -> int:
    return sum(1 for _ in texts_in(value))


def texts_in(value: Any) -> Iterator[str]:
    """Yield every text in a value of any shape, names of fields too."""
    match value:
        case str():
            yield value
        case tuple():
            yield from (text for part in value for text in texts_in(part))
        case Mapping():
            yield from (text for key, part in value.items() for text in (key, *texts_in(part)))


# -- what was forgotten


def find_forgotten(context: VaultContext, text: str, others: Iterable[Any] = ()) -> tuple[str, ...]:
    """Return the tombstones of a text, and of other values that say more than a word."""
    parts = [
        part for value in others for part in texts_in(value) if len(part.split(None, _FEWEST_WORDS)) >= _FEWEST_WORDS
    ]
    # Each look reads every mark that there is, so values of a line go together: each is a part of one text then.
    lines = "\n\n".join(dict.fromkeys(part for part in parts if "\n" not in part))
    every = dict.fromkeys((text, *filter(None, (lines, *(part for part in parts if "\n" in part)))))
    return tuple(dict.fromkeys(mac for part in every for mac in tombstones.find_tombstones(context, part)))


def check_not_forgotten(context: VaultContext, values: Iterable[Any], policy: ScreenPolicy) -> None:
    """Refuse what was forgotten, unless it is a person who writes it."""
    if not policy.by_person and find_forgotten(context, "", values):
        raise Forgotten()
