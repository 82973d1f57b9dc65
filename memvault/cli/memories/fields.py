"""Frontmatter fields as a person gives them on a command line: FIELD=VALUE, read by each field's own rule."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, tzinfo

from memvault.cli.options import split
from memvault.core.fields import LISTS, STATUSES, TYPES, moment
from memvault.core.kinds import KINDS, Kinds
from memvault.core.memory import FieldValue
from memvault.core.plan import Items
from memvault.errors import BadInput
from memvault.memories.reminding import moment as in_words

_WORDS = {"type": TYPES, "status": STATUSES}
_FOR_LIFE = frozenset({"id"})


def settings(
    pairs: Iterable[str], zone: tzinfo, kinds: Kinds = KINDS, *, now: datetime | None = None
) -> dict[str, FieldValue | None]:
    """What `--set` asks for; a list may be given at once, with commas, or an item at a time."""
    texts: dict[str, list[str]] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise BadInput(what="--set", value=pair, reason="it must be FIELD=VALUE")
        texts.setdefault(known(name, kinds), []).append(value.strip())
    return {name: value_of(name, values, zone, kinds, now=now) for name, values in texts.items()}


def known(name: str, kinds: Kinds = KINDS) -> str:
    """The name, if memvault has a field of that name and it may be changed."""
    field = name.strip()
    if field.partition(".")[0] not in kinds.fields:
        raise BadInput(what="the field", value=field, reason=f"memvault has no field of that name{_near(field, kinds)}")
    if field in _FOR_LIFE:
        raise BadInput(what="the field", value=field, reason="a memory keeps its id for life")
    return field


def _near(name: str, kinds: Kinds) -> str:
    from difflib import get_close_matches  # deferred: only for a typing slip

    near = get_close_matches(name, kinds.fields, n=1)
    return f" (did you mean {near[0]}?)" if near else ""


def value_of(
    name: str, texts: list[str], zone: tzinfo, kinds: Kinds = KINDS, *, now: datetime | None = None
) -> FieldValue:
    """The value that the texts stand for, by the field's own rule; with `now`, a day may be given in words."""
    words = tuple(kinds) if name == "kind" else _WORDS.get(name, ())
    if words and texts[-1].casefold() not in words:
        raise BadInput(what=f"the {name}", value=texts[-1], reason=f"it must be one of {', '.join(words)}")
    top, _, below = name.partition(".")
    row = kinds.fields[top]
    items: list[str] = list(split(texts)) if top in LISTS else texts
    # A map is set key by key; a list takes every item given, anything else the last that was said.
    found = row.read({below: [*items]}, zone) if below else row.read([*items], zone)
    if found is None and not below:
        found = row.read(items[-1] if items else "", zone)
    if found is None and now is not None and row.read is moment:
        return in_words(texts[-1], now=now, zone=zone)
    if found is None:
        raise BadInput(what=f"the field {name}", value=", ".join(texts), reason=f"it says {row.meaning}")
    return found[below] if below and isinstance(found, dict) else found


def tagged(more: Iterable[str], fewer: Iterable[str]) -> dict[str, Items]:
    """What becomes of the tags, where some are added or taken away."""
    add, remove = (tuple(tag.lstrip("#") for tag in tags) for tags in (more, fewer))
    return {"tags": Items(add, remove)} if add or remove else {}
