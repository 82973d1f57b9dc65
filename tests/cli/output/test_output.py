"""Data on stdout, talk on stderr; colours only where somebody sees them."""

from __future__ import annotations

import pytest

from memvault.cli.argv import split_argv
from tests.command_line import Line

ESCAPE = "\x1b["

# A command line and the members of its result; the manual explains each of them.
ENVELOPES: list[tuple[tuple[str, ...], str]] = [
    (
        ("status",),
        "vault id memories tiers kinds statuses pinned due problems conversations turns private upkeep "
        "backend index identity_bytes hot_bytes extensions",
    ),
    (
        ("model", "semantic"),
        "model url folder ready problem vectors bytes behind",
    ),
    (("recall", "tea"), "query hits tokens budget left_out searched"),
    (("recall", "tea", "--brief"), "query hits tokens budget left_out searched"),
    (
        ("recall", "tea", "--context"),
        "query hits tokens budget left_out searched text relevance shares used left_out_by_kind working working_tokens card",
    ),
    (("session", "timeline", "tea"), "moments tokens budget left_out"),
    (("dig", "tea"), "topic memories topics conversations restored unrestored tokens budget left_out searched advice"),
    (
        ("session", "ingest", "--all", "--dry-run"),
        "conversations unchanged forgotten lapsed failed size sealed dry_run",
    ),
    (("private", "status"), "key has_key installed own recipients older closed strange count new secrets files size"),
    (("private",), "memories total"),
    (("session", "save", "tea", "--session", "s1"), "memory session new used op dry_run"),
    (("show", "tea"), "memory weight uses last_used links linked_from tokens cut start next superseded_by contradicts"),
    (("agent", "say", "remember this: a kettle"), "intent said result op dry_run"),
    (
        ("session", "given"),
        "injections",
    ),
    (
        ("agent", "pause"),
        "of name since until dry_run",
    ),
    (("agent", "pause", "list"), "pauses"),
    (("show", "--path", "tea"), "path"),
    (
        ("vault", "list"),
        "memories total",
    ),
    (("review", "list"), "cards counts total"),
    (
        ("vault", "log"),
        "operations total",
    ),
    (("history", "tea"), "operations total"),
    (("session", "list"), "conversations total"),
    (("config", "unset", "recall.limit"), "name value path dry_run"),
    (("task", "list"), "reminders due over tasks"),
    (("model", "status"), "provider model facts problems spent log"),
    (("maintain",), "changes counts refused prunable expired conflicts duplicates memories skipped next op dry_run"),
    (
        ("agent", "hooks"),
        "places plugins problems notes passed_over",
    ),
    (
        ("agent", "hooks", "install", "--dry-run"),
        "agent scope path events command changed diff backup notes warnings dry_run",
    ),
    (("agent", "hooks", "uninstall"), "files failed dry_run"),
    (("agent", "mcp", "status"), "places problems"),
    (("agent", "mcp", "install", "--dry-run"), "agent scope path command changed diff backup warnings dry_run"),
    (("agent", "mcp", "uninstall"), "files failed dry_run"),
    (("setup", "--dry-run", "--no-mcp"), "vault steps checked complaint ok dry_run"),
    (("uninstall", "--dry-run"), "vault steps plugins dry_run"),
    (("config",), "settings ignored"),
    (("config", "recall.limit", "5"), "name value path dry_run"),
    (("vault", "pin", "tea"), "memory did op dry_run"),
    (("vault", "unpin", "tea", "--dry-run"), "memory did op dry_run"),
    (("vault", "move", "tea", "hot"), "memory did op dry_run"),
    (("edit", "tea", "--append", "x"), "memory did op dry_run"),
    (("forget", "tea"), "memory from op dry_run"),
    (("undo", "--dry-run"), "operation dry_run"),
    (
        ("vault", "reindex"),
        "memories turns",
    ),
    (("agent", "claude-md", "--dry-run"), "path format current changed text left_out unlisted notes op check dry_run"),
    (("today",), "day due learned fading waiting"),
    (("resolve", "tea", "coffee"), "kept other both op dry_run"),
    (("review", "merge", "tea", "coffee"), "memory text sources op dry_run"),
    (("review", "both", "tea", "coffee"), "kept other both op dry_run"),
    (
        ("vault", "doctor"),
        "sound findings fixed left checked op dry_run",
    ),
    (("vault", "open", "--print", "tea"), "path target opened"),
    (("remember", "x"), "memory deep_context op guessed dry_run"),
    (("init", "../other", "--dry-run"), "path id adopted notes written inject dry_run"),
]


def test_a_terminal_gets_colours(in_vault: Line) -> None:
    assert ESCAPE in in_vault("recall", "tea", terminal=True, TERM="xterm").out


@pytest.mark.parametrize(
    ("words", "variables"),
    [
        (("recall", "tea", "--no-color"), {"TERM": "xterm"}),
        (("--no-color", "recall", "tea"), {"TERM": "xterm"}),
        (("recall", "tea"), {"NO_COLOR": "1", "TERM": "xterm"}),
        (("recall", "tea"), {"TERM": "dumb"}),
    ],
)
def test_who_wants_none_gets_none(words: tuple[str, ...], variables: dict[str, str], in_vault: Line) -> None:
    out = in_vault(*words, terminal=True, **variables).out
    assert "tea" in out
    assert ESCAPE not in out


def test_a_pipe_gets_none(in_vault: Line) -> None:
    assert ESCAPE not in in_vault("recall", "tea", TERM="xterm").out


def test_lines_fit_the_terminal(in_sample: Line) -> None:
    for width in (40, 64, 100):
        for words in (
            ("vault", "list"),
            ("recall", "gauge battery"),
            ("log",),
            ("config",),
            ("status",),
        ):
            out = in_sample(*words, terminal=True, COLUMNS=str(width), NO_COLOR="1").out
            body = [line for line in out.splitlines() if "/" not in line and "http" not in line]
            assert all(len(line) <= max(width, 56) for line in body), (words, width)


def test_nothing_found_is_no_error_and_leaves_stdout_empty(in_vault: Line) -> None:
    ran = in_vault("recall", "xyzzy")
    assert (ran.code, ran.out) == (0, "")
    assert "xyzzy" in ran.err


def test_the_raw_file_comes_byte_for_byte(in_vault: Line) -> None:
    path = in_vault("show", "--path", "tea").out.strip()
    with open(path, "rb+") as note:  # noqa: PTH123
        data = note.read().replace(b"\n", b"\r\n")
        note.seek(0)
        note.write(data)
    assert in_vault("show", "--raw", "tea").out.encode() == data


def test_a_terminal_that_knows_only_ascii_still_gets_every_answer(in_vault: Line) -> None:
    in_vault("remember", "日本語のお茶", "--title", "お茶")
    assert "\\u304a\\u8336" in in_vault("recall", "お茶", encoding="ascii").out
    assert in_vault("recall", "お茶", "--json", encoding="ascii").json["result"]["hits"][0]["memory"]["title"] == "お茶"


@pytest.mark.parametrize(("words", "keys"), ENVELOPES)
def test_the_envelope_of_every_command(words: tuple[str, ...], keys: str, in_vault: Line) -> None:
    if "coffee" in words:
        in_vault("remember", "Coffee on Mondays", "--title", "coffee", "--kind", "semantic")
    ran = in_vault(*words, "--json")
    assert ran.err == ""
    envelope = ran.json
    assert set(envelope) == {"memvault", "command", "ok", "result", "warnings"}
    assert (envelope["memvault"], envelope["command"], envelope["ok"]) == (1, split_argv(words)[0], True)
    assert set(envelope["result"]) == set(keys.split())


@pytest.mark.parametrize(
    "words",
    [
        ("remember", "Another one"),
        ("edit", "tea", "--weight", "0.2"),
        ("vault", "pin", "tea"),
        ("vault", "link", "tea", "coffee"),
        ("resolve", "tea", "coffee"),
        ("resolve", "tea", "coffee", "--both"),
        ("review", "merge", "tea", "coffee"),
        ("review", "both", "tea", "coffee"),
        ("vault", "move", "tea", "hot"),
        ("forget", "tea"),
        ("undo",),
        ("config", "recall.limit", "3"),
        ("vault", "doctor", "fix"),
        ("init", "../another"),
    ],
)
def test_a_dry_run_changes_no_byte(words: tuple[str, ...], in_vault: Line, tmp_path) -> None:  # type: ignore[no-untyped-def]
    in_vault("remember", "Coffee on Mondays", "--title", "coffee", "--kind", "semantic")
    in_vault("vault", "list")

    def everything() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in (tmp_path / "work").rglob("*") if path.is_file()}

    before = everything()
    ran = in_vault(*words, "--dry-run")
    assert ran.code == 0, ran.err
    assert everything() == before
