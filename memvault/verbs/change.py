"""Change one memory: pin it, link it, move it, edit it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from memvault.core.fields import RELATIONS, Field
from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.plan import About, Append, Change, Move, Plan, Rewrite, SetFields, wrote
from memvault.core.private import cleaned
from memvault.core.slug import portable
from memvault.errors import AlreadyThere, BadInput, ChangedMeanwhile, NothingToDo, OutsideVault
from memvault.vault import codec
from memvault.verbs.apply import apply_one
from memvault.verbs.bench import Bench

_PLACES = {
    "identity": Place.IDENTITY,
    "hot": Place.HOT,
    "memories": Place.MEMORIES,
    "archived": Place.ARCHIVED,
    "0": Place.IDENTITY,
    "1": Place.HOT,
    "2": Place.MEMORIES,
    "3": Place.ARCHIVED,
}


@dataclass(frozen=True, slots=True)
class Changed:
    """A memory as it stands after a change, or would in a dry run."""

    memory: Memory
    did: str
    op: str = ""


def _carry_out(bench: Bench, memory: Memory, verb: str, changes: tuple[Change, ...], did: str, *, dry: bool) -> Changed:
    if dry:
        return Changed(memory, did)
    operation = apply_one(Plan(verb, changes), bench)
    moved = next((change.to for change in changes if isinstance(change, Move) and change.path == memory.path), "")
    now_at = memory.changed(path=moved, place=bench.vault.place(moved) or memory.place) if moved else memory
    return Changed(bench.read(now_at)[0], did, operation.op)


def pin(bench: Bench, ref: str, *, pinned: bool = True, dry_run: bool = False) -> Changed:
    """Keep a memory from ever decaying, or let it decay again."""
    memory = bench.find(ref)
    if memory.pinned == pinned:
        return Changed(memory, "pinned already" if pinned else "not pinned")
    did = "pinned: it never decays" if pinned else "unpinned: it decays like any other"
    change = SetFields(memory.path, {"pinned": pinned}, did)
    return _carry_out(bench, memory, "pin" if pinned else "unpin", (change,), did, dry=dry_run)


def link(bench: Bench, ref: str, to: str, *, relation: str = "extends", dry_run: bool = False) -> Changed:
    """Say how one memory stands to another, as a wikilink that Obsidian's graph shows."""
    if relation not in RELATIONS:
        raise BadInput(what="the relation", value=relation, reason=f"it must be one of {', '.join(RELATIONS)}")
    memory, other = bench.find(ref), bench.find(to)
    if memory.path == other.path:
        raise NothingToDo(reason="A memory cannot be linked to itself.")
    changes = [change for change in (_linked(memory, relation, other),) if change]
    if relation == "supersedes":
        changes += [change for change in (_linked(other, "superseded_by", memory),) if change]
    did = f"{relation} [[{other.name}]]"
    if not changes:
        return Changed(memory, f"linked already: {did}")
    return _carry_out(bench, memory, "link", tuple(changes), did, dry=dry_run)


def _linked(memory: Memory, relation: str, other: Memory) -> Change | None:
    said = memory.more.get(relation, ())
    links = said if isinstance(said, tuple) else (str(said),)
    wikilink = f"[[{other.name}]]"
    if wikilink in links:
        return None
    return SetFields(memory.path, {relation: (*links, wikilink)}, f"{relation} {wikilink}")


def move(bench: Bench, ref: str, to: str, *, dry_run: bool = False) -> Changed:
    """Put a memory into another tier or folder; its name stays, so wikilinks to it go on working."""
    memory = bench.find(ref)
    folder = _folder(bench, to)
    target = folder + memory.path.rpartition("/")[2]
    if target == memory.path:
        raise NothingToDo(reason=f"{memory.path} is there already.")
    place = bench.vault.place(target)
    if place is None or bench.vault.is_in_inner_vault(target):
        raise BadInput(what="the folder", value=to, reason="memories cannot lie there")
    if place is Place.IDENTITY and bench.actor.agent:
        raise BadInput(what="the tier", value=to, reason="only a person puts memories into Tier 0")
    if bench.vault.exists(target):
        raise AlreadyThere(path=target)
    did = f"moved to {folder or 'the top of the vault'}"
    fields = status_after_move(memory, place)
    notes = tuple(wrote(memory.id, name, value, getattr(memory, name)) for name, value in fields.items())
    about = About(id=memory.id, notes=notes)
    change = Move(memory.path, target, did, fields=fields, about=about)
    return _carry_out(bench, memory, "move", (change,), did, dry=dry_run)


def status_after_move(memory: Memory, place: Place) -> dict[str, FieldValue]:
    """What a move says about a memory's status: into the archive, or back out of it."""
    if place is Place.ARCHIVED and memory.place is not Place.ARCHIVED:
        return {"status": "archived"}
    if memory.status == "archived" and place is not Place.ARCHIVED:
        return {"status": "active"}
    return {}


def _folder(bench: Bench, to: str) -> str:
    name = to.strip().casefold().removeprefix("tier ").removeprefix("tier")
    if name in _PLACES:
        return bench.vault.layout.folder(_PLACES[name])
    if name.isdigit():
        raise BadInput(what="the tier", value=to, reason="there are the tiers 0 to 3")
    folder = to.replace("\\", "/").strip("/")
    parts = folder.split("/") if folder else []
    if ".." in parts or to.startswith(("/", "~")):
        raise OutsideVault(path=to)
    unfit = next((reason for part in parts if (reason := portable(part))), None)
    if unfit:
        raise BadInput(what="the folder", value=to, reason=unfit)
    return f"{folder}/" if folder else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What is to change about a memory; None leaves a thing as it is."""

    body: str | None = None
    append: str | None = None
    whole: bytes | None = None  # the file's new bytes, as an editor left them
    fields: Mapping[str, FieldValue | None] | None = None
    version: str = ""  # the version that was read; another one on disk is an error


def edit(bench: Bench, ref: str, wanted: Edit, *, dry_run: bool = False) -> Changed:
    """Change a memory's text or fields; where it is no longer the version that was read, nothing is changed.

    What is only added, and fields, go onto whatever text the note has by then, unless a version is presented.
    """
    memory, note = bench.read(bench.find(ref))
    wanted = replace(wanted, body=cleaned(wanted.body), append=cleaned(wanted.append))
    if wanted.version and wanted.version != note.version:
        raise ChangedMeanwhile(path=memory.path)
    _check_fields(wanted, bench.settings.kinds.fields)
    data = _edited(note.raw, wanted, memory.path)
    if data == note.raw:
        return Changed(memory, "nothing changed")
    fields = wanted.fields or {}
    change: Change = Rewrite(memory.path, data, note.version, "edited")
    if wanted.whole is None and wanted.body is None:
        change = SetFields(memory.path, fields, "edited", wanted.version)
        if wanted.append:
            change = Append(memory.path, wanted.append, "edited", fields, wanted.version)
    return _carry_out(bench, memory, "edit", (change,), "edited", dry=dry_run)


def _check_fields(wanted: Edit, known: Mapping[str, Field]) -> None:
    unknown = [name for name in wanted.fields or {} if name.partition(".")[0] not in known]
    if unknown:
        raise BadInput(what="the field", value=unknown[0], reason="memvault has no field of that name")


def _edited(raw: bytes, wanted: Edit, path: str) -> bytes:
    """What the note would be, were it changed now."""
    data = raw if wanted.whole is None else wanted.whole
    if wanted.body is not None:
        data = codec.with_body(data, wanted.body if wanted.body.endswith("\n") else f"{wanted.body}\n", path=path)
    if wanted.append:
        data = codec.appended(data, wanted.append, path=path)
    return codec.with_fields(data, wanted.fields, path=path) if wanted.fields else data
