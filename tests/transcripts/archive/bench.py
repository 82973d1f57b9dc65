"""What the tests of the archive share: an archive in a fresh folder, and turns of any sort."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from hypothesis import strategies as st

from memvault.core.settings import Settings
from memvault.storage.vault.layout import Layout
from memvault.transcripts.archive.append import Tally
from memvault.transcripts.archive.archive import Talks
from memvault.transcripts.archive.source_file import Origin
from memvault.transcripts.formats import SOURCES, Kept, Record, Start
from memvault.transcripts.model.turn import Talk, Turn

NOW = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)
HEAD = Talk(id="conv-26", source="chat", title="Tides", speakers=("Ana", "Ben"))


def archive(root: Path) -> Talks:
    """The archive of a vault, looked at anew."""
    return Talks(root, Layout.of(Settings({}), adopted=False))


def says(number: int, text: str, **given: object) -> Turn:
    """A turn with a number for an id."""
    return Turn(id=f"t{number}", speaker="Ana", text=text, **given)  # type: ignore[arg-type]


def kept(*turns: Turn) -> list[Record]:
    """Turns as a reader gives them."""
    return [Kept(turn=turn) for turn in turns]


def ingest(talks: Talks, path: Path, name: str = "claude-code", *, closed: bool = True) -> list[Tally]:
    """Read a file into the archive, from where it was read before."""
    origin, source = Origin.of(path), SOURCES[name]
    start = talks.begin(origin, source, Start(closed=closed))
    return list(talks.take(source.read(origin.chunks(start.at), start), now=NOW, origin=origin))


# Any text there is, with neither private spans nor what could be a secret in it.
texts = st.text(st.characters(exclude_characters="<0123456789"), max_size=60).map(lambda text: f"{text}.")
times = st.none() | st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
names = st.text(st.characters(codec="utf-8", exclude_characters="<"), min_size=1, max_size=8)
said = st.builds(
    Turn,
    id=names,
    speaker=st.sampled_from(["Ana", "Ben", "user", ""]),
    text=texts,
    time=times,
    session=st.sampled_from(["", "one", "two"]),
    role=st.sampled_from(["", "user", "assistant"]),
    deeds=st.lists(st.sampled_from(["Edit src/a.py", "Bash git status"]), max_size=2, unique=True).map(tuple),
)
talks_of_any_sort = st.lists(said, max_size=12, unique_by=lambda turn: turn.id)
