"""`claude-md`: one file, one block, current or not; shown is only what may be shown."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from memvault import errors
from memvault.api import Memvault
from memvault.context.claude_md import plan_claude_md
from memvault.core.memory import Memory
from memvault.core.plan import CreateFile, Plan, PlanChange, RewriteNote
from memvault.core.query import NO_FILTERS
from memvault.storage.journal.apply import apply
from memvault.text.managed_block import BEGIN, END
from tests.conftest import Clock, Opener

TIDEMARK = "fenwick.example/trust/tidemark"
posix = pytest.mark.skipif(os.name == "nt", reason="links need rights there")


def note(vault: Memvault, path: str, body: str = "It says so.", **fields: str) -> None:
    file = vault.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    head = "".join(f"{name}: {value}\n" for name, value in {"created": "2026-01-02T03:04:05Z", **fields}.items())
    file.write_text(f"---\n{head}---\n{body}\n", encoding="utf-8")


def text(vault: Memvault, **options: object) -> str:
    return vault.claude_md(dry_run=True, **options).text  # type: ignore[arg-type]


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text(f'[remote "o"]\n\turl = https://{TIDEMARK}.git\n', encoding="utf-8")
    return folder


# -- writing


def test_claude_md_writes_the_vaults_own_file_once(sample: Memvault, clock: Clock) -> None:
    made = sample.claude_md()
    file = sample.root / "CLAUDE.md"
    stamp = file.stat()
    clock.pass_(days=400)
    again = sample.claude_md()
    assert (made.changed, again.changed, again.op) == (True, False, "")
    assert file.read_text("utf-8") == f"{made.text}\n"
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == (stamp.st_mtime_ns, stamp.st_ino)


def test_claude_md_can_be_undone(sample: Memvault) -> None:
    file = sample.root / "CLAUDE.md"
    file.write_bytes(b"Mine.\r\n")
    made = sample.claude_md()
    assert file.read_bytes().startswith(b"Mine.\r\n\r\n<!-- memvault:begin")
    assert sample.undo().op == made.op
    assert file.read_bytes() == b"Mine.\r\n"


def test_the_block_is_no_memory(sample: Memvault) -> None:
    before = sample.status().memories
    sample.claude_md()
    assert sample.status().memories == before
    assert sample.doctor().is_sound


def test_a_changed_note_makes_it_stale_until_it_is_written_again(sample: Memvault) -> None:
    assert not sample.claude_md(check=True).current
    assert not (sample.root / "CLAUDE.md").exists()
    sample.claude_md()
    assert sample.claude_md(check=True).current
    sample.edit("Short answers first", append="And no flattery.")
    checked = sample.claude_md(check=True)
    assert (checked.current, checked.changed) == (False, False)
    assert sample.claude_md().changed
    assert "no flattery" in (sample.root / "CLAUDE.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("form", "file"),
    [
        ("claude", "CLAUDE.md"),
        ("agents", "AGENTS.md"),
        ("gemini", "GEMINI.md"),
        ("cursor", ".cursor/rules/memvault.mdc"),
        ("rules", ".claude/rules/memvault.md"),
    ],
)
def test_each_agent_finds_its_file_where_it_looks(sample: Memvault, elsewhere: Path, form: str, file: str) -> None:
    (elsewhere / file).parent.mkdir(parents=True, exist_ok=True)
    made = sample.claude_md(elsewhere, format=form)
    assert Path(made.path) == Path(os.path.realpath(elsewhere)) / file
    assert (elsewhere / file).read_text("utf-8").endswith(f"{END}\n")
    assert not sample.claude_md((elsewhere / file).parent, format=form).changed
    assert not sample.claude_md(elsewhere / file, format=form).changed
    assert [path.name for path in elsewhere.rglob("*.md*")] == [Path(file).name]


def test_cursor_gets_the_frontmatter_it_needs_but_nobody_elses_file_does(sample: Memvault, elsewhere: Path) -> None:
    rules = elsewhere / ".cursor" / "rules"
    rules.mkdir(parents=True)
    assert sample.claude_md(rules, format="cursor").notes == ()
    assert (
        (rules / "memvault.mdc")
        .read_bytes()
        .startswith(b"---\ndescription: What memvault remembers\nglobs:\nalwaysApply: true\n---\n\n<!--")
    )
    (rules / "own.mdc").write_bytes(b"---\nalwaysApply: false\n---\nMine.\n")
    assert "lacks `alwaysApply: true`" in sample.claude_md(rules / "own.mdc", format="cursor").notes[0]
    assert (rules / "own.mdc").read_bytes().startswith(b"---\nalwaysApply: false\n---\nMine.\n\n<!--")


def test_a_tucked_away_claude_md_is_used_rather_than_making_a_second(sample: Memvault, elsewhere: Path) -> None:
    (elsewhere / ".claude").mkdir()
    (elsewhere / ".claude" / "CLAUDE.md").write_bytes(b"Mine.\n")
    sample.claude_md(elsewhere)
    assert END in (elsewhere / ".claude" / "CLAUDE.md").read_text("utf-8")
    assert not (elsewhere / "CLAUDE.md").exists()


def test_a_file_outside_the_vault_is_undone_too(sample: Memvault, elsewhere: Path) -> None:
    file = elsewhere / "AGENTS.md"
    file.write_bytes(b"\xef\xbb\xbfMine.")
    sample.claude_md(elsewhere, format="agents")
    assert file.read_bytes().startswith(b"\xef\xbb\xbfMine.\n\n<!--")
    sample.undo()
    assert file.read_bytes() == b"\xef\xbb\xbfMine."


# -- refusals


def _git(top: Path) -> Path:
    return top / ".git"


def _linked_git(top: Path) -> Path:
    (top / "link").symlink_to(top / ".git")
    return top / "link" / "CLAUDE.md"


@posix
@pytest.mark.parametrize("target", [_git, _linked_git])
def test_claude_md_writes_nothing_into_git(sample: Memvault, elsewhere: Path, target: Callable[[Path], Path]) -> None:
    with pytest.raises(errors.NoPlaceForBlock, match=r"\.git"):
        sample.claude_md(target(elsewhere))
    assert sorted(path.name for path in (elsewhere / ".git").iterdir()) == ["config"]


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("gone/CLAUDE.md", "no folder"),
        ("gone", "no such folder"),
        (".bashrc", "must end in"),
        ("work.GIT/../.Git/CLAUDE.md", "no folder|Git"),
    ],
)
def test_a_place_that_is_none_is_refused(sample: Memvault, elsewhere: Path, target: str, said: str) -> None:
    with pytest.raises(errors.NoPlaceForBlock, match=said):
        sample.claude_md(elsewhere / target)
    assert [path.name for path in elsewhere.iterdir()] == [".git"]


def test_a_memory_and_the_vaults_own_records_are_no_place(sample: Memvault) -> None:
    with pytest.raises(errors.NoPlaceForBlock, match="a memory"):
        sample.claude_md(sample.root / "1-hot" / "short-answers-first.md")
    with pytest.raises(errors.NoPlaceForBlock, match=r"\.memvault"):
        sample.claude_md(sample.root / ".memvault")


@posix
def test_links_are_never_replaced(sample: Memvault, elsewhere: Path) -> None:
    (elsewhere / "real.md").write_bytes(b"Mine.\n")
    (elsewhere / "CLAUDE.md").symlink_to(elsewhere / "real.md")
    os.link(elsewhere / "real.md", elsewhere / "AGENTS.md")
    for form in ("claude", "agents"):
        with pytest.raises(errors.NotAPlainFile):
            sample.claude_md(elsewhere, format=form)
    assert (elsewhere / "real.md").read_bytes() == b"Mine.\n"


@pytest.mark.parametrize(
    "data", [f"{BEGIN}\nno end\n".encode(), f"{BEGIN}\n{END}\n{BEGIN}\n{END}\n".encode(), b"caf\xe9\n"]
)
def test_a_file_that_cannot_be_written_safely_is_left(sample: Memvault, elsewhere: Path, data: bytes) -> None:
    (elsewhere / "CLAUDE.md").write_bytes(data)
    with pytest.raises((errors.BadBlock, errors.NotText)):
        sample.claude_md(elsewhere)
    assert (elsewhere / "CLAUDE.md").read_bytes() == data


def test_a_format_that_nobody_reads_is_refused(sample: Memvault) -> None:
    with pytest.raises(errors.BadInput, match="claude, agents"):
        sample.claude_md(format="word")


# -- what is shown


def test_the_vaults_own_file_holds_what_is_global(sample: Memvault) -> None:
    own = text(sample)
    assert "Noor Halvorsen, hydrologist" in own
    assert "**Short answers first**" in own
    assert "Tidemark reads all 31 gauges" not in own
    assert "Memories of other projects are not in this file" in own


def test_a_projects_file_holds_that_project_and_what_is_global(sample: Memvault, elsewhere: Path) -> None:
    there = text(sample, target=elsewhere)
    assert "Tidemark reads all 31 gauges" in there
    assert "- Readings go into a database, not into files (decision, " in there
    assert "**Short answers first**" in there
    assert "other projects" not in there
    assert text(sample, target=elsewhere, project="somewhere.example/else/where") == text(sample)
    assert text(sample, project=TIDEMARK.upper()) == there


@pytest.mark.parametrize(
    "fields",
    [
        {"source": "web"},
        {"source": "tool"},
        {"source": "import"},
        {"source": "agent", "tainted": "true"},
        {"superseded_by": '"[[better]]"'},
        {"status": "archived"},
        {"scope": "session", "session": "s1"},
        {"kind": "working"},
        {"kind": "prospective", "state": "completed"},
        {"project": "another.example/a/b"},
    ],
)
@pytest.mark.parametrize("folder", ["0-identity", "1-hot", "2-memories"])
def test_claude_md_shows_no_ineligible_memory(vault: Memvault, folder: str, fields: dict[str, str]) -> None:
    note(vault, f"{folder}/shown.md", "Innocent words.", title="Shown title", kind="semantic")
    note(vault, f"{folder}/secret.md", "Sinister words.", title="Sinister title", **fields)
    made = text(vault)
    assert "Shown title" in made
    assert "inister" not in made


def test_claude_md_reports_what_it_bars_from_tiers_0_and_1(vault: Memvault) -> None:
    note(vault, "1-hot/from-the-web.md", source="web")
    note(vault, "0-identity/broken.md", title="[unclosed")
    notes = vault.claude_md(dry_run=True).notes
    assert len(notes) == 2
    assert "cannot be read" in notes[0]
    assert "from imports, tools or the web" in notes[1]


@pytest.mark.parametrize("folder", ["0-identity", "1-hot", "2-memories"])
def test_a_bare_ok_stays_out_and_what_only_bears_its_name_does_not(vault: Memvault, folder: str) -> None:
    note(vault, f"{folder}/ok.md", "OK, thanks!", title="ok", weight="0.9")
    note(vault, f"{folder}/great.md", "The great flood reached the mill door in 1987.", title="Great", weight="0.9")
    shown = text(vault)
    assert "OK" not in shown
    assert "ok" not in re.findall(r"\w+", shown)
    assert "1987" in shown or "Great" in shown


def test_private_spans_stay_private(vault: Memvault) -> None:
    note(vault, "1-hot/a.md", "Open. <private>hidden</private> Open too.", title="A <private>hidden</private> title")
    note(vault, "2-memories/b.md", title="B <private>hidden</private>", tags="[decision, a<private>hidden</private>]")
    assert "hidden" not in text(vault)
    assert "Open too." in text(vault)


def test_faded_memories_are_not_listed_and_details_neither(vault: Memvault) -> None:
    note(vault, "2-memories/faded.md", title="Faded away", status="stale")
    note(vault, "2-memories/deep-context/detail.md", title="In detail")
    note(vault, "quarantine/odd.md", title="Odd thing")
    assert "There is nothing that belongs here" in text(vault)


def test_notes_of_an_adopted_folder_are_listed_only_where_it_was_opened(
    tmp_path: Path, clock: Clock, open_vault: Opener
) -> None:
    for path in ("Work/plan.md", "Diary/secret.md"):
        (tmp_path / "Notes" / path).parent.mkdir(parents=True)
        (tmp_path / "Notes" / path).write_text(f"# {path}\n\nText.\n", encoding="utf-8")
    Memvault.init(tmp_path / "Notes", clock=clock)
    closed = open_vault(tmp_path / "Notes")
    assert "plan" not in text(closed)
    assert "The vault's other notes are not in this file" in text(closed)
    opened = open_vault(tmp_path / "Notes", settings={"inject.folders": ("Work",)})
    assert "- Work/plan.md (" in text(opened)
    assert "secret" not in text(opened)


def test_settings_bound_each_part(tmp_path: Path, sample: Memvault, open_vault: Opener) -> None:
    tight = open_vault(sample.root, settings={"claude_md.hot_tokens": 0, "claude_md.index_tokens": 0})
    made = tight.claude_md(dry_run=True)
    assert "### In use now" not in made.text
    assert "### Session index" not in made.text
    assert [each.title for each in made.left_out] == ["Short answers first"]
    assert made.unlisted > 0


# -- what maintenance asks for


def changes(vault: Memvault) -> tuple[PlanChange, ...]:
    context = vault._make_context()
    context.refresh()
    return plan_claude_md(context, context.index.memories(NO_FILTERS), context.read_text)


def test_upkeep_makes_the_file_of_a_vault_of_ours_and_keeps_it_current(sample: Memvault) -> None:
    made = changes(sample)
    assert [type(change) for change in made] == [CreateFile]
    apply(Plan("maintain", made), sample._make_context())
    assert changes(sample) == ()
    assert sample.claude_md(check=True).current
    sample.edit("Short answers first", append="And no flattery.")
    assert [type(change) for change in changes(sample)] == [RewriteNote]


def test_upkeep_shows_memories_as_they_will_be(sample: Memvault) -> None:
    context = sample._make_context()
    context.refresh()
    later = [each.with_changes(status="archived") for each in context.index.memories(NO_FILTERS)]

    def read(memory: Memory) -> str:
        raise AssertionError(memory)

    (change,) = plan_claude_md(context, later, read)
    assert isinstance(change, CreateFile)
    assert b"There is nothing that belongs here" in change.data


def test_upkeep_leaves_a_file_alone_that_is_a_persons_own(sample: Memvault) -> None:
    (sample.root / "CLAUDE.md").write_bytes(b"Mine.\n")
    assert changes(sample) == ()


def test_upkeep_writes_nothing_into_an_adopted_folder_until_a_block_is_there(
    tmp_path: Path, clock: Clock, open_vault: Opener
) -> None:
    (tmp_path / "Notes").mkdir()
    (tmp_path / "Notes" / "a.md").write_text("A note.\n", encoding="utf-8")
    Memvault.init(tmp_path / "Notes", clock=clock)
    adopted = open_vault(tmp_path / "Notes")
    assert changes(adopted) == ()
    adopted.claude_md()
    assert changes(adopted) == ()
    (tmp_path / "Notes" / "CLAUDE.md").write_text(f"{BEGIN}\nold\n{END}\n", encoding="utf-8")
    assert [type(change) for change in changes(adopted)] == [RewriteNote]


def test_upkeep_obeys_the_setting_and_stops_at_no_broken_file(sample: Memvault, open_vault: Opener) -> None:
    manual = open_vault(sample.root, settings={"claude_md.write": "manual"})
    assert changes(manual) == ()
    (sample.root / "CLAUDE.md").write_text(f"{BEGIN}\n", encoding="utf-8")
    assert changes(sample) == ()


@pytest.mark.parametrize("days", [0, 1, 400, 4000, -4000])
def test_no_clock_has_a_part_in_it(sample: Memvault, clock: Clock, days: int) -> None:
    before = text(sample)
    clock.now += timedelta(days=days)
    assert text(sample) == before


@pytest.mark.parametrize("rules", [(), ("promote", "claude-md")])
def test_upkeep_that_makes_knowledge_leaves_the_file_current(vault: Memvault, rules: tuple[str, ...]) -> None:
    note(
        vault,
        "2-memories/b.md",
        "I am allergic to wasp stings. #outdoors/summer",
        kind="episodic",
        type="memory",
        source_sessions="[s1, s2, s3]",
        title="Wasps",
    )
    done = vault.maintain(only=rules)
    assert {rule for change in done.done for rule in change.rules} >= {"promote", "claude-md"}
    assert "wasp stings" in (vault.root / "CLAUDE.md").read_text("utf-8")
    assert vault.claude_md(check=True).current


def test_upkeep_that_merges_or_raises_statements_leaves_the_file_current(vault: Memvault) -> None:
    for name in ("a", "b"):
        note(vault, f"2-memories/{name}.md", "I never eat mushrooms.", title="Mushrooms")
    note(vault, "1-hot/c.md", "My brother Ilja lives in Aden.", title="Ilja")
    note(vault, "4-archive/d.md", "I am allergic to wasp stings.", title="Wasps", pinned="true")
    done = vault.maintain()
    assert "consolidate" in {rule for change in done.done for rule in change.rules}
    assert vault.claude_md(check=True).current
