"""Which memories an agent may be shown unasked: current ones, trusted ones, and those of its own project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from memvault.context.claude_md_text import BlockMemories
from memvault.core.kinds import KINDS, Kinds
from memvault.core.memory import Memory, Place
from memvault.core.secrets.private_spans import strip_private, strip_private_values
from memvault.core.value import replace
from memvault.text.display import format_count

if TYPE_CHECKING:
    from memvault.recall.recall import RecallHit
    from memvault.storage.vault.context import VaultContext

_OVER = frozenset({"completed", "cancelled"})
_CLEANED = ("title", "tags", "topics", "more")

_LONGEST_COURTESY = 30  # characters
_GIVEN_WHOLE = frozenset({Place.IDENTITY, Place.HOT})
_WHY = {
    "untrusted": "text from imports, tools or the web, or from a session that read the web",
    "broken": "its frontmatter cannot be read, so nobody knows where its text is from",
}


def select_by_tier(
    memories: Sequence[Memory],
    read: Callable[[Memory], str],
    *,
    now: datetime,
    folders: Sequence[str] = (),
    project: str = "",
    kinds: Kinds = KINDS,
) -> tuple[BlockMemories, tuple[str, ...]]:
    """Return the memories that a file of this project may show, and sentences about Tier 0 and 1 notes it may not."""
    barred: Counter[str] = Counter()
    chosen: list[Memory] = []
    elsewhere = False
    for memory in sorted(memories, key=lambda memory: (memory.path, memory.id)):
        if not _is_live(memory, folders, now):
            continue
        if memory.problem or not memory.is_trusted:
            barred["broken" if memory.problem else "untrusted"] += memory.place in _GIVEN_WHOLE
        elif memory.is_doubtful or _is_courtesy(memory, read):
            continue  # it is found by whoever asks
        elif _is_in_scope(memory, project, kinds):
            chosen.append(memory)
        else:
            elsewhere = elsewhere or _get_scope(memory, kinds) != "session"
    material = BlockMemories(
        identity=tuple(_with_texts(chosen, Place.IDENTITY, read)),
        hot=tuple(_with_texts(chosen, Place.HOT, read)),
        index=tuple(
            _strip_memory(memory) for memory in chosen if memory.place not in _GIVEN_WHOLE and memory.status == "active"
        ),
        elsewhere=elsewhere,
        foreign=any(memory.place is Place.FOREIGN and not _is_opened(memory, folders) for memory in memories),
    )
    notes = (
        f"{format_count(count, 'note', 'notes')} of Tier 0 or 1 not shown: {_WHY[reason]}."
        for reason, count in sorted(barred.items())
        if count
    )
    return material, tuple(notes)


def _is_courtesy(memory: Memory, read: Callable[[Memory], str]) -> bool:
    """Return whether a memory is a bare "ok" or "thanks", of which nobody learns anything."""
    if len(memory.title) > _LONGEST_COURTESY:  # a look at every title would take long
        return False
    from memvault.core.secrets.screens import is_courtesy  # deferred: most titles are longer

    return is_courtesy(memory.title) and is_courtesy(read(memory))


def still_holds(context: VaultContext, memory: Memory) -> bool:
    """Return whether what a memory says of files and branches holds where the person works; most say nothing of any."""
    if not memory.refs.get("path") and not memory.more.get("branch"):
        return True
    from memvault.storage import still_true  # deferred: few memories name files or branches

    return still_true.still_holds(context, memory)


def can_be_given(memory: Memory, *, folders: Sequence[str], project: str, kinds: Kinds, now: datetime) -> bool:
    """Return whether a memory may be shown unnamed: live, readable, and of this project or all."""
    return not memory.problem and _is_live(memory, folders, now) and _is_in_scope(memory, project, kinds)


def can_be_injected(
    memory: Memory,
    *,
    folders: Sequence[str],
    project: str,
    kinds: Kinds,
    now: datetime,
    since: datetime | None = None,
) -> bool:
    """Return whether a memory may be injected: no text of a tool or the web, and not of long ago."""
    if memory.is_strangers or memory.is_doubtful:
        return False
    kind = kinds.get(memory.kind)
    if since is not None and kind is not None and kind.fades_from_view and memory.created < since:
        return False
    return can_be_given(memory, folders=folders, project=project, kinds=kinds, now=now)


def _is_live(memory: Memory, folders: Sequence[str], now: datetime) -> bool:
    """Return whether a memory is current; another's note only from a folder that was opened for it."""
    more = memory.more
    if "until" in more and memory.has_ended(now):
        return False
    if memory.status == "archived" or more.get("superseded_by") or more.get("merged_into") or more.get("cleared_at"):
        return False
    if str(more.get("state", "")) in _OVER:
        return False
    match memory.place:
        case Place.IDENTITY | Place.HOT | Place.MEMORIES:
            return True
        case Place.FOREIGN:
            return _is_opened(memory, folders)
        case Place.DEEP | Place.ARCHIVED | Place.QUARANTINE:
            return False


def _is_opened(memory: Memory, folders: Sequence[str]) -> bool:
    return any(memory.path.startswith(f"{folder.strip('/')}/") for folder in folders if folder.strip("/"))


def _get_scope(memory: Memory, kinds: Kinds) -> str:
    # What was only guessed to be of one task is somebody's note, and hidden from nobody.
    kind = kinds.get(memory.kind) if "kind" in memory.stated else None
    return str(memory.more.get("scope") or (kind.scope if kind else ""))


def _is_in_scope(memory: Memory, project: str, kinds: Kinds) -> bool:
    """Return whether a memory is for everybody, or for this project; one for a single session is for neither."""
    if _get_scope(memory, kinds) == "session":
        return False
    own = str(memory.more.get("project", "")).casefold()
    return not own or own == project.casefold() or memory.more.get("scope") == "global"


def _with_texts(memories: Sequence[Memory], place: Place, read: Callable[[Memory], str]) -> Iterator[Memory]:
    for memory in memories:
        if memory.place is place:
            yield _strip_memory(memory).with_changes(body=strip_private(read(memory)))


def _strip_memory(memory: Memory) -> Memory:
    """Return the memory without its private spans; most have none, and stay as they are."""
    fresh = {name: strip_private_values(getattr(memory, name)) for name in _CLEANED}
    differing = {name: value for name, value in fresh.items() if value != getattr(memory, name)}
    return memory.with_changes(**differing) if differing else memory


# -- what a person said of what was given

LOWERED = 0.5
"""So much of its similarity a memory keeps at prompts of a kind for which it was of no use."""

_MOST_TOPICS = 2
_OTHER = "other"  # the kind of a prompt of no topic that is known


def find_topics(prompt: str) -> tuple[str, ...]:
    """Return what kind of prompt it is: the topics that most of it belongs to."""
    from memvault.text.statements.topics import rate_topics  # deferred: few prompts need be known so well

    return tuple(name for name, _ in rate_topics(prompt).most_common(_MOST_TOPICS)) or (_OTHER,)


def useless_topics(memory: Memory) -> tuple[str, ...]:
    """Return the topics of the prompts at which a memory was of no use."""
    listed = memory.more.get("unhelpful_for", ())
    return tuple(map(str, listed)) if isinstance(listed, tuple) else (str(listed),)


def lower_useless(hits: Sequence[RecallHit], query: str, least: float) -> Sequence[RecallHit]:
    """Return the matches that are alike enough; what was of no use at such a prompt must be more alike than others."""
    if not any(hit.memory.more.get("unhelpful_for") for hit in hits):
        return hits
    topics = set(find_topics(query))
    lowered = (
        replace(hit, similarity=hit.similarity * LOWERED) if topics & set(useless_topics(hit.memory)) else hit
        for hit in hits
    )
    return [hit for hit in lowered if hit.similarity >= least]
