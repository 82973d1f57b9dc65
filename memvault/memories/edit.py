"""Change one memory: pin it, link it, move it, edit it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from memvault.core.fields import RELATIONS, Field
from memvault.core.kinds import Kinds
from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.plan import NO_ITEMS, About, Append, Change, Items, Move, Plan, Rewrite, SetFields, wrote
from memvault.core.secrets.private_spans import cleaned, is_unclosed
from memvault.core.secrets.screens import normal
from memvault.errors import AlreadyThere, BadInput, ChangedMeanwhile, NothingToDo, OutsideVault, SecretFound
from memvault.memories.draft import Draft, screened, settled, unheard
from memvault.memories.remember import Remembered, wanted_back
from memvault.memories.screen import (
    NOTHING_LEFT_OUT,
    LeftOut,
    Wish,
    check_not_forgotten,
    fit_text,
    keep_in_mind,
    texts,
    without_secrets,
)
from memvault.memories.web_taint import in_doubt
from memvault.storage.journal.apply import apply_one
from memvault.storage.permissions import check_not_identity, check_trust
from memvault.storage.vault import codec
from memvault.storage.vault.context import Bench
from memvault.text.file_names import portable
from memvault.text.markdown import clip

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
    left_out: LeftOut = NOTHING_LEFT_OUT
    remark: str = ""  # what will not come of it, though somebody may expect it


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
    check_not_identity(bench, (memory,), "changes")
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
    check_not_identity(bench, (memory, other) if relation == "supersedes" else (memory,), "changes")
    changes = [change for change in (_linked(memory, relation, other),) if change]
    if relation == "supersedes":
        changes += [change for change in (_linked(other, "superseded_by", memory),) if change]
    did = f"{relation} [[{other.name}]]"
    if not changes:
        return Changed(memory, f"linked already: {did}")
    return _carry_out(bench, memory, "link", tuple(changes), did, dry=dry_run)


def _linked(memory: Memory, relation: str, other: Memory) -> Change | None:
    wikilink = f"[[{other.name}]]"
    if wikilink in codec.listed(memory.more.get(relation)):
        return None
    return SetFields(memory.path, {}, f"{relation} {wikilink}", lists={relation: Items((wikilink,))})


def move(bench: Bench, ref: str, to: str, *, dry_run: bool = False) -> Changed:
    """Put a memory into another tier or folder; its name stays, so wikilinks to it go on working."""
    memory = bench.find(ref)
    check_not_identity(bench, (memory,), "moves")
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
    lists: Mapping[str, Items] = field(default_factory=lambda: NO_ITEMS)  # some items more or less
    version: str = ""  # the version that was read; another one on disk is an error
    secrets: str = ""  # refuse, redact or keep those that it adds; as the settings say, unless told
    automatic: bool = False  # nobody asked for it: it was picked up


def edit(bench: Bench, ref: str, wanted: Edit, *, along: tuple[Change, ...] = (), dry_run: bool = False) -> Changed:
    """Change a memory's text or fields; where it is no longer the version that was read, nothing is changed.

    What is only added, and fields, go onto whatever text the note has by then, unless a version is presented. Secrets
    that it adds are screened as those of a new memory; those that are there already are nobody's business here.
    """
    memory, note = bench.read(bench.find(ref))
    wanted = replace(wanted, fields={**(wanted.fields or {}), **_whole_lists(wanted, memory)})
    wanted, left_out = admitted(bench, memory, note.raw, wanted)
    if wanted.version and wanted.version != note.version:
        raise ChangedMeanwhile(path=memory.path)
    data = _edited(note.raw, wanted, memory.path)
    if data != note.raw and in_doubt(bench):
        wanted = replace(wanted, fields={**(wanted.fields or {}), "tainted": True})
        data = _edited(note.raw, wanted, memory.path)
    check_trust(bench, memory, bench.reading(memory, data))
    changes = (*_changes(wanted, memory, data, note.version), *along) if data != note.raw else along
    if not changes:
        return Changed(memory, "nothing changed", left_out=left_out)
    changed = _carry_out(bench, memory, "edit", changes, "edited", dry=dry_run)
    return replace(changed, left_out=left_out, remark=_remark(bench, changed.memory, wanted))


def _remark(bench: Bench, memory: Memory, wanted: Edit) -> str:
    kinds = bench.settings.kinds
    kind = str((wanted.fields or {}).get("kind") or memory.kind)
    given = [name for name, value in (wanted.fields or {}).items() if value is not None]
    reason = unheard(kinds, kind, given) if kind in kinds else ""
    return f"It is {kind}: {reason}." if reason else ""


def _changes(wanted: Edit, memory: Memory, data: bytes, version: str) -> tuple[Change, ...]:
    if wanted.whole is not None or wanted.body is not None:
        return (Rewrite(memory.path, data, version, "edited"),)
    given = wanted.fields or {}
    fields = {name: value for name, value in given.items() if name not in wanted.lists}
    lists = {name: _difference(_there(memory, name), codec.listed(given.get(name))) for name in wanted.lists}
    if wanted.append:
        return (Append(memory.path, wanted.append, "edited", fields, wanted.version, lists),)
    return (SetFields(memory.path, fields, "edited", wanted.version, lists=lists),)


def _whole_lists(wanted: Edit, memory: Memory) -> dict[str, FieldValue]:
    """The lists as they would be, were they changed now."""
    return {name: items.of(_there(memory, name)) for name, items in wanted.lists.items()}


def _there(memory: Memory, name: str) -> tuple[str, ...]:
    top, _, below = name.partition(".")
    if below:  # a key of a map
        return memory.refs.get(below, ()) if top == "refs" else ()
    return codec.listed(getattr(memory, name) if name in Memory.__slots__ else memory.more.get(name))


def _difference(before: tuple[str, ...], after: tuple[str, ...]) -> Items:
    """What made one list of another: by now it may be others that stand there."""
    add = tuple(item for item in after if item not in before)
    return Items(add, tuple(item for item in before if item not in after))


def _edited(raw: bytes, wanted: Edit, path: str) -> bytes:
    """What the note would be, were it changed now."""
    data = raw if wanted.whole is None else wanted.whole
    if wanted.body is not None:
        data = codec.with_body(data, wanted.body if wanted.body.endswith("\n") else f"{wanted.body}\n", path=path)
    if wanted.append:
        data = codec.appended(data, wanted.append, path=path)
    return codec.with_fields(data, wanted.fields, path=path) if wanted.fields else data


# -- what an edit may add


def admitted(bench: Bench, memory: Memory, raw: bytes, wanted: Edit) -> tuple[Edit, LeftOut]:
    """An edit without private spans and without the secrets that it would add; what it may not add is refused."""
    wish = Wish(
        by_person=not (bench.actor.agent or wanted.automatic), automatic=wanted.automatic, secrets=wanted.secrets
    )
    if memory.place is Place.IDENTITY and not wish.by_person:
        raise BadInput(what="the memory", value=memory.title, reason="only a person changes what is in Tier 0")
    if not wish.by_person and memory.more.get("tainted") and "tainted" in (wanted.fields or {}):
        raise BadInput(what="the field tainted", value=memory.title, reason="only a person says that it may be trusted")
    if wanted.secrets and wanted.secrets not in _ON_SECRETS:
        raise BadInput(what="`secrets`", value=wanted.secrets, reason=f"it must be one of {', '.join(_ON_SECRETS)}")
    _check_fields(wanted, bench.settings.kinds.fields)
    told = _told(bench, wanted)
    is_cut = any(is_unclosed(text) for name, value in told.items() if name != _WHOLE for text in texts(value))
    told = {name: value if name == _WHOLE else cleaned(value) for name, value in told.items()}
    before = raw.decode("utf-8", "replace")
    there = (before, *texts((memory.title, memory.tags, memory.topics, memory.people, memory.triggers, memory.refs)))
    there = (*there, *texts(memory.more))
    kept, left_out = without_secrets(bench, told, wish, there=there)
    if "append" in kept:
        _check_joint(bench, f"{before.rstrip()}\n\n{kept['append']}", wish, there)
    check_not_forgotten(bench, _added(kept, before, frozenset(there)), wish)
    return _as_told(wanted, kept), replace(left_out, unclosed=is_cut)


def _check_joint(bench: Bench, joined: str, wish: Wish, there: tuple[str, ...]) -> None:
    """Refuse a secret that only shows where what is added meets what it is added to: "the password is", "…"."""
    left_out = without_secrets(bench, {"append": joined}, wish, there=there)[1]
    if left_out.sorts:
        raise SecretFound(sorts=", ".join(left_out.sorts))


_ON_SECRETS = ("refuse", "redact", "keep")
_TEXTS = ("body", "append")
_WHOLE = "whole"
_LENT = "surrogateescape"  # bytes that are no text come out as they went in


def _told(bench: Bench, wanted: Edit) -> dict[str, Any]:
    """The parts of an edit by name, each fit to be written."""
    told: dict[str, Any] = {
        name: fit_text(f"`{name}`", said) for name in _TEXTS if (said := getattr(wanted, name)) is not None
    }
    if wanted.whole is not None:
        if not isinstance(wanted.whole, bytes):
            raise BadInput(what="`whole`", value=type(wanted.whole).__name__, reason="it must be the bytes of the file")
        told[_WHOLE] = wanted.whole.decode("utf-8", _LENT)
    return told | settled(bench, wanted.fields or {})


def _as_told(wanted: Edit, told: Mapping[str, Any]) -> Edit:
    whole = told[_WHOLE].encode("utf-8", _LENT) if _WHOLE in told else None
    fields = {name: told[name] for name in wanted.fields or {}}
    return replace(wanted, body=told.get("body"), append=told.get("append"), whole=whole, fields=fields)


def _added(told: Mapping[str, Any], before: str, there: frozenset[str]) -> Iterator[str]:
    """What an edit brings that was not there: of texts that take the place of others, the lines that are new."""
    lines = frozenset(before.splitlines())
    for name, value in told.items():
        if name in ("body", _WHOLE):
            yield from _new_runs(str(value).encode("utf-8", "replace").decode(), lines)
        else:
            yield from (text for text in texts(value) if text not in there)


def _new_runs(text: str, known: frozenset[str]) -> Iterator[str]:
    """Lines of a text that stand together and are not known."""
    for is_new, run in groupby(text.splitlines(), key=lambda line: line not in known):
        if is_new:
            yield "\n".join(run)


def _check_fields(wanted: Edit, known: Mapping[str, Field]) -> None:
    unknown = [name for name in wanted.fields or {} if name.partition(".")[0] not in known]
    if unknown:
        raise BadInput(what="the field", value=unknown[0], reason="memvault has no field of that name")


# Add to a memory that is there: a text, and whatever else is said of it.

_LISTS = ("tags", "topics", "people", "triggers")
_WAITS_APART = ("tool", "web")


def remember_in(bench: Bench, ref: str, draft: Draft, *, dry_run: bool = False) -> Remembered:
    """Add a text to a memory that is there, unless it says that already, and what is said of it to its fields."""
    draft, left_out = screened(bench, draft)
    lifted = wanted_back(bench, draft)
    memory, _ = bench.read(bench.find(ref))
    _check_trust(bench, draft, memory)
    fields = _fields(draft, memory, bench.settings.kinds)
    lists = {name: Items(more) for name in _LISTS if (more := getattr(draft, name))} | _refs(draft, memory)
    addition = None if _says(memory.body or "", draft.text) else draft.text
    wanted = Edit(append=addition, fields=fields, lists=lists, secrets=draft.secrets, automatic=draft.automatic)
    changed = edit(bench, memory.path, wanted, along=lifted, dry_run=dry_run)
    if changed.op:
        keep_in_mind(bench, draft.text, changed.memory)
    return Remembered(changed.memory, op=changed.op, outcome="added", left_out=left_out)


def _says(body: str, text: str) -> bool:
    """Whether a text stands in another already, and not only as a piece of longer words."""
    return re.search(rf"(?<!\w){re.escape(normal(text))}(?!\w)", normal(body)) is not None


def _refs(draft: Draft, memory: Memory) -> dict[str, Items]:
    """What the draft points to, as far as the memory does not point there yet."""
    given = {key: tuple(dict.fromkeys(items)) for key, items in draft.refs.items()}
    return {f"refs.{key}": Items(items) for key, items in given.items() if set(items) - {*memory.refs.get(key, ())}}


def _fields(draft: Draft, memory: Memory, kinds: Kinds) -> dict[str, FieldValue | None]:
    """What the draft says besides its text, as far as the memory does not say so yet."""
    said: dict[str, FieldValue] = {"title": title} if (title := clip(draft.title)) else {}
    said |= {name: value for name in ("type", "kind") if (value := getattr(draft, name))}
    said |= {"weight": draft.weight} if draft.weight is not None else {}
    said |= {"pinned": True} if draft.pin else {}
    said |= {"emotional_flag": True} if draft.significant else {}
    said |= {**draft.more, **_kind_for(draft, memory, kinds)}
    return {name: value for name, value in said.items() if value != _now(memory, name)}


def _now(memory: Memory, name: str) -> object:
    return getattr(memory, name) if name in Memory.__slots__ else memory.more.get(name)


def _kind_for(draft: Draft, memory: Memory, kinds: Kinds) -> Mapping[str, FieldValue]:
    """The kind that what is given belongs to, where the memory's own was only guessed from its words."""
    owner = "" if draft.kind else kinds.owner(draft.more)
    if not owner or owner == memory.kind or memory.kind not in kinds:
        return {}
    reason = unheard(kinds, memory.kind, draft.more)
    if reason and "kind" in memory.stated:
        reason = f"it is {memory.kind}, {reason} (name that kind too to make it one)"
        raise BadInput(what="the memory", value=memory.title, reason=reason)
    return {"kind": owner} if reason else {}


def _check_trust(bench: Bench, draft: Draft, memory: Memory) -> None:
    """A memory is trusted as its source is, so nothing less trusted is put into it."""
    if draft.source in _WAITS_APART:
        reason = "what comes from there waits in quarantine, and is added to nothing"
        raise BadInput(what="the source", value=draft.source, reason=reason)
    source = memory.more.get("source", bench.actor.source)
    if draft.source and draft.source != source and not draft.automatic:
        reason = f"the memory that it is added to comes from {source}, and keeps its source"
        raise BadInput(what="the source", value=draft.source, reason=reason)
