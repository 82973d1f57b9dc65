"""Who takes part in a conversation, what each is called in a statement, and whom "you" means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memvault.transcripts.model.talk import Turn

_USERS = frozenset(("user", "human"))
_ASSISTANTS = frozenset(("assistant", "ai", "chatgpt", "claude", "bot", "model"))
_SHORTEST_NICKNAME = 3

_YOU = re.compile(
    r"\b(?:you|your|yours|yourself|du|dich|dir|deine?[mnrs]?|euch|tú|usted|contigo|tus?|toi|vous|votre|vos"
    r"|tu[oa]|tuoi|você|ты|тебя|тебе|вы|вас|вам|тво\w+|ваш\w*)\b|[你您]|あなた",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Cast:
    """The speakers of a conversation, in the order in which they first speak."""

    names: tuple[str, ...]  # of persons: "user" and "assistant" are none

    def label(self, turn: Turn) -> str:
        """What the speaker of a turn is called."""
        if _is(turn, _USERS, "user"):
            return "The user"
        if _is(turn, _ASSISTANTS, "assistant"):
            return "The assistant"
        return turn.speaker or "Somebody"

    def other(self, turn: Turn) -> str:
        """Whom the speaker of a turn speaks to, where that is certain; empty where it is not."""
        if is_user(turn):
            return "the assistant"
        if is_assistant(turn):
            return "the user"
        others = [name for name in self.names if name != turn.speaker]
        if len(others) == 1:
            return others[0] if turn.speaker else ""
        called = [name for name in others if _is_called(name, turn.text)]
        return called[0] if len(called) == 1 else ""


def cast_of(turns: Sequence[Turn], speakers: tuple[str, ...] = ()) -> Cast:
    """The people of a conversation: those that are named, and those that speak."""
    said = (turn.speaker for turn in turns if not (is_user(turn) or is_assistant(turn)))
    named = (name for name in speakers if name.casefold() not in _USERS | _ASSISTANTS)
    return Cast(tuple(name for name in dict.fromkeys((*named, *said)) if name))


def is_user(turn: Turn) -> bool:
    """Whether a turn is of the person who talks to an assistant."""
    return _is(turn, _USERS, "user")


def is_assistant(turn: Turn) -> bool:
    """Whether a turn is a machine's."""
    return _is(turn, _ASSISTANTS, "assistant")


def addresses(text: str) -> bool:
    """Whether a text speaks to somebody: you, du, tú, vous, 你."""
    return _YOU.search(text) is not None


def nicknames(name: str) -> tuple[str, ...]:
    """What somebody may be called in a talk: the whole name, its first word, and how that begins."""
    first = name.split()[0] if name.split() else name
    short = (first[:length] for length in range(_SHORTEST_NICKNAME, len(first)) if first.isalpha())
    return tuple(dict.fromkeys((name, first, *short)))


def _is(turn: Turn, names: frozenset[str], role: str) -> bool:
    return turn.role == role if turn.role else turn.speaker.casefold() in names


def _is_called(name: str, text: str) -> bool:
    """Whether a turn calls somebody by name: "Thanks, Anna!", "Anna, could you …"."""
    first = re.escape(name.split()[0])
    return re.search(rf"(?:^|[,!.?] ?|\b[Hh](?:ey|i|ello) ){first}(?=[,!?.]|$)|@{first}\b", text[:2_000]) is not None
