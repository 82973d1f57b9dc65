"""A memory that could be made of what was said, and the sorts that there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from memvault.core.kinds.prospective import PROSPECTIVE
from memvault.core.kinds.semantic import SEMANTIC
from memvault.core.marks import DECISION, GOTCHA, PREFERENCE

OWN_WORDS, OTHER_WORDS, STRANGERS = "hook", "agent", "import"
"""How far words are trusted: the user's, picked up; those of an assistant; those of people in an imported talk."""


@dataclass(frozen=True, slots=True)
class Sort:
    """What a memory of that sort is filed as."""

    kind: str
    type: str
    tags: tuple[str, ...] = ()


SORTS: Mapping[str, Sort] = MappingProxyType(
    {
        "decision": Sort(SEMANTIC.name, "memory", (DECISION,)),
        "preference": Sort(SEMANTIC.name, "memory", (PREFERENCE,)),
        "gotcha": Sort(SEMANTIC.name, "learning", (GOTCHA,)),
        "learning": Sort(SEMANTIC.name, "learning"),
        "todo": Sort(PROSPECTIVE.name, "memory"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A statement that is worth a memory by itself, with the turns that it was taken from."""

    text: str
    kind: str
    type: str
    tags: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()
    due: datetime | None = None
    source: str = OTHER_WORDS

    @property
    def sort(self) -> str:
        """Which of the sorts it is."""
        filed = Sort(self.kind, self.type, self.tags)
        return next((name for name, sort in SORTS.items() if sort == filed), "")


def candidate(sort: str, text: str, *, turns: tuple[str, ...], source: str, due: datetime | None = None) -> Candidate:
    """A candidate of a sort."""
    filed = SORTS[sort]
    return Candidate(text=text, kind=filed.kind, type=filed.type, tags=filed.tags, turns=turns, due=due, source=source)
