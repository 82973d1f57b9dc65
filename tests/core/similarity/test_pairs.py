"""Which texts are found to be near each other."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from memvault.core.similarity.pairs import cluster_pairs, find_candidates
from tests.core.similarity.pairs import CONTRADICTORY, REWORDED, SAME

SYLLABLES = "ba ce di fo gu ha ji ke lo mu na pe qui ro su ta vi wo xe yu zo".split()
RANDOM = random.Random()


@pytest.fixture(autouse=True)
def the_same_texts_every_time() -> None:
    RANDOM.seed(20260129)


def word() -> str:
    return "".join(RANDOM.choice(SYLLABLES) for _ in range(RANDOM.randint(1, 3)))


def sentence() -> str:
    return " ".join(word() for _ in range(RANDOM.randint(6, 14))).capitalize() + "."


def note(length: int) -> list[str]:
    return [sentence() for _ in range(length)]


def edited(sentences: list[str]) -> str:
    """Seven words in a hundred replaced."""
    return " ".join(word() if RANDOM.random() < 0.07 else said for said in " ".join(sentences).split())


def shuffled(sentences: list[str]) -> str:
    return " ".join(RANDOM.sample(sentences, len(sentences)))


def with_one_more(sentences: list[str]) -> str:
    place = RANDOM.randint(0, len(sentences))
    return " ".join([*sentences[:place], sentence(), *sentences[place:]])


@pytest.mark.parametrize("change", [edited, shuffled, with_one_more])
@pytest.mark.points(only=True)
def test_planted_near_duplicates_are_found(change: Callable[[list[str]], str]) -> None:
    notes = [note(RANDOM.randint(3, 24)) for _ in range(300)]
    texts = {f"{number:03}": " ".join(sentences) for number, sentences in enumerate(notes)}
    planted = {f"{number:03}-again": change(notes[number]) for number in range(0, 300, 3)}
    found = set(find_candidates({**texts, **planted}))
    missed = [again for again in planted if (again[:3], again) not in found]
    assert len(missed) <= 0.02 * len(planted)
    assert len(found) <= len(planted) + 10


def test_short_texts_are_found_among_many_others() -> None:
    pairs = [*SAME, *REWORDED, *((a, b) for _, a, b in CONTRADICTORY)]
    texts = {f"x{number:04}": " ".join(note(2)) for number in range(500)}
    for number, (a, b) in enumerate(pairs):
        texts |= {f"{number:03}a": a, f"{number:03}b": b}
    found = set(find_candidates(texts))
    missed = [pair for number, pair in enumerate(pairs) if (f"{number:03}a", f"{number:03}b") not in found]
    assert len(missed) <= 0.02 * len(pairs)


def test_pairs_are_sorted_come_once_and_in_an_order_of_their_own() -> None:
    texts = {f"{number}": "The gauges keep winter time all year." for number in range(6)}
    texts |= {f"other-{number}": " ".join(note(3)) for number in range(6)}
    found = list(find_candidates(texts))
    assert found == list(find_candidates(dict(reversed(texts.items()))))
    assert len(set(found)) == len(found) == 15
    assert all(left < right for left, right in found)


def test_a_template_does_not_pair_everything_with_everything() -> None:
    template = "# Daily note\n\n## Done\n\n{}\n\n## Next\n\n{}\n\n## Mood\n\nGood, slept well, coffee and the dog before stand-up."
    texts = {f"{number:04}": template.format(*note(2)) for number in range(600)}
    assert len(list(find_candidates(texts))) < len(texts)


@pytest.mark.points(only=True)
def test_two_lines_that_differ_in_one_piece_are_found_among_many_of_their_template() -> None:
    things = "portal ledger gauge kiosk ferry shop archive invoice".split()
    jobs = "backup import export cleanup report sync".split()
    servers = "harbour quay lock bridge mill tower depot yard".split()
    line = "The {} {} runs at {} every {} on the {} server."
    texts = {
        f"{number:04}": line.format(
            RANDOM.choice(things),
            RANDOM.choice(jobs),
            f"{RANDOM.randrange(24):02}:{RANDOM.choice(('00', '15', '30', '45'))}",
            RANDOM.choice(("night", "morning", "day")),
            RANDOM.choice(servers),
        )
        for number in range(1000)
    }
    for number, time in enumerate(("03:30", "04:00")):
        texts[f"x{number}"] = line.format("portal", "backup", time, "night", "harbour")
    assert ("x0", "x1") in set(find_candidates(texts))


def test_many_copies_of_one_text_hang_together_without_all_pairs() -> None:
    texts = {f"{number:03}": "Portal validation needs two reviewers and a green build." for number in range(200)}
    found = list(find_candidates(texts))
    assert len(found) < 3 * len(texts)
    assert cluster_pairs(found, conflict=lambda _left, _right: False) == [sorted(texts)]


def test_copies_that_were_each_edited_are_all_reached() -> None:
    original = note(8)
    texts = {f"x{number:02}": edited(original) for number in range(40)}
    texts |= {f"{number:03}": " ".join(note(8)) for number in range(200)}
    found = list(find_candidates(texts))
    assert {id_ for pair in found for id_ in pair if pair[0].startswith("x")} >= {
        f"x{number:02}" for number in range(40)
    }


def test_texts_with_nothing_in_them_pair_only_with_their_like() -> None:
    texts = {"a": "", "b": "  \n", "c": "to be or not to be", "d": "To be or not  to be", "e": "and then"}
    assert ("c", "d") in set(find_candidates(texts))
    assert ("c", "e") not in set(find_candidates(texts))
    assert list(find_candidates({})) == []
    assert list(find_candidates({"a": "alone in the world"})) == []


def test_other_scripts_are_found_too() -> None:
    texts = {
        "a": "用户喜欢简短的回答，并且希望先给出结论。",
        "b": "用户希望先给出结论，并且喜欢简短的回答。",
        "c": "東京オフィスは九時に開きます。",
        "d": "Встреча команды данных проходит по четвергам.",
        "e": "По четвергам проходит встреча команды данных.",
    }
    assert set(find_candidates(texts)) == {("a", "b"), ("d", "e")}
