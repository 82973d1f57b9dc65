"""Checks of names: one name, one note, on every system the vault may travel to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from memvault.maintenance.doctor.finding import Finding
from memvault.maintenance.doctor.scan import Entry, Look, Survey
from memvault.text.file_names import name_key, portable


def shared_names(survey: Survey) -> Iterator[Finding]:
    """Notes that share a name, so that a wikilink can mean either."""
    named: dict[str, list[Look]] = defaultdict(list)
    for look in survey.looks:
        named[name_key(look.memory.name)].append(look)
    for looks in named.values():
        if len({look.entry.folder for look in looks}) > 1:
            yield _shared(sorted(looks, key=lambda look: (len(look.path), look.path)))


def _shared(looks: list[Look]) -> Finding:
    first, *others = looks
    name = first.memory.name
    return Finding(
        severity="note" if all(look.foreign for look in looks) else "warning",
        path=others[0].path,
        sentence=f"{len(looks)} notes have the name “{name}”; [[{name}]] means {first.path}.",
        advice="Rename all but one (Obsidian takes the links along), or write links to them with their folder.",
    )


def case_twins(survey: Survey) -> Iterator[Finding]:
    """Files in one folder whose names only some systems can tell apart."""
    together: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in survey.entries:
        together[entry.folder, name_key(entry.name)].append(entry)
    for entries in together.values():
        for entry in entries[1:]:
            yield Finding(
                severity="error",
                path=entry.path,
                sentence=f"Only letter case or the form of accents tells it from {entries[0].path}: on macOS and "
                "Windows one of the two would be lost.",
                advice="Rename one of them.",
            )


def portable_names(survey: Survey) -> Iterator[Finding]:
    """Names that some systems do not take, or that no wikilink can reach."""
    told: set[str] = set()
    for look in survey.looks:
        for path in _parts(look.path):
            reason = None if path in told else portable(path.rstrip("/").rpartition("/")[2])
            told.add(path)
            if reason:
                yield Finding(
                    severity="note" if look.foreign else "warning",
                    path=path,
                    sentence=f"Its name will not do everywhere: {reason}.",
                    advice="Rename it if the vault is ever to be used on another system, or linked to by name.",
                )


def _parts(path: str) -> Iterator[str]:
    """A note's path and those of the folders it lies in."""
    pieces = path.split("/")
    for end in range(1, len(pieces)):
        yield "/".join(pieces[:end]) + "/"
    yield path
