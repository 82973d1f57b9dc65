"""Checks of links: what a memory points to is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memvault.core.fields import RELATIONS
from memvault.core.ids import target_name, wikilinks
from memvault.core.memory import Place
from memvault.maintenance.doctor.finding import Finding, command
from memvault.maintenance.doctor.scan import Look, Survey
from memvault.storage.frontmatter import Value
from memvault.storage.vault.layout import STATE, TRASH
from memvault.text.file_names import name_key

_LINK_FIELDS = (*RELATIONS, "superseded_by", "contested", "merged_into")
_DETAIL = ("deep_context", "ref_deep_context")


def dangling_links(survey: Survey) -> Iterator[Finding]:
    """Links in memories that lead to nothing; what foreign notes link to is their own affair."""
    targets = _Targets(survey)
    for look in _memories(survey):
        lost = [link for link in _links_of(look) if not targets.has(link) and not targets.trashed(link)]
        if lost:
            yield Finding(
                severity="warning",
                path=look.path,
                sentence=f"It links to {_named(lost)}, and there is no note or file of that name.",
                advice="Write the note, or put the link right; a link to something not yet written may stay.",
            )


def faded_links(survey: Survey) -> Iterator[Finding]:
    """Links in memories that lead into the trash or the archive."""
    targets = _Targets(survey)
    for look in _memories(survey):
        links = _links_of(look)
        trashed = [link for link in links if not targets.has(link) and targets.trashed(link)]
        archived = [link for link in links if targets.archived(link)] if look.memory.place is not Place.ARCHIVED else []
        for found, where in ((trashed, "the trash"), (archived, "the archive")):
            if found:
                yield Finding(
                    severity="note",
                    path=look.path,
                    sentence=f"It links to {_named(found)}, which lies in {where}.",
                    advice=f"{command('restore', target_name(found[0]))} brings it back, if it is still wanted.",
                )


def references(survey: Survey) -> Iterator[Finding]:
    """Detail files that are not there, and references that lead out of the vault."""
    targets = _Targets(survey)
    for look in _memories(survey):
        for said in _details(look):
            if not _leads_out(said) and not targets.has(_bare(said)):
                yield Finding(
                    severity="warning",
                    path=look.path,
                    sentence=f"The detail file it points to, {said}, is not there.",
                    advice="Put refs.deep_context right, or take it out.",
                )
        outside = [said for said in (*_details(look), *_artifacts(look)) if _leads_out(said)]
        if outside:
            yield Finding(
                severity="note",
                path=look.path,
                sentence=f"It refers to {_named(outside)}, outside the vault: memvault never opens it.",
            )


def linked_names(survey: Survey) -> frozenset[str]:
    """The names that any note links to, in the form in which names are compared."""
    links = (link for look in survey.looks for link in _links_of(look))
    return frozenset(name_key(target_name(link)) for link in links)


def _memories(survey: Survey) -> Iterator[Look]:
    return (look for look in survey.looks if not look.foreign)


def _links_of(look: Look) -> list[str]:
    related = (link for name in _LINK_FIELDS for link in _linked(look.fields.get(name)))
    return list(dict.fromkeys((*look.links, *related)))


def _linked(raw: Value, *, inside: bool = False) -> Iterator[str]:
    """The wikilinks in a field; one without quotes has become a list within a list."""
    if isinstance(raw, str):
        yield from wikilinks(raw)
    elif isinstance(raw, list):
        texts = [part for part in raw if isinstance(part, str)]
        if inside and texts and len(texts) == len(raw):
            yield ", ".join(texts)
        else:
            for part in raw:
                yield from _linked(part, inside=True)


def _details(look: Look) -> list[str]:
    refs = look.fields.get("refs")
    nested = refs.get(_DETAIL[0]) if isinstance(refs, Mapping) else None
    return _texts(nested or look.fields.get(_DETAIL[1]))


def _artifacts(look: Look) -> list[str]:
    refs = look.fields.get("refs")
    return _texts(refs.get("artifacts") if isinstance(refs, Mapping) else refs)


def _texts(raw: object) -> list[str]:
    items = raw if isinstance(raw, list) else [raw]
    return [item.strip() for item in items if isinstance(item, str) and item.strip()]


def _bare(said: str) -> str:
    """What a reference names, without the brackets of a wikilink."""
    return next(iter(wikilinks(said)), said)


def _leads_out(said: str) -> bool:
    """Whether a path, not an address, leads out of the vault."""
    path = _bare(said).replace("\\", "/")
    return path.startswith(("/", "~")) or path[1:3] == ":/" or ".." in path.split("/")


def _named(links: list[str]) -> str:
    shown = ", ".join(links[:3])
    return f"{shown} and {len(links) - 3} more" if len(links) > 3 else shown


class _Targets:
    """All that a link can mean: paths, names, titles, aliases and ids."""

    def __init__(self, survey: Survey) -> None:
        self._there: set[str] = set()
        self._trashed: set[str] = set()
        for entry in survey.entries:
            into = self._trashed if entry.path.startswith(f"{TRASH}/") else self._there
            if not entry.is_folder and not entry.path.startswith(f"{STATE}/"):
                into |= _keys(entry.path)
        self._kept = {key for look in survey.looks if look.memory.place is not Place.ARCHIVED for key in _names(look)}
        self._archived = {key for look in survey.looks if look.memory.place is Place.ARCHIVED for key in _names(look)}
        self._there |= self._kept | self._archived

    def has(self, link: str) -> bool:
        """Whether a link leads somewhere."""
        return self._found(link, self._there)

    def trashed(self, link: str) -> bool:
        """Whether a link leads to something in the trash."""
        return self._found(link, self._trashed)

    def archived(self, link: str) -> bool:
        """Whether a link leads to an archived memory, and to no other."""
        return self._found(link, self._archived) and not self._found(link, self._kept)

    @staticmethod
    def _found(link: str, among: set[str]) -> bool:
        return name_key(link.strip("/")) in among or name_key(target_name(link)) in among


def _keys(path: str) -> set[str]:
    """The whole path and the bare name, each with and without its ending."""
    name = path.rpartition("/")[2]
    bare = [text.rpartition(".")[0] for text in (path, name) if name.casefold().endswith((".md", ".markdown"))]
    return {name_key(text) for text in (path, name, *bare)}


def _names(look: Look) -> set[str]:
    memory = look.memory
    return {name_key(name) for name in (memory.title, memory.id, *memory.aliases) if name} | _keys(look.path)
