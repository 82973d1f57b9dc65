"""What a kind of memory is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, tzinfo
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from memvault.core.fields import COMMON_FIELDS, Field
from memvault.core.memory import NO_FIELDS, FieldValue
from memvault.core.value import Record

if TYPE_CHECKING:
    from memvault.core.kinds.cue_phrases import PhraseIndex


Filler = Callable[[str, datetime, tzinfo], Mapping[str, FieldValue]]


class KindCue(Record):
    """Phrases that speak for a kind, and how strongly; a negative strength speaks against it."""

    strength: float
    phrases: tuple[str, ...]


def cue(strength: float, *phrases: str) -> KindCue:
    """Make a cue of some phrases; a phrase may hold several, one on each line."""
    lines = (line.strip() for phrase in phrases for line in phrase.splitlines())
    return KindCue(strength, tuple(line for line in lines if line))


def _read_cues(table: str) -> tuple[KindCue, ...]:
    """Read a table of cues: on each row a strength, and phrases with bars between; a row that ends in a bar goes on."""
    rows = (row.split(maxsplit=1) for row in table.replace("|\n", "|").strip().splitlines())
    return tuple(KindCue(float(strength), tuple(map(str.strip, phrases.split("|")))) for strength, phrases in rows)


class Kind(Record, kw_only=True):
    """The behavior of one sort of memory: fields, scope, lifetime, share of a budget, heading, cues."""

    name: str
    heading: str
    meaning: str
    scope: str
    half_life_days: float
    share: float
    implied_by: tuple[str, ...] = ()
    fields: tuple[Field, ...] = ()
    cues: tuple[KindCue, ...] = ()
    cue_table: str = ""  # more of them, as text that is read when the first memory is judged
    fades_from_view: bool = False  # whether only recent ones are injected
    settles_as: str = ""  # the kind that it becomes knowledge of, once several conversations confirm it
    spreads: bool = False  # whether one seen again and again concerns every project
    everywhere: bool = False  # whether one that a person asks for is for every project, unless it names one
    personal: bool = False  # whether one that concerns the person is for every project, wherever it was learnt
    idle_hours: float = 0.0  # after so long without use it is removed; 0 for never
    fill: Filler | None = None  # reads what a text itself says of the kind's fields

    def read_fields(self, text: str, now: datetime, zone: tzinfo) -> Mapping[str, FieldValue]:
        """Return the fields that a text itself states, such as a due date or steps; only what is certain."""
        return NO_FIELDS if self.fill is None else self.fill(text, now, zone)

    def has_field(self, field: str) -> bool:
        """Return whether memories of this kind have a field of that name."""
        return any(row.name == field for row in self.fields)

    def list_cues(self) -> tuple[KindCue, ...]:
        """Return all cues, those of the table included."""
        return (*self.cues, *_read_cues(self.cue_table))


# The kinds of one vault, and how the kind of a text is guessed.


class Kinds(dict[str, Kind]):
    """Kinds by name, in the order of preference; a value that nobody changes."""

    def __init__(self, kinds: Iterable[Kind], *, default: str) -> None:
        super().__init__((kind.name, kind) for kind in kinds)
        self.default = default

    def __hash__(self) -> int:  # type: ignore[override]  # nobody changes it
        return hash(tuple(self))

    def with_custom(self, kinds: Iterable[Kind]) -> Kinds:
        """Return these kinds with a user's own, which go first where both fit equally well."""
        return Kinds((*kinds, *self.values()), default=self.default)

    @property
    def fingerprint(self) -> str:
        """Return a text that changes whenever notes may be read differently than before."""
        return repr(
            [
                (kind.name, kind.half_life_days, [(row.name, row.meaning) for row in kind.fields], kind.list_cues())
                for kind in self.values()
            ]
        )

    @cached_property
    def fields(self) -> Mapping[str, Field]:
        """Return every field that a memory may have, those of all kinds included."""
        own = (row for kind in self.values() for row in kind.fields)
        return MappingProxyType({row.name: row for row in (*COMMON_FIELDS, *own)})

    def kind_with_fields(self, names: Iterable[str]) -> str | None:
        """Return the kind that fields of these names belong to, if there is one."""
        wanted = set(names)
        return next((kind.name for kind in self.values() if any(row.name in wanted for row in kind.fields)), None)

    def implied_by_type(self, memory_type: str) -> str | None:
        """Return the kind that a type implies, if it implies one."""
        return next((kind.name for kind in self.values() if memory_type in kind.implied_by), None)

    def guess_kind(self, text: str) -> str:
        """Return the kind that a text most likely is, by its cues; semantic if no other scores."""
        best, most = self.default, 0.0
        for name, score in self.score_kinds(text).items():
            if score > most:
                best, most = name, score
        return best

    def score_kinds(self, text: str) -> dict[str, float]:
        """Return how strongly the beginning of a text speaks for each kind."""
        from memvault.core.kinds.cue_phrases import tag_words  # deferred: most commands judge no text

        cues, phrases = self._compile_cues
        scores = dict.fromkeys(self, 0.0)
        for number in phrases.find_in(tag_words(text)):
            name, strength = cues[number]
            scores[name] += strength
        return scores

    @cached_property
    def _compile_cues(self) -> tuple[list[tuple[str, float]], PhraseIndex]:
        from memvault.core.kinds.cue_phrases import PhraseIndex  # deferred, and compiled when the first text is judged

        cues = [(kind.name, cue) for kind in self.values() for cue in kind.list_cues()]
        phrases = PhraseIndex((number, text) for number, (_, cue) in enumerate(cues) for text in cue.phrases)
        return [(name, cue.strength) for name, cue in cues], phrases
