"""A recall over conversations that a language model looks through: inclusively, and as without it where it fails."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from memvault import Memvault
from memvault.transcripts.search import CombinedResult, TurnHit
from tests import command_line as surfaces
from tests.command_line import Line
from tests.contracts.test_advisers import NO_ANSWER, configured
from tests.transcripts.talking import GAUGES, chat

line = surfaces.line

QUESTION = "modem of the gauge"


@pytest.fixture
def taught(vault: Memvault, tmp_path: Path) -> Memvault:
    vault.ingest([str(chat(tmp_path / "talk.json", GAUGES))], learn=False)
    vault.remember("The gauge in the harbour has a new modem.", title="Harbour")
    return vault


def keys(found: Any) -> list[str]:
    return [each.ref if isinstance(each, TurnHit) else each.memory.id for each in found.ranked]


def asked(vault: Memvault, **given: Any) -> Any:
    return vault.recall(QUESTION, spoken=True, **given)


def prompts(record: Path) -> str:
    return record.read_text(encoding="utf-8") if record.exists() else ""


def test_filter_removes_hits_the_model_names(
    taught: Memvault, environment: dict[str, str], open_vault: Any, tmp_path: Path
) -> None:
    plain = keys(asked(taught))
    assert len(plain) > 3
    configured(environment, {"irrelevant": [1, 3]}, tmp_path / "asked")
    found = asked(open_vault(taught.root))
    assert keys(found) == [plain[1], *plain[3:]]
    assert found.irrelevant == (plain[0], plain[2])


def test_filter_keeps_hits_the_model_does_not_name(
    taught: Memvault, environment: dict[str, str], open_vault: Any, tmp_path: Path
) -> None:
    plain = keys(asked(taught))
    configured(environment, {"irrelevant": []}, tmp_path / "asked")
    found = asked(open_vault(taught.root))
    assert keys(found) == plain
    assert found.irrelevant == ()


def test_filter_shows_the_model_more_than_the_limit(
    taught: Memvault, environment: dict[str, str], open_vault: Any, tmp_path: Path
) -> None:
    plain = keys(asked(taught))
    configured(environment, {"irrelevant": [1]}, tmp_path / "asked")
    assert keys(asked(open_vault(taught.root), limit=1)) == plain[1:2]


@pytest.mark.parametrize("answer", NO_ANSWER.values(), ids=list(NO_ANSWER))
@pytest.mark.points(only=True)
def test_filter_ignores_a_failing_or_lying_model(
    taught: Memvault, environment: dict[str, str], open_vault: Any, tmp_path: Path, answer: object
) -> None:
    plain = asked(taught, limit=3, min_similarity=0.1)
    configured(environment, answer, tmp_path / "asked")
    found = asked(open_vault(taught.root), limit=3, min_similarity=0.1)
    assert found.unsifted in ("malformed", "late")
    assert keys(found) == keys(plain)
    own = [row.name for row in fields(CombinedResult) if row.name not in ("ranked", "irrelevant", "unsifted")]
    assert [getattr(found, name) for name in own] == [getattr(plain, name) for name in own]


def test_filter_shows_the_model_no_secret(
    vault: Memvault, environment: dict[str, str], open_vault: Any, tmp_path: Path
) -> None:
    said = [*GAUGES, ("Tom", "The modem of the gauge opens with card 4111 1111 1111 1111, by the way.")]
    vault.ingest([str(chat(tmp_path / "talk.json", said))], learn=False)
    configured(environment, {"irrelevant": []}, tmp_path / "asked")
    asked(open_vault(vault.root))
    assert "4111" not in prompts(tmp_path / "asked")
    assert "by the way" in prompts(tmp_path / "asked")


def test_filter_shows_the_model_who_speaks(
    taught: Memvault, environment: dict[str, str], open_vault: Any, tmp_path: Path
) -> None:
    configured(environment, {"irrelevant": []}, tmp_path / "asked")
    asked(open_vault(taught.root))
    assert "Noor said" in prompts(tmp_path / "asked")


def test_recall_without_the_filter_asks_no_model(taught: Memvault) -> None:
    assert asked(taught).irrelevant is None


@pytest.mark.parametrize("spoken", [True, False])
def test_batch_recall_asks_no_model(
    taught: Memvault, environment: dict[str, str], tmp_path: Path, line: Line, spoken: bool
) -> None:
    configured(environment, {"irrelevant": [1]}, tmp_path / "asked")
    words = ("--include", "transcripts") if spoken else ()
    ran = line("--vault", str(taught.root), "recall", "--batch", "-", *words, stdin=b'{"id": 1, "query": "gauge"}\n')
    assert '"hits"' in ran.out
    assert not (tmp_path / "asked").exists()
