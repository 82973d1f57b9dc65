"""Put what a prompt calls for before a model, once in a session, and keep account of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.context.briefing import Briefing, Part, Piece, briefing
from memvault.context.cues import cue
from memvault.context.eligible import may_be_injected
from memvault.context.gather import WORKING_ROOM, entries_of, new_token, tasks_in_hand
from memvault.context.injection_log import Injection, account, keep
from memvault.context.quote import Entry, entry, label, quotation
from memvault.core.memory import Memory
from memvault.core.secrets.private_spans import without_private
from memvault.core.value import replace
from memvault.errors import BadInput
from memvault.storage.vault.context import Bench
from memvault.text.display import one_line
from memvault.text.terms import clip, estimate
from memvault.text.triggers import is_telling, said

if TYPE_CHECKING:
    from memvault.recall.recall import Hit, Recalled
    from memvault.transcripts.dig import Conversation, Dug


_SHOWN = 3  # titles in the line for the user
_TEXT_TOKENS = 300  # of each memory that a trigger loads
_LOOKED_AT = 4_000  # characters of a prompt: what is pasted behind them is no question
_MARK = 8
_IMPORTED = "import"  # another program's note may be asked for, and names no phrase by which it comes unasked


Later = Callable[[Callable[[], object]], object]
"""Has something done when there is time for it, before anything else is done in the session."""


def at_once(act: Callable[[], object]) -> None:
    """Do it now."""
    act()


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """When it is: the event, the session, the project, and where this machine keeps its account."""

    event: str
    session: str
    project: str
    state: Path
    source: str = ""  # of a start: startup, clear, resume, compact or fork
    folder: Path | None = None  # in which the agent works
    home: Path = field(default_factory=Path)  # of the agent's own settings
    later: Later = at_once  # keeps the account of what is given


@dataclass(frozen=True, slots=True)
class Put:
    """What is given to the model, and the line that tells the user; both empty where nothing is relevant."""

    text: str = ""
    sentence: str = ""


NOTHING = Put()


def at_prompt(
    bench: Bench, prompt: str, occasion: Occasion, *, asked: Part | None = None, without: frozenset[str] = frozenset()
) -> Put:
    """The tasks in hand, what a trigger in a prompt loads and the few memories that it calls for; each of them once.

    Before them stands what the person asked for in so many words; what it is `without`, the model has just heard.
    """
    bench = at_hand(bench, occasion)
    tasks = tasks_in_hand(bench, occasion.project)
    wanted = asked or Part(name="", pieces=(), share=0)
    known = unchanged(bench, occasion) | without | {piece.id for piece in wanted.pieces}
    spoken = _spoken(bench, prompt, occasion)
    bench.touch([memory for memory, _ in spoken], why="trigger")
    loaded = [(memory, phrase) for memory, phrase in spoken if memory.id not in known]
    loaded = loaded[: bench.settings.whole("inject.triggered")]
    without = known | {memory.id for memory, _ in spoken} | {memory.id for memory in tasks}
    named = tuple(_loaded(bench, *pair) for pair in loaded)
    parts = (
        wanted,
        in_hand(bench, [memory for memory in tasks if memory.id not in known]),
        Part(name="what was named", pieces=named, share=0.4),
        Part(name="what is alike", pieces=_fresh(_cued(bench, prompt, occasion, without), named), share=0.4),
    )
    room = bench.settings.whole("inject.prompt_tokens") + (WORKING_ROOM if parts[1].pieces else 0)
    found = briefing(parts, new_token(), tokens=room)
    if not found.text:
        return NOTHING
    return put(bench, occasion, found)


def at_hand(bench: Bench, occasion: Occasion) -> Bench:
    """The bench of an occasion's session, with a catalogue that is looked over once, now, and not again."""
    bench.freshen()
    actor = replace(bench.actor, session=occasion.session or bench.actor.session)
    return replace(bench, actor=actor, is_fresh=True)


def in_hand(bench: Bench, tasks: Sequence[Memory]) -> Part:
    """Tasks in hand, as far as there is room for such."""
    pieces = (
        Piece(entry=each, id=memory.id, title=memory.title, why="a task in hand")
        for memory, each in entries_of(bench, tasks)
    )
    return Part(name="tasks in hand", pieces=tuple(pieces), share=0.3)


def unchanged(bench: Bench, occasion: Occasion) -> frozenset[str]:
    """The ids of what this session has before it already, as it is now."""
    given = account(occasion.state, occasion.session)
    now = bench.catalogue.digests(given)
    return frozenset(id_ for id_, mark in given.items() if not mark or now.get(id_, "").startswith(mark))


def allowed(bench: Bench, memories: Iterable[Memory], occasion: Occasion) -> list[Memory]:
    """Those of some memories that may be put before a model at work on this project."""
    folders, kinds = bench.settings.texts("inject.folders"), bench.settings.kinds
    return [each for each in memories if may_be_injected(each, folders=folders, project=occasion.project, kinds=kinds)]


def body_of(bench: Bench, memory: Memory, tokens: int) -> str:
    """A memory's text without its private spans, cut where it is long."""
    return clip(without_private(bench.text(memory)).strip(), tokens)


def put(
    bench: Bench, occasion: Occasion, found: Briefing, *, also: tuple[str, ...] = (), read: Sequence[Memory] = ()
) -> Put:
    """Keep account of what is given, and of what the agent reads anyway, and say it to the user in one line."""
    pieces = [piece for part in found.given for piece in part.pieces if piece.id]
    marks = bench.catalogue.digests([*(piece.id for piece in pieces), *(memory.id for memory in read)])

    def account_for_it() -> None:
        row = Injection(
            at=bench.now,
            session=occasion.session,
            event=occasion.event,
            project=occasion.project,
            ids=tuple(piece.id for piece in pieces),
            why={piece.id: piece.why for piece in pieces},
            tokens=estimate(found.text),
            source=occasion.source,
            marks={id_: digest[:_MARK] for id_, digest in marks.items()},
            also=also,
        )
        keep(occasion.state, row)

    occasion.later(account_for_it)
    return Put(found.text, _sentence([piece.title for piece in pieces], also)) if found.text else NOTHING


def _spoken(bench: Bench, prompt: str, occasion: Occasion) -> list[tuple[Memory, str]]:
    """The memories whose trigger stands in a prompt, the longest phrase first."""
    found = {
        memory.id: (memory, phrase.strip())
        for memory, phrase in bench.catalogue.triggered(said(prompt))
        if is_telling(phrase) and memory.more.get("source") != _IMPORTED
    }
    fit = [found[memory.id] for memory in allowed(bench, (memory for memory, _ in found.values()), occasion)]
    return sorted(fit, key=lambda pair: (-len(pair[1]), -pair[0].weight, pair[0].path))


def _loaded(bench: Bench, memory: Memory, phrase: str) -> Piece:
    kind = bench.settings.kinds.get(memory.kind)
    title = kind.heading if kind else memory.kind
    text = entry(memory, body_of(bench, memory, _TEXT_TOKENS))
    return Piece(entry=Entry(title, text), id=memory.id, title=memory.title, why=f"trigger “{phrase}”")


def _cued(bench: Bench, prompt: str, occasion: Occasion, without: frozenset[str]) -> tuple[Piece, ...]:
    """The few memories that are alike enough, where there is a cue to look for such."""
    why = cue(prompt, words=bench.settings.whole("inject.cue_words"))
    most = bench.settings.whole("inject.limit")
    if not (why and most):
        return ()
    from memvault.context.gather import Wish, context  # deferred: other prompts load no search

    wish = Wish(
        query=prompt[:_LOOKED_AT],
        budget=bench.settings.whole("inject.prompt_tokens"),
        project=occasion.project,
        limit=most,
        min_similarity=bench.settings.number("inject.similarity"),
        without=without,
        unasked=True,
        since=_long_past(bench),
    )
    try:
        found = context(bench, wish)
    except BadInput:
        return ()  # a prompt without a word in it
    return tuple(
        Piece(
            entry=each,
            id=hit.memory.id,
            title=hit.memory.title,
            why=f"{why}; similarity {hit.similarity:.2f}",
        )
        for hit, each in zip(found.hits, found.entries, strict=True)
    )


def _fresh(pieces: tuple[Piece, ...], named: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """Those that do not say what was named already."""
    if not (pieces and named):
        return pieces
    from memvault.recall.fold import holds  # deferred: seldom is there both

    said = [_quoted(piece) for piece in named]
    return tuple(
        piece for piece in pieces if not any(holds(one, _quoted(piece)) or holds(_quoted(piece), one) for one in said)
    )


def _quoted(piece: Piece) -> str:
    """The text of a memory as it is given, without the line that names it."""
    return piece.entry.text.lstrip().partition("\n")[2]


def _long_past(bench: Bench) -> datetime:
    return bench.now - timedelta(days=bench.settings.whole("inject.week_days"))


def _sentence(titles: Sequence[str], also: Sequence[str]) -> str:
    told = [f"“{one_line(without_private(title))}”" for title in titles[:_SHOWN]]
    told += [f"{len(titles) - _SHOWN} more"] if len(titles) > _SHOWN else []
    *most, last = (*told, *also)
    return "memvault: recalled " + (f"{', '.join(most)} and {last}" if most else last)


# What a spoken question found, as it is put before the model that is to answer it.

_ASKED_FOR_TEXT_TOKENS = 250  # of each memory: several are to have room
_TALK_TOKENS = 500  # of each conversation
_MOST = 12
_NAME = "what was asked for"


def of_memories(found: Recalled) -> Part:
    """The memories about a topic, the best first."""
    return _part(_memories(found.hits, found.query))


def of_everything(found: Dug) -> Part:
    """The memories on a topic, and the conversations about it after them."""
    return _part((*_memories(found.memories, found.topic), *_conversations(found.conversations)))


def _part(pieces: Iterable[Piece]) -> Part:
    return Part(name=_NAME, pieces=tuple(pieces), share=1.0)


def _memories(hits: Iterable[Hit], topic: str) -> Iterator[Piece]:
    for hit, _ in zip(hits, range(_MOST), strict=False):
        text = clip(without_private(hit.text).strip(), _ASKED_FOR_TEXT_TOKENS)
        told = entry(hit.memory, text, contradicts=hit.contradicts)
        yield Piece(
            entry=Entry(f"What is remembered about {topic}", told),
            id=hit.memory.id,
            title=hit.memory.title,
            why=f"asked for: “{topic}”",
        )


def _conversations(found: Iterable[Conversation]) -> Iterator[Piece]:
    for talk in found:
        lines = "\n".join(f"{line.speaker}: {' '.join(line.text.split())}" for line in talk.lines)
        told = quotation(clip(without_private(lines), _TALK_TOKENS))
        yield Piece(entry=Entry("What was said about it", f"\n{label(talk.title)} ({talk.ref})\n{told}\n"))
