"""Finding the JSON in what a model said."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.models.llm.ask import find_objects

ONE = {"word": "yes"}


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ('{"word": "yes"}', [ONE]),
        ('\ufeff  {"word": "yes"}\n', [ONE]),
        ('```json\n{"word": "yes"}\n```', [ONE]),
        ('Here you are:\n\n```\n{"word": "yes"}\n```\nAnything else?', [ONE]),
        ('Of course! {"word": "yes"} is my answer.', [ONE]),
        ('<think>perhaps {"word": "no"}?</think>\n{"word": "yes"}', [ONE]),
        ('{"word": "no"} or {"word": "yes"}', [{"word": "no"}, ONE]),
        ('{"a": {"b": {}}} {}', [{"a": {"b": {}}}, {}]),
        ('a set {x} and {"word": "yes"}', [ONE]),
        ('{"word": "ye', []),
        ('{"word": "yes"', []),
        ("[1, 2]", []),
        ('"word"', []),
        ("", []),
        ("I would rather not.", []),
        ('{"score": NaN}', []),
        ("{'word': 'yes'}", []),
    ],
)
def test_each_outermost_object_is_found_and_half_a_one_is_none(said: str, found: list[object]) -> None:
    assert find_objects(said) == found


@pytest.mark.parametrize(
    "said", ["{" * 500_000, '{"a":' * 100_000, '[{"a":' * 100_000, '{"a": "' * 100_000, "<think>" * 100_000]
)
def test_a_text_made_to_be_hard_to_read_is_given_up(said: str) -> None:
    assert find_objects(said) == []


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=6), values, max_size=4), st.text(alphabet="abc .:\n`[]", max_size=30))
def test_an_object_is_found_in_any_prose(value: dict[str, object], prose: str) -> None:
    assert find_objects(f"{prose} {json.dumps(value)} {prose}") == [value]
