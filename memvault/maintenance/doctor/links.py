"""Checks of links: what a memory points to is there."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memvault.core.fields import RELATIONS
from memvault.core.ids import is_id, target_name, wikilinks
from memvault.core.memory import Place
from memvault.core.plan import Move
from memvault.maintenance.doctor.copies import numbered_copy
from memvault.maintenance.doctor.finding import Finding, command
from memvault.maintenance.doctor.scan import Entry, Look, Survey
from memvault.storage.frontmatter import Value
from memvault.storage.vault.layout import STATE, TRASH
from memvault.system import files
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


# Checks of ids: every memory has one, and no two have the same.


def ids(survey: Survey) -> Iterator[Finding]:
    """Ids of a form that memvault does not know."""
    for look in survey.looks:
        said = look.fields.get("id")
        if not look.foreign and said and not (isinstance(said, str) and is_id(said.strip())):
            yield Finding(
                severity="note",
                path=look.path,
                sentence="Its `id` is no uuid; it is kept, and memvault goes by an id of its own for it.",
                advice="Take the line out if nothing else uses it: a uuid comes in its place with the next change.",
            )


def twins(survey: Survey) -> Iterator[Finding]:
    """Notes that claim one id."""
    claims: dict[str, list[Look]] = defaultdict(list)
    for look in survey.looks:
        if look.memory.id:
            claims[look.memory.id].append(look)
    linked = linked_names(survey)
    for looks in claims.values():
        if len(looks) > 1:
            yield from _judged(sorted(looks, key=lambda look: look.path), linked, survey)


def _judged(looks: list[Look], linked: frozenset[str], survey: Survey) -> Iterator[Finding]:
    """Identical copies go to the trash, all but one; what differs in a letter is a person's to decide."""
    copies: dict[tuple[str, object], list[Look]] = defaultdict(list)
    for look in looks:
        copies[look.memory.version, look.memory.place].append(look)
    staying: list[Look] = []
    for group in copies.values():
        keeper = min(group, key=lambda look: _standing(look, linked))
        for look in group:
            if look is not keeper and _may_go(look, keeper, linked):
                yield _copy(look, keeper, survey)
            else:
                staying.append(look)
    first, *rivals = sorted(staying, key=lambda look: look.path)
    yield from (numbered_copy(look, first, survey) or _rival(look, first) for look in rivals)


def _standing(look: Look, linked: frozenset[str]) -> tuple[bool, int, str]:
    """Of identical copies the one that is linked to stays, else the one with the shorter name."""
    return name_key(look.memory.name) not in linked, len(look.entry.name), look.path


def _may_go(look: Look, keeper: Look, linked: frozenset[str]) -> bool:
    names = name_key(look.memory.name), name_key(keeper.memory.name)
    plain = not (look.foreign or look.clipped or look.entry.is_link or look.entry.names > 1)
    return plain and (names[0] == names[1] or names[0] not in linked)


def _copy(look: Look, keeper: Look, survey: Survey) -> Finding:
    why = f"move it to the trash: {keeper.path} is the same to the last byte"
    return Finding(
        severity="warning",
        path=look.path,
        sentence=f"It is a copy of {keeper.path}, to the last byte, and so claims the same id.",
        advice="Delete one of the two.",
        mends=(Move(look.path, survey.trash.name_for(look.path), why, version=look.memory.version),),
    )


def _rival(look: Look, first: Look) -> Finding:
    same = look.memory.version == first.memory.version and not look.clipped
    how = "with the same text" if same else "with another text"
    return Finding(
        severity="error",
        path=look.path,
        sentence=f"It claims the id of {first.path}, {how}; {first.path} keeps the id.",
        advice=f"Compare them ({command('show', first.path)}, {command('show', look.path)}). If both are to stay, take "
        f"the `id:` line out of this one ({command('edit', look.path)}); if not, delete one.",
    )


# Checks of links that lead out of the vault: what lies behind them is neither read nor written.


@dataclass(frozen=True, slots=True)
class WayOut:
    """A link in the vault that leads out of it, and whether the person allowed it to be read."""

    path: str
    target: str
    allowed: bool


def ways_out(survey: Survey) -> Iterator[WayOut]:
    """Every link that leads out of the vault."""
    for entry in survey.entries:
        found = files.exit_on(survey.vault.root / entry.path.rstrip("/")) if _may_lead(entry) else None
        if found:
            yield WayOut(entry.path.rstrip("/"), found.target, found.allowed)


def links_out(survey: Survey) -> Iterator[Finding]:
    """Links that lead out of the vault, and how to allow or replace them."""
    for link in ways_out(survey):
        is_ours = survey.vault.layout.keeps(link.path)
        if link.allowed and not is_ours:
            continue
        read = "it is read, as you allowed, and never written" if link.allowed else "it is neither read nor written"
        name = survey.vault.root / link.path
        allow = "" if link.allowed or _is_closed(link.path) else f" {_allowing(survey, str(name))} has it read."
        yield Finding(
            severity="error" if is_ours or link.path in survey.unread else "note",
            path=link.path,
            sentence=f"It is a link that leads out of the vault, to {link.target}: {read}.",
            advice=f"Put a folder or file of its own in its place; what it leads to stays.{allow}",
        )


def _may_lead(entry: Entry) -> bool:
    return entry.is_link or (sys.platform == "win32" and entry.is_folder)  # a junction passes for a folder there


def _is_closed(path: str) -> bool:
    """Whether reading alone would be of no use: memvault keeps things there, and writes whenever it works."""
    return f"{path}/".startswith((f"{STATE}/", f"{TRASH}/"))


def _allowing(survey: Survey, name: str) -> str:
    """The command that allows one more link, the ones before it kept."""
    links = (*survey.vault.settings.texts("vault.links"), name)
    return command("config", "--user", "vault.links", ",".join(links))
