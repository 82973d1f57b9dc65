"""Values for frontmatter fields as callers give them, read by each field's own rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, tzinfo

from memvault.core import fields as rules
from memvault.core.fields import Plain, Raw, Written, written
from memvault.core.kinds import Kinds
from memvault.core.kinds.prospective import PROSPECTIVE
from memvault.core.memory import FieldValue
from memvault.errors import BadInput
from memvault.memories.screen import fit
from memvault.storage.vault.context import Bench


def settled(bench: Bench, given: Mapping[str, FieldValue | None]) -> dict[str, FieldValue | None]:
    """The values as their fields hold them, days in words too; one that its field cannot hold is refused."""
    kinds = bench.settings.kinds
    return {name: _value(name, fit(f"`{name}`", value), bench, kinds) for name, value in given.items()}


def _value(name: str, value: FieldValue | None, bench: Bench, kinds: Kinds) -> FieldValue | None:
    top, _, below = name.partition(".")
    row = kinds.fields.get(top)
    if row is None or value is None:
        return value
    raw = _raw(written(value))
    found = row.read({below: raw} if below else raw, bench.zone)
    if found is None and row.read is rules.moment and isinstance(value, str):
        found = in_words(value, now=bench.now, zone=bench.zone)
    if found is None:
        raise BadInput(what=f"the field {name}", value=_shown(value), reason=f"it says {row.meaning}")
    return found if isinstance(value, str) and not below else value


def in_words(text: str, *, now: datetime, zone: tzinfo) -> datetime | None:
    """The moment that somebody means by a date or a few words; None where it is not certain."""
    from memvault.text.dates.when import read_when  # deferred: few texts are reminders

    return read_when(text, now=now, zone=zone)


def _raw(value: Written) -> Raw:
    match value:
        case Plain(text):
            return text
        case str():
            return value
        case list():
            return [*value]
        case _:
            return {key: _raw(part) for key, part in value.items()}


def _shown(value: FieldValue) -> object:
    return value.isoformat() if isinstance(value, datetime) else value


def unheard(kinds: Kinds, kind: str, names: Iterable[str]) -> str:
    """Why a memory of a kind would never tell what fields of these names say; empty where it would."""
    for name in names:
        if PROSPECTIVE.has(name) and not kinds[kind].has(name):
            return f"`{name}` was given, and only {PROSPECTIVE.name} memories remind"
    return ""
