"""What a newcomer stumbled over, each held to once and for all."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memvault.core.kinds import KINDS
from memvault.errors import CannotOpen
from memvault.maintenance.schedule.cron import CronScheduler
from memvault.storage.vault.layout import Layout
from memvault.sync.checkout import ignore_lines, without_known_lines, write_block
from memvault.system import programs
from memvault.system.programs import Machine, SchedulerResult
from tests.command_line import Line


@pytest.mark.parametrize(
    "text",
    ["Never deploy on Friday afternoon.", "Nobody may restart the server until Monday.", "Always call before noon."],
)
def test_a_prohibition_is_no_appointment(text: str) -> None:
    assert KINDS.guess_kind(text) != "prospective"


def test_status_says_that_memvault_is_paused_and_names_no_cache(in_vault: Line) -> None:
    in_vault("agent", "pause")
    ran = in_vault("status")
    assert "Paused: nothing is remembered or given by itself (memvault agent resume ends it)." in ran.err
    assert "/cache/" not in ran.out
    in_vault("agent", "resume")
    assert "Paused" not in in_vault("status").err


def test_a_tag_with_a_space_becomes_one_that_obsidian_takes(in_vault: Line) -> None:
    in_vault("remember", "The gate is painted green.", "--title", "gate", "--tag", "#out door")
    in_vault("edit", "gate", "--add-tag", "my boats")
    found = in_vault("show", "gate", "--json").json["result"]["memory"]["tags"]
    assert found == ["out-door", "my-boats"]


def test_a_folder_that_is_not_there_is_made_only_where_that_is_meant(in_vault: Line) -> None:
    ran = in_vault("vault", "move", "tea", "nowhere")
    assert ran.code == 2
    assert "`nowhere/` makes one" in ran.err
    assert not Path("nowhere").exists()
    assert in_vault("vault", "move", "tea", "nowhere/").code == 0
    assert in_vault("vault", "move", "tea", "2-memories").code == 0
    assert in_vault("vault", "move", "tea", "nowhere").code == 0  # now that it is there


def test_the_report_is_written_where_there_is_no_desktop(in_vault: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(target: str) -> None:
        raise CannotOpen(target=target, reason="xdg-open is not installed")

    monkeypatch.setattr(programs, "open_target", fail)
    ran = in_vault("vault", "report", "--open")
    assert ran.code == 0
    assert Path(ran.out.strip()).is_file()
    assert "Open it yourself: xdg-open is not installed." in ran.err


def test_uninstall_asks_nothing_where_nothing_is_installed(in_vault: Line) -> None:
    ran = in_vault("uninstall")
    assert ran.code == 0
    assert "Nothing was installed." in ran.err
    assert "[y/N]" not in ran.err


@pytest.mark.parametrize("is_dry", [True, False])
def test_a_set_up_without_a_scheduler_ends_well_and_says_what_is_missing(
    line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_dry: bool
) -> None:
    monkeypatch.setattr(Machine, "run_program", lambda *_words, **_more: SchedulerResult(127, b"", "not installed"))
    words = ("--dry-run",) if is_dry else ("--yes", "--no-check", "--no-mcp")
    ran = line("setup", str(tmp_path / "memory"), *words)
    assert ran.code == 0
    assert "schedule: left out. No scheduler is installed on this machine" in ran.out
    assert "memvault maintain" in ran.out
    assert "every day" not in ran.out


def test_no_rule_stands_twice_in_gitignore() -> None:
    layout = Layout("0-identity/", "1-hot/", "2-memories/", "3-raw/", "quarantine/", "private/", "templates/")
    lines = ignore_lines(layout, with_transcripts=False)
    shipped = (Path(__file__).parents[2] / "vault_template" / ".gitignore").read_bytes()
    done = write_block(shipped, without_known_lines(shipped, lines))
    rules = [line for line in done.decode().splitlines() if line and not line.startswith("#")]
    assert len(rules) == len(set(rules))
    assert set(lines) <= set(rules)
    assert write_block(done, without_known_lines(done, lines)) == done
    own = b"/private/*\n"  # whoever has but a part keeps what is lifted in order
    assert without_known_lines(own, lines) == lines


def test_import_knows_what_a_file_is(in_vault: Line) -> None:
    in_vault("export", "all.zip")
    assert in_vault("import", "all.zip", "--dry-run").code == 0
    Path("../more").mkdir()
    Path("../more/gate.md").write_text("The gate is painted green.\n")
    assert "new" in in_vault("import", "../more", "--yes").out
    assert "gone.zip cannot be read: there is no such file" in in_vault("import", "gone.zip").err
    assert "'gone' is none of bundle" in in_vault("import", "gone").err


def test_the_folder_of_rules_is_made(in_vault: Line, tmp_path: Path) -> None:
    assert in_vault("agent", "claude-md", "--format", "rules").code == 0
    assert Path(".claude/rules/memvault.md").is_file()
    (tmp_path / "project").mkdir()
    assert in_vault("agent", "claude-md", "--format", "rules", "--target", str(tmp_path / "project")).code == 0
    assert (tmp_path / "project/.claude/rules/memvault.md").is_file()
    assert in_vault("agent", "claude-md", "--format", "rules", "--target", str(tmp_path / "gone" / "x.md")).code != 0


def test_the_last_job_leaves_no_empty_crontab(monkeypatch: pytest.MonkeyPatch) -> None:
    table = [b"# BEGIN memvault-5f0c5f0c\n0 4 * * * x\n# END memvault-5f0c5f0c\n"]
    asked: list[tuple[str, ...]] = []

    def run(_machine: Machine, *words: str, feed: bytes = b"") -> SchedulerResult:
        asked.append(words)
        return SchedulerResult(0, table[0], "") if words[1] == "-l" else SchedulerResult(0, feed, "")

    monkeypatch.setattr(Machine, "run_program", run)
    monkeypatch.setattr("memvault.maintenance.schedule.cron.job_name", lambda _id: "memvault-5f0c5f0c")
    CronScheduler(Machine({})).remove("5f0c")
    assert asked[-1] == ("crontab", "-r")
    table[0] += b"5 5 * * * mine\n"
    CronScheduler(Machine({})).remove("5f0c")
    assert asked[-1] == ("crontab", "-")


def test_a_drawing_is_called_as_its_file(in_vault: Line) -> None:
    Path("Drawings").mkdir()
    Path("Drawings/Quay plan.excalidraw.md").write_text(
        "---\nexcalidraw-plugin: parsed\n---\n# Text Elements\nNorth quay\n"
    )
    assert in_vault("show", "Quay plan.excalidraw", "--json").json["result"]["memory"]["title"] == "Quay plan"


def test_what_lasts_of_a_task_is_nothing_for_the_doctor(in_vault: Line) -> None:
    in_vault("task", "start", "Move the gauges")
    in_vault("task", "done", "--keep")
    assert in_vault("vault", "doctor", "--json").json["result"]["findings"] == []


def test_a_project_without_a_name_is_called_after_its_folder(
    in_vault: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault, project = Path.cwd(), tmp_path / "harbour"
    project.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    who = ("-c", "user.email=a@example.org", "-c", "user.name=a")
    subprocess.run(["git", *who, "commit", "-q", "--allow-empty", "-m", "x"], cwd=project, check=True)
    monkeypatch.chdir(project)
    ran = in_vault("--vault", str(vault), "remember", "The build takes ten minutes here.")
    assert "Saved to project of this folder (harbour)." in ran.err
    assert "commit:" not in ran.err


def test_of_an_unreadable_note_nothing_is_made_up(in_vault: Line) -> None:
    Path("2-memories/broken.md").write_text("---\nid: [\nweight: {\n---\nThe gate is painted green.\n")
    ran = in_vault("show", "broken")
    assert "its frontmatter could not be read" in ran.out
    assert "weight" not in ran.out.partition("its frontmatter")[0]
    assert ran.out.splitlines()[1].startswith("file:")
