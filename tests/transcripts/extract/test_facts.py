"""Single statements out of a conversation: readable on their own, with the turns that they were taken from."""

from __future__ import annotations

from datetime import UTC, date, datetime
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.conversation import Fact, Turn
from memvault.transcripts.extract.facts import extract_facts

NOW = datetime(2026, 1, 29, 9, 30, tzinfo=UTC)


def talk(*said: str, session: str = "one") -> list[Turn]:
    """Turns written as "Ann: I moved."; the speakers "user" and "assistant" are those of a machine."""
    found = []
    for number, line in enumerate(said):
        speaker, _, text = line.partition(": ")
        role = speaker if speaker in ("user", "assistant") else ""
        found.append(Turn(id=f"t{number}", speaker=speaker, text=text, time=NOW, session=session, role=role))
    return found


def texts(*said: str) -> list[str]:
    return [fact.text for fact in extract_facts(talk(*said))]


# -- what a fact says


def test_each_sentence_becomes_a_fact_of_its_speaker() -> None:
    assert texts(
        "Ann: I moved to Porto. My brother bought a red bike.", "Bob: The museum opens at ten on Sundays."
    ) == ["Ann: I moved to Porto.", "Ann: My brother bought a red bike.", "Bob: The museum opens at ten on Sundays."]


def test_facts_name_the_addressee_between_two_speakers() -> None:
    assert texts("Ann: You would be a great counselor.", "Bob: Your garden has lovely roses.") == [
        "Ann to Bob: You would be a great counselor.",
        "Bob to Ann: Your garden has lovely roses.",
    ]


def test_facts_name_a_given_addressee_who_does_not_speak() -> None:
    (fact,) = extract_facts(talk("Ann: You would be a great counselor."), speakers=("Ann", "Bob"))
    assert fact.text == "Ann to Bob: You would be a great counselor."
    assert fact.about == ("Ann", "Bob")


def test_facts_among_three_name_only_a_called_addressee() -> None:
    said = (
        "Ann: I like the harbour in Porto.",
        "Bob: Your garden has lovely roses, Cem!",
        "Cem: You should paint again.",
    )
    assert texts(*said)[1:] == ["Bob to Cem: Your garden has lovely roses, Cem!", "Cem: You should paint again."]


def test_facts_call_the_assistant_by_role_and_leave_the_user_unnamed() -> None:
    assert texts("user: I keep bees in Porto.", "assistant: Your bees need a shaded place.") == [
        "I keep bees in Porto.",
        "The assistant to the user: Your bees need a shaded place.",
    ]


def test_facts_invent_no_speaker() -> None:
    (fact,) = extract_facts([Turn(id="a", speaker="", text="The harbour in Porto is closed.")])
    assert (fact.text, fact.day) == ("Somebody: The harbour in Porto is closed.", None)


@pytest.mark.parametrize(
    ("said", "resolved"),
    [
        ("I met my sister Anna. She works in Porto as a vet.", "My sister Anna works in Porto as a vet."),
        ("I met my sister Anna. She's been a vet for years.", "My sister Anna's been a vet for years."),
        ("A friend joined us there. He plays the old cello.", "The friend plays the old cello."),
        ("I met my sister Anna. He works in Porto as a vet.", "He works in Porto as a vet."),
        ("My mother visited Dr. Weber. She works in Porto now.", "She works in Porto now."),
        ("My sister met Paula there. She works in Porto now.", "She works in Porto now."),
        ("The dog ran into the sea. She works in Porto now.", "She works in Porto now."),
    ],
)
def test_facts_resolve_unambiguous_pronouns(said: str, resolved: str) -> None:
    assert texts(f"Ann: {said}", "Bob: I paint boats.")[1] == f"Ann: {resolved}"


def test_facts_do_not_resolve_pronouns_across_turns() -> None:
    said = texts("Ann: I met my sister Anna at home.", "Bob: She works in Porto as a vet.")
    assert said[1] == "Bob: She works in Porto as a vet."


def test_facts_write_out_relative_days() -> None:
    (fact,) = extract_facts(talk("Ann: I went to a concert in Porto yesterday."))
    assert "2026-01-28" in fact.text
    assert "yesterday" in fact.text
    assert fact.day == date(2026, 1, 28)


def test_fact_day_defaults_to_the_day_of_the_turn() -> None:
    (fact,) = extract_facts(talk("Ann: I keep bees in the garden."))
    assert fact.day == date(2026, 1, 29)


def test_facts_without_a_time_resolve_no_days() -> None:
    (fact,) = extract_facts([Turn(id="a", speaker="Ann", text="I went to a concert yesterday.")])
    assert (fact.text, fact.day) == ("Ann: I went to a concert yesterday.", None)


# -- questions


def test_question_and_answer_become_one_fact() -> None:
    (fact,) = extract_facts(talk("Ann: Where did you go?", "Bob: To Porto."))
    assert fact == Fact(
        text="Ann asked Bob: Where did you go? Bob: To Porto.",
        speaker="Bob",
        turns=("t0", "t1"),
        day=date(2026, 1, 29),
        about=("Ann", "Bob", "Porto"),
    )


def test_short_answers_are_joined_to_their_question() -> None:
    assert texts("Bob: To Porto.", "Ann: I keep bees in the garden.") == ["Ann: I keep bees in the garden."]
    assert texts("Ann: Do you still paint?", "Bob: Yes.") == ["Ann asked Bob: Do you still paint? Bob: Yes."]


def test_facts_skip_thanks_before_an_answer() -> None:
    assert texts("Ann: Where did you go?", "Bob: Thanks for asking! I went to Porto by train.") == [
        "Ann asked Bob: Where did you go? Bob: I went to Porto by train."
    ]
    assert texts("Ann: Where did you go?", "Bob: Thanks!") == []


def test_questions_asked_together_share_an_answer() -> None:
    assert texts("Ann: Where did you go? Did you like it?", "Bob: I was in Porto for a week.") == [
        "Ann asked Bob: Where did you go? Did you like it? Bob: I was in Porto for a week."
    ]


def test_answers_come_from_another_speaker_in_the_same_session() -> None:
    assert texts("Ann: Where did you go?", "Ann: I keep bees in the garden.") == ["Ann: I keep bees in the garden."]
    turns = [*talk("Ann: Where did you go?"), *talk("Bob: I keep bees in the garden.", session="two")]
    assert [fact.text for fact in extract_facts(turns)] == ["Bob: I keep bees in the garden."]


def test_unanswered_question_that_names_something_is_a_fact() -> None:
    assert texts("user: How do I connect the printer to the old router?") == [
        "The user asked the assistant: How do I connect the printer to the old router?"
    ]
    assert texts("assistant: Which printer do you want to connect to the router?") == []


def test_statement_phrased_as_a_question_is_a_fact() -> None:
    assert texts("user: I prefer Word over Docs for the formatting, can you help me with that?") == [
        "The user to the assistant: I prefer Word over Docs for the formatting, can you help me with that?"
    ]


# -- what is left out


@pytest.mark.parametrize(
    "said", ["Thanks a lot!", "Hey Bob! Good to see you!", "ok great", "Sounds good, Bob.", "I totally agree, Bob."]
)
def test_small_talk_is_no_fact(said: str) -> None:
    assert texts(f"Ann: {said}", "Bob: ok") == []


def test_short_sentences_are_joined_to_the_previous_one() -> None:
    assert texts("Ann: I love painting boats. So calming!") == ["Ann: I love painting boats. So calming!"]


def test_facts_skip_code_and_tables_and_keep_lists_whole() -> None:
    text = (
        "My plans for Porto:\n- rent a boat\n- see Anna\n\n```\nsecret = 1\nprint(secret)\n```\n\n|a|b|\n|-|-|\n|x|y|\n"
    )
    assert [fact.text for fact in extract_facts([Turn(id="a", speaker="user", role="user", text=text)])] == [
        "My plans for Porto: rent a boat; see Anna"
    ]


def test_long_list_items_repeat_the_list_heading() -> None:
    items = "\n".join(f"- {name} gets the {'very ' * 20}old boat" for name in ("Ann", "Bob", "Cem"))
    found = extract_facts([Turn(id="a", speaker="user", role="user", text=f"# Heirs\n\n{items}\n")])
    assert [fact.text.startswith("Heirs: ") for fact in found] == [True, True, True]


def test_quoted_text_is_marked_as_quoted() -> None:
    turn = Turn(id="a", speaker="user", role="user", text="> We moved the office to Porto.\n\nI saw this in the paper.")
    assert [fact.text for fact in extract_facts([turn])] == [
        "The user quoted: We moved the office to Porto.",
        "I saw this in the paper.",
    ]


def test_facts_contain_no_private_spans() -> None:
    (fact,) = extract_facts(talk("Ann: The bank in Porto <private>owes me a fortune</private> closes at noon."))
    assert "fortune" not in fact.text


def test_long_assistant_answers_yield_few_facts() -> None:
    step = "The function reads one line after another and puts it into a list of rows for the page. "
    answer = (
        "Certainly! Here is how it works.\n\n## Reading the file\n\n"
        + step * 12
        + "\n\n## Writing the page\n\n"
        + "The crash was caused by an empty last row, which is fixed now. "
        + step * 12
        + "\n\n```python\nopen('x')\n```\n\nLet me know if you have any questions."
    )
    found = [fact.text for fact in extract_facts([Turn(id="a", speaker="assistant", role="assistant", text=answer)])]
    assert len(found) <= 5
    assert "The assistant: The crash was caused by an empty last row, which is fixed now." in found
    assert "The assistant: Reading the file; Writing the page" in found
    assert not any("Certainly" in text or "Let me know" in text or "open(" in text for text in found)


def test_long_user_messages_yield_all_facts() -> None:
    text = " ".join(f"The boat number {number} lies in the harbour of Porto." for number in range(60))
    assert len(extract_facts([Turn(id="a", speaker="user", role="user", text=text)])) == 60


# -- what it is about


@pytest.mark.parametrize(
    ("said", "about"),
    [
        ("I flew to New York with Paula.", ("New York", "Paula")),
        ("Yesterday the Bank of Portugal closed on a Monday.", ("Bank of Portugal",)),
        ("Great weather! Walking helps me to think.", ()),
        ("The LGBTQ group met Dr. Weber.", ("LGBTQ", "Weber")),
        ("See src/app.py and #123 by @kim, fixed in v2.3.1.", ("src/app.py", "#123", "@kim", "v2.3.1")),
        ("`getUser()` calls read_rows in PipeWire.", ("getUser()", "read_rows", "PipeWire")),
        ('I read "Becoming Nicole" in a day.', ("Becoming Nicole",)),
        ("Ich war mit Paula in Hamburg und habe den Hund gesehen.", ("Paula", "Hamburg")),
        ("昨日、田中さんとスターバックスで会いました。", ("田中", "スターバックス")),
        ("我们昨天看了《红楼梦》。", ("红楼梦",)),
        ("Мы с братом ездили в Москву на поезде.", ("Москву",)),
    ],
)
def test_entities_distinguish_names_from_other_words(said: str, about: tuple[str, ...]) -> None:
    (fact,) = extract_facts(talk(f"user: {said}"))
    assert fact.about == about


def test_entities_accept_opening_words_used_as_names_elsewhere() -> None:
    found = extract_facts(talk("user: Oliver hid the old bone. I like it when Oliver sleeps at home."))
    assert [fact.about for fact in found] == [("Oliver",), ("Oliver",)]


def test_entities_know_speakers_by_short_names() -> None:
    found = extract_facts(talk("Bob: That race sounds hard, Mel!", "Melanie: I ran along the river."))
    assert found[0].about == ("Bob", "Melanie")


# -- other languages


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("我昨天去了北京的博物馆。我妹妹买了一辆红色的自行车。", 2),
        ("昨日は京都へ行きました。妹は赤い自転車を買いました。", 2),
        ("어제 부산에 다녀왔습니다. 동생이 빨간 자전거를 샀습니다.", 2),
        ("เมื่อวานฉันไปเชียงใหม่กับน้องสาวของฉัน", 1),
        ("ذهبت أمس إلى المتحف مع أختي الصغيرة. اشترى أخي دراجة حمراء جديدة.", 2),
    ],
)
def test_sentences_are_split_in_every_script(said: str, count: int) -> None:
    assert len(extract_facts(talk(f"user: {said}"))) == count


# -- laws

SPOKEN = st.text(alphabet=st.sampled_from("aB .,!?:\n-#*`>|1你'\"()[]_/@"), max_size=60)
LINES = st.lists(st.tuples(st.sampled_from(["Ann", "Bob", "user", "assistant", ""]), SPOKEN), max_size=6)


@given(LINES)
def test_facts_name_given_turns_and_are_deterministic(lines: list[tuple[str, str]]) -> None:
    turns = [
        Turn(id=f"t{number}", speaker=who, text=said, time=NOW if number % 2 else None)
        for number, (who, said) in enumerate(lines)
    ]
    found = extract_facts(turns)
    ids = [turn.id for turn in turns]
    for fact in found:
        assert set(fact.turns) <= set(ids)
        assert fact.turns
        assert fact.text.strip()
        assert fact.speaker in {turn.speaker for turn in turns if turn.id in fact.turns}
    assert found == extract_facts(turns)
    lasts = [ids.index(fact.turns[-1]) for fact in found]
    assert lasts == sorted(lasts)


@pytest.mark.parametrize(
    "text",
    [
        "I moved to Porto last week with Anna and she loves it. We ate at Da Mario. " * 700,
        "word " * 10_000,
        "*a " * 16_000,
        "[a](" * 12_000,
        "- an item about Porto\n" * 2_400,
        "我昨天去了北京" * 7_000,
        "a/" * 25_000,
    ],
    ids=["prose", "no end", "stars", "links", "list", "dense", "path"],
)
@pytest.mark.points(only=True)
def test_fact_extraction_time_is_linear(text: str) -> None:
    begun = process_time()
    extract_facts([Turn(id="a", speaker="user", role="user", text=text, time=NOW)])
    assert process_time() - begun < 4  # it takes a fraction of a second; what does not grow evenly takes minutes
