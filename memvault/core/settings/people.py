"""People by any of their names, as the settings give them: `Sara Uy = Sara, SU`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

Names = tuple[str, ...]


@cache
def read_people(rows: tuple[str, ...]) -> tuple[Names, ...]:
    """Return the names of each person, folded; a row without `=` continues the person of the row before."""
    found: list[list[str]] = []
    for row in rows:
        name, sign, others = row.partition("=")
        if sign:
            found.append([fold_name(name)])
            name = others
        if found:
            found[-1] += [fold_name(part) for part in name.split(",") if part.strip()]
    return tuple(tuple(dict.fromkeys(names)) for names in found)


def fold_name(name: str) -> str:
    """Return a name as names are compared."""
    return " ".join(name.split()).casefold()


def names_of_person(name: str, rows: tuple[str, ...]) -> Names:
    """Return this name, and all others of whoever has it as a whole name or as a word of the first one."""
    asked = fold_name(name)
    others = (names for names in read_people(rows) if asked in names or asked in names[0].split())
    return tuple(dict.fromkeys((asked, *(other for names in others for other in names))))


def other_names(words: Iterable[str], rows: tuple[str, ...]) -> dict[str, Names]:
    """Return, for each word of a text that belongs to a name given whole, that person's other names."""
    given = tuple(words)
    found: dict[str, Names] = {}
    for names in read_people(rows):
        for name in names:
            parts = name.split()
            if all(part in given for part in parts):
                others = tuple(other for other in names if other != name)
                found |= {part: (*found.get(part, ()), *others) for part in parts}
    return found
