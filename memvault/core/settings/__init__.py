"""Settings: which there are, and the values in force."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from memvault.core.settings.table import MACHINE, PROFILES, SETTING_ROWS, VAULT, Setting, Value
from memvault.core.value import Record, replace
from memvault.errors import BadSetting, UnknownSetting

if TYPE_CHECKING:
    from memvault.core.kinds import Kind, Kinds
    from memvault.core.weight import Decay

SETTINGS: Mapping[str, Setting] = MappingProxyType({row.name: row for row in SETTING_ROWS})
_DEFAULTS: Mapping[str, Value] = {row.name: row.default for row in SETTING_ROWS}

_KINDS = "kinds."
_VAULTS = "vaults"  # the part of a person's config about single vaults
_ASKED = "asked"
FOR_ALL_VAULTS = "it holds for all vaults at once, so it is set with --user"

SettingValues = Mapping[str, "Value | Kind"]  # settings by name, and kinds under `kinds.NAME`


class Settings:
    """The values in force: defaults, then the profile's, then what was set, nearest last."""

    __slots__ = ("_decay", "_kinds", "_values", "ignored", "own_kinds")

    def __init__(self, given: SettingValues | None = None, *, ignored: tuple[IgnoredSetting, ...] = ()) -> None:
        given = given or {}
        self.ignored = ignored  # settings in the vault's file that are not in force
        profile = PROFILES[str(given.get("vault.profile", SETTINGS["vault.profile"].default))]
        # A kind is no setting with a value on one line; what describes one travels with the settings all the same.
        own = {name: value for name, value in given.items() if name.startswith(_KINDS)}
        self.own_kinds: dict[str, Kind] = own  # type: ignore[assignment]  # no file puts anything else there
        self._values: dict[str, Value] = {**_DEFAULTS, **profile}
        self._values |= {name: value for name, value in given.items() if name not in own}  # type: ignore[misc]
        self._decay: Decay | None = None
        self._kinds: Kinds | None = None

    def __getitem__(self, name: str) -> Value:
        try:
            return self._values[name]
        except KeyError:
            return find_setting(name).default

    def text(self, name: str) -> str:
        """Return a setting that is a text."""
        return str(self[name])

    def number(self, name: str) -> float:
        """Return a setting that is a number."""
        value = self[name]
        assert isinstance(value, int | float)
        return value

    def integer(self, name: str) -> int:
        """Return a setting that is a whole number."""
        value = self[name]
        assert isinstance(value, int | float)
        return int(value)

    def flag(self, name: str) -> bool:
        """Return a setting that is true or false."""
        return self[name] is True

    @property
    def decay(self) -> Decay:
        """Return how weights fade."""
        if self._decay is None:
            from memvault.core.weight import Decay  # deferred: many commands weigh nothing

            self._decay = Decay(
                model=self.text("decay.model"),
                daily=self.number("decay.daily"),
                significant_floor=self.number("decay.significant_floor"),
                use_boost=self.number("decay.use_boost"),
                use_boost_most=self.number("decay.use_boost_most"),
                importance_boost=self.number("decay.importance_boost"),
                consolidated_after=self.number("decay.consolidated_after"),
                half_life_scale=self.number("decay.half_life_scale"),
            )
        return self._decay

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a setting that is a list of texts."""
        value = self[name]
        assert isinstance(value, tuple)
        return value

    @property
    def kinds(self) -> Kinds:
        """Return the kinds of memory: ours, and those that the settings describe."""
        if self._kinds is None:
            from memvault.core.kinds import KINDS  # deferred: many commands ask for no kinds

            self._kinds = KINDS.with_custom(self.own_kinds.values()) if self.own_kinds else KINDS
        return self._kinds

    def non_default(self) -> Iterator[tuple[str, Value]]:
        """Yield the settings that differ from their default."""
        return ((row.name, self[row.name]) for row in SETTING_ROWS if self[row.name] != row.default)


def find_setting(name: str) -> Setting:
    """Return the row of that name; otherwise raise UnknownSetting with the nearest name."""
    if name in SETTINGS:
        return SETTINGS[name]
    from difflib import get_close_matches  # only for a typing slip: not worth every command's start-up

    near = get_close_matches(name, SETTINGS, n=1, cutoff=0.5)
    raise UnknownSetting(name=repr(name), near=f" (did you mean {near[0]}?)" if near else "")


class IgnoredSetting(Record):
    """A setting in a vault's file that is not in force, because only a person may set it."""

    name: str
    written: str  # the value as the file has it
    value: Value | None  # None where the setting cannot have that value
    is_answered: bool = False  # the person set it, or answered the question about it


class VaultSettings(Record):
    """The settings of a vault's file, and those it may not set."""

    given: SettingValues = MappingProxyType({})
    ignored: tuple[IgnoredSetting, ...] = ()


class PersonSettings(Record):
    """The settings of a person's own config: for all vaults, and for single ones by their ids."""

    given: SettingValues = MappingProxyType({})
    by_vault: Mapping[str, SettingValues] = MappingProxyType({})
    asked: frozenset[str] = frozenset()  # the vaults about whose ignored settings the person was asked

    def for_vault(self, vault_id: str) -> SettingValues:
        """Return what holds in one vault: what is set for it goes before what is set for all."""
        return {**self.given, **self.by_vault.get(vault_id, {})}

    def mark_answered(self, vault_id: str, ignored: Sequence[IgnoredSetting]) -> tuple[IgnoredSetting, ...]:
        """Return the ignored settings of a vault, with those marked that this person has decided on."""
        decided = self.for_vault(vault_id)
        is_asked = vault_id in self.asked
        return tuple(replace(one, is_answered=is_asked or one.name in decided) for one in ignored)


def read_vault_settings(tree: Mapping[str, object], *, where: str) -> VaultSettings:
    """Read the settings in a vault's file; those that only a person may set are left out and listed."""
    given: dict[str, Value | Kind] = {}
    ignored: list[IgnoredSetting] = []
    for row, value in _read_rows(tree, where=where, given=given):
        if row.set_by == VAULT:
            given[row.name] = row.accept(value, where=where)
            continue
        try:
            accepted = row.accept(value, where=where)
            ignored.append(IgnoredSetting(row.name, to_toml(accepted), accepted))
        except BadSetting:
            ignored.append(IgnoredSetting(row.name, repr(value), None))
    return VaultSettings(given, tuple(ignored))


def read_person_settings(tree: Mapping[str, object], *, where: str) -> PersonSettings:
    """Read the settings in a person's own config, for all vaults and under `vaults` for single ones."""
    general = {section: rows for section, rows in tree.items() if section != _VAULTS}
    given: dict[str, Value | Kind] = {}
    given |= {row.name: row.accept(value, where=where) for row, value in _read_rows(general, where=where, given=given)}
    if _VAULTS not in tree:
        return PersonSettings(given)
    vaults = tree[_VAULTS]
    by_vault: dict[str, SettingValues] = {}
    asked = set()
    for vault_id, own in vaults.items() if isinstance(vaults, Mapping) else ((str(vaults), None),):
        if not isinstance(own, Mapping):
            raise UnknownSetting(name=f"{_VAULTS}.{vault_id!r} (in {where})", near="")
        if own.get(_ASKED) is True:
            asked.add(vault_id)
        by_vault[vault_id] = _read_one_vault({key: rows for key, rows in own.items() if key != _ASKED}, where=where)
    return PersonSettings(given, by_vault, frozenset(asked))


def _read_one_vault(tree: Mapping[str, object], *, where: str) -> SettingValues:
    given: dict[str, Value | Kind] = {}
    for row, value in _read_rows(tree, where=where, given=given):
        if row.set_by == MACHINE:
            raise BadSetting(name=row.name, where=where, value=value, reason=FOR_ALL_VAULTS)
        given[row.name] = row.accept(value, where=where)
    return given


def _read_rows(
    tree: Mapping[str, object], *, where: str, given: dict[str, Value | Kind]
) -> Iterator[tuple[Setting, object]]:
    """Yield each setting in a parsed file with its value; the kinds it describes are put into `given`."""
    for section, rows in tree.items():
        if section == _KINDS.rstrip("."):
            from memvault.core.kinds.custom import read_kinds  # deferred: most vaults have no kinds of their own

            given |= {f"{_KINDS}{kind.name}": kind for kind in read_kinds(rows, where=where)}
        elif isinstance(rows, Mapping):
            yield from ((find_setting(f"{section}.{key}"), value) for key, value in rows.items())
        else:
            raise UnknownSetting(name=f"{section!r} (in {where})", near="")


def to_toml(value: Value) -> str:
    """Return a value as TOML writes it."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case tuple():
            return "[" + ", ".join(to_toml(item) for item in value) + "]"
        case str():
            escaped = "".join(_ESCAPES.get(c) or (c if c >= " " and c != "\x7f" else f"\\u{ord(c):04x}") for c in value)
            return f'"{escaped}"'


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
