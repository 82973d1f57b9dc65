"""Phone numbers, addresses and birth dates: they are found, and left where the user says them of somebody."""

from __future__ import annotations

import pytest

from memvault.core.secrets.contacts import find_contacts, redact_contacts

CONTACTS = {
    "phone number": [
        "My phone number is «+49 170 1234567».",
        "Call Tom at «(555) 010-4477».",
        "Tel. «030 12345678»",
        "mi teléfono: «612 345 678»",
    ],
    "e-mail address": ["Anna's e-mail is «anna.k+work@firma.example.org»."],
    "street address": [
        "She lives at «12 Elm Street», Bath.",
        "Wir wohnen in der «Hauptstraße 5» in Köln.",
        "J'habite «12 rue de la Paix», Paris.",
        "Vivo en «Calle Mayor 3», Madrid.",
        "Abito in «via Roma 10».",
        "Moro na «Rua das Flores 22».",
    ],
    "birth date": [
        "Tom was born on «4 May 1990».",
        "Geburtsdatum: «04.05.1990»",
        "né le «4 mai 1990»",
        "DOB «1990-05-04»",
        "Ilse's birthday is «May 4th».",
    ],
}


@pytest.mark.parametrize(("sort", "text"), [(sort, text) for sort, texts in CONTACTS.items() for text in texts])
def test_a_contact_is_found_with_its_sort_and_kept_where_the_user_tells_it(sort: str, text: str) -> None:
    before, told, after = text.replace("»", "«").split("«")
    plain = before + told + after
    assert list(find_contacts(plain)) == [(sort, len(before), len(before) + len(told))]
    assert redact_contacts(plain, own_words=True) == plain
    assert redact_contacts(plain) == f"{before}[redacted: {sort}]{after}"


@pytest.mark.parametrize(
    "text",
    [
        "The build of 2024-05-06 took 1200 s on 4 cores.",
        "Version 1.2.3-20240611 is out, order 304-8078720.",
        "git clone git@github.com:acme/keys.git",
        "We moved 12 services to the new Street API in Spring 2027.",
        "The meeting is on 4 May 2026 at 10.",
    ],
)
def test_numbers_and_days_of_other_things_are_no_contacts(text: str) -> None:
    assert list(find_contacts(text)) == []


def test_what_the_sentence_is_not_about_is_left_out_of_the_users_own_words_too() -> None:
    text = "Retry the import for bo@example.org only on Mondays. My e-mail is al@example.org."
    left = redact_contacts(text, own_words=True)
    assert left == "Retry the import for [redacted: e-mail address] only on Mondays. My e-mail is al@example.org."
