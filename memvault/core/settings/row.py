"""One setting: a row of the table, and how a word becomes its value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from memvault.core.value import Record
from memvault.errors import BadSetting

# Checks of setting values: each says why a value is refused.

Value = str | int | float | bool | tuple[str, ...]
# The commands that can be spoken; listed here, so that a setting need not load their parser.
SPOKEN = (
    *("remember", "todo", "significant", "save", "dig", "about", "maintain"),
    *("pause", "pause-session", "resume"),
)
Check = Callable[[Value], str]  # why the value is refused; empty if it is not


def accept_any(_value: Value) -> str:
    """Accept any value of the type."""
    return ""


def in_range(low: float, high: float) -> Check:
    """Return a check for a number from `low` to `high`."""

    def check(value: Value) -> str:
        fits = isinstance(value, int | float) and low <= value <= high
        return "" if fits else f"it must lie between {low:,} and {high:,}"

    return check


def choice_of(*options: str) -> Check:
    """Return a check for one word out of a few."""

    def check(value: Value) -> str:
        return "" if value in options else "it must be one of " + ", ".join(options)

    return check


def choice_or_extension(*options: str) -> Check:
    """Return a check for one word out of a few, or a name that an extension may add."""

    def check(value: Value) -> str:
        plain = str(value).replace("-", "a").replace("_", "a")  # never a path: folders are named after it
        fits = value in options or (len(plain) <= 31 and plain.isascii() and plain.isalnum() and plain.islower())
        return "" if fits else f"it must be one of {', '.join(options)}, or a name that an extension gives"

    return check


def check_folder(value: Value) -> str:
    """Check that a value is a folder inside the vault, written with forward slashes."""
    parts = str(value).split("/")
    if str(value).startswith(("/", "~")) or "\\" in str(value) or ".." in parts or ":" in str(value):
        return "it must be a folder inside the vault, with forward slashes"
    return "" if all(part and not part.startswith(".") for part in parts) else "it must not be empty or hidden"


def check_folder_or_top(value: Value) -> str:
    """Check the same, where empty means the vault's top."""
    return "" if value == "" else check_folder(value)


def check_spoken_phrases(value: Value) -> str:
    """Check phrases for spoken commands, each written as `NAME = PHRASE`."""
    rows = [str(row).partition("=") for row in (value if isinstance(value, tuple) else ())]
    fits = all(name.strip().lower() in SPOKEN and phrase.strip() for name, _, phrase in rows)
    return "" if fits else f"each must be NAME = PHRASE, where NAME is one of {', '.join(SPOKEN)}"


def check_people(value: Value) -> str:
    """Check names of people, each row written as `NAME = OTHER, OTHER`; a command line splits them into rows."""
    rows = [str(row).partition("=") for row in (value if isinstance(value, tuple) else ())]
    fits = all(name.strip() and (others.strip() or not sign) for name, sign, others in rows)
    begins = not rows or rows[0][1]
    return "" if fits and begins else "each must be NAME = OTHER NAME, OTHER NAME"


def check_time(value: Value) -> str:
    """Check a time of day as HH:MM, from 00:00 to 23:59."""
    hour, _, minute = str(value).partition(":")
    digits = len(hour) == len(minute) == 2 and (hour + minute).isascii() and (hour + minute).isdecimal()
    return "" if digits and hour < "24" and minute < "60" else "it must be a time from 00:00 to 23:59, such as 04:17"


def check_variable(value: Value) -> str:
    """Check the name of an environment variable, or nothing; anything else may be a key put here by mistake."""
    text = str(value)
    fits = text == "" or (text.isascii() and text.isidentifier() and len(text) <= 64)
    return "" if fits else "it must be the name of an environment variable, not the key itself"


def check_web_address(value: Value) -> str:
    """Check an address that begins with http:// or https://, with no user in it."""
    scheme, found, rest = str(value).partition("://")
    fits = found and scheme in ("http", "https") and rest and "@" not in rest.partition("/")[0]
    return "" if fits else "it must begin with http:// or https://, and name no user"


def check_optional_web_address(value: Value) -> str:
    """Check the same, where empty means none."""
    return "" if value == "" else check_web_address(value)


SetBy = Literal["vault", "person", "machine"]

# A vault may come from elsewhere. So its file never sets what sends more away, runs a program, names a place outside
# the vault, injects more or lowers a guard: all that is the person's.
VAULT: Final = "vault"  # the vault's file, or the person
PERSON: Final = "person"  # the person, for all vaults or for one
MACHINE: Final = "machine"  # the person, for all vaults at once


class Setting(Record):
    """One row: a dotted name, who may set it, its default, one line of help, its check."""

    name: str
    set_by: SetBy
    default: Value
    help: str
    check: Check = accept_any

    @property
    def section(self) -> str:
        """Return the TOML table that the setting stands in."""
        return self.name.rpartition(".")[0]

    @property
    def key(self) -> str:
        """Return its name within the section."""
        return self.name.rpartition(".")[2]

    def accept(self, value: object, *, where: str) -> Value:
        """Return the value, of the right type and within its check; otherwise raise BadSetting."""
        fitted = _fit_type(value, self.default)
        if fitted is None:
            raise BadSetting(name=self.name, where=where, value=value, reason=f"it must be {_type_name(self.default)}")
        if reason := self.check(fitted):
            raise BadSetting(name=self.name, where=where, value=value, reason=reason)
        return fitted

    def from_text(self, text: str, *, where: str) -> Value:
        """Return the value that a word on a command line or in the environment stands for."""
        return self.accept(_parse_text(text, self.default), where=where)


def _fit_type(value: object, default: Value) -> Value | None:
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


def _parse_text(text: str, default: Value) -> object:
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
