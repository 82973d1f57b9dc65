"""Schemas: what fits is told from what does not, without a word of what was said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.memories.reviewers import SCHEMA
from memvault.models.llm.model import _FORM
from memvault.models.llm.schema import KEYWORDS, find_problem, make_strict

FORM = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 5},
        "score": {"type": "number", "minimum": 0, "maximum": 10},
        "count": {"type": "integer"},
        "sure": {"type": "boolean"},
        "sort": {"enum": ["a", "b"]},
        "ids": {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 1, "maxItems": 3},
        "note": {"type": ["string", "null"]},
    },
    "required": ["name"],
}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"score": 0},
        {"score": 10.0},
        {"count": 7.0},
        {"sure": False},
        {"sort": "b"},
        {"ids": [1, 2, 3]},
        {"note": None},
        {"score": None},  # left out
        {"something": "else"},
    ],
)
def test_what_fits_has_no_problem(more: dict[str, object]) -> None:
    assert find_problem({"name": "Sara", **more}, FORM) == ""


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "the answer must be an object"),
        ("text", "the answer must be an object"),
        (None, "the answer must be an object"),
        ({}, "name is missing"),
        ({"name": None}, "name must be a text"),
        ({"name": 7}, "name must be a text"),
        ({"name": ""}, "the length of name must not be below 1"),
        ({"name": "Sarabande"}, "the length of name must not be above 5"),
        ({"name": "\ud800"}, "name has half a character in it"),
        ({"name": "a", "score": "7"}, "score must be a number"),
        ({"name": "a", "score": True}, "score must be a number"),
        ({"name": "a", "score": float("nan")}, "score must be a number"),
        ({"name": "a", "score": float("inf")}, "score must be a number"),
        ({"name": "a", "score": -1}, "score must not be below 0"),
        ({"name": "a", "score": 10**400}, "score must not be above 10"),
        ({"name": "a", "count": 7.5}, "count must be a whole number"),
        ({"name": "a", "sure": 1}, "sure must be true or false"),
        ({"name": "a", "sort": "c"}, "sort must be one of a, b"),
        ({"name": "a", "ids": []}, "the number of items in ids must not be below 1"),
        ({"name": "a", "ids": [1, 2, 3, 4]}, "the number of items in ids must not be above 3"),
        ({"name": "a", "ids": [1, 0]}, "ids[1] must not be below 1"),
        ({"name": "a", "note": 3}, "note must be a text or null"),
    ],
)
def test_what_does_not_fit_is_told_by_its_place(value: object, said: str) -> None:
    assert find_problem(value, FORM) == said


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(sorted(FORM["properties"])), inner),
    max_leaves=12,
)


@given(anything)
def test_any_value_has_an_answer_that_quotes_nothing_of_it(value: object) -> None:
    found = find_problem({"name": "SECRET", "score": value, "ids": value, "note": value}, FORM)
    assert "SECRET" not in found
    assert len(found) < 100


def test_the_strict_form_asks_for_every_field_and_lets_optional_ones_be_null() -> None:
    made = make_strict(FORM)
    assert made["required"] == list(FORM["properties"])
    assert made["additionalProperties"] is False
    properties = made["properties"]
    assert isinstance(properties, dict)
    assert properties["name"]["type"] == "string"
    assert properties["score"]["type"] == ["number", "null"]
    assert properties["note"]["type"] == ["string", "null"]
    left_out = {**dict.fromkeys(FORM["properties"]), "name": "Sara"}
    assert find_problem(left_out, FORM) == ""


def _keywords(schema: Mapping[str, object]) -> Iterator[str]:
    yield from schema
    for inner in (schema.get("properties") or {}).values():  # type: ignore[attr-defined]
        yield from _keywords(inner)
    if isinstance(schema.get("items"), Mapping):
        yield from _keywords(schema["items"])  # type: ignore[arg-type]


@pytest.mark.parametrize("schema", [SCHEMA, _FORM, FORM], ids=["review", "test", "here"])
def test_no_schema_says_what_nobody_checks(schema: Mapping[str, object]) -> None:
    assert set(_keywords(schema)) <= KEYWORDS
