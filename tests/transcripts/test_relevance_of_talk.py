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
from tests.models import conftest as stand_ins
from tests.models.server import Server
from tests.transcripts.talking import GAUGES, chat

line, server = surfaces.line, stand_ins.server

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


def test_filter_removes_hits_the_model_names(
    taught: Memvault, environment: dict[str, str], open_vault: Any, server: Server
) -> None:
    plain = keys(asked(taught))
    assert len(plain) > 3
    configured(environment, {"irrelevant": [1, 3]}, server)
    found = asked(open_vault(taught.root))
    assert keys(found) == [plain[1], *plain[3:]]
    assert found.irrelevant == (plain[0], plain[2])


def test_filter_keeps_hits_the_model_does_not_name(
    taught: Memvault, environment: dict[str, str], open_vault: Any, server: Server
) -> None:
    plain = keys(asked(taught))
    configured(environment, {"irrelevant": []}, server)
    found = asked(open_vault(taught.root))
    assert keys(found) == plain
    assert found.irrelevant == ()


def test_filter_shows_the_model_more_than_the_limit(
    taught: Memvault, environment: dict[str, str], open_vault: Any, server: Server
) -> None:
    plain = keys(asked(taught))
    configured(environment, {"irrelevant": [1]}, server)
    assert keys(asked(open_vault(taught.root), limit=1)) == plain[1:2]


@pytest.mark.parametrize("answer", NO_ANSWER.values(), ids=list(NO_ANSWER))
@pytest.mark.points(only=True)
def test_filter_ignores_a_failing_or_lying_model(
    taught: Memvault, environment: dict[str, str], open_vault: Any, server: Server, answer: object
) -> None:
    plain = asked(taught, limit=3, min_similarity=0.1)
    configured(environment, answer, server)
    found = asked(open_vault(taught.root), limit=3, min_similarity=0.1)
    assert found.unsifted in ("malformed", "late")
    assert keys(found) == keys(plain)
    own = [row.name for row in fields(CombinedResult) if row.name not in ("ranked", "irrelevant", "unsifted")]
    assert [getattr(found, name) for name in own] == [getattr(plain, name) for name in own]


def test_filter_shows_the_model_no_secret(
    vault: Memvault, environment: dict[str, str], open_vault: Any, tmp_path: Path, server: Server
) -> None:
    said = [*GAUGES, ("Tom", "The modem of the gauge opens with card 4111 1111 1111 1111, by the way.")]
    vault.ingest([str(chat(tmp_path / "talk.json", said))], learn=False)
    configured(environment, {"irrelevant": []}, server)
    asked(open_vault(vault.root))
    assert "4111" not in "\n".join(server.prompts)
    assert "by the way" in "\n".join(server.prompts)


def test_filter_shows_the_model_who_speaks(
    taught: Memvault, environment: dict[str, str], open_vault: Any, server: Server
) -> None:
    configured(environment, {"irrelevant": []}, server)
    asked(open_vault(taught.root))
    assert "Noor said" in "\n".join(server.prompts)


def test_recall_without_the_filter_asks_no_model(taught: Memvault) -> None:
    assert asked(taught).irrelevant is None


@pytest.mark.parametrize("spoken", [True, False])
def test_batch_recall_asks_no_model(
    taught: Memvault, environment: dict[str, str], server: Server, line: Line, spoken: bool
) -> None:
    configured(environment, {"irrelevant": [1]}, server)
    words = ("--include", "transcripts") if spoken else ()
    ran = line("--vault", str(taught.root), "recall", "--batch", "-", *words, stdin=b'{"id": 1, "query": "gauge"}\n')
    assert '"hits"' in ran.out
    assert server.asked == []
