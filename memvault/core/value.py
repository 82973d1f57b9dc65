"""Records: classes with slots, equal by their fields, and cheap to define."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from types import MappingProxyType
from typing import Any, ClassVar, NoReturn, TypeVar, dataclass_transform

# `dataclass` writes the source of each class's methods and compiles it, and loads all that Python has to inspect
# functions: for the fifty classes that a recall loads, that was a third of its time. These classes share their methods.
# For `dataclasses.fields`, `replace` and `asdict` they are dataclasses.

RecordType = TypeVar("RecordType", bound="_RecordBase")

_NO_METADATA: Mapping[str, object] = MappingProxyType({})
_MISSING = object()  # where there is no default


class _FieldSpec:
    """A field's default, factory and metadata."""

    __slots__ = ("default", "factory", "metadata")

    def __init__(self, default: object, make: Callable[[], object] | None, metadata: Mapping[str, object]) -> None:
        self.default, self.factory, self.metadata = default, make, metadata


def field(
    *,
    default: Any = _MISSING,
    default_factory: Callable[[], Any] | None = None,
    metadata: Mapping[str, object] = _NO_METADATA,
) -> Any:
    """Describe a field that needs more than a default."""
    return _FieldSpec(default, default_factory, metadata)


class _RecordMeta(type):
    """The metaclass of records: annotations become fields, after those of the base class."""

    _fields: dict[str, _FieldSpec]
    _positional: tuple[str, ...]  # those that may be given without their names
    _defaults: dict[str, object]
    _factories: tuple[tuple[str, Callable[[], object]], ...]
    _setters: tuple[tuple[str, Callable[[object, object], None]], ...]  # past the check that a record is frozen
    _get_values: Callable[[object], object]

    def __new__(
        meta, name: str, bases: tuple[type, ...], body: dict[str, Any], *, kw_only: bool = False
    ) -> _RecordMeta:
        own = tuple(name for name, kind in body.get("__annotations__", {}).items() if "ClassVar" not in str(kind))
        given = {name: body.pop(name, _MISSING) for name in own}  # a slot has no room for a default
        rows = {
            name: row if isinstance(row, _FieldSpec) else _FieldSpec(row, None, _NO_METADATA)
            for name, row in given.items()
        }
        for row in rows.values():
            if isinstance(row.default, list | dict | set):  # all values of the class would share it
                raise TypeError(f"{name}: give a field that changes a default_factory")
        above = next((base for base in bases if isinstance(base, _RecordMeta)), None)
        by_place = (() if above is None else above._positional) + (() if kw_only else own)
        made = super().__new__(meta, name, bases, {**body, "__slots__": own, "__match_args__": by_place})
        made._fields = rows if above is None else {**above._fields, **rows}
        made._positional = by_place
        made._defaults = {name: row.default for name, row in made._fields.items() if row.default is not _MISSING}
        made._factories = tuple((name, row.factory) for name, row in made._fields.items() if row.factory is not None)
        made._setters = tuple((name, getattr(made, name).__set__) for name in made._fields)
        made._get_values = attrgetter(*made._fields) if made._fields else lambda _: ()
        return made


class _RecordBase(metaclass=_RecordMeta):
    """The methods that all records share."""

    __slots__: ClassVar[tuple[str, ...]]
    __dataclass_fields__: ClassVar[Any]
    __dataclass_params__: ClassVar[Any]

    def __init__(self, *args: object, **named: object) -> None:
        kind = type(self)
        values = {**kind._defaults, **named}
        if args:
            values.update(zip(kind._positional, args))  # noqa: B905 - too many raise an error below
        for name, make in kind._factories:
            if name not in values:
                values[name] = make()
        try:
            for name, put in kind._setters:
                put(self, values[name])
        except KeyError:
            raise _argument_error(kind, args, named) from None
        twice = args and not named.keys().isdisjoint(kind._positional[: len(args)])
        if twice or len(values) > len(kind._setters) or len(args) > len(kind._positional):
            raise _argument_error(kind, args, named)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        get_values = type(self)._get_values
        return get_values(self) == get_values(other)

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in type(self)._fields)
        return f"{type(self).__qualname__}({fields})"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_record, (type(self), {name: getattr(self, name) for name in type(self)._fields})


def _argument_error(kind: _RecordMeta, args: tuple[object, ...], named: Mapping[str, object]) -> TypeError:
    given = f"{len(args)} by position and {', '.join(named) or 'none'} by name"
    return TypeError(f"{kind.__name__} takes {', '.join(kind._fields)}, not {given}")


def _rebuild_record(kind: type[RecordType], values: Mapping[str, object]) -> RecordType:
    return kind(**values)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Record(_RecordBase):
    """A frozen value, as of `dataclass(frozen=True, slots=True)`; `kw_only` stands beside the name of the class."""

    def __hash__(self) -> int:
        return hash(type(self)._get_values(self))

    def __setattr__(self, name: str, _value: object) -> NoReturn:
        from dataclasses import FrozenInstanceError  # deferred, as all of that module

        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        self.__setattr__(name, None)


@dataclass_transform(field_specifiers=(field,))
class MutableRecord(_RecordBase):
    """A value that is filled bit by bit, as of `dataclass(slots=True)`."""

    __hash__ = None  # type: ignore[assignment]  # it changes


def replace(value: RecordType, **changes: object) -> RecordType:
    """Return a copy of the value with some fields changed."""
    kind = type(value)
    return kind(**{name: getattr(value, name) for name in kind._fields} | changes)


class _DataclassFields:
    """The fields that `dataclasses` looks for, made on demand."""

    def __get__(self, _instance: object, kind: _RecordMeta) -> Mapping[str, Any]:
        return _dataclass_fields(kind)


@cache
def _dataclass_fields(kind: _RecordMeta) -> Mapping[str, Any]:
    import dataclasses  # deferred, as above

    specs = []
    for name, row in kind._fields.items():
        how: dict[str, Any] = {} if row.default is _MISSING else {"default": row.default}
        how |= {} if row.factory is None else {"default_factory": row.factory}
        specs.append((name, "Any", dataclasses.field(**how, metadata=row.metadata)))
    return vars(dataclasses.make_dataclass(kind.__name__, specs, kw_only=True))["__dataclass_fields__"]  # type: ignore[no-any-return]


class _DecoratorRefused:
    """The parameters that `dataclass` looks for in a base class: to refuse the decorator."""

    def __get__(self, _instance: object, kind: type) -> NoReturn:
        raise TypeError(f"what is made of {kind.__name__} is a record already: leave out @dataclass")


_RecordBase.__dataclass_fields__ = _DataclassFields()
_RecordBase.__dataclass_params__ = _DecoratorRefused()


def take_nonempty(**members: object) -> dict[str, object]:
    """Return the members that hold anything, for a record in which others would say nothing."""
    return {name: value for name, value in members.items() if value}


def take_fields(value: object, *names: str) -> dict[str, object]:
    """Return some attributes of a value under their own names."""
    return {name: getattr(value, name) for name in names}
