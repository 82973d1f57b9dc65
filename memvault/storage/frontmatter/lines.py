"""Whole new keys as lines of YAML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memvault.storage.frontmatter.scalars import scalar
from memvault.storage.frontmatter.values import Refusal, Setting

_LONGEST_KEY = 128  # YAML's own limit is 1024 characters, escapes included
_LONGEST_LIST = 100


@dataclass(frozen=True, slots=True)
class Manner:
    """How a note writes: its line break, and what stands before the items of a list (nothing: `[a, b]`)."""

    eol: str = "\n"
    dash: str = ""


def lines_of(settings: Mapping[str, Setting], manner: Manner, *, indent: str = "") -> str:
    """The lines of keys that were not there before."""
    return "".join(key_lines(key, setting, manner, indent=indent) for key, setting in settings.items())


def key_lines(key: str, setting: Setting, manner: Manner, *, indent: str = "") -> str:
    """The lines of one key that was not there before."""
    return indent + key_text(key) + ":" + after_colon(setting, manner, indent=indent)


def after_colon(setting: Setting, manner: Manner, *, indent: str) -> str:
    """What follows the colon of a key, to the end of its last line."""
    match setting:
        case str():
            return f" {scalar(setting)}{manner.eol}"
        case list():
            flow = in_brackets(setting)
            if not setting or (not manner.dash and len(flow) <= _LONGEST_LIST):
                return f" {flow}{manner.eol}"
            return manner.eol + item_lines(setting, f"{indent}{manner.dash or '  - '}", manner.eol)
        case _ if not setting:
            return f" {{}}{manner.eol}"
        case _:
            return manner.eol + lines_of(setting, manner, indent=indent + "  ")


def in_brackets(items: Iterable[str]) -> str:
    """A list on one line."""
    return f"[{', '.join(scalar(item, in_flow=True) for item in items)}]"


def item_lines(items: Iterable[str], dash: str, eol: str, *, style: str = "") -> str:
    """The items of a list on lines of their own."""
    return "".join(f"{dash}{scalar(item, style=style)}{eol}" for item in items)


def key_text(key: str) -> str:
    """A key as it stands before its colon."""
    if len(key) > _LONGEST_KEY:
        raise Refusal(f"a key of {len(key)} characters is too long")
    return scalar(key, in_flow=True)
