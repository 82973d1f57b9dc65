"""What a prompt is given: what is in hand, what a trigger loads, the few that it calls for; each once, nothing untrusted."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from memvault import Memvault
from memvault.agents.hooks.prompt import inject_prompt
from memvault.context.prompt import Injection
from tests.conftest import Clock, Opener

PROJECT = "folder:gauges"
EVERYWHERE = {"scope": "global"}
QUESTION = "Where is the spare modem of the Hollin gauge?"

Ask = Callable[..., Injection]


@pytest.fixture
def ask(vault: Memvault, open_vault: Opener) -> Ask:
    """Sends a prompt, as the hook does."""

    def asked(prompt: str, session: str = "s1", project: str = PROJECT, **settings: object) -> Injection:
        inside = open_vault(vault.root, agent="claude-code", session=session, settings=settings)
        return inject_prompt(inside, prompt, event="UserPromptSubmit", session=session, project=project)

    return asked


def modem(vault: Memvault, text: str = "lies in the green box", **more: object) -> str:
    given = {**EVERYWHERE, **more}
    made = vault.remember(f"The spare modem of the Hollin gauge {text}.", more=given, near="ignore")  # type: ignore[arg-type]
    return made.memory.id


def test_prompt_gets_two_memories_unless_set(vault: Memvault, ask: Ask) -> None:
    for place in ("in the green box", "at the weir", "with Dov", "in the van"):
        modem(vault, f"was seen {place}")
    assert ask(QUESTION).text.count("\n> ") == 2
    assert ask(QUESTION, "s2", **{"inject.limit": 3}).text.count("\n> ") == 3
    assert ask(QUESTION, "s3", **{"inject.limit": 0}) == Injection()
    assert ask(QUESTION, "s4", **{"inject.similarity": 1.0}) == Injection()


@pytest.mark.parametrize(("kind", "given"), [("episodic", False), ("semantic", True), ("procedural", True)])
def test_old_episodes_are_not_injected(vault: Memvault, ask: Ask, clock: Clock, kind: str, given: bool) -> None:
    vault.remember("The spare modem of the Hollin gauge was lost.", kind=kind, more=EVERYWHERE)
    assert "was lost" in ask(QUESTION, "s1").text
    clock.pass_(days=8)
    assert ("was lost" in ask(QUESTION, "s2").text) is given
    assert "was lost" in ask(QUESTION, "s3", **{"inject.week_days": 30}).text
    assert vault.context(QUESTION).hits


def test_a_memory_whose_text_changed_is_given_again(vault: Memvault, ask: Ask, clock: Clock) -> None:
    id_ = modem(vault)
    assert "green box" in ask(QUESTION).text
    assert ask(QUESTION) == Injection()
    vault.pin(id_)
    assert ask(QUESTION) == Injection()
    vault.edit(id_, body="The spare modem of the Hollin gauge lies in the red box.")
    assert "red box" in ask(QUESTION).text


# -- triggers


def test_a_trigger_loads_its_memory_without_any_cue_once_in_a_session(vault: Memvault, ask: Ask) -> None:
    vault.remember("The harbour crane lifts nine tonnes.", triggers=("harbour crane",), more=EVERYWHERE)
    put = ask("so, the Harbour-Crane then")
    assert "nine tonnes" in put.text
    assert ask("the harbour crane") == Injection()
    (shown,) = vault.list_injections()
    assert [given.why for given in shown.given] == ["trigger “harbour crane”"]


def test_triggered_memories_have_a_limit_of_their_own(vault: Memvault, ask: Ask) -> None:
    for number in range(8):
        vault.remember(
            f"Crane {number} lifts {number} tonnes.", triggers=("cranes",), more=EVERYWHERE, near="ignore", again=True
        )
    for place in ("in the green box", "at the weir"):
        modem(vault, f"was seen {place}")
    text = ask(f"cranes, and: {QUESTION}").text
    assert text.count("tonnes.\n") == 5
    assert text.count("modem of the Hollin gauge was seen") == 2
    assert "tonnes" not in ask("cranes", "s2", **{"inject.triggered": 0}).text


def test_the_longest_phrase_goes_first(vault: Memvault, ask: Ask) -> None:
    vault.remember("Of cranes in general.", triggers=("crane",), more=EVERYWHERE)
    vault.remember("Of the one at the harbour.", triggers=("crane", "harbour crane"), more=EVERYWHERE)
    put = ask("the harbour crane", **{"inject.triggered": 1})
    assert "Of the one at the harbour" in put.text
    assert "in general" not in put.text


def test_a_trigger_that_was_spoken_counts_as_a_use(vault: Memvault, ask: Ask) -> None:
    made = vault.remember("The crane lifts nine tonnes.", triggers=("harbour crane",), more=EVERYWHERE).memory
    vault.show(made.id)
    before = vault.show(made.id).uses
    ask("the harbour crane")
    ask("the harbour crane")
    assert vault.show(made.id).uses == before + 1


# -- tasks in hand


def test_a_task_in_hand_comes_once_with_any_prompt_and_again_when_it_changed(
    vault: Memvault, ask: Ask, open_vault: Opener
) -> None:
    mine = open_vault(vault.root, agent="claude-code", session="s1")
    mine.work_start("Mend the poller of the gauges.")
    assert "Mend the poller" in ask("go on").text
    assert ask("go on") == Injection()
    mine.work_note("The modem is the cause.")
    assert "The modem is the cause" in ask("go on").text
    assert ask("go on", "s2") == Injection()
    shared = {"event": "UserPromptSubmit", "project": PROJECT}  # one vault that is kept open for all sessions
    assert "Mend the poller" not in inject_prompt(vault, "go on", session="s2", **shared).text
    mine.work_note("It is the grey one.")
    assert "the grey one" in inject_prompt(vault, "go on", session="s1", **shared).text


# -- who may come in


@pytest.mark.parametrize(
    ("more", "given"),
    [
        ({"source": "user"}, True),
        ({"source": "agent"}, True),
        ({"source": "hook"}, True),
        ({"source": "import"}, True),
        ({"source": "tool"}, False),
        ({"source": "web"}, False),
        ({"source": "agent", "tainted": "true"}, False),
        ({"source": "agent", "tainted": "false"}, True),
        ({"project": "folder:other", "scope": "project"}, False),
        ({"project": "folder:other", "scope": "global"}, True),
        ({"project": PROJECT, "scope": "project"}, True),
        ({"status": "archived"}, False),
    ],
)
@pytest.mark.parametrize("by", ["trigger", "cue"])
def test_prompt_gets_only_trusted_memories_of_this_project(
    vault: Memvault, ask: Ask, more: dict[str, str], given: bool, by: str
) -> None:
    fields = "".join(f"{name}: {value}\n" for name, value in {"scope": "global", **more}.items())
    trigger = "triggers: [green box]\n" if by == "trigger" else ""
    text = f"---\nkind: semantic\n{fields}{trigger}---\nThe spare modem of the Hollin gauge lies in the green box.\n"
    (vault.root / "2-memories" / "modem.md").write_text(text)
    put = ask("the green box" if by == "trigger" else QUESTION)
    given = given and (more.get("source"), by) != ("import", "trigger")  # a stranger's phrase loads nothing
    assert ("spare modem" in put.text) is given


def test_however_much_of_other_projects_is_more_alike_that_of_this_one_is_given(vault: Memvault, ask: Ask) -> None:
    head = "---\nkind: semantic\nscope: project\nproject: folder:other\n---\n"
    for number in range(240):
        text = f"Spare modem {number} of the Hollin gauge: where is the spare modem?\n"
        (vault.root / "2-memories" / f"spare-modem-{number}.md").write_text(f"{head}{text}")
    modem(vault, "lies in the green box, below the ropes, the lamps, the boots and whatever else nobody took home")
    assert "green box" in ask(QUESTION).text


@pytest.mark.parametrize("trigger", ["e", "it", "the", "is it", "の", "42"])
def test_a_phrase_that_stands_in_every_other_prompt_loads_nothing(vault: Memvault, ask: Ask, trigger: str) -> None:
    vault.remember("The harbour crane lifts nine tonnes.", triggers=(trigger,), more=EVERYWHERE)
    assert ask(f"so {trigger} then, e") == Injection()


@pytest.mark.parametrize("trigger", ["CRM", "C++", "税表", "in two weeks", "who am I"])
def test_a_phrase_may_be_short(vault: Memvault, ask: Ask, trigger: str) -> None:
    vault.remember("The harbour crane lifts nine tonnes.", triggers=(trigger,), more=EVERYWHERE)
    assert "nine tonnes" in ask(f"so {trigger} then").text


def test_prompt_gets_one_of_two_duplicates(vault: Memvault, ask: Ask) -> None:
    modem(vault, "lies in the green box at the weir")
    vault.remember(
        "Session of Monday. Decided: the spare modem of the Hollin gauge lies in the green box at the weir. Open: nothing.",
        title="Session of Monday",
        more=EVERYWHERE,
        near="ignore",
    )
    assert ask(QUESTION).text.count("green box at the weir.") == 1


def test_triggered_memory_is_not_repeated_by_a_duplicate(vault: Memvault, ask: Ask) -> None:
    vault.remember(
        "The spare modem of the Hollin gauge lies in the green box.", triggers=("spare modem",), more=EVERYWHERE
    )
    vault.remember(
        "Session of Monday. Decided: The spare modem of the Hollin gauge lies in the green box.",
        title="Session of Monday",
        more=EVERYWHERE,
        near="ignore",
    )
    put = ask(QUESTION)
    assert put.text.count("\n> ") == 1
    assert "Session of Monday" not in put.text


def test_a_private_span_is_never_given(vault: Memvault, ask: Ask) -> None:
    note = "---\nscope: global\ntriggers: [door]\n---\nThe door. <private>The code is kumquat.</private> It is green.\n"
    (vault.root / "2-memories" / "door.md").write_text(note)
    text = ask("the door").text
    assert "It is green" in text
    assert "kumquat" not in text


def test_a_giant_prompt_is_answered_within_its_room(vault: Memvault, ask: Ask) -> None:
    modem(vault)
    text = ask(f"{QUESTION} " + "word " * 200_000).text
    assert "green box" in text
    assert len(text) < 9_500


def test_without_a_session_there_is_no_account_and_nothing_is_held_back(
    vault: Memvault, ask: Ask, clock: Clock
) -> None:
    modem(vault)
    ask(QUESTION, "s1")
    assert "green box" in ask(QUESTION, "").text
    clock.now += timedelta(minutes=1)
    assert "green box" in ask(QUESTION, "").text
