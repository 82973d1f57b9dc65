"""How a sentence is built tells whether it asks, orders, reacts or states."""

from __future__ import annotations

import pytest

from memvault.text.statements.judge import COURTESY, ENOUGH, PASSING, PASTED, QUESTION, SUPPOSED, TASK, judge_sentence


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("Rotate the map a quarter to the left", TASK),
        ("Leg me uit hoe een sluis werkt", TASK),
        ("Aide-moi à trouver un titre pour l'exposé", TASK),
        ("lass uns mal die Fehlermeldung Zeile für Zeile durchgehen", TASK),
        ("J'aurais besoin d'un plan de cours", TASK),
        ("Ten questions on the water cycle, multiple choice", TASK),
        ("A polite way to say no to a wedding invitation", TASK),
        ("For the letter to the bank: what do you call the person who inherits", TASK),
        ("Rewrite this note so my grandmother would get it", TASK),
        ("Darf man im Naturschutzgebiet Pilze sammeln", QUESTION),
        ("Weißt du, wann der See zuletzt zugefroren war", QUESTION),
        ("Tu crois que ça tiendra avec des vis de 4", QUESTION),
        ("Se puede congelar la tortilla de patatas", QUESTION),
        ("这道题为什么选B", QUESTION),
        ("Ok that went over my head", PASSING),
        ("Ach, das hätte ich nie gedacht", SUPPOSED),
        ("Na endlich Wochenende, ich kann nicht mehr", COURTESY),
        ("Dear Mr Haas, thank you for your letter of 3 May.", PASTED),
        ("Lyrics: I never promised you a rose garden", PASTED),
    ],
)
def test_what_is_no_statement_is_told_by_how_it_is_built(said: str, why: str) -> None:
    found = judge_sentence(said)
    assert (found.reason, found.sureness < ENOUGH) == (why, True)


@pytest.mark.parametrize(
    "said",
    [
        "Only my sister may sign for me.",
        "Hasse Rosenkohl.",
        "Ma fille est allergique aux arachides.",
        "Moi je préfère le pain trop cuit.",
        "Ik werk alleen 's ochtends.",
        "No bebo alcohol desde hace diez años.",
        "On mange toujours à midi pile.",
        "Duz mich bitte immer.",
        "Bergström, that's the client, never wants it there.",
    ],
)
def test_a_statement_with_an_unusual_beginning_is_kept(said: str) -> None:
    assert judge_sentence(said).sureness >= ENOUGH
