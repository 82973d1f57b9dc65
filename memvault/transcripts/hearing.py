"""Take a conversation of the archive into the catalogue: whole, or only what came since."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memvault.transcripts.archive.archive import short
from memvault.transcripts.index.update import Arriving
from memvault.transcripts.model.talk import Fact

if TYPE_CHECKING:
    from memvault.transcripts.archive.archive import Talks
    from memvault.transcripts.archive.read import Transcript
    from memvault.transcripts.index.index import Known, TalkCatalogue
    from memvault.transcripts.index.update import Key

_INODE = 3  # where the number of the file stands in a stat key


def take_in(talks: TalkCatalogue, store: Talks, path: str, key: Key) -> None:
    """Read what is not known of a conversation yet, and hand it to the catalogue."""
    there = store.open(path)
    head = there.head()
    known = talks.known(path)
    grown = known is not None and _only_grew(talks, there, known, key)
    state = known.state if known and grown else {"member": 0, "side": 0}
    talks.take_in(
        Arriving(
            path=path,
            short=short(head.id),
            key=key,
            talk=head,
            turns=there.turns(from_member=state["member"], start=known.turns if known and grown else None),
            facts=_facts(there, state["side"]),
            trajectories=there.trajectories(from_member=state["side"]),
            state=lambda: {"member": there.talk.end(), "side": there.side.end()},
            grown=grown,
        )
    )


def _only_grew(talks: TalkCatalogue, there: Transcript, known: Known, key: Key) -> bool:
    """Whether both files only got longer, and no fact came to a turn that is known without it."""
    before = known.key
    if key[_INODE] != before[_INODE] or any(key[at] < before[at] for at in (0, 4)):
        return False
    if there.talk.size() < known.state["member"] or there.renewed() >= max(known.state["side"], 1):
        return False
    if there.mended() >= max(known.state["member"], 1):  # lost turns came back into their places
        return False
    late = (fact for fact in there.facts(from_member=known.state["side"]) if fact.turns)
    return all(talks.place_of(known.number, fact.turns[-1]) is None for fact in late)


def _facts(there: Transcript, member: int) -> Iterator[Fact]:
    return there.facts(from_member=member)
