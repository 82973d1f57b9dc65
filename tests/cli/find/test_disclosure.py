"""Three layers, each within its range of tokens on the sample vault, and a context beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memvault.text.terms import estimate_tokens
from tests.command_line import Line
from tests.conftest import Clock

QUERIES = ("gauge battery", "alerts river", "who is Noor Halvorsen", "readings database", "Hollin Weir outage")
LONG_NOTE = "the-night-hollin-weir-went-silent-detail"


def ids(in_sample: Line, query: str) -> list[str]:
    return [line.split()[0] for line in in_sample("recall", query, "--brief", "--limit", "5").out.splitlines()]


@pytest.mark.parametrize("query", QUERIES)
def test_layer_1_tells_five_hits_in_50_to_100_tokens(in_sample: Line, query: str) -> None:
    out = in_sample("recall", query, "--brief", "--limit", "5").out
    assert len(out.splitlines()) == 5
    assert 50 <= estimate_tokens(out) <= 100


def test_layer_1_holds_with_long_titles_in_any_script(in_vault: Line) -> None:
    for number, word in enumerate(("internationalisation", "堤防の水位計", "très-long-mot-composé") * 2):
        title = f"weir {number} {' '.join([word] * 30)}"
        in_vault("remember", f"The weir of {number}.", "--title", title[:190])
    out = in_vault("recall", "weir", "--brief", "--limit", "5").out
    assert len(out.splitlines()) == 5
    assert estimate_tokens(out) <= 100


@pytest.mark.parametrize("columns", [60, 160])
def test_on_a_terminal_layer_1_fills_the_line_with_the_title(in_vault: Line, columns: int) -> None:
    title = "The weir keeper writes every level of the night into a green book"
    in_vault("remember", "The weir.", "--title", title)
    [out] = in_vault("recall", "weir", "--brief", terminal=True, COLUMNS=str(columns)).out.splitlines()
    assert out.endswith(title) if columns > len(title) + 20 else columns - 10 < len(out) <= columns


def test_a_recall_names_the_day_that_it_shows(in_vault: Line, clock: Clock) -> None:
    clock.pass_(days=40)
    in_vault("show", "tea")
    assert "made 2026-01-29" in in_vault("recall", "tea").out
    heading, row = in_vault("list").out.splitlines()
    at = heading.index("USED")
    assert row[at : at + 10] == f"{clock.now:%Y-%m-%d}"


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("count", [1, 3, 5])
@pytest.mark.points(quick=5)
def test_layer_2_tells_the_neighbours_in_200_to_500_tokens(in_sample: Line, query: str, count: int) -> None:
    out = in_sample("session", "timeline", *ids(in_sample, query)[:count]).out
    assert 200 <= estimate_tokens(out) <= 500


def test_layer_3_gives_a_long_text_in_parts_of_500_to_1000_tokens(in_sample: Line) -> None:
    text = in_sample("show", "--all", LONG_NOTE).out.partition("\n\n")[2]
    Path("2-memories/river.md").write_text(text * 4, encoding="utf-8")
    ran = in_sample("show", "river")
    assert 500 <= estimate_tokens(ran.out) <= 1000
    command = ran.err.strip().rpartition("memvault ")[2].split()
    following = in_sample(*command)
    assert 500 <= estimate_tokens(following.out) <= 1000
    assert following.out != ran.out


def test_every_sample_memory_fits_into_layer_3_whole(in_sample: Line) -> None:
    listed = in_sample("vault", "list", "--json").json["result"]["memories"]
    for row in listed:
        ran = in_sample("show", row["memory"]["id"])
        assert estimate_tokens(ran.out) <= 1000
        assert "goes on" not in ran.err


def test_all_and_json_give_a_long_text_whole(in_sample: Line) -> None:
    assert in_sample("config", "recall.text_tokens", "100").code == 0
    assert "goes on" in in_sample("show", LONG_NOTE).err
    assert "goes on" not in in_sample("show", "--all", LONG_NOTE).err
    assert in_sample("show", LONG_NOTE, "--json").json["result"]["cut"] is False
    part = in_sample("show", LONG_NOTE, "--json", "--from", "100", "--budget", "50").json["result"]
    assert part["start"] == 100
    assert part["next"] > 100


def test_a_brief_recall_holds_its_budget_and_says_what_stayed_out(in_sample: Line) -> None:
    ran = in_sample("recall", "gauge", "--brief", "--budget", "40")
    assert estimate_tokens(ran.out) <= 40
    assert "did not fit: memvault recall" in ran.err


def test_turns_of_conversations_take_a_line_each_too(in_vault: Line) -> None:
    turn = {
        "id": "1",
        "session": "a",
        "time": "2026-01-05T09:00:00Z",
        "speaker": "Noor",
        "text": "The tea is in the attic.",
    }
    Path("talk.json").write_text(json.dumps({"id": "tea", "speakers": ["Noor"], "turns": [turn]}), encoding="utf-8")
    assert in_vault("session", "ingest", "talk.json").code == 0
    words = ("recall", "attic tea", "--brief", "--include", "transcripts")
    line = next(line for line in in_vault(*words).out.splitlines() if "Noor" in line)
    ref, day, _ = line.split(maxsplit=2)
    assert day == "2026-01-05"
    assert "attic" in in_vault("session", "show", ref).out
    assert ref in [hit.get("ref") for hit in in_vault(*words, "--json").json["result"]["hits"]]


def test_a_context_is_for_the_model_and_the_reckoning_for_the_person(in_sample: Line) -> None:
    ran = in_sample("recall", "how to change a gauge battery", "--context", "--explain", "--min-similarity", "0")
    assert ran.out.startswith("<memvault-recall token=")
    token = ran.out.split('"')[1]
    assert ran.out.rstrip().endswith(f'</memvault-recall token="{token}">')
    assert "procedural" in ran.err
    assert all(word in ran.err for word in ("similarity", "importance", "recency", "last used", "use "))


def test_a_context_is_for_the_project_that_is_named(in_sample: Line) -> None:
    def found(*words: str) -> set[str]:
        result = in_sample("recall", "gauge", "--context", "--min-similarity", "0", "--json", *words).json["result"]
        return {hit["memory"]["title"] for hit in result["hits"]}

    assert "Tidemark, the flood alerts" not in found()
    assert "Tidemark, the flood alerts" in found("--project", "fenwick.example/trust/tidemark")


@pytest.mark.parametrize(
    "words",
    [
        ("recall", "x", "--context", "--brief"),
        ("recall", "x", "--context", "--text"),
        ("recall", "x", "--context", "--include", "transcripts"),
        ("recall", "x", "--brief", "--explain"),
        ("recall", "--batch", "-", "--context"),
    ],
)
def test_what_excludes_each_other_is_refused(in_vault: Line, words: tuple[str, ...]) -> None:
    assert in_vault(*words, stdin=b"").code == 2
