"""Which known terms stand for one that was typed otherwise."""

from __future__ import annotations

import pytest

from memvault.storage.index.search.bm25 import similar_terms


@pytest.mark.parametrize(
    ("term", "known"),
    [
        ("batery", "battery"),  # a letter less
        ("batttery", "battery"),  # a letter more
        ("bettery", "battery"),  # another letter
        ("abttery", "battery"),  # two that changed places
        ("batte", "battery"),  # only the beginning
        ("calibrations", "calibration"),
    ],
)
def test_what_is_nearly_alike_is_near(term: str, known: str) -> None:
    assert similar_terms(term, [known]) == [known]


@pytest.mark.parametrize(
    ("term", "known"),
    [
        ("tea", "team"),  # too short to guess at
        ("battery", "battery"),  # itself
        ("batman", "battery"),
        ("gauge", "gauze"),  # at five letters, one other letter is another word
        ("v2024", "v2025"),  # digits mean what they say
        ("battery", "bat"),
    ],
)
def test_what_is_another_word_is_not(term: str, known: str) -> None:
    assert similar_terms(term, [known]) == []
