"""basic-memory: markdown with observations (`- [category] text #tag`) and relations (`- requires [[Other]]`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from memvault.core.ids import inline_tags, without_code
from memvault.core.memory import FieldValue
from memvault.transfer.importers.item import Found, Item, Source
from memvault.transfer.importers.markdown import MARKDOWN, File, found_in, items

_OBSERVED = re.compile(r"^[ \t]*[-*] \[(?P<category>[^\][()|]{2,40})\] \S", re.MULTILINE)
_RELATION = re.compile(r"^[ \t]*[-*] (?P<how>[\w][\w -]{0,60}?) \[\[(?P<to>[^\]|#^\n]{1,200})", re.MULTILINE)
_TELLING = frozenset({"preference", "decision", "gotcha"})  # categories that are tags of ours
_OURS: Mapping[str, str] = {
    **{name: name for name in ("reinforces", "contradicts", "extends", "refines")},
    "supports": "reinforces",
    "builds_on": "extends",
    "conflicts_with": "contradicts",
}
_USUAL = ("", "note", "entity")
_PEOPLE = ("person", "people", "contact")


def read(folder: Path) -> Iterator[Item]:
    """Every note with its text as it is; categories, tags and relations are fields besides, where we know such."""
    for file in items(folder, MARKDOWN):
        yield _found(file) if isinstance(file, File) else file


def _found(file: File) -> Found:
    sort = file.word("type").casefold()
    text = without_code(file.text)
    said = {found["category"].strip().casefold() for found in _OBSERVED.finditer(text)}
    tags = (*file.listed("tags"), *inline_tags(text), *sorted(said & _TELLING), *(() if sort in _USUAL else (sort,)))
    permalink = file.word("permalink")
    return found_in(
        file,
        origin=permalink or file.name,
        tags=tuple(dict.fromkeys(tag.replace(" ", "-") for tag in tags)),
        people=(file.title,) if sort in _PEOPLE else (),
        aliases=tuple(dict.fromkeys(filter(None, (*file.aliases, permalink)))),
        more=_relations(text),
    )


def _relations(text: str) -> Mapping[str, FieldValue]:
    """The relations that have a field of ours; the others stand in the text, where Obsidian's graph sees them."""
    found: dict[str, list[str]] = {}
    for relation in _RELATION.finditer(text):
        name = _OURS.get(relation["how"].strip().casefold().replace(" ", "_"))
        if name:
            found.setdefault(name, []).append(f"[[{relation['to'].strip()}]]")
    return {name: tuple(dict.fromkeys(links)) for name, links in found.items()}


def _place(environment: Mapping[str, str]) -> Path | None:
    own = environment.get("HOME") or environment.get("USERPROFILE") or ""
    home = environment.get("BASIC_MEMORY_HOME") or ""
    return Path(home) if home else Path(own) / "basic-memory" if own else None


SOURCE = Source("basic-memory", "basic-memory", read, _place)
