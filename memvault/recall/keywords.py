"""Keywords: the most frequent tags and topics, which go together, and renaming them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memvault.core.links import find_inline_tags, strip_code
from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.plan import ChangeSubject, LedgerNote, Plan, SetFields
from memvault.core.query import NO_FILTERS
from memvault.core.secrets.scan import find_secrets as leaks
from memvault.errors import BadInput, MemvaultError, NothingToDo
from memvault.storage.journal.apply import apply
from memvault.storage.vault.context import VaultContext
from memvault.text.keyword_spelling import compose_renames, keyword_key, nearest_keys, normalize_keyword


@dataclass(frozen=True, slots=True)
class KeywordCount:
    """A tag or topic, and how many memories have it."""

    name: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KeywordTally:
    """A keyword in its most frequent spelling, and how many memories and topics have it."""

    name: str
    memories: int = 0
    topics: int = 0
    spellings: tuple[str, ...] = ()  # the other ones in use

    @property
    def total(self) -> int:
        """Return how many memories and topics have it."""
        return self.memories + self.topics


def keywords_in(memory: Memory) -> tuple[str, ...]:
    """Return the tags and topics of a memory, as keywords."""
    return tuple(word for word in (*memory.tags, *memory.topics) if normalize_keyword(word))


def tally_keywords(memories: Iterable[Sequence[str]], topics: Iterable[Sequence[str]]) -> dict[str, KeywordTally]:
    """Return every keyword by its key, the most frequent first; several spellings count once."""
    spellings: dict[str, Counter[str]] = {}
    by_memories, by_topics = _count_spellings(memories, spellings), _count_spellings(topics, spellings)
    found = {
        one: KeywordTally(
            name=_commonest_spelling(used),
            memories=by_memories[one],
            topics=by_topics[one],
            spellings=tuple(sorted(used.keys() - {_commonest_spelling(used)})),
        )
        for one, used in spellings.items()
    }
    return dict(sorted(found.items(), key=lambda item: (-item[1].total, item[1].name)))


def _count_spellings(sets: Iterable[Sequence[str]], spellings: dict[str, Counter[str]]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for words in sets:
        for word in words:
            spellings.setdefault(keyword_key(word), Counter())[" ".join(word.split())] += 1
        counts.update({keyword_key(word) for word in words})
    return counts


def _commonest_spelling(used: Mapping[str, int]) -> str:
    return min(used, key=lambda word: (-used[word], word))


# Keywords across the vault: counted, shown, renamed and merged.

TopicKeywords = Iterable[tuple[str, ...]]
"""The keywords of each topic of the conversations that were taken in."""

NO_TOPICS: TopicKeywords = ()

_LONGEST = 80
_FIELDS = ("tags", "topics")


@dataclass(frozen=True, slots=True)
class KeywordList:
    """Keywords, the most frequent first, and how many there are in all."""

    keywords: tuple[KeywordTally, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KeywordDetails:
    """One keyword: what has it, what stands beside it there, and what may be another spelling of it."""

    keyword: KeywordTally
    together: tuple[KeywordCount, ...] = ()
    near: tuple[str, ...] = ()
    memories: tuple[Memory, ...] = ()


@dataclass(frozen=True, slots=True)
class UnchangedMemory:
    """A memory that keeps its old keyword, and why."""

    memory: Memory
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameResult:
    """The keywords that one replaced, in which memories and how many topics."""

    keyword: str
    instead_of: tuple[str, ...]
    memories: tuple[Memory, ...]
    topics: int
    left: tuple[UnchangedMemory, ...] = ()
    op: str = ""


# -- showing


def list_keywords(context: VaultContext, *, topics: TopicKeywords = NO_TOPICS, limit: int = 0) -> KeywordList:
    """List all keywords of the vault with their counts, spellings of one taken together."""
    memories, sets = _load_words(context, topics)
    found = tuple(tally_keywords(map(keywords_in, memories), sets).values())
    return KeywordList(found[:limit] if limit else found, len(found))


def show_keyword(
    context: VaultContext, word: str, *, topics: TopicKeywords = NO_TOPICS, limit: int = 0
) -> KeywordDetails:
    """Show the memories with a keyword, the latest used first, and the keywords beside it."""
    memories, sets = _load_words(context, topics)
    known = tally_keywords(map(keywords_in, memories), sets)
    wanted = keyword_key(word)
    wanted = keyword_key(compose_renames(context.vault.ledger.decisions().renames).get(wanted, word))
    bearing = tuple(memory for memory in memories if wanted in _keyword_keys(keywords_in(memory)))
    beside: Counter[str] = Counter()
    for words in (*map(keywords_in, bearing), *sets):
        found = _keyword_keys(words)
        beside.update(found - {wanted} if wanted in found else ())
    ranked = sorted(beside.items(), key=lambda item: (-item[1], known[item[0]].name))
    return KeywordDetails(
        keyword=known.get(wanted, KeywordTally(name=normalize_keyword(word))),
        together=tuple(KeywordCount(known[one].name, count) for one, count in (ranked[:limit] if limit else ranked)),
        near=tuple(known[one].name for one in nearest_keys(word, known) if one != wanted),
        memories=bearing[:limit] if limit else bearing,
    )


def _load_words(context: VaultContext, topics: TopicKeywords) -> tuple[list[Memory], list[tuple[str, ...]]]:
    """Return all memories, and the keywords of topics as they are called now: the archive is never changed."""
    context.refresh()
    stands = compose_renames(context.vault.ledger.decisions().renames)
    sets = [tuple(dict.fromkeys(stands.get(keyword_key(word), word) for word in words)) for words in topics]
    return context.index.memories(NO_FILTERS), sets


def _keyword_keys(words: Sequence[str]) -> set[str]:
    return {keyword_key(word) for word in words}


# -- renaming


def rename_keyword(
    context: VaultContext, old: str, new: str, *, topics: TopicKeywords = NO_TOPICS, dry_run: bool = False
) -> RenameResult:
    """Rename a keyword wherever it is used, or spell it in one way."""
    wanted = _check_keyword(new)
    memories, sets = _load_words(context, topics)
    there = tally_keywords(map(keywords_in, memories), sets).get(keyword_key(wanted))
    if there is not None and keyword_key(wanted) != keyword_key(old):
        reason = f"there is one already; merge them: `memvault vault keywords merge {there.name} {old}`"
        raise BadInput(what="the new keyword", value=new, reason=reason)
    return _carry_out(context, wanted, (old,), memories, sets, dry_run=dry_run)


def merge_keywords(
    context: VaultContext, keep: str, others: Sequence[str], *, topics: TopicKeywords = NO_TOPICS, dry_run: bool = False
) -> RenameResult:
    """Merge several keywords into the first, with all spellings of it."""
    wanted = _check_keyword(keep)
    if not others:
        raise NothingToDo(reason="Merging takes at least two keywords.")
    return _carry_out(context, wanted, (wanted, *others), *_load_words(context, topics), dry_run=dry_run)


def _check_keyword(word: str) -> str:
    """Return a keyword in a form that can be written anywhere; otherwise raise BadInput."""
    line = " ".join(word.strip().lstrip("#").split())
    reason = (
        "it has no word"
        if not normalize_keyword(line)
        else f"it must not be longer than {_LONGEST} characters"
        if len(line) > _LONGEST
        else "a keyword has no comma, and no character that cannot be seen"
        if "," in line or not line.isprintable()
        else "it looks like a secret"
        if leaks(line)
        else ""
    )
    if reason:
        raise BadInput(what="the keyword", value=word, reason=reason)
    return line


@dataclass(frozen=True, slots=True)
class _KeywordRename:
    """The keywords to rename, by their keys, and the new name."""

    olds: tuple[str, ...]
    keys: frozenset[str]
    wanted: str

    def new_name(self, word: str, field: str = "topics") -> str:
        """Return the new name of a keyword or of a tag below it; itself if it is not renamed."""
        # Obsidian takes no tag with a space in it.
        called = self.wanted.replace(" ", "-") if field == "tags" else self.wanted
        parts = word.split("/")
        for depth in range(1, len(parts) + 1):
            if keyword_key("/".join(parts[:depth])) in self.keys:
                return "/".join((called, *parts[depth:]))
        return word

    def changed_fields(self, memory: Memory) -> dict[str, tuple[str, ...]]:
        """Return the fields of a memory in which a keyword is renamed, each keyword once."""
        found: dict[str, tuple[str, ...]] = {}
        for name in _FIELDS:
            words: tuple[str, ...] = getattr(memory, name)
            renamed = tuple(self.new_name(word, name) for word in words)
            if renamed != words:
                found[name] = tuple(dict.fromkeys(renamed))
        return found


def _carry_out(
    context: VaultContext,
    wanted: str,
    olds: Sequence[str],
    memories: Sequence[Memory],
    sets: TopicKeywords,
    *,
    dry_run: bool,
) -> RenameResult:
    wish = _KeywordRename(tuple(dict.fromkeys(olds)), frozenset(map(keyword_key, olds)), wanted)
    planned: dict[str, tuple[Memory, SetFields]] = {}
    left: list[UnchangedMemory] = []
    for memory in filter(wish.changed_fields, memories):
        change, kept = _plan_change(context, memory, wish)
        if change is not None:
            planned[memory.path] = memory, change
        if kept:
            left.append(UnchangedMemory(memory, kept))
    topic_count = sum(any(wish.new_name(word) != word for word in words) for words in sets)
    if not planned and not topic_count:
        names = " or ".join(f"“{old}”" for old in wish.olds if old != wanted) or f"“{wanted}” in another spelling"
        reason = f"No memory or topic has the keyword {names}."
        if left:
            reason = f"Nothing can be changed: “{left[0].memory.title}” keeps it, as {left[0].why}."
        raise NothingToDo(reason=reason)
    op = ""
    if not dry_run:
        outcome = apply(Plan("keywords", (*_ledger_notes(wish), *(change for _, change in planned.values()))), context)
        op = outcome.operation.op
        refused = {change.path: str(error) for change, error in outcome.refused if isinstance(change, SetFields)}
        left += [UnchangedMemory(planned.pop(path)[0], why) for path, why in refused.items()]
    return RenameResult(
        keyword=wanted,
        instead_of=tuple(old for old in wish.olds if old != wanted),
        memories=tuple(memory for memory, _ in planned.values()),
        topics=topic_count,
        left=tuple(left),
        op=op,
    )


def _ledger_notes(wish: _KeywordRename) -> Iterator[LedgerNote]:
    """Yield the ledger notes by which conversations are renamed: the archive is never changed."""
    for old in wish.olds:
        if old != wish.wanted:
            line = {"from": old, "to": wish.wanted}
            back = {"e": "lift", "of": "keyword", **line}
            yield LedgerNote({"e": "keyword", **line}, f"“{old}” is called “{wish.wanted}”", back)


def _plan_change(context: VaultContext, memory: Memory, wish: _KeywordRename) -> tuple[SetFields | None, str]:
    """Return the fields to set in a memory's file, and why some of the old keyword stays there."""
    if memory.place is Place.FOREIGN:
        return None, "it is a note of your own, which only `memvault edit` changes"
    if memory.place is Place.IDENTITY and context.actor.agent:
        return None, "only a person changes Tier 0"
    if memory.problem:
        return None, "its frontmatter cannot be read"
    try:
        now, note = context.read_memory(memory)
    except MemvaultError as error:
        return None, f"it cannot be read ({error})"
    fields: dict[str, FieldValue | None] = {
        name: words for name, words in wish.changed_fields(now).items() if name not in now.theirs
    }
    in_text = find_inline_tags(strip_code(now.body or ""))
    why = "it stands in the text as a #tag" if any(wish.new_name(tag, "tags") != tag for tag in in_text) else ""
    if not fields:
        return None, why or "the field is not one of ours"
    why_renamed = f"keyword {wish.wanted}"
    return SetFields(memory.path, fields, why_renamed, note.version, ChangeSubject(id=memory.id)), why
