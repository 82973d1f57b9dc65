"""Words of memories made into data: invisible characters shown, what agents obey defused, nothing private."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from memvault.cli.output.memory import marks
from memvault.context.quotation import defused, label
from memvault.core.ids import short
from memvault.core.memory import Memory
from memvault.core.secrets.private_spans import without_private
from memvault.text.escape import printable


def text(said: str) -> str:
    """A text of several lines."""
    return defused(printable(without_private(said).strip()))


def name(said: str) -> str:
    """A title or a name, on one line."""
    return label(without_private(said))


def names(said: Iterable[str]) -> tuple[str, ...]:
    """Several of them."""
    return tuple(filter(None, map(name, said)))


def day(memory: Memory) -> str:
    """The day a memory is from, where its file says so."""
    return f"{memory.created.astimezone(UTC):%Y-%m-%d}" if "created" in memory.stated else ""


def minute(moment: datetime | None) -> str:
    """A moment in UTC, to the minute."""
    return "" if moment is None else f"{moment.astimezone(UTC):%Y-%m-%dT%H:%MZ}"


def source(memory: Memory) -> str:
    """Who said it: the user, or whatever less trusted source it is from."""
    return name(str(memory.more.get("source", "user")))


def called(memory: Memory) -> str:
    """A memory by its title and its id."""
    return f"{name(memory.title)} ({short(memory.id)})"


def state(memory: Memory, *, weak: bool = False) -> tuple[str, ...]:
    """What is out of the ordinary about a memory, a word each."""
    doubt = ["tainted"] if memory.more.get("tainted") else []
    return (*marks(memory), *doubt, *(["weak match"] if weak else []))
