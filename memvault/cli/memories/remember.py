"""`memvault remember`: make a memory."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict, Unpack

from memvault.cli.context import Answer, Desk, decoded
from memvault.cli.options import (
    AllowSecret,
    Argument,
    DryRun,
    Option,
    Redact,
    Several,
    listed,
    on_secrets,
    one_of,
    split,
)
from memvault.cli.output import memory as layers
from memvault.cli.output.changes import (
    DRY_RUN,
    kept_if_refused,
    left_out,
    remarks,
    undo_hint,
    warnings,
    written_by_hand,
)
from memvault.cli.output.terminal import Paper
from memvault.core import json as jsonable
from memvault.core.fields import SOURCES, TYPES
from memvault.core.ids import short
from memvault.core.kinds import KINDS, implied
from memvault.errors import BadInput, Forgotten, Misused
from memvault.memories.reminders import passed, to_do
from memvault.system import files
from memvault.text.display import plural

if TYPE_CHECKING:
    from memvault.api import Memvault
    from memvault.core.memory import Memory
    from memvault.memories.draft import Given
    from memvault.memories.remember import Remembered
    from memvault.transcripts.progress import Progress


# How a text gets into the vault from the command line: what a person is asked, and what they are told of it.

NEW = ("kept", "quarantined")


class Guessed(TypedDict, total=False):
    """What was not told, and so was guessed."""

    title: str
    kind: str
    tags: tuple[str, ...]


def store(desk: Desk, vault: Memvault, text: str, given: Given, *, update: str, dry_run: bool) -> Remembered:
    """Remember a text. A person who is there is asked where it is not plain what they want; a script never is."""
    asks = desk.has_person and desk.is_watched and not desk.as_json and not dry_run
    if asks and not (given.get("near") or update):
        given = _with(given, near="hold")
    try:
        made = vault.remember(text, update=update, dry_run=dry_run, **given)
    except Forgotten:
        if given.get("again") or not (
            asks and desk.confirms("The same was forgotten or refused before. Remember it again?")
        ):
            raise
        return store(desk, vault, text, _with(given, again=True), update=update, dry_run=dry_run)
    if made.outcome != "held" or made.like is None:
        return made
    into = _wanted_in(desk, made.like)
    return vault.remember(text, update=into, dry_run=dry_run, **_with(given, near="ignore"))


def _with(given: Given, **more: Unpack[Given]) -> Given:
    changed = given.copy()
    changed.update(more)
    return changed


def _wanted_in(desk: Desk, like: Memory) -> str:
    """The path of the memory that a text is to be added to; empty where it is to be one of its own."""
    name = f"“{like.title}” ({short(like.id)})"
    return (
        like.path
        if desk.confirms(f"{name} says the same, or nearly. Add yours to it, instead of a new memory?")
        else ""
    )


def answer(made: Remembered, guessed: Guessed, *, dry_run: bool, more: tuple[str, ...] = ()) -> Answer:
    """What came of it, for a person and for a program; `more` is said besides."""
    told: dict[str, object] = {"memory": made.memory, "deep_context": made.deep_context, "op": made.op}
    told |= {"outcome": made.outcome} if made.outcome != "kept" else {}
    told |= {"like": made.like} if made.like else {}
    told |= left_out(made.left_out)
    talk = (_guesses(guessed), _whose(made), *_remarks(made), *more, _way_back(made, dry_run=dry_run))
    return Answer(
        result={**told, "guessed": guessed, "dry_run": dry_run},
        text=lambda paper: _made(made, paper, dry_run=dry_run),
        talk=tuple(filter(None, talk)),
        warnings=warnings(made.left_out),
    )


def _way_back(made: Remembered, *, dry_run: bool) -> str:
    return DRY_RUN if dry_run else undo_hint(made.op, dry_run=False)


def _whose(made: Remembered) -> str:
    """To which project it belongs, where it does; what is new alone can come to belong anywhere."""
    project = made.memory.more.get("project") if made.outcome in NEW else None
    if not project or made.memory.more.get("scope") == "global":
        return ""
    return f"Of the project {project}; `memvault edit {short(made.memory.id)} --set scope=global` makes it everybody's."


def _guesses(guessed: Guessed) -> str:
    said = [f"title “{guessed['title']}”"] if "title" in guessed else []
    said += [f"kind {guessed['kind']}"] if "kind" in guessed else []
    said += [f"#{tag}" for tag in guessed.get("tags", ())]
    return f"Guessed: {', '.join(said)}." if said else ""


def _remarks(made: Remembered) -> list[str]:
    """What the screens have to say."""
    said = [*remarks(made.left_out)]
    if made.outcome == "quarantined":
        said.append("It waits in quarantine: `memvault quarantine accept` takes it in, `refuse` lets it go.")
    if made.like and made.outcome == "kept":
        said.append(
            f"“{made.like.title}” ({short(made.like.id)}) says the same, or nearly. To have yours in that one instead: "
            f"undo this, and repeat it with --update {short(made.like.id)}."
        )
    return said


_DID = {
    "kept": ("remembered", "would be remembered"),
    "quarantined": ("put into quarantine", "would be put into quarantine"),
    "confirmed": ("known already; that it came up again is noted", "known already"),
    "added": ("added to", "would be added to"),
    "held": ("nothing done", "nothing done"),
}


def _made(made: Remembered, paper: Paper, *, dry_run: bool) -> str:
    memory = made.memory
    facts = [memory.kind, f"weight {memory.weight:g}", *(f"#{tag}" for tag in memory.tags), *layers.marks(memory)]
    detail = [paper.facts([f"in detail: {made.deep_context}"], "  ")] if made.deep_context else []
    did = _DID[made.outcome][dry_run]
    if made.outcome == "added" and not (made.op or dry_run):
        did = "says that already: nothing changed"
    return "\n".join([layers.named(memory, did, paper), paper.facts(facts, "  "), *detail])


REMEMBER_EXAMPLES = (
    'memvault remember "Sara prefers tea to coffee"',
    "memvault remember --tag deploy,gotcha --file notes.md",
    "git log -1 | memvault remember - --title 'Last commit'",
    'memvault remember --update 5f0c "Since May, three reviewers."',
    'memvault remember "Renew the certificate" --due "next Friday" --priority 4',
    "memvault remember --private - < letter.txt",
    "memvault remember   # opens your editor",
)

REFS = ("session", "deep_context", "artifacts")

Words = Annotated[Several, Argument(metavar="TEXT", help="What to remember; `-` reads stdin.", show_default=False)]
File = Annotated[
    Path | None, Option("--file", "-f", metavar="PATH", help="Take the text from a file.", show_default=False)
]
Title = Annotated[
    str, Option("--title", metavar="TITLE", help="What to call it; guessed otherwise.", show_default=False)
]
Type = Annotated[str, one_of("--type", TYPES, "What sort of note it is: {}.")]
Kind = Annotated[str, one_of("--kind", KINDS, "How it behaves: {}; guessed otherwise.")]
Tag = Annotated[Several, listed("--tag", "TAG", "A tag.")]
Topic = Annotated[Several, listed("--topic", "TOPIC", "What it is about.")]
Person = Annotated[Several, listed("--person", "NAME", "Whom it is about.")]
Trigger = Annotated[Several, listed("--trigger", "PHRASE", "A phrase that loads it.")]
Weight = Annotated[
    float | None, Option("--weight", metavar="0-1", help="How much it matters; 0.8 unless set.", show_default=False)
]
Pin = Annotated[bool, Option("--pin", help="Keep it from ever decaying.")]
Significant = Annotated[
    bool, Option("--significant", help="It matters: it fades slowly, and gets a file for its detail.")
]
Refs = Annotated[
    Several, Option("--ref", metavar="KEY=VALUE", help=f"What it points to; KEY is {', '.join(REFS[:2])} or {REFS[2]}.")
]
Source = Annotated[str, one_of("--source", SOURCES, "Where it comes from: {}. What is from tool or web waits apart.")]
Again = Annotated[bool, Option("--again", help="Store it although the same was forgotten or refused before.")]
Anyway = Annotated[bool, Option("--anyway", help="Make a new memory, whatever says nearly the same.")]
Update = Annotated[
    str, Option("--update", metavar="MEMORY", help="Add it to that memory instead of making one.", show_default=False)
]
Due = Annotated[
    str | None,
    Option(
        "--due",
        metavar="WHEN",
        help="When it is to be done: a date, `tomorrow at 9`, `in two weeks`.",
        show_default=False,
    ),
]
Priority = Annotated[
    int | None, Option("--priority", metavar="1-5", help="How urgent it is; 5 is the most.", show_default=False)
]
Private = Annotated[bool, Option("--private", help="Seal it to your own key: it is found by `memvault private` alone.")]
Condition = Annotated[
    str, Option("--condition", metavar="TEXT", help="What must come true before it can be done.", show_default=False)
]

_EDITOR_NOTE = """

<!-- Write above this line what is to be remembered, in markdown. A heading becomes the title.
     Leave it empty to remember nothing. -->
"""


def remember(
    desk: Desk,
    text: Words = None,
    *,
    file: File = None,
    title: Title = "",
    type_: Type = "",
    kind: Kind = "",
    tag: Tag = None,
    topic: Topic = None,
    person: Person = None,
    trigger: Trigger = None,
    weight: Weight = None,
    pin: Pin = False,
    significant: Significant = False,
    ref: Refs = None,
    source: Source = "",
    redact: Redact = False,
    allow_secret: AllowSecret = False,
    again: Again = False,
    anyway: Anyway = False,
    update: Update = "",
    due: Due = None,
    priority: Priority = None,
    condition: Condition = "",
    private: Private = False,
    dry_run: DryRun = False,
) -> Answer:
    """Make a memory.

    The text comes from the command line, from stdin, from a file, or, where none is given, from your editor.
    --tag, --topic, --person and --trigger may be repeated, or hold several values with commas between.
    """
    given: Given = {"title": title, "type": type_, "kind": kind, "weight": weight, "pin": pin}
    given |= {"tags": split(tag), "topics": split(topic), "people": split(person), "triggers": split(trigger)}
    given |= {"refs": _refs(ref), "significant": significant, "source": source, "again": again}
    given |= {"secrets": on_secrets("remember", redact=redact, allow=allow_secret), "near": _near(anyway, update)}
    given |= {"more": to_do(due, priority, condition, now=desk.now(), zone=desk.zone)}
    if private:
        return _privately(desk, text, file, given, update=update, dry_run=dry_run)
    made = _stored(desk, text, file, given, update=update, dry_run=dry_run)
    if made is None:
        return _NOTHING
    guessed = _guessed(made, title=title, type_=type_, kind=kind, tags=given["tags"])
    over = passed(given["more"], now=desk.now(), zone=desk.zone)
    return answer(made, guessed, dry_run=dry_run, more=over)


_NOTHING = Answer(result=None, talk=("Nothing was written, so nothing was remembered.",))


def _stored(desk: Desk, text: Words, file: File, given: Given, *, update: str, dry_run: bool) -> Remembered | None:
    with desk.open() as vault:
        said = _text(desk, vault, text, file)
        if said is None:
            return None
        by_hand = desk.has_person and not (text or file)
        go_on = "memvault remember --file"
        with kept_if_refused(desk, said.encode(), name="memory.md", again=go_on) if by_hand else nullcontext():
            return store(desk, vault, said, given, update=update, dry_run=dry_run)


def _privately(desk: Desk, text: Words, file: File, given: Given, *, update: str, dry_run: bool) -> Answer:
    """Seal it: no screen, no log and no folder on a disk sees the text."""
    if update:
        reason = "--update adds to a memory, and --private makes one: `memvault private edit --append` adds to those."
        raise Misused(reason=reason, command="memvault remember")
    from memvault.cli.private import notes
    from memvault.privacy.private import host  # deferred: most memories are no secret

    host.forbid()
    with desk.open() as vault:
        said = _text(desk, vault, text, file, written=notes.written_quietly)
        return _NOTHING if said is None else notes.remember(vault, said, given, dry_run=dry_run)


def _near(anyway: bool, update: str) -> str:
    if anyway and update:
        reason = "--anyway makes a new memory and --update adds to one: say only one of them."
        raise Misused(reason=reason, command="memvault remember")
    return "ignore" if anyway else ""


def _by_hand(desk: Desk, vault: Memvault, data: bytes) -> bytes:
    return written_by_hand(desk, vault, data, name="memory.md")


def _text(
    desk: Desk,
    vault: Memvault,
    words: Several,
    file: Path | None,
    *,
    written: Callable[[Desk, Memvault, bytes], bytes] = _by_hand,
) -> str | None:
    """The text from wherever it comes; None where an editor was opened and nothing written."""
    if file is not None:
        if words:
            raise BadInput(what="the text", value=" ".join(words)[:40], reason="--file gives the text already")
        return decoded(files.read(file), str(file))
    if words and words != ["-"]:
        return " ".join(words)
    if words == ["-"] or not desk.has_person:
        return desk.read()
    saved = written(desk, vault, _EDITOR_NOTE.encode())
    above = decoded(saved, "What the editor saved").partition(_EDITOR_NOTE.strip()[:30])[0].strip()
    return above or None


def _refs(given: Several) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for pair in given or []:
        key, _, value = (part.strip() for part in pair.partition("="))
        if key not in REFS or not value:
            raise BadInput(what="--ref", value=pair, reason=f"it must be KEY=VALUE, with KEY one of {', '.join(REFS)}")
        found[key] = (*found.get(key, ()), value)
    return found


def _guessed(made: Remembered, *, title: str, type_: str, kind: str, tags: tuple[str, ...]) -> Guessed:
    """What was decided without being told, so that a person can put it right."""
    memory, told, guessed = made.memory, {tag.lstrip("#") for tag in tags}, Guessed()
    if made.outcome not in NEW:
        return guessed
    if not title.strip():
        guessed["title"] = memory.title
    if not (kind or implied(type_ or "memory")):
        guessed["kind"] = memory.kind
    if earned := tuple(tag for tag in memory.tags if tag not in told):
        guessed["tags"] = earned
    return guessed


# `memvault save-progress`: keep what came of a session.

SAVE_PROGRESS_EXAMPLES = (
    "memvault save-progress",
    "memvault save-progress 'The gauges report again; Maja still has to sign.'",
    "memvault save-progress --transcript session.jsonl",
)

Text = Annotated[Several, Argument(metavar="TEXT", help="What came of it, in your own words.", show_default=False)]
Session = Annotated[
    str, Option("--session", metavar="ID", help="Which session; without it, the latest.", show_default=False)
]
Transcript = Annotated[
    str, Option("--transcript", metavar="FILE", help="Take this transcript in first.", show_default=False)
]


def save_progress(
    desk: Desk, text: Text = None, *, session: Session = "", transcript: Transcript = "", dry_run: DryRun = False
) -> Answer:
    """Keep what came of a session: what was asked, decided, changed and left open, as a milestone.

    Run again, it brings the same milestone up to date. The memories that the session used are linked from it.
    """
    with desk.open() as vault:
        found = vault.save_progress(" ".join(text or []), session=session, transcript=transcript, dry_run=dry_run)
    did = "would be " * dry_run + ("made" if found.new else "brought up to date")
    return Answer(
        result=_told(found, dry_run=dry_run),
        text=lambda paper: layers.named(found.memory, did, paper),
        talk=(
            f"It links to {plural(len(found.used), 'memory', 'memories')} that the session used." if found.used else "",
            "You had written into it, so what is new stands below." if found.kept_apart else "",
            undo_hint(found.op, dry_run=dry_run),
        ),
    )


def _told(found: Progress, *, dry_run: bool) -> dict[str, object]:
    return {
        "memory": jsonable.memory(found.memory, body=True),
        "session": found.session,
        "new": found.new,
        "used": [memory.id for memory in found.used],
        "op": found.op,
        "dry_run": dry_run,
    }
