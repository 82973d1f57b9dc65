"""JSON schemas, as far as they are used here: whether a value fits, and the strict form that servers ask for."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

Schema = Mapping[str, object]

KEYWORDS = frozenset(
    {"type", "properties", "required", "items", "enum", "description"}
    | {"minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength"}
)
"""All that may stand in a schema here; a test sees to it that no other does."""

_NAMES = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "boolean": "true or false",
    "number": "a number",
    "integer": "a whole number",
    "null": "null",
}


def find_problem(value: object, schema: Schema, where: str = "") -> str:
    """Why a value does not fit a schema, without a word of the value; empty where it fits."""
    place = where or "the answer"
    wanted = _wanted_types(schema)
    if wanted and not any(_is_type(value, name) for name in wanted):
        return f"{place} must be {' or '.join(_NAMES[name] for name in wanted)}"
    options = schema.get("enum")
    if isinstance(options, list | tuple) and value not in options:
        return f"{place} must be one of {', '.join(map(str, options))}"
    match value:
        case dict():
            return _check_object(value, schema, where)
        case list():
            wrong = _check_bounds(
                len(value), schema, "minItems", "maxItems", f"the number of items in {where or 'the answer'}"
            )
            items = schema.get("items")
            if wrong or not isinstance(items, Mapping):
                return wrong
            found = (find_problem(item, items, f"{where}[{number}]") for number, item in enumerate(value))
            return next(filter(None, found), "")
        case str():
            if any("\ud800" <= character <= "\udfff" for character in value):
                return f"{place} has half a character in it"
            return _check_bounds(len(value), schema, "minLength", "maxLength", f"the length of {place}")
        case bool() | None:
            return ""
        case _:
            return _check_bounds(value, schema, "minimum", "maximum", place)


def make_strict(schema: Schema) -> dict[str, object]:
    """The schema as strict servers want it: every field must be given, and one that may be left out may be null."""
    made = {name: value for name, value in schema.items() if name != "required"}
    items = schema.get("items")
    if isinstance(items, Mapping):
        made["items"] = make_strict(items)
    if "object" in _wanted_types(schema):
        fields = _schema_fields(schema)
        required = _required_fields(schema)
        made["properties"] = {
            name: make_strict(inner) if name in required else _allow_null(make_strict(inner))
            for name, inner in fields.items()
        }
        made["required"] = list(fields)
        made["additionalProperties"] = False
    elif "required" in schema:
        made["required"] = schema["required"]
    return made


def _allow_null(schema: dict[str, object]) -> dict[str, object]:
    wanted = _wanted_types(schema)
    return schema if not wanted or "null" in wanted else {**schema, "type": [*wanted, "null"]}


def _wanted_types(schema: Schema) -> tuple[str, ...]:
    named = schema.get("type")
    return (named,) if isinstance(named, str) else tuple(named) if isinstance(named, list | tuple) else ()


def _schema_fields(schema: Schema) -> Mapping[str, Schema]:
    fields = schema.get("properties")
    return fields if isinstance(fields, Mapping) else {}


def _required_fields(schema: Schema) -> frozenset[str]:
    required = schema.get("required")
    return frozenset(required) if isinstance(required, list | tuple) else frozenset()


def _is_type(value: object, name: str) -> bool:
    match name:
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case _:
            return _is_number(value) and (name == "number" or isinstance(value, int) or _is_whole(value))


def _is_number(value: object) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, float) and isfinite(value))


def _is_whole(value: object) -> bool:
    return isinstance(value, float) and value.is_integer()


def _check_object(value: Mapping[str, object], schema: Schema, where: str) -> str:
    required = _required_fields(schema)
    for name in sorted(required):
        if name not in value:
            return f"{_nested_path(where, name)} is missing"
    for name, inner in _schema_fields(schema).items():
        left_out = name not in value or (value[name] is None and name not in required)
        wrong = "" if left_out else find_problem(value[name], inner, _nested_path(where, name))
        if wrong:
            return wrong
    return ""


def _nested_path(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _check_bounds(value: object, schema: Schema, least: str, most: str, place: str) -> str:
    low, high = schema.get(least), schema.get(most)
    if not isinstance(value, int | float):
        return ""
    if isinstance(low, int | float) and value < low:
        return f"{place} must not be below {low}"
    return f"{place} must not be above {high}" if isinstance(high, int | float) and value > high else ""
