"""People are known by any of the names that the settings give them."""

from __future__ import annotations

import pytest

from memvault.core.query import names_of_person, other_names, read_people
from memvault.core.settings.table import check_people

ROWS = ("Sara Uy = Sara, SU", "Robert  Ng=Bob")


def test_each_row_is_a_person_and_names_are_compared_folded() -> None:
    assert read_people(ROWS) == (("sara uy", "sara", "su"), ("robert ng", "bob"))


def test_a_row_without_a_sign_goes_on_with_the_person_before() -> None:
    assert read_people(("Sara Uy = Sara", "SU", "Robert Ng = Bob")) == (("sara uy", "sara", "su"), ("robert ng", "bob"))


@pytest.mark.parametrize("name", ["Sara Uy", "sara", "SU", "Uy"])
def test_any_name_leads_to_all(name: str) -> None:
    assert set(names_of_person(name, ROWS)) >= {"sara uy", "sara", "su"}
    assert "bob" not in names_of_person(name, ROWS)


def test_a_text_speaks_of_those_whose_name_it_gives_whole() -> None:
    assert other_names(["ask", "bob", "now"], ROWS) == {"bob": ("robert ng",)}
    assert other_names(["ask", "robert", "now"], ROWS) == {}
    assert other_names(["sara", "uy"], ROWS)["uy"] == ("sara", "su")


@pytest.mark.parametrize("rows", [(), ("Sara Uy = Sara, SU",), ("Sara Uy = Sara", "SU")])
def test_rows_of_people_are_accepted(rows: tuple[str, ...]) -> None:
    assert check_people(rows) == ""


@pytest.mark.parametrize("rows", [("Sara",), ("= Sara",), ("Sara Uy =",), ("Sara Uy = Sara", "")])
def test_rows_without_a_name_are_refused(rows: tuple[str, ...]) -> None:
    assert "NAME = OTHER" in check_people(rows)
