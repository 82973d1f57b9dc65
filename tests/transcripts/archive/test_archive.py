"""The archive gives back what was put in, grows without touching what is there, and tells what is damaged."""

from __future__ import annotations

import gzip
import json
import os
import stat
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.conversation import Conversation, Fact, Trajectory, Turn
from memvault.errors import OutsideVault, Unreadable
from memvault.transcripts.archive import append as writing
from memvault.transcripts.archive.archive import Archive
from memvault.transcripts.model.record import TranscriptEntry, UnreadableEntry
from tests import points
from tests.transcripts.archive.bench import HEAD, NOW, archive, kept, says, talks_of_any_sort


@pytest.fixture
def talks(tmp_path: Path) -> Archive:
    return archive(tmp_path)


def small_members(monkeypatch: pytest.MonkeyPatch, size: int = 200) -> None:
    monkeypatch.setattr(writing, "MEMBER", size)


def turns(talks: Archive, path: str) -> list[Turn]:
    return list(talks.open_transcript(path).read_turns())


def lines(root: Path, path: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in gzip.decompress((root / path).read_bytes()).splitlines()]


# -- laws


@given(told=talks_of_any_sort)
def test_archive_returns_turns_unchanged(told: list[Turn], tmp_path_factory: pytest.TempPathFactory) -> None:
    talks = archive(tmp_path_factory.mktemp("vault"))
    tally = talks.append_conversation(HEAD, kept(*told), now=NOW)
    if told:
        assert turns(talks, tally.path) == told
        assert talks.open_transcript(tally.path).read_head() == HEAD
    else:
        assert talks.list_conversations() == []


@given(told=talks_of_any_sort, cuts=st.lists(st.integers(0, 12), max_size=4), member=st.sampled_from([1, 300, 10_000]))
def test_archive_content_does_not_depend_on_how_appends_are_split(
    told: list[Turn], cuts: list[int], member: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("vault")
    places = sorted({0, *cuts, len(told)})
    with pytest.MonkeyPatch.context() as patch:
        small_members(patch, member)
        for begin, end in pairwise(places):
            # each addition tells some turns once more, as a source does that is read again from an earlier place
            archive(root).append_conversation(HEAD, kept(*told[max(0, begin - 2) : end]), now=NOW)
    found = archive(root).list_conversations()
    assert [turns(archive(root), path) for path, _ in found] == ([told] if told else [])
    places_of_turns = [one.number for path, _ in found for one in archive(root).open_transcript(path).read_placed()]
    assert places_of_turns == list(range(len(told)))


@given(told=talks_of_any_sort)
def test_appending_known_turns_writes_nothing(told: list[Turn], tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("vault")
    talks = archive(root)
    records = [
        *kept(*told),
        TranscriptEntry(raw={"type": "mode", "mode": "plan"}),
        UnreadableEntry(where="line 3", why="it is not JSON", text="{"),
    ]
    first = talks.append_conversation(HEAD, records, now=NOW)
    before = talks.list_conversations()
    again = archive(root).append_conversation(HEAD, records, now=NOW)
    assert (again.size, again.turns, again.other_lines) == (0, 0, 0)
    assert archive(root).list_conversations() == before
    assert bool(first.path) == bool(told)


@pytest.mark.points
def test_append_killed_at_any_byte_keeps_whole_members_and_resumes(
    talks: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # only a power cut would tell
    small_members(monkeypatch, 100)
    told = [says(number, f"High water at Hollin, day {number}." * 3) for number in range(6)]
    path = tmp_path / talks.append_conversation(HEAD, kept(*told[:2]), now=NOW).path
    before = path.read_bytes()
    talks.append_conversation(HEAD, kept(*told[2:]), now=NOW)
    whole = path.read_bytes()
    ends = [part.to for part in talks.open_transcript(talks.list_conversations()[0][0]).turns_file.list_parts()]
    assert len(ends) > 3
    near = {end + more for end in ends for more in (-1, 0, 1)}  # a byte before, at, and after each border
    for cut in (cut for cut in range(len(before), len(whole)) if points.ALL or cut in near or cut % 16 == 0):
        path.write_bytes(whole[:cut])
        reader = archive(tmp_path).open_transcript(talks.list_conversations()[0][0])
        complete = [one.turn for one in reader.read_placed() if one.member < cut]
        assert complete == told[: len(complete)]
        assert reader.turns_file.append_offset() == max(end for end in ends if end <= cut)
        assert reader.damage == []
        tally = archive(tmp_path).append_conversation(HEAD, kept(*told), now=NOW)
        assert tally.turns == len(told) - len(complete)
        assert turns(archive(tmp_path), tally.path) == told
        assert gzip.decompress(path.read_bytes())  # no torn member is left in it
        assert path.read_bytes().startswith(before)


# -- one conversation


def test_archive_path_has_month_day_title_and_id(talks: Archive) -> None:
    first = says(1, "When is high water?", time=NOW)
    for head, path in (
        (HEAD, "2026-01/2026-01-29-tides-ce17809f.jsonl.gz"),
        (Conversation(id="5f0c2a9e-8d1b-4c77-9b0e-6a1f2e3d4c5b", source="claude-code", project="/home/ana/tide clock"),
         "2026-01/2026-01-29-tide-clock-5f0c2a9e.jsonl.gz"),
        (Conversation(id="a/../b", source="chat", title="../../etc: 潮"), "2026-01/2026-01-29-etc-潮-9a1d3b0c.jsonl.gz"),
    ):  # fmt: skip
        stem = talks.append_conversation(head, kept(first), now=NOW).path.rpartition("-")
        assert stem[0] == f"3-raw/transcripts/{path}".rpartition("-")[0]
        assert len(stem[2]) == len("ce17809f.jsonl.gz")


def test_archive_files_are_readable_by_the_owner_only(talks: Archive, tmp_path: Path) -> None:
    tally = talks.append_conversation(HEAD, kept(says(1, "x")), now=NOW)
    talks.append_extracted(tally.path, [Fact(text="x", speaker="Ana", turns=("t1",))], [], by="rules-1")
    files = list((tmp_path / "3-raw").rglob("*.gz"))
    assert len(files) == 2
    if os.name == "posix":
        assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


def test_archive_contains_no_private_spans_or_secrets(talks: Archive, tmp_path: Path) -> None:
    secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    text = f"The token is {secret}. <private>Nobody may know of the loft.</private>"
    raw = {
        "message": {"content": [{"type": "text", "text": text}], "password": "correct-Horse9"},
        "env": [f"TOKEN={secret}", {"note": "<Private>the loft"}],
        "card": 4556737586899855,
    }
    head = Conversation(id="x", source="chat", title=f"About {secret} and <private>the loft</private>")
    turn = says(1, text, deeds=(f"Bash curl -H {secret}",))
    talks.append_conversation(
        head,
        [TranscriptEntry(turn=turn, raw=raw), UnreadableEntry(where="line 1", why="w", text=f"{{{secret}")],
        now=NOW,
    )
    path = talks.list_conversations()[0][0]
    whole = gzip.decompress((tmp_path / path).read_bytes()).decode()
    for hidden in (secret, "loft", "correct-Horse9", "4556737586899855"):
        assert hidden not in whole
        assert hidden not in path
    assert whole.count("[redacted: GitHub token]") >= 5
    assert "The token is [redacted: GitHub token]." in turns(talks, path)[0].text


def test_archive_drops_wholly_private_turns(talks: Archive, tmp_path: Path) -> None:
    hidden = says(1, "<private>the loft</private> ")
    path = talks.append_conversation(
        HEAD, [TranscriptEntry(turn=hidden, raw={"text": hidden.text, "id": "t1"}), *kept(says(2, "b"))], now=NOW
    ).path
    assert [turn.id for turn in turns(talks, path)] == ["t2"]
    assert {"raw": {"text": " ", "id": "t1"}} in lines(tmp_path, path)


@pytest.mark.points(only=True)
def test_redaction_finds_a_secret_on_a_window_border(talks: Archive, tmp_path: Path) -> None:
    secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    for before in range(256 * 1024 - len(secret) - 1, 256 * 1024 + 2, 7):
        text = "tide " * (before // 5) + " " * (before % 5) + secret + " and more" * 4000
        tally = archive(tmp_path / str(before)).append_conversation(HEAD, kept(says(1, text)), now=NOW)
        assert "[redacted: GitHub token]" in turns(archive(tmp_path / str(before)), tally.path)[0].text


def test_archive_replaces_surrogates_everywhere(talks: Archive, tmp_path: Path) -> None:
    odd = Turn(
        id="t\ud83d",
        speaker="A\udc00",
        session="s\ud800",
        text="half a smile \ud83d, a zero \x00",
        deeds=("Edit \ud83d",),
    )
    raw = {"text": "\udc00", "na\ud83dme": {"\ud800": ["\ud83d"]}, "deep": [[[[]]]], "number": 10**30, "nothing": None}
    head = Conversation(id="c\ud83d", source="chat", title="A \ud83d", speakers=("A\udc00",))
    for _ in range(2):
        path = archive(tmp_path).append_conversation(head, [TranscriptEntry(turn=odd, raw=raw)], now=NOW).path
    [turn], found = turns(talks, path), talks.open_transcript(path).read_head()
    assert turn.text == "half a smile \ufffd, a zero \x00"
    assert "\\ud" not in gzip.decompress((tmp_path / path).read_bytes()).decode()
    for told in (turn.id, turn.speaker, turn.session, *turn.deeds, found.id, found.title, *found.speakers):
        assert told.encode()
        assert "\ufffd" in told


def test_archive_with_surrogates_is_read_safely(talks: Archive, tmp_path: Path) -> None:
    path = talks.append_conversation(HEAD, kept(says(1, "a")), now=NOW).path
    with (tmp_path / path).open("ab") as file:
        file.write(
            gzip.compress(b'{"turn": {"id": "f\\ud83d", "text": "half \\uD83D", "speaker": "\\ud83d\\ude00"}}\n')
        )
    turn = turns(talks, path)[-1]
    assert (turn.id, turn.text, turn.speaker) == ("f\ufffd", "half \ufffd", "\U0001f600")


def test_very_long_turn_gets_its_own_member(talks: Archive) -> None:
    long = says(2, "潮の満ち引き。" * 40_000)
    path = talks.append_conversation(HEAD, kept(says(1, "a"), long, says(3, "b")), now=NOW).path
    assert [turn.text for turn in turns(talks, path)] == ["a", long.text, "b"]


def test_other_text_under_a_known_id_is_another_turn(talks: Archive, tmp_path: Path) -> None:
    path = talks.append_conversation(HEAD, kept(says(1, "one"), says(1, "two")), now=NOW).path
    for _ in range(2):
        archive(tmp_path).append_conversation(HEAD, kept(says(1, "two"), says(1, "three"), says(1, "one")), now=NOW)
    assert [(turn.id, turn.text) for turn in turns(talks, path)] == [("t1", "one"), ("t1~2", "two"), ("t1~3", "three")]


def test_later_head_wins_and_the_file_keeps_its_name(talks: Archive, tmp_path: Path) -> None:
    path = talks.append_conversation(HEAD, kept(says(1, "one")), now=NOW).path
    later = Conversation(id=HEAD.id, source="chat", title="Moon and tides", speakers=("Ana", "Ben", "Cleo"))
    assert archive(tmp_path).append_conversation(later, kept(says(2, "two")), now=NOW).path == path
    assert talks.open_transcript(path).read_head() == later


def test_reading_resumes_from_a_member(talks: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_members(monkeypatch, 1)
    first = talks.append_conversation(HEAD, kept(says(0, "a"), says(1, "b")), now=NOW)
    then = archive(tmp_path).append_conversation(HEAD, kept(says(2, "c"), says(3, "d")), now=NOW)
    reader = talks.open_transcript(first.path)
    assert [turn.text for turn in reader.read_turns(from_member=first.size)] == ["c", "d"]
    assert [one.number for one in reader.read_placed(from_member=first.size)] == [2, 3]
    assert reader.turns_file.append_offset() == first.size + then.size


# -- finding


def test_archive_finds_a_conversation_by_id_prefix_or_file(talks: Archive, tmp_path: Path) -> None:
    ids = ["5f0c2a9e-8d1b-4c77-9b0e-6a1f2e3d4c5b", "5f0c2a9e-0000-4c77-9b0e-6a1f2e3d4c5b", "conv-26", "12"]
    paths = [
        talks.append_conversation(Conversation(id=one, source="chat"), kept(says(1, one)), now=NOW).path for one in ids
    ]
    fresh = archive(tmp_path)
    assert [fresh.find_paths(one) for one in ids] == [[path] for path in paths]
    assert set(fresh.find_paths("5f0c2a9e")) == set(paths[:2])
    assert fresh.find_paths("5F0C2A9E-8d1b") == [paths[0]]
    assert fresh.find_paths("conv") == [paths[2]]
    assert fresh.find_paths(paths[3]) == fresh.find_paths(Path(paths[3]).name.removesuffix(".jsonl.gz")) == [paths[3]]
    for nothing in ("", "5f0c2a9e-9", "1", "../x"):
        assert fresh.find_paths(nothing) == []


def test_archive_refuses_paths_that_lead_outside(talks: Archive, tmp_path: Path) -> None:
    talks.append_conversation(HEAD, kept(says(1, "a")), now=NOW)
    (tmp_path / "secret.jsonl.gz").write_bytes(b"")
    for path in ("secret.jsonl.gz", "3-raw/transcripts/../../secret.jsonl.gz", str(tmp_path / "secret.jsonl.gz")):
        with pytest.raises(OutsideVault):
            talks.open_transcript(path)


@pytest.mark.skipif(os.name != "posix", reason="links take a privilege elsewhere")
def test_archive_does_not_follow_links(talks: Archive, tmp_path: Path) -> None:
    path = tmp_path / talks.append_conversation(HEAD, kept(says(1, "a")), now=NOW).path
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.jsonl.gz").write_bytes(path.read_bytes())
    (path.parent / "link.jsonl.gz").symlink_to(outside / "x.jsonl.gz")
    (path.parent.parent / "2026-02").symlink_to(outside)
    side = path.with_name(path.name.removesuffix(".jsonl.gz") + ".facts.jsonl.gz")
    side.symlink_to(outside / "x.jsonl.gz")
    for leading in (path, path.parent / "link.jsonl.gz", path.parent.parent / "2026-02" / "x.jsonl.gz"):
        with pytest.raises(OutsideVault):
            talks.open_transcript(leading.relative_to(tmp_path).as_posix())
    side.unlink()
    assert [found for found, _ in archive(tmp_path).list_conversations()] == [path.relative_to(tmp_path).as_posix()]


def test_listing_shows_changes_of_either_file(talks: Archive) -> None:
    path = talks.append_conversation(HEAD, kept(says(1, "a")), now=NOW).path
    keys = [talks.list_conversations()]
    talks.append_extracted(path, [Fact(text="a", speaker="Ana", turns=("t1",))], [], by="rules-1")
    keys.append(talks.list_conversations())
    talks.append_conversation(HEAD, kept(says(2, "b")), now=NOW)
    keys.append(talks.list_conversations())
    assert [[name for name, _ in one] for one in keys] == [[path]] * 3
    assert len({one[0][1] for one in keys}) == 3


# -- facts and topics


FACTS = [
    Fact(text="Ana keeps the spare key behind the barometer.", speaker="Ana", turns=("t1", "t2"), day=date(2026, 1, 28), about=("Ana",)),
    Fact(text="Ben paints the hull.", speaker="", turns=("t3",)),
]  # fmt: skip


def test_later_topic_replaces_the_one_at_its_place(talks: Archive) -> None:
    path = talks.append_conversation(HEAD, kept(says(1, "a")), now=NOW).path
    keys, paint = Trajectory(first=0, last=2, summary="Keys", keywords=("keys", "shed")), Trajectory(first=3, last=5)
    longer = Trajectory(first=3, last=9, summary="Paint", keywords=("paint",))
    talks.append_extracted(path, FACTS[:1], [paint, keys], by="rules-1")
    size = talks.append_extracted(path, FACTS[1:], [longer], by="rules-1")
    reader = talks.open_transcript(path)
    assert list(reader.read_facts()) == FACTS
    assert list(reader.read_trajectories()) == [keys, longer]
    assert list(reader.read_facts(from_member=reader.facts_file.append_offset() - size)) == FACTS[1:]
    assert talks.append_extracted(path, [], [], by="rules-1") == 0


def test_new_extraction_replaces_all_earlier_facts(talks: Archive) -> None:
    path = talks.append_conversation(HEAD, kept(says(1, "a")), now=NOW).path
    talks.append_extracted(path, FACTS, [Trajectory(first=0, last=0)], by="rules-1")
    before = talks.open_transcript(path).facts_file.append_offset()
    talks.append_extracted(path, FACTS[:1], [], by="model", anew=True)
    reader = talks.open_transcript(path)
    assert (list(reader.read_facts()), list(reader.read_trajectories())) == (FACTS[:1], [])
    assert reader.renewed_from() == before


def test_append_repairs_torn_facts(talks: Archive, tmp_path: Path) -> None:
    path = talks.append_conversation(HEAD, kept(says(1, "a")), now=NOW).path
    talks.append_extracted(path, FACTS[:1], [], by="rules-1")
    side = next((tmp_path / "3-raw").rglob("*.facts.jsonl.gz"))
    whole = side.read_bytes()
    side.write_bytes(whole + whole[: len(whole) // 2])
    assert list(talks.open_transcript(path).read_facts()) == FACTS[:1]
    talks.append_extracted(path, FACTS[1:], [], by="rules-1")
    assert list(talks.open_transcript(path).read_facts()) == FACTS
    assert side.read_bytes().startswith(whole)


# -- damage


def test_damaged_member_is_reported_and_other_turns_keep_their_numbers(
    talks: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_members(monkeypatch, 1)
    told = [says(number, f"tide {number}") for number in range(5)]
    path = talks.append_conversation(HEAD, kept(*told), now=NOW).path
    parts, whole = talks.open_transcript(path).turns_file.list_parts(), (tmp_path / path).read_bytes()
    for spot in (parts[2].at, parts[2].at + 30):  # its header, its body
        (tmp_path / path).write_bytes(damaged(whole, spot))
        reader = talks.open_transcript(path)
        assert [turn.text for turn in reader.read_turns()] == ["tide 0", "tide 1", "", "tide 3", "tide 4"]
        assert [one.number for one in reader.read_placed()] == [0, 1, 3, 4]
        assert len(reader.damage) == 1
        assert [turn.text for turn in reader.read_turns(from_member=parts[2].at, start=2)] == ["", "tide 3", "tide 4"]
        archive(tmp_path).append_conversation(HEAD, kept(says(5, "tide 5")), now=NOW)
        assert [one.number for one in talks.open_transcript(path).read_placed()] == [0, 1, 3, 4, 5]


def damaged(data: bytes, spot: int) -> bytes:
    return data[:spot] + bytes([data[spot] ^ 0xFF]) + data[spot + 1 :]


@given(
    members=st.integers(1, 3),
    losing=st.lists(st.integers(0, 9), min_size=1, max_size=3),
    more=st.integers(0, 2),
    cut=st.integers(0, 12),
)
def test_lost_turns_are_restored_to_their_places_from_the_source(
    members: int, losing: list[int], more: int, cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("vault")
    told = [says(number, f"tide {number}") for number in range(10)]
    with pytest.MonkeyPatch.context() as patch:
        small_members(patch, members * 50)
        path = archive(root).append_conversation(HEAD, kept(*told), now=NOW).path
        parts = archive(root).open_transcript(path).turns_file.list_parts()
        data = (root / path).read_bytes()
        for part in losing:
            data = damaged(data, parts[part % len(parts)].at + 30)
        (root / path).write_bytes(data)
        left = [one.number for one in archive(root).open_transcript(path).read_placed()]
        known = max(left, default=-1) + 1
        source = [*told, *(says(number, f"tide {number}") for number in range(10, 10 + more))]
        for given_lines in (source[:cut], source, source):
            tally = archive(root).append_conversation(HEAD, kept(*given_lines), now=NOW)
    if not left:
        return  # nothing of it can be read: it is another conversation
    reader = archive(root).open_transcript(path)
    assert [turn.text for turn in reader.read_turns()] == [turn.text for turn in source]
    assert [one.number for one in reader.read_placed()] == list(range(len(source)))
    assert (tally.size, tally.turns) == (0, 0)
    assert bool(reader.last_fill()) == (set(left) != set(range(known)))


def test_new_turn_does_not_take_a_lost_number(talks: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_members(monkeypatch, 1)
    told = [says(number, f"tide {number}") for number in range(5)]
    path = talks.append_conversation(HEAD, kept(*told), now=NOW).path
    parts = talks.open_transcript(path).turns_file.list_parts()
    (tmp_path / path).write_bytes(damaged((tmp_path / path).read_bytes(), parts[2].at + 30))
    archive(tmp_path).append_conversation(HEAD, kept(*told[3:], says(5, "new")), now=NOW)
    assert [turn.text for turn in talks.open_transcript(path).read_turns()] == [
        *("tide 0", "tide 1", "", "tide 3", "tide 4", "new")
    ]


def test_wrong_member_length_is_reported_and_hides_nothing(
    talks: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_members(monkeypatch, 1)
    told = [says(number, f"tide {number}") for number in range(5)]
    path = talks.append_conversation(HEAD, kept(*told), now=NOW).path
    parts, whole = talks.open_transcript(path).turns_file.list_parts(), (tmp_path / path).read_bytes()
    for number in range(5):
        at = parts[number].at
        for to in (
            *(part.to for part in parts if part is not parts[number]),
            at + 1,
            at + 40,
            len(whole) + 7,
            at + 2**31,
        ):
            length = max(1, to - at).to_bytes(4, "little")
            (tmp_path / path).write_bytes(whole[: at + 16] + length + whole[at + 20 :])
            reader = talks.open_transcript(path)
            assert list(reader.read_turns()) == told
            assert len(reader.damage) == 1
            assert reader.turns_file.append_offset() == len(whole)
            assert reader.read_head() == HEAD


# -- from another conversation


def test_turn_known_elsewhere_is_stored_as_a_reference(talks: Archive, tmp_path: Path) -> None:
    first, again = "5f0c2a9e-8d1b-4c77-9b0e-6a1f2e3d4c5b", "6f0c2a9e-8d1b-4c77-9b0e-6a1f2e3d4c5b"
    ids = [f"0000000{number}-8d1b-4c77-9b0e-6a1f2e3d4c5b" for number in range(3)]
    old, other, new = (Turn(id=id_, speaker="user", text=f"tide {id_}") for id_ in ids)
    known = {(old.id, old.text)}
    head = Conversation(id=again, source="claude-code")
    records = [TranscriptEntry(turn=old, raw={"uuid": old.id, "sessionId": again}), *kept(other, new)]
    for _ in range(2):
        tally = archive(tmp_path).append_conversation(
            head, records, now=NOW, elsewhere=lambda id_, text: (id_, text) in known
        )
        assert [turn.id for turn in turns(talks, tally.path)] == [other.id, new.id]
    assert (tally.size, tally.elsewhere) == (0, 0)
    assert {"ref": old.id} in lines(tmp_path, tally.path)
    assert {"raw": {"uuid": old.id, "sessionId": again}} in lines(tmp_path, tally.path)
    chat = Conversation(id=first, source="chat")
    tally = talks.append_conversation(chat, kept(old), now=NOW, elsewhere=lambda id_, text: True)
    assert turns(talks, tally.path) == [old]


@pytest.mark.parametrize("rubbish", [b"", b"no gzip at all", b"\x1f\x8b\x08\x04 but nothing more", b"\0" * 500])
def test_wholly_damaged_file_is_reported_and_others_are_read(rubbish: bytes, talks: Archive, tmp_path: Path) -> None:
    path = talks.append_conversation(HEAD, kept(says(1, "a")), now=NOW).path
    other = talks.append_conversation(Conversation(id="other", source="chat"), kept(says(1, "b")), now=NOW).path
    (tmp_path / path).write_bytes(rubbish)
    fresh = archive(tmp_path)
    assert len(fresh.list_conversations()) == 2
    with pytest.raises(Unreadable, match=Path(path).name):
        fresh.open_transcript(path).read_head()
    assert list(fresh.open_transcript(path).read_turns()) == []
    assert fresh.find_paths("other") == [other]
    tally = fresh.append_conversation(HEAD, kept(says(1, "a")), now=NOW)
    assert [turn.text for turn in turns(archive(tmp_path), tally.path)] == ["a"]


def test_members_of_other_programs_are_read_and_kept(talks: Archive, tmp_path: Path) -> None:
    path = talks.append_conversation(HEAD, kept(says(1, "a")), now=NOW).path
    foreign = b'{"turn": {"id": "f", "text": "b", "mood": "calm"}}\n{"comment": 1}\nno json\n[1]\n{"turn": 3}\n'
    with (tmp_path / path).open("ab") as file:
        file.write(gzip.compress(foreign))
    archive(tmp_path).append_conversation(HEAD, kept(says(3, "c")), now=NOW)
    reader = talks.open_transcript(path)
    assert [turn.text for turn in reader.read_turns()] == ["a", "b", "c"]
    assert reader.damage == []
    assert foreign in gzip.decompress((tmp_path / path).read_bytes())


def test_every_member_names_its_conversation_and_first_turn(
    talks: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_members(monkeypatch, 1)
    path = talks.append_conversation(HEAD, kept(says(1, "a"), says(2, "b")), now=NOW).path
    heads = [line for line in lines(tmp_path, path) if "head" in line]
    assert [(line["v"], line["n"]) for line in heads] == [(1, 0), (1, 1)]
