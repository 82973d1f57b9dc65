"""Build the text that is injected: parts in the order of their worth, as far as there is room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from memvault.context.quote import QuotedEntry, empty_fence, format_entries, format_heading
from memvault.context.session_index import text_cost
from memvault.core.ids import short_id

MOST_CHARACTERS = 9_500
"""Of a longer text, Claude Code shows the model only the beginning."""

_MOST_NAMED = 6  # ids of what was left out
_REST_TOKENS, _REST_CHARACTERS = 100, 400  # for the line that says what was left out


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefingPiece:
    """One entry of a part; of a memory also its id, its title, and why it is there."""

    entry: QuotedEntry
    id: str = ""
    title: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefingPart:
    """Entries of one sort, the most valuable first, and the share of the room that is theirs first."""

    name: str
    pieces: tuple[BriefingPiece, ...]
    share: float


@dataclass(frozen=True, slots=True)
class Briefing:
    """The text, what it gives of each part, and what it had to leave out."""

    text: str = ""
    given: tuple[BriefingPart, ...] = ()
    left_out: tuple[BriefingPart, ...] = ()


@dataclass(slots=True)
class _BriefingRoom:
    tokens: float
    characters: int

    def take(self, text: str, most: float) -> float:
        """Take the room of a text if there is that much within the limit; return how much was taken."""
        most = min(self.tokens, most)
        # No text costs less than a quarter of its characters, so the length alone rules out most that do not fit.
        if len(text) > self.characters or len(text) / 4 > most:
            return 0.0
        tokens, characters = _text_cost(text)
        if characters > self.characters or tokens > most:
            return 0.0
        self.tokens -= tokens
        self.characters -= characters
        return max(tokens, 1.0)


def build_briefing(
    parts: Sequence[BriefingPart], token: str, *, tokens: int, characters: int = MOST_CHARACTERS
) -> Briefing:
    """Build a text of the parts within a budget: each gets its share first, then the foremost the rest."""
    tokens_left, characters_left = tokens - text_cost(empty_fence()), characters - _utf16_length(empty_fence())
    taken = _choose_pieces(parts, _BriefingRoom(tokens_left, characters_left))
    if sum(map(len, taken)) < sum(len(part.pieces) for part in parts):  # then there must be room to say so
        taken = _choose_pieces(parts, _BriefingRoom(tokens_left - _REST_TOKENS, characters_left - _REST_CHARACTERS))
    given, left = _split_parts(parts, taken, kept=True), _split_parts(parts, taken, kept=False)
    entries = [piece.entry for part in given for piece in part.pieces]
    if left:
        entries.append(QuotedEntry("Left out", f"\n{_left_out_line(left)}\n"))
    return Briefing(format_entries(entries, token) if given else "", given, left)


def _choose_pieces(parts: Sequence[BriefingPart], room: _BriefingRoom) -> list[frozenset[int]]:
    """Return which pieces of each part there is room for."""
    everything = room.tokens
    taken: list[set[int]] = [set() for _ in parts]
    headings: set[str] = set()
    for is_shared in (True, False):
        for part, mine in zip(parts, taken, strict=True):
            most = part.share * everything if is_shared else room.tokens
            for number, piece in enumerate(part.pieces):
                heading = "" if piece.entry.heading in headings else format_heading(piece.entry.heading)
                used = 0.0 if number in mine else room.take(heading + piece.entry.text, most)
                if used:
                    headings.add(piece.entry.heading)
                    mine.add(number)
                    most -= used
    return [frozenset(mine) for mine in taken]


def _split_parts(
    parts: Sequence[BriefingPart], taken: Sequence[frozenset[int]], *, kept: bool
) -> tuple[BriefingPart, ...]:
    halves = (
        BriefingPart(
            name=part.name,
            pieces=tuple(piece for number, piece in enumerate(part.pieces) if (number in mine) is kept),
            share=part.share,
        )
        for part, mine in zip(parts, taken, strict=True)
    )
    return tuple(part for part in halves if part.pieces)


def _left_out_line(left: Sequence[BriefingPart]) -> str:
    """Return a line that names what was left out, with ids to ask for it by."""
    parts, room = [], _MOST_NAMED
    for part in left:
        ids = [short_id(piece.id) for piece in part.pieces if piece.id][:room]
        room -= len(ids)
        parts.append(f"{len(part.pieces)} of {part.name}" + (f" ({', '.join(ids)})" if ids else ""))
    return f"For lack of room: {'; '.join(parts)}. `memvault show ID` gives a memory whole."


@lru_cache(maxsize=256)  # each is needed twice, and in the daemon the same ones at every start
def _text_cost(text: str) -> tuple[float, int]:
    return text_cost(text), _utf16_length(text)


def _utf16_length(text: str) -> int:
    """Count characters as the agent does: those beyond the first 65,536 count twice."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
