"""The frontmatter fields: one row each, with how a value is read from text and written back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, tzinfo

from memvault.core.ids import is_id
from memvault.core.memory import SOURCES, FieldValue
from memvault.core.value import Record
from memvault.text.dates.dates import WholeDay, read_moment, write_moment

TYPES = ("memory", "learning", "milestone", "reference")
STATUSES = ("active", "stale", "archived")
SCOPES = ("session", "project", "global")

RawValue = str | None | list["RawValue"] | dict[str, "RawValue"]
FieldReader = Callable[[RawValue, tzinfo], FieldValue | None]


class ScalarValue(Record):
    """A scalar that is written as it stands: a number, a date, true or false."""

    text: str


YamlValue = str | ScalarValue | list[str] | Mapping[str, "YamlValue"]


class Field(Record):
    """One frontmatter key: its reader answers None for a value that is not ours to interpret."""

    name: str
    read: FieldReader
    meaning: str
    default: FieldValue | None = None


def text(raw: RawValue, _zone: tzinfo) -> str | None:
    """Read any text, stripped."""
    return raw.strip() if isinstance(raw, str) and raw.strip() else None


def number(low: float, high: float) -> FieldReader:
    """Return a reader of numbers within a range; a value outside it is somebody else's."""

    def read(raw: RawValue, zone: tzinfo) -> float | None:
        written = text(raw, zone) or ""
        try:
            value = float(written if written.isascii() and "_" not in written else "")
        except ValueError:
            return None
        return value if low <= value <= high else None

    return read


def read_count(raw: RawValue, zone: tzinfo) -> int | None:
    """Read a whole number from zero up."""
    written = text(raw, zone) or ""
    return int(written) if written.isascii() and written.isdigit() and len(written) < 10 else None


def read_identity(raw: RawValue, zone: tzinfo) -> str | None:
    """Read a uuid, with or without hyphens, into its usual form."""
    bare = (text(raw, zone) or "").casefold().replace("-", "")
    found = f"{bare[:8]}-{bare[8:12]}-{bare[12:16]}-{bare[16:20]}-{bare[20:]}"
    return found if is_id(found) else None


_TRUE, _FALSE = {"true", "yes", "on", "y", "1"}, {"false", "no", "off", "n", "0"}


def read_flag(raw: RawValue, zone: tzinfo) -> bool | None:
    """Read true or false, in any of the spellings that people and YAML use."""
    written = (text(raw, zone) or "").casefold()
    return True if written in _TRUE else False if written in _FALSE else None


def read_date(raw: RawValue, zone: tzinfo) -> datetime | None:
    """Read a point in time; without an offset it is local."""
    written = text(raw, zone)
    return read_moment(written, local=zone) if written else None


def read_day(raw: RawValue, zone: tzinfo) -> WholeDay | None:
    """Read a day, whatever hour is written with it."""
    found = read_date(raw, zone)
    here = found and found.astimezone(zone)
    return WholeDay(here.year, here.month, here.day, tzinfo=zone) if here else None


def read_choice(*options: str) -> FieldReader:
    """Return a reader that takes one word out of a few."""

    def read(raw: RawValue, zone: tzinfo) -> str | None:
        written = (text(raw, zone) or "").casefold()
        return written if written in options else None

    return read


def read_texts(raw: RawValue, _zone: tzinfo) -> tuple[str, ...] | None:
    """Read a list of texts; a single text is a list of one, empty items and repeats are dropped."""
    items = map(_unwrap_link, raw) if isinstance(raw, list) else [raw]
    found = [item.strip() for item in items if isinstance(item, str) and item.strip()]
    return None if not found and raw else tuple(dict.fromkeys(found))


def _unwrap_link(item: RawValue) -> RawValue:
    """Turn an unquoted `[[x]]`, which YAML reads as a list within a list, back into a link."""
    match item:
        case [[str(name)]] | [str(name)]:
            return f"[[{name}]]"
        case _:
            return item


def read_names(raw: RawValue, zone: tzinfo) -> tuple[str, ...] | None:
    """Read a list of names; one written as a wikilink is the name it links to."""
    found = read_texts(raw, zone)
    return None if found is None else tuple(dict.fromkeys(_strip_link(name) for name in found))


def _strip_link(name: str) -> str:
    return name[2:-2].partition("|")[0].strip() if name.startswith("[[") and name.endswith("]]") else name


def read_tags(raw: RawValue, zone: tzinfo) -> tuple[str, ...] | None:
    """Read tags without their `#`; a text with commas or spaces is split as Obsidian does."""
    if isinstance(raw, str):
        raw = [*raw.replace(",", " ").split()]
    found = read_texts(raw, zone)
    return None if found is None else tuple(dict.fromkeys(tag.lstrip("#") for tag in found if tag.lstrip("#")))


def clean_tag(tag: str) -> str:
    """Return a tag as Obsidian takes it: without `#`, and with hyphens for its spaces."""
    return "-".join(tag.strip().lstrip("#").split())


def read_references(raw: RawValue, zone: tzinfo) -> Mapping[str, FieldValue] | None:
    """Read the `refs:` map: each key has a list of texts, which are never opened."""
    if raw and not isinstance(raw, dict):
        raw = {"artifacts": raw}
    if not isinstance(raw, dict):
        return None
    return {key: found for key, value in raw.items() if (found := read_texts(value, zone))}


COMMON_FIELDS: tuple[Field, ...] = (
    Field("id", read_identity, "the memory's identity, a uuid"),
    Field("type", read_choice(*TYPES), "memory, learning, milestone or reference", "memory"),
    Field("kind", text, "how it behaves: episodic, semantic, prospective, procedural or working"),
    Field("title", text, "one line that names it"),
    Field("aliases", read_texts, "other names Obsidian finds it by", ()),
    Field("created", read_date, "when it was made"),
    Field("last_accessed", read_date, "when it was last used"),
    Field("access_count", read_count, "how often it was used", 0),
    Field("weight", number(0.0, 1.0), "how much it matters now, 0 to 1", 0.5),
    Field("base_weight", number(0.0, 1.0), "the weight that decay starts from"),
    Field("emotional_flag", read_flag, "marked as significant: resists decay", False),
    Field("pinned", read_flag, "never decays", False),
    Field("decay_eligible", read_flag, "whether it may decay at all", True),
    Field("status", read_choice(*STATUSES), "active, stale or archived", "active"),
    Field("tags", read_tags, "short words that sort memories", ()),
    Field("topics", read_names, "what it is about", ()),
    Field("people", read_names, "whom it is about", ()),
    Field("triggers", read_texts, "phrases that load it", ()),
    Field("guard", read_flag, "the agent asks before an edit or a command that it bears on"),
    Field("refs", read_references, "session, deep_context and artifacts it points to"),
    Field("source", read_choice(*SOURCES), "where it came from, and so how far it is trusted"),
    Field("tainted", read_flag, "written in a session that read the web"),
    Field("unsure", read_flag, "picked up, and perhaps not worth keeping: found, but given to nobody unasked"),
    Field("called_wrong", read_date, "when a person said that it is wrong: given to nobody unasked until one looks"),
    Field("until", read_day, "the last day on which it holds: given to nobody unasked once that is over"),
    Field("unhelpful_for", read_texts, "topics of prompts at which it was of no use: given less readily there"),
    Field("agent", text, "the program that wrote it"),
    Field("device", text, "the machine it was written on"),
    Field("session", text, "the conversation it came from"),
    Field("project", text, "the project it belongs to"),
    Field("branch", text, "the branch and commit on which it was decided, where that was not the main one"),
    Field("scope", read_choice(*SCOPES), "session, project or global"),
    Field("promoted_from", text, "the kind or memories it was promoted from"),
    Field("reinforces", read_texts, "memories it supports"),
    Field("contradicts", read_texts, "memories it speaks against"),
    Field("extends", read_texts, "memories it adds to"),
    Field("refines", read_texts, "memories it makes more exact"),
    Field("supersedes", read_texts, "memories it replaces"),
    Field("superseded_by", read_texts, "memories that replace it"),
    Field("contested", read_texts, "memories that say otherwise"),
    Field("merged_from", read_texts, "ids of the memories it was merged from"),
    Field("merged_into", text, "id of the memory that took it in"),
)

RELATIONS = ("reinforces", "contradicts", "extends", "refines", "supersedes")
LISTS = ("aliases", "tags", "topics", "people", "triggers")


def to_yaml_value(value: FieldValue) -> YamlValue:
    """Return the form in which a value goes into a file."""
    match value:
        case bool():
            return ScalarValue("true" if value else "false")
        case int():
            return ScalarValue(str(value))
        case float():
            return ScalarValue(format_number(value))
        case WholeDay():
            return ScalarValue(value.date().isoformat())
        case datetime():
            return ScalarValue(write_moment(value))
        case tuple():
            return list(value)
        case str():
            return value
        case _:
            return {key: _write_reference(part) for key, part in value.items()}


def _write_reference(part: object) -> YamlValue:
    items = list(part) if isinstance(part, tuple | list) else [part]
    return str(items[0]) if len(items) == 1 else [str(item) for item in items]


def format_number(value: float) -> str:
    """Return a number as short as it can be without losing what two decimals say."""
    return f"{value:.4f}".rstrip("0").rstrip(".") or "0"
