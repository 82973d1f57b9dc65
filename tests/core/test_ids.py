"""Ids: their form, their prefixes, and those derived from names."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.ids import derive_id, id_matches, is_id, is_prefix

ID = "5f0c1a2b-3c4d-4e5f-8a9b-0c1d2e3f4a5b"


@pytest.mark.parametrize("text", [ID, ID.upper(), str(uuid.UUID(int=0))])
def test_a_uuid_is_an_id(text: str) -> None:
    assert is_id(text)


@pytest.mark.parametrize(
    "text", ["", ID[:-1], ID + "0", ID.replace("-", ""), f"{{{ID}}}", ID.replace("5", "g"), f"{ID}\n", "٥" + ID[1:]]
)
def test_other_texts_are_not(text: str) -> None:
    assert not is_id(text)


@pytest.mark.parametrize("text", ["5f0c", "5F0C1A", "5f0c1a2b-", "5f0c1a2b-3c", ID])
def test_four_characters_and_more_are_a_prefix(text: str) -> None:
    assert is_prefix(text)
    assert id_matches(ID, text)
    assert id_matches(ID.upper(), text)


@pytest.mark.parametrize("text", ["", "5f0", "5f0g", "5f0c-", "5f0c1a2b3", "note", ID + "0"])
def test_other_texts_are_no_prefix(text: str) -> None:
    assert not is_prefix(text)
    assert not id_matches(ID, text)


@given(st.uuids(), st.text())
def test_a_derived_id_is_a_version_5_uuid(namespace: uuid.UUID, name: str) -> None:
    assert derive_id(str(namespace), name) == str(uuid.uuid5(namespace, name))


def test_a_name_that_is_no_valid_text_still_has_an_id() -> None:
    assert is_id(derive_id(ID, "caf\udce9.md"))
