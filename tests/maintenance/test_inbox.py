"""The inbox: what waits for a person comes as cards, each act settles its card, and undo brings the card back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.core.memory import Memory
from memvault.errors import BadInput, ChangedMeanwhile, NotFound
from memvault.maintenance.inbox import CARD_KINDS, find_cards
from memvault.maintenance.inbox.card import ACT_KEYS, Card
from memvault.maintenance.inbox.waiting import states_rule
from memvault.storage.index.rows import decode_memory
from memvault.storage.still_true import digest_lines, remember_root
from tests.conftest import Clock, Opener
from tests.maintenance.upkeep import note

KINDS = [name for name in CARD_KINDS if name not in ("adoption", "task")]  # which only adopted folders have
PORTS = ("The staging database listens on port 5432.", "The staging database listens on port 6543.")
CODE = "The gauges are asked every `poll` seconds."
MOSS = (
    "Sara's dentist is Dr. Moss on Quay Street. She goes twice a year and likes him.",
    "Sara's dentist is Dr. Moss on Quay Street, phone 555-0101. She goes twice a year.",
)


def fill(vault: Memvault, clock: Clock, open_vault: Opener) -> Memvault:
    """Put one thing into the vault for each kind of card."""
    vault.remember(PORTS[0], title="The port", kind="semantic")
    vault.remember(MOSS[0], title="Dr. Moss", kind="semantic")
    clock.pass_(days=1)
    vault.remember(PORTS[1], title="The newer port", kind="semantic", near="ignore")
    vault.remember(MOSS[1], title="Sara's dentist", kind="semantic", near="ignore")
    vault.remember("Renew the parking permit", kind="prospective", more={"due": datetime(2026, 1, 30, tzinfo=UTC)})
    vault.remember("Grommets are oiled on a Thursday.", source="web")
    with open_vault(vault.root, agent="codex", session="s1") as agent:
        agent.remember("Never deploy on a Friday.", title="No deploys on Fridays")
    (vault.root / "2-memories" / "guess.md").write_bytes(note("guess", "unsure: true", "weight: 0.3"))
    (vault.root / "2-memories" / "pale.md").write_bytes(
        note("pale", "last_accessed: 2025-12-20T09:30:00Z", "created: 2025-12-20T09:30:00Z", "weight: 0.5")
    )
    remember_root(vault.state_folder, "gauges", write_code(vault, "poll = 10\n"))
    refs = f"{{path: [poll.py@{digest_lines('poll = 10', CODE)}]}}"
    (vault.root / "2-memories" / "poll.md").write_bytes(note("poll", "project: gauges", f"refs: {refs}", body=CODE))
    write_code(vault, "poll = 20\n")
    clock.pass_(days=1)
    return vault


def write_code(vault: Memvault, text: str) -> Path:
    """Write the file that a memory of the vault speaks of, beside it; gives its folder."""
    folder = vault.root.resolve().parent / "gauges"
    folder.mkdir(exist_ok=True)
    (folder / "poll.py").write_text(text)
    return folder


@pytest.fixture
def full(vault: Memvault, clock: Clock, open_vault: Opener) -> Memvault:
    return fill(vault, clock, open_vault)


def card(vault: Memvault, kind: str) -> Card:
    [found] = vault.inbox(kinds=[kind]).cards
    return found


def files(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*.md")}


def test_each_kind_of_thing_that_waits_has_its_card(full: Memvault) -> None:
    found = full.inbox()
    assert [each.kind for each in found.cards] == KINDS
    assert found.counts == dict.fromkeys(KINDS, 1)
    for each in found.cards:
        assert each.question.endswith("?")
        assert each.why.endswith(".")
        assert all(memory.body for memory in each.memories)
        assert [act.key for act in each.acts] == [ACT_KEYS[act.name] for act in each.acts]


ANSWERS = [
    (kind.name, act) for name in KINDS for kind in [CARD_KINDS[name]] for act, (_, does) in kind.acts.items() if does
]


@pytest.mark.parametrize(("kind", "act"), [*ANSWERS, *((name, "snooze") for name in KINDS)])
def test_an_act_settles_its_card_and_undo_brings_it_back(full: Memvault, kind: str, act: str) -> None:
    before, waiting = files(full.root), card(full, kind)
    op = full.act_on_card(waiting.key, act, version=waiting.version)
    assert op
    assert full.inbox(kinds=[kind]).cards == ()
    full.undo(op)
    assert files(full.root) == before
    assert card(full, kind).key == waiting.key


def test_looking_at_the_inbox_changes_nothing(full: Memvault) -> None:
    full.inbox()
    before = {path: path.stat().st_mtime_ns for path in full.root.rglob("*") if path.is_file()}
    full.inbox()
    full.today()
    assert {path: path.stat().st_mtime_ns for path in full.root.rglob("*") if path.is_file()} == before


def test_each_memory_is_taken_out_of_the_index_once(full: Memvault, monkeypatch: pytest.MonkeyPatch) -> None:
    full.inbox()
    plain, taken = full.find("pale").id, list[str]()

    def count(data: str, crc: int, id_: str) -> Memory | None:
        taken.append(id_)
        return decode_memory(data, crc, id_)

    monkeypatch.setattr("memvault.storage.index.rows.decode_memory", count)
    for look in (full.inbox, full.today):
        taken.clear()
        look()
        assert taken.count(plain) == 1


def test_the_newer_or_the_older_of_two_holds(full: Memvault) -> None:
    newer, older = card(full, "contradiction").memories
    assert (newer.title, older.title) == ("The newer port", "The port")
    assert "“6543” or “5432”" in card(full, "contradiction").question
    op = full.act_on_card(card(full, "contradiction").key, "accept")
    assert full.find(older.id).more["superseded_by"] == (f"[[{newer.name}]]",)
    full.undo(op)
    full.act_on_card(card(full, "contradiction").key, "refuse")
    assert full.find(newer.id).more["superseded_by"] == (f"[[{older.name}]]",)


def test_a_card_comes_back_when_the_time_it_was_put_off_is_over(full: Memvault, clock: Clock) -> None:
    full.act_on_card(card(full, "rule").key, "snooze", days=3)
    clock.pass_(days=2, hours=23)
    assert full.inbox(kinds=["rule"]).cards == ()
    clock.pass_(hours=1)
    assert card(full, "rule")


def test_a_reminder_that_is_put_off_is_due_the_next_day(full: Memvault, clock: Clock) -> None:
    due = card(full, "due")
    full.act_on_card(due.key, "snooze")
    assert full.find(due.memories[0].id).more["due"] == clock.now + timedelta(days=1)
    clock.pass_(days=1)
    assert card(full, "due")


def test_what_is_adopted_as_a_rule_counts_as_the_persons_own(full: Memvault) -> None:
    rule = card(full, "rule").memories[0]
    assert rule.source == "agent"
    full.act_on_card(card(full, "rule").key, "accept")
    assert full.find(rule.id).source == "user"


def test_an_agent_cannot_make_its_own_rule_a_persons(full: Memvault, open_vault: Opener) -> None:
    key = card(full, "rule").key
    with open_vault(full.root, agent="codex", session="s1") as agent, pytest.raises(Exception, match="person"):
        agent.act_on_card(key, "accept")


def test_what_was_called_right_is_asked_about_when_its_file_changes_again(full: Memvault) -> None:
    waiting = card(full, "outdated")
    assert waiting.why.startswith("It was written before poll.py changed on ")
    full.act_on_card(waiting.key, "accept")
    write_code(full, "poll = 30\n")
    again = card(full, "outdated")
    (write_code(full, "") / "poll.py").unlink()
    assert card(full, "outdated").why == "It was written before poll.py was removed."
    full.act_on_card(again.key, "accept")
    assert full.inbox(kinds=["outdated"]).cards == ()
    assert not full.find(again.memories[0].id).refs.get("path")


def test_a_memory_that_is_corrected_is_asked_about_no_more(full: Memvault) -> None:
    full.edit(card(full, "outdated").memories[0].id, append="It is 20 now.")
    assert full.inbox(kinds=["outdated"]).cards == ()


@pytest.mark.parametrize(
    ("text", "is_rule"),
    [
        ("Never push to main.", True),
        ("Always run the linter before a commit.", True),
        ("From now on we use pnpm.", True),
        ("The deploy takes nine minutes.", False),
        ("Sara lives in Lisbon.", False),
        ("", False),
    ],
)
def test_a_rule_is_told_from_a_fact(text: str, is_rule: bool) -> None:
    assert states_rule(text) is is_rule


def test_a_card_whose_memory_was_changed_meanwhile_is_not_acted_upon(full: Memvault) -> None:
    waiting = card(full, "unsure")
    full.edit(waiting.memories[0].id, append="It says more by now.")
    with pytest.raises(ChangedMeanwhile):
        full.act_on_card(waiting.key, "accept", version=waiting.version)
    assert full.act_on_card(waiting.key, "accept")


def test_a_wrong_name_or_act_is_an_error(full: Memvault) -> None:
    with pytest.raises(NotFound):
        full.act_on_card("nonsense", "accept")
    with pytest.raises(NotFound):
        full.act_on_card("unsure|00000000-0000-0000-0000-000000000000", "accept")
    with pytest.raises(BadInput, match="change the memory itself"):
        full.act_on_card(card(full, "unsure").key, "edit")
    with pytest.raises(BadInput, match="this card has"):
        full.act_on_card(card(full, "unsure").key, "merge")
    with pytest.raises(BadInput, match="the kind of card"):
        full.inbox(kinds=["letters"])


def test_a_card_is_found_by_a_memory_on_it(full: Memvault) -> None:
    cards = full.inbox().cards
    pair = card(full, "duplicate")
    for ref in (pair.key, pair.memories[1].id[:8], "Dr. Moss", "dr. mos"):
        assert [each.kind for each in find_cards(cards, ref)] == ["duplicate"]
    assert find_cards(cards, "nothing of the kind") == []


def test_of_many_that_fade_those_used_most_are_asked_about(full: Memvault) -> None:
    for number in range(14):
        lines = ("last_accessed: 2025-12-20T09:30:00Z", "weight: 0.5", f"access_count: {number % 2}")
        (full.root / "2-memories" / f"leaf{number}.md").write_bytes(note(f"leaf{number}", *lines))
    found = full.inbox(kinds=["fading"]).cards
    assert len(found) == 10
    assert {each.memories[0].access_count for each in found[:7]} == {1}


def test_the_day_shows_what_is_due_was_learned_fades_and_waits(full: Memvault) -> None:
    day = full.today()
    assert [each.memory.title for each in day.due] == ["Renew the parking permit"]
    assert "No deploys on Fridays" in {memory.title for memory in day.learned}
    assert "The port" not in {memory.title for memory in day.learned}
    assert [row.memory.title for row in day.fading] == ["pale"]
    assert {"quarantine": 1, "rule": 1, "unsure": 1}.items() <= dict(day.waiting).items()
