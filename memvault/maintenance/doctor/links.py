"""Checks of links: what a memory points to is there."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memvault.core.fields import RELATIONS
from memvault.core.links import find_wikilinks, target_name
from memvault.core.memory import Place
from memvault.maintenance.doctor.scan import ScannedNote, VaultScan
from memvault.storage.finding import DoctorFinding, shell_command
from memvault.storage.frontmatter import Value
from memvault.storage.vault.layout import STATE, TRASH
from memvault.system import files
from memvault.text.file_names import name_key

_LINK_FIELDS = (*RELATIONS, "superseded_by", "contested", "merged_into")
_DETAIL = ("deep_context", "ref_deep_context")


def check_dangling_links(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find links in memories that lead to nothing; what foreign notes link to is their own affair."""
    targets = _LinkTargets(scan)
    for note in _own_memories(scan):
        lost = [link for link in _links_of(note) if not targets.exists(link) and not targets.is_trashed(link)]
        if lost:
            yield DoctorFinding(
                severity="warning",
                path=note.path,
                sentence=f"It links to {_name_links(lost)}, and there is no note or file of that name.",
                advice="Write the note, or put the link right; a link to something not yet written may stay.",
            )


def check_faded_links(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find links in memories that lead into the trash or the archive."""
    targets = _LinkTargets(scan)
    for note in _own_memories(scan):
        links = _links_of(note)
        trashed = [link for link in links if not targets.exists(link) and targets.is_trashed(link)]
        archived = (
            [link for link in links if targets.is_archived(link)]
            if note.memory.place is not Place.ARCHIVED and "promoted_from" not in note.memory.more
            else []  # what was made of another memory names that one, which went to the archive for it
        )
        for found, where in ((trashed, "the trash"), (archived, "the archive")):
            if found:
                yield DoctorFinding(
                    severity="note",
                    path=note.path,
                    sentence=f"It links to {_name_links(found)}, which lies in {where}.",
                    advice=f"{shell_command('vault', 'restore', target_name(found[0]))} brings it back, if wanted.",
                )


def check_references(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find detail files that are not there, and references that lead out of the vault."""
    targets = _LinkTargets(scan)
    for note in _own_memories(scan):
        for reference in _detail_references(note):
            if not _leads_out(reference) and not targets.exists(_link_target(reference)):
                yield DoctorFinding(
                    severity="warning",
                    path=note.path,
                    sentence=f"The detail file it points to, {reference}, is not there.",
                    advice="Put refs.deep_context right, or take it out.",
                )
        refs = note.fields.get("refs")
        artifacts = _text_items(refs.get("artifacts") if isinstance(refs, Mapping) else refs)
        outside = [reference for reference in (*_detail_references(note), *artifacts) if _leads_out(reference)]
        if outside:
            yield DoctorFinding(
                severity="note",
                path=note.path,
                sentence=f"It refers to {_name_links(outside)}, outside the vault: memvault never opens it.",
            )


def linked_names(scan: VaultScan) -> frozenset[str]:
    """Return the names that any note links to, in the form in which names are compared."""
    links = (link for note in scan.notes for link in _links_of(note))
    return frozenset(name_key(target_name(link)) for link in links)


def _own_memories(scan: VaultScan) -> Iterator[ScannedNote]:
    return (note for note in scan.notes if not note.is_foreign)


def _links_of(note: ScannedNote) -> list[str]:
    related = (link for name in _LINK_FIELDS for link in _links_in_value(note.fields.get(name)))
    return list(dict.fromkeys((*note.links, *related)))


def _links_in_value(raw: Value, *, inside: bool = False) -> Iterator[str]:
    """Yield the wikilinks in a field; one without quotes has become a list within a list."""
    if isinstance(raw, str):
        yield from find_wikilinks(raw)
    elif isinstance(raw, list):
        texts = [part for part in raw if isinstance(part, str)]
        if inside and texts and len(texts) == len(raw):
            yield ", ".join(texts)
        else:
            for part in raw:
                yield from _links_in_value(part, inside=True)


def _detail_references(note: ScannedNote) -> list[str]:
    refs = note.fields.get("refs")
    nested = refs.get(_DETAIL[0]) if isinstance(refs, Mapping) else None
    return _text_items(nested or note.fields.get(_DETAIL[1]))


def _text_items(raw: object) -> list[str]:
    items = raw if isinstance(raw, list) else [raw]
    return [item.strip() for item in items if isinstance(item, str) and item.strip()]


def _link_target(reference: str) -> str:
    """Return what a reference names, without the brackets of a wikilink."""
    return next(iter(find_wikilinks(reference)), reference)


def _leads_out(reference: str) -> bool:
    """Return whether a path, not an address, leads out of the vault."""
    path = _link_target(reference).replace("\\", "/")
    return path.startswith(("/", "~")) or path[1:3] == ":/" or ".." in path.split("/")


def _name_links(links: list[str]) -> str:
    shown = ", ".join(links[:3])
    return f"{shown} and {len(links) - 3} more" if len(links) > 3 else shown


class _LinkTargets:
    """All that a link can mean: paths, names, titles, aliases and ids."""

    def __init__(self, scan: VaultScan) -> None:
        self._there: set[str] = set()
        self._trashed: set[str] = set()
        for entry in scan.entries:
            into = self._trashed if entry.path.startswith(f"{TRASH}/") else self._there
            if not entry.is_folder and not entry.path.startswith(f"{STATE}/"):
                into |= _path_keys(entry.path)
        self._kept = {
            key for note in scan.notes if note.memory.place is not Place.ARCHIVED for key in _memory_keys(note)
        }
        self._archived = {
            key for note in scan.notes if note.memory.place is Place.ARCHIVED for key in _memory_keys(note)
        }
        self._there |= self._kept | self._archived

    def exists(self, link: str) -> bool:
        """Return whether a link leads somewhere."""
        return self._is_among(link, self._there)

    def is_trashed(self, link: str) -> bool:
        """Return whether a link leads to something in the trash."""
        return self._is_among(link, self._trashed)

    def is_archived(self, link: str) -> bool:
        """Return whether a link leads to an archived memory, and to no other."""
        return self._is_among(link, self._archived) and not self._is_among(link, self._kept)

    @staticmethod
    def _is_among(link: str, among: set[str]) -> bool:
        return name_key(link.strip("/")) in among or name_key(target_name(link)) in among


def _path_keys(path: str) -> set[str]:
    """Return the whole path and the bare name, each with and without its ending."""
    name = path.rpartition("/")[2]
    bare = [text.rpartition(".")[0] for text in (path, name) if name.casefold().endswith((".md", ".markdown"))]
    return {name_key(text) for text in (path, name, *bare)}


def _memory_keys(note: ScannedNote) -> set[str]:
    memory = note.memory
    return {name_key(name) for name in (memory.title, memory.id, *memory.aliases) if name} | _path_keys(note.path)


# Checks of links that lead out of the vault: what lies behind them is neither read nor written.


@dataclass(frozen=True, slots=True)
class OutsideLink:
    """A link in the vault that leads out of it, and whether the person allowed it to be read."""

    path: str
    target: str
    allowed: bool


def find_outside_links(scan: VaultScan) -> Iterator[OutsideLink]:
    """Yield every link that leads out of the vault."""
    for entry in scan.entries:
        may_lead = entry.is_link or (sys.platform == "win32" and entry.is_folder)  # a junction passes for one
        found = files.find_link_out(scan.vault.root / entry.path.rstrip("/")) if may_lead else None
        if found:
            yield OutsideLink(entry.path.rstrip("/"), found.target, found.allowed)


def check_outside_links(scan: VaultScan) -> Iterator[DoctorFinding]:
    """Find links that lead out of the vault, and how to allow or replace them."""
    for link in find_outside_links(scan):
        is_ours = scan.vault.layout.is_managed(link.path)
        if link.allowed and not is_ours:
            continue
        read = "it is read, as you allowed, and never written" if link.allowed else "it is neither read nor written"
        # In memvault's own folders reading alone would be of no use: it writes there whenever it works.
        is_state = f"{link.path}/".startswith((f"{STATE}/", f"{TRASH}/"))
        links = (*scan.vault.settings.texts("vault.links"), str(scan.vault.root / link.path))
        command = shell_command("config", "--user", "vault.links", ",".join(links))
        allow = "" if link.allowed or is_state else f" {command} has it read."
        yield DoctorFinding(
            severity="error" if is_ours or link.path in scan.unread_notes else "note",
            path=link.path,
            sentence=f"It is a link that leads out of the vault, to {link.target}: {read}.",
            advice=f"Put a folder or file of its own in its place; what it leads to stays.{allow}",
        )
