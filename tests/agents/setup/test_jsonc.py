"""JSON is read as its programs read it, remarks where they are allowed, and what is none is told with its line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.agents.setup.json_edit import MAX_DEPTH, MalformedJson, parse_json, to_python
from tests.agents.setup.random_settings import settings


@given(settings())
def test_it_reads_what_python_reads(text: str) -> None:
    assert to_python(parse_json(text)) == json.loads(text.removeprefix("\ufeff"))


@given(st.text(alphabet='{}[]",:/*\\ \n0123456789.eE+-truefalsn', max_size=20))
def test_of_any_text_it_makes_what_python_makes_or_nothing(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(MalformedJson):
            parse_json(text)
    else:
        assert to_python(parse_json(text)) == expected


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ("", "ends too early", 1),
        ('{"a": 1', "ends too early", 1),
        ('{\n"a" 1}', "a colon is missing", 2),
        ('{"a": 1\n"b": 2}', "a comma is missing", 2),
        ('{"a": 1,\n}', "a comma has nothing behind it", 1),
        ("{a: 1}", "a name in quotes is missing", 1),
        ('{"a": tru}', "missing or misspelt", 1),
        ('{"a": "\\x"}', "misspelt", 1),
        ('{\n// mine\n"a": 1}', "a comment stands where none may be", 2),
        ("{}\n{}", "something stands behind the end", 2),
        ("[" * (MAX_DEPTH + 2), "nested too deeply", 1),
        ('{"a": NaN}', "missing or misspelt", 1),
    ],
)
def test_what_is_no_json_is_told_with_its_line(text: str, reason: str, line: int) -> None:
    with pytest.raises(MalformedJson, match=reason) as caught:
        parse_json(text)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('// top\n{"a": 1, // one\n}', {"a": 1}),
        ('{/* x */"a"/* y */:/* z */[1,/* two */],}', {"a": [1]}),
        ('{"a": "// no remark /* nor this */"}', {"a": "// no remark /* nor this */"}),
    ],
)
def test_remarks_and_last_commas_are_read_where_they_are_allowed(text: str, value: object) -> None:
    assert to_python(parse_json(text, lenient=True)) == value


def test_of_two_members_of_one_name_the_last_one_counts() -> None:
    assert to_python(parse_json('{"a": 1, "a": 2}')) == {"a": 2}
