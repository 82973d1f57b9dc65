"""Private memories made, changed, and let go from the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.memories.edit import change_tags
from memvault.cli.output import memory as layers
from memvault.cli.output.changes import DRY_RUN, write_in_editor
from memvault.cli.output.terminal import TerminalFormat, format_table
from memvault.core.ids import short_id
from memvault.core.memory import FieldValue, Memory
from memvault.core.weight import MemoryUse
from memvault.errors import BadInput, MemvaultError, Misused, NotConfirmed
from memvault.memories.draft import MemoryFields
from memvault.text.display import format_count, neutralize_text, to_one_line
from memvault.text.terms import query_terms
from memvault.transfer import json_values as jsonable

if TYPE_CHECKING:
    from memvault.api import Memvault
    from memvault.privacy.private.read import UnopenedMemory
    from memvault.privacy.private.write import PrivateResult
    from memvault.recall.recall import RecallHit


# What was asked of `memvault private`, and what its answers have in common.


class PrivateOptions(NamedTuple):
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
    for_: str = ""
    keyring: bool = False
    yes: bool = False
    dry_run: bool = False


def memory_as_json(memory: Memory, *, body: bool = False) -> dict[str, object]:
    """A private memory for a program: it lies in no tier, and its file's name says nothing."""
    found = jsonable.memory_to_json(memory, body=body)
    return {name: value for name, value in found.items() if name not in ("place", "tier", "name")} | {"private": True}


def unopened_warnings(shut: tuple[UnopenedMemory, ...]) -> tuple[str, ...]:
    """What is said of files that could not be opened."""
    return tuple(f"{one.path} could not be opened: {one.why}" for one in shut)


def exposed_key_warnings(key: str) -> tuple[str, ...]:
    """What is said of a file with the key that others may read; nothing where there is none."""
    return (f"others on this machine may read your key: chmod go= {quote(key)}",) if key else ()


def remember(vault: Memvault, text: str, given: MemoryFields, *, dry_run: bool) -> CommandResult:
    """Seal a text as a new memory."""
    made = vault.remember_privately(text, dry_run=dry_run, **given)
    return _write_result(made, "would be sealed" if dry_run else "sealed", dry_run=dry_run)


def edit(cli: CliContext, asked: PrivateOptions) -> CommandResult:
    """Change one by options, or in an editor that works in memory alone."""
    if asked.text is not None and asked.append is not None:
        raise Misused(reason="--text and --append exclude each other.", command="memvault private")
    body = cli.read_stdin() if asked.text == "-" else asked.text
    addition = cli.read_stdin() if asked.append == "-" else asked.append
    with cli.open_vault() as vault:
        fields, lists = _read_fields(asked), change_tags(asked.add_tag, asked.remove_tag)
        if body is None and addition is None and not (fields or lists):
            made = _edit_in_editor(cli, vault, asked)
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
    return _write_result(made, did, dry_run=asked.dry_run)


def _read_fields(asked: PrivateOptions) -> dict[str, FieldValue | None]:
    if asked.title is None:
        return {}
    if not asked.title.strip():
        raise BadInput(what="the title", value=asked.title, reason="there is nothing in it")
    return {"title": asked.title.strip()}


def _edit_in_editor(cli: CliContext, vault: Memvault, asked: PrivateOptions) -> PrivateResult:
    """The memory as the person's editor left it, with what others sealed while it was open."""
    key = asked.key or None
    opened = vault.private_show(asked.words, key=key)
    path, base = opened.memory.path, opened.note  # it may be called otherwise when the editor is closed
    vault.private_edit(path, key=key, dry_run=True)  # what cannot be sealed is said before anybody writes
    wrote = write_in_editor(cli, vault, base, name="private.md", is_private=True)
    # What was only looked at is not brought back where somebody let it go.
    with nullcontext() if wrote == base else _seal_on_failure(cli, vault, wrote, path, asked):
        return vault.private_edit(path, key=key, whole=wrote, base=base, dry_run=asked.dry_run)


@contextmanager
def _seal_on_failure(
    cli: CliContext, vault: Memvault, wrote: bytes, path: str, asked: PrivateOptions
) -> Iterator[None]:
    """Where a text is not taken, seal it as a memory of its own, and say how to see it: no file has it in the clear."""
    try:
        yield
    except MemvaultError:
        if wrote.strip() and not asked.dry_run:
            cli.print_message(_seal_rejected_text(cli, vault, wrote, path, asked))
        raise


def _seal_rejected_text(cli: CliContext, vault: Memvault, wrote: bytes, path: str, asked: PrivateOptions) -> str:
    try:
        name = vault.private_set_aside(wrote, path, key=asked.key or None)
    except MemvaultError:
        # Nothing is left but the screen, as `show` has it; what is no screen may be a file.
        return f"Your text could not be kept:\n\n{wrote.decode(errors='replace')}" if cli.has_stderr_terminal else ""
    return f"Your text is sealed as a memory of its own. See it with: memvault private show {name}"


def _write_result(made: PrivateResult, did: str, *, dry_run: bool) -> CommandResult:
    return CommandResult(
        result={"memory": memory_as_json(made.memory), "changed": made.changed, "dry_run": dry_run},
        text=lambda paper: layers.format_outcome(made.memory, did, paper),
        messages=(DRY_RUN,) if dry_run else (),
        warnings=(made.remark,) if made.remark else (),
    )


def forget(cli: CliContext, asked: PrivateOptions) -> CommandResult:
    """Move one to the trash, after a question."""
    return _remove(cli, asked, "to the trash, sealed as it is", for_good=False)


def purge(cli: CliContext, asked: PrivateOptions) -> CommandResult:
    """Remove one for good, after a question."""
    return _remove(cli, asked, "for good: nothing brings it back", for_good=True)


def _remove(cli: CliContext, asked: PrivateOptions, where: str, *, for_good: bool) -> CommandResult:
    with cli.open_vault() as vault:
        key = asked.key or None
        name = vault.private_forget(asked.words, key=key, for_good=for_good, dry_run=True).name
        if asked.dry_run:
            return _move_result(name, "", f"would go {where}", dry_run=True)
        if not asked.yes and not (cli.has_person and cli.confirm(f"{name} goes {where}. Go on?")):
            raise NotConfirmed(reason=f"{name} would have gone {where}.", command=cli.repeat_command("--yes"))
        done = vault.private_forget(name, for_good=for_good)
    return _move_result(name, done.path, f"went {where}", dry_run=False)


def restore(cli: CliContext, asked: PrivateOptions) -> CommandResult:
    """Bring one back from the trash."""
    with cli.open_vault() as vault:
        done = vault.private_restore(asked.words, key=asked.key or None, dry_run=asked.dry_run)
    return _move_result(done.name, done.path, "would come back" if asked.dry_run else "is back", dry_run=asked.dry_run)


def _move_result(name: str, path: str, did: str, *, dry_run: bool) -> CommandResult:
    return CommandResult(
        result={"name": name, "path": path, "dry_run": dry_run},
        text=lambda _paper: f"{name} {did}",
        messages=(DRY_RUN,)
        if dry_run
        else (f"Bring it back with: memvault private restore {name}",)
        if path.startswith(".trash/")
        else (),
    )


def import_bundle(cli: CliContext, asked: PrivateOptions) -> CommandResult:
    """Take in those of a bundle."""
    with cli.open_vault() as vault:
        done = vault.private_bring_in(asked.words, dry_run=asked.dry_run)
    did = "would come" if asked.dry_run else "new"
    return CommandResult(
        result=done,
        text=lambda _paper: (
            f"{format_count(len(done.new), 'private memory', 'private memories')} {did}, "
            f"{len(done.unchanged):,} here already"
        ),
        messages=(DRY_RUN,) if asked.dry_run else (),
        warnings=tuple(f"{to_one_line(name)} is not what the list says, and was left out" for name in done.refused),
    )


# Private memories on a terminal: listed, shown, searched.

NONE_YET = "This vault has no private memories; create one with `memvault remember --private`."


def list_(cli: CliContext, asked: PrivateOptions) -> CommandResult:
    """All of them, the newest first."""
    with cli.open_vault() as vault:
        found = vault.private_memories(key=asked.key or None)
    return CommandResult(
        result={"memories": [memory_as_json(memory) for memory in found.memories], "total": len(found.found)},
        text=lambda paper: _format_columns(found.memories, paper) if found.found else "",
        messages=() if found.found or found.shut else (NONE_YET,),
        warnings=(
            *unopened_warnings(found.shut),
            *exposed_key_warnings(found.exposed),
            *(f"{one} is named by the vault alone: see `memvault private status`" for one in found.strange),
        ),
    )


def _format_columns(memories: Sequence[Memory], paper: TerminalFormat) -> str:
    rows = [
        [short_id(memory.path.rpartition("/")[2]), paper.format_day(memory.created), to_one_line(memory.title)]
        for memory in memories
    ]
    return format_table("NAME | MADE | TITLE~", rows, paper)


def show(cli: CliContext, asked: PrivateOptions) -> CommandResult | None:
    """One of them whole."""
    if asked.raw and cli.as_json:
        raise Misused(
            reason="--raw prints the bytes of the note, so it cannot go with --json.", command="memvault private"
        )
    with cli.open_vault() as vault:
        opened = vault.private_show(asked.words, key=asked.key or None)
    if asked.raw:
        cli.print_bytes(opened.note)
        return None
    memory = opened.memory
    use = MemoryUse(memory.access_count, memory.last_accessed)
    return CommandResult(
        result={"memory": memory_as_json(memory, body=True)},
        text=lambda paper: layers.format_memory(memory, paper, weight=memory.weight, use=use, links=(), linked_from=()),
    )


def search(cli: CliContext, asked: PrivateOptions) -> CommandResult:
    """Those that answer a question, best first."""
    with cli.open_vault() as vault:
        hits, opening = vault.private_search(asked.words, key=asked.key or None, limit=asked.limit)
    count = format_count(len(opening.found), "private memory", "private memories")
    return CommandResult(
        result={"query": asked.words, "hits": [hit_as_json(hit) for hit in hits], "searched": len(opening.found)},
        text=lambda paper: format_hits(hits, asked.words, paper),
        messages=() if hits else (f'No matches for "{asked.words}" ({count} searched).',),
        warnings=unopened_warnings(opening.shut),
    )


def hit_as_json(hit: RecallHit) -> dict[str, object]:
    """A private memory that was found, for a program."""
    return {"memory": memory_as_json(hit.memory), **hit.to_json("text", "similarity", "weak")}


def format_hits(hits: Sequence[RecallHit], query: str, paper: TerminalFormat, *, after: int = 0) -> str:
    """Private memories that were found, numbered on after others."""
    terms = frozenset(query_terms(query))
    return "\n\n".join(
        layers.format_hit(
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


# The originals of lines of a conversation with secrets.


def originals(cli: CliContext, asked: PrivateOptions) -> CommandResult:
    """Print those of a conversation, to stdout alone."""
    with cli.open_vault() as vault:
        found = vault.unseal(asked.words, key=asked.key or None)
    return CommandResult(
        result={"path": found.path, "lines": list(found.lines)},
        text=lambda _paper: "\n".join(map(_escape_line, found.lines)),
        messages=() if found.lines else ("Nothing of that conversation is sealed.",),
    )


def _escape_line(line: str) -> str:
    """A line as it was, or where that could deceive a terminal, the same with all but ASCII spelled out."""
    if neutralize_text(line) == line:
        return line
    try:
        return json.dumps(json.loads(line))
    except (ValueError, RecursionError):
        return neutralize_text(line)
