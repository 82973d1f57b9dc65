"""What values are made of: classes with slots, equal by what they hold, and defined in no time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from types import MappingProxyType
from typing import Any, ClassVar, NoReturn, TypeVar, dataclass_transform

# `dataclass` writes the source of each class's methods and compiles it, and loads all that Python has to inspect
# functions: for the fifty classes that a recall meets, that was a third of its time. These classes share their methods.
# To whoever asks for `dataclasses.fields`, `replace` or `asdict`, they are dataclasses.

Held = TypeVar("Held", bound="_Holding")

_NOTHING_SAID: Mapping[str, object] = MappingProxyType({})
_NONE = object()  # where there is no default


class _Field:
    """What was said of a field besides its type."""

    __slots__ = ("default", "make", "metadata")

    def __init__(self, default: object, make: Callable[[], object] | None, metadata: Mapping[str, object]) -> None:
        self.default, self.make, self.metadata = default, make, metadata


def field(
    *,
    default: Any = _NONE,
    default_factory: Callable[[], Any] | None = None,
    metadata: Mapping[str, object] = _NOTHING_SAID,
) -> Any:
    """A field of which more is to be said than a default."""
    return _Field(default, default_factory, metadata)


class _Maker(type):
    """Makes a class: its annotations are its fields, after those of the class that it is a special case of."""

    _fields: dict[str, _Field]
    _by_place: tuple[str, ...]  # those that may be given without their names
    _defaults: dict[str, object]
    _makers: tuple[tuple[str, Callable[[], object]], ...]
    _puts: tuple[tuple[str, Callable[[object, object], None]], ...]  # past the lock on what is frozen
    _held: Callable[[object], object]

    def __new__(meta, name: str, bases: tuple[type, ...], body: dict[str, Any], *, kw_only: bool = False) -> _Maker:
        own = tuple(name for name, kind in body.get("__annotations__", {}).items() if "ClassVar" not in str(kind))
        given = {name: body.pop(name, _NONE) for name in own}  # a slot has no room for a default
        rows = {
            name: row if isinstance(row, _Field) else _Field(row, None, _NOTHING_SAID) for name, row in given.items()
        }
        for row in rows.values():
            if isinstance(row.default, list | dict | set):  # all values of the class would share it
                raise TypeError(f"{name}: give a field that changes a default_factory")
        above = next((base for base in bases if isinstance(base, _Maker)), None)
        by_place = (() if above is None else above._by_place) + (() if kw_only else own)
        made = super().__new__(meta, name, bases, {**body, "__slots__": own, "__match_args__": by_place})
        made._fields = rows if above is None else {**above._fields, **rows}
        made._by_place = by_place
        made._defaults = {name: row.default for name, row in made._fields.items() if row.default is not _NONE}
        made._makers = tuple((name, row.make) for name, row in made._fields.items() if row.make is not None)
        made._puts = tuple((name, getattr(made, name).__set__) for name in made._fields)
        made._held = attrgetter(*made._fields) if made._fields else lambda _: ()
        return made


class _Holding(metaclass=_Maker):
    """What all of them share."""

    __slots__: ClassVar[tuple[str, ...]]
    __dataclass_fields__: ClassVar[Any]
    __dataclass_params__: ClassVar[Any]

    def __init__(self, *args: object, **named: object) -> None:
        kind = type(self)
        values = {**kind._defaults, **named}
        if args:
            values.update(zip(kind._by_place, args))  # noqa: B905 - too many are told below
        for name, make in kind._makers:
            if name not in values:
                values[name] = make()
        try:
            for name, put in kind._puts:
                put(self, values[name])
        except KeyError:
            raise _misgiven(kind, args, named) from None
        if len(values) > len(kind._puts) or (args and _is_too_much(kind, args, named)):
            raise _misgiven(kind, args, named)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        held = type(self)._held
        return held(self) == held(other)

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={getattr(self, name)!r}" for name in type(self)._fields)
        return f"{type(self).__qualname__}({said})"

    def __reduce__(self) -> tuple[object, ...]:
        return _remade, (type(self), {name: getattr(self, name) for name in type(self)._fields})


def _is_too_much(kind: _Maker, args: tuple[object, ...], named: Mapping[str, object]) -> bool:
    return len(args) > len(kind._by_place) or not named.keys().isdisjoint(kind._by_place[: len(args)])


def _misgiven(kind: _Maker, args: tuple[object, ...], named: Mapping[str, object]) -> TypeError:
    told = f"{len(args)} by their place, by name {', '.join(named) or 'none'}"
    return TypeError(f"{kind.__name__} takes {', '.join(kind._fields)}; given were {told}")


def _remade(kind: type[Held], held: Mapping[str, object]) -> Held:
    return kind(**held)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Frozen(_Holding):
    """A frozen value, as of `dataclass(frozen=True, slots=True)`; `kw_only` stands beside the name of the class."""

    def __hash__(self) -> int:
        return hash(type(self)._held(self))

    def __setattr__(self, name: str, _value: object) -> NoReturn:
        from dataclasses import FrozenInstanceError  # deferred, as all of that module

        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        self.__setattr__(name, None)


@dataclass_transform(field_specifiers=(field,))
class Gathering(_Holding):
    """What is filled bit by bit, as of `dataclass(slots=True)`."""

    __hash__ = None  # type: ignore[assignment]  # it changes


def replace(value: Held, **changes: object) -> Held:
    """The value that is alike but for some fields."""
    kind = type(value)
    return kind(**{name: getattr(value, name) for name in kind._fields} | changes)


class _Dataclass:
    """What `dataclasses` looks for in a class, made for those who ask."""

    def __get__(self, _instance: object, kind: _Maker) -> Mapping[str, Any]:
        return _as_dataclass(kind)


@cache
def _as_dataclass(kind: _Maker) -> Mapping[str, Any]:
    import dataclasses  # deferred, as above

    said = []
    for name, row in kind._fields.items():
        how: dict[str, Any] = {} if row.default is _NONE else {"default": row.default}
        how |= {} if row.make is None else {"default_factory": row.make}
        said.append((name, "Any", dataclasses.field(**how, metadata=row.metadata)))
    return vars(dataclasses.make_dataclass(kind.__name__, said, kw_only=True))["__dataclass_fields__"]  # type: ignore[no-any-return]


class _NoDecorator:
    """What `dataclass` looks for in a class above the one that it is put on."""

    def __get__(self, _instance: object, kind: type) -> NoReturn:
        raise TypeError(f"what is made of {kind.__name__} is a value already: leave out @dataclass")


_Holding.__dataclass_fields__ = _Dataclass()
_Holding.__dataclass_params__ = _NoDecorator()
