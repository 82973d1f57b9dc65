"""The requested changes, key by key: grouped and computed on values before any text is touched."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from memvault.storage.frontmatter.scalars import Refusal, RemovedKey, Setting, Value


@dataclass(frozen=True, slots=True)
class NestedChange:
    """Changes to keys inside a mapping, the rest of which stays."""

    changes: dict[str, Setting | RemovedKey] = field(default_factory=dict)


Change: TypeAlias = Setting | RemovedKey | NestedChange


def group_changes(asked: Mapping[str, Setting | RemovedKey], known: Collection[str] = ()) -> dict[str, Change]:
    """Return one change per top-level key; `refs.session` is a key inside `refs` unless the note has it literally."""
    changes: dict[str, Change] = {}
    for name, setting in asked.items():
        key, wanted = replace_surrogates(name), setting if isinstance(setting, RemovedKey) else clean_setting(setting)
        outer, _, rest = key.partition(".")
        if key in known or not outer or not rest:
            outer, rest = key, ""
        there = changes.get(outer)
        if there is not None and not (rest and isinstance(there, NestedChange)):
            raise Refusal(f"`{outer}` is asked for in more than one way")
        if not rest:
            changes[outer] = wanted
        elif isinstance(there, NestedChange):
            there.changes[rest] = wanted
        else:
            changes[outer] = NestedChange({rest: wanted})
    return changes


def clean_setting(setting: Setting) -> Setting:
    """Return the setting without half surrogate pairs, which UTF-8 cannot hold."""
    match setting:
        case str():
            return replace_surrogates(setting)
        case list():
            return [replace_surrogates(item) for item in setting]
        case _:
            return {replace_surrogates(key): clean_setting(part) for key, part in setting.items()}


def replace_surrogates(text: str) -> str:
    """Return the text with half surrogate pairs replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def new_settings(changes: Mapping[str, Change]) -> dict[str, Setting]:
    """Return what the keys will hold where nothing stands yet."""
    settings: dict[str, Setting] = {}
    for key, change in changes.items():
        if isinstance(change, NestedChange):
            settings[key] = {k: part for k, part in change.changes.items() if not isinstance(part, RemovedKey)}
        elif not isinstance(change, RemovedKey):
            settings[key] = change
    return settings


# -- on values


def pending_changes(fields: Mapping[str, Value], changes: Mapping[str, Change]) -> dict[str, Change]:
    """Return the changes that are not already in place."""
    left: dict[str, Change] = {}
    for key, change in changes.items():
        if isinstance(change, NestedChange):
            held = fields.get(key)
            inner = pending_settings(held if isinstance(held, dict) else {}, change.changes)
            if inner:
                left[key] = NestedChange(inner)
        elif not _is_already_set(fields, key, change):
            left[key] = change
    return left


def pending_settings(
    fields: Mapping[str, Value], changes: Mapping[str, Setting | RemovedKey]
) -> dict[str, Setting | RemovedKey]:
    """Return the changes inside one mapping that are not already in place."""
    return {key: change for key, change in changes.items() if not _is_already_set(fields, key, change)}


def _is_already_set(fields: Mapping[str, Value], key: str, change: Setting | RemovedKey) -> bool:
    if isinstance(change, RemovedKey) or key not in fields:
        return isinstance(change, RemovedKey) and key not in fields
    held = fields[key]
    if isinstance(change, list) and not isinstance(held, list):
        return change == ([] if held is None else [held])  # a single string stands for a list of one
    return held == value_of(change)


def value_of(setting: Setting) -> Value:
    """Return what reading gives once this has been written."""
    match setting:
        case str():
            return str(setting)
        case list():
            return [str(item) for item in setting]
        case _:
            return {key: value_of(part) for key, part in setting.items()}


def apply_change(value: Value, change: Setting | NestedChange) -> Value:
    """Return what a key holds after the change; None for an emptied mapping, whose key goes with it."""
    if not isinstance(change, NestedChange):
        return value_of(change)
    held = dict(value) if isinstance(value, dict) else {}
    for key, part in change.changes.items():
        if isinstance(part, RemovedKey):
            del held[key]
        else:
            held[key] = value_of(part)
    return held or None
