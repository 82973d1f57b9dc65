"""The inbox in the browser: the cards and keys of `memvault review`, emptied by forms, undone byte for byte."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape

from memvault.api import Memvault
from memvault.core.secrets.private_spans import strip_private
from memvault.maintenance.inbox.card import ACT_KEYS
from tests.conftest import START
from tests.maintenance.test_inbox import MOSS
from tests.web.test_views import snapshot
from tests.web.visitor import Visitor, read_form


def first_form(text: str, act: str) -> dict[str, str]:
    """The form that gives the first card one of its answers."""
    forms = re.findall(r'<form class="act" method="post" action="/inbox/answer">.*?</form>', text, re.DOTALL)
    return read_form(next(form for form in forms if f'name="act" value="{act}"' in form), "/inbox/answer")


def fill(vault: Memvault, count: int = 3) -> None:
    for number in range(count):
        vault.remember(f"The wiki says that gate {number} is closed.", source="web", near="ignore")
    vault.remember("Call the plumber.", kind="prospective", more={"due": START - timedelta(hours=1)})


def test_each_card_has_its_question_reason_and_keys(visitor: Visitor, vault: Memvault) -> None:
    fill(vault)
    text = visitor.get("/inbox").text
    for card in vault.inbox().cards:
        assert card.key in text
        for act in card.acts:
            assert f'data-key="{act.key}"' in text, act
    assert "It was due on" in text
    assert text.count('class="card"') == len(vault.inbox().cards) == 4


def test_keys_of_the_page_do_not_stand_in_the_way_of_those_of_cards(visitor: Visitor) -> None:
    text = visitor.get("/inbox").text
    assert set(re.findall(r'data-key="(.)"', text)) & set(ACT_KEYS.values()) == set()
    assert {"j", "k", "g", "u", "o", "/", "?"} & set(ACT_KEYS.values()) == set()


def test_the_inbox_is_emptied_and_a_whole_sitting_undone(visitor: Visitor, vault: Memvault) -> None:
    fill(vault, 8)
    before, made = snapshot(vault.root), len(vault.log())
    for number in range(9):
        form = first_form(visitor.get("/inbox").text, "refuse" if number else "accept")
        answer = visitor.post("/inbox/answer", form)
        assert answer.location.startswith("/inbox?op=")
        assert answer.location.endswith("#c0")
    assert "Nothing waits for you" in visitor.get("/inbox").text
    assert vault.inbox().cards == ()
    begun = vault.log()[-made - 1].op
    visitor.post("/log/undo-to", read_form(visitor.get(f"/log/operation?id={begun}").text, "/log/undo-to"))
    assert snapshot(vault.root) == before
    assert len(vault.inbox().cards) == 9


def test_a_card_whose_memory_was_changed_meanwhile_is_shown_again(visitor: Visitor, vault: Memvault) -> None:
    fill(vault, 1)
    form = first_form(visitor.get("/inbox?only=quarantine").text, "accept")
    [card] = [card for card in vault.inbox().cards if card.kind == "quarantine"]
    path = vault.root / card.memories[0].path
    path.write_bytes(path.read_bytes() + b"typed\n")
    answer = visitor.post("/inbox/answer", form)
    assert answer.status == 409
    assert 'role="alert"' in answer.text
    assert path.read_bytes().endswith(b"typed\n")


def test_one_kind_is_shown_alone(visitor: Visitor, vault: Memvault) -> None:
    fill(vault)
    text = visitor.get("/inbox?only=due").text
    assert text.count('class="card"') == 1
    assert "Call the plumber" in text
    assert "1 reminder that is due" in visitor.get("/").text or "1 due" in visitor.get("/").text


def test_a_contradiction_shows_both_texts_and_what_differs(visitor: Visitor, vault: Memvault) -> None:
    vault.remember("The portal runs on port 8080.", near="ignore")
    vault.remember("The portal runs on port 9090.", near="ignore")
    text = visitor.get("/inbox?only=contradiction").text
    assert "<mark>8080</mark>" in text
    assert "<mark>9090</mark>" in text
    visitor.post("/inbox/answer", first_form(text, "both"))
    assert vault.list_conflicts().conflicts == ()


def test_a_duplicate_shows_the_text_that_both_would_be_without_what_is_private(
    visitor: Visitor, vault: Memvault
) -> None:
    ids = [vault.remember(text, kind="semantic", near="ignore").memory.id for text in MOSS]
    path = vault.path_of(ids[1])
    path.write_bytes(path.read_bytes() + b"\n<private>She owes him ten euros.</private>\n")
    page = visitor.get("/inbox?only=duplicate").text
    merged = unescape(page.partition("Merged they would say")[2].partition("</details>")[0])
    whole = vault.merge(*ids, dry_run=True).memory.body or ""
    assert strip_private(whole).strip() in merged
    assert "phone 555-0101" in merged
    assert "ten euros" in whole
    assert "ten euros" not in page


def test_an_edit_from_a_card_leads_back_to_it(visitor: Visitor, vault: Memvault) -> None:
    fill(vault, 1)
    link = next(link for link in re.findall(r'href="(/memory/edit[^"]+)"', visitor.get("/inbox").text)).replace(
        "&amp;", "&"
    )
    form = read_form(visitor.get(link).text, "/memory/save")
    answer = visitor.post("/memory/save", {**form, "body": "Call the plumber about the tap."})
    assert answer.location.startswith("/inbox?op=")


def test_later_puts_a_card_off(visitor: Visitor, vault: Memvault) -> None:
    fill(vault, 1)
    visitor.post("/inbox/answer", first_form(visitor.get("/inbox?only=quarantine").text, "snooze"))
    assert [card.kind for card in vault.inbox().cards] == ["due"]
