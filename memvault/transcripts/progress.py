"""Save the progress of a session: what came of it as a milestone, linked to the memories that it used."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path

from memvault.core.memory import Memory
from memvault.core.query import Filters
from memvault.core.secrets.scan import redacted
from memvault.errors import BadInput, MemvaultError, NothingToDo
from memvault.memories.draft import Draft
from memvault.memories.edit import Edit, edit
from memvault.memories.remember import remember
from memvault.models.llm.ask import Ask, Failure, Scrub
from memvault.models.llm.prompts import prompt
from memvault.storage.vault.context import Actor, Bench
from memvault.system import files
from memvault.text.markdown import clip, guess_title
from memvault.transcripts.extract.chunks import chunks
from memvault.transcripts.extract.chunks import redacted as chunks_redacted
from memvault.transcripts.extract.facts.grounding import Ground
from memvault.transcripts.extract.llm import candidates_with_model
from memvault.transcripts.index.rows import Held
from memvault.transcripts.model.summary import Summary, summary
from memvault.transcripts.model.turn import Turn
from memvault.transcripts.search import refreshed

# Have a model sum a session up; a list that it does not give, or gives wrongly, is that of the rules.

_MOST = 6
_LONGEST = 200
_NAMES = tuple(field.name for field in fields(Summary))
_LINES = {"type": "array", "maxItems": 2 * _MOST, "items": {"type": "string"}}
_SCHEMA = {"type": "object", "properties": dict.fromkeys(_NAMES, _LINES), "required": list(_NAMES)}


@dataclass(frozen=True, slots=True)
class SummedUp:
    """The summary, how many lines of the model were not taken, and why it was not heard."""

    summary: Summary
    dropped: int = 0
    failure: Failure | None = None


def summed_up(
    turns: Sequence[Turn], found: Summary, ask: Ask | None, *, seconds: float = 60.0, scrub: Scrub = chunks_redacted
) -> SummedUp:
    """What came of a session as a model tells it, line by line where the turns bear it out; else as the rules found."""
    last = next(iter(reversed(list(chunks(turns, scrub)))), None)
    if ask is None or last is None:
        return SummedUp(found, failure=Failure("none", "no language model is configured"))
    answer = ask(prompt("session"), last.shown(), _SCHEMA, seconds, purpose="a session's summary")
    if isinstance(answer, Failure):
        return SummedUp(found, failure=answer)
    ground, every = Ground(last.seen), range(len(last.seen))
    dropped = 0
    for name in _NAMES:
        given = answer.get(name) if isinstance(answer, Mapping) else None
        lines = given if isinstance(given, list) else []
        kept = tuple(line for line in map(_line, lines) if line and not ground.objection(scrub(line), every))
        dropped += len(lines) - len(kept)
        if kept:
            found = replace(found, **{name: tuple(dict.fromkeys(map(scrub, kept)))[:_MOST]})
    return SummedUp(found, dropped)


def _line(given: object) -> str:
    """A line on one line; empty where it is none, or too long to be one."""
    said = " ".join(given.split()) if isinstance(given, str) else ""
    return said if len(said) <= _LONGEST and said.isprintable() else ""


_MILESTONE = "milestone"
_LOCK = "progress.lock"
_WAIT_SECONDS = 120.0  # a model may be asked while it is held
_FILE = "progress.json"  # which summary of each session was written last, to tell what a person wrote into it
_LAST_TURNS = 2_000
_BULLET, _SINCE = "- ", "Since then:"
_MOST_LINKED = 20
_HEADINGS = (
    ("asked", "Asked"),
    ("decided", "Decided"),
    ("learnt", "Learnt"),
    ("changed", "Changed"),
    ("left_open", "Left open"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The milestone of a session: new or brought up to date, and the memories that the session used."""

    memory: Memory
    session: str
    new: bool
    used: tuple[Memory, ...] = ()
    op: str = ""
    kept_apart: bool = False  # a person had written into it, so what is new stands below


@dataclass(frozen=True, slots=True)
class _Told:
    """What was said of the session, and what was found out about it: the part that is written anew each time."""

    words: str
    found: str
    title: str
    used: tuple[Memory, ...] = ()


def save_progress(bench: Bench, text: str, session: str, ask: Ask | None, *, dry_run: bool = False) -> Progress:
    """Write the summary of a session, or bring the one there is up to date."""
    with _one_at_a_time(bench, dry_run=dry_run):
        return _saved(bench, text, session, ask, dry_run=dry_run)


@contextmanager
def _one_at_a_time(bench: Bench, *, dry_run: bool) -> Iterator[None]:
    """An agent that is about to compact a session, and one that ends it, may both save it at the same moment."""
    if dry_run or bench.state is None:
        yield
        return
    files.make_folder(bench.state)
    with files.lock(bench.state / _LOCK, wait=_WAIT_SECONDS):
        yield


def _saved(bench: Bench, text: str, session: str, ask: Ask | None, *, dry_run: bool) -> Progress:
    bench.freshen()
    session = session or bench.actor.session
    held = _talk(bench, session)
    session = held.talk.id if held else session
    if not session:
        raise NothingToDo(reason="No session is known: name one with --session, or take its transcript in first.")
    folder = Path(held.talk.project) if held and held.talk.project else bench.folder
    at_work = replace(bench, actor=Actor(bench.actor.agent, session), folder=folder)
    told = _told(at_work, held, redacted(text.strip()), session, ask)
    there = _milestone(bench, session)
    if there is None:
        return _made(at_work, told, session, dry_run=dry_run)
    return _renewed(at_work, there, told, session, dry_run=dry_run)


def _talk(bench: Bench, session: str) -> Held | None:
    """The conversation of a session; of none named, the latest."""
    talks = refreshed(bench)
    found = talks.find(session) if session else talks.talks()[:1]
    if len(found) > 1:
        raise BadInput(what="the session", value=session, reason=f"{len(found)} begin so; give more of it")
    return found[0] if found else None


def _told(bench: Bench, held: Held | None, words: str, session: str, ask: Ask | None) -> _Told:
    used = _used(bench, session)
    found = _summary(bench, held, ask) if held else Summary()
    if found.empty and not words and not used:
        raise NothingToDo(reason=f"Nothing is known of the session {session}: no transcript, no memory used, no text.")
    parts = (*(_part(label, getattr(found, name)) for name, label in _HEADINGS), _links(used))
    title = guess_title(words) if words else next(iter(found.asked), held.talk.title if held else "")
    day = (held.last if held and held.last else bench.now).astimezone(bench.zone).date()
    whole = redacted("\n\n".join(filter(None, parts)))
    return _Told(words, whole, clip(": ".join(filter(None, [f"Session of {day}", title]))), used)


def _summary(bench: Bench, held: Held, ask: Ask | None) -> Summary:
    talks = bench.talks()
    first = max(0, held.turns - _LAST_TURNS)
    turns: Sequence[Turn] = talks.turns(held.number, first, held.turns - 1)
    topics = [
        replace(topic, first=topic.first - first, last=topic.last - first)
        for topic in talks.trajectories(held.number)
        if topic.first >= first
    ]
    facts = talks.facts(held.number, [turn.id for turn in turns][-500:])
    found = summary(turns, topics, candidates_with_model(turns, facts, ask).candidates)
    return summed_up(turns, found, ask).summary


def _part(label: str, lines: Sequence[str]) -> str:
    return "\n".join([f"{label}:", *(f"- {line}" for line in lines)]) if lines else ""


def _links(used: Sequence[Memory]) -> str:
    return "Memories used: " + ", ".join(f"[[{memory.name}]]" for memory in used) if used else ""


def _used(bench: Bench, session: str) -> tuple[Memory, ...]:
    found = (bench.catalogue.known(id_) for id_ in bench.catalogue.used_by(session)[:_MOST_LINKED])
    return tuple(memory for memory in found if memory is not None and memory.type != _MILESTONE)


def _milestone(bench: Bench, session: str) -> Memory | None:
    found = bench.catalogue.memories(Filters(types=frozenset({_MILESTONE})))
    return next((memory for memory in found if session in memory.refs.get("session", ())), None)


# -- writing


def _made(bench: Bench, told: _Told, session: str, *, dry_run: bool) -> Progress:
    draft = Draft(
        text="\n\n".join(filter(None, (told.words, told.found))),
        title=told.title,
        type=_MILESTONE,
        refs={"session": (session,)},
        secrets="redact",
        near="ignore",
    )
    made = remember(bench, draft, dry_run=dry_run)
    if not dry_run:
        _keep(bench, session, told.found)
    return Progress(memory=made.memory, session=session, new=True, used=told.used, op=made.op)


def _renewed(bench: Bench, there: Memory, told: _Told, session: str, *, dry_run: bool) -> Progress:
    body = (bench.read(there)[0].body or "").strip()
    words, found = _divided(body, _kept(bench).get(session, ""))
    is_ours = found is not None
    text = _joined(words, told, None if found is None else told.found)
    if text == body:
        raise NothingToDo(reason=f"“{there.title}” says all that already.")
    changed = edit(bench, there.path, Edit(body=text, secrets="redact"), dry_run=dry_run)
    if not dry_run and is_ours:
        _keep(bench, session, told.found)
    return Progress(
        memory=changed.memory, session=session, new=False, used=told.used, op=changed.op, kept_apart=not is_ours
    )


def _divided(body: str, ours: str) -> tuple[str, str | None]:
    """What was said, and the part that we wrote, if it is as we left it; else all of it is the person's."""
    for start in (0, *(found.end() for found in re.finditer(r"\n\n", body))):
        if ours and _digest(body[start:]) == ours:
            return body[:start].strip(), body[start:]
    return body, None


def _joined(words: str, told: _Told, found: str | None) -> str:
    """What was said before stays; what is new of what we found out goes into its place, or below what is theirs."""
    said = words if told.words in words else "\n\n".join(filter(None, (words, told.words)))
    if found is not None:
        return "\n\n".join(filter(None, (said, found)))
    news = [line for line in told.found.split("\n") if line.startswith(_BULLET) and line not in said]
    return "\n".join([f"{said}\n\n{_SINCE}", *news]) if news and _SINCE not in said else "\n".join([said, *news])


def _digest(text: str) -> str:
    return files.digest(text.strip().encode())


def _path(bench: Bench) -> Path | None:
    return None if bench.state is None else bench.state / _FILE


def _kept(bench: Bench) -> Mapping[str, str]:
    path = _path(bench)
    if path is None or not path.exists():
        return {}
    with suppress(MemvaultError, ValueError):
        return dict(json.loads(files.read(path)))
    return {}


def _keep(bench: Bench, session: str, text: str) -> None:
    path = _path(bench)
    if path is not None:
        with suppress(MemvaultError, OSError):
            files.make_folder(path.parent)
            files.overwrite(path, json.dumps({**_kept(bench), session: _digest(text)}).encode())
