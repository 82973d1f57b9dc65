"""What a model may do in a recall and to a merged text: with any model or none the same shape, and nothing lost."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

import memvault
from memvault import Memvault
from memvault.core.secrets.scan import redact_secrets
from memvault.maintenance.llm_wording import find_objection, reword_text
from memvault.models.llm.ask import AskModel
from memvault.recall.recall import FilteredHits, RecallHit, filter_hits
from tests import command_line as surfaces
from tests.command_line import Line
from tests.conftest import Opener, write_own_config
from tests.maintenance.upkeep import bodies_of, notes_of, write
from tests.models import conftest as stand_ins
from tests.models.conftest import Made
from tests.models.server import Server

line, log, machine, model = surfaces.line, stand_ins.log, stand_ins.machine, stand_ins.model
server = stand_ins.server

LATE = "(no answer in time)"
SECRET = "AKIAIOSFODNN7EXAMPLQ"
HALF = "MIIEowIBAAKCAQEAvTq0hXwQyJm3kLr8nPz5sUe2cGf7aYb1dWx6oRi9tKj4lMhE"


class Adviser(NamedTuple):
    """Somebody who may be asked, and all that they were asked."""

    ask: AskModel
    server: Server

    @property
    def asked(self) -> str:
        return "\n".join(self.server.prompts)


Advised = Callable[[object], Adviser]


@pytest.fixture
def advised(model: Made, server: Server) -> Advised:
    """Makes an adviser that gives a certain answer."""

    def make(answer: object) -> Adviser:
        server.how, server.content = "hang" if answer == LATE else "good", told(answer)
        made = model("openai", url=server.url, name="small", scrub=redact_secrets)
        return Adviser(made.complete_json, server)

    return make


def told(answer: object) -> str:
    return answer if isinstance(answer, str) else json.dumps(answer)


def seconds_for(answer: object) -> float:
    return 0.4 if answer == LATE else 30.0


def configured(environment: dict[str, str], answer: object, server: Server) -> None:
    """A person's own config with a model that gives a certain answer, both uses switched on."""
    server.how, server.content = "hang" if answer == LATE else "good", told(answer)
    rows: dict[str, dict[str, object]] = {
        "model": {
            "provider": "openai",
            "url": server.url,
            "name": "small",
            "recall_seconds": seconds_for(answer),
            "max_seconds": seconds_for(answer),
        },
        "recall": {"filter": "model"},
        "consolidate": {"wording": "model"},
    }
    lines = [
        f"[{section}]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in row.items())
        for section, row in rows.items()
    ]
    write_own_config(environment, "\n".join(lines))


Answered = Callable[..., Memvault]


@pytest.fixture
def answered(environment: dict[str, str], open_vault: Opener, server: Server) -> Answered:
    """Opens a vault anew on a machine whose model gives a certain answer."""

    def open_(vault: Memvault, answer: object, **given: object) -> Memvault:
        configured(environment, answer, server)
        return open_vault(vault.root, **given)

    return open_


# -- what does not belong to a question

TEXTS = (
    "Sara prefers tea in the morning.",
    "The tea ceremony of the museum is on Sunday.",
    "Tea stains come out with baking soda.",
    "Order more tea for the office, the green one.",
)
QUESTION = "which tea does Sara like"

NO_ANSWER = {
    "prose": "I would take out the second one.",
    "half": '{"irrelevant": [2',
    "texts": {"irrelevant": ["2", "Sara"]},
    "one number": {"irrelevant": 2},
    "unheard of": {"irrelevant": [1, 99]},
    "below": {"irrelevant": [0]},
    "another form": {"relevant": [1]},
    "two answers": '{"irrelevant": [1]} {"irrelevant": [2]}',
    "nothing": "",
    "late": LATE,
}
ANSWERS: dict[str, object] = {
    "well": {"irrelevant": [2, 3]},
    "empty": {"irrelevant": []},
    "twice": {"irrelevant": [4, 4]},
    "all of them": {"irrelevant": [1, 2, 3, 4]},
    **NO_ANSWER,
}
EVERY = pytest.mark.parametrize("answer", ANSWERS.values(), ids=list(ANSWERS))
WITHOUT_AN_ANSWER = pytest.mark.parametrize("answer", NO_ANSWER.values(), ids=list(NO_ANSWER))


@pytest.fixture
def full(vault: Memvault) -> Memvault:
    for text in TEXTS:
        vault.remember(text)
    return vault


@pytest.fixture
def hits(full: Memvault) -> tuple[RecallHit, ...]:
    found = full.recall(QUESTION).hits
    assert len(found) == len(TEXTS)
    return found


def filtered(
    question: str, hits: tuple[RecallHit, ...], ask: AskModel, *, least: float = 0.0, seconds: float = 5.0
) -> FilteredHits:
    return filter_hits(question, hits, ask, least=least, seconds=seconds, whole=lambda memory: "")


@EVERY
@pytest.mark.parametrize("least", [0.0, 0.5])
@pytest.mark.points(quick=10)
def test_of_the_hits_some_stay_in_their_order_and_the_others_are_named(
    hits: tuple[RecallHit, ...], advised: Advised, answer: object, least: float
) -> None:
    found = filtered(QUESTION, hits, advised(answer).ask, least=least, seconds=seconds_for(answer))
    assert list(found.hits) == [hit for hit in hits if hit in found.hits]
    assert not {hit.memory.id for hit in found.hits} & set(found.irrelevant)
    below = {hit.memory.id for hit in hits if hit.similarity < least}
    assert {hit.memory.id for hit in hits} - below <= {hit.memory.id for hit in found.hits} | set(found.irrelevant)
    assert (found.failure is None) == (answer not in NO_ANSWER.values())


def test_with_nothing_found_nobody_is_asked(advised: Advised) -> None:
    adviser = advised({"irrelevant": []})
    assert filtered(QUESTION, (), adviser.ask).hits == ()
    assert adviser.asked == ""


def test_what_is_beyond_the_fifty_that_are_shown_is_judged_by_likeness(
    hits: tuple[RecallHit, ...], advised: Advised
) -> None:
    many = hits[:1] * 50 + hits[-1:]
    assert filtered(QUESTION, many, advised({"irrelevant": []}).ask, least=1.0).hits == hits[:1] * 50
    adviser = advised({"irrelevant": [51]})
    assert filtered(QUESTION, many, adviser.ask).failure is not None
    assert "Memory 50" in adviser.asked
    assert "Memory 51" not in adviser.asked


def test_secrets_and_private_spans_are_not_shown_nor_is_half_of_a_secret(vault: Memvault, advised: Advised) -> None:
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{HALF}\n{HALF}\n-----END RSA PRIVATE KEY-----"
    vault.remember(f"The tea shop's key is {SECRET}.", secrets="keep")
    vault.remember(f"The tea shop's other key:\n\n{key}\n", title="key", secrets="keep")
    vault.remember("The tea shop opens at nine. <private>Sara owes it a fortune.</private>")
    write(vault, f"tea {SECRET}", body="The tea shop is in the harbour.")
    found = vault.recall("tea shop key").hits
    cut = tuple(replace(hit, text=HALF[:40]) if hit.memory.title == "key" else hit for hit in found)
    adviser = advised({"irrelevant": []})
    kept = filter_hits(f"tea shop {SECRET}", cut, adviser.ask, whole=lambda memory: vault.source(memory.id)[1].decode())
    assert "opens at nine" in adviser.asked
    assert not [secret for secret in (SECRET, HALF[:40], "fortune") if secret in adviser.asked]
    assert kept.hits == cut


def test_what_memories_say_is_data(hits: tuple[RecallHit, ...], advised: Advised) -> None:
    adviser = advised({"irrelevant": []})
    filtered(QUESTION, hits, adviser.ask)
    prompt = adviser.asked
    token = prompt.partition("BEGIN ")[2].partition("}")[0].partition("`")[0]
    assert prompt.count(f"\nBEGIN {token}\n") == prompt.count(f"\nEND {token}") == len(hits) + 1


# -- the same in a recall


def test_a_recall_shows_what_the_model_left_and_says_what_it_took(full: Memvault, answered: Answered) -> None:
    plain = full.recall(QUESTION)
    found = answered(full, {"irrelevant": [2, 3]}).recall(QUESTION)
    assert [hit.memory.id for hit in found.hits] == [plain.hits[0].memory.id, plain.hits[3].memory.id]
    assert found.irrelevant == tuple(hit.memory.id for hit in plain.hits[1:3])


def test_more_are_looked_through_than_are_wanted(full: Memvault, answered: Answered) -> None:
    wanted = full.recall(QUESTION).hits[1]
    assert [hit.memory.id for hit in answered(full, {"irrelevant": [1]}).recall(QUESTION, limit=1).hits] == [
        wanted.memory.id
    ]


@WITHOUT_AN_ANSWER
@pytest.mark.points(quick=3)
def test_where_no_answer_can_be_read_a_recall_is_as_without_a_model(
    full: Memvault, answered: Answered, answer: object
) -> None:
    asked = {"limit": 2, "min_similarity": 0.0}
    plain = full.recall(QUESTION, **asked)  # type: ignore[arg-type]
    vault = answered(full, answer)
    found = vault.recall(QUESTION, **asked)  # type: ignore[arg-type]
    assert found.unsifted in ("malformed", "late")
    assert replace(found, irrelevant=None, unsifted=None) == plain
    assert vault.open_model().status().spent.failed > 0


def test_what_a_person_demands_holds_whatever_the_model_says(full: Memvault, answered: Answered) -> None:
    vault = answered(full, {"irrelevant": []})
    assert all(hit.similarity >= 0.5 for hit in vault.recall(QUESTION, min_similarity=0.5).hits)
    assert len(vault.recall(QUESTION).hits) == len(TEXTS)


def test_conditions_alone_ask_nobody(full: Memvault, answered: Answered, server: Server) -> None:
    from memvault.core.query import Filters

    vault = answered(full, {"irrelevant": [1]})
    assert len(vault.recall("", filters=Filters(kinds=frozenset({"semantic", "episodic", "prospective"}))).hits)
    assert server.asked == []


@pytest.mark.parametrize("filtering", ["off", "model"])
def test_without_a_model_a_recall_loads_nothing_of_it(
    full: Memvault, environment: dict[str, str], filtering: str
) -> None:
    write_own_config(environment, f'[recall]\nfilter = "{filtering}"\n')
    source = f"""
import sys
from memvault.api import Memvault
with Memvault({str(full.root)!r}) as vault:
    assert type(vault.recall("tea")).__name__ == "RecallResult"
own = ("memvault.models.llm", "memvault.recall.llm_filter", "memvault.models.llm.model", "memvault.core.secrets.scan")
print(sorted(name for name in sys.modules if name.startswith(own)))
"""
    there = {**environment, "PYTHONPATH": str(Path(memvault.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", source], env=there, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_without_a_model_no_byte_of_an_answer_changes(line: Line, environment: dict[str, str]) -> None:
    line("init", ".", "--sample")
    words = ("recall", "river", "--explain", "--json")
    plain = line(*words)
    write_own_config(environment, '[recall]\nfilter = "model"\n')
    assert line(*words) == plain
    assert set(plain.json["result"]) == {"query", "hits", "tokens", "budget", "left_out", "searched"}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"irrelevant": [2]}, "took out 1 match as irrelevant"),
        ({"irrelevant": []}, "took nothing out"),
        ("Well.", "did not look through the matches (malformed)"),
    ],
)
def test_explain_says_what_the_model_did(
    line: Line, environment: dict[str, str], server: Server, answer: object, said: str
) -> None:
    line("init", ".")
    for text in TEXTS:
        line("remember", text)
    configured(environment, answer, server)
    assert said in line("recall", QUESTION, "--explain").err
    assert "language model" not in line("recall", QUESTION).err


def test_where_the_model_took_everything_that_is_said_and_how_to_see_it(
    line: Line, environment: dict[str, str], server: Server
) -> None:
    line("init", ".")
    line("remember", TEXTS[0])
    configured(environment, {"irrelevant": [1]}, server)
    ran = line("recall", QUESTION)
    assert ran.out == ""
    assert "recall.filter off" in ran.err
    assert "No matches" not in ran.err


# -- the wording of a merge

MERGED = """\
In the morning Sara prefers tea from Assam. Sara keeps the kettle in the office kitchen. The kettle holds 2 litres.

## Also noted

- Sara prefers tea from Assam in the morning.
- The kettle must not boil dry.
"""
BETTER = """\
Sara prefers tea from Assam in the morning. Sara keeps the kettle in the office kitchen. The kettle holds 2 litres.

The kettle must not boil dry.
"""
UNFIT = {
    "drops one": BETTER.replace("The kettle holds 2 litres.", ""),
    "drops all": "Sara likes tea.",
    "another number": BETTER.replace("2 litres", "3 litres"),
    "a number more": BETTER.replace("in the morning", "in the morning at 7"),
    "another name": BETTER.replace("Sara keeps", "Tom keeps"),
    "a name more": BETTER.replace("the office kitchen", "the Berlin office kitchen"),
    "a date": BETTER + "\nBought on 2026-01-05.\n",
    "a path": BETTER.replace("the office kitchen", "/srv/kitchen"),
    "denied": BETTER.replace("Sara prefers", "Sara never prefers"),
    "allowed": BETTER.replace("must not boil", "must boil"),
    "struck out": BETTER.replace("The kettle must not boil dry.", "~~The kettle must not boil dry.~~"),
    "a link": BETTER.replace("kettle in", "[kettle](https://example.org/x) in"),
    "a comment": "Here is the text:\n\n" + BETTER,
    "hidden": BETTER.replace("tea", "t\u200bea"),
    "a heading": "## Kettles\n\n" + BETTER,
    "far too long": BETTER * 3,
}
WORDINGS: dict[str, object] = {
    "well": {"text": BETTER},
    "the same": {"text": MERGED},
    **{name: {"text": text} for name, text in UNFIT.items()},
    "prose": BETTER,
    "half": '{"text": "Sara prefers',
    "a list": {"text": [BETTER]},
    "empty": {"text": ""},
    "blank": {"text": "  \n"},
    "two answers": f"{told({'text': BETTER})} {told({'text': 'x'})}",
    "late": LATE,
}


@pytest.mark.parametrize("answer", WORDINGS.values(), ids=list(WORDINGS))
@pytest.mark.points(quick=8)
def test_whoever_words_it_the_text_says_the_same(advised: Advised, answer: object) -> None:
    adviser = advised(answer)
    found = reword_text(MERGED, adviser.ask, seconds=seconds_for(answer))
    assert find_objection(MERGED, found.text) == ""
    is_better = answer == {"text": BETTER}
    assert found.text == (BETTER if is_better else MERGED)
    assert bool(found.note) == (answer is not None and answer != {"text": MERGED})
    assert (found.note == "worded by the model") == is_better


@pytest.mark.parametrize("text", ["", "x" * 12_001, f"The key is {SECRET}.", "Tea. <private>No sugar.</private>"])
def test_what_would_not_come_back_whole_is_not_sent(advised: Advised, text: str) -> None:
    adviser = advised({"text": "Tea."})
    assert reword_text(text, adviser.ask).text == text
    assert adviser.asked == ""


# -- the same in a run of upkeep

BASE = "Sara keeps the plan of the harbour in the blue folder. The prod database holds it too."
MORE = f"{BASE.replace('prod', 'production')} Tom has 2 copies of the key to the net loft."
GOOD = (
    "Sara keeps the plan of the harbour in the blue folder. The production database holds it too. "
    "Tom has 2 copies of the key to the net loft."
)


def two_that_are_one(vault: Memvault) -> str:
    """Writes two notes that upkeep makes one of; the text that the rules give it."""
    from memvault.core.similarity.merge_memories import unite_texts

    write(vault, "Plan", "title: The plan", body=f"{MORE}\n")
    write(vault, "Plan again", "title: The plan", body=f"{BASE}\n")
    return unite_texts([f"{MORE}\n", f"{BASE}\n"])


def merged_text(vault: Memvault) -> str:
    path = next(path for path, data in notes_of(vault.root).items() if b"merged_from" in data)
    return (vault.root / path).read_text("utf-8").split("---\n", 2)[2].strip()


def test_a_merge_is_worded_by_the_model_once_and_for_all(vault: Memvault, answered: Answered, server: Server) -> None:
    text = two_that_are_one(vault)
    assert find_objection(text, GOOD) == ""
    machine = answered(vault, {"text": GOOD})
    run = machine.maintain()
    assert merged_text(machine) == GOOD
    assert [done.why for done in run.done if "worded by the model" in done.why]
    before = bodies_of(machine.root)
    assert machine.maintain().done == ()
    assert bodies_of(machine.root) == before
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"text": GOOD.replace("2 copies", "3 copies")}, "was not taken: it says something else"),
        ({"text": GOOD.replace("Tom has 2 copies of the key to the net loft.", "")}, "it leaves something out"),
        ("Certainly!", "gave no wording (malformed)"),
        (LATE, "gave no wording (late)"),
    ],
    ids=["invents", "drops", "prose", "late"],
)
def test_where_the_wording_will_not_do_the_merge_is_as_without_a_model(
    vault: Memvault, answered: Answered, answer: object, said: str
) -> None:
    text = two_that_are_one(vault)
    machine = answered(vault, answer)
    run = machine.maintain()
    assert merged_text(machine) == text.strip()
    assert [done.why for done in run.done if said in done.why]
    assert GOOD[:40] in bodies_of(machine.root)


def test_a_dry_run_asks_nobody_and_neither_does_one_with_nothing_to_merge(
    vault: Memvault, answered: Answered, server: Server
) -> None:
    machine = answered(vault, {"text": GOOD})
    write(vault, "Alone", body="The lighthouse is white.")
    machine.maintain()
    two_that_are_one(vault)
    assert [done for done in machine.maintain(dry_run=True).done if "merged from" in done.why]
    assert server.asked == []


def test_a_text_that_is_somebodys_own_is_not_reworded(vault: Memvault, answered: Answered, server: Server) -> None:
    write(vault, "Plan", "title: The plan", body=f"{BASE}\n")
    write(vault, "Plan again", "title: The plan", body=f"{BASE}\n")
    machine = answered(vault, {"text": GOOD})
    machine.maintain()
    assert merged_text(machine) == BASE
    assert server.asked == []


@pytest.mark.parametrize(("answer", "calls"), [(LATE, 1), ({"text": "No."}, 2)], ids=["late", "unfit"])
@pytest.mark.points(only=True)
def test_a_model_that_does_not_answer_is_not_waited_for_again(
    vault: Memvault, answered: Answered, server: Server, answer: object, calls: int
) -> None:
    two_that_are_one(vault)
    oars = "Maja keeps the oars of the club in the grey shed. The prod list names them too."
    more = f"{oars.replace('prod', 'production')} Ivo has 3 copies of the key to the boat house."
    write(vault, "Oars", "title: The oars", body=f"{more}\n")
    write(vault, "Oars again", "title: The oars", body=f"{oars}\n")
    answered(vault, answer).maintain()
    assert len(server.asked) == calls


def test_both_stay_within_the_budget_of_a_run(vault: Memvault, answered: Answered, server: Server) -> None:
    text = two_that_are_one(vault)
    machine = answered(vault, {"text": GOOD}, settings={"model.max_calls": 0})
    machine.maintain()
    assert merged_text(machine) == text.strip()
    assert machine.recall("plan of the harbour").hits
    assert server.asked == []
