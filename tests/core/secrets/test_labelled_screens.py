"""The screens held against texts that others labelled: how much of what they stop is rightly stopped, and how much of what should be."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from memvault.core.secrets import scan as leaks
from memvault.core.secrets.screens import Captured, trivial_reason
from tests.benchmarks.judgement.secrets import SEEN, find_flagged, find_missed, read_rows

LABELLED = Path(__file__).parents[2] / "labelled"


class Figures(NamedTuple):
    """How a screen did: the share rightly stopped of all stopped, and of all that should have been."""

    precision: float
    recall: float
    wrongly: tuple[str, ...]
    missed: tuple[str, ...]


def rows(name: str) -> Iterator[dict[str, object]]:
    for line in (LABELLED / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def measured(name: str, label: str, stops: Callable[[str], bool]) -> Figures:
    judged = [(str(row["text"]), row[label] is True, stops(str(row["text"]))) for row in rows(name)]
    stopped = [text for text, _, is_stopped in judged if is_stopped]
    meant = [text for text, is_meant, _ in judged if is_meant]
    rightly = sum(is_meant and is_stopped for _, is_meant, is_stopped in judged)
    wrongly = tuple(text for text, is_meant, is_stopped in judged if is_stopped and not is_meant)
    missed = tuple(text for text, is_meant, is_stopped in judged if is_meant and not is_stopped)
    return Figures(rightly / max(len(stopped), 1), rightly / max(len(meant), 1), wrongly, missed)


def told(name: str, found: Figures, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\n{name}: precision {found.precision:.3f}, recall {found.recall:.3f}")


def test_trivial_texts_are_told_from_those_worth_keeping(capsys: pytest.CaptureFixture[str]) -> None:
    found = measured("trivial", "trivial", lambda text: bool(trivial_reason(Captured(text))))
    told("trivial", found, capsys)
    assert found.precision > 0.80, found.wrongly
    assert found.recall > 0.90, found.missed


def test_texts_with_secrets_are_told_from_those_that_look_alike(capsys: pytest.CaptureFixture[str]) -> None:
    found = measured("secrets", "secret", lambda text: bool(leaks.find_secrets(text)))
    told("secrets", found, capsys)
    assert found.precision >= 0.95, len(found.wrongly)  # the number only: a report of a test is no place for secrets
    assert found.recall >= 0.90, len(found.missed)


def test_secrets_and_personal_numbers_are_redacted_whole_and_their_lookalikes_left_alone() -> None:
    rows = read_rows(SEEN)
    secrets, harmless = sum(len(row["secret"]) for row in rows), sum(not row["secret"] for row in rows)
    assert len(list(find_missed(rows))) <= 0.03 * secrets
    assert len(list(find_flagged(rows))) <= 0.01 * harmless


def test_redacted_text_has_no_secret_left() -> None:
    left = [row["sort"] for row in rows("secrets") if leaks.find_secrets(leaks.redact_secrets(str(row["text"])))]
    assert left == []
