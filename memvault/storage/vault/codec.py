"""Memories as the bytes of their files, and back."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from types import MappingProxyType

from memvault.core.fields import RawValue, YamlValue, read_identity, read_texts, to_yaml_value
from memvault.core.fields import ScalarValue as PlainValue
from memvault.core.kinds import FIELDS, KINDS, Kinds, implied_kind
from memvault.core.memory import SOURCES, FieldValue, Memory, Place
from memvault.core.plan import ListEdit
from memvault.core.secrets.private_spans import strip_private
from memvault.errors import CannotEdit
from memvault.storage import frontmatter
from memvault.storage.frontmatter import ParsedNote, PlainScalar, Refusal, RemovedKey, Setting
from memvault.text.dates.dates import parse_day, read_moment
from memvault.text.markdown import first_heading, title_from_name

_ATTRIBUTES = frozenset(Memory.__slots__)
_ALWAYS_WRITTEN = frozenset(("id", "kind", "title", "created", "last_accessed", "weight"))
NOTHING_MORE: Mapping[str, Setting] = MappingProxyType({})
_PLAIN = re.compile(r"-?\d+(?:\.\d+)?|true|false|\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?")
_DRAWING = ".excalidraw.md"
UNKNOWN = "semantic"  # the behavior of an unknown kind


@dataclass(frozen=True, slots=True)
class NoteOrigin:
    """What is known of a note from outside its text."""

    path: str
    place: Place
    id: str  # from the ledger; the file's own id has priority
    first_seen: datetime
    modified: datetime
    zone: tzinfo = UTC
    kinds: Kinds = KINDS  # those that the vault knows


def read_memory(block: ParsedNote, origin: NoteOrigin, *, version: str) -> Memory:
    """Return the memory that a note holds; missing and foreign values take their defaults."""
    kinds = origin.kinds
    values = dict(_field_values(block, origin))
    body = block.text
    memory_type = str(values.get("type", "memory"))
    named = str(values.get("kind", "")).casefold()
    kind = (
        named
        if named in kinds
        else kinds.implied_by_type(memory_type) or (UNKNOWN if named else kinds.guess_kind(body))
    )
    known = {name: value for name, value in values.items() if name in _ATTRIBUTES}
    known |= {
        "id": values.get("id") or origin.id,
        "status": values.get("status") or ("archived" if origin.place is Place.ARCHIVED else "active"),
        "type": memory_type,
        "kind": kind,
        "title": _own_title(values.get("title"), "" if is_drawing(origin.path) else body)
        or title_from_name(file_stem(origin.path).removesuffix(_DRAWING[:-3])),
        "created": values.get("created") or _day_in_name(origin) or origin.modified,
        "last_accessed": values.get("last_accessed") or origin.first_seen,
    }
    more = {name: value for name, value in values.items() if name not in _ATTRIBUTES}
    if "source" not in more and (elsewhere := find_origin(block.fields, body, kinds.fields)):
        more["source"] = elsewhere
    return Memory(
        path=origin.path,
        place=origin.place,
        version=version,
        body=body,
        more=MappingProxyType(more),
        stated=tuple(name for name in kinds.fields if name in values),
        theirs=tuple(name for name in kinds.fields if name not in values and block.fields.get(name)),
        half_life=None if kind in KINDS else kinds[kind].half_life_days,
        problem=f"line {block.problem.line}: {block.problem.reason}" if block.problem else "",
        **known,  # type: ignore[arg-type]  # every value came through the reader of its own field
    )


def is_drawing(path: str) -> bool:
    """Return whether a note is a drawing of Excalidraw, whose text is the program's."""
    return path.casefold().endswith(_DRAWING)


def name_only_memory(path: str, place: Place, id_: str, now: datetime, problem: str) -> Memory:
    """Return the memory of a note whose text cannot be read: its name, and why."""
    title = title_from_name(file_stem(path))
    return Memory(id=id_, path=path, place=place, title=title, created=now, last_accessed=now, body="", problem=problem)


def claims_id(block: ParsedNote) -> bool:
    """Return whether the note itself says which memory it is."""
    return read_identity(block.fields.get("id"), UTC) is not None


def _own_title(said: object, body: str) -> str:
    """Return a note's own title, as far as it may be shown."""
    for title in (str(said or ""), first_heading(strip_private(body)) or ""):
        if strip_private(title).strip():
            return title
    return ""


def _field_values(block: ParsedNote, origin: NoteOrigin) -> Iterator[tuple[str, FieldValue]]:
    raw, fields = _merge_flat_refs(block.fields), origin.kinds.fields
    for name in raw.keys() & fields.keys():
        value = fields[name].read(raw[name], origin.zone)
        if value is not None:
            yield name, value


def _merge_flat_refs(fields: Mapping[str, RawValue]) -> Mapping[str, RawValue]:
    flat = {name.removeprefix("ref_"): value for name, value in fields.items() if name.startswith("ref_")}
    if not flat:
        return fields
    nested = fields.get("refs")
    return {**fields, "refs": {**flat, **(nested if isinstance(nested, dict) else {})}}


def file_stem(path: str) -> str:
    """Return the name of a note without its ending."""
    return path.rpartition("/")[2].rpartition(".")[0]


def _day_in_name(origin: NoteOrigin) -> datetime | None:
    day = parse_day(file_stem(origin.path)[:10])
    return read_moment(day.isoformat(), local=origin.zone) if day else None


# -- writing


def encode_new(memory: Memory, more: Mapping[str, Setting] = NOTHING_MORE) -> bytes:
    """Return the file of a new memory: the fields every memory has, others that are not the default, and more."""
    return frontmatter.compose({**dict(_fields_of_new(memory)), **more}, memory.body or "")


def unknown_fields(block: ParsedNote, kinds: Kinds) -> dict[str, Setting]:
    """Return the fields of a note that are not ours, in a form that can be written again."""
    fields = {name: raw for name, raw in block.fields.items() if name not in kinds.fields}
    return {name: setting for name, raw in fields.items() if (setting := _writable_setting(raw)) is not None}


def _writable_setting(raw: RawValue) -> Setting | None:
    match raw:
        case str() if raw.strip():
            return PlainScalar(raw.strip()) if _PLAIN.fullmatch(raw.strip()) else raw.strip()
        case list():
            return list(read_texts(raw, UTC) or ()) or None
        case _:
            return None  # nested values stay in the original


def merge_fields(found: Iterable[Mapping[str, Setting]]) -> dict[str, Setting]:
    """Return the fields of several notes as one; where they differ, a list of all values."""
    values: dict[str, list[Setting]] = {}
    for fields in found:
        for name, setting in fields.items():
            values.setdefault(name, []).append(setting)
    return {name: _merge_settings(settings) for name, settings in values.items()}


def _merge_settings(settings: list[Setting]) -> Setting:
    if all(setting == settings[0] for setting in settings):
        return settings[0]
    items = (item for setting in settings for item in (setting if isinstance(setting, list) else [setting]))
    return list(dict.fromkeys(str(item) for item in items))


def _fields_of_new(memory: Memory) -> Iterator[tuple[str, Setting]]:
    """Yield the fields in the order of the format."""
    for name in dict.fromkeys((*FIELDS, *memory.more)):  # fields of the user's own kinds come last
        value = getattr(memory, name) if name in _ATTRIBUTES else memory.more.get(name)
        default = FIELDS[name].default if name in FIELDS else None
        if name == "aliases" and isinstance(value, tuple):
            value = tuple(alias for alias in value if alias != memory.name)
        if value is None or (name == "kind" and implied_kind(memory.type) == memory.kind):
            continue
        if name in _ALWAYS_WRITTEN or (
            value not in ((), {}) and value != default and not (name == "source" and goes_without_source(memory))
        ):
            yield name, _as_setting(to_yaml_value(value))


def goes_without_source(memory: Memory) -> bool:
    """Return whether a note is taken for the person's own words though it does not say that it is theirs."""
    if memory.place is Place.QUARANTINE or memory.more.get("source") != SOURCES[0]:
        return False
    return not find_origin({}, memory.body or "", FIELDS)


def set_fields(raw: bytes, changes: Mapping[str, FieldValue | None], *, path: str) -> bytes:
    """Return the file's bytes with some fields set (None removes one) and every other byte as it was.

    A `source` of other words than ours, such as an address, is kept under `see`.
    """
    block = frontmatter.parse(raw)
    kept = _displaced_source(block.fields) if changes.get("source") else {}
    for name in changes:
        row, held = FIELDS.get(name.partition(".")[0]), block.fields.get(name)
        if row is not None and held and row.read(held, UTC) is None and not (kept and name == "source"):
            reason = f"its `{name}: {held}` is not memvault's to change"
            raise CannotEdit(path=path, reason=reason, line="")
    wanted: dict[str, Setting | RemovedKey] = {
        name: RemovedKey() if value is None else _as_setting(to_yaml_value(value)) for name, value in changes.items()
    }
    return _patch_note(raw, {**wanted, **kept}, path)


def _displaced_source(fields: Mapping[str, RawValue]) -> dict[str, Setting]:
    """Return the words in `source` that are not ours, as the field that keeps them where ours take their place."""
    told = fields.get("source")
    setting = _writable_setting(told) if told and "see" not in fields else None
    return {} if setting is None or FIELDS["source"].read(told, UTC) is not None else {"see": setting}


def change_lists(raw: bytes, lists: Mapping[str, ListEdit], *, path: str, kinds: Kinds = KINDS) -> bytes:
    """Return the file's bytes with items added to or removed from some lists, and every other byte as it was."""
    fields = _merge_flat_refs(frontmatter.parse(raw).fields)
    found = {name: _read_field(name, fields, kinds) for name in lists}
    return set_fields(raw, {name: items.apply_to(as_list(found[name])) for name, items in lists.items()}, path=path)


def _read_field(name: str, fields: Mapping[str, RawValue], kinds: Kinds) -> FieldValue | None:
    """Return the value of a field, or of a key of a map: `refs.artifacts`."""
    top, _, below = name.partition(".")
    found = kinds.fields[top].read(fields[top], UTC) if top in fields else None
    if not below:
        return found
    items = found.get(below) if isinstance(found, Mapping) else None
    return items if isinstance(items, tuple) else None


def as_list(value: FieldValue | None) -> tuple[str, ...]:
    """Return a field's value as a list; a single value becomes a list of one."""
    if value is None or isinstance(value, tuple):
        return value or ()
    return (str(value),)


def set_unknown_fields(raw: bytes, fields: Mapping[str, RawValue], *, path: str) -> bytes:
    """Return the file's bytes with fields set that are not ours, in the form they were read elsewhere."""
    wanted: dict[str, Setting | RemovedKey] = {}
    for name, value in fields.items():
        setting = _writable_setting(value)
        if setting is None:
            raise CannotEdit(path=path, reason=f"its `{name}` holds what cannot be written again", line="")
        wanted[name] = setting
    return _patch_note(raw, wanted, path)


def _patch_note(raw: bytes, wanted: Mapping[str, Setting | RemovedKey], path: str) -> bytes:
    try:
        return frontmatter.patch(raw, wanted)
    except Refusal as refusal:
        where = f" (line {refusal.line})" if refusal.line else ""
        raise CannotEdit(path=path, reason=refusal.reason, line=where) from None


def replace_body(raw: bytes, body: str, *, path: str) -> bytes:
    """Return the file's bytes with another body; the frontmatter and the line endings stay."""
    try:
        raw.decode()
    except UnicodeDecodeError:
        raise CannotEdit(path=path, reason="the file is not UTF-8 text", line="") from None
    block = frontmatter.parse(raw)
    text = body.replace("\r\n", "\n").replace("\n", block.eol)
    return raw[: block.body_start] + text.encode()


def append_text(raw: bytes, text: str, *, path: str) -> bytes:
    """Return the file's bytes with a paragraph added at the end."""
    return replace_body(raw, f"{frontmatter.parse(raw).text.rstrip()}\n\n{text.strip()}\n", path=path)


def _as_setting(value: YamlValue) -> Setting:
    match value:
        case PlainValue(text):
            return PlainScalar(text)
        case str() | list():
            return value
        case _:
            return {key: _as_setting(part) for key, part in value.items()}


# A note's own words tell that its text comes from elsewhere: its source, an address, a line below the title.


_WEB, _ELSEWHERE = "web", "import"

_ADDRESS = re.compile(r"\s*(?:\[\[|\[[^\]\n]{0,300}\]\(|[<\"(])?(?:(?:https?|ftp|gemini)://|www\.)", re.IGNORECASE)
_ANYWHERE = re.compile(r"(?:https?|ftp|gemini)://|\bwww\.|\[\[", re.IGNORECASE)
_DOMAIN = r"(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?::\d{1,5})?"
_BARE = re.compile(rf"\s*(?:\[\[)?{_DOMAIN}(?:[/?#]\S*)?(?:\]\])?\s*", re.IGNORECASE)
_BARE_PAGE = re.compile(rf"\s*(?:\[\[)?{_DOMAIN}/\S*\s*", re.IGNORECASE)
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
# Words in the name of a field that say where the text is from, so that a bare name of a host is enough there.
_ORIGINS = frozenset(
    (
        "source",
        "url",
        "link",
        "href",
        "web",
        "website",
        "site",
        "page",
        "canonical",
        "clipped",
        "original",
        "via",
        "from",
    )
)
# What a text points to, and pictures: of no other field is its address the text's own.
_POINTERS = frozenset(
    ("see", "related", "repo", "repository", "image", "cover", "banner", "icon", "thumbnail", "avatar", "logo")
)

_HEAD = 1_000  # characters of a text: a clipper writes the address below the title
_LINE = re.compile(
    r"\b(?:copied|clipped|pasted|quoted|excerpt(?:ed)?|transcribed) (?:from|out of) (?:there|here|<?https?://|www\.|\[\[)"
    r"|^[\s>*+-]*(?:\*\*|__)?(?:(?:original|source|canonical|page|article)[ -]?(?:url|link|page)?|url"
    r"|(?:clipped|saved|retrieved|copied|imported) from)(?:\*\*|__)?\s*::?(?:\*\*|__)?\s*"
    r"(?:\[[^\]\n]{0,300}\]\(|<)?(?:https?|ftp)://\S+\s*$",
    re.IGNORECASE | re.MULTILINE,
)


def find_origin(fields: Mapping[str, RawValue], body: str, known: Collection[str]) -> str:
    """Return the source that a note tells by other words than ours: a page's, or another's; empty where it tells none.

    A person says otherwise with `source: user`. The fields that memvault knows (`known`) say nothing of this.
    """
    said = " ".join(_texts_in(fields.get("source"))).strip()
    if said.casefold() in SOURCES:
        return ""
    if said and (_ANYWHERE.search(said) or _BARE.fullmatch(said)):
        return _WEB
    others = ((name, value) for name, value in fields.items() if name not in known and not name.startswith("ref_"))
    if any(_names_page(name, text) for name, value in others for text in _texts_in(value)):
        return _WEB
    if _LINE.search(body[:_HEAD]):
        return _WEB
    return _ELSEWHERE if said else ""


def _names_page(name: str, text: str) -> bool:
    words = {word.casefold() for word in _WORDS.findall(name)}
    if words & _POINTERS:
        return False
    bare = _BARE if words & _ORIGINS else _BARE_PAGE
    return _ADDRESS.match(text) is not None or bare.fullmatch(text) is not None


def _texts_in(value: RawValue) -> Iterator[str]:
    match value:
        case str():
            yield value
        case [[str(name)]]:  # an unquoted `[[x]]`, which YAML reads as a list within a list
            yield f"[[{name}]]"
        case list():
            yield from (text for part in value for text in _texts_in(part))
        case dict():
            yield from (text for part in value.values() for text in _texts_in(part))
