"""When a tool cannot do what it was asked for: a sentence and a way on, whatever came in, however many call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from memvault.agents.mcp.queries import TOOLS
from tests.agents.mcp.conftest import Talk

Refused = Callable[..., str]


def test_what_is_not_there_is_told_with_a_way_on(refused: Refused) -> None:
    assert refused("show", memory="no such thing").endswith("Find it with `recall`, and use the id that it gives.")


def test_a_missing_argument_is_named(refused: Refused) -> None:
    assert refused("show").startswith("`memory` cannot be empty: it has to be given")


def test_a_bug_is_told_without_a_traceback(refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memvault.maintenance.vault_status.vault_status", lambda _context: 1 / 0)
    said = refused("status")
    assert "a bug in memvault (ZeroDivisionError)" in said
    assert "Traceback" not in said


def test_a_vault_that_is_gone_is_told(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "vault").rename(tmp_path / "elsewhere")
    assert "memvault setup" in refused("recall", query="gauge")


@pytest.mark.points(only=True)
def test_many_at_once_do_not_get_in_each_others_way(talk: Talk) -> None:
    import anyio

    async def all_at_once(client):  # type: ignore[no-untyped-def]
        found = []

        async def one(name: str, arguments: dict[str, object]) -> None:
            found.append(await client.call_tool(name, arguments))

        async with anyio.create_task_group() as group:
            for number in range(8):
                group.start_soon(one, "recall", {"query": "gauge battery"})
                text = f"Locker {number * 7919} belongs to the crew of boat {number}."
                group.start_soon(one, "remember", {"text": text})
        return found

    found = talk(all_at_once)
    assert [answer.content[0].text for answer in found if answer.is_error] == []
    made = {answer.structured_content["id"] for answer in found if "operation" in answer.structured_content}
    assert len(made) == 8


# -- junk

JUNK = (None, -1, "", " ", "\x00\u202e", ["a", None], {"a": 1}, "x" * 300, 10**12, True)


@pytest.mark.parametrize("name", [tool for tool in TOOLS if tool != "maintain"])
@pytest.mark.points(quick=5)
def test_no_junk_is_a_bug(talk: Talk, name: str) -> None:
    arguments = list(TOOLS[name].arguments.__annotations__)

    async def all_of_it(client):  # type: ignore[no-untyped-def]
        usual = dict.fromkeys(("memory", "to", "keep", "other"), "maja-and-hazelnuts")
        required = {"text": "The heron nests behind the mill again.", "memories": ["short-answers-first"], **usual}
        given = {argument: value for argument, value in required.items() if argument in arguments}
        return [
            (argument, junk, await client.call_tool(name, {**given, argument: junk}))
            for argument in arguments
            for junk in JUNK
        ]

    for argument, junk, answer in talk(all_of_it):
        told = answer.content[0].text
        assert "a bug in memvault" not in told, (argument, junk)
        assert not answer.is_error or len(told) < 600
