"""Between a note and a memory: read generously, written as the format page has it, and never over somebody's value."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.memory import Memory, Place
from memvault.errors import CannotEdit
from memvault.storage import frontmatter
from memvault.storage.vault import codec
from memvault.storage.vault.codec import NoteOrigin

ID = "5f0c2a9e-8d1b-4c77-9b0e-6a1f2e3d4c5b"
SEEN = datetime(2026, 1, 20, tzinfo=UTC)
MODIFIED = datetime(2026, 1, 10, tzinfo=UTC)
THREE = datetime(2026, 1, 29, 3, tzinfo=UTC)


def memory_of(note: str, path: str = "notes/a.md", *, place: Place = Place.FOREIGN, zone=UTC) -> Memory:  # type: ignore[no-untyped-def]
    origin = NoteOrigin(path, place, "given", SEEN, MODIFIED, zone)
    return codec.read_memory(frontmatter.parse(note.encode()), origin, version="v")


def fielded(*lines: str, body: str = "Body.\n") -> str:
    return "\n".join(["---", *lines, "---", body])


def test_a_bare_note_is_a_memory_of_defaults() -> None:
    found = memory_of("Springs come late.\n", "notes/2026-01-05-spring-tides.md")
    assert (found.id, found.type, found.kind, found.title) == ("given", "memory", "semantic", "spring tides")
    assert (found.weight, found.base_weight, found.access_count, found.status) == (0.5, None, 0, "active")
    assert (found.emotional_flag, found.pinned, found.decay_eligible) == (False, False, True)
    assert (found.tags, found.people, found.triggers, dict(found.refs)) == ((), (), (), {})
    assert found.created == datetime(2026, 1, 5, tzinfo=UTC)
    assert found.last_accessed == SEEN
    assert (found.body, found.problem) == ("Springs come late.\n", "")


def test_without_a_date_in_the_name_a_note_is_as_old_as_its_file() -> None:
    assert memory_of("x", "a.md").created == MODIFIED
    assert memory_of("x", "2026-13-45-a.md").created == MODIFIED


@pytest.mark.parametrize("name", ["0001-01-01", "9999-12-31", "0000-00-00"])
@pytest.mark.parametrize("hours", [-12, 0, 14])
def test_no_date_in_a_name_stops_the_reading(name: str, hours: int) -> None:
    assert memory_of("x", f"{name}.md", zone=timezone(timedelta(hours=hours))).created.tzinfo is UTC


def test_the_heading_near_the_top_is_the_title_where_none_is_given() -> None:
    assert memory_of("# Spring tides\n").title == "Spring tides"
    assert memory_of(fielded("title: Mine", body="# Spring tides\n")).title == "Mine"
    assert memory_of(fielded("title: ", body="# Spring tides\n")).title == "Spring tides"


def test_a_private_title_is_none_to_be_shown() -> None:
    private = "title: <private>The key of the shed</private>"
    assert memory_of(fielded(private)).title == "a"
    assert memory_of(fielded(private, body="# Spring tides\n")).title == "Spring tides"
    assert memory_of("<private>\n# The key\n</private>\n# Spring tides\n").title == "Spring tides"
    assert memory_of("<private>\n# The key\n", "notes/spring-tides.md").title == "spring tides"


READ = [
    ("title: no", "title", "no"),
    ("title: 12:30", "title", "12:30"),
    ("title: 1e3", "title", "1e3"),
    ("type: Learning", "type", "learning"),
    ("created: 2026-01-29T03:00:00Z", "created", THREE),
    ("created: 2026-01-29T03:00:00.5Z", "created", THREE.replace(microsecond=500_000)),
    ("created: 2026-01-29T11:00:00+08:00", "created", THREE),
    ("created: 2026-01-29 03:00", "created", THREE),
    ("created: 2026-01-29", "created", THREE.replace(hour=0)),
    ("created: soon", "created", MODIFIED),
    ("created: 2026-02-30", "created", MODIFIED),
    ("last_accessed: ~", "last_accessed", SEEN),
    ("access_count: 7", "access_count", 7),
    ("access_count: many", "access_count", 0),
    ("weight: 82", "weight", 0.5),
    ("weight: 0.25", "weight", 0.25),
    ("type: book", "type", "memory"),
    ("status: done", "status", "active"),
    ("pinned: Yes", "pinned", True),
    ("decay_eligible: off", "decay_eligible", False),
    ("tags: home, garden tea", "tags", ("home", "garden", "tea")),
    ("tags: [\"#home\", garden]", "tags", ("home", "garden")),
    ("tags:\n  - home\n  - garden", "tags", ("home", "garden")),
    ("tags:\n- home\n- home", "tags", ("home",)),
    ("triggers: going places", "triggers", ("going places",)),
    ("people: [\"[[Sara Uy]]\", Noor]", "people", ("Sara Uy", "Noor")),
    ("people: [[Sara Uy]]", "people", ("Sara Uy",)),
    ("people:\n  - [[Sara Uy]]\n  - Noor", "people", ("Sara Uy", "Noor")),
    ("topics:\n  - \"[[Tides]]\"", "topics", ("Tides",)),
    ("refs: {session: s-1, artifacts: [a, b]}", "refs", {"session": ("s-1",), "artifacts": ("a", "b")}),
    ("refs:\n  session: s-1", "refs", {"session": ("s-1",)}),
    ("refs: a/b.py", "refs", {"artifacts": ("a/b.py",)}),
    ("ref_session: s-1\nref_artifacts: [a]", "refs", {"session": ("s-1",), "artifacts": ("a",)}),
    ("ref_session: flat\nrefs: {session: map}", "refs", {"session": ("map",)}),
    ("weight: 0.1\nweight: 0.2", "weight", 0.2),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "name", "value"), READ, ids=[lines for lines, _, _ in READ])
def test_what_people_write_is_understood(lines: str, name: str, value: object) -> None:
    assert getattr(memory_of(fielded(lines)), name) == value


@pytest.mark.parametrize(("lines", "name", "value"), READ, ids=[lines for lines, _, _ in READ])
def test_line_ends_and_a_mark_at_the_front_change_nothing(lines: str, name: str, value: object) -> None:
    note = "\ufeff" + fielded(lines).replace("\n", "\r\n")
    assert getattr(memory_of(note), name) == value


@pytest.mark.parametrize("link", ["[[b]]", '"[[b]]"', '["[[b]]"]', "[[[b]]]"])
def test_a_link_is_read_however_it_is_quoted(link: str) -> None:
    assert memory_of(fielded(f"extends: {link}")).more["extends"] == ("[[b]]",)


PAGE = "https://example.org/tides"


@pytest.mark.parametrize(
    "line",
    [
        *(f'source: "{PAGE}"', f"source: <{PAGE}>", f"source: '[Tides]({PAGE})'", f"source: [{PAGE}]"),
        *(f"Clipped-From: {PAGE}", f"url: {PAGE}", f"source_url: {PAGE}", f"Source-URL: {PAGE}", f"link: {PAGE}"),
        *(f"canonical: {PAGE}", f"website: {PAGE}", f"sourceURL: {PAGE}", f"og:url: {PAGE}", f"read_at: {PAGE}"),
        *("source: example.org/page", "source: example.org", "website: www.example.org", "pageUrl: example.org"),
        *('source: "[[Tides]]"', "source: [[Tides]]", f'source: "[[{PAGE}]]"', f"source: 'Tides, {PAGE}, read in May'"),
        *(f"meta:\n  page: {PAGE}", f"links:\n  - {PAGE}"),
    ],
)
def test_a_note_that_was_clipped_from_a_page_is_the_webs(line: str) -> None:
    found = memory_of(fielded(line))
    assert found.more["source"] == "web"
    assert "source" not in found.stated


@pytest.mark.parametrize(
    ("line", "place", "source"),
    [
        (f"url: {PAGE}", Place.HOT, "web"),  # in no place it is loaded until a person says otherwise
        (f"source: user\nurl: {PAGE}", Place.HOT, "user"),
        (f"source: {PAGE}", Place.MEMORIES, "web"),
        ("source: The harbour master", Place.FOREIGN, "import"),  # another's words, though no page's
        ("url: tides", Place.FOREIGN, None),
        *((f"see: {PAGE}", Place.FOREIGN, None), (f"cover_url: {PAGE}/a.png", Place.HOT, None)),
        *((f"ref_page: {PAGE}", Place.HOT, None), ("version: 1.2.example", Place.HOT, None)),
        *(("template: daily.md", Place.HOT, None), ("permalink: gauges/hollin", Place.MEMORIES, None)),
        *((f"refs:\n  artifacts: [{PAGE}]", Place.HOT, None), ("source:", Place.HOT, None)),
        (f"source: user\nurl: {PAGE}", Place.FOREIGN, "user"),
        (f"source:\n  page: {PAGE}", Place.FOREIGN, "web"),
    ],
)
def test_an_address_says_where_a_text_is_from_only_where_it_is_meant_so(
    line: str, place: Place, source: str | None
) -> None:
    assert memory_of(fielded(line), place=place).more.get("source") == source


@pytest.mark.parametrize(
    ("body", "source"),
    [
        *((f"# Tides\n\nSource: {PAGE}\n\nAt noon.", "web"), (f"> Clipped from: [Tides]({PAGE})\n\nAt noon.", "web")),
        *((f"## Metadata\n- URL: {PAGE}\n", "web"), (f"source:: {PAGE}", "web"), (f"**Original URL:** {PAGE}", "web")),
        *(
            ("See [[Tides FAQ]].\nCopied from there: at noon.", "web"),
            ("Quoted from [[Harbour forum]]: at noon.", "web"),
        ),
        *(("I copied the table from the log.", None), ("Notes from [[Meeting with Sara]]", None)),
        *((f"At noon, see {PAGE}.", None), (f"Call: {PAGE}", None), (f"{'At noon. ' * 200}\nSource: {PAGE}", None)),
    ],
)
def test_a_line_below_the_title_says_where_a_text_is_from(body: str, source: str | None) -> None:
    assert memory_of(body).more.get("source") == source
    assert memory_of(f"---\nsource: agent\n---\n{body}").more["source"] == "agent"


def test_a_date_without_a_zone_is_local() -> None:
    east = timezone(timedelta(hours=8))
    assert memory_of(fielded("created: 2026-01-29T11:00"), zone=east).created == THREE


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        ("kind: Procedural", "procedural"),
        ("kind: recipe", "semantic"),
        ("kind: recipe\ntype: milestone", "episodic"),
        ("type: milestone", "episodic"),
        ("type: learning\nkind: working", "working"),
    ],
)
def test_the_kind_is_the_one_named_else_the_types(lines: str, kind: str) -> None:
    assert memory_of(fielded(lines)).kind == kind


def test_without_kind_and_type_the_text_decides() -> None:
    assert memory_of("Remind me to call Noor.\n").kind == "prospective"


def test_a_note_that_cannot_be_parsed_says_where_and_keeps_its_text() -> None:
    found = memory_of("---\ntitle: [a\nstatus: stale\n---\nText.\n")
    assert found.problem.startswith("line ")
    assert "Text." in (found.body or "")


# -- new notes


def new_memory(**given: object) -> Memory:
    known = {"id": ID, "path": "2-memories/a.md", "place": Place.MEMORIES, "title": "High water", "created": THREE, "last_accessed": THREE, "body": "Text.", "aliases": ("High water",), "weight": 0.8}  # fmt: skip
    return Memory(**{**known, **given})  # type: ignore[arg-type]


def test_a_new_note_is_the_one_on_the_format_page() -> None:
    learning = new_memory(type="learning", title="High water at Hollin", aliases=("High water at Hollin",), tags=("tides",), triggers=("high water",), body="High water at Hollin is 40 minutes after the harbour.")  # fmt: skip
    assert codec.encode_new(learning).decode() == (
        f"---\nid: {ID}\ntype: learning\ntitle: High water at Hollin\naliases: [High water at Hollin]\n"
        "created: 2026-01-29T03:00:00Z\nlast_accessed: 2026-01-29T03:00:00Z\nweight: 0.8\ntags: [tides]\ntriggers: [high water]\n---\n"
        "High water at Hollin is 40 minutes after the harbour.\n"
    )


def keys(note: bytes) -> list[str]:
    return list(frontmatter.parse(note).fields)


@pytest.mark.parametrize(
    ("type_", "kind", "written"),
    [("memory", "semantic", True), ("learning", "semantic", False), ("learning", "episodic", True), ("milestone", "episodic", False)],
)  # fmt: skip
def test_the_kind_is_written_where_the_type_does_not_say_it(type_: str, kind: str, written: bool) -> None:
    assert ("kind" in keys(codec.encode_new(new_memory(type=type_, kind=kind)))) is written


def test_of_the_rest_only_what_is_not_the_default_is_written() -> None:
    usual = keys(codec.encode_new(new_memory()))
    assert "decay_eligible" not in usual
    assert "people" not in usual
    more = keys(codec.encode_new(new_memory(decay_eligible=False, people=("Noor",), refs={"session": ("s",)}, more={"source": "agent"})))  # fmt: skip
    assert set(more) - set(usual) == {"decay_eligible", "people", "refs", "source"}


SAFE = st.text(st.characters(exclude_categories=["Cs", "Cc", "Co", "Zl", "Zp"]), min_size=1, max_size=15).map(str.strip).filter(bool)  # fmt: skip
PLAIN = SAFE.map(lambda text: text.strip("[]#").strip()).filter(bool)


@given(
    title=SAFE,
    triggers=st.lists(SAFE, max_size=3, unique=True),
    people=st.lists(PLAIN, max_size=3, unique=True),
    weight=st.integers(0, 100).map(lambda part: part / 100),
    pinned=st.booleans(),
    body=st.text("abc \n#-", min_size=1, max_size=40),
)
def test_a_new_note_reads_back_as_the_memory_it_was_made_of(title, triggers, people, weight, pinned, body) -> None:  # type: ignore[no-untyped-def]
    made = new_memory(title=title, aliases=() if title == "a" else (title,), triggers=tuple(triggers), people=tuple(people), weight=weight, pinned=pinned, body=body)  # fmt: skip
    data = codec.encode_new(made)
    found = memory_of(data.decode(), made.path, place=Place.MEMORIES)
    assert found.with_changes(version="", body=None, stated=()) == made.with_changes(body=None)
    assert {"id", "created", "last_accessed", "weight"} <= set(found.stated)
    assert (found.body or "").rstrip("\n") == body.rstrip("\n")
    assert data.endswith(b"\n")


# -- changes

THEIRS = ["weight: 82", "status: done", "type: book", "pinned: maybe", "created: soon", "access_count: lots", "tags: {a: b}"]  # fmt: skip
OURS = {"weight": 0.5, "status": "stale", "type": "learning", "pinned": True, "created": THREE, "access_count": 1, "tags": ("a",)}  # fmt: skip


@pytest.mark.parametrize("line", THEIRS)
@pytest.mark.parametrize("remove", [False, True])
def test_somebody_elses_value_is_never_overwritten(line: str, remove: bool) -> None:
    name = line.partition(":")[0]
    with pytest.raises(CannotEdit, match="not memvault's to change"):
        codec.set_fields(fielded(line).encode(), {name: None if remove else OURS[name]}, path="a.md")


def test_beside_somebody_elses_value_the_rest_can_be_changed() -> None:
    raw = fielded("status: done", "weight: 0.5").encode()
    assert codec.set_fields(raw, {"weight": 0.3}, path="a.md") == raw.replace(b"0.5", b"0.3")


@pytest.mark.parametrize(
    "raw", [b"---\ntitle: [a\n---\n", b"---\ntitle: x\ntitle: y\n---\n", b"\xff\xfe--", b"caf\xe9\n"]
)
def test_what_cannot_be_proven_is_refused_with_the_path(raw: bytes) -> None:
    with pytest.raises(CannotEdit, match=r"a\.md"):
        codec.set_fields(raw, {"title": "z"}, path="a.md")


def test_another_body_keeps_the_frontmatter_and_the_line_ends() -> None:
    raw = b"\xef\xbb\xbf---\r\ntitle: x  # why\r\n---\r\nold\r\n"
    assert (
        codec.replace_body(raw, "new\nlines\r\n", path="a.md")
        == b"\xef\xbb\xbf---\r\ntitle: x  # why\r\n---\r\nnew\r\nlines\r\n"
    )
    assert codec.append_text(raw, " more ", path="a.md") == raw + b"\r\nmore\r\n"


@pytest.mark.parametrize("raw", [b"caf\xe9\n", "---\ntitle: x\n---\nhello\n".encode("utf-16")])
def test_a_body_that_is_not_utf8_is_not_written_over(raw: bytes) -> None:
    with pytest.raises(CannotEdit, match="not UTF-8"):
        codec.append_text(raw, "more", path="a.md")
    with pytest.raises(CannotEdit, match="not UTF-8"):
        codec.replace_body(raw, "new", path="a.md")


# -- where reading and writing fall short of the format page


@pytest.mark.parametrize("own", [ID.replace("-", ""), ID.replace("-", "").upper()])
def test_an_id_without_hyphens_is_one(own: str) -> None:
    assert memory_of(fielded(f"id: {own}")).id == ID


def test_an_id_of_somebody_elses_is_not_overwritten() -> None:
    with pytest.raises(CannotEdit):
        codec.set_fields(fielded("id: my-own").encode(), {"id": ID}, path="a.md")


def test_what_lies_in_the_archive_is_archived() -> None:
    assert memory_of("Text.", "3-raw/archived/a.md", place=Place.ARCHIVED).status == "archived"


def test_a_kind_that_is_not_known_is_treated_as_semantic() -> None:
    assert memory_of(fielded("kind: recipe", body="Remind me to call Noor.\n")).kind == "semantic"


def test_the_fields_of_a_new_note_stand_in_the_order_of_the_format_page() -> None:
    made = new_memory(
        decay_eligible=False,
        pinned=True,
        status="stale",
        tags=("a",),
        triggers=("b",),
        people=("Noor",),
        more={"due": THREE, "source": "agent"},
    )
    order = ["pinned", "decay_eligible", "status", "tags", "people", "triggers", "source", "due"]
    assert [name for name in keys(codec.encode_new(made)) if name in order] == order
