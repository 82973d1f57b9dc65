"""The analyzer: what text becomes before it is indexed or looked for."""

from __future__ import annotations

import random
import time
from base64 import b64encode
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.text.stem import stem
from memvault.text.terms import contains_phrase, locate_terms, query_tokens, quoted_phrases, split_tokens, token_spans

# Pieces that matter to the analyzer, so that random text is not all noise.
PIECES = st.sampled_from(
    [
        *("ADR-016", "don't", "Sara’s", "l'été", "C++", ".env", "--force", "2.7.5", "v2", "PipeWire", "1,000"),
        *("29th", "src/auth/login.py", "sara@acme.example", "東京都", "ねこ", "한국어", "สวัสดี", "हिन्दी", "й"),
        *("é", "👍🏽", "🇩🇪", "--", "'"),
    ]
)
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=12)), max_size=8).map(" ".join)
RAW = st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=8).map("".join)


# -- words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Plain words, here.", ["plain", "words", "here"]),
        ("don't don’t DON'T", ["dont"] * 3),
        ("Sara's Sara’s SARA'S sara", ["sara"] * 4),
        ("O'Brien's James' 'quoted'", ["obrien", "james", "quoted"]),
        ("l'amour dell'arte", ["amour", "lamour", "arte", "dellarte"]),
        ("Müller CAFÉ cafe\u0301 Straße łódź Ærø", ["muller", "cafe", "cafe", "strasse", "lodz", "aero"]),
        ("ﬁne ＡＢＣ ½", ["fine", "abc", "1", "2"]),
        ("dis\u00adcount", ["discount"]),
        ("**bold** `code` [[Link|alias]] (foo)", ["bold", "code", "link", "alias", "foo"]),
        ("1,000 2,000,000", ["1000", "2000000"]),
        ("--- ... ** ' \" #", []),
    ],
)
def test_words_are_folded_so_that_ways_of_writing_meet(text: str, expected: list[str]) -> None:
    assert split_tokens(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(("pipe-wire", "PipeWire"), ("pipe_wire", "pipewire"), ("ADR-016", "ADR016"), ("COVID-19", "covid19")),
        *(("Node.js", "NodeJS"), ("U.S.A.", "USA"), ("2026-01-29", "2026/01/29"), ("APIs", "apis")),
        *(("v2.7.5", "2.7.5"), ("5km", "5 km"), ("29th", "29"), ("ёлка", "елка"), ("за\u0301мок", "замок")),
        *(("Ἀθῆναι", "Αθηναι"), ("مُحَمَّد", "محمد"), ("أحمد", "احمد"), ("שָׁלוֹם", "שלום"), ("٢٠٢٦", "2026")),
        *(("ｶﾞｷﾞ", "ガギ"), ("か\u3099", "が"), ("#tag", "tag"), ("C:\\Users\\sara", "c/users/sara")),
    ],
)
def test_spellings_of_one_thing_share_a_token(one: str, other: str) -> None:
    shared = set(split_tokens(one)) & set(split_tokens(other))

    assert shared
    assert max(split_tokens(one), key=len) in shared or max(split_tokens(other), key=len) in shared


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(("ADR-016", "ADR-017"), ("C++", "C#"), ("C++", "C"), ("2.7.5", "275"), ("12:30", "1230")),
        *((".env", "env"), ("--force", "force"), ("192.168.0.1", "192.168.0.11")),
        *(("src/auth/login.py", "src/auth/logout.py"), ("sara@acme.example", "tom@acme.example"), ("#42", "42")),
        *(("й", "и"), ("ї", "і"), ("が", "か"), ("हिन्दी", "हन्द")),
    ],
)
def test_each_has_a_token_that_the_other_lacks(one: str, other: str) -> None:
    assert set(split_tokens(one)) - set(split_tokens(other))


@pytest.mark.parametrize(
    ("text", "parts", "whole"),
    [
        ("ADR-016", ["adr", "016"], "adr016"),
        ("src/auth/login.py", ["src", "auth", "login", "py", "loginpy"], "srcauthloginpy"),
        ("sara@acme.example", ["sara", "acme", "example", "acmeexample"], "saraacmeexample"),
        ("2.7.5", ["2", "7", "5"], "2.7.5"),
        ("snake_case_name", ["snake", "case", "name"], "snakecasename"),
        ("#tag/sub", ["tag", "sub", "tagsub"], "#tagsub"),
        ("C++", ["c"], "c++"),
        (".env", ["env"], ".env"),
        ("--force", ["force"], "--force"),
        ("192.168.0.1", ["192", "168", "0", "1"], "192.168.0.1"),
        ("HTTPServer", ["http", "server"], "httpserver"),
        ("iOS17", ["i", "os", "17", "os17"], "ios17"),
    ],
)
def test_a_compound_gives_its_parts_and_then_the_whole(text: str, parts: list[str], whole: str) -> None:
    assert split_tokens(text) == [*parts, whole]


@pytest.mark.parametrize("text", ["foo--bar", "foo...bar", "foo—bar", "foo, bar", "foo(bar)"])
def test_dashes_and_dots_between_sentences_join_nothing(text: str) -> None:
    assert split_tokens(text) == ["foo", "bar"]


# -- scripts without spaces, signs


def test_han_runs_give_pairs_and_single_characters() -> None:
    assert split_tokens("東京都") == ["東", "東京", "京", "京都", "都"]
    assert set(split_tokens("猫")) <= set(split_tokens("私の猫は黒い"))
    assert set(split_tokens("京都")) <= set(split_tokens("東京都"))


def test_other_unspaced_scripts_give_pairs() -> None:
    assert split_tokens("ねこ ね") == ["ねこ", "ね"]
    assert split_tokens("한국어") == ["한", "한국", "국", "국어", "어"]
    assert set(split_tokens("สวัสดี")) <= set(split_tokens("ครับสวัสดีครับ"))


def test_a_script_change_ends_a_run() -> None:
    assert split_tokens("iPhoneを買う2台") == ["i", "phone", "iphone", "を買", "買", "買う", "2", "台"]


def test_emoji_are_tokens_whatever_their_skin() -> None:
    assert split_tokens("👍🏽 👍 🇩🇪") == ["👍", "👍", "🇩🇪"]


# -- size


def test_encoded_data_does_not_swell_the_index() -> None:
    noise = random.Random(7)
    blob = b64encode(noise.randbytes(30_000)).decode()
    lines = [b64encode(noise.randbytes(57)).decode() for _ in range(200)]

    assert len(split_tokens(f"![](data:image/png;base64,{blob})")) < 40
    assert len(split_tokens("\n".join(lines))) < 4 * len(lines)
    assert sum(map(len, split_tokens("\n".join(lines)))) < sum(map(len, lines))


def test_hashes_and_ids_stay_whole() -> None:
    sha, uuid = "0a1b2c3d" * 8, "550e8400-e29b-41d4-a716-446655440000"

    assert split_tokens(sha) == [sha]
    assert split_tokens(uuid)[-1] == "550e8400e29b41d4a716-446655440000"


def test_long_paths_are_told_apart_by_their_ends() -> None:
    start = "https://example.org/" + "folder/" * 20

    assert split_tokens(start + "one.html")[-1] != split_tokens(start + "two.html")[-1]
    assert max(map(len, split_tokens(start + "one.html"))) <= 64


@pytest.mark.parametrize(
    "unit",
    [
        *("a", "-", "a-", "a'", "000,", "aA", ".", "./", "'", '"', "東", "\u0301\u0316", "\ufdfa", "\ud800", "\0"),
        *("a.b", "“"),
    ],
)
@pytest.mark.points(only=True)
def test_hostile_text_takes_time_in_proportion(unit: str) -> None:
    small, large = (unit * (size // len(unit)) for size in (2_500, 20_000))

    def seconds(text: str) -> float:
        start = time.process_time()
        split_tokens(text)
        quoted_phrases(text)
        return time.process_time() - start

    assert min(seconds(large) for _ in range(2)) < 24 * max(seconds(small), 0.01)


# -- laws


@given(TEXTS)
def test_no_token_is_empty_long_spaced_or_capital(text: str) -> None:
    for token in split_tokens(text):
        assert token
        assert len(token) <= 64
        assert token == token.casefold()
        assert len(token.split()) == 1


@given(RAW)
def test_a_token_finds_itself(text: str) -> None:
    for token in split_tokens(text):
        if len(token) < 64:
            assert token in split_tokens(token)


@given(RAW)
def test_folding_twice_changes_nothing_more(text: str) -> None:
    lower = text.casefold()

    assert split_tokens(lower) == split_tokens(lower.casefold())
    assert split_tokens(text) == split_tokens(text)


@given(TEXTS, TEXTS)
def test_texts_side_by_side_have_both_their_tokens(one: str, other: str) -> None:
    assert split_tokens(f"{one}\n{other}") == split_tokens(one) + split_tokens(other)


@given(RAW)
def test_spans_are_the_same_tokens_with_places(text: str) -> None:
    found = list(token_spans(text))

    assert [token for token, _, _ in found] == split_tokens(text)
    assert all(0 <= start < end <= len(text) for _, start, end in found)


def test_spans_cover_what_stands_in_the_text() -> None:
    text = "Ask Sara’s café, ＰipeWire and ½ 東京."

    assert [(token, text[start:end]) for token, start, end in token_spans(text)] == [
        *(("ask", "Ask"), ("sara", "Sara’s"), ("cafe", "café"), ("pipe", "Ｐipe"), ("wire", "Wire")),
        *(("pipewire", "ＰipeWire"), ("and", "and"), ("1", "½"), ("2", "½"), ("東", "東"), ("東京", "東京")),
        ("京", "京"),
    ]


@given(RAW, st.data())
def test_terms_stand_where_words_of_their_stem_do(text: str, data: st.DataObject) -> None:
    stems = sorted({stem(token) for token in split_tokens(text)})
    terms = data.draw(st.frozensets(st.sampled_from(stems), max_size=4)) if stems else frozenset[str]()

    found = list(locate_terms(text, terms))

    spans = {(start, end) for token, start, end in token_spans(text) if stem(token) in terms}
    assert spans.issuperset(found)
    assert all(any(start < high and low < end for start, end in found) for low, high in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(found))


# -- queries


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("What did Sara say about the café?", ["sara", "say", "cafe"]),
        ("What do you know about my portal?", ["portal"]),
        ("When’s the review due?", ["review", "due"]),
        ("to be or not to be", ["to", "be", "or", "not", "to", "be"]),
        ("The Who", ["the", "who"]),
        ("my to-do list", ["todo", "list"]),
        ("Wie heißt der Bäcker?", ["heisst", "backer"]),
        ("the US flag is in IT 🎉", ["us", "flag"]),
        ("🎉", ["🎉"]),
        ("", []),
    ],
)
def test_a_query_keeps_what_tells_something(query: str, expected: list[str]) -> None:
    assert query_tokens(query) == expected


@pytest.mark.parametrize("word", ["die", "war", "man", "son", "hat", "van", "come", "pour", "met", "un", "car", "us"])
def test_words_with_a_meaning_in_another_language_stay(word: str) -> None:
    assert query_tokens(f"what about {word}") == [word]


@given(TEXTS)
def test_a_query_has_tokens_where_its_text_has_and_no_others(text: str) -> None:
    assert bool(query_tokens(text)) == bool(split_tokens(text))
    assert set(query_tokens(text)) <= set(split_tokens(text))


# -- phrases


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('find "going places" now', ["going places"]),
        (
            "“going places” and „zwei Worte“ and «deux mots» 「京都」",
            ["going places", "zwei Worte", "deux mots", "京都"],
        ),
        ('5" and 6" wide', []),
        ('an open "quote', []),
        ('"" " " "--"', []),
        ('"it\'s" "a b"', ["it's", "a b"]),
    ],
)
def test_quoted_phrases_are_found(query: str, expected: list[str]) -> None:
    assert quoted_phrases(query) == expected


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        *(("We use PipeWire now.", "pipewire now"), ("We use pipe-wire now.", "use pipe wire now")),
        *(("Don’t panic, Sara’s here", "don't panic sara"), ("l’amour toujours", "amour toujours")),
        *(("I like C++ best", "like c"), ("run it with --force", "with force"), ("東京都庁に行く", "京都")),
        ("see **going**\nplaces", "going places"),
    ],
)
def test_a_phrase_is_found_across_markup_and_spelling(text: str, phrase: str) -> None:
    assert contains_phrase(text, phrase)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        *(("places going", "going places"), ("going to places", "going places"), ("I like C", "C++")),
        *(("go place", "going places"), ("ADR-017", "ADR-016"), ("anything", "--"), ("", "word")),
    ],
)
def test_a_phrase_is_not_found_where_it_does_not_stand(text: str, phrase: str) -> None:
    assert not contains_phrase(text, phrase)


@given(TEXTS, TEXTS, TEXTS)
def test_a_text_contains_its_parts(before: str, phrase: str, after: str) -> None:
    assert contains_phrase(f"{before} {phrase} {after}", phrase) == bool(split_tokens(phrase))
