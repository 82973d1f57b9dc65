"""Erase purged text from the archive: the only code that rewrites a conversation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from memvault.core.conversation import Turn
from memvault.core.ids import is_id
from memvault.core.secrets.erase import FORGOTTEN_MARK
from memvault.system import files
from memvault.transcripts.archive import codec
from memvault.transcripts.archive.codec import MemberGap, TurnCounter, pack_member, read_members
from memvault.transcripts.archive.read import Transcript
from memvault.transcripts.model.record import IsPurgedTurn, Raw, TranscriptEntry, without_purged
from memvault.transcripts.model.redact import Redactor

MayHold = Callable[[bytes], bool]


@dataclass(slots=True)
class EraseResult:
    """What was erased from one conversation."""

    turns: set[str] = field(default_factory=set)  # ids of redacted turns
    numbers: set[int] = field(default_factory=set)
    lines: int = 0
    damaged: int = 0  # bytes that cannot be searched


@dataclass(frozen=True, slots=True)
class ErasedTurns:
    """Turns to erase whole: their ids, and the redactor for their raw lines.

    `is_gone` covers turns that another conversation repeats of a purged one.
    """

    turns: frozenset[str]
    redactor: Redactor
    is_gone: IsPurgedTurn | None = None


def erase_transcript(
    transcript: Transcript, redactor: Redactor, may_hold: MayHold, whole: ErasedTurns | None = None
) -> EraseResult:
    """Rewrite a transcript and its facts without what the redactor erases; leave it untouched where it has none.

    `may_hold` tells by the text of a member whether it is worth reading line by line.
    """
    done = EraseResult()
    _rewrite_file(transcript.turns_file.path, lambda text: _erase_turns(text, redactor, whole, done, may_hold), done)
    _rewrite_file(transcript.facts_file.path, lambda text: _erase_facts(text, redactor, done, may_hold), done)
    return done


def _rewrite_file(path: Path, change: Callable[[bytes], bytes], done: EraseResult) -> None:
    if not path.exists():
        return
    parts: list[bytes] = []
    differs = False
    with files.open_stream(path) as stream:
        for part in read_members(stream, path.stat().st_size):
            if isinstance(part, MemberGap):
                stream.seek(part.at)
                parts.append(stream.read(part.to - part.at))
                done.damaged += part.to - part.at
                continue
            member, text = part
            changed = change(text)
            differs = differs or changed != text
            stream.seek(member.at)
            parts.append(pack_member(changed) if changed != text else stream.read(member.to - member.at))
    if differs:
        files.overwrite_file(path, b"".join(parts), mode=path.stat().st_mode & 0o777)


# -- turns


def _erase_line(
    data: Raw, turn: Turn | None, redactor: Redactor, whole: ErasedTurns | None, *, worth: bool
) -> Raw | None:
    """Return a line without the erased text; None where it has none. Only a line that is `worth` it is redacted."""
    if whole and whole.is_gone and (rest := _without_purged(data, turn, whole.is_gone)) != data:
        return rest
    if not whole or not _is_erased_turn(data, turn, whole.turns):
        return _redact_line(data, redactor) if worth else None
    erased = {**data, "turn": {**codec.encode_turn(turn), "text": FORGOTTEN_MARK}} if turn else data
    fresh = _redact_line(erased, whole.redactor) or erased
    fresh = _redact_line(fresh, redactor) or fresh
    return fresh if fresh != data else None


def _is_erased_turn(data: Raw, turn: Turn | None, turns: frozenset[str]) -> bool:
    """Return whether a line is a turn to erase whole, or the raw line that it was made from."""
    raw = data.get("raw")
    return (turn.id if turn else str(raw.get("uuid", "")) if isinstance(raw, dict) else "") in turns


def _without_purged(data: Raw, turn: Turn | None, is_gone: IsPurgedTurn) -> Raw:
    """Return a line without what it repeats of a purged conversation; a turn keeps its place."""
    raw, ref = data.get("raw"), data.get("ref")
    if isinstance(ref, str) and is_id(ref) and is_gone("", ref):
        return {}
    if turn is None and not isinstance(raw, dict):
        return data
    entry = TranscriptEntry(turn=turn, raw=raw if isinstance(raw, dict) else None)
    rest = without_purged(entry, None, is_gone)
    if rest is entry:
        return data
    return {"turn": {**codec.encode_turn(turn), "text": FORGOTTEN_MARK}} if turn else {}


def _erase_turns(
    text: bytes, redactor: Redactor, whole: ErasedTurns | None, done: EraseResult, may_hold: MayHold
) -> bytes:
    worth = may_hold(text)
    count = TurnCounter()
    lines = text.split(b"\n")
    count.start_member(codec.decode_line(lines[0]))
    out = []
    for line in lines:
        data = codec.decode_line(line) if line and (worth or line.startswith(b'{"turn":')) else None
        turn = codec.decode_turn(data.get("turn")) if data else None
        number = count.next_number() if turn else -1
        fresh = _erase_line(data, turn, redactor, whole, worth=worth) if data else None
        if fresh is None:
            out.append(line)
            continue
        done.lines += 1
        if turn:
            done.turns.add(turn.id)
            done.numbers.add(number)
        out.append(codec.encode_line(fresh)[:-1])
    return b"\n".join(out)


def _redact_line(data: Raw, cleaning: Redactor) -> Raw | None:
    """Return a line redacted; None where nothing changes."""
    fresh = dict(data)
    turn = codec.decode_turn(data.get("turn"))
    if turn:
        fresh["turn"] = codec.encode_turn(cleaning.redact_turn(turn))
    head = codec.decode_head(data.get("head"))
    if head:
        fresh["head"] = codec.encode_head(cleaning.redact_head(head))
    raw = data.get("raw")
    if isinstance(raw, dict):
        fresh["raw"] = cleaning.redact_record(raw)
    bad = data.get("bad")
    if isinstance(bad, str):
        fresh["bad"] = cleaning.redact_text(bad)
    return fresh if fresh != data else None


# -- facts and topics


def _erase_facts(text: bytes, cleaning: Redactor, done: EraseResult, may_hold: MayHold) -> bytes:
    if not (done.turns or may_hold(text)):
        return text
    lines = text.split(b"\n")
    return b"\n".join(entry for line in lines if (entry := _erase_extracted(line, cleaning, done)) is not None)


def _erase_extracted(line: bytes, cleaning: Redactor, done: EraseResult) -> bytes | None:
    """Erase a fact of an erased turn whole, as it may say the same in other words; likewise the label of a topic."""
    data = codec.decode_line(line) if line else None
    fact = codec.decode_fact(data.get("fact")) if data else None
    if fact:
        is_touched = any(turn in done.turns for turn in fact.turns) or cleaning.redact_fact(fact) != fact
        done.lines += is_touched
        return None if is_touched else line
    run = codec.decode_trajectory(data.get("trajectory")) if data else None
    if run and (
        any(run.first <= number <= run.last for number in done.numbers) or cleaning.redact_trajectory(run) != run
    ):
        done.lines += 1
        return codec.encode_line({"trajectory": {"first": run.first, "last": run.last}})[:-1]
    return line
