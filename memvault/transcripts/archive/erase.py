"""Taking out of the archive what was forgotten for good: the one thing that rewrites a conversation."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

from memvault.core.secrets.erase import FORGOTTEN
from memvault.system import files
from memvault.transcripts.archive import codec
from memvault.transcripts.archive.codec import Count
from memvault.transcripts.archive.gzip_members import Gap, opened, packed
from memvault.transcripts.archive.read import Transcript
from memvault.transcripts.model.clean import Cleaning
from memvault.transcripts.model.erased import IsGone, is_everywhere_one, without_gone
from memvault.transcripts.model.record import Kept, Raw
from memvault.transcripts.model.turn import Turn

MayHold = Callable[[bytes], bool]


@dataclass(slots=True)
class Erased:
    """What was taken out of one conversation."""

    turns: set[str] = field(default_factory=set)  # ids of those that say less now
    numbers: set[int] = field(default_factory=set)
    lines: int = 0
    damaged: int = 0  # bytes that cannot be looked through


@dataclass(frozen=True, slots=True)
class Whole:
    """Turns that are erased as wholes, whatever they say: their ids, and what takes their words out of their lines.

    `is_gone` tells of what another conversation repeats of one that is nowhere any more.
    """

    turns: frozenset[str]
    cleaning: Cleaning
    is_gone: IsGone | None = None


def erase(transcript: Transcript, cleaning: Cleaning, may_hold: MayHold, whole: Whole | None = None) -> Erased:
    """Rewrite a conversation and what was learnt of it without what the cleaning erases; untouched where it has none.

    `may_hold` says of the text of a member whether it is worth looking through line by line.
    """
    done = Erased()
    _rewrite(transcript.talk.path, lambda text: _of_talk(text, _Eraser(cleaning, whole), done, may_hold), done)
    _rewrite(transcript.side.path, lambda text: _of_side(text, cleaning, done, may_hold), done)
    return done


def _rewrite(path: Path, change: Callable[[bytes], bytes], done: Erased) -> None:
    if not path.exists():
        return
    parts: list[bytes] = []
    differs = False
    with files.stream(path) as stream:
        for part in opened(stream, path.stat().st_size):
            if isinstance(part, Gap):
                stream.seek(part.at)
                parts.append(stream.read(part.to - part.at))
                done.damaged += part.to - part.at
                continue
            member, text = part
            changed = change(text)
            differs = differs or changed != text
            stream.seek(member.at)
            parts.append(packed(changed) if changed != text else stream.read(member.to - member.at))
    if differs:
        files.overwrite(path, b"".join(parts), mode=path.stat().st_mode & 0o777)


# -- the conversation


@dataclass(frozen=True, slots=True)
class _Eraser:
    cleaning: Cleaning
    whole: Whole | None

    def without(self, told: Raw, turn: Turn | None, *, worth: bool) -> Raw | None:
        """A line without what is erased; None where it has nothing of it."""
        whole = self.whole
        if whole and whole.is_gone and (left := _without_gone(told, turn, whole.is_gone)) != told:
            return left
        if whole and _is_one(told, turn, whole.turns):
            said = {**told, "turn": {**codec.of_turn(turn), "text": FORGOTTEN}} if turn else told
            fresh = _line(said, whole.cleaning) or said
            fresh = _line(fresh, self.cleaning) or fresh
            return fresh if fresh != told else None
        return _line(told, self.cleaning) if worth else None


def _is_one(told: Raw, turn: Turn | None, turns: frozenset[str]) -> bool:
    """Whether a line is a turn that goes as a whole, or the piece of the source that it was taken from."""
    raw = told.get("raw")
    return (turn.id if turn else str(raw.get("uuid", "")) if isinstance(raw, dict) else "") in turns


def _without_gone(told: Raw, turn: Turn | None, is_gone: IsGone) -> Raw:
    """A line without what it repeats of a conversation that was forgotten; a turn keeps its place."""
    raw, ref = told.get("raw"), told.get("ref")
    if isinstance(ref, str) and is_everywhere_one(ref) and is_gone("", ref):
        return {}
    if turn is None and not isinstance(raw, dict):
        return told
    kept = Kept(turn=turn, raw=raw if isinstance(raw, dict) else None)
    left = without_gone(kept, None, is_gone)
    if left is kept:
        return told
    return {"turn": {**codec.of_turn(turn), "text": FORGOTTEN}} if turn else {}


def _of_talk(text: bytes, eraser: _Eraser, done: Erased, may_hold: MayHold) -> bytes:
    worth = may_hold(text)
    count = Count()
    lines = text.split(b"\n")
    count.member(codec.record(lines[0]))
    out = []
    for line in lines:
        told = codec.record(line) if line and (worth or line.startswith(b'{"turn":')) else None
        turn = codec.turn_of(told.get("turn")) if told else None
        number = count.turn() if turn else -1
        fresh = eraser.without(told, turn, worth=worth) if told else None
        if fresh is None:
            out.append(line)
            continue
        done.lines += 1
        if turn:
            done.turns.add(turn.id)
            done.numbers.add(number)
        out.append(codec.line(fresh)[:-1])
    return b"\n".join(out)


def _line(told: Raw, cleaning: Cleaning) -> Raw | None:
    """A line without what is erased; None where it has nothing of it."""
    fresh = dict(told)
    turn = codec.turn_of(told.get("turn"))
    if turn:
        fresh["turn"] = codec.of_turn(cleaning.turn(turn))
    head = codec.head_of(told.get("head"))
    if head:
        fresh["head"] = codec.of_head(cleaning.head(head))
    raw = told.get("raw")
    if isinstance(raw, dict):
        fresh["raw"] = cleaning.record(raw)
    bad = told.get("bad")
    if isinstance(bad, str):
        fresh["bad"] = cleaning.text(bad)
    return fresh if fresh != told else None


# -- what was learnt of it


def _of_side(text: bytes, cleaning: Cleaning, done: Erased, may_hold: MayHold) -> bytes:
    if not (done.turns or may_hold(text)):
        return text
    lines = text.split(b"\n")
    return b"\n".join(kept for line in lines if (kept := _learnt(line, cleaning, done)) is not None)


def _learnt(line: bytes, cleaning: Cleaning, done: Erased) -> bytes | None:
    """A fact of an erased turn goes whole, as it may say the same in other words; so do the words for a topic."""
    told = codec.record(line) if line else None
    fact = codec.fact_of(told.get("fact")) if told else None
    if fact:
        is_touched = _meets(fact.turns, done.turns) or cleaning.fact(fact) != fact
        done.lines += is_touched
        return None if is_touched else line
    run = codec.trajectory_of(told.get("trajectory")) if told else None
    if run and (any(run.first <= number <= run.last for number in done.numbers) or cleaning.trajectory(run) != run):
        done.lines += 1
        return codec.line({"trajectory": {"first": run.first, "last": run.last}})[:-1]
    return line


def _meets(some: Collection[str], others: Collection[str]) -> bool:
    return any(one in others for one in some)
