"""Checks of ids: every memory has one, and no two have the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from memvault.core.ids import is_id
from memvault.core.plan import Move
from memvault.maintenance.doctor.copies import numbered_copy
from memvault.maintenance.doctor.finding import Finding, command
from memvault.maintenance.doctor.links import linked_names
from memvault.maintenance.doctor.scan import Look, Survey
from memvault.text.file_names import name_key


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
