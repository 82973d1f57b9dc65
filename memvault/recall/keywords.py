"""Keywords: which tags and topics there are most of, and which stand together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memvault.core.ids import inline_tags, without_code
from memvault.core.memory import FieldValue, Memory, Place
from memvault.core.plan import About, Note, Plan, SetFields
from memvault.core.query import ANY
from memvault.core.secrets.scan import found as leaks
from memvault.errors import BadInput, MemvaultError, NothingToDo
from memvault.storage.journal.apply import apply
from memvault.storage.vault.context import Bench
from memvault.text.spelling import key, nearest, normal, renaming


@dataclass(frozen=True, slots=True)
class Keyword:
    """A tag or topic, and how many memories bear it."""

    name: str
    count: int


@dataclass(frozen=True, slots=True)
class Together:
    """Two keywords, by their number, and how many memories bear both."""

    one: int
    other: int
    count: int


@dataclass(frozen=True, slots=True)
class Keywords:
    """The most frequent keywords, and which go together."""

    words: tuple[Keyword, ...] = ()
    pairs: tuple[Together, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tallied:
    """A keyword in the spelling that is used most, by how many memories and topics of conversations it is borne."""

    name: str
    memories: int = 0
    topics: int = 0
    spellings: tuple[str, ...] = ()  # the other ones in use

    @property
    def total(self) -> int:
        """How many bear it, taken together."""
        return self.memories + self.topics


def borne_by(memory: Memory) -> tuple[str, ...]:
    """The tags and topics of a memory, as keywords."""
    return tuple(word for word in (*memory.tags, *memory.topics) if normal(word))


def tallied(memories: Iterable[Sequence[str]], topics: Iterable[Sequence[str]]) -> dict[str, Tallied]:
    """Every keyword by its key, the most borne first; what bears it in several spellings counts once."""
    spellings: dict[str, Counter[str]] = {}
    by_memories, by_topics = _counted(memories, spellings), _counted(topics, spellings)
    found = {
        one: Tallied(
            name=_most_used(used),
            memories=by_memories[one],
            topics=by_topics[one],
            spellings=tuple(sorted(used.keys() - {_most_used(used)})),
        )
        for one, used in spellings.items()
    }
    return dict(sorted(found.items(), key=lambda item: (-item[1].total, item[1].name)))


def _counted(sets: Iterable[Sequence[str]], spellings: dict[str, Counter[str]]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for words in sets:
        for word in words:
            spellings.setdefault(key(word), Counter())[" ".join(word.split())] += 1
        counts.update({key(word) for word in words})
    return counts


def _most_used(used: Mapping[str, int]) -> str:
    return min(used, key=lambda word: (-used[word], word))


def keywords_of(memories: Iterable[Memory], *, most: int) -> Keywords:
    """The most frequent tags and topics, and how often any two of them stand in one memory."""
    sets = [_words(memory) for memory in memories]
    counts = Counter(word for words in sets for word in words)
    chosen = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:most]
    numbers = {word: number for number, (word, _) in enumerate(chosen)}
    pairs: Counter[tuple[int, int]] = Counter()
    for words in sets:
        present = sorted(numbers[word] for word in words if word in numbers)
        pairs.update((one, other) for at, one in enumerate(present) for other in present[at + 1 :])
    strongest = sorted(pairs.items(), key=lambda item: (-item[1], item[0]))
    return Keywords(
        tuple(Keyword(word, count) for word, count in chosen),
        tuple(Together(one, other, count) for (one, other), count in strongest),
    )


def _words(memory: Memory) -> set[str]:
    return {" ".join(word.casefold().split()) for word in (*memory.tags, *memory.topics) if word.strip()}


# Keywords across the vault: counted, looked up with what goes with them, renamed and made one.

Topics = Iterable[tuple[str, ...]]
"""The keywords of each topic of the conversations that were taken in."""

NONE: Topics = ()

_LONGEST = 80
_FIELDS = ("tags", "topics")


@dataclass(frozen=True, slots=True)
class Listed:
    """Keywords, the most borne first, and how many there are in all."""

    keywords: tuple[Tallied, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """One keyword: what bears it, what stands beside it there, and what may be another spelling of it."""

    keyword: Tallied
    together: tuple[Keyword, ...] = ()
    near: tuple[str, ...] = ()
    memories: tuple[Memory, ...] = ()


@dataclass(frozen=True, slots=True)
class Left:
    """A memory that keeps its old keyword, and why."""

    memory: Memory
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """What one keyword took the place of, in which memories and how many topics."""

    keyword: str
    instead_of: tuple[str, ...]
    memories: tuple[Memory, ...]
    topics: int
    left: tuple[Left, ...] = ()
    op: str = ""


# -- looking


def keywords(bench: Bench, *, topics: Topics = NONE, limit: int = 0) -> Listed:
    """All keywords of the vault with how often each is borne, spellings of one taken together."""
    found = tuple(_tallied(_memories(bench), _as_renamed(bench, topics)).values())
    return Listed(found[:limit] if limit else found, len(found))


def keyword(bench: Bench, word: str, *, topics: Topics = NONE, limit: int = 0) -> Looked:
    """What bears a keyword, the latest used first, and which other keywords stand beside it."""
    memories, sets = _memories(bench), _as_renamed(bench, topics)
    known = _tallied(memories, sets)
    wanted = _stands_for(bench, word)
    bearing = tuple(memory for memory in memories if wanted in _keys(borne_by(memory)))
    beside: Counter[str] = Counter()
    for words in (*map(borne_by, bearing), *sets):
        found = _keys(words)
        beside.update(found - {wanted} if wanted in found else ())
    ranked = sorted(beside.items(), key=lambda item: (-item[1], known[item[0]].name))
    return Looked(
        keyword=known.get(wanted, Tallied(name=normal(word))),
        together=tuple(Keyword(known[one].name, count) for one, count in (ranked[:limit] if limit else ranked)),
        near=tuple(known[one].name for one in nearest(word, known) if one != wanted),
        memories=bearing[:limit] if limit else bearing,
    )


def _memories(bench: Bench) -> list[Memory]:
    bench.freshen()
    return bench.catalogue.memories(ANY)


def _tallied(memories: Iterable[Memory], topics: Topics) -> dict[str, Tallied]:
    return tallied(map(borne_by, memories), topics)


def _keys(words: Sequence[str]) -> set[str]:
    return {key(word) for word in words}


def _as_renamed(bench: Bench, topics: Topics) -> list[tuple[str, ...]]:
    """The keywords of topics as they are called now: their archive is never changed."""
    stands = renaming(bench.vault.ledger.decisions().renames)
    return [tuple(dict.fromkeys(stands.get(key(word), word) for word in words)) for words in topics]


def _stands_for(bench: Bench, word: str) -> str:
    wanted = key(word)
    return key(renaming(bench.vault.ledger.decisions().renames).get(wanted, word))


# -- renaming


def rename(bench: Bench, old: str, new: str, *, topics: Topics = NONE, dry_run: bool = False) -> Renamed:
    """Call a keyword otherwise wherever it is borne, or spell it in one way."""
    wanted = _checked(new)
    memories, sets = _memories(bench), _as_renamed(bench, topics)
    there = _tallied(memories, sets).get(key(wanted))
    if there is not None and key(wanted) != key(old):
        reason = f"there is a keyword of that name; `memvault keywords merge {there.name} {old}` makes one of them"
        raise BadInput(what="the new keyword", value=new, reason=reason)
    return _carry_out(bench, wanted, (old,), memories, sets, dry_run=dry_run)


def merge(bench: Bench, keep: str, others: Sequence[str], *, topics: Topics = NONE, dry_run: bool = False) -> Renamed:
    """Make one keyword of several: what bears one of the others, or another spelling of the first, bears the first."""
    wanted = _checked(keep)
    if not others:
        raise NothingToDo(reason="It takes two keywords to make one of them.")
    return _carry_out(bench, wanted, (wanted, *others), _memories(bench), _as_renamed(bench, topics), dry_run=dry_run)


def _checked(word: str) -> str:
    """A keyword that can be written anywhere."""
    line = " ".join(word.strip().lstrip("#").split())
    reason = (
        "there is no word in it"
        if not normal(line)
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
class _Wish:
    """Which keywords are meant, by their keys, and what they are to be called."""

    olds: tuple[str, ...]
    keys: frozenset[str]
    wanted: str

    def becomes(self, word: str, field: str = "topics") -> str:
        """What a keyword is called from now on, a tag below it too; itself where it is not meant."""
        # Obsidian takes no tag with a space in it.
        called = self.wanted.replace(" ", "-") if field == "tags" else self.wanted
        parts = word.split("/")
        for depth in range(1, len(parts) + 1):
            if key("/".join(parts[:depth])) in self.keys:
                return "/".join((called, *parts[depth:]))
        return word

    def changed(self, memory: Memory) -> dict[str, tuple[str, ...]]:
        """The fields of a memory in which a keyword is renamed, each keyword once."""
        found: dict[str, tuple[str, ...]] = {}
        for name in _FIELDS:
            words: tuple[str, ...] = getattr(memory, name)
            renamed = tuple(self.becomes(word, name) for word in words)
            if renamed != words:
                found[name] = tuple(dict.fromkeys(renamed))
        return found


def _carry_out(
    bench: Bench, wanted: str, olds: Sequence[str], memories: Sequence[Memory], sets: Topics, *, dry_run: bool
) -> Renamed:
    wish = _Wish(tuple(dict.fromkeys(olds)), frozenset(map(key, olds)), wanted)
    planned: dict[str, tuple[Memory, SetFields]] = {}
    left: list[Left] = []
    for memory in filter(wish.changed, memories):
        change, kept = _change(bench, memory, wish)
        if change is not None:
            planned[memory.path] = memory, change
        if kept:
            left.append(Left(memory, kept))
    told = sum(any(wish.becomes(word) != word for word in words) for words in sets)
    if not planned and not told:
        raise NothingToDo(reason=_nothing(wish, left))
    op = ""
    if not dry_run:
        outcome = apply(Plan("keywords", (*_lines(wish), *(change for _, change in planned.values()))), bench)
        op = outcome.operation.op
        refused = {change.path: str(error) for change, error in outcome.refused if isinstance(change, SetFields)}
        left += [Left(planned.pop(path)[0], why) for path, why in refused.items()]
    return Renamed(
        keyword=wanted,
        instead_of=tuple(old for old in wish.olds if old != wanted),
        memories=tuple(memory for memory, _ in planned.values()),
        topics=told,
        left=tuple(left),
        op=op,
    )


def _nothing(wish: _Wish, left: Sequence[Left]) -> str:
    if left:
        return f"Nothing can be changed: “{left[0].memory.title}” keeps it, as {left[0].why}."
    names = " or ".join(f"“{old}”" for old in wish.olds if old != wish.wanted)
    return f"Nothing bears the keyword {names or f'“{wish.wanted}” in another spelling'}."


def _lines(wish: _Wish) -> Iterator[Note]:
    """The decisions by which conversations are called otherwise: their archive is never changed."""
    for old in wish.olds:
        if old != wish.wanted:
            line = {"from": old, "to": wish.wanted}
            back = {"e": "lift", "of": "keyword", **line}
            yield Note({"e": "keyword", **line}, f"“{old}” is called “{wish.wanted}”", back)


def _change(bench: Bench, memory: Memory, wish: _Wish) -> tuple[SetFields | None, str]:
    """The fields to set in a memory's file, and why something of the old keyword stays there."""
    if reason := _barred(bench, memory):
        return None, reason
    try:
        now, note = bench.read(memory)
    except MemvaultError as error:
        return None, f"it cannot be read ({error})"
    fields: dict[str, FieldValue | None] = {
        name: words for name, words in wish.changed(now).items() if name not in now.theirs
    }
    in_text = inline_tags(without_code(now.body or ""))
    why = "it stands in the text as a #tag" if any(wish.becomes(tag, "tags") != tag for tag in in_text) else ""
    if not fields:
        return None, why or "the field is not one of ours"
    said = f"keyword {wish.wanted}"
    return SetFields(memory.path, fields, said, note.version, About(id=memory.id)), why


def _barred(bench: Bench, memory: Memory) -> str:
    if memory.place is Place.FOREIGN:
        return "it is a note of your own, which only `memvault edit` changes"
    if memory.place is Place.IDENTITY and bench.actor.agent:
        return "only a person changes Tier 0"
    return "its frontmatter cannot be read" if memory.problem else ""
