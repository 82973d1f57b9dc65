"""Private memories made, changed, and let go from the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from memvault.cli.context import Answer, Desk
from memvault.cli.memories.edit import tagged
from memvault.cli.output import memory
from memvault.cli.output import memory as layers
from memvault.cli.output.changes import DRY_RUN
from memvault.cli.output.table import Column, table
from memvault.cli.output.terminal import Paper
from memvault.core import json as jsonable
from memvault.core.ids import short
from memvault.core.memory import FieldValue
from memvault.core.weight import Use
from memvault.errors import BadInput, MemvaultError, Misused, NoEditor, NothingToDo
from memvault.text.display import one_line, plural
from memvault.text.terms import query_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memvault.api import Memvault
    from memvault.core.memory import Memory
    from memvault.memories.draft import Given
    from memvault.privacy.private.read import Shut
    from memvault.privacy.private.write import Kept
    from memvault.recall.recall import Hit


# What was asked of `memvault private`, and what its answers have in common.


class Asked(NamedTuple):
    """The words and options of one call."""

    words: str
    key: str = ""
    text: str | None = None
    append: str | None = None
    title: str | None = None
    add_tag: tuple[str, ...] = ()
    remove_tag: tuple[str, ...] = ()
    raw: bool = False
    limit: int = 0
    span: str = ""
    purge: bool = False
    keyring: bool = False
    yes: bool = False
    dry_run: bool = False


def told(memory: Memory, *, body: bool = False) -> dict[str, object]:
    """A private memory for a program: it lies in no tier, and its file's name says nothing."""
    found = jsonable.memory(memory, body=body)
    return {name: value for name, value in found.items() if name not in ("place", "tier", "name")} | {"private": True}


def unopened(shut: tuple[Shut, ...]) -> tuple[str, ...]:
    """What is said of files that could not be opened."""
    return tuple(f"{one.path} was not opened: {one.why}" for one in shut)


def open_to_others(key: str) -> tuple[str, ...]:
    """What is said of a file with the key that others may read; nothing where there is none."""
    return (f"others on this machine may read your key: chmod go= {quote(key)}",) if key else ()


def remember(vault: Memvault, text: str, given: Given, *, dry_run: bool) -> Answer:
    """Seal a text as a new memory."""
    made = vault.remember_privately(text, dry_run=dry_run, **given)
    return _kept(made, "would be sealed" if dry_run else "sealed", dry_run=dry_run)


def edit(desk: Desk, asked: Asked) -> Answer:
    """Change one by options, or in an editor that works in memory alone."""
    if asked.text is not None and asked.append is not None:
        raise Misused(reason="--text and --append exclude each other.", command="memvault private")
    body = desk.read() if asked.text == "-" else asked.text
    addition = desk.read() if asked.append == "-" else asked.append
    with desk.open() as vault:
        fields, lists = _fields(asked), tagged(asked.add_tag, asked.remove_tag)
        if body is None and addition is None and not (fields or lists):
            made = _by_hand(desk, vault, asked)
        else:
            made = vault.private_edit(
                asked.words,
                key=asked.key or None,
                body=body,
                append=addition,
                fields=fields,
                lists=lists,
                dry_run=asked.dry_run,
            )
    did = "unchanged" if not made.changed else "would be sealed anew" if asked.dry_run else "sealed anew"
    return _kept(made, did, dry_run=asked.dry_run)


def _fields(asked: Asked) -> dict[str, FieldValue | None]:
    if asked.title is None:
        return {}
    if not asked.title.strip():
        raise BadInput(what="the title", value=asked.title, reason="there is nothing in it")
    return {"title": asked.title.strip()}


def _by_hand(desk: Desk, vault: Memvault, asked: Asked) -> Kept:
    """The memory as the person's editor left it, with what others sealed while it was open."""
    key = asked.key or None
    opened = vault.private_show(asked.words, key=key)
    path, base = opened.memory.path, opened.note  # it may be called otherwise when the editor is closed
    vault.private_edit(path, key=key, dry_run=True)  # what cannot be sealed is said before anybody writes
    wrote = written_quietly(desk, vault, base)
    # What was only looked at is not brought back where somebody let it go.
    with nullcontext() if wrote == base else _sealed_if_refused(desk, vault, wrote, path, asked):
        return vault.private_edit(path, key=key, whole=wrote, base=base, dry_run=asked.dry_run)


@contextmanager
def _sealed_if_refused(desk: Desk, vault: Memvault, wrote: bytes, path: str, asked: Asked) -> Iterator[None]:
    """Where a text is not taken, seal it as a memory of its own, and say how to see it: no file has it in the clear."""
    try:
        yield
    except MemvaultError:
        if wrote.strip() and not asked.dry_run:
            desk.say(_set_aside(desk, vault, wrote, path, asked))
        raise


def _set_aside(desk: Desk, vault: Memvault, wrote: bytes, path: str, asked: Asked) -> str:
    try:
        name = vault.private_set_aside(wrote, path, key=asked.key or None)
    except MemvaultError:
        # Nothing is left but the screen, as `show` has it; what is no screen may be a file.
        return f"Your text could not be kept:\n\n{wrote.decode(errors='replace')}" if desk.is_watched else ""
    return f"Your text is sealed as a memory of its own. See it with: memvault private show {name}"


def written_quietly(desk: Desk, vault: Memvault, data: bytes) -> bytes:
    """The bytes as the person's editor left them, in a folder that is memory; nothing of them is kept anywhere."""
    from memvault.privacy.private import host
    from memvault.system import programs  # deferred: starting programs is rare, and dear to import

    configured = vault.settings.text("user.editor")
    if not (desk.has_person or configured or {"VISUAL", "EDITOR"} & set(desk.environment)):
        raise NoEditor(reason="there is no terminal here, and neither VISUAL nor EDITOR is set")
    command = programs.command(desk.environment, configured)
    return host.edit(data, name="private.md", command=command)


def _kept(made: Kept, did: str, *, dry_run: bool) -> Answer:
    return Answer(
        result={"memory": told(made.memory), "changed": made.changed, "dry_run": dry_run},
        text=lambda paper: memory.named(made.memory, did, paper),
        talk=(DRY_RUN,) if dry_run else (),
        warnings=(made.remark,) if made.remark else (),
    )


def forget(desk: Desk, asked: Asked) -> Answer:
    """Let one go, after a question."""
    with desk.open() as vault:
        key = asked.key or None
        name = vault.private_forget(asked.words, key=key, for_good=asked.purge, dry_run=True).name
        where = "for good: nothing brings it back" if asked.purge else "to the trash, sealed as it is"
        if asked.dry_run:
            return _gone(name, "", f"would go {where}", dry_run=True)
        if not asked.yes and not (desk.has_person and desk.confirms(f"{name} goes {where}. Go on?")):
            raise NothingToDo(reason=f"{name} would have gone {where}: --yes agrees to it.")
        done = vault.private_forget(name, for_good=asked.purge)
    return _gone(name, done.path, f"went {where}", dry_run=False)


def restore(desk: Desk, asked: Asked) -> Answer:
    """Bring one back from the trash."""
    with desk.open() as vault:
        done = vault.private_restore(asked.words, key=asked.key or None, dry_run=asked.dry_run)
    return _gone(done.name, done.path, "would come back" if asked.dry_run else "is back", dry_run=asked.dry_run)


def _gone(name: str, path: str, did: str, *, dry_run: bool) -> Answer:
    return Answer(
        result={"name": name, "path": path, "dry_run": dry_run},
        text=lambda _paper: f"{name} {did}",
        talk=(DRY_RUN,)
        if dry_run
        else (f"Bring it back with: memvault private restore {name}",)
        if path.startswith(".trash/")
        else (),
    )


def bring_in(desk: Desk, asked: Asked) -> Answer:
    """Take in those of a bundle."""
    with desk.open() as vault:
        done = vault.private_bring_in(asked.words, dry_run=asked.dry_run)
    did = "would come" if asked.dry_run else "new"
    return Answer(
        result=done,
        text=lambda _paper: (
            f"{plural(len(done.new), 'private memory', 'private memories')} {did}, {len(done.unchanged):,} here already"
        ),
        talk=(DRY_RUN,) if asked.dry_run else (),
        warnings=tuple(f"{one_line(name)} is not what the list says, and was left out" for name in done.refused),
    )


# Private memories on a terminal: listed, shown, searched.

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
