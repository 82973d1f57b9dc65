"""A vault's worth of made-up memories, the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import accumulate
from pathlib import Path
from uuid import UUID

SEED = 20260129
START = datetime(2023, 1, 1, tzinfo=UTC)
DAYS = 1_120

VOCABULARY, TOPICS, WORDS_PER_TOPIC = 30_000, 240, 600
COMMON = (
    "the to of and a in is it that for on was with as be this are at from or by not have but they we an had which you "
    "were their one all there been if more when will would who so no out up into them can only other time new some could "
    "these two may then do first any my now such like our over man me even most made after also did many before must "
    "through back years where much your way well down should because each just those people how too little good very "
    "make world still own see work long get here between both life being under never day same another know while last "
    "might us great old year off come since against go came right used take three states himself few house use during "
    "without again place around however home small found part once general high upon school every does got united left "
    "number course war until always away something fact though water less public put think almost hand enough far took "
    "head yet government system better set told nothing night end why called didn eyes find going look asked later knew"
).split()
ONSETS = "b bl br c ch cl cr d dr f fl fr g gl gr h j k l m n p pl pr qu r s sc sh sl sp st str t th tr v w wh".split()
VOWELS = "a ai au e ea ee i ie o oa oi oo ou u".split()
CODAS = "b ck d ft g l ld ll m mp n nd ng nt p r rd rk rm rn rt s sk ss st t th x".split()
ENDINGS = ("", "", "", "ed", "er", "ing", "s", "tion", "ment", "al", "ly", "ness")
PEOPLE = tuple(
    f"{first} {last}"
    for first in ("Ada", "Bo", "Cem", "Dora", "Eli", "Fay", "Gil", "Hana", "Ivo", "Jun")
    for last in ("Abel", "Brandt", "Cho", "Dorn", "Ek")
)
TYPES = ("memory",) * 5 + ("learning",) * 3 + ("milestone", "reference")
FOLDERS = ("2-memories/",) * 16 + ("2-memories/work/", "2-memories/home/", "1-hot/", "3-raw/archived/")


@dataclass(frozen=True, slots=True)
class MadeNote:
    """One made-up memory: where it lies in a vault, and its bytes."""

    path: str
    title: str
    tags: tuple[str, ...]
    people: tuple[str, ...]
    body: str
    data: bytes


class Corpus:
    """Notes and questions of one seed: words by Zipf's law, each note about one of a few hundred topics."""

    def __init__(self, *, seed: int = SEED, body_bytes: int = 2_000) -> None:
        self._seed = seed
        self._body_bytes = body_bytes
        self._topics, self._common, self._all = _bags(seed)

    def notes(self, count: int) -> Iterator[MadeNote]:
        """The first `count` notes, always the same ones."""
        titles: list[str] = []
        for number in range(count):
            yield self._note(random.Random(f"{self._seed}/{number}"), number, titles)

    def prompts(self, count: int) -> list[str]:
        """Questions in words such as people use, common ones among them."""
        made = random.Random(f"{self._seed}/prompts")
        return [" ".join(self._sentence(made, made.choice(self._topics), made.randint(4, 12))) for _ in range(count)]

    def selective(self, count: int, *, words: int = 3) -> list[str]:
        """Questions of a few words that only some notes hold."""
        made = random.Random(f"{self._seed}/selective")
        return [" ".join(made.choice(self._topics).draw(made, words)) for _ in range(count)]

    def _note(self, made: random.Random, number: int, titles: list[str]) -> MadeNote:
        topic_number = made.randrange(TOPICS)
        topic = self._topics[topic_number]
        when = START + timedelta(days=made.randrange(DAYS), seconds=made.randrange(86_400))
        title = " ".join(self._sentence(made, topic, made.randint(3, 8))).capitalize()
        tags = tuple(dict.fromkeys([f"topic-{topic_number}", *topic.draw(made, made.randint(0, 3))]))
        people = tuple(made.sample(PEOPLE, made.choice((0, 0, 1, 2))))
        body = self._body(made, topic, titles)
        titles.append(f"{when:%Y-%m-%d}-{title.lower().replace(' ', '-')}-{number}")
        trigger = " ".join(topic.draw(made, 2)) if made.random() < 0.3 else ""
        data = _frontmatter(made, title, when, tags, people, trigger) + f"\n{body}\n"
        return MadeNote(f"{made.choice(FOLDERS)}{titles[-1]}.md", title, tags, people, body, data.encode())

    def _body(self, made: random.Random, topic: _Bag, titles: list[str]) -> str:
        wanted = int(self._body_bytes * made.lognormvariate(-0.18, 0.6))
        parts: list[str] = []
        length = 0
        while length < wanted:
            parts.append(self._part(made, topic, titles))
            length += len(parts[-1]) + 2
        return "\n\n".join(parts)

    def _part(self, made: random.Random, topic: _Bag, titles: list[str]) -> str:
        match made.randrange(12):
            case 0 | 1:
                return "## " + " ".join(self._sentence(made, topic, made.randint(2, 6))).capitalize()
            case 2 | 3:
                items = (" ".join(self._sentence(made, topic, made.randint(4, 14))) for _ in range(made.randint(2, 6)))
                return "\n".join(f"- {item}" for item in items)
            case 4 if titles:
                return f"See [[{made.choice(titles)}]] for " + " ".join(self._sentence(made, topic, 6)) + "."
            case _:
                sentences = (self._sentence(made, topic, made.randint(6, 24)) for _ in range(made.randint(2, 6)))
                return " ".join(" ".join(words).capitalize() + "." for words in sentences)

    def _sentence(self, made: random.Random, topic: _Bag, length: int) -> list[str]:
        bags = made.choices((self._common, topic, self._all), (48, 34, 18), k=length)
        return [bag.draw(made, 1)[0] for bag in bags]


class _Bag:
    """Words to draw from, the first of them the most often."""

    def __init__(self, words: list[str], steepness: float) -> None:
        self._words = words
        self._odds = list(accumulate(1 / rank**steepness for rank in range(1, len(words) + 1)))

    def draw(self, made: random.Random, count: int) -> list[str]:
        return made.choices(self._words, cum_weights=self._odds, k=count)


@cache
def _bags(seed: int) -> tuple[list[_Bag], _Bag, _Bag]:
    """The words of each topic, the common ones, and all."""
    made = random.Random(seed)
    words = _vocabulary(made)
    telling = words[len(COMMON) :]
    topics = [_Bag([made.choice(telling) for _ in range(WORDS_PER_TOPIC)], 0.8) for _ in range(TOPICS)]
    return topics, _Bag(list(COMMON), 1.0), _Bag(words, 1.0)


def _vocabulary(made: random.Random) -> list[str]:
    words = dict.fromkeys(COMMON)
    while len(words) < VOCABULARY:
        syllables = (made.choice(ONSETS) + made.choice(VOWELS) for _ in range(made.choice((1, 1, 1, 2, 2))))
        words["".join(syllables) + made.choice(CODAS) + made.choice(ENDINGS)] = None
    return list(words)


def _frontmatter(
    made: random.Random, title: str, when: datetime, tags: tuple[str, ...], people: tuple[str, ...], trigger: str
) -> str:
    used = when + timedelta(days=made.randrange(60))
    lines = [
        f"id: {UUID(int=made.getrandbits(128), version=4)}",
        f"type: {made.choice(TYPES)}",
        f"title: {title}",
        f"created: {when:%Y-%m-%dT%H:%M:%SZ}",
        f"last_accessed: {used:%Y-%m-%dT%H:%M:%SZ}",
        f"access_count: {made.randrange(12)}",
        f"weight: {made.randrange(2, 11) / 10}",
        f"emotional_flag: {str(made.random() < 0.05).lower()}",
        f"pinned: {str(made.random() < 0.02).lower()}",
        "status: active",
        f"tags: [{', '.join(tags)}]",
        f"triggers: [{trigger}]",
    ]
    if people:
        lines.append(f"people: [{', '.join(people)}]")
    return "\n".join(("---", *lines, "---", ""))


def write(folder: Path, count: int) -> None:
    """Write that many notes below a folder."""
    for note in Corpus().notes(count):
        path = folder / note.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(note.data)
