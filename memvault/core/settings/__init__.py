"""The settings: what may be set, and the values in force."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from memvault.core.checks import Value
from memvault.core.settings.row import Setting
from memvault.core.settings.table import PROFILES, SECTIONS, TABLE
from memvault.errors import BadSetting, UnknownSetting

if TYPE_CHECKING:
    from memvault.core.kinds import Kind, Kinds

__all__ = [
    "PROFILES",
    "SECTIONS",
    "SETTINGS",
    "TABLE",
    "Setting",
    "Settings",
    "Value",
    "as_toml",
    "lookup",
    "read_table",
]

SETTINGS: Mapping[str, Setting] = MappingProxyType({row.name: row for row in TABLE})

_KINDS = "kinds."

Given = Mapping[str, "Value | Kind"]  # settings by name, and kinds under `kinds.NAME`


class Settings:
    """The values in force: defaults, then the profile's, then what was set, nearest last."""

    __slots__ = ("_kinds", "_own", "_values")

    def __init__(self, given: Given | None = None) -> None:
        given = given or {}
        profile = PROFILES[str(given.get("vault.profile", SETTINGS["vault.profile"].default))]
        # A kind is no setting with a value on one line; what describes one travels with the settings all the same.
        own = {name: value for name, value in given.items() if name.startswith(_KINDS)}
        self._own: dict[str, Kind] = own  # type: ignore[assignment]  # read_table puts nothing else there
        self._values: dict[str, Value] = {**profile}
        self._values |= {name: value for name, value in given.items() if name not in own}  # type: ignore[misc]
        self._kinds: Kinds | None = None

    def __getitem__(self, name: str) -> Value:
        return self._values[name] if name in self._values else lookup(name).default

    def text(self, name: str) -> str:
        """A setting that is a text."""
        return str(self[name])

    def number(self, name: str) -> float:
        """A setting that is a number."""
        value = self[name]
        assert isinstance(value, int | float)
        return value

    def whole(self, name: str) -> int:
        """A setting that is a whole number."""
        return int(self.number(name))

    def flag(self, name: str) -> bool:
        """A setting that is true or false."""
        return self[name] is True

    def texts(self, name: str) -> tuple[str, ...]:
        """A setting that is a list of texts."""
        value = self[name]
        assert isinstance(value, tuple)
        return value

    @property
    def kinds(self) -> Kinds:
        """The kinds of memory there are: ours, and those that the settings describe."""
        if self._kinds is None:
            from memvault.core.kinds import KINDS  # deferred: many commands ask for no kinds

            self._kinds = KINDS.with_own(self._own.values()) if self._own else KINDS
        return self._kinds

    @property
    def has_own_kinds(self) -> bool:
        """Whether the settings describe kinds of the user's own."""
        return bool(self._own)

    def changed(self) -> Iterator[tuple[str, Value]]:
        """The settings that differ from their default."""
        return ((row.name, self[row.name]) for row in TABLE if self[row.name] != row.default)


def lookup(name: str) -> Setting:
    """The row of that name; otherwise UnknownSetting with the nearest name."""
    if name in SETTINGS:
        return SETTINGS[name]
    from difflib import get_close_matches  # only for a typing slip: not worth every command's start-up

    near = get_close_matches(name, SETTINGS, n=1, cutoff=0.5)
    raise UnknownSetting(name=repr(name), near=f" (did you mean {near[0]}?)" if near else "")


def read_table(tree: Mapping[str, object], *, where: str, personal: bool) -> dict[str, Value | Kind]:
    """The settings in a parsed TOML file, and the kinds it describes; a personal one in a vault's file is refused."""
    found: dict[str, Value | Kind] = {}
    for section, rows in tree.items():
        if section == _KINDS.rstrip("."):
            from memvault.core.kinds.own import read_kinds  # deferred: most vaults have no kinds of their own

            found |= {f"{_KINDS}{kind.name}": kind for kind in read_kinds(rows, where=where)}
            continue
        if not isinstance(rows, Mapping):
            raise UnknownSetting(name=f"{section!r} (in {where})", near="")
        for key, value in rows.items():
            row = lookup(f"{section}.{key}")
            if row.personal and not personal:
                reason = "it may only be set in your own config, so that a vault cannot decide it"
                raise BadSetting(name=row.name, where=where, value=value, reason=reason)
            found[row.name] = row.accept(value, where=where)
    return found


def as_toml(value: Value) -> str:
    """A value as TOML writes it."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case tuple():
            return "[" + ", ".join(as_toml(item) for item in value) + "]"
        case str():
            escaped = "".join(_ESCAPES.get(c) or (c if c >= " " and c != "\x7f" else f"\\u{ord(c):04x}") for c in value)
            return f'"{escaped}"'


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
