"""Invented conversations and memories, the same in every run."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random

from memvault.core.conversation import Conversation, Fact, Trajectory, Turn
from memvault.core.memory import Memory, Place
from memvault.storage.index.update import index_entry
from memvault.team.analyze import conversation_source, memory_source, speaker_terms
from memvault.team.engines import Batch, Source

WORDS = """
kayak river paddle heron gauge battery bridge lantern harbour ledger orchard violin saddle compass copper granite
meadow quarry ferry signal turbine almond cedar falcon glacier island jacket kettle ladder magnet needle oyster
""".split()
NAMES = ("Maja Kern", "Tom Field", "O'Neil \\ Sons")
START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def turns(seed: int, count: int, *, role: bool = False) -> list[Turn]:
    """Some turns, said over several sittings; a few of them long, a few that name a day."""
    chance = Random(seed)
    made, at, sitting = [], START + timedelta(days=seed), 0
    for number in range(count):
        is_later = chance.random() < 0.1
        at, sitting = at + timedelta(hours=9 if is_later else 0, minutes=5), sitting + is_later
        words = [chance.choice(WORDS) for _ in range(chance.choice((3, 6, 9, 9, 150)))]
        text = f"The {' '.join(words)}{' yesterday' if number % 7 == 3 else ''}{'?' if number % 5 == 4 else '.'}"
        speaker = ("user", "assistant")[number % 2] if role else NAMES[number % 2 + seed % 2]
        made.append(
            Turn(
                id=f"t{seed}-{number}",
                speaker=speaker,
                text=text,
                time=at,
                session=f"s{seed}-{sitting}",
                role=speaker if role else "",
            )
        )
    return made


def conversation(seed: int, count: int = 40, *, role: bool = False) -> Source:
    """A conversation of so many turns, with a fact and a topic."""
    told = turns(seed, count, role=role)
    fact = Fact(text="Maja owns a marble lantern", speaker=NAMES[0], turns=(told[0].id,))
    head = Conversation(id=f"{seed:08x}-talk", source="chat", title=f"Talk {seed}")
    return conversation_source(
        f"raw/transcripts/{seed}.jsonl.gz",
        head,
        told,
        [fact],
        [Trajectory(first=0, last=count // 2, summary="first half")],
    )


def memory(seed: int) -> Source:
    """A memory with a title, a tag, a trigger, headings, and enough text for several passages."""
    chance = Random(1_000 + seed)
    words = [chance.choice(WORDS) for _ in range(240)]
    lines = "\n\n".join(" ".join(words[at : at + 40]) + "." for at in range(0, 240, 40))
    return memory_source(
        index_entry(
            Memory(
                id=f"{seed:08x}-0000-4000-8000-000000000000",
                path=f"memories/note-{seed}.md",
                place=Place.MEMORIES,
                title=f"About the {chance.choice(WORDS)} {chance.choice(WORDS)}",
                created=START + timedelta(days=seed),
                last_accessed=START + timedelta(days=seed),
                tags=(chance.choice(WORDS),),
                triggers=(f"the {chance.choice(WORDS)}",),
                body=f"## {chance.choice(WORDS).title()}\n\n{lines}\n\nIt's <private>never told</private> over.\n",
            )
        ),
        lines,
        size=2_000,
    )


def batch(
    sources: Sequence[Source], *, since: str = "", cursor: str = "c1", gone: Sequence[tuple[int, str]] = ()
) -> Batch:
    """A batch of sources."""
    return Batch(since, cursor, sources, gone, speaker_terms(sources))


def vault(seed: int = 0) -> list[Source]:
    """The sources of a small vault."""
    talks = [conversation(seed * 10 + number, role=number == 2) for number in range(3)]
    return [*talks, *(memory(seed * 10 + number) for number in range(6))]


QUESTIONS = (
    "Where is the kayak?",
    "What did Maja say about the lantern and the heron?",
    "Who saw the glacier yesterday?",
    "When was the compas lost?",  # no such word, but one that is spelled nearly so
    "Is there a rivercopper?",  # two words run together
    "What happened on March 4?",
    "violin or orchard or needle",
    "What does O'Neil sell?",
)
