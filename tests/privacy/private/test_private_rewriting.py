"""A whole private note given with the one that it was made of: nothing that somebody else sealed meanwhile is lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memvault.api import Memvault
from memvault.errors import BadInput, ChangedMeanwhile
from memvault.storage.vault import codec
from tests.privacy.private.test_private_memories import adds, meanwhile, safe

pytest.importorskip("pyrage")

__all__ = ["meanwhile", "safe"]


def test_private_rewrite_merges_a_last_moment_change(safe: Memvault, meanwhile: Callable[..., None]) -> None:
    safe.private_edit("Surgery", body="Bring the papers.\n\nOn Friday.\n\nAt nine.")
    base = safe.private_show("Surgery").note
    meanwhile(*(adds(f"Theirs {number}.", f"theirs{number}") for number in range(2)))
    safe.private_edit("Surgery", whole=base.replace(b"papers", b"keys"), base=base)
    memory = safe.private_show("Surgery").memory
    assert (memory.body or "").strip() == "Bring the keys.\n\nOn Friday.\n\nAt nine.\n\nTheirs 0.\n\nTheirs 1."
    assert memory.tags == ("theirs0", "theirs1")


def test_private_rewrite_refuses_a_field_set_by_both(safe: Memvault) -> None:
    opened = safe.private_show("Surgery")
    wrote = codec.set_fields(opened.note, {"base_weight": 0.2}, path=opened.memory.path)
    safe.private_edit("Surgery", fields={"base_weight": 0.9})
    with pytest.raises(ChangedMeanwhile):
        safe.private_edit("Surgery", whole=wrote, base=opened.note)
    assert safe.private_show("Surgery").memory.base_weight == 0.9
    assert safe.private_edit("Surgery", whole=opened.note, base=opened.note).changed is False


def test_private_rewrite_refuses_an_empty_text(safe: Memvault) -> None:
    base = safe.private_show("Surgery").note
    safe.private_edit("Surgery", append="Theirs.")
    with pytest.raises(BadInput):
        safe.private_edit("Surgery", whole=b"\n", base=base)
    assert "Theirs." in (safe.private_show("Surgery").memory.body or "")


def test_private_note_with_unreadable_frontmatter_is_set_aside_unchanged(safe: Memvault) -> None:
    wrote = b"---\ntitle: [Broken\n---\n\nMine.\n"
    name = safe.private_set_aside(wrote, safe.private_show("Surgery").memory.path)
    assert safe.private_show(name).note == wrote
