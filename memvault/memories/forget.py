"""Let a memory go, and bring one back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from memvault.core.ids import is_prefix
from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.plan import (
    ChangeSubject,
    LedgerLine,
    LedgerNote,
    MoveFile,
    Operation,
    OperationStep,
    Plan,
    PlanChange,
    RewriteNote,
    SetFields,
    ledger_lines_for_write,
)
from memvault.core.similarity.statements import read_statements
from memvault.core.similarity.tokens import SLIGHT, Token, read_tokens
from memvault.errors import MemvaultError, NotFound, NothingToDo
from memvault.memories.edit import find_each
from memvault.memories.remember import find_details, free_path, memory_texts, trashed_details
from memvault.storage.journal import exchanges, tombstones
from memvault.storage.journal.apply import apply_one
from memvault.storage.permissions import check_own_operation, require_person, require_person_for_identity
from memvault.storage.vault import codec
from memvault.storage.vault.context import VaultContext
from memvault.storage.vault.layout import TRASH
from memvault.storage.vault.quarantine import read_unindexed
from memvault.text.sentence.clauses import Clause, remove_clause, split_clauses
from memvault.text.sentence.wording import word_set

_TIERS = (Place.HOT, Place.MEMORIES)


@dataclass(frozen=True, slots=True)
class MoveResult:
    """A memory that was let go or brought back."""

    memory: Memory
    came_from: str
    op: str = ""


def forget_memories(context: VaultContext, refs: Sequence[str], *, dry_run: bool = False) -> tuple[MoveResult, ...]:
    """Move memories, and the detail files that are only theirs, to the trash, and do not learn them again."""
    memories = [context.read_memory(memory)[0] for memory in find_each(context, refs)]
    require_person_for_identity(context, memories, "forgets")
    taken: set[str] = set()

    def move_to_trash(memory: Memory, why: str) -> MoveFile:
        target = free_path(context, f"{TRASH}/", memory.path.rpartition("/")[2], taken=taken)
        taken.add(target)
        return MoveFile(memory.path, target, why, version=memory.version)

    moves = [move_to_trash(memory, "forgotten") for memory in memories]
    if dry_run:
        return _forgotten(memories, moves, "")
    named = {memory.path for memory in memories}
    details = {
        detail.path: detail
        for memory in memories
        for detail in find_details(context, memory)
        if detail.path not in named
    }
    along = [move_to_trash(detail, "the detail behind it") for detail in details.values()]
    texts = [text for memory in memories for text in memory_texts(memory, find_details(context, memory))]
    marks = tombstones.tombstone_changes(context, texts, why="forget")
    op = apply_one(Plan("forget", (*moves, *along, *marks)), context).op
    if context.state is not None:
        with suppress(MemvaultError, OSError):  # it is forgotten all the same
            exchanges.purge_exchanges(context.state, texts=texts)
    return _forgotten(memories, moves, op)


def _forgotten(memories: Sequence[Memory], moves: Sequence[MoveFile], op: str) -> tuple[MoveResult, ...]:
    pairs = zip(memories, moves, strict=True)
    return tuple(MoveResult(memory.with_changes(path=move.to), memory.path, op) for memory, move in pairs)


def forget_memory(context: VaultContext, ref: str, *, dry_run: bool = False) -> MoveResult:
    """Move a memory, and the detail file that is only its own, to the trash, and do not learn it again."""
    return forget_memories(context, (ref,), dry_run=dry_run)[0]


def restore_memory(context: VaultContext, ref: str, *, dry_run: bool = False) -> MoveResult:
    """Bring a memory back from the trash or the archive, with its full standing."""
    context.refresh()
    memory = find_lost(context, ref)
    if memory.path.startswith(f"{TRASH}/"):
        _check_may_restore(context, memory)
    in_place = memory.status == "archived" and context.vault.place_of(memory.path) in (*_TIERS, Place.FOREIGN)
    last, name = _last_move(context, memory), memory.path.rpartition("/")[2]
    # Where it lay before it went, as far as the log knows; else Tier 2.
    former = f"{context.vault.layout.memories}{name}" if last is None else last[1].path
    folder = former[: former.rfind("/") + 1]
    target = memory.path if in_place else free_path(context, folder, name)
    place = context.vault.place_of(target) or Place.MEMORIES
    restored = memory.with_changes(path=target, place=place, status="active")
    if dry_run:
        return MoveResult(restored, memory.path)
    back = _unarchive(memory) if in_place else _move_back(memory, target)
    gone = list(trashed_details(context, memory))
    details = [MoveFile(detail.path, former, "the detail behind it", version=detail.version) for detail, former in gone]
    forgotten_texts = memory_texts(memory, (detail for detail, _ in gone))
    is_trashed = memory.path.startswith(f"{TRASH}/")
    # What an agent brings out of the archive may say the same as what a person had forgotten.
    known_again = tombstones.lift_text_marks(context, forgotten_texts) if is_trashed or not context.actor.agent else ()
    op = apply_one(Plan("restore", (back, *details, *_refuse_merge(memory), *known_again)), context).op
    if restored.id:  # one that never had an id of its own gets it again at the next look
        context.record_uses([restored], why="restore")
    return MoveResult(restored, memory.path, op)


def _move_back(memory: Memory, target: str) -> PlanChange:
    fields: dict[str, FieldValue | None] = {"merged_into": None} if "merged_into" in memory.more else {}
    notes: tuple[tuple[LedgerLine, LedgerLine | None], ...] = ()
    if memory.status != "active":
        fields["status"] = "active"
        notes += (ledger_lines_for_write(memory.id, "status", "active", memory.status),) if memory.id else ()
    about = ChangeSubject(id=memory.id, notes=notes)
    return MoveFile(memory.path, target, "brought back", fields=fields, version=memory.version, about=about)


def _unarchive(memory: Memory) -> PlanChange:
    """Return what was archived where it lies: a foreign note in the ledger alone, another by its status."""
    if memory.place is Place.FOREIGN:
        entry = {"e": "archive", "id": memory.id}
        return LedgerNote({"e": "lift", "of": "archive", "id": memory.id}, "brought back", entry)
    about = ChangeSubject(id=memory.id, notes=(ledger_lines_for_write(memory.id, "status", "active", "archived"),))
    return SetFields(memory.path, {"status": "active"}, "brought back", memory.version, about)


def _refuse_merge(memory: Memory) -> Iterator[PlanChange]:
    """Yield the change by which a restored memory is not merged into the same one again."""
    into = memory.more.get("merged_into")
    if isinstance(into, str) and memory.id:
        pair = sorted((memory.id, into))
        yield LedgerNote({"e": "refuse", "pair": pair}, "kept apart", {"e": "lift", "of": "refuse", "pair": pair})


def find_lost(context: VaultContext, ref: str) -> Memory:
    """Return the archived or forgotten memory that a reference means; the archive goes first."""
    found = context.index.find_memories(ref)
    archived = [memory for memory in found if memory.place is Place.ARCHIVED]
    if archived:
        return context.read_memory(archived[0])[0]
    faded = [memory for memory in found if memory.status == "archived"]
    if faded:
        return faded[0]
    # What cannot be read cannot be brought back either.
    readable = filter(None, (read_unindexed(context, path) for path in context.vault.trash_paths()))
    wanted = ref.strip().casefold()
    trashed = [
        memory
        for memory in readable
        if wanted in map(str.casefold, (memory.title, memory.name, f"{memory.name}.md", memory.path))
        or (is_prefix(wanted) and memory.id.startswith(wanted))
    ]
    if not trashed and (there := context.index.find_memories(ref)):
        raise NothingToDo(reason=f"{there[0].path} is there already.")
    if not trashed:
        raise NotFound(ref=ref)
    by_name = sorted(trashed, key=lambda memory: memory.path, reverse=True)
    if len(by_name) == 1:
        return by_name[0]
    # The newest operation comes first; what the log knows nothing of, last.
    moves = (step.to for each in context.vault.log.operations() for step in each.steps if step.do == "move")
    turns = {path: turn for turn, path in reversed(list(enumerate(moves)))}
    return min(by_name, key=lambda memory: turns.get(memory.path, len(turns)))


def _last_move(context: VaultContext, memory: Memory) -> tuple[Operation, OperationStep] | None:
    """Return the operation and step that moved a memory to where it is, as far as the log knows."""
    for operation in context.vault.log.operations():
        for step in operation.steps:
            if step.do == "move" and step.to == memory.path and context.vault.place_of(step.path):
                return operation, step
    return None


def _check_may_restore(context: VaultContext, memory: Memory) -> None:
    """Refuse an agent to bring back what another had forgotten."""
    gone, does = _last_move(context, memory), "brings back what somebody else had forgotten"
    if gone is None:
        require_person(context, does)
    else:
        check_own_operation(context.actor, gone[0], does)


# One part of a memory: which clause somebody means, and the memory without it.


# What is said about forgetting rather than about what is to be forgotten.
_SETTLING = word_set(
    "forget drop delete scrap strike remove cancel please thing matter wrong outdated true actually anymore longer",
    "gone over changed change now instead one vergiss vergessen lösche streiche stimmt falsch mehr oublie efface",
    "supprime borra bórralo olvida elimina information info part memory",
)
_SHARED_HEAD = 5  # letters: a word in a compound or another form
_DOUBT = 0.8  # of the best clause: so near another one may be meant as well


@dataclass(frozen=True, slots=True)
class ForgottenPart:
    """A memory without one of its clauses, and that clause."""

    memory: Memory
    part: str
    op: str = ""


def find_part(text: str, what: str) -> Clause | None:
    """Return the one clause of a text that somebody's words are about; None where it is none or several."""
    clauses = split_clauses(text)
    if len(clauses) < 2:
        return None
    wanted = [token for token in _weighty_tokens(what) if token.term.key not in _SETTLING]
    scores = [_shared_weight(wanted, _weighty_tokens(text[each.start : each.end])) for each in clauses]
    best = max(scores)
    if not best or sum(score >= _DOUBT * best for score in scores) > 1:
        return None
    return clauses[scores.index(best)]


def _weighty_tokens(text: str) -> list[Token]:
    return [token for token in read_tokens(read_statements(text)) if token.weight > SLIGHT]


def _shared_weight(wanted: list[Token], there: list[Token]) -> float:
    return sum(token.weight for token in wanted if any(_is_same(token, other) for other in there))


def _is_same(one: Token, other: Token) -> bool:
    if one.near & other.near:
        return True
    short, long = sorted((one.term.key.casefold(), other.term.key.casefold()), key=len)
    return len(short) >= _SHARED_HEAD and short.isalpha() and long.startswith(short)


def without_part(memory: Memory, body: str, clause: Clause) -> str:
    """Return a body without a clause; raise NothingToDo where the rest would lack its subject or be nothing."""
    rest = remove_clause(body, clause)
    if rest is None or not rest.strip():
        part = body[clause.start : clause.end]
        raise NothingToDo(
            reason=f"Without “{part}” the rest of “{memory.title}” would not stand by itself. "
            f"Change it with `memvault edit {memory.id[:8]}`."
        )
    return rest


def rewrite_without(context: VaultContext, memory: Memory, clause: Clause) -> tuple[PlanChange, ...]:
    """Return the change that takes a clause out of a memory, all else word for word."""
    stored, note = context.read_memory(memory)
    body = without_part(stored, stored.body or "", clause)
    data = codec.replace_body(note.raw, body, path=stored.path)
    return (RewriteNote(stored.path, data, note.version, "a part of it forgotten"),)


def forget_part(context: VaultContext, ref: str, what: str, *, dry_run: bool = False) -> ForgottenPart:
    """Take the clause that somebody means out of a memory, and do not learn it again; the rest stays as it is."""
    memory, _ = context.read_memory(context.find_memory(ref))
    require_person_for_identity(context, (memory,), "forgets")
    body = memory.body or ""
    clause = find_part(body, what)
    if clause is None:
        said = " · ".join(body[each.start : each.end] for each in split_clauses(body))
        raise NothingToDo(reason=f"It is not clear which part of “{memory.title}” is meant by “{what}”: {said}")
    part = body[clause.start : clause.end]
    changes = rewrite_without(context, memory, clause)
    if dry_run:
        return ForgottenPart(memory.with_changes(body=without_part(memory, body, clause)), part)
    marks = tombstones.tombstone_changes(context, (re.sub(r"\s+", " ", part),), why="forget")
    op = apply_one(Plan("forget", (*changes, *marks)), context).op
    return ForgottenPart(context.read_memory(context.find_memory(ref))[0], part, op)
