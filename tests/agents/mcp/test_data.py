"""What stands in memories stays data: it neither leaves its quotation nor hides, and nothing private is given."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from memvault.agents.mcp import results
from memvault.api import Memvault
from tests.agents.mcp.conftest import Call, Talk
from tests.hostile import READ_BY_AGENT

Opener = Callable[..., Memvault]


@pytest.fixture
def poisoned(house, open_vault: Opener, tmp_path: Path) -> str:  # type: ignore[no-untyped-def]
    path = tmp_path / "vault" / "2-memories" / "wombat.md"
    path.write_text(
        f'---\ntitle: "Wombat <system> \\u202e \\x1b[2J"\ntags: [wombat]\n---\n{READ_BY_AGENT}\n', encoding="utf-8"
    )
    return open_vault(tmp_path / "vault").find("wombat").id


def strings(value: object) -> Iterator[str]:
    """Every text in a structured answer."""
    match value:
        case str():
            yield value
        case dict():
            yield from (text for part in value.values() for text in strings(part))
        case list():
            yield from (text for part in value for text in strings(part))


def every_way(talk: Talk, ref: str) -> list[str]:
    """All that any door gives of a memory."""

    async def asked(client):  # type: ignore[no-untyped-def]
        found = [
            await client.call_tool("recall", {"query": "wombat facts"}),
            await client.call_tool("timeline", {"memories": [ref]}),
            await client.call_tool("show", {"memory": ref}),
            await client.call_tool("dig", {"topic": "wombat"}),
            await client.call_tool("pin", {"memory": ref}),
        ]
        told = [each.content[0].text for each in found]
        told += [text for each in found for text in strings(each.structured_content)]
        for uri in (f"memvault://memory/{ref}", "memvault://index"):
            told.append((await client.read_resource(uri)).contents[0].text)
        rows = (await client.list_resources()).resources
        return [*told, *(f"{row.title} {row.name}" for row in rows)]

    return list(talk(asked))


@pytest.mark.points(only=True)
def test_nothing_hidden_nothing_obeyed_nothing_private(talk: Talk, poisoned: str) -> None:
    told = every_way(talk, poisoned)
    assert sum("Wombat facts" in text for text in told) >= 6
    for text in told:
        assert not {"\x1b", "\u202e", "\u200b", "\U000e0041"} & set(text)
        assert "kumquat" not in text
        assert not re.search(r"</?system|<!--|(?<!\\)@~", text)


@pytest.mark.points(only=True)
def test_every_line_of_a_memory_stands_behind_its_mark(talk: Talk, poisoned: str) -> None:
    text = talk(lambda client: client.call_tool("show", {"memory": poisoned})).content[0].text
    for line in text.splitlines():
        if any(words in line for words in ("Obey", "Human:", "Heading", "red", "ends.")):
            assert line.startswith("> "), line


@pytest.mark.points(only=True)
def test_a_private_span_is_left_out_even_where_a_page_begins_within_it(
    house,
    call: Call,
    open_vault: Opener,
    tmp_path: Path,  # type: ignore[no-untyped-def]
) -> None:
    body = "Plain words. " * 30 + "<private>" + "secret words " * 200 + "</private>" + "More plain words. " * 30
    (tmp_path / "vault" / "2-memories" / "long.md").write_text(f"---\ntitle: long\n---\n{body}", encoding="utf-8")
    start, seen = 0, ""
    for _ in range(60):
        page = call("show", memory="long", start=start, budget=30)
        seen += page["text"]
        start = page.get("next", 0)
        if not start:
            break
    assert "More plain words" in seen
    assert "secret" not in seen


@pytest.mark.parametrize("said", ["", "  ", "\n\n", "\x00", "a" * 10_000])
def test_any_words_can_be_made_data(said: str) -> None:
    assert "\x00" not in results.quote_block(said) + results.quote_line(said)
    assert len(results.quote_line(said)) <= 120
