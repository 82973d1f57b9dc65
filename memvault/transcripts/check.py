"""Check the archive of conversations: each can be read from end to end, and no turn of it is gone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memvault.errors import MemvaultError
from memvault.storage.finding import DoctorFinding
from memvault.storage.vault.context import VaultContext
from memvault.transcripts.archive.read import LOST, Transcript
from memvault.transcripts.search import open_archive

_MOST_SHOWN = 3
_INGEST_ADVICE = "where the source is still there, `memvault session ingest FILE` adds what is missing."


def check_conversations(context: VaultContext) -> Iterator[DoctorFinding]:
    """Find conversations of which a part cannot be read, or turns are gone though all that is left can be."""
    learned = context.vault.ledger.decisions().learned_turns
    store = open_archive(context)
    for path, _ in store.list_conversations():
        trouble, missing = _read_through(store.open_transcript(path), learned)
        if trouble:
            more = f" (and {len(trouble) - _MOST_SHOWN} more)" if len(trouble) > _MOST_SHOWN else ""
            yield DoctorFinding(
                severity="error",
                path=path,
                sentence=f"A part of this conversation cannot be read: {'; '.join(trouble[:_MOST_SHOWN])}{more}.",
                advice="The rest is found as before. If you have a copy from before, put it in its place; "
                + _INGEST_ADVICE,
            )
        elif missing:
            advice = f"If you have a copy from before, put it in its place; {_INGEST_ADVICE}"
            yield DoctorFinding(check="turns", severity="error", path=path, sentence=f"{missing}.", advice=advice)


def _read_through(transcript: Transcript, learned: Mapping[str, int]) -> tuple[list[str], str]:
    """Return what of a conversation cannot be read, and which of its turns are gone."""
    try:
        ids = [turn.id for turn in transcript.read_turns()]
        facts = list(transcript.read_facts())
        looked_at = learned.get(transcript.read_head().id, 0)
    except MemvaultError as error:
        return [str(error)], ""
    known = set(ids)
    groundless = sum(not known.issuperset(fact.turns) for fact in facts)
    if lost := sum(id_.startswith(LOST) for id_ in ids):
        missing = f"{lost} of its {len(ids)} turns are gone from the middle of it"
    elif len(ids) < looked_at:
        missing = f"It had {looked_at} turns when memories were made of them, and has {len(ids)}: its end is gone"
    else:
        missing = f"{groundless} of its facts stand on turns that are not there" if groundless else ""
    return transcript.damage, missing
