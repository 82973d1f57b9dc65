"""Trust is the least of the sources, however many steps lie between a stranger's words and what is made of them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault import Memvault
from memvault.core.memory import SOURCES, Memory
from memvault.core.similarity.merge_memories import can_merge, merge_memories
from memvault.errors import OnlyAPerson
from memvault.maintenance.rules import apply_rules
from memvault.maintenance.rules.case import PlannedNote
from tests.conftest import Clock, Opener
from tests.maintenance.rules.shelf import day, memory, survey

FACT = "The deploy key of the Hollin gauge goes two hours after high water to the harbour office."
VAULT = "11111111-2222-4333-8444-555555555555"

a_source = st.tuples(st.sampled_from((*SOURCES, "")), st.booleans())


def made_of(origins: list[tuple[str, bool]]) -> list[Memory]:
    """Memories of some sources, each with the mark of the web or without."""
    return [
        memory(
            f"note-{number}",
            title="Keys",
            id=f"00000000-0000-4000-8000-{number:012}",
            more={**({"source": source} if source else {}), **({"tainted": True} if tainted else {})},
            body=f"{FACT} That was said {number} times.",
        )
        for number, (source, tainted) in enumerate(origins)
    ]


def least_of(origins: list[tuple[str, bool]]) -> tuple[str, bool]:
    source = max((source or "user" for source, _ in origins), key=SOURCES.index)
    return source, any(tainted for _, tainted in origins)


@given(st.lists(a_source, min_size=2, max_size=10), st.integers())
def test_merges_in_any_order_end_with_the_least_trust(origins: list[tuple[str, bool]], seed: int) -> None:
    left = made_of(origins)
    shuffle = random.Random(seed)
    while len(left) > 1:
        shuffle.shuffle(left)
        one, other, *left = left
        assert can_merge(one, other)
        left.append(merge_memories([one, other], vault_id=VAULT))
    assert (left[0].source, bool(left[0].more.get("tainted"))) == least_of(origins)


@given(st.lists(a_source, min_size=3, max_size=3), st.permutations([0.9, 0.8, 0.7]))
def test_what_is_promoted_has_the_least_trust_of_what_it_was_made_of(
    origins: list[tuple[str, bool]], weights: list[float]
) -> None:
    told = [
        each.with_changes(kind="episodic", weight=weight, body=f"{FACT} {said}", more={**each.more, "session": said})
        for each, weight, said in zip(
            made_of(origins),
            weights,
            ("Sara said so.", "Noor wrote it down.", "The weir is by the bridge."),
            strict=True,
        )
    ]
    made = apply_rules(survey(*told, now=day(1)), frozenset({"promote"})).changes
    assert [isinstance(one, PlannedNote) for one in made] == [True]
    assert isinstance(made[0], PlannedNote)
    known = made[0].memory
    assert (known.source, bool(known.more.get("tainted"))) == least_of(origins)


# -- through agents that read and write


def put(vault: Memvault, text: str, source: str = "web", name: str = "clipped") -> None:
    path = vault.root / "2-memories" / f"{name}.md"
    path.write_text(f"---\nsource: {source}\n---\n# {name.capitalize()}\n\n{text}\n", encoding="utf-8")


def as_agent(vault: Memvault, open_vault: Opener, session: str) -> Memvault:
    return open_vault(vault.root, agent="claude-code", session=session, folder=Path(vault.root).parent)


READINGS = {
    "recall": lambda agent, ref: agent.recall("deploy key Hollin gauge"),
    "show": lambda agent, ref: agent.show(ref),
    "dig": lambda agent, ref: agent.dig("deploy key Hollin gauge"),
    "context": lambda agent, ref: agent.context("deploy key Hollin gauge", min_similarity=0.0),
    "timeline": lambda agent, ref: agent.timeline(ref),
    "list": lambda agent, ref: agent.list(),
}


@pytest.mark.parametrize("way", READINGS)
@pytest.mark.parametrize(
    ("source", "marked"), [("web", True), ("tool", True), ("https://example.org", True), ("user", False)]
)
def test_an_agent_that_is_given_a_strangers_words_is_marked_as_if_it_had_read_them_on_the_web(
    vault: Memvault, open_vault: Opener, way: str, source: str, *, marked: bool
) -> None:
    put(vault, FACT, source)
    agent = as_agent(vault, open_vault, "one")
    READINGS[way](agent, "clipped")
    made = agent.remember("Sara said where keys go: to the harbour office.", near="ignore").memory
    assert bool(made.more.get("tainted")) is marked
    other = as_agent(vault, open_vault, "two")
    assert not other.remember("Another session read nothing of that.", near="ignore").memory.more.get("tainted")


@pytest.mark.parametrize("way", ["recall", "show"])
def test_ten_notes_each_made_of_the_one_before_do_not_become_the_users_own(
    vault: Memvault, open_vault: Opener, clock: Clock, way: str
) -> None:
    put(vault, FACT)
    last = "clipped"
    for number in range(10):
        agent = as_agent(vault, open_vault, f"session-{number}")
        READINGS[way](agent, last)
        made = agent.remember(f"Step {number} on the deploy key of the Hollin gauge: see the office.", near="ignore")
        last = made.memory.id
        clock.pass_(hours=12)
    ended = vault.find(last)
    assert ended.more.get("tainted")
    for _ in range(20):  # whoever asks for it often does not lift it into what is always loaded
        vault.show(last)
        clock.pass_(hours=1)
    vault.maintain()
    assert vault.find(last).place.value == "memories"
    assert "Step 9" not in vault.claude_md(dry_run=True).text


def test_what_an_agent_adds_to_a_persons_memory_makes_it_no_more_than_the_agents(
    vault: Memvault, open_vault: Opener
) -> None:
    own = vault.remember("The Hollin gauge stands by the bridge.").memory
    agent = as_agent(vault, open_vault, "one")
    agent.edit(own.id, fields={"tags": ("gauge",)})
    assert vault.find(own.id).source == "user", "no word of it is another's"
    agent.edit(own.id, append="It is read at noon.")
    assert vault.find(own.id).source == "agent"
    vault.edit(own.id, append="And at midnight.")
    assert vault.find(own.id).source == "agent", "a person's addition vouches for nothing else"
    vault.edit(own.id, fields={"source": "user"})
    assert vault.find(own.id).source == "user"


@pytest.mark.parametrize(
    "line", ["source: https://example.org/tides", "Source-URL: https://example.org/tides", "website: example.org"]
)
def test_only_a_person_says_that_a_clipped_note_is_theirs(vault: Memvault, open_vault: Opener, line: str) -> None:
    (vault.root / "1-hot/tides.md").write_text(f"---\n{line}\n---\n# Tides\n\n{FACT}\n", encoding="utf-8")
    assert FACT not in vault.claude_md(dry_run=True).text
    with pytest.raises(OnlyAPerson):
        as_agent(vault, open_vault, "one").edit("tides", fields={"source": "agent"})
    assert FACT not in vault.claude_md(dry_run=True).text
    vault.edit("tides", fields={"source": "user"})
    assert FACT in vault.claude_md(dry_run=True).text
    assert "example.org" in (vault.root / "1-hot/tides.md").read_text(), "where it is from is not lost"


def test_a_clipped_note_is_accepted_with_its_address(vault: Memvault) -> None:
    (vault.root / "quarantine").mkdir(exist_ok=True)
    (vault.root / "quarantine/tides.md").write_text(f"---\nsource: https://example.org/tides\n---\n{FACT}\n")
    vault.accept("tides")
    assert vault.find("tides").source == "web"
    assert "example.org" in (vault.root / vault.find("tides").path).read_text()
