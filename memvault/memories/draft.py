"""What a new memory is to be, and the screens that it passes before anything is made of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypedDict

from memvault.core import fields as rules
from memvault.core.fields import TYPES, RawValue, ScalarValue, YamlValue, to_yaml_value
from memvault.core.kinds import Kinds
from memvault.core.kinds.prospective import PROSPECTIVE
from memvault.core.memory import NO_FIELDS, SOURCES, FieldValue
from memvault.core.secrets.private_spans import has_unclosed_private, strip_private_values
from memvault.core.secrets.screens import Captured, trivial_reason
from memvault.errors import BadInput, Trivial
from memvault.memories.screen import (
    Redactions,
    ScreenPolicy,
    remove_contacts,
    remove_secrets,
    texts_in,
    validate_text,
    validate_texts,
    validate_value,
)
from memvault.storage.vault.context import VaultContext

# Values for frontmatter fields as callers give them, read by each field's own rule.


def parse_fields(context: VaultContext, given: Mapping[str, FieldValue | None]) -> dict[str, FieldValue | None]:
    """Return the values as their fields hold them, days in words too; refuse what a field cannot hold."""
    kinds = context.settings.kinds
    return {
        name: _parse_value(name, validate_value(f"`{name}`", value), context, kinds) for name, value in given.items()
    }


def _parse_value(name: str, value: FieldValue | None, context: VaultContext, kinds: Kinds) -> FieldValue | None:
    top, _, below = name.partition(".")
    row = kinds.fields.get(top)
    if row is None or value is None:
        return value
    raw = _raw_value(to_yaml_value(value))
    found = row.read({below: raw} if below else raw, context.zone)
    if found is None and row.read in (rules.read_date, rules.read_day) and isinstance(value, str):
        from memvault.text.dates.due import read_when  # deferred: few texts are reminders

        found = read_when(value, now=context.now, zone=context.zone)
    if found is None:
        shown = value.isoformat() if isinstance(value, datetime) else value
        raise BadInput(what=f"the field {name}", value=shown, reason=f"it says {row.meaning}")
    return found if isinstance(value, str) and not below else value


def _raw_value(value: YamlValue) -> RawValue:
    match value:
        case ScalarValue(text):
            return text
        case str():
            return value
        case list():
            return [*value]
        case _:
            return {key: _raw_value(part) for key, part in value.items()}


def ignored_fields(kinds: Kinds, kind: str, names: Iterable[str]) -> str:
    """Return why a memory of a kind would never tell what fields of these names say; empty where it would."""
    for name in names:
        if PROSPECTIVE.has_field(name) and not kinds[kind].has_field(name):
            return f"`{name}` was given, and only {PROSPECTIVE.name} memories remind"
    return ""


SCREENED_FIELDS = ("text", "title", "tags", "topics", "people", "triggers", "aliases", "refs", "more")
_TEXT_FIELDS = ("title", "type", "kind", "source", "secrets", "near")
_OWN_WORDS = ("user", "hook")  # what the user said, whoever picked it up
_LIST_FIELDS = ("tags", "topics", "people", "triggers", "aliases")
_CHOICES = {"source": SOURCES, "secrets": ("refuse", "redact", "keep"), "near": ("tell", "hold", "confirm", "ignore")}


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryDraft:
    """What a new memory is to be; whatever is left out is guessed or takes its default."""

    text: str
    title: str = ""
    type: str = ""
    kind: str = ""
    tags: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()  # names that it has besides its title
    weight: float | None = None
    pin: bool = False
    significant: bool = False
    refs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    more: Mapping[str, FieldValue] = field(default_factory=lambda: NO_FIELDS)
    created: datetime | None = None  # when it was said, where that was not now
    source: str = ""  # where it came from; whoever is at work, unless told
    automatic: bool = False  # nobody asked for it: it was picked up
    secrets: str = ""  # refuse, redact or keep; as the settings say, unless told
    again: bool = False  # a person wants it back, though it was forgotten
    near: str = ""  # what becomes of a text that is known nearly: tell, hold, confirm or ignore

    def screen_policy(self, context: VaultContext) -> ScreenPolicy:
        """Return who brings it, and what becomes of secrets in it."""
        is_person = not (context.actor.agent or self.automatic)
        return ScreenPolicy(
            by_person=is_person, automatic=self.automatic, secrets=self.secrets, own_words=self.source in _OWN_WORDS
        )


class MemoryFields(TypedDict, total=False):
    """What may be said of a new memory besides its text; the same names as in a draft."""

    title: str
    type: str
    kind: str
    tags: tuple[str, ...]
    topics: tuple[str, ...]
    people: tuple[str, ...]
    triggers: tuple[str, ...]
    weight: float | None
    pin: bool
    significant: bool
    refs: Mapping[str, tuple[str, ...]]
    more: Mapping[str, FieldValue]
    source: str
    automatic: bool
    secrets: str
    again: bool
    near: str


def screen_draft(context: VaultContext, draft: MemoryDraft) -> tuple[MemoryDraft, Redactions]:
    """Return the draft without private spans and secrets, and what was left out; refuse what is not worth keeping."""
    draft = _fit_draft(context, draft)
    is_cut = any(has_unclosed_private(text) for name in SCREENED_FIELDS for text in texts_in(getattr(draft, name)))
    draft = MemoryDraft(**{name: strip_private_values(getattr(draft, name)) for name in MemoryDraft.__slots__})
    captured = Captured(draft.text, context.settings.integer("screen.trivial_below"), draft.automatic)
    if reason := (trivial_reason(captured) if draft.automatic else "") or trivial_reason(captured, context.screens):
        raise Trivial(reason=reason)
    kept, left_out = remove_secrets(
        context, {name: getattr(draft, name) for name in SCREENED_FIELDS}, draft.screen_policy(context)
    )
    kept, contacts = remove_contacts(context, kept, draft.screen_policy(context))
    draft = replace(draft, **{**kept, "text": str(kept["text"]).strip()})
    _check_values(draft, context.settings.kinds)
    return draft, replace(left_out, sorts=left_out.sorts + contacts, unclosed=is_cut)


def validate_draft(context: VaultContext, draft: MemoryDraft) -> MemoryDraft:
    """Return the draft as it was meant, with all that is in it: for what is sealed before it is written."""
    draft = _fit_draft(context, draft)
    draft = replace(draft, text=draft.text.strip())
    _check_values(draft, context.settings.kinds)
    return draft


def _fit_draft(context: VaultContext, draft: MemoryDraft) -> MemoryDraft:
    """Return the draft with lists as tuples and values as their fields hold them; refuse what cannot be."""
    given: dict[str, Any] = {"text": validate_text("the text", draft.text)}
    given |= {name: validate_text(f"`{name}`", getattr(draft, name)) for name in _TEXT_FIELDS}
    given |= {name: validate_texts(f"`{name}`", getattr(draft, name)) for name in _LIST_FIELDS}
    for name in ("refs", "more"):
        if not isinstance(getattr(draft, name), Mapping):
            raise BadInput(what=f"`{name}`", value=type(getattr(draft, name)).__name__, reason="it must have names")
    refs = validate_value("`refs`", draft.refs)
    given["refs"] = {key: (value,) if isinstance(value, str) else value for key, value in refs.items()}
    given["more"] = {name: value for name, value in parse_fields(context, draft.more).items() if value is not None}
    if not given["more"].keys() & {"due", "until"} and "until" not in draft.more:
        from memvault.text.dates.due import find_end  # deferred: none is looked for where something is read

        end = find_end(given["text"], now=draft.created or context.now, zone=context.zone)
        given["more"] |= {} if end is None else {"until": end}
    if draft.weight is not None and not isinstance(draft.weight, int | float):
        raise BadInput(what="the weight", value=type(draft.weight).__name__, reason="it must be a number from 0 to 1")
    for name, options in _CHOICES.items():
        value = given[name]
        if value and value not in options:
            raise BadInput(what=f"`{name}`", value=value, reason=f"it must be one of {', '.join(options)}")
    if draft.source and SOURCES.index(draft.source) < SOURCES.index(context.actor.source):
        raise BadInput(what="the source", value=draft.source, reason="an agent cannot speak as the user")
    return replace(draft, **given)


def _check_values(draft: MemoryDraft, kinds: Kinds) -> None:
    if not draft.text:
        raise BadInput(what="the text", value="", reason="there is nothing in it to remember")
    if draft.weight is not None and not 0 <= draft.weight <= 1:
        raise BadInput(what="the weight", value=draft.weight, reason="it must lie between 0 and 1")
    if draft.type and draft.type not in TYPES:
        raise BadInput(what="the type", value=draft.type, reason=f"it must be one of {', '.join(TYPES)}")
    if draft.kind and draft.kind not in kinds:
        raise BadInput(what="the kind", value=draft.kind, reason=f"it must be one of {', '.join(kinds)}")
    if draft.kind and (reason := ignored_fields(kinds, draft.kind, draft.more)):
        raise BadInput(what="the kind", value=draft.kind, reason=reason)
