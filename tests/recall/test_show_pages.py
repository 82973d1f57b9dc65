"""A long text, read part by part: nothing is lost between two parts, and there is an end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memvault import Memvault
from memvault.errors import BadInput
from memvault.recall.show import cut_page
from memvault.text.terms import ELLIPSIS, estimate_tokens

TEXT = "\n\n".join(f"Paragraph {number} tells of the river. It rose by {number} cm that day." for number in range(60))


def parts(vault: Memvault, budget: int) -> list[str]:
    found, start = [], 0
    while True:
        shown = vault.show("river", budget=budget, start=start)
        found.append(shown.memory.body or "")
        if not shown.next:
            return found
        assert shown.cut
        start = shown.next


def test_the_parts_make_the_whole(vault: Memvault) -> None:
    vault.remember(TEXT, title="river")
    found = parts(vault, 200)
    assert len(found) > 3
    assert all(estimate_tokens(part) <= 200 for part in found)
    assert " ".join(" ".join(part.removesuffix(ELLIPSIS) for part in found).split()) == " ".join(TEXT.split())


@pytest.mark.parametrize("start", [-1, 99_999])
def test_show_refuses_a_start_outside_the_text(vault: Memvault, start: int) -> None:
    vault.remember("The river rose.", title="river")
    with pytest.raises(BadInput):
        vault.show("river", start=start)


@given(body=some.text("ab.\n 日", max_size=120), budget=some.integers(2, 12))
def test_pages_cover_every_letter_up_to_the_end(body: str, budget: int) -> None:
    start, seen = 0, ""
    while True:
        text, following = cut_page(body, start, budget)
        seen += text if not following else text.removesuffix(ELLIPSIS)
        if not following:
            break
        assert following > start
        start = following
    assert "".join(seen.split()) == "".join(body.split())
