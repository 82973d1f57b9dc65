"""One part of a memory: which clause somebody means, and the memory without it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memvault.core.memory import Memory
from memvault.core.plan import Plan, PlanChange, RewriteNote
from memvault.core.similarity.statements import read_statements
from memvault.core.similarity.tokens import SLIGHT, Token, read_tokens
from memvault.errors import NothingToDo
from memvault.storage.journal import tombstones
from memvault.storage.journal.apply import apply_one
from memvault.storage.permissions import require_person_for_identity
from memvault.storage.vault import codec
from memvault.storage.vault.context import VaultContext
from memvault.text.sentence.clauses import Clause, remove_clause, split_clauses
from memvault.text.sentence.wording import word_set

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
