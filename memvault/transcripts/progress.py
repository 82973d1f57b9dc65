"""Save the progress of a session as a milestone, linked to the memories that the session used."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path

from memvault.core.conversation import Trajectory, Turn
from memvault.core.memory import MILESTONE, Memory
from memvault.core.query import Filters
from memvault.core.secrets.contacts import redact_contacts
from memvault.core.secrets.scan import redact_secrets
from memvault.core.secrets.screens import Captured, check_courtesies
from memvault.errors import BadInput, MemvaultError, NothingToDo
from memvault.memories.draft import MemoryDraft
from memvault.memories.edit import MemoryEdit, edit_memory
from memvault.memories.remember import remember
from memvault.models.llm.ask import AskModel, Failure, read_prompt
from memvault.storage.index.update import body_digest
from memvault.storage.pauses import is_purged_session
from memvault.storage.transcript_index.index import TranscriptIndex
from memvault.storage.transcript_index.rows import IndexedConversation
from memvault.storage.vault.context import Actor, VaultContext
from memvault.system import files
from memvault.text.markdown import clip_title, guess_title
from memvault.transcripts.extract.candidates import MemoryCandidate
from memvault.transcripts.extract.grounding import Grounding
from memvault.transcripts.extract.llm import candidates_with_model, scrub_text, split_chunks
from memvault.transcripts.ingest import IngestOptions, ingest
from memvault.transcripts.learn import ObeyTurn
from memvault.transcripts.search import refresh_index

_MOST_LINES = 8  # lines of each kind
_OPEN, _DECIDED = "todo", ("decision", "preference")
_WRITING = ("Edit", "MultiEdit", "Write", "NotebookEdit")
_READING = frozenset(("Read", "Glob", "Grep", "LS", "NotebookRead", "WebFetch", "WebSearch", "ToolSearch"))
_READING_WORDS = ("read", "get", "list", "search", "fetch", "find", "query", "browse", "crawl", "scrape", "recall")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
    """The lines of each kind."""

    asked: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    learnt: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    left_open: tuple[str, ...] = ()

    @property
    def outcome(self) -> str:
        """Return the first thing that came of the session; empty where it only asked."""
        return next(iter((*self.decided, *self.learnt, *self.left_open, *self.changed)), "")


def summarize_session(
    turns: Sequence[Turn], topics: Sequence[Trajectory], candidates: Sequence[MemoryCandidate]
) -> SessionSummary:
    """Summarize the turns of a session."""
    return SessionSummary(
        asked=_unique_lines(_user_requests(turns, topics)),
        decided=_unique_lines(one.text for one in candidates if one.sort in _DECIDED),
        learnt=_unique_lines(one.text for one in candidates if one.sort not in (*_DECIDED, _OPEN)),
        changed=_unique_lines(_changed_files(turns)),
        left_open=_unique_lines(one.text for one in candidates if one.sort == _OPEN),
    )


def _unique_lines(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (" ".join(line.split()) for line in lines))))[:_MOST_LINES]


def _user_requests(turns: Sequence[Turn], topics: Sequence[Trajectory]) -> Iterable[str]:
    """Yield the user's first request on each topic."""
    for topic in topics or (Trajectory(first=0, last=len(turns) - 1),):
        texts = (turn.text for turn in turns[topic.first : topic.last + 1] if turn.role == "user")
        first = next((text for text in texts if not check_courtesies(Captured(text))), "")
        if first:
            yield guess_title(first)


def _changed_files(turns: Sequence[Turn]) -> Iterable[str]:
    """Yield the written files, and then other actions, the last first; reading changes nothing."""
    deeds = list(dict.fromkeys(deed for turn in turns for deed in turn.deeds))
    files = dict.fromkeys(deed.partition(" ")[2] for deed in deeds if deed.partition(" ")[0] in _WRITING)
    if files:
        yield f"wrote {', '.join(filter(None, files))}"
    yield from (deed for deed in reversed(deeds) if deed.partition(" ")[0] not in _WRITING and not _only_reads(deed))


def _only_reads(deed: str) -> bool:
    tool = deed.partition(" ")[0]
    words = tool.replace("-", "_").split("_")  # as servers name their tools; an agent's own are NamedLikeThis
    return tool in _READING or (tool.islower() and any(word in _READING_WORDS for word in words))


# Summarize a session with a model; the rules fill in lists that it does not give or gives wrongly.

_SECONDS = 60.0  # for an answer
_MOST = 6
_LONGEST = 200
_NAMES = tuple(field.name for field in fields(SessionSummary))
_LINES = {"type": "array", "maxItems": 2 * _MOST, "items": {"type": "string"}}
_SCHEMA = {"type": "object", "properties": dict.fromkeys(_NAMES, _LINES), "required": list(_NAMES)}


def summarize_with_model(turns: Sequence[Turn], found: SessionSummary, ask: AskModel | None) -> SessionSummary:
    """Summarize a session with a model, keeping the lines that the turns support; else as the rules found."""
    last = next(iter(reversed(list(split_chunks(turns)))), None)
    if ask is None or last is None:
        return found
    answer = ask(read_prompt("session"), last.prompt_text(), _SCHEMA, _SECONDS, purpose="a session's summary")
    if isinstance(answer, Failure):
        return found
    ground, every = Grounding(last.scrubbed), range(len(last.scrubbed))
    for name in _NAMES:
        lines = answer.get(name) if isinstance(answer, Mapping) else None
        lines = lines if isinstance(lines, list) else []
        accepted = [line for line in map(_clean_line, lines) if line and not ground.find_objection(line, every)]
        if accepted:
            found = replace(found, **{name: tuple(dict.fromkeys(accepted))[:_MOST]})
    return found


def _clean_line(value: object) -> str:
    """Return a line without breaks; empty where it is no text, or too long."""
    line = " ".join(value.split()) if isinstance(value, str) else ""
    return scrub_text(line) if len(line) <= _LONGEST and line.isprintable() else ""


_LOCK = "progress.lock"
_WAIT_SECONDS = 120.0  # a model may be asked while it is locked
_FILE = "progress.json"  # digests of the summaries written last, to see what a person added
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
class ProgressResult:
    """The milestone of a session, new or updated, and the memories that the session used."""

    memory: Memory
    session: str
    new: bool
    used: tuple[Memory, ...] = ()
    op: str = ""
    kept_apart: bool = False  # a person had edited it, so new lines are below


@dataclass(frozen=True, slots=True)
class _MilestoneText:
    """The text of a milestone: what the agent said, and the findings that are written anew each time."""

    text: str
    findings: str
    title: str
    used: tuple[Memory, ...] = ()


def save_progress(
    context: VaultContext,
    text: str = "",
    *,
    session: str = "",
    transcript: str | Path = "",
    dry_run: bool = False,
    obey: ObeyTurn | None = None,
) -> ProgressResult:
    """Write the summary of a session, or update the existing one; ingest its transcript first."""
    if session and context.state is not None and is_purged_session(context.state, session):
        raise NothingToDo(reason="That session was forgotten for good.")
    if transcript and not dry_run:
        # Hooks call this: text said during a pause stays out.
        ingest(context, IngestOptions(paths=(Path(transcript),), skip_paused=True, obey=obey))
    ask = context.ask_model()
    with _lock_progress(context, dry_run=dry_run):
        context.refresh()
        session = session or context.actor.session
        # The conversation of a session; without one, the latest.
        index = refresh_index(context)
        found = index.find_conversations(session) if session else index.conversations()[:1]
        if len(found) > 1:
            raise BadInput(
                what="the session", value=session, reason=f"{len(found)} sessions match; give more characters"
            )
        conversation = found[0] if found else None
        session = conversation.talk.id if conversation else session
        if not session:
            raise NothingToDo(reason="No session is known: give one with --session, or ingest its transcript first.")
        folder = Path(conversation.talk.project) if conversation and conversation.talk.project else context.folder
        acting = replace(context, actor=Actor(context.actor.agent, session), folder=folder)
        told = _make_text(acting, conversation, redact_secrets(text.strip()), session, ask)
        milestones = context.index.memories(Filters(types=frozenset({MILESTONE})))
        milestone = next((memory for memory in milestones if session in memory.refs.get("session", ())), None)
        if milestone is None:
            return _create_milestone(acting, told, session, dry_run=dry_run)
        return _update_milestone(acting, milestone, told, session, dry_run=dry_run)


@contextmanager
def _lock_progress(context: VaultContext, *, dry_run: bool) -> Iterator[None]:
    """Lock progress: an agent that compacts a session and one that ends it may both save it at the same moment."""
    if dry_run or context.state is None:
        yield
        return
    files.make_folder(context.state)
    with files.lock(context.state / _LOCK, wait=_WAIT_SECONDS):
        yield


def _make_text(
    context: VaultContext, conversation: IndexedConversation | None, own_text: str, session: str, ask: AskModel | None
) -> _MilestoneText:
    linked = (context.index.memory_by_id(id_) for id_ in context.index.memories_used_in(session)[:_MOST_LINKED])
    used = tuple(memory for memory in linked if memory is not None and memory.type != MILESTONE)
    found = _summarize_session(context, conversation, ask) if conversation else SessionSummary()
    if not (found.outcome or own_text):
        raise NothingToDo(reason=f"Nothing was decided, found out, changed or left open in session {session}.")
    lists = ((label, getattr(found, name)) for name, label in _HEADINGS)
    parts = ["\n".join([f"{label}:", *(f"{_BULLET}{line}" for line in lines)]) for label, lines in lists if lines]
    title = guess_title(own_text or found.outcome)
    day = (conversation.last if conversation and conversation.last else context.now).astimezone(context.zone).date()
    redact = redact_contacts if context.settings.flag("screen.personal") else str
    whole = redact(redact_secrets("\n\n".join(parts)))
    title = clip_title(": ".join(filter(None, [f"Session of {day}", title if own_text else redact(title)])))
    return _MilestoneText(own_text, whole, title, used)


def _summarize_session(
    context: VaultContext, conversation: IndexedConversation, ask: AskModel | None
) -> SessionSummary:
    index = TranscriptIndex.of(context)
    first = max(0, conversation.turns - _LAST_TURNS)
    turns: Sequence[Turn] = index.get_turns(conversation.number, first, conversation.turns - 1)
    topics = [
        replace(topic, first=topic.first - first, last=topic.last - first)
        for topic in index.get_trajectories(conversation.number)
        if topic.first >= first
    ]
    found = summarize_session(turns, topics, candidates_with_model(turns, ask).found)
    return summarize_with_model(turns, found, ask)


# -- writing


def _create_milestone(context: VaultContext, text: _MilestoneText, session: str, *, dry_run: bool) -> ProgressResult:
    draft = MemoryDraft(
        text="\n\n".join(filter(None, (text.text, text.findings))),
        title=text.title,
        type=MILESTONE,
        refs={"session": (session,), **_link_used(text)},
        secrets="redact",
        near="ignore",
    )
    created = remember(context, draft, dry_run=dry_run)
    if not dry_run:
        _save_digest(context, session, text.findings)
    return ProgressResult(memory=created.memory, session=session, new=True, used=text.used, op=created.op)


def _link_used(text: _MilestoneText) -> dict[str, tuple[str, ...]]:
    return {"memories": tuple(f"[[{memory.name}]]" for memory in text.used)} if text.used else {}


def _update_milestone(
    context: VaultContext, milestone: Memory, told: _MilestoneText, session: str, *, dry_run: bool
) -> ProgressResult:
    body = (context.read_memory(milestone)[0].body or "").strip()
    own_text, found = _split_body(body, _read_digests(context).get(session, ""))
    is_ours = found is not None
    text = _join_body(own_text, told, None if found is None else told.findings)
    links = {f"refs.{name}": value for name, value in _link_used(told).items() if milestone.refs.get(name) != value}
    if text == body and not links:
        raise NothingToDo(reason=f"“{milestone.title}” is already up to date.")
    edit = MemoryEdit(body=text, fields=links, secrets="redact")
    changed = edit_memory(context, milestone.path, edit, dry_run=dry_run)
    if not dry_run and is_ours:
        _save_digest(context, session, told.findings)
    return ProgressResult(
        memory=changed.memory, session=session, new=False, used=told.used, op=changed.op, kept_apart=not is_ours
    )


def _split_body(body: str, ours: str) -> tuple[str, str | None]:
    """Split a body into the agent's text and our findings, if these are as we left them; else all is the person's."""
    for start in (0, *(found.end() for found in re.finditer(r"\n\n", body))):
        if ours and body_digest(body[start:]) == ours:
            return body[:start].strip(), body[start:]
    return body, None


def _join_body(own_text: str, text: _MilestoneText, found: str | None) -> str:
    """Join earlier text with new findings: in the place of the old ones, or below a person's own text."""
    text_so_far = own_text if text.text in own_text else "\n\n".join(filter(None, (own_text, text.text)))
    if found is not None:
        return "\n\n".join(filter(None, (text_so_far, found)))
    news = [line for line in text.findings.split("\n") if line.startswith(_BULLET) and line not in text_so_far]
    return (
        "\n".join([f"{text_so_far}\n\n{_SINCE}", *news])
        if news and _SINCE not in text_so_far
        else "\n".join([text_so_far, *news])
    )


def _read_digests(context: VaultContext) -> Mapping[str, str]:
    if context.state is not None and (context.state / _FILE).exists():
        with suppress(MemvaultError, ValueError):
            return dict(json.loads(files.read_file(context.state / _FILE)))
    return {}


def _save_digest(context: VaultContext, session: str, text: str) -> None:
    if context.state is not None:
        digests = {**_read_digests(context), session: body_digest(text)}
        with suppress(MemvaultError, OSError):
            files.make_folder(context.state)
            files.overwrite_file(context.state / _FILE, json.dumps(digests).encode())
