"""The frontmatter fields: one row each, with how a value is read from text and written back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, tzinfo

from memvault.core.ids import is_id
from memvault.core.memory import FieldValue
from memvault.core.value import Frozen
from memvault.text.dates.dates import Day, read_moment, write_moment

TYPES = ("memory", "learning", "milestone", "reference")
STATUSES = ("active", "stale", "archived")
SOURCES = ("user", "agent", "hook", "import", "tool", "web")  # trust falls in this order
SCOPES = ("session", "project", "global")

Raw = str | None | list["Raw"] | dict[str, "Raw"]
Reader = Callable[[Raw, tzinfo], FieldValue | None]


class Plain(Frozen):
    """A scalar to be written as it stands: a number, a date, true or false."""

    text: str


Written = str | Plain | list[str] | Mapping[str, "Written"]


class Field(Frozen):
    """One frontmatter key: its reader answers None for a value that is not ours to interpret."""

    name: str
    read: Reader
    meaning: str
    default: FieldValue | None = None


def _scalar(raw: Raw) -> str | None:
    return raw.strip() if isinstance(raw, str) and raw.strip() else None


def text(raw: Raw, _zone: tzinfo) -> str | None:
    """Any text, stripped."""
    return _scalar(raw)


def number(low: float, high: float) -> Reader:
    """A number within a range; outside it the value is somebody else's."""

    def read(raw: Raw, _zone: tzinfo) -> float | None:
        written = _scalar(raw) or ""
        try:
            value = float(written if written.isascii() and "_" not in written else "")
        except ValueError:
            return None
        return value if low <= value <= high else None

    return read


def count(raw: Raw, _zone: tzinfo) -> int | None:
    """A whole number from zero up."""
    written = _scalar(raw) or ""
    return int(written) if written.isascii() and written.isdigit() and len(written) < 10 else None


def identity(raw: Raw, _zone: tzinfo) -> str | None:
    """A uuid, with or without hyphens, in its usual form."""
    bare = (_scalar(raw) or "").casefold().replace("-", "")
    found = f"{bare[:8]}-{bare[8:12]}-{bare[12:16]}-{bare[16:20]}-{bare[20:]}"
    return found if is_id(found) else None


_TRUE, _FALSE = {"true", "yes", "on", "y", "1"}, {"false", "no", "off", "n", "0"}


def flag(raw: Raw, _zone: tzinfo) -> bool | None:
    """True or false, in any of the spellings people and YAML use."""
    written = (_scalar(raw) or "").casefold()
    return True if written in _TRUE else False if written in _FALSE else None


def moment(raw: Raw, zone: tzinfo) -> datetime | None:
    """A point in time; without an offset it is local."""
    written = _scalar(raw)
    return read_moment(written, local=zone) if written else None


def one_of(*options: str) -> Reader:
    """One word out of a few."""

    def read(raw: Raw, _zone: tzinfo) -> str | None:
        written = (_scalar(raw) or "").casefold()
        return written if written in options else None

    return read


def texts(raw: Raw, _zone: tzinfo) -> tuple[str, ...] | None:
    """A list of texts; a single text is a list of one, empty items are dropped, repeats kept once."""
    items = map(_unwrapped, raw) if isinstance(raw, list) else [raw]
    found = [item.strip() for item in items if isinstance(item, str) and item.strip()]
    if not found and raw:
        return None
    return tuple(dict.fromkeys(found))


def _unwrapped(item: Raw) -> Raw:
    """An unquoted `[[x]]` reaches us as a list within a list: it was meant as a link."""
    match item:
        case [[str(name)]] | [str(name)]:
            return f"[[{name}]]"
        case _:
            return item


def names(raw: Raw, zone: tzinfo) -> tuple[str, ...] | None:
    """A list of names; one written as a wikilink is the name it links to."""
    found = texts(raw, zone)
    return None if found is None else tuple(dict.fromkeys(_linked_name(name) for name in found))


def _linked_name(name: str) -> str:
    return name[2:-2].partition("|")[0].strip() if name.startswith("[[") and name.endswith("]]") else name


def tags(raw: Raw, zone: tzinfo) -> tuple[str, ...] | None:
    """Tags without their `#`; a comma-separated or spaced text is taken apart as Obsidian does."""
    if isinstance(raw, str):
        raw = [*raw.replace(",", " ").split()]
    found = texts(raw, zone)
    return None if found is None else tuple(dict.fromkeys(tag.lstrip("#") for tag in found if tag.lstrip("#")))


def references(raw: Raw, zone: tzinfo) -> Mapping[str, FieldValue] | None:
    """The `refs:` map: each key a list of texts, never opened by reading."""
    if raw and not isinstance(raw, dict):
        raw = {"artifacts": raw}
    if not isinstance(raw, dict):
        return None
    return {key: found for key, value in raw.items() if (found := texts(value, zone))}


COMMON: tuple[Field, ...] = (
    Field("id", identity, "the memory's identity, a uuid"),
    Field("type", one_of(*TYPES), "memory, learning, milestone or reference", "memory"),
    Field("kind", text, "how it behaves: episodic, semantic, prospective, procedural or working"),
    Field("title", text, "one line that names it"),
    Field("aliases", texts, "other names Obsidian finds it by", ()),
    Field("created", moment, "when it was made"),
    Field("last_accessed", moment, "when it was last used"),
    Field("access_count", count, "how often it was used", 0),
    Field("weight", number(0.0, 1.0), "how much it matters now, 0 to 1", 0.5),
    Field("base_weight", number(0.0, 1.0), "the weight that decay starts from"),
    Field("emotional_flag", flag, "marked as significant: resists decay", False),
    Field("pinned", flag, "never decays", False),
    Field("decay_eligible", flag, "whether it may decay at all", True),
    Field("status", one_of(*STATUSES), "active, stale or archived", "active"),
    Field("tags", tags, "short words that sort memories", ()),
    Field("topics", names, "what it is about", ()),
    Field("people", names, "whom it is about", ()),
    Field("triggers", texts, "phrases that load it", ()),
    Field("refs", references, "session, deep_context and artifacts it points to"),
    Field("source", one_of(*SOURCES), "where it came from, and so how far it is trusted"),
    Field("tainted", flag, "written in a session that read the web"),
    Field("agent", text, "the program that wrote it"),
    Field("device", text, "the machine it was written on"),
    Field("session", text, "the conversation it came from"),
    Field("project", text, "the project it belongs to"),
    Field("scope", one_of(*SCOPES), "session, project or global"),
    Field("promoted_from", text, "the kind or memories it was promoted from"),
    Field("reinforces", texts, "memories it supports"),
    Field("contradicts", texts, "memories it speaks against"),
    Field("extends", texts, "memories it adds to"),
    Field("refines", texts, "memories it makes more exact"),
    Field("supersedes", texts, "memories it replaces"),
    Field("superseded_by", texts, "memories that replace it"),
    Field("contested", texts, "memories that say otherwise"),
    Field("merged_from", texts, "ids of the memories it was merged from"),
    Field("merged_into", text, "id of the memory that took it in"),
)

RELATIONS = ("reinforces", "contradicts", "extends", "refines", "supersedes")
LISTS = ("aliases", "tags", "topics", "people", "triggers")


def written(value: FieldValue) -> Written:
    """The form in which a value goes into a file."""
    match value:
        case bool():
            return Plain("true" if value else "false")
        case int():
            return Plain(str(value))
        case float():
            return Plain(number_text(value))
        case Day():
            return Plain(value.date().isoformat())
        case datetime():
            return Plain(write_moment(value))
        case tuple():
            return list(value)
        case str():
            return value
        case _:
            return {key: _reference(part) for key, part in value.items()}


def _reference(part: object) -> Written:
    items = list(part) if isinstance(part, tuple | list) else [part]
    return str(items[0]) if len(items) == 1 else [str(item) for item in items]


def number_text(value: float) -> str:
    """A number as short as it can be without losing what two decimals say."""
    return f"{value:.4f}".rstrip("0").rstrip(".") or "0"
