"""Notes of which there are many alike, as in every real vault: weekly calls, diaries, addresses, releases, readings."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from random import Random

_PEOPLE = ("Nadia", "Jun", "Tobias", "Philippa", "Kofi", "Yara", "Gunvor", "Ruben", "Oda", "Kasimir")
_PARTS = ("the invoice export", "the search page", "the login", "the nightly import", "the status page", "the tablets")
_DID = (
    "{who} finished {part}, two small bugs are left.",
    "{who} is stuck with {part} and asks for an hour of help.",
    "{part} was slow again, {who} looks into the database.",
    "{who} showed {part} to a customer, who liked the colours and not the words.",
    "Nobody has touched {part} since last week.",
    "{who} will write the tests for {part} by Thursday.",
)
_DAYS = (
    "Rain until noon, then a walk round the weir. A heron stood there and did not care.",
    "Slept badly. Bread came out flat, ate it anyway with the quince jam.",
    "Train forty minutes late, read in the waiting room, met Yara by chance.",
    "First swim of the year, water 14 degrees, felt alive for hours.",
    "Choir in the evening, my voice was gone after the second piece.",
    "Cleaned the cellar, found the box with the letters from Anholt.",
    "Emil called about the trombone. Long talk about being brave.",
    "Market, cheese, too much of it. Gunvor brought the dog.",
    "Worked on the shelf, cut the board one centimetre short.",
    "Fever, tea, two films about mountains.",
    "Bicycle to the lock and back, 52 km, wind from the west.",
    "Power cut for three hours, candles, card games, surprisingly nice.",
    "Saw the comet above the roofs, with the small binoculars.",
    "Funeral of old Mr Lammers. The organ was out of tune and nobody minded.",
)
_THINGS = ("printer", "kettle", "heating valve", "vacuum cleaner", "record player", "tent", "bicycle pump", "drill")
_TROUBLES = (
    ("does not turn on", "cable broken near the plug, replaced"),
    ("makes a grinding noise", "took it apart, cleaned, one drop of oil"),
    ("leaks", "new gasket, {size} mm, from the shop behind the station"),
)
_BOOKS = (
    ("The Salt Path", "walking after losing everything"),
    ("Stoner", "a quiet life, told without pity"),
    ("Piranesi", "a house that is the world"),
    ("Braiding Sweetgrass", "gifts and what we owe"),
    ("The Leopard", "so that everything stays, everything must change"),
    ("Kokoro", "guilt between a student and his teacher"),
    ("Solaris", "the sea that answers with our own dead"),
    ("Austerlitz", "stations, photographs, forgetting"),
)
_DISHES = ("lentil soup", "fish pie", "mushroom risotto", "potato salad", "pear crumble", "onion tart", "barley stew")
_SHOPPING = (
    "Kartoffeln, Zwiebeln, zwei Dosen Tomaten, Backpulver und eine Zitrone",
    "Waschmittel, Kerzen, Glühbirnen E14 und Schrauben 4x40",
    "Kaffee, Haferflocken, Joghurt und das gute Olivenöl",
)
_MOODS = ("今天下雨，在家看书，晚上给妈妈打电话。", "和雨桐一起吃火锅，聊了新的工作。", "跑步五公里，膝盖有一点疼。")
_LETTERS = ("朝から雨。図書館で本を三冊借りた。", "夕方、友人と川沿いを歩いた。", "新しい鍋でカレーを作った。")

Row = tuple[str, str, date, tuple[str, ...], str]


def series() -> Iterator[Row]:
    """Name, title, day, tags and text of each."""
    chance = Random(16)
    yield from _standups(chance)
    yield from _diaries(chance)
    yield from _repairs()
    yield from _releases()
    yield from _readings()
    yield from _meals(chance)
    yield from _others()


def _standups(chance: Random) -> Iterator[Row]:
    first = date(2024, 9, 3)
    for week in range(42):
        day = first + timedelta(days=7 * week)
        said = [
            line.format(who=chance.choice(_PEOPLE[:4]), part=chance.choice(_PARTS)) for line in chance.sample(_DID, 3)
        ]
        text = "\n".join(f"- {line[0].upper()}{line[1:]}" for line in said)
        yield f"call-{day}", f"Tuesday call, {day.day} {day:%B}", day, ("work", "meeting"), text


def _diaries(chance: Random) -> Iterator[Row]:
    for month in range(12):
        year, number = divmod(7 + month, 12)
        first = date(2024 + year, number + 1, 1)
        entries = [
            f"## {day.day} {day:%B}\n\n{chance.choice(_DAYS)} {chance.choice(_DAYS)}"
            for day in (first + timedelta(days=2 * step) for step in range(14))
        ]
        yield f"diary-{first:%Y-%m}", f"Diary {first:%B %Y}", first, ("diary",), "\n\n".join(entries)


def _repairs() -> Iterator[Row]:
    day = date(2024, 6, 3)
    for number, thing in enumerate(_THINGS):
        for step, (trouble, cure) in enumerate(_TROUBLES):
            day += timedelta(days=11)
            text = (
                f"The {thing} {trouble}. {cure.format(size=8 + number)[0].upper()}{cure.format(size=8 + number)[1:]}."
            )
            yield f"repair-{number}-{step}", f"The {thing} {trouble}", day, ("repairs",), text


def _releases() -> Iterator[Row]:
    day = date(2024, 7, 1)
    for minor in range(3, 8):
        for patch in range(4):
            day += timedelta(days=9)
            text = (
                f"Fixes {2 + patch} reports from customers; {_PARTS[(minor + patch) % 6]} starts {5 * minor} % faster. "
                f"Migration {100 * minor + patch:04} must run before the start. Tested with Postgres {12 + patch}."
            )
            name = f"billing 2.{minor}.{patch}"
            yield f"release-2-{minor}-{patch}", f"Release {name}", day, ("work", "release"), text


def _readings() -> Iterator[Row]:
    day = date(2024, 6, 20)
    for number, (title, about) in enumerate(_BOOKS):
        day += timedelta(days=40)
        text = f"{about.capitalize()}. Read in {3 + number} evenings, marked page {40 + 17 * number}. Lend it to {_PEOPLE[number]}."
        yield f"reading-{number}", f"Read: {title}", day, ("books",), text


def _meals(chance: Random) -> Iterator[Row]:
    day = date(2024, 10, 1)
    for number, dish in enumerate(_DISHES):
        for guest in chance.sample(_PEOPLE, 3):
            day += timedelta(days=12)
            text = f"{dish.capitalize()} for {guest}, {2 + number % 3} hours of work. {guest} had two helpings, less salt next time."
            yield f"meal-{number}-{guest.casefold()}", f"Dinner: {dish}", day, ("kitchen",), text


def _others() -> Iterator[Row]:
    day = date(2024, 8, 5)
    texts = [("einkauf", "Einkaufszettel", text) for text in _SHOPPING * 4]
    texts += [("riji", "日记", text) for text in _MOODS * 4] + [("nikki", "日記", text) for text in _LETTERS * 4]
    for number, (name, title, text) in enumerate(texts):
        day += timedelta(days=9)
        yield f"{name}-{number}", f"{title} {day}", day, (name,), text
