"""One setting: a row of the table, and how a word becomes its value."""

from __future__ import annotations

from typing import Final, Literal

from memvault.core.settings.checks import Check, Value, anything
from memvault.core.value import Frozen
from memvault.errors import BadSetting

SetBy = Literal["vault", "person", "machine"]

# A vault may come from elsewhere. So its file never sets what sends more away, runs a program, names a place outside
# the vault, injects more or lowers a guard: all that is the person's.
VAULT: Final = "vault"  # the vault's file, or the person
PERSON: Final = "person"  # the person, for all vaults or for one
MACHINE: Final = "machine"  # the person, for all vaults at once


class Setting(Frozen):
    """One row: a dotted name, who may set it, its default, one line of help, its check."""

    name: str
    set_by: SetBy
    default: Value
    help: str
    check: Check = anything

    @property
    def section(self) -> str:
        """The TOML table it stands in."""
        return self.name.rpartition(".")[0]

    @property
    def key(self) -> str:
        """Its name within the section."""
        return self.name.rpartition(".")[2]

    def accept(self, value: object, *, where: str) -> Value:
        """The value, of the right type and within its check; otherwise BadSetting."""
        fitted = _fit(value, self.default)
        if fitted is None:
            raise BadSetting(name=self.name, where=where, value=value, reason=f"it must be {_type_name(self.default)}")
        if reason := self.check(fitted):
            raise BadSetting(name=self.name, where=where, value=value, reason=reason)
        return fitted

    def from_text(self, text: str, *, where: str) -> Value:
        """The value that a word on a command line or in the environment stands for."""
        return self.accept(_from_text(text, self.default), where=where)


def _fit(value: object, default: Value) -> Value | None:
    match default:
        case bool():
            return value if isinstance(value, bool) else None
        case int():
            return value if isinstance(value, int) and not isinstance(value, bool) else None
        case float():
            return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
        case str():
            return value if isinstance(value, str) else None
        case tuple():
            fits = isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
            return tuple(value) if fits and isinstance(value, list | tuple) else None


def _from_text(text: str, default: Value) -> object:
    match default:
        case bool():
            return {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}.get(
                text.strip().casefold()
            )
        case int() | float():
            try:
                return int(text) if isinstance(default, int) else float(text)
            except ValueError:
                return text
        case tuple():
            return [item.strip() for item in text.split(",") if item.strip()]
        case _:
            return text


def _type_name(default: Value) -> str:
    names = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", tuple: "a list of texts"}
    return names[type(default)]
