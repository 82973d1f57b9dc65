"""Every setting in one table: name, default, what it does, what it may be, and who may set it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from memvault.errors import BadSetting, UnknownSetting

Value = str | int | float | bool | tuple[str, ...]
Check = Callable[[Value], str]  # why the value will not do; empty where it will


def anything(_value: Value) -> str:
    """No condition beyond the type."""
    return ""


def between(low: float, high: float) -> Check:
    """A number from `low` to `high`."""

    def check(value: Value) -> str:
        fits = isinstance(value, int | float) and low <= value <= high
        return "" if fits else f"it must lie between {low:,} and {high:,}"

    return check


def one_of(*options: str) -> Check:
    """One word out of a few."""

    def check(value: Value) -> str:
        return "" if value in options else "it must be one of " + ", ".join(options)

    return check


def folder(value: Value) -> str:
    """A folder inside the vault, written with forward slashes."""
    parts = str(value).split("/")
    if str(value).startswith(("/", "~")) or "\\" in str(value) or ".." in parts or ":" in str(value):
        return "it must be a folder inside the vault, with forward slashes"
    return "" if all(part and not part.startswith(".") for part in parts) else "it must not be empty or hidden"


def folder_or_top(value: Value) -> str:
    """As `folder`; empty means the vault's top."""
    return "" if value == "" else folder(value)


def time_of_day(value: Value) -> str:
    """A time of day as HH:MM, from 00:00 to 23:59."""
    hour, _, minute = str(value).partition(":")
    digits = len(hour) == len(minute) == 2 and (hour + minute).isascii() and (hour + minute).isdecimal()
    return "" if digits and hour < "24" and minute < "60" else "it must be a time from 00:00 to 23:59, such as 04:17"


@dataclass(frozen=True, slots=True)
class Setting:
    """One row: a dotted name, its default, one line of help, its check."""

    name: str
    default: Value
    help: str
    check: Check = anything
    personal: bool = False  # read from the user's own config only, never from a file inside a vault

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


SECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "vault": "The vault as a whole.",
        "layout": "Folder names, relative to the vault. Change them before the folders are filled.",
        "remember": "What new memories start with.",
        "recall": "How memories are found.",
        "inject": "What may be put before the model without being asked for.",
        "claude_md": "The block in CLAUDE.md and its kin. Parts over their budget say what they leave out.",
        "decay": "How weights fade.",
        "hot": "What is loaded in every session (Tier 1).",
        "consolidate": "Memories that say the same.",
        "promote": "What becomes lasting knowledge.",
        "prune": "Letting go of what was archived long ago.",
        "schedule": "Upkeep that runs by itself, once `memvault schedule install` was called.",
        "index": "The catalogue, which lives outside the vault.",
        "files": "How files are written.",
        "undo": "How long operations can be taken back.",
        "watch": "Keeping the catalogue warm.",
        "user": "This person, on this machine. Only in the user's own config.",
    }
)

TABLE: tuple[Setting, ...] = (
    Setting(
        "vault.profile",
        "production",
        "which set of defaults: minimal, production or research",
        one_of("minimal", "production", "research"),
    ),
    Setting("layout.home", "", "the folder that holds the tier folders; empty means the vault's top", folder_or_top),
    Setting("layout.identity", "0-identity", "Tier 0: who the user is", folder),
    Setting("layout.hot", "1-hot", "Tier 1: loaded in every session", folder),
    Setting("layout.memories", "2-memories", "Tier 2: found by search", folder),
    Setting("layout.raw", "3-raw", "Tier 3: transcripts and faded memories", folder),
    Setting("layout.quarantine", "quarantine", "text from the web or from tools, until it is accepted", folder),
    Setting("layout.private", "private", "encrypted memories", folder),
    Setting("layout.templates", "templates", "note templates, which are no memories", folder),
    Setting("remember.weight", 0.8, "the weight of what a person remembers", between(0, 1)),
    Setting("remember.agent_weight", 0.6, "the weight of what an agent remembers", between(0, 1)),
    Setting("recall.limit", 10, "how many memories a recall lists", between(1, 1000)),
    Setting("recall.budget", 8000, "how many tokens of text a recall may give", between(50, 1_000_000)),
    Setting("recall.min_similarity", 0.0, "hits below this similarity (0 to 1) are left out", between(0, 1)),
    Setting("recall.weak_below", 0.4, "hits below this similarity are marked as weak", between(0, 1)),
    Setting("inject.folders", (), "folders of foreign notes that may be put before the model"),
    Setting(
        "claude_md.write",
        "auto",
        "auto: maintenance keeps the vault's own CLAUDE.md current; manual: only `memvault claude-md` does",
        one_of("auto", "manual"),
    ),
    Setting("claude_md.identity_tokens", 1500, "how many tokens Tier 0 may take in the block", between(0, 100_000)),
    Setting("claude_md.hot_tokens", 5000, "how many tokens Tier 1 may take in the block", between(0, 100_000)),
    Setting("claude_md.index_tokens", 600, "how many tokens the session index may take", between(0, 100_000)),
    Setting("decay.model", "weighted", "how weights fade: weighted or biomimetic", one_of("weighted", "biomimetic")),
    Setting(
        "decay.control",
        "auto",
        "who starts upkeep: auto (scheduled runs too) or manual (only you, by `memvault maintain`)",
        one_of("auto", "manual"),
    ),
    Setting(
        "decay.write",
        "grid",
        "when the numbers in a file follow: grid (by steps of 0.1), status (with the status) or never",
        one_of("grid", "status", "never"),
    ),
    Setting("decay.stale_below", 0.3, "a memory whose weight falls below this is stale", between(0, 1)),
    Setting("decay.stale_below_biomimetic", 0.1, "the same for the biomimetic model", between(0, 1)),
    Setting("decay.archive_days", 30, "a memory that stays stale for so many days is archived", between(1, 36500)),
    Setting("hot.enter", 1.0, "how much a memory must have been used lately to rise to Tier 1", between(0, 1000)),
    Setting(
        "hot.leave",
        0.35,
        "below this it goes back to Tier 2; lower than hot.enter, so that none flaps",
        between(0, 1000),
    ),
    Setting("hot.half_life_days", 14, "after so many days a use counts half", between(1, 3650)),
    Setting("hot.fill_kilobytes", 10, "Tier 1 is filled up to here", between(0, 10_000)),
    Setting("hot.most_kilobytes", 20, "and by much used memories up to here, never beyond", between(0, 10_000)),
    Setting("consolidate.merge", True, "let upkeep merge memories that say the same"),
    Setting(
        "promote.sessions", 3, "what comes up in so many conversations becomes lasting knowledge", between(2, 1000)
    ),
    Setting(
        "prune.after_months",
        0,
        "archived memories unused for so long may go to the trash, after you are asked; 0 for never",
        between(0, 1200),
    ),
    Setting("schedule.at", "04:17", "when upkeep is to run, by this machine's clock, as HH:MM", time_of_day),
    Setting(
        "index.backend",
        "whoosh",
        "the search backend: whoosh, or scan (no index, slow, always right)",
        one_of("whoosh", "scan"),
    ),
    Setting("index.max_kilobytes", 8192, "of a longer file, only this much is indexed", between(16, 1_048_576)),
    Setting("files.lock_seconds", 30.0, "how long to wait for another writer", between(0, 3600)),
    Setting("files.shared", False, "let the group read the files (modes 0640 and 0750 instead of 0600 and 0700)"),
    Setting("undo.keep_days", 90, "operations older than this can no longer be undone", between(1, 36500)),
    Setting("undo.keep_megabytes", 200, "and the oldest go first when they take more than this", between(1, 1_000_000)),
    Setting("watch.debounce_ms", 400, "quiet time after a change before it is taken in", between(10, 60_000)),
    Setting(
        "watch.scan_seconds", 60, "how often everything is looked over, whatever the events say", between(1, 86_400)
    ),
    Setting("user.vault", "", "the vault to use where no other is named", personal=True),
    Setting("user.editor", "", "the editor's command; VISUAL and EDITOR come first", personal=True),
    Setting("user.agent", "", "the name under which memories are signed", personal=True),
)

SETTINGS: Mapping[str, Setting] = MappingProxyType({row.name: row for row in TABLE})

PROFILES: Mapping[str, Mapping[str, Value]] = MappingProxyType(
    {
        "minimal": {"recall.limit": 5, "recall.budget": 4000},
        "production": {},
        "research": {"recall.limit": 5, "recall.min_similarity": 0.3},
    }
)


class Settings:
    """The values in force: defaults, then the profile's, then what was set, nearest last."""

    __slots__ = ("_values",)

    def __init__(self, given: Mapping[str, Value] | None = None) -> None:
        given = given or {}
        profile = PROFILES[str(given.get("vault.profile", SETTINGS["vault.profile"].default))]
        self._values: dict[str, Value] = {**profile, **given}

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


def read_table(tree: Mapping[str, object], *, where: str, personal: bool) -> dict[str, Value]:
    """The settings in a parsed TOML file; a personal one inside a vault's file is refused."""
    found: dict[str, Value] = {}
    for section, rows in tree.items():
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
