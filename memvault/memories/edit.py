"""Change one memory: pin it, link it, move it, edit it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from memvault.core.fields import RELATIONS
from memvault.core.kinds import Kinds
from memvault.core.memory import SOURCES, UNTRUSTED, FieldValue, Memory, Place
from memvault.core.plan import (
    NO_LIST_EDITS,
    AppendText,
    ChangeSubject,
    ListEdit,
    MoveFile,
    Plan,
    PlanChange,
    RewriteNote,
    SetFields,
    ledger_lines_for_write,
)
from memvault.core.secrets.private_spans import has_unclosed_private, strip_private_values
from memvault.core.secrets.screens import normalize_content
from memvault.errors import AlreadyThere, BadInput, ChangedMeanwhile, NothingToDo, OutsideVault, SecretFound
from memvault.memories.draft import MemoryDraft, ignored_fields, parse_fields, screen_draft
from memvault.memories.remember import RememberResult, lift_tombstones
from memvault.memories.screen import (
    NO_REDACTIONS,
    Redactions,
    ScreenPolicy,
    check_not_forgotten,
    remove_secrets,
    texts_in,
    validate_text,
)
from memvault.memories.similar import remember_recent
from memvault.storage.journal.apply import apply_one
from memvault.storage.permissions import check_trust_not_raised, require_person_for_identity
from memvault.storage.vault import codec
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.quarantine import find_with_waiting
from memvault.text.file_names import portability_problem
from memvault.text.markdown import clip_title

_TIERS = (Place.IDENTITY, Place.HOT, Place.MEMORIES, Place.ARCHIVED)
_PLACES = {name: place for tier, place in enumerate(_TIERS) for name in (str(tier), place.value)}


@dataclass(frozen=True, slots=True)
class ChangeResult:
    """A memory as it stands after a change, or would in a dry run."""

    memory: Memory
    did: str
    op: str = ""
    left_out: Redactions = NO_REDACTIONS
    remark: str = ""  # what will not come of it, though somebody may expect it


def _carry_out(
    context: VaultContext, memory: Memory, verb: str, changes: tuple[PlanChange, ...], did: str, *, dry: bool
) -> ChangeResult:
    if dry:
        return ChangeResult(memory, did)
    operation = apply_one(Plan(verb, changes), context)
    moved = next((change.to for change in changes if isinstance(change, MoveFile) and change.path == memory.path), "")
    now_at = memory.with_changes(path=moved, place=context.vault.place_of(moved) or memory.place) if moved else memory
    return ChangeResult(context.read_memory(now_at)[0], did, operation.op)


def find_each(context: VaultContext, refs: Sequence[str]) -> tuple[Memory, ...]:
    """Return the memories that several references mean, each once."""
    return tuple({memory.path: memory for ref in refs for memory in [context.find_memory(ref)]}.values())


def pin_memories(
    context: VaultContext, refs: Sequence[str], *, pinned: bool = True, dry_run: bool = False
) -> tuple[ChangeResult, ...]:
    """Keep memories from ever decaying, or let them decay again; as one operation."""
    memories = find_each(context, refs)
    require_person_for_identity(context, memories, "changes")
    already = "pinned already" if pinned else "not pinned"
    did = "pinned: it never decays" if pinned else "unpinned: it decays like any other"
    changes = tuple(SetFields(memory.path, {"pinned": pinned}, did) for memory in memories if memory.pinned != pinned)
    op = "" if dry_run or not changes else apply_one(Plan("pin" if pinned else "unpin", changes), context).op
    return tuple(
        ChangeResult(memory, already)
        if memory.pinned == pinned
        else ChangeResult(context.read_memory(memory)[0] if op else memory, did, op)
        for memory in memories
    )


def pin_memory(context: VaultContext, ref: str, *, pinned: bool = True, dry_run: bool = False) -> ChangeResult:
    """Keep a memory from ever decaying, or let it decay again."""
    return pin_memories(context, (ref,), pinned=pinned, dry_run=dry_run)[0]


def link_memories(
    context: VaultContext, ref: str, to: str, *, relation: str = "extends", dry_run: bool = False
) -> ChangeResult:
    """Say how one memory stands to another, as a wikilink that Obsidian's graph shows."""
    if relation not in RELATIONS:
        raise BadInput(what="the relation", value=relation, reason=f"it must be one of {', '.join(RELATIONS)}")
    memory, other = context.find_memory(ref), context.find_memory(to)
    if memory.path == other.path:
        raise NothingToDo(reason="A memory cannot be linked to itself.")
    require_person_for_identity(context, (memory, other) if relation == "supersedes" else (memory,), "changes")
    links = [(memory, relation, other)]
    links += [(other, "superseded_by", memory)] if relation == "supersedes" else []
    changes = []
    for one, name, target in links:
        link = f"[[{target.name}]]"
        if link not in codec.as_list(one.more.get(name)):
            changes.append(SetFields(one.path, {}, f"{name} {link}", lists={name: ListEdit((link,))}))
    did = f"{relation} [[{other.name}]]"
    if not changes:
        return ChangeResult(memory, f"linked already: {did}")
    return _carry_out(context, memory, "link", tuple(changes), did, dry=dry_run)


def move_memory(context: VaultContext, ref: str, to: str, *, dry_run: bool = False) -> ChangeResult:
    """Put a memory into another tier or folder; its name stays, so wikilinks to it go on working."""
    memory = context.find_memory(ref)
    require_person_for_identity(context, (memory,), "moves")
    folder = _target_folder(context, to)
    target = folder + memory.path.rpartition("/")[2]
    if target == memory.path:
        raise NothingToDo(reason=f"{memory.path} is there already.")
    place = context.vault.place_of(target)
    if place is None or context.vault.is_in_inner_vault(target):
        raise BadInput(what="the folder", value=to, reason="memories cannot lie there")
    if place is Place.IDENTITY and context.actor.agent:
        raise BadInput(what="the tier", value=to, reason="only a person puts memories into Tier 0")
    if context.vault.exists(target):
        raise AlreadyThere(path=target)
    did = f"moved to {folder or 'the top of the vault'}"
    fields = status_after_move(memory, place)
    notes = tuple(
        ledger_lines_for_write(memory.id, name, value, getattr(memory, name)) for name, value in fields.items()
    )
    about = ChangeSubject(id=memory.id, notes=notes)
    change = MoveFile(memory.path, target, did, fields=fields, about=about)
    return _carry_out(context, memory, "move", (change,), did, dry=dry_run)


def status_after_move(memory: Memory, place: Place) -> dict[str, FieldValue]:
    """Return what a move says about a memory's status: into the archive, or back out of it."""
    if place is Place.ARCHIVED and memory.place is not Place.ARCHIVED:
        return {"status": "archived"}
    if memory.status == "archived" and place is not Place.ARCHIVED:
        return {"status": "active"}
    return {}


def _target_folder(context: VaultContext, to: str) -> str:
    name = to.strip().casefold().removeprefix("tier ").removeprefix("tier")
    if name in _PLACES:
        return context.vault.layout.folder_of(_PLACES[name])
    if name.isdigit():
        raise BadInput(what="the tier", value=to, reason="there are the tiers 0 to 3")
    folder = to.replace("\\", "/").strip("/")
    parts = folder.split("/") if folder else []
    if ".." in parts or to.startswith(("/", "~")):
        raise OutsideVault(path=to)
    unfit = next((reason for part in parts if (reason := portability_problem(part))), None)
    if unfit:
        raise BadInput(what="the folder", value=to, reason=unfit)
    if len(parts) == 1 and not to.endswith(("/", "\\")) and not (context.vault.root / folder).is_dir():
        reason = f"it is no tier, and there is no such folder yet; `{folder}/` makes one"
        raise BadInput(what="the folder", value=to, reason=reason)
    return f"{folder}/" if folder else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEdit:
    """What is to change about a memory; None leaves a thing as it is."""

    body: str | None = None
    append: str | None = None
    whole: bytes | None = None  # the file's new bytes, as an editor left them
    fields: Mapping[str, FieldValue | None] | None = None
    lists: Mapping[str, ListEdit] = field(default_factory=lambda: NO_LIST_EDITS)  # some items more or less
    version: str = ""  # the version that was read; another one on disk is an error
    secrets: str = ""  # refuse, redact or keep those that it adds; as the settings say, unless told
    automatic: bool = False  # nobody asked for it: it was picked up
    source: str = ""  # where what it adds comes from, if not from whoever makes the edit


def edit_memory(
    context: VaultContext,
    ref: str,
    edit: MemoryEdit,
    *,
    extra_changes: tuple[PlanChange, ...] = (),
    dry_run: bool = False,
) -> ChangeResult:
    """Change a memory's text or fields; where it is no longer the version that was read, nothing is changed.

    What is only added, and fields, go onto whatever text the note has by then, unless a version is presented. Secrets
    that it adds are screened as those of a new memory; those that are there already are nobody's business here.
    """
    memory, note = context.read_memory(find_with_waiting(context, ref))
    # The lists as they would be, were they changed now.
    listed = {name: items.apply_to(_list_items(memory, name)) for name, items in edit.lists.items()}
    edit = replace(edit, fields={**(edit.fields or {}), **listed})
    edit, left_out = screen_edit(context, memory, note.raw, edit)
    if edit.version and edit.version != note.version:
        raise ChangedMeanwhile(path=memory.path)
    data = _edited_bytes(note.raw, edit, memory.path)
    if data != note.raw and (less := _less_trusted(context, memory, edit)):
        edit = replace(edit, fields={**(edit.fields or {}), **less})
        data = _edited_bytes(note.raw, edit, memory.path)
    check_trust_not_raised(context, memory, context.decode_memory(memory, data))
    changes = (*_edit_changes(edit, memory, data, note.version), *extra_changes) if data != note.raw else extra_changes
    if not changes:
        return ChangeResult(memory, "nothing changed", left_out=left_out)
    changed = _carry_out(context, memory, "edit", changes, "edited", dry=dry_run)
    kinds, kind = context.settings.kinds, str((edit.fields or {}).get("kind") or changed.memory.kind)
    given = [name for name, value in (edit.fields or {}).items() if value is not None]
    reason = ignored_fields(kinds, kind, given) if kind in kinds else ""
    return replace(changed, left_out=left_out, remark=f"It is {kind}: {reason}." if reason else "")


def _less_trusted(context: VaultContext, memory: Memory, edit: MemoryEdit) -> dict[str, FieldValue | None]:
    """Return the fields by which a memory is trusted no more than whoever changes its words."""
    found: dict[str, FieldValue | None] = {"tainted": True} if context.is_session_tainted() else {}
    is_reworded = any(part is not None for part in (edit.body, edit.append, edit.whole)) or "title" in (
        edit.fields or {}
    )
    source = edit.source or context.actor.source
    is_less = source in SOURCES and SOURCES.index(source) > SOURCES.index(memory.source)
    return {**found, "source": source} if is_reworded and is_less else found


def _edit_changes(edit: MemoryEdit, memory: Memory, data: bytes, version: str) -> tuple[PlanChange, ...]:
    if edit.whole is not None or edit.body is not None:
        return (RewriteNote(memory.path, data, version, "edited"),)
    given = edit.fields or {}
    fields = {name: value for name, value in given.items() if name not in edit.lists}
    lists: dict[str, ListEdit] = {}
    for name in edit.lists:  # what made one list of another: by now it may be others that stand there
        before, after = _list_items(memory, name), codec.as_list(given.get(name))
        add = tuple(item for item in after if item not in before)
        lists[name] = ListEdit(add, tuple(item for item in before if item not in after))
    if edit.append:
        return (AppendText(memory.path, edit.append, "edited", fields, edit.version, lists),)
    return (SetFields(memory.path, fields, "edited", edit.version, lists=lists),)


def _list_items(memory: Memory, name: str) -> tuple[str, ...]:
    top, _, below = name.partition(".")
    if below:  # a key of a map
        return memory.refs.get(below, ()) if top == "refs" else ()
    return codec.as_list(getattr(memory, name) if name in Memory.__slots__ else memory.more.get(name))


def _edited_bytes(raw: bytes, edit: MemoryEdit, path: str) -> bytes:
    """Return what the note would be, were it changed now."""
    data = raw if edit.whole is None else edit.whole
    if edit.body is not None:
        data = codec.replace_body(data, edit.body if edit.body.endswith("\n") else f"{edit.body}\n", path=path)
    if edit.append:
        data = codec.append_text(data, edit.append, path=path)
    return codec.set_fields(data, edit.fields, path=path) if edit.fields else data


# -- what an edit may add


def screen_edit(context: VaultContext, memory: Memory, raw: bytes, edit: MemoryEdit) -> tuple[MemoryEdit, Redactions]:
    """Return an edit without private spans and without the secrets that it would add; refuse what it may not add."""
    policy = ScreenPolicy(
        by_person=not (context.actor.agent or edit.automatic), automatic=edit.automatic, secrets=edit.secrets
    )
    if memory.place is Place.IDENTITY and not policy.by_person:
        raise BadInput(what="the memory", value=memory.title, reason="only a person changes what is in Tier 0")
    if not policy.by_person and memory.more.get("tainted") and "tainted" in (edit.fields or {}):
        raise BadInput(what="the field tainted", value=memory.title, reason="only a person says that it may be trusted")
    if edit.secrets and edit.secrets not in _ON_SECRETS:
        raise BadInput(what="`secrets`", value=edit.secrets, reason=f"it must be one of {', '.join(_ON_SECRETS)}")
    unknown = [name for name in edit.fields or {} if name.partition(".")[0] not in context.settings.kinds.fields]
    if unknown:
        raise BadInput(what="the field", value=unknown[0], reason="memvault has no field of that name")
    parts = _edit_parts(context, edit)
    is_cut = any(
        has_unclosed_private(text) for name, value in parts.items() if name != _WHOLE_FIELD for text in texts_in(value)
    )
    parts = {name: value if name == _WHOLE_FIELD else strip_private_values(value) for name, value in parts.items()}
    before = raw.decode("utf-8", "replace")
    there = (before, *texts_in((memory.title, memory.tags, memory.topics, memory.people, memory.triggers, memory.refs)))
    there = (*there, *texts_in(memory.more))
    kept, left_out = remove_secrets(context, parts, policy, there=there)
    if "append" in kept:
        # A secret may only show where what is added meets what it is added to: "the password is", "…".
        joined = {"append": f"{before.rstrip()}\n\n{kept['append']}"}
        if sorts := remove_secrets(context, joined, policy, there=there)[1].sorts:
            raise SecretFound(sorts=", ".join(sorts))
    check_not_forgotten(context, _added_texts(kept, before, frozenset(there)), policy)
    whole = kept[_WHOLE_FIELD].encode("utf-8", _BYTE_ERRORS) if _WHOLE_FIELD in kept else None
    fields = {name: kept[name] for name in edit.fields or {}}
    screened = replace(edit, body=kept.get("body"), append=kept.get("append"), whole=whole, fields=fields)
    return screened, replace(left_out, unclosed=is_cut)


_ON_SECRETS = ("refuse", "redact", "keep")
_TEXT_PARTS = ("body", "append")
_WHOLE_FIELD = "whole"
_BYTE_ERRORS = "surrogateescape"  # bytes that are no text come out as they went in


def _edit_parts(context: VaultContext, edit: MemoryEdit) -> dict[str, Any]:
    """Return the parts of an edit by name, each fit to be written."""
    parts: dict[str, Any] = {
        name: validate_text(f"`{name}`", fields) for name in _TEXT_PARTS if (fields := getattr(edit, name)) is not None
    }
    if edit.whole is not None:
        if not isinstance(edit.whole, bytes):
            raise BadInput(what="`whole`", value=type(edit.whole).__name__, reason="it must be the bytes of the file")
        parts[_WHOLE_FIELD] = edit.whole.decode("utf-8", _BYTE_ERRORS)
    return parts | parse_fields(context, edit.fields or {})


def _added_texts(parts: Mapping[str, Any], before: str, there: frozenset[str]) -> Iterator[str]:
    """Yield what an edit brings that was not there: of texts that take the place of others, the lines that are new."""
    lines = frozenset(before.splitlines())
    for name, value in parts.items():
        if name in ("body", _WHOLE_FIELD):
            text = str(value).encode("utf-8", "replace").decode()
            runs = groupby(text.splitlines(), key=lambda line: line not in lines)
            yield from ("\n".join(run) for is_new, run in runs if is_new)
        else:
            yield from (text for text in texts_in(value) if text not in there)


# Add to a memory that is there: a text, and whatever else is said of it.

_LIST_FIELDS = ("tags", "topics", "people", "triggers")


def add_to_memory(context: VaultContext, ref: str, draft: MemoryDraft, *, dry_run: bool = False) -> RememberResult:
    """Add a text to a memory that is there, unless it says that already, and what is said of it to its fields."""
    draft, left_out = screen_draft(context, draft)
    lifted = lift_tombstones(context, draft)
    memory, _ = context.read_memory(context.find_memory(ref))
    if draft.source in UNTRUSTED:
        reason = "what comes from there waits in quarantine, and is added to nothing"
        raise BadInput(what="the source", value=draft.source, reason=reason)
    source = memory.more.get("source", context.actor.source)
    if draft.source and draft.source != source and not draft.automatic:
        reason = f"the memory that it is added to comes from {source}, and keeps its source"
        raise BadInput(what="the source", value=draft.source, reason=reason)
    fields = _new_fields(draft, memory, context.settings.kinds)
    lists = {name: ListEdit(more) for name in _LIST_FIELDS if (more := getattr(draft, name))}
    for key, items in draft.refs.items():  # what it points to, as far as the memory does not point there yet
        if set(items) - {*memory.refs.get(key, ())}:
            lists[f"refs.{key}"] = ListEdit(tuple(dict.fromkeys(items)))
    # A text that stands in the other already, and not only as a piece of longer words, is not added again.
    known = rf"(?<!\w){re.escape(normalize_content(draft.text))}(?!\w)"
    addition = None if re.search(known, normalize_content(memory.body or "")) else draft.text
    wanted = MemoryEdit(
        append=addition,
        fields=fields,
        lists=lists,
        secrets=draft.secrets,
        automatic=draft.automatic,
        source=draft.source,
    )
    changed = edit_memory(context, memory.path, wanted, extra_changes=lifted, dry_run=dry_run)
    if changed.op:
        remember_recent(context, draft.text, changed.memory)
    return RememberResult(changed.memory, op=changed.op, outcome="added", left_out=left_out)


def _new_fields(draft: MemoryDraft, memory: Memory, kinds: Kinds) -> dict[str, FieldValue | None]:
    """Return what the draft says besides its text, as far as the memory does not say so yet."""
    fields: dict[str, FieldValue] = {"title": title} if (title := clip_title(draft.title)) else {}
    fields |= {name: value for name in ("type", "kind") if (value := getattr(draft, name))}
    fields |= {"weight": draft.weight} if draft.weight is not None else {}
    fields |= {"pinned": True} if draft.pin else {}
    fields |= {"emotional_flag": True} if draft.significant else {}
    fields |= {**draft.more, **_kind_change(draft, memory, kinds)}
    there = {**memory.more, **{name: getattr(memory, name) for name in Memory.__slots__}}
    return {name: value for name, value in fields.items() if value != there.get(name)}


def _kind_change(draft: MemoryDraft, memory: Memory, kinds: Kinds) -> Mapping[str, FieldValue]:
    """Return the kind that what is given belongs to, where the memory's own was only guessed from its words."""
    owner = "" if draft.kind else kinds.kind_with_fields(draft.more)
    if not owner or owner == memory.kind or memory.kind not in kinds:
        return {}
    reason = ignored_fields(kinds, memory.kind, draft.more)
    if reason and "kind" in memory.stated:
        reason = f"it is {memory.kind}, {reason} (name that kind too to make it one)"
        raise BadInput(what="the memory", value=memory.title, reason=reason)
    return {"kind": owner} if reason else {}
