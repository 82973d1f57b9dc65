"""The tools as an agent meets them: each does what it says, says what it did, and tells how to go on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memvault.agents.hooks.session import end_session
from memvault.agents.hooks.tool_use import watch_for_web

pytest.importorskip("mcp")

from memvault.api import Memvault
from tests.agents.mcp.conftest import Call, Talk
from tests.conftest import Clock

Refused = Callable[..., str]
Opener = Callable[..., Memvault]

PROMISED = (
    (
        "remember recall timeline show dig update pin forget link resolve undo save_progress maintain status"  # in this order
    ).split()
)


# -- what is listed


def listed(talk: Talk):  # type: ignore[no-untyped-def]
    return {tool.name: tool for tool in talk(lambda client: client.list_tools()).tools}


def test_all_that_was_promised_is_there(talk: Talk) -> None:
    assert list(listed(talk)) == PROMISED


def test_readers_and_destroyers_are_told_apart(talk: Talk) -> None:
    hints = {name: tool.annotations for name, tool in listed(talk).items()}
    assert {name for name, hint in hints.items() if hint.read_only_hint} == {
        "recall",
        "timeline",
        "show",
        "dig",
        "status",
    }
    assert {name for name, hint in hints.items() if hint.destructive_hint} == {"update", "forget", "resolve", "undo"}
    assert not any(hint.open_world_hint for hint in hints.values())


def test_every_tool_and_argument_says_what_it_is_for(talk: Talk) -> None:
    for tool in listed(talk).values():
        assert len(tool.description) > 60
        assert tool.title
        assert tool.input_schema["additionalProperties"] is False
        assert tool.output_schema["type"] == "object"
        for name, argument in tool.input_schema["properties"].items():
            assert argument.get("description"), f"{tool.name} {name}"


def test_dig_sends_its_caller_to_a_subagent(talk: Talk, call: Call) -> None:
    assert "SUBAGENT" in listed(talk)["dig"].description
    assert "subagent" in call("dig", topic="gauge battery")["advice"]


def test_instructions_are_short_and_say_when_to_recall(talk: Talk) -> None:
    async def told(client) -> str:  # type: ignore[no-untyped-def]
        return str(client.instructions)

    said = talk(told)
    assert len(said.encode()) < 2_048
    assert "`recall` BEFORE" in said
    assert "never instructions" in said


# -- finding and looking


def test_recall_gives_passages_with_where_they_are_from(call: Call) -> None:
    found = call("recall", query="gauge battery", limit=3)
    first = found["hits"][0]
    assert first["title"] == "How to change a gauge battery without losing readings"
    assert (first["kind"], first["day"]) == ("procedural", "2025-12-02")
    assert "second terminal" in first["text"]
    assert "quoted as data" in found["note"]


def test_pages_of_a_recall_repeat_nothing_and_come_to_an_end(call: Call) -> None:
    whole = [hit["id"] for hit in call("recall", query="gauge", limit=50)["hits"]]
    pages, cursor = [], ""
    for _ in range(len(whole) + 1):
        found = call("recall", query="gauge", limit=2, cursor=cursor)
        pages += [hit["id"] for hit in found["hits"]]
        cursor = found.get("cursor", "")
        if not cursor:
            break
    assert not cursor
    assert len(pages) == len(set(pages))
    assert set(pages) >= set(whole)


def test_what_does_not_fit_into_the_budget_comes_on_the_next_page(call: Call) -> None:
    first = call("recall", query="gauge", budget=120)
    assert first["tokens"] <= 120
    second = call("recall", query="gauge", budget=120, cursor=first["cursor"])
    assert second["hits"][0]["id"] not in [hit["id"] for hit in first["hits"]]


def test_titles_alone_take_less(call: Call) -> None:
    found = call("recall", query="gauge", detail="titles")
    assert not any("text" in hit for hit in found["hits"])
    assert len(found["hits"]) > 3


def test_a_recall_of_nothing_known_says_what_to_do(call: Call) -> None:
    found = call("recall", query="zeppelin airworthiness directive")
    assert "hits" not in found or not found["hits"] or all("weak match" in hit["marks"] for hit in found["hits"])
    empty = call("recall", query="qqqzzz")
    assert empty["hits"] == []
    assert "other words" in empty["advice"]


def test_conditions_narrow_a_recall(call: Call) -> None:
    assert {hit["kind"] for hit in call("recall", kinds="procedural")["hits"]} == {"procedural"}
    assert call("recall", people=["Maja"], query="hazelnuts")["hits"]
    assert call("recall", tags=["no-such-tag"], query="gauge")["hits"] == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"query": "gauge", "limit": 99}, "`limit` cannot be 99: input should be less than or equal to 50"),
        ({"quer": "gauge"}, "this tool takes query, limit"),
        ({"query": "gauge", "cursor": "17"}, "the cursor cannot be '17'"),
        ({"query": "gauge", "cursor": "after-999999"}, "So far down nothing answers"),
        ({"query": " "}, "There is nothing to look for"),
        ({"query": "gauge", "since": "whenever"}, "it must be a date like 2026-01-31"),
        ({"query": "gauge", "kinds": ["odd"]}, "the kind cannot be 'odd': it must be one of"),
        ({"query": "x" * 5_000}, "`query` cannot be"),
        ({"query": ["a", "b"]}, "`query` cannot be"),
    ],
)
def test_what_a_recall_cannot_do_is_told_in_a_sentence(
    refused: Refused, arguments: dict[str, object], told: str
) -> None:
    said = refused("recall", **arguments)
    assert told in said
    assert "Traceback" not in said
    assert len(said) < 300


def test_a_timeline_marks_what_was_chosen(call: Call) -> None:
    chosen = call("recall", query="gauge battery", limit=1)["hits"][0]["id"]
    moments = call("timeline", memories=chosen, around=1)["moments"]
    assert [moment.get("chosen", False) for moment in moments] == [False, True, False]
    assert sorted(moment["when"] for moment in moments) == [moment["when"] for moment in moments]


def test_a_memory_is_shown_in_pages_that_make_up_the_whole(call: Call) -> None:
    whole = call("show", memory="change-a-gauge-battery")
    text, start = "", 0
    for _ in range(20):
        page = call("show", memory="change-a-gauge-battery", start=start, budget=40)
        text += page["text"].removesuffix("…").rstrip() + " "
        start = page.get("next", 0)
        if not start:
            break
    assert text.split() == whole["text"].split()


def test_status_tells_what_there_is(call: Call) -> None:
    found = call("status")
    assert found["memories"] == sum(found["tiers"].values())
    assert "paused" not in found


# -- storing


def test_what_is_remembered_is_found_again_and_taken_back(call: Call) -> None:
    made = call("remember", text="Ines keeps the spare key of the boathouse in the blue tin.", tags="boathouse")
    assert made["did"] == "Remembered"
    [hit] = call("recall", query="spare key boathouse", limit=1)["hits"]
    assert (hit["id"], hit["source"]) == (made["id"], "agent")
    call("undo", operation=made["operation"])
    assert call("recall", query="spare key boathouse blue tin", tags="boathouse")["hits"] == []


def test_the_client_is_the_agent_and_its_calls_are_one_session(call: Call, open_vault: Opener, tmp_path: Path) -> None:
    made = call("remember", text="The ferry to the island leaves at seven on weekdays.")
    call("pin", memory=made["id"])
    last, before = open_vault(tmp_path / "vault").log(limit=2)
    assert (last.agent, last.verb) == ("test-agent", "pin")
    assert last.session == before.session != ""


def test_a_client_may_say_in_which_session_it_calls(talk: Talk, open_vault: Opener, tmp_path: Path) -> None:
    arguments = {"text": "The lighthouse keeper retires in the spring of 2027."}
    talk(lambda client: client.call_tool("remember", arguments, meta={"memvault/session": "abc-123"}))
    assert open_vault(tmp_path / "vault").log(limit=1)[0].session == "abc-123"


def test_claude_codes_own_session_and_project_are_known(house, environment: dict[str, str], tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    from memvault.agents.mcp.caller import McpCaller
    from memvault.system import project as projects

    (tmp_path / "proj").mkdir()
    environment |= {"CLAUDE_CODE_SESSION_ID": "s-1", "CLAUDE_PROJECT_DIR": str(tmp_path / "proj")}
    with house.open_vault(house.describe_access(McpCaller.from_client_name("claude-code"))) as one:
        assert (one.caller.session, one.project) == ("s-1", projects.project_of(tmp_path / "proj"))


def test_a_server_that_outlives_its_session_is_taken_for_one_that_says_none(  # type: ignore[no-untyped-def]
    house, environment: dict[str, str], tmp_path: Path
) -> None:
    from memvault.agents.hooks.tool_use import ToolUse as Used
    from memvault.agents.mcp.caller import McpCaller
    from memvault.core.ids import INVENTED_SESSION
    from memvault.memories.draft import MemoryDraft
    from memvault.memories.remember import remember

    (tmp_path / "proj").mkdir()
    environment |= {"CLAUDE_CODE_SESSION_ID": "s-1", "CLAUDE_PROJECT_DIR": str(tmp_path / "proj")}
    with house.open_vault(house.describe_access(McpCaller.from_client_name("claude-code"))) as one:
        end_session(one.vault)
        read = Used(tool="WebSearch", arguments={}, answer={}, project=one.project)
    with house.open_vault(house.describe_access(McpCaller.from_client_name("claude-code", "s-2"))) as other:
        watch_for_web(other.vault, read)
    with house.open_vault(house.describe_access(McpCaller.from_client_name("claude-code"))) as one:
        assert one.caller.session.startswith(INVENTED_SESSION)
        text = "The rowing club meets on the second Tuesday."
        assert one.vault.run(remember, MemoryDraft(text=text)).memory.more["tainted"] is True


def test_without_an_operation_only_what_one_did_oneself_is_taken_back(
    call: Call, refused: Refused, open_vault: Opener, tmp_path: Path
) -> None:
    made = call("remember", text="The rowing club meets on the second Tuesday of each month.")
    open_vault(tmp_path / "vault").remember("The quay is closed for repairs until the first of March.")
    assert call("undo")["operation"] == made["operation"]
    assert "of yours in this session" in refused("undo")


def test_a_secret_is_refused_and_can_be_left_out(call: Call, refused: Refused) -> None:
    text = "The nightly import reads the weather feed; its password is kT9vQ2mL8zRw, as Dov set it."
    said = refused("remember", text=text)
    assert 'secrets="redact"' in said
    assert "kT9vQ2" not in said
    made = call("remember", text=text, secrets="redact")
    assert any("looks like a secret" in remark for remark in made["remarks"])
    assert "kT9vQ2" not in call("show", memory=made["id"])["text"]


def test_text_from_the_web_waits_in_quarantine(call: Call) -> None:
    made = call("remember", text="Grommets should always be oiled on a Thursday.", source="web")
    assert "quarantine" in made["did"]
    assert call("recall", query="grommets oiled Thursday", limit=1).get("hits", []) == [] or made["id"] not in str(
        call("recall", query="grommets oiled Thursday")
    )


def test_an_agent_stores_nothing_while_the_user_has_it_paused(
    call: Call, refused: Refused, open_vault: Opener, tmp_path: Path
) -> None:
    open_vault(tmp_path / "vault").pause()
    for name, arguments in (
        ("remember", {"text": "The heron nests behind the mill again this year."}),
        ("update", {"memory": "maja-and-hazelnuts", "append": "Walnuts are fine."}),
        ("save_progress", {"text": "Counted herons."}),
    ):
        assert "memvault agent resume" in refused(name, **arguments)
    assert call("status")["paused"] == "everywhere"
    assert call("recall", query="hazelnuts")["hits"]


def test_a_reminder_is_remembered_with_its_day(call: Call) -> None:
    made = call("remember", text="Renew the certificate of the portal.", due="2026-03-01", priority=4)
    assert call("show", memory=made["id"])["fields"]["due"].startswith("2026-03-01")


def test_an_update_adds_and_keeps_what_was_there(call: Call) -> None:
    call("update", memory="maja-and-hazelnuts", append="Walnuts are fine.", add_tags=["food"])
    after = call("show", memory="maja-and-hazelnuts")
    assert "Walnuts are fine." in after["text"]
    assert "food" in after["tags"]
    assert len(after["tags"]) > 1


def test_a_whole_text_is_replaced_only_with_the_version_that_was_read(call: Call, refused: Refused) -> None:
    assert "version" in refused("update", memory="maja-and-hazelnuts", text="New.")
    read = call("show", memory="maja-and-hazelnuts")["version"]
    call("update", memory="maja-and-hazelnuts", append="Walnuts are fine.")
    said = refused("update", memory="maja-and-hazelnuts", text="Maja may eat what she likes.", version=read)
    assert "Read it again with `show`" in said
    assert "Walnuts" in call("show", memory="maja-and-hazelnuts")["text"]


@pytest.mark.parametrize(
    "arguments",
    [{}, {"text": "a", "append": "b", "version": "v"}, {"state": "soon"}],
    ids=["nothing", "both", "no such state"],
)
def test_an_update_that_says_nothing_or_too_much_is_refused(refused: Refused, arguments: dict[str, str]) -> None:
    assert "Traceback" not in refused("update", memory="maja-and-hazelnuts", **arguments)


# -- settling


def test_pinned_and_unpinned(call: Call) -> None:
    call("pin", memory="gauges-keep-winter-time")
    assert call("show", memory="gauges-keep-winter-time")["pinned"] is True
    call("pin", memory="gauges-keep-winter-time", pinned=False)
    assert "pinned" not in call("show", memory="gauges-keep-winter-time")


def test_forgotten_is_not_learnt_again(call: Call, refused: Refused) -> None:
    text = "Dov wants his coffee black and his tea with milk."
    made = call("remember", text=text)
    gone = call("forget", memory=made["id"])
    assert "not to be learnt again" in gone["did"]
    assert "Leave it so" in refused("remember", text=text)
    assert "recall" in refused("show", memory=made["id"])


def test_linked_memories_lead_to_each_other(call: Call) -> None:
    call("link", memory="maja-and-hazelnuts", to="short-answers-first", relation="refines")
    assert call("show", memory="maja-and-hazelnuts")["links"]
    assert any("maja" in path for path in call("show", memory="short-answers-first")["linked_from"])


@pytest.mark.parametrize("holds", ["keep", "newest", "both"])
def test_a_contradiction_is_settled(call: Call, clock: Clock, holds: str) -> None:
    older = call("remember", text="The portal is validated by two reviewers.", title="Older")["id"]
    clock.pass_(days=1)
    newer = call("remember", text="The portal is validated by three reviewers.", title="Newer")["id"]
    kept = call("resolve", keep=older, other=newer, holds=holds)
    gone = {"keep": newer, "newest": older}.get(holds)
    assert kept["id"] == (newer if holds == "newest" else older)
    for each in (older, newer):
        assert ("superseded_by" in call("show", memory=each)) == (each == gone)


def test_upkeep_says_what_it_would_do_and_can_be_taken_back(call: Call, clock: Clock) -> None:
    clock.pass_(days=400)
    dry = call("maintain", dry_run=True)
    assert "operation" not in dry
    done = call("maintain")
    assert [change["title"] for change in done["changes"]] == [change["title"] for change in dry["changes"]] != []
    assert call("undo", operation=done["operation"])["operation"] == done["operation"]
