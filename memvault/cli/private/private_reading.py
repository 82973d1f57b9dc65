"""Private memories on a terminal: listed, shown, searched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memvault.cli.context import Answer, Desk
from memvault.cli.output import memory as layers
from memvault.cli.output.table import Column, table
from memvault.cli.output.terminal import Paper
from memvault.cli.private.private_asked import Asked, open_to_others, told, unopened
from memvault.core.ids import short
from memvault.core.weight import Use
from memvault.errors import Misused
from memvault.text.escape import one_line
from memvault.text.figures import plural
from memvault.text.terms import query_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memvault.core.memory import Memory
    from memvault.recall.recall import Hit

NONE_YET = "There are no private memories in this vault; `memvault remember --private` makes one."


def list_(desk: Desk, asked: Asked) -> Answer:
    """All of them, the newest first."""
    with desk.open() as vault:
        found = vault.private_memories(key=asked.key or None)
    return Answer(
        result={"memories": [told(memory) for memory in found.memories], "total": len(found.found)},
        text=lambda paper: _in_columns(found.memories, paper) if found.found else "",
        talk=() if found.found or found.shut else (NONE_YET,),
        warnings=(*unopened(found.shut), *open_to_others(found.exposed)),
    )


def _in_columns(memories: Sequence[Memory], paper: Paper) -> str:
    columns = (Column("NAME"), Column("MADE"), Column("TITLE", gives_way=True))
    rows = [[name(memory), paper.day(memory.created), one_line(memory.title)] for memory in memories]
    return table(columns, rows, paper)


def name(memory: Memory) -> str:
    """The beginning of the file's name, by which a memory is asked for."""
    return short(memory.path.rpartition("/")[2])


def show(desk: Desk, asked: Asked) -> Answer | None:
    """One of them whole."""
    if asked.raw and desk.as_json:
        raise Misused(
            reason="--raw prints the bytes of the note, so it cannot go with --json.", command="memvault private"
        )
    with desk.open() as vault:
        opened = vault.private_show(asked.words, key=asked.key or None)
    if asked.raw:
        desk.put_bytes(opened.note)
        return None
    memory = opened.memory
    return Answer(result={"memory": told(memory, body=True)}, text=lambda paper: _whole(memory, paper))


def _whole(memory: Memory, paper: Paper) -> str:
    use = Use(memory.access_count, memory.last_accessed)
    return layers.whole(memory, paper, weight=memory.weight, use=use, links=(), linked_from=())


def search(desk: Desk, asked: Asked) -> Answer:
    """Those that answer a question, best first."""
    with desk.open() as vault:
        hits, opening = vault.private_search(asked.words, key=asked.key or None, limit=asked.limit)
    count = plural(len(opening.found), "private memory", "private memories")
    return Answer(
        result={"query": asked.words, "hits": [told_hit(hit) for hit in hits], "searched": len(opening.found)},
        text=lambda paper: hits_as_text(hits, asked.words, paper),
        talk=() if hits else (f"Nothing among {count} says anything about “{asked.words}”.",),
        warnings=unopened(opening.shut),
    )


def told_hit(hit: Hit) -> dict[str, object]:
    """A private memory that was found, for a program."""
    return {"memory": told(hit.memory), "text": hit.text, "similarity": hit.similarity, "weak": hit.weak}


def hits_as_text(hits: Sequence[Hit], query: str, paper: Paper, *, after: int = 0) -> str:
    """Private memories that were found, numbered on after others."""
    terms = frozenset(query_terms(query))
    return "\n\n".join(
        layers.hit(
            after + number,
            hit.memory,
            hit.text,
            terms,
            paper,
            weight=hit.weight,
            weak=hit.weak,
            whole=False,
            via="private",
        )
        for number, hit in enumerate(hits, 1)
    )
