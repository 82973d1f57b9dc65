"""The daemon gives the very answers that a process of its own would give, or none."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from memvault import cli
from memvault.api import Memvault
from memvault.cli.commands import ALIASES, MOVED, WRITTEN
from memvault.cli.vault.daemon_commands import READ_COMMANDS
from memvault.daemon.server import DaemonRequest
from memvault.storage.journal.exchanges import latest_exchanges
from tests.command_line import Stream
from tests.daemon.porters import SOON, AskedHandlers, prompt_event, until


class Both(AskedHandlers):
    """One machine with a cold and a warm way to ask."""

    def request(
        self, words: Sequence[str], *, terminal: bool = False, columns: int = 0, data: bytes = b"", **variables: str
    ) -> DaemonRequest:
        environment = {**self.environment, **variables}
        return self.make_request(words, data, terminals=(terminal,) * 3, columns=columns, environment=environment)

    def cold(self, words: Sequence[str], *, terminal: bool = False, **variables: str) -> tuple[int, bytes, bytes]:
        out, err = Stream(terminal=terminal), Stream(terminal=terminal)
        code = cli.run_command(
            words,
            environment={**self.environment, **variables},
            stdin=Stream(terminal=terminal),
            stdout=out,
            stderr=err,
        )
        return code, out.text.encode(), err.text.encode()

    def warmly(self, words: Sequence[str], **given: object) -> tuple[int, bytes, bytes] | None:
        told = self.warm.run_command(self.request(words, **given))  # type: ignore[arg-type]
        return None if told is None else (int(told[0]), told[1], told[2])

    def event(self, data: bytes, words: Sequence[str] = (), **variables: Any) -> bytes:
        """The answer to an event, with all that goes with it done."""
        told = self.warm.answer_event(self.request(words, data=data, **variables))
        assert told is not None
        told.finish(True)
        return told.fields[0]


@pytest.fixture
def both(tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Both]:
    """A sample vault, and a folder in it to ask from."""
    root = tmp_path / "vault"
    Memvault.init(root, sample=True)
    with Memvault(root, environment=environment) as vault:
        vault.remember("Sara prefers tea to coffee, “always”.", title="čaj & 茶", tags=("drink",))
        vault.remember("Sara prefers tea.", title="tea")
    monkeypatch.chdir(root / "2-memories")
    made = Both(environment, root / "2-memories")
    with made.watching():
        yield made


ANSWERED = (
    ("recall", "tea"),
    ("recall", "who", "prefers", "tea"),
    ("recall", "tea", "--json"),
    ("--json", "recall", "茶"),
    ("recall", "tea", "--explain"),
    ("recall", "tea", "--text", "--limit", "1"),
    ("recall", "--brief", "tea"),
    ("recall", "--context", "tea", "--budget", "500"),
    ("recall", "--tag", "drink"),
    ("recall", "xyzzy"),
    ("recall", "tea", "--no-color"),
    ("list",),
    ("list", "--limit", "2", "--json"),
    ("show", "tea"),
    ("show", "tea", "--raw"),
    ("timeline", "tea"),
    ("--vault", "..", "recall", "tea"),
    ("--vault=..", "recall", "tea"),
)


def alike(told: tuple[int, bytes, bytes] | None) -> tuple[int, bytes, bytes] | None:
    """The answer without the word that is drawn anew each time, so that no memory can guess it."""
    return None if told is None else (told[0], re.sub(rb"token=\\?\"\w+", b"token=", told[1]), told[2])


@pytest.mark.parametrize("words", ANSWERED, ids=" ".join)
@pytest.mark.points(quick=7)
def test_the_same_words_the_same_bytes(words: tuple[str, ...], both: Both) -> None:
    both.cold(words)  # what a first use changes has changed by now
    for _ in range(2):  # the second time with all that is kept by now
        assert alike(both.warmly(words)) == alike(both.cold(words))


@pytest.mark.parametrize("columns", [40, 132])
@pytest.mark.points(only=True)
def test_a_terminal_gets_its_width_and_colours(columns: int, both: Both) -> None:
    cold = both.cold(("recall", "tea"), terminal=True, COLUMNS=str(columns), TERM="xterm")
    assert both.warmly(("recall", "tea"), terminal=True, columns=columns, TERM="xterm") == cold
    assert b"\x1b[" in cold[1]
    assert both.warmly(("recall", "tea"), terminal=True, NO_COLOR="1") == both.cold(
        ("recall", "tea"), terminal=True, NO_COLOR="1"
    )


@pytest.mark.points(only=True)
def test_settings_and_places_are_the_callers(both: Both) -> None:
    assert both.warmly(("list",), MEMVAULT_RECALL_LIMIT="1") == both.cold(("list",), MEMVAULT_RECALL_LIMIT="1")
    one = both.warmly(("recall", "tea", "--json"), MEMVAULT_RECALL_LIMIT="1")
    assert one is not None
    assert one == both.cold(("recall", "tea", "--json"), MEMVAULT_RECALL_LIMIT="1")
    assert len(json.loads(one[1])["result"]["hits"]) == 1
    elsewhere = both.request(("recall", "tea"), MEMVAULT_DIR="vault")
    object.__setattr__(elsewhere, "folder", both.folder.parents[1])
    found = both.warm.run_command(elsewhere)
    assert found is not None
    assert found[1] == both.cold(("recall", "tea"))[1]


LEFT_ALONE = (
    ("recall",),
    ("recall", "--help"),
    ("recall", "tea", "--limt", "3"),
    ("recall", "tea", "--limit", "many"),
    ("recall", "--batch", "-"),
    ("show", "no such memory"),
    ("--vault", "nowhere", "recall", "tea"),
    ("remember", "Something new."),
    ("maintain",),
    ("frobnicate",),
    ("show", "./2026-01-29-tea.md"),
    (),
)


@pytest.mark.parametrize("words", LEFT_ALONE, ids=" ".join)
@pytest.mark.points(only=True)
def test_what_cannot_be_answered_so_is_left_to_the_caller(words: tuple[str, ...], both: Both) -> None:
    before = sorted(both.folder.rglob("*"))
    assert both.warmly(words) is None
    assert sorted(both.folder.rglob("*")) == before


@pytest.mark.points(only=True)
def test_where_a_model_or_somebodys_own_code_takes_part_it_is_left_to_the_caller(both: Both) -> None:
    sifting = {
        "MEMVAULT_RECALL_FILTER": "model",
        "MEMVAULT_MODEL_PROVIDER": "command",
        "MEMVAULT_MODEL_COMMAND": "true",
    }
    assert both.warmly(("recall", "tea"), **sifting) is None
    own = Path(both.environment["XDG_CONFIG_HOME"], "memvault", "extensions")
    own.mkdir(parents=True)
    (own / "mine.py").write_text("def extend(house):\n    pass\n")
    assert both.warmly(("recall", "tea")) is None


@pytest.mark.points(only=True)
def test_a_change_made_before_the_question_is_in_the_answer(both: Both) -> None:
    note = both.folder / "by-hand.md"
    for round_ in range(6):
        word = f"zephyr{round_}"
        note.write_text(f"The {word} blows.\n")
        found = both.warmly(("recall", word))
        assert found is not None
        assert word.encode() in found[1]
    note.unlink()
    found = both.warmly(("recall", "zephyr5"))
    assert found is not None
    assert b"by-hand" not in found[1]
    (both.folder.parent / "memvault.toml").write_text("[recall]\nlimit = 1\n")
    found = both.warmly(("recall", "tea", "--json"))
    assert found is not None
    assert len(json.loads(found[1])["result"]["hits"]) == 1


def test_what_was_opened_for_one_question_is_there_for_the_next(both: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    assert both.warmly(("recall", "tea")) is not None
    kept = len(both.pool)
    monkeypatch.setattr("memvault.storage.index.index.Index.__init__", None)
    assert both.warmly(("recall", "tea")) is not None
    assert len(both.pool) == kept == 1


@pytest.mark.points(only=True)
def test_an_index_that_vanishes_or_is_damaged_is_built_again(both: Both) -> None:
    cold = both.cold(("recall", "tea"))
    assert both.warmly(("recall", "tea")) == cold
    cache = Path(both.environment["XDG_CACHE_HOME"])
    for path in sorted(cache.rglob("*"), reverse=True):
        if path.is_file():
            path.unlink()
    until(lambda: both.warmly(("recall", "tea")) is not None)
    assert both.warmly(("recall", "tea")) == cold
    for path in cache.rglob("*"):
        if path.is_file() and path.parent.name == "whoosh":
            path.write_bytes(b"damaged")
    until(lambda: both.warmly(("recall", "tea")) is not None)
    assert both.warmly(("recall", "tea")) == cold


@pytest.mark.points(only=True)
def test_what_is_still_to_be_built_is_left_to_the_caller(both: Both, tmp_path: Path) -> None:
    other: dict[str, Any] = {"XDG_CACHE_HOME": str(tmp_path / "other cache")}
    assert both.warmly(("recall", "tea"), **other) is None
    assert both.warmly(("recall", "tea"), **other) is None  # and nobody began to build it
    both.cold(("recall", "tea"), **other)
    until(lambda: both.warmly(("recall", "tea"), **other) is not None)


def test_an_event_is_answered_as_by_a_hook_of_its_own(both: Both) -> None:
    from memvault.agents.hooks.handler import answer_event

    def event(session: str) -> bytes:
        return prompt_event(session, "Does Sara prefer tea or coffee in the morning?", cwd=both.folder)

    cold = alike((0, answer_event(event("one"), [], both.environment), b""))
    assert cold is not None
    assert b"tea" in cold[1]
    for session, words in (("two", ()), ("three", ("--vault", ".."))):
        assert alike((0, both.event(event(session), words), b"")) == cold
    assert both.event(b"no event") == b""
    assert both.event(event("four"), MEMVAULT_INSIDE="1") == b""


@pytest.mark.points(only=True)
def test_what_is_given_at_one_event_is_known_at_the_next_though_it_comes_at_once(
    both: Both, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memvault.daemon.handlers._TURN_SECONDS", SOON)

    def asking(session: str, words: str = "Does Sara prefer tea or coffee in the morning?") -> bytes:
        return prompt_event(session, words, cwd=both.folder)

    first = both.warm.answer_event(both.request((), data=asking("one")))
    assert first is not None
    assert b"tea" in first.fields[0]
    found: list[bytes] = []
    again = asking("one", "Does Sara prefer tea or coffee in the evening?")
    thread = threading.Thread(target=lambda: found.append(both.event(again)))
    thread.start()
    assert b"tea" in both.event(asking("two"))  # of another session, and waits for nobody
    first.finish(True)
    thread.join(SOON)
    assert found == [b""]


@pytest.mark.points(only=True)
def test_an_exchange_is_recorded_after_its_event_is_answered(both: Both) -> None:
    said = {"hook_event_name": "Stop", "session_id": "one", "cwd": str(both.folder)}
    data = json.dumps({**said, "last_assistant_message": "The tea is on the second shelf."}).encode()
    with Memvault(both.folder.parent, environment=both.environment) as vault:
        told = both.warm.answer_event(both.request((), data=data))
        assert told is not None
        assert tuple(told.fields) == (b"",)
        assert latest_exchanges(vault.state_folder) == ()
        told.finish(True)
        assert [one.answered for one in latest_exchanges(vault.state_folder)] == ["The tea is on the second shelf."]


def test_the_front_door_asks_for_what_is_answered() -> None:
    from memvault import __main__ as front_door

    spellings = {**{name: name for name in READ_COMMANDS}, **ALIASES, **WRITTEN, **MOVED}
    assert {spelling for spelling, name in spellings.items() if name in READ_COMMANDS} == front_door._DAEMON_COMMANDS
    asked = ["recall x", "--vault recall list", "--json show a", "--vault=a session --vault b timeline", "vault list"]
    assert all(front_door._is_daemon_command(line.split()) for line in asked)
    others = ["", "--vault list", "vault", "vault log list", "session list", "remember list", "vault -h list"]
    assert not any(front_door._is_daemon_command(line.split()) for line in others)


@pytest.mark.points(only=True)
def test_whoever_reads_less_of_the_notes_takes_nothing_from_the_others(both: Both) -> None:
    (both.folder / "long.md").write_text("The portal is open. " * 3_500 + "\n\nA quokka smiles.\n")
    asked, little = ("recall", "quokka"), {"MEMVAULT_INDEX_MAX_KILOBYTES": "16"}

    def cold_with_little() -> tuple[int, bytes, bytes]:
        return both.cold(asked, MEMVAULT_INDEX_MAX_KILOBYTES="16")

    assert b"long" not in cold_with_little()[1]
    until(lambda: both.warmly(asked, **little) is not None)
    for _ in range(2):
        assert both.warmly(asked, **little) == cold_with_little()
        assert both.warmly(asked) == both.cold(asked)
    assert b"long" in both.cold(asked)[1]
    assert b"long" not in cold_with_little()[1]


@pytest.mark.points(only=True)
def test_a_lookout_that_the_settings_led_elsewhere_is_given_up(both: Both) -> None:
    note = both.folder.parent / "other/plover.md"
    note.parent.mkdir()
    note.write_text("The plover rests.\n")
    assert both.warmly(("recall", "plover", "--json")) == both.cold(("recall", "plover", "--json"))
    config = both.folder.parent / "memvault.toml"
    before = config.read_bytes()
    config.write_text('[layout]\nmemories = "other"\n')
    cold = both.cold(("recall", "plover", "--json"))
    assert json.loads(cold[1])["result"]["hits"][0]["memory"]["place"] == "memories"
    until(lambda: both.warmly(("recall", "plover", "--json")) == cold)
    assert len(both.watches) == 2
    until(lambda: trimmed(both) == 1)  # it hears of it in its own time
    config.write_bytes(before)
    until(lambda: both.warmly(("recall", "tea", "--json")) == both.cold(("recall", "tea", "--json")))


def trimmed(both: Both) -> int:
    both.watches.trim()
    return len(both.watches)
