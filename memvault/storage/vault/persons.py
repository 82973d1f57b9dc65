"""Who is meant by a name: the person, by whatever name they go."""

from __future__ import annotations

from memvault.core.query import Filters
from memvault.core.settings.people import Names, all_names
from memvault.core.value import replace
from memvault.storage.vault.context import Bench


def for_anyone_meant(bench: Bench, filters: Filters) -> Filters:
    """The conditions, where a person who is asked for by one name is found by all of them."""
    aliases = bench.settings.texts("people.aliases") if filters.people else ()
    if not aliases:
        return filters
    return replace(filters, namesakes=tuple(frozenset(all_names(name, aliases)) for name in filters.people))


def names_of(bench: Bench, name: str) -> Names:
    """All names of whoever is called so, folded, the given one first."""
    return all_names(name, bench.settings.texts("people.aliases"))
