"""Tables, passages and facts, on terminals of several widths and in a pipe."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from memvault.cli.output.memory import format_hit, format_passage, highlight_terms
from memvault.cli.output.terminal import TerminalFormat, TextStyles, format_table
from memvault.core.memory import Memory, Place
from memvault.core.weight import Decay, MemoryUse
from memvault.recall.explain import HitEvidence, explain_hit, explain_turn, explain_weight
from memvault.recall.query import DAY_LABEL, REST_LABEL, TermMatch
from memvault.recall.ranking.turns import ScoreParts
from memvault.text.display import cell_width
from memvault.text.terms import query_terms

NOW = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)
COLUMNS = "ID | >WEIGHT | KIND? | TITLE~"
ROWS = [
    ["5f0c2a9e", "0.8", "semantic", "Portal validation needs two reviewers and one builder"],
    ["0d1c5c5e", "1", "episodic", "日本語の題"],
]


def memory(**given: object) -> Memory:
    values: dict[str, object] = {
        "id": "5f0c2a9e-8d1b-4c77-9b0e-6a1f2e3d4c5b",
        "path": "2-memories/tea.md",
        "place": Place.MEMORIES,
        "title": "Tea",
        "created": NOW,
        "last_accessed": NOW,
    }
    return Memory(**{**values, **given})  # type: ignore[arg-type]


def test_a_table_in_a_pipe_is_aligned_and_whole() -> None:
    assert format_table(COLUMNS, ROWS, TerminalFormat()).splitlines() == [
        "ID        WEIGHT  KIND      TITLE",
        "5f0c2a9e     0.8  semantic  Portal validation needs two reviewers and one builder",
        "0d1c5c5e       1  episodic  日本語の題",
    ]


def test_a_narrow_table_leaves_out_what_may_go_and_cuts_what_gives_way() -> None:
    for width in (52, 60, 70, 100):
        lines = format_table(COLUMNS, ROWS, TerminalFormat(width=width)).splitlines()
        assert all(cell_width(line) <= width for line in lines)
        assert "5f0c2a9e" in lines[1]
    assert "KIND" in format_table(COLUMNS, ROWS, TerminalFormat(width=70))
    assert "KIND" not in format_table(COLUMNS, ROWS, TerminalFormat(width=52))


def test_the_words_that_were_looked_for_are_set_off_in_all_their_forms() -> None:
    terms = query_terms("gauge batteries")
    line = highlight_terms("Gauges need a battery.", terms, TextStyles(has_color=True))
    assert line == "\x1b[1;33mGauges\x1b[0m need a \x1b[1;33mbattery\x1b[0m."


def test_without_colour_nothing_is_set_off() -> None:
    assert highlight_terms("Gauges need a battery.", query_terms("battery"), TextStyles()) == "Gauges need a battery."


def test_a_long_passage_is_cut_to_the_lines_that_say_the_most() -> None:
    text = "\n\n".join(["Nothing here."] * 6 + ["The battery of the gauge is flat."] + ["Nothing there."] * 6)
    shown = format_passage(text, query_terms("gauge battery"), TerminalFormat(width=60), indent="  ", lines=3)
    assert "The battery of the gauge is flat." in shown
    assert shown.startswith("  …")
    assert shown.endswith("…")


def test_paragraphs_fill_the_page_but_lists_and_code_keep_their_lines() -> None:
    paper = TerminalFormat(width=40)
    assert format_passage("one\ntwo\n\n- a\n- b", (), paper, indent="") == "one two\n\n- a\n- b"
    assert format_passage("1. a\n2. b\n# c\n> d", (), paper, indent="") == "1. a\n2. b\n# c\n> d"
    assert format_passage("```\nx = 1\ny = 2\n```", (), paper, indent="") == "```\nx = 1\ny = 2\n```"


def test_a_pipe_gets_the_lines_as_they_are_written() -> None:
    assert format_passage("one\ntwo", (), TerminalFormat(), indent="    ") == "    one\n    two"


def test_a_hit_says_what_it_is_and_carries_no_control_characters() -> None:
    found = memory(title="Tea\x1b[2J", place=Place.ARCHIVED, status="archived", pinned=True)
    shown = format_hit(1, found, "Some \x07 text", (), TerminalFormat(), weight=0.5, weak=True, whole=False)
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "archived · pinned · weak match" in shown


def test_marks_name_what_is_out_of_the_ordinary_once() -> None:
    assert memory().remarks == ()
    assert memory(place=Place.ARCHIVED, status="archived").remarks == ("archived",)
    assert memory(emotional_flag=True, status="stale", more={"superseded_by": ("[[x]]",)}).remarks == (
        "significant",
        "stale",
        "superseded",
    )


SEEN = HitEvidence(
    told=(
        TermMatch("portal", 4.0, ("title", "text"), share=1.0),
        TermMatch("review", 4.0, ("text",), share=1.0),
        TermMatch("zebra", 6.0),
    ),
    text="Portals are reviewed by two.",
    similarity=0.61,
    weak=False,
)
PINNED = "weight 1.00: pinned, so it never decays"


def test_why_tells_the_words_as_they_were_asked() -> None:
    said = "\n".join(explain_hit("Portals reviewed zebra", SEEN, weight_reason=PINNED))
    assert "“Portals” in the title and the passage; “reviewed” in the passage" in said
    assert "not found: “zebra”" in said
    assert (
        "similarity 0.61 of 1: how near it is to the best and how much of the question it says, rare words counting for more"
        in said
    )
    assert said.endswith(PINNED)


def test_why_tells_which_other_word_stands_there_as_it_is_written() -> None:
    other = TermMatch("client", 4.0, ("text",), "custom", 0.4)
    seen = replace(SEEN, told=(other,), text="Two Customers called.", similarity=0.3, weak=True)
    said = "\n".join(explain_hit("Clients", seen, weight_reason=PINNED))
    assert "found: “Clients”, as “Customers”, in the passage" in said
    assert "other words and the rest of the text for less; too little to be sure" in said


def test_why_tells_of_what_meaning_and_ties_add() -> None:
    said = "\n".join(explain_hit("Portals", replace(SEEN, meaning=1.84, ties=0.3), weight_reason=PINNED))
    assert "what it means lies nearer to the question than that of most others; it goes 1.8 further up" in said
    assert "shares links, people, tags or topics with the best hits; it goes 0.3 further up" in said


def test_why_tells_where_only_the_meaning_brought_it_here() -> None:
    seen = replace(SEEN, told=(TermMatch("physician", 4.0),), meaning=2.0, similarity=0.39, weak=True)
    assert "though it says none of its words, which proves little" in " ".join(
        explain_hit("physician", seen, weight_reason="")
    )


def test_why_says_nothing_of_meaning_where_no_model_was_asked() -> None:
    said = "\n".join(explain_hit("Portals", SEEN, weight_reason=PINNED))
    assert "means" not in said
    assert "shares" not in said


def test_why_tells_what_the_score_of_something_said_is_made_of() -> None:
    reasons = ScoreParts(
        words=2.0, around=0.0, sitting=0.5, speaker=3.0, day=0.0, timed=0.0, asking=-1.0, voice=0.0, meaning=0.7
    )
    said = "\n".join(explain_turn(reasons, 0.61))
    assert "score 5.2: +3.0 said by somebody who was named, +2.0 what was asked, in its own words, -1.0 asks" in said
    assert "+0.7 lies nearer in meaning than most" in said
    assert "around" not in said
    assert said.endswith("similarity 0.61 of 1")


def test_why_tells_of_days_and_of_what_stands_elsewhere() -> None:
    found = (TermMatch("novemb", 4.0, (DAY_LABEL,), share=1.0), TermMatch("call", 4.0, (REST_LABEL,), share=0.6))
    seen = replace(SEEN, told=found, dated=True)
    said = "\n".join(explain_hit("call in November", seen, weight_reason=PINNED))
    assert "“November” in the day it was made; “call” in the rest of its text" in said
    assert "made on the days of which the question speaks" in said


def test_why_says_so_where_everything_is_said() -> None:
    seen = replace(SEEN, told=SEEN.told[:2])
    assert "it says everything that was asked" in " ".join(explain_hit("portal reviews", seen, weight_reason=PINNED))


def test_a_weight_is_explained_by_what_it_rests_on() -> None:
    used = MemoryUse(3, datetime(2026, 1, 17, 9, 30, tzinfo=UTC))
    assert explain_weight(memory(pinned=True), 1.0, used, NOW, Decay()) == "weight 1.00: pinned, so it never decays"
    assert (
        explain_weight(memory(), 0.5, used, NOW, Decay())
        == "weight 0.50: began at 0.50, last used 12 days ago, 3 uses add 0.06"
    )
    assert "it does not decay" in explain_weight(memory(decay_eligible=False), 0.5, used, NOW, Decay())
    assert "never used yet" in explain_weight(memory(), 0.5, MemoryUse(0, NOW), NOW, Decay())


def test_facts_are_never_broken_in_the_middle() -> None:
    facts = TerminalFormat(width=24).join_facts(["first fact", "second fact", "third"], "  ")
    assert facts.splitlines() == ["  first fact", "  second fact · third"]
