"""What a markdown body links to, is tagged with and is headed by; code only looks like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.links import find_headings, find_inline_tags, find_wikilinks, strip_code, target_name


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("[[name]]", ("name",)),
        ("[[name|shown]]", ("name",)),
        ("[[name#heading]] [[name^block]]", ("name",)),
        ("[[name#heading|shown]]", ("name",)),
        ("[[folder/name]]", ("folder/name",)),
        ("![[name]]", ("name",)),
        ("[shown](path.md)", ("path.md",)),
        ("[shown](<a b.md>)", ()),
        ("[shown](a%20b.md#top)", ("a b.md",)),
        ("[shown](./deep/Path.MD)", ("./deep/Path.MD",)),
        ("[web](https://example.org/a.md) [here](#top) [file](a.pdf)", ()),
        ("[[b]] then [[a]] then [[b]]", ("b", "a")),
        ("[[ spaced ]]", ("spaced",)),
        ("[[]] [[ ]] [[#top]] [name] [[un\nbroken]]", ()),
        ("[[Šárka]] [[潮]]", ("Šárka", "潮")),
    ],
)
def test_links_as_people_write_them(text: str, links: tuple[str, ...]) -> None:
    assert find_wikilinks(text) == links


@pytest.mark.parametrize(
    "code",
    ["`[[name]]`", "```\n[[name]]\n```", "~~~ md\n[[name]]\n~~~\n", "```py\n`[[name]]`\n```", "a `x` b `[[name]]`"],
)
def test_inside_code_nothing_is_a_link_or_a_tag(code: str) -> None:
    body = f"before [[real]] #tag\n{code.replace('[[name]]', '[[name]] #no')}\nafter [[too]]"
    assert find_wikilinks(strip_code(body)) == ("real", "too")
    assert find_inline_tags(strip_code(body)) == ("tag",)


NAMES = st.text(st.characters(categories=["L", "N", "Zs"], include_characters="-_"), min_size=1, max_size=20)


@given(st.lists(NAMES.map(str.strip).filter(bool), max_size=5), st.sampled_from(["", "|as shown", "#part", "^block"]))
def test_every_link_written_is_found_once_and_in_order(names: list[str], more: str) -> None:
    text = " and ".join(f"[[{name}{more}]]" for name in names)
    assert find_wikilinks(text) == tuple(dict.fromkeys(names))


@pytest.mark.parametrize(
    ("link", "name"),
    [("a", "a"), ("deep/er/a", "a"), ("a.md", "a"), ("x/A.MD", "A"), ("v1.2", "v1.2"), (" a ", "a")],
)
def test_a_target_names_a_note_without_folder_and_ending(link: str, name: str) -> None:
    assert target_name(link) == name


@pytest.mark.parametrize(
    ("body", "tags"),
    [
        ("#home and #work/acme", ("home", "work/acme")),
        ("(#home)", ("home",)),
        ("#2026 #y2026 #1a", ("y2026", "1a")),
        ("a#b https://x.org/#c # d", ()),
        ("# Heading\n#tea", ("tea",)),
        ("#tea #tea", ("tea",)),
        ("#Übung #潮", ("Übung", "潮")),
    ],
)
def test_tags_in_the_text(body: str, tags: tuple[str, ...]) -> None:
    assert find_inline_tags(body) == tags


def test_all_headings_in_order() -> None:
    assert find_headings("# One\ntext\n## Two ##\n#no\n    # code\n###### Six") == ("One", "Two", "Six")
    assert find_headings("no heading") == ()
