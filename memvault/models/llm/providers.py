"""Every provider in one table; each is imported when somebody is to be asked, and not before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType

from memvault.models.llm.ask import Provider, Setup

Maker = Callable[[Setup], Provider]


def _from(module: str) -> Maker:
    def make(setup: Setup) -> Provider:
        maker: Maker = import_module(f"memvault.models.llm.{module}").make
        return maker(setup)

    return make


PROVIDERS: Mapping[str, Maker] = MappingProxyType(
    {
        "none": _from("none"),
        "claude": _from("claude_cli"),
        "openai": _from("openai"),
        "command": _from("command"),
    }
)


def provider(name: str, setup: Setup, *, table: Mapping[str, Maker] = PROVIDERS) -> Provider:
    """The provider of that name; the table may have been added to."""
    return table[name](setup)
