"""What is picked up by itself: screened, reviewed where there is a model, and kept, added to what is known or let go."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from memvault import Memvault
from memvault.capture import capture_reviewed
from memvault.errors import SecretFound, Trivial
from memvault.memories.draft import MemoryDraft
from memvault.models.llm.ask import AskModel, Failure
from tests.maintenance.upkeep import notes_of

FACT = "The portal of the harbour office goes down every Sunday night between two and three for its backup."
REVIEWERS = {"importance": "Judge how much it matters.", "relevance": "…", "novelty": "…"}


def answering(**scores: object) -> AskModel:
    """A model whose reviewers all say the same."""

    def ask(_system: str, _prompt: str, _schema: Mapping[str, object], _seconds: float, **_more: object) -> object:
        return {"reason": "so they say", **scores}

    return ask  # type: ignore[return-value]  # what a review needs of it


def captured(vault: Memvault, ask: AskModel | None, text: str = FACT, *, dry_run: bool = False):  # type: ignore[no-untyped-def]
    return vault.run(lambda b: capture_reviewed(b, MemoryDraft(text=text), ask, reviewers=REVIEWERS, dry_run=dry_run))


def test_capture_without_a_model_stores_with_half_weight(vault: Memvault) -> None:
    found = vault.capture(FACT)
    assert (found.outcome, found.memory.weight) == ("kept", 0.5)
    with pytest.raises(Trivial):
        vault.capture("ok, thanks")


def test_capture_redacts_secrets(vault: Memvault) -> None:
    found = vault.capture(f"{FACT} The password is tr0ub4dor&3-Xk.")
    assert found.left_out.sorts
    assert "tr0ub4dor" not in vault.path_of(found.memory.id).read_text()
    with pytest.raises(SecretFound):
        vault.remember(f"{FACT} The password is tr0ub4dor&3-Xk.", near="ignore")


def test_capture_stores_accepted_text_with_the_reviewers_weight(vault: Memvault) -> None:
    found = captured(vault, answering(importance=9, relevance=8, novelty=8, trivial=False))
    assert (found.outcome, found.memory.weight) == ("kept", 0.9)
    lines = "".join(path.read_text() for path in (vault.root / ".memvault/journal").rglob("*.jsonl"))
    assert '"e":"verdict"' in lines


@pytest.mark.parametrize(
    "scores",
    [
        {"importance": 2, "relevance": 8, "novelty": 8},
        {"importance": 8, "relevance": 3, "novelty": 8},
        {"trivial": True},
    ],
    ids=str,
)
def test_capture_does_not_store_rejected_text(vault: Memvault, scores: dict[str, object]) -> None:
    before = notes_of(vault.root)
    found = captured(vault, answering(**scores))
    assert found.outcome == "rejected"
    assert found.why
    assert notes_of(vault.root) == before


def test_capture_adds_known_text_to_the_existing_memory(vault: Memvault) -> None:
    known = vault.remember("The portal of the harbour office goes down on Sunday nights.", title="Portal")
    vault.refresh()
    text = "The portal of the harbour office goes down on Sunday nights, and nobody may deploy to it meanwhile."
    found = captured(vault, answering(importance=7, relevance=7, novelty=1, trivial=False), text)
    assert (found.outcome, found.memory.id) == ("added", known.memory.id)
    assert "nobody may deploy" in vault.path_of(known.memory.id).read_text()


def test_capture_falls_back_to_rules_when_the_model_fails(vault: Memvault) -> None:
    def failing(*_said: object, **_more: object) -> Failure:
        return Failure("late", "it did not answer in time")

    before = len(notes_of(vault.root))
    found = captured(vault, failing, f"We decided that {FACT[0].lower()}{FACT[1:]}")  # type: ignore[arg-type]
    assert found.outcome in ("kept", "rejected")
    assert len(notes_of(vault.root)) - before == (found.outcome == "kept")


def test_capture_dry_run_stores_nothing(vault: Memvault) -> None:
    before = notes_of(vault.root)
    assert captured(vault, answering(importance=9, relevance=8, novelty=8), dry_run=True).outcome == "kept"
    assert notes_of(vault.root) == before
