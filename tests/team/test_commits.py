"""What a worker reads of commits: the same as an index at home has, and nothing that must stay at home."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from memvault.api import Memvault
from memvault.team.commits import CommitReader, Mirror
from memvault.team.engines import MEMORY, TURN, Reader, Ref
from memvault.team.engines.memory import MemoryEngine
from memvault.team.shared_vault import SharedVault, open_context
from memvault.transcripts.search import RecallQuery, recall_with_turns
from tests.conftest import Clock
from tests.team import invented
from tests.team.repositories import ENVIRONMENT, Repository

NUMBER, ANN = 1, Reader("ann")


class Stage:
    """A repository, its mirror, and an engine in memory."""

    def __init__(self, vault: Memvault, folder: Path) -> None:
        self.repository, self.engine = Repository(vault), MemoryEngine()
        self.engine.grant(NUMBER, "person:ann")
        self._folder = folder

    def take(self, *, whole: bool = False) -> int:
        """Commit, fetch, read, and write."""
        self.repository.commit()
        mirror = Mirror(self._folder / "mirror", self.repository.url, ENVIRONMENT)
        head = mirror.fetch()
        scratch = self._folder / f"scratch-{head[:8]}"
        scratch.mkdir(exist_ok=True)
        reader = CommitReader(mirror, head, scratch)
        return self.engine.take(NUMBER, reader.read_batch(self.engine, NUMBER, mirror, whole=whole))

    def recall(self, question: str, now: datetime) -> list[tuple[object, ...]]:
        """Ask the shared vault."""
        context = open_context(self.engine, ANN, SharedVault(1, "ours", NUMBER), question, now=now)
        return found(recall_with_turns(context, RecallQuery(query=question, follow=False), is_fresh=True))

    def paths(self) -> set[str]:
        """Where the memories come from that the engine has."""
        refs = [Ref(digit, 0) for digit in "0123456789abcdef"]
        return {source.path for source in self.engine.around(ANN, NUMBER, MEMORY, refs, texts=True).sources}


def found(result: object) -> list[tuple[object, ...]]:
    ranked = result.ranked  # type: ignore[attr-defined]
    return [(type(hit).__name__, hit.text, round(hit.score, 6), hit.similarity) for hit in ranked]


@pytest.fixture
def stage(tmp_path: Path, vault: Memvault) -> Stage:
    return Stage(vault, tmp_path)


def fill(stage: Stage) -> None:
    for title, text in (
        ("Kayak rental", "We rent kayaks from Tom at the river, 40 euro a day."),
        ("Gauge battery", "The gauge battery is replaced every March by Sara. <private>the pin is xyzzy</private>"),
        ("Portal review", "Sara reviews the portal on Fridays, after the kayak course."),
    ):
        stage.repository.vault.remember(text, title=title, people=("Sara",), tags=("work",))
    stage.repository.write("loose.md", "# Loose note\n\nThe lantern hangs in the boat house by the river.\n")
    stage.repository.archive_talk(1, 30)


def test_a_shared_vault_answers_as_the_vault_itself(stage: Stage, clock: Clock) -> None:
    fill(stage)
    assert stage.take() > 0
    for question in (*invented.QUESTIONS, "who rents kayaks", "gauge battery in March", "where does the lantern hang"):
        at_home = stage.repository.vault.run(recall_with_turns, RecallQuery(query=question, follow=False))
        assert stage.recall(question, clock.now) == found(at_home), question


def test_what_is_private_stays_at_home(stage: Stage) -> None:
    fill(stage)
    stage.repository.write("private/diary.md", "# Diary\n\nzeppelin\n")
    stage.repository.write("3-raw/transcripts/x.sealed.age", "zeppelin")
    stage.repository.write("open.md", "# Open\n\nA word. <private>zeppelin</private>\n")
    stage.repository.write("quarantine/web.md", "# Web\n\nzeppelin\n")
    stage.take()
    assert stage.engine.statistics(ANN, NUMBER, ["zeppelin", "xyzzi", "xyzzy"]).terms == {}
    assert not any("zeppelin" in str(source) for _, source in stage.engine._vaults[NUMBER].sources.items())


def test_a_commit_changes_what_it_names_and_a_second_run_nothing(stage: Stage, clock: Clock) -> None:
    fill(stage)
    stage.take()
    stage.repository.write("loose.md", "# Loose note\n\nThe compass hangs there now.\n")
    stage.repository.archive_talk(1, 34)
    (stage.repository.root / "2-memories").joinpath("2026-01-29-kayak-rental.md").unlink()
    changed = stage.take()
    assert 0 < changed < 30, "three files, not all of them"
    digest = stage.engine.digest(NUMBER)
    fresh = Stage.__new__(Stage)
    fresh.repository, fresh.engine, fresh._folder = stage.repository, MemoryEngine(), stage._folder
    stage.repository.write("other.txt", "no note")
    fresh.take()
    assert fresh.engine.digest(NUMBER) == digest


def test_who_has_claimed_an_id_keeps_it_and_a_copy_is_another_memory(stage: Stage) -> None:
    fill(stage)
    stage.take()
    path = "2-memories/2026-01-29-portal-review.md"
    stage.repository.write("2-memories/a-copy.md", (stage.repository.root / path).read_text("utf-8"))
    stage.take()
    assert {path, "2-memories/a-copy.md"} <= stage.paths()
    (stage.repository.root / path).unlink()
    stage.take()
    assert path not in stage.paths()


def test_an_unknown_past_has_everything_read_anew(stage: Stage) -> None:
    fill(stage)
    stage.take()
    stage.engine._vaults[NUMBER].cursor = "0" * 40
    stage.repository.write("more.md", "# More\n\nA ferry.\n")
    assert stage.take() > 0
    assert "more.md" in stage.paths()


def test_conversations_come_with_their_topics(stage: Stage) -> None:
    stage.repository.archive_talk(2, 10)
    stage.take()
    (head,) = stage.engine.around(ANN, NUMBER, TURN, [Ref("00000002", 0)], texts=True).sources
    assert head.short == "00000002"
    assert head.path.startswith("3-raw/transcripts/")
