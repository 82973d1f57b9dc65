"""Make a new memory."""

from __future__ import annotations

import re
import uuid
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from posixpath import normpath

from memvault.core.fields import clean_tag
from memvault.core.kinds import Kinds
from memvault.core.kinds.infer_tags import DECISION, PREFERENCE, concerns_person, infer_tags
from memvault.core.links import target_name
from memvault.core.memory import UNTRUSTED, FieldValue, Memory, Place
from memvault.core.plan import CreateFile, ListEdit, Plan, PlanChange, SetFields
from memvault.errors import AlreadyThere, Forgotten, MarksUnknown
from memvault.memories.draft import SCREENED_FIELDS, MemoryDraft, screen_draft, validate_draft
from memvault.memories.screen import NO_REDACTIONS, Redactions, find_forgotten
from memvault.memories.similar import find_similar, remember_recent
from memvault.storage.journal import tombstones
from memvault.storage.journal.apply import apply_one
from memvault.storage.vault import codec
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import TRASH
from memvault.storage.vault.quarantine import read_unindexed
from memvault.text.file_names import free_file_name
from memvault.text.markdown import clip_title, guess_title
from memvault.text.statements.standing import CERTAIN, SURE, rate_statement

# Which project a new memory belongs to, and whether it is for that project alone.


def project_fields(
    project: str, draft: MemoryDraft, *, kind: str, kinds: Kinds, due: FieldValue | None = None
) -> dict[str, FieldValue]:
    """Return the fields `project` and `scope` of a memory that is made within a project; what is given goes first."""
    if not project or "project" in draft.more:
        return {}
    fields: dict[str, FieldValue] = {"project": project}
    row = kinds.get(kind)
    if "scope" in draft.more or row is None:
        return fields
    # What was asked for, or has its day, comes up wherever the person works.
    is_everywhere = (
        row.everywhere and (due is not None or not draft.automatic) and not _names_project(draft.text, project)
    )
    if is_everywhere or (row.personal and concerns_person(draft.text)):
        fields["scope"] = "global"
    return fields


def _names_project(text: str, project: str) -> bool:
    """Return whether a text is about the project that it is said in."""
    low, name = text.casefold(), re.sub(r"\A.*[:/]|(?<=\w)-[0-9a-f]{8}\Z", "", project.casefold())
    if re.search(r"\b(?:this|the|our) (?:project|repo|repository|codebase)\b", low):
        return True
    return len(name) > 2 and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", low) is not None


# The long file behind a memory: how the two point at each other, and go the same ways.

_LEAD_WORDS = 80
_POINTER = "More: [[{}]]"
_HEAD = "Detail of [[{}]]."
_POINTER_SAID = r"\s*^More: \[\[[^\]\n]+\]\]\s*\Z"
_HEAD_SAID = r"\A\s*Detail of \[\[[^\]\n]+\]\]\.[ \t]*\n+"


def memory_texts(memory: Memory, details: Iterable[Memory] = ()) -> tuple[str, ...]:
    """Return the texts that a memory stands for: its body with and without pointers, and its detail files."""
    bodies = (memory.body or "", *(detail.body or "" for detail in details))
    texts: list[str] = []
    for body in bodies:
        texts += body, re.sub(_HEAD_SAID, "", re.sub(_POINTER_SAID, "", body, flags=re.MULTILINE))
    return tuple(dict.fromkeys(filter(None, map(str.strip, texts)))) or (memory.title,)


def find_details(context: VaultContext, memory: Memory) -> list[Memory]:
    """Return the long files that are a memory's own: those it names, unless another memory points there too."""
    places = _WAITING_PLACES if memory.place is Place.QUARANTINE else _DETAIL_PLACES
    found = (_find_detail(context, reference, places) for reference in memory.refs.get("deep_context", ()))
    return [detail for detail in found if detail is not None and _is_own_detail(context, memory, detail)]


def _find_detail(context: VaultContext, reference: str, places: tuple[Place, ...]) -> Memory | None:
    link = reference.removeprefix("[[").removesuffix("]]")
    name = target_name(link)
    known = [other.path for other in context.index.find_memories(name) if other.path == reference or other.name == name]
    beside = f"{context.vault.layout.quarantine}{name}.md"
    for path in (link, *known, beside):
        # A reference is somebody's text: it may lead round a corner.
        is_straight = normpath(path) == path and "\\" not in path
        if is_straight and context.vault.place_of(path) in places and context.vault.exists(path):
            return read_unindexed(context, path)
    return None


_DETAIL_PLACES, _WAITING_PLACES = (Place.DEEP,), (Place.DEEP, Place.QUARANTINE)


def _is_own_detail(context: VaultContext, memory: Memory, detail: Memory) -> bool:
    others = {other.path for other in context.index.links_to(detail.name)} - {memory.path, detail.path}
    if others or detail.path == memory.path:
        return False
    # What came from the web may name any file as its detail; that alone does not make it so.
    is_theirs = detail.source in UNTRUSTED or f"[[{memory.name}]]" in (detail.body or "")
    return memory.place is not Place.QUARANTINE or detail.place is Place.QUARANTINE or is_theirs


def free_path(
    context: VaultContext, folder: str, name: str, *, taken: Container[str] = (), is_unique: bool = False
) -> str:
    """Return a path for a file in a folder, with a number behind its name where another file, or note, has it."""
    stem, dot, ending = name.rpartition(".")
    found, turn = name, 2
    while (
        folder + found in taken or context.vault.exists(folder + found) or (is_unique and context.index.has_name(found))
    ):
        found, turn = f"{stem}-{turn}{dot}{ending}", turn + 1
    return folder + found


def trashed_details(context: VaultContext, memory: Memory) -> Iterator[tuple[Memory, str]]:
    """Yield the detail files of a memory that went to the trash with it, and where each lay."""
    for path in memory.refs.get("deep_context", ()):
        if context.vault.place_of(path) not in _WAITING_PLACES or context.vault.exists(path):
            continue
        steps = (step for op in context.vault.log.operations() for step in op.steps)
        went = (step.to for step in steps if step.do == "move" and step.path == path)
        now_at = next((to for to in went if to.startswith(f"{TRASH}/") and context.vault.exists(to)), "")
        detail = read_unindexed(context, now_at) if now_at else None
        if detail is not None:
            yield detail, path


_NAME_TRIES = 20


@dataclass(frozen=True, slots=True)
class RememberResult:
    """A memory that was made, or would be in a dry run."""

    memory: Memory
    deep_context: str = ""  # the detail file made beside a significant memory
    op: str = ""  # what `undo` takes back; empty in a dry run
    outcome: str = "kept"  # kept, quarantined, confirmed (known), added (to what is known), held or rejected
    like: Memory | None = None  # the memory that says nearly the same
    left_out: Redactions = NO_REDACTIONS
    why: str = ""  # why the reviewers rejected it
    replaces: Memory | None = None  # the memory in whose place it stands


def remember(
    context: VaultContext,
    draft: MemoryDraft,
    *,
    replaces: Memory | None = None,
    along: tuple[PlanChange, ...] = (),
    dry_run: bool = False,
) -> RememberResult:
    """Write a new memory into Tier 2, under a name that nothing in the vault has yet, once it passed the screens.

    The one that it `replaces` stays, marked as superseded; what waits in quarantine replaces nothing. Changes `along`
    with it, which its words make, are part of the same operation.
    """
    draft, left_out = screen_draft(context, draft)
    lifted = lift_tombstones(context, draft)
    memory = _build_memory(context, draft, str(uuid.uuid4()))
    is_compared = draft.near != "ignore" and context.settings.flag("screen.duplicates")
    similar = find_similar(context, memory) if is_compared else None
    is_person = draft.screen_policy(context).by_person
    # What becomes of a text that is known nearly: only a person can be waited for.
    near = draft.near if draft.near and (is_person or draft.near != "hold") else "tell" if is_person else "confirm"
    if similar and similar.says_all and (near == "confirm" or memory.place is Place.QUARANTINE):
        if not dry_run and similar.memory.place is not Place.QUARANTINE:
            session = context.actor.session or f"device:{context.vault.device}"
            context.vault.try_journal([{"e": "confirm", "id": similar.memory.id, "session": session}], context.now)
            remember_recent(context, draft.text, similar.memory)
        return RememberResult(similar.memory, outcome="confirmed", like=similar.memory, left_out=left_out)
    replaces = None if memory.place is Place.QUARANTINE else replaces
    lifted = lifted if memory.place is Place.QUARANTINE else (*along, *lifted)
    result = RememberResult(memory, like=similar.memory if similar else None, left_out=left_out, replaces=replaces)
    if similar and near == "hold":
        return replace(result, outcome="held")
    return _write_memory(context, draft, result, lifted, dry_run=dry_run)


def _write_memory(
    context: VaultContext, draft: MemoryDraft, result: RememberResult, lifted: tuple[PlanChange, ...], *, dry_run: bool
) -> RememberResult:
    memory = result.memory
    for _ in range(_NAME_TRIES):
        # What waits in quarantine waits whole: a detail file elsewhere would be found before anybody accepted it.
        is_waiting = memory.place is Place.QUARANTINE
        words = draft.text.split()
        # What can be read at a glance has no detail that a file of its own could hold.
        is_long = draft.significant and not is_waiting and len(words) > _LEAD_WORDS
        detail = _build_detail(context, memory, draft.text) if is_long else None
        if draft.significant and not is_waiting:
            memory = memory.with_changes(emotional_flag=True)
        if detail is not None:
            body = f"{' '.join(words[:_LEAD_WORDS])} …\n\n{_POINTER.format(detail.name)}"
            memory = memory.with_changes(body=body, refs={**memory.refs, "deep_context": (detail.path,)})
        if result.replaces is not None:
            memory = memory.with_changes(more={**memory.more, "supersedes": (f"[[{result.replaces.name}]]",)})
        outcome = "quarantined" if is_waiting else "kept"
        result = replace(result, memory=memory, deep_context=detail.path if detail else "", outcome=outcome)
        if dry_run:
            return result
        whole = [CreateFile(detail.path, codec.encode_new(detail), "the detail behind it")] if detail else []
        created = CreateFile(memory.path, codec.encode_new(memory), f"remember “{memory.title}”")
        try:
            operation = apply_one(Plan("remember", (*whole, created, *_supersede(result), *lifted)), context)
        except AlreadyThere:
            memory = _build_memory(context, draft, memory.id)  # another writer took the name a moment ago
            continue
        remember_recent(context, draft.text, memory)
        return replace(result, op=operation.op)
    raise AlreadyThere(path=result.memory.path)


def _supersede(result: RememberResult) -> Iterator[PlanChange]:
    if (older := result.replaces) is not None:
        links = {"superseded_by": ListEdit((f"[[{result.memory.name}]]",))}
        yield SetFields(older.path, {}, f"“{result.memory.title}” takes its place", lists=links)


def lift_tombstones(context: VaultContext, draft: MemoryDraft) -> tuple[PlanChange, ...]:
    """Return what takes a forgotten text's tombstones away, if a person wants it back; without that it is refused."""
    is_person = draft.screen_policy(context).by_person and draft.source not in UNTRUSTED
    others = [getattr(draft, name) for name in SCREENED_FIELDS if name != "text"]
    is_wanted = draft.again and is_person
    session = context.actor.session
    if draft.automatic and (context.actor.is_nameless or (session and tombstones.purged_ids(context)(session))):
        raise Forgotten()  # the whole session was
    try:
        dead = find_forgotten(context, draft.text, others)
    except MarksUnknown:
        if is_wanted:  # whether it was forgotten or not
            return ()
        raise
    if dead and not is_wanted:
        raise Forgotten()
    return tombstones.lift_marks(context, dead)


# -- the memory


def build_memory(context: VaultContext, draft: MemoryDraft) -> Memory:
    """Return the memory that a draft would become, with all that is in it: for what is sealed before it is written."""
    draft = validate_draft(context, draft)
    return _build_memory(context, draft, str(uuid.uuid4()))


def _build_memory(context: VaultContext, draft: MemoryDraft, memory_id: str) -> Memory:
    text, actor = draft.text, context.actor
    title = clip_title(draft.title) or guess_title(text)
    memory_type = draft.type or "memory"
    kinds = context.settings.kinds
    kind = draft.kind or kinds.kind_with_fields(draft.more) or kinds.implied_by_type(memory_type)
    # What holds until a day is how things are, and nothing to be done by then.
    kind = kind or (kinds.default if "until" in draft.more else _guess_kind(kinds, text))
    earned = infer_tags(text) if memory_type != "milestone" else ()  # it tells of many things, and is none of them
    tags = tuple(dict.fromkeys((*map(clean_tag, draft.tags), *earned)))
    created = min(draft.created or context.now, context.now)
    try:
        day = created.astimezone(context.zone).date()
    except OverflowError:  # the first day that there is, in a zone in which it is the day before
        day = created.date()
    name = free_file_name(day, title, taken=lambda name: _is_name_taken(context, name))
    place = Place.QUARANTINE if draft.source in UNTRUSTED else Place.MEMORIES
    read = kinds[kind].read_fields(text, created, context.zone)  # "on Sunday" is the one after it was said
    agent_weight = context.settings.number("remember.agent_weight" if actor.agent else "remember.weight")
    return Memory(
        id=memory_id,
        path=context.vault.layout.folder_of(place) + name,
        place=place,
        title=title,
        type=memory_type,
        kind=kind,
        created=created.replace(microsecond=0),
        last_accessed=context.now.replace(microsecond=0),
        weight=agent_weight if draft.weight is None else draft.weight,
        pinned=draft.pin,
        emotional_flag=draft.significant,
        decay_eligible=PREFERENCE not in tags,
        tags=tags,
        topics=draft.topics,
        people=draft.people,
        triggers=draft.triggers,
        aliases=tuple(dict.fromkeys((title, *filter(None, map(str.strip, draft.aliases))))),
        refs=_hash_files(context, draft),
        more={
            **read,
            **project_fields(
                context.project, draft, kind=kind, kinds=kinds, due=draft.more.get("due", read.get("due"))
            ),
            **_name_branch(context, tags),
            **draft.more,
            "source": draft.source or actor.source,
            **{name: value for name, value in (("agent", actor.agent), ("session", actor.session)) if value},
            **({"tainted": True} if context.is_session_tainted() else {}),
        },
        body=text,
    )


def _guess_kind(kinds: Kinds, text: str) -> str:
    """Guess the kind of a text; what holds always of a person is knowledge, and does not fade as events do."""
    guessed = kinds.guess_kind(text)
    is_passing = kinds[guessed].fades_from_view or kinds[guessed].idle_hours > 0
    # Where a wrong guess would hide a text from every later session, less has to speak for its lasting.
    enough = SURE if kinds[guessed].scope == "session" else CERTAIN
    return kinds.default if is_passing and rate_statement(text) >= enough else guessed


def _hash_files(context: VaultContext, draft: MemoryDraft) -> Mapping[str, tuple[str, ...]]:
    """Return the references of a draft, in which the files that it speaks of have a hash of what it says of them."""
    if not draft.refs.get("path"):
        return draft.refs
    from memvault.storage.still_true import hash_references  # deferred: few memories name files

    return hash_references(context, draft.refs, draft.text)


def _name_branch(context: VaultContext, tags: tuple[str, ...]) -> dict[str, FieldValue]:
    """Return the branch on which something was decided, where it is not the main one."""
    if DECISION not in tags or not context.project or context.folder is None:
        return {}
    from memvault.storage.still_true import name_branch  # deferred, as above

    branch = name_branch(context.folder)
    return {"branch": branch} if branch else {}


def _is_name_taken(context: VaultContext, name: str) -> bool:
    """Return whether any note has a name: they are unique, so that wikilinks survive a move between tiers."""
    layout, exists = context.vault.layout, context.vault.exists
    stem = name.rpartition(".")[0].casefold()
    known = context.index.find_memories(stem) if context.index.has_name(name) else ()
    if any(exists(memory.path) for memory in known if memory.name.casefold() == stem):  # it has not gone since
        return True
    # The index is as the last look left it, so whatever may have come since is asked for by its path.
    own = (layout.memories, layout.deep, layout.quarantine, layout.hot, layout.identity)
    return any(exists(folder + name) for folder in {*own, *context.index.known_folders()})


def _build_detail(context: VaultContext, memory: Memory, text: str) -> Memory:
    """Return the long file beside a significant memory; the memory itself keeps only what can be read at a glance."""
    title = f"{memory.title} (in detail)"
    name = free_file_name(
        context.now.astimezone(context.zone).date(),
        f"{memory.title} in detail",
        taken=lambda name: _is_name_taken(context, name) or name == memory.path.rpartition("/")[2],
    )
    return memory.with_changes(
        id=str(uuid.uuid4()),
        path=context.vault.layout.deep + name,
        place=Place.DEEP,
        title=title,
        type="reference",
        kind="semantic",
        aliases=(title,),
        triggers=(),
        decay_eligible=False,
        body=f"{_HEAD.format(memory.name)}\n\n{text}",
        refs={},
    )
