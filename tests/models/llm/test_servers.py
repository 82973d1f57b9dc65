"""A server that speaks the chat form of OpenAI's API, over a real socket."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memvault.models.llm.ask import Deadline, Failure, Setup
from memvault.models.llm.model import create_provider
from memvault.models.llm.schema import make_strict
from tests.models.conftest import FORM, Made
from tests.models.program import GOOD
from tests.models.server import Server, serving


def asked(model: Any, seconds: float = 30.0) -> Any:
    return model.complete_json("the system", "the prompt", FORM, seconds)


def test_it_is_asked_in_the_form_that_such_servers_take(openai: Made, server: Server) -> None:
    assert asked(openai()) == GOOD
    [request] = server.asked
    assert server.paths == ["/v1/chat/completions"]
    assert request["model"] == "small"
    assert request["temperature"] == 0
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    assert request["messages"][0]["content"].startswith("the system")
    assert request["messages"][1]["content"] == "the prompt"
    form = request["response_format"]
    assert (form["type"], form["json_schema"]["strict"]) == ("json_schema", True)
    assert form["json_schema"]["schema"] == make_strict(FORM)


@pytest.mark.parametrize(
    ("how", "forms"),
    [("refuse-schema", ["json_schema", "json_object"]), ("refuse-forms", ["json_schema", "json_object", "none"])],
)
def test_a_server_that_knows_no_schema_is_asked_for_less_and_from_then_on_at_once(
    openai: Made, server: Server, how: str, forms: list[str]
) -> None:
    server.how = how
    model = openai()
    assert asked(model) == GOOD
    assert asked(model) == GOOD
    assert server.forms == [*forms, forms[-1]]
    assert json.dumps(FORM) in server.asked[-1]["messages"][0]["content"]


def test_the_key_comes_from_the_variable_that_is_named(openai: Made, server: Server) -> None:
    variables = {"MY_KEY": " sk-abc \n", "OPENAI_API_KEY": "sk-other"}
    assert asked(openai(key_env="MY_KEY", variables=variables)) == GOOD
    assert asked(openai(variables=variables)) == GOOD
    assert [headers.get("Authorization") for headers in server.headers] == ["Bearer sk-abc", None]


@pytest.mark.parametrize(
    "given",
    [
        *({"key_env": "MY_KEY"}, {"key_env": "MY_KEY", "variables": {"MY_KEY": "a\nb: c"}}, {"name": ""}),
        *({"url": "file:///etc/passwd"}, {"url": "http://user:secret@localhost/v1"}, {"url": "http://[half"}),
        {"url": ""},
    ],
    ids=str,
)
def test_what_does_not_suffice_asks_nobody(openai: Made, server: Server, given: dict[str, Any]) -> None:
    failure = asked(openai(**given))
    assert failure.reason == "unset"
    assert "secret" not in failure.detail
    assert server.asked == []


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        *(("400", "failed"), ("401", "refused"), ("403", "refused"), ("404", "missing"), ("429", "refused")),
        ("500", "failed"),
    ],
)
def test_each_status_is_a_failure_that_quotes_nothing(openai: Made, server: Server, status: str, reason: str) -> None:
    server.how = status
    failure = asked(openai())
    assert isinstance(failure, Failure)
    assert failure.reason == reason
    assert "secret" not in failure.detail


@pytest.mark.parametrize(
    ("how", "content", "reason"),
    [
        ("good", None, "malformed"),
        ("good", '{"word": 7}', "malformed"),
        ("good", {"word": "yes"}, "malformed"),
        ("raw", b"", "failed"),
        ("raw", b"<html>", "failed"),
        ("raw", b"{}", "failed"),
        ("raw", b'{"choices": []}', "failed"),
        ("raw", b'{"choices": [{"message": null}]}', "failed"),
        ("raw", b"[" * 100_000, "failed"),
        ("flood", "", "oversized"),
    ],
)
def test_each_bad_reply_is_a_failure(openai: Made, server: Server, how: str, content: Any, reason: str) -> None:
    server.how, server.content = how, content
    assert asked(openai()).reason == reason


def test_an_answer_in_parts_is_put_together(openai: Made, server: Server) -> None:
    server.content = [{"type": "text", "text": '{"word": "yes", '}, {"type": "text", "text": '"score": 7}'}]
    assert asked(openai()) == GOOD


@pytest.mark.parametrize("how", ["hang", "drip", "drip-headers"])
def test_the_deadline_is_one_for_the_whole_and_not_for_each_read(openai: Made, server: Server, how: str) -> None:
    server.how = how
    deadline = Deadline.within(5)
    assert asked(openai(), seconds=0.3).reason == "late"
    assert deadline.left > 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_and_the_key_goes_to_nobody_else(openai: Made, server: Server, status: int) -> None:
    with serving() as other:
        server.how, server.content = "redirect", (status, f"{other.url}/chat/completions")
        failure = asked(openai(key_env="MY_KEY", variables={"MY_KEY": "sk-abc"}))
        assert failure.reason == "failed"
        assert other.paths == []


def test_no_proxy_is_asked(openai: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    assert asked(openai()) == GOOD


def test_nobody_there_is_a_failure(openai: Made) -> None:
    with serving() as gone:
        url = gone.url
    assert asked(openai(url=url)).reason == "missing"


@pytest.mark.parametrize(
    ("url", "path"),
    [("", "/v1/chat/completions"), ("/v1/", "/v1/chat/completions"), ("/api/v3/chat/completions", None), ("/x", None)],
)
def test_the_address_may_be_given_in_each_usual_form(openai: Made, server: Server, url: str, path: str | None) -> None:
    asked(openai(url=server.url.removesuffix("/v1") + url))
    assert server.paths == [path or (url if url.endswith("completions") else f"{url}/chat/completions")]


@pytest.mark.parametrize(
    ("url", "warned"),
    [
        ("http://localhost:1/v1", False),
        ("http://[::1]:1/v1", False),
        ("http://box.lan/v1", True),
        ("https://a.b", False),
    ],
)
def test_one_is_warned_where_text_would_travel_in_the_open(url: str, warned: bool) -> None:
    standing = create_provider("openai", Setup(environment={}, url=url, name="small")).standing(Deadline.within(1))
    assert any("unencrypted" in problem for problem in standing.problems) == warned
