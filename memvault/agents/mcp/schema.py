"""A tool, and what it takes and gives as JSON Schema and as JSON: all of it read from its dataclasses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from inspect import cleandoc
from typing import Annotated, Any, get_type_hints

from memvault.agents.mcp.caller import McpCall
from memvault.agents.mcp.results import McpResult
from memvault.errors import BadInput

# pydantic is deferred throughout: the daemon loads the tools too, and is handed what was checked already.
_LONGEST_ECHO = 60


@dataclass(frozen=True, slots=True)
class McpTool:
    """One tool: a function of a call and a dataclass of arguments, whose docstring tells agents when to call it."""

    title: str
    handler: Callable[[McpCall, Any], McpResult]
    is_read_only: bool = False
    is_destructive: bool = False
    idempotent: bool = False
    is_storing: bool = False  # whether it keeps what the agent says: not while the user has memvault keep quiet
    max_characters: int = 0  # characters that its answer may take, where that may be many

    @property
    def name(self) -> str:
        """What agents call it: the name of the function."""
        return self.handler.__name__

    @property
    def arguments(self) -> type:
        """What it takes."""
        return _handler_types(self.handler)[1]

    @property
    def result(self) -> type:
        """What it gives."""
        return _handler_types(self.handler)[2]

    @property
    def description(self) -> str:
        """What it does and when to call it."""
        return cleandoc(self.arguments.__doc__ or "")


@cache
def _handler_types(handler: Callable[[McpCall, Any], McpResult]) -> tuple[type, ...]:
    return tuple(get_type_hints(handler).values())


def describe_argument(description: str, **limits: Any) -> Any:
    """Return what an argument means and what it may be, for the schema."""
    from pydantic import Field

    return Field(description=description, **limits)


class _OneOrMore:
    """One text where a list is meant is a list of one."""

    @staticmethod
    def __get_pydantic_core_schema__(kind: Any, handler: Callable[[Any], Any]) -> Any:
        from pydantic_core import core_schema

        return core_schema.no_info_before_validator_function(
            lambda value: (value,) if isinstance(value, str) else value, handler(kind)
        )


Texts = Annotated[tuple[str, ...], _OneOrMore]


@cache
def _type_adapter(kind: type) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


@cache
def argument_schema(kind: type) -> dict[str, Any]:
    """Return the schema of what a tool takes; an argument that it does not know is refused."""
    return {**_strip_schema(_type_adapter(kind).json_schema(mode="validation")), "additionalProperties": False}


@cache
def result_schema(kind: type) -> dict[str, Any]:
    """Return the schema of what a tool gives."""
    return _strip_schema(_type_adapter(kind).json_schema(mode="validation"))


def _strip_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Without the titles and docstrings that pydantic adds: every agent pays for them, and they say nothing."""
    plain = {name: part for name, part in schema.items() if name not in ("title", "description")}
    properties = schema.get("properties", {}).items()
    plain["properties"] = {name: {key: part[key] for key in part if key != "title"} for name, part in properties}
    if "$defs" in plain:
        plain["$defs"] = {name: _strip_schema(part) for name, part in plain["$defs"].items()}
    return plain


def parse_arguments(kind: type, given: Mapping[str, Any]) -> Any:
    """Return the arguments as the tool knows them; what is wrong is told in one sentence."""
    from pydantic import ValidationError

    known = [row.name for row in fields(kind)]
    unknown = [name for name in given if name not in known]
    if unknown:
        taken = ", ".join(known) or "no arguments"
        raise BadInput(what="the argument", value=unknown[0][:_LONGEST_ECHO], reason=f"this tool takes {taken}")
    try:
        return _type_adapter(kind).validate_python(dict(given))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(map(str, first["loc"]))
        if first["type"] == "missing":
            raise BadInput(what=f"`{name}`", value="", reason="it has to be given") from None
        reason = first["msg"][:1].lower() + first["msg"][1:]
        raise BadInput(what=f"`{name}`", value=_shorten(first["input"]), reason=reason) from None


def _shorten(value: object) -> object:
    if isinstance(value, int | float):
        return value
    text = str(value)
    return text if len(text) <= _LONGEST_ECHO else f"{text[: _LONGEST_ECHO - 1]}…"


def omit_defaults(value: Any) -> Any:
    """Return a value as JSON knows it, without what is as it always is: a model pays for every word."""
    if is_dataclass(value) and not isinstance(value, type):
        told = ((row, getattr(value, row.name)) for row in fields(value))
        return {row.name: omit_defaults(part) for row, part in told if row.default is MISSING or part != row.default}
    if isinstance(value, tuple):
        return [omit_defaults(part) for part in value]
    return {name: omit_defaults(part) for name, part in value.items()} if isinstance(value, Mapping) else value
