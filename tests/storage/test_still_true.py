"""Whether what a memory says of files and branches still holds."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from memvault import Memvault
from memvault.agents.hooks.prompt import inject_prompt
from memvault.open_vault import OpenVault
from memvault.storage.still_true import digest_lines, find_renamed, look_into, refer_to_files, remember_root
from memvault.transcripts.ingest import IngestOptions, ingest
from tests.conftest import Opener

POLL = "import time\n\nRETRY_SECONDS = 10\n\ndef poll_gauges():\n    time.sleep(RETRY_SECONDS)\n"
SAID = "The poller in src/poll.py waits `RETRY_SECONDS`, ten of them, before it asks a gauge again."
PROMPT = "How long does the poller wait before it asks a gauge again?"


def git(folder: Path, *words: str) -> None:
    names = {f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    done = subprocess.run(["git", *words], cwd=folder, env={**os.environ, **names}, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one file and one commit."""
    folder = tmp_path / "gauges"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "poll.py").write_text(POLL)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    return folder


@pytest.fixture
def inside(vault: Memvault, open_vault: Opener, project: Path) -> Memvault:
    """The vault, as it is open in the repository."""
    return open_vault(vault.root, folder=project)


def given(vault: Memvault, session: str, prompt: str = PROMPT) -> str:
    project = vault.run(lambda context: context.project)
    return inject_prompt(vault, prompt, event="UserPromptSubmit", session=session, project=project).text


def test_only_the_lines_that_are_named_count() -> None:
    before = digest_lines(POLL, SAID)
    assert digest_lines(f"# a remark\n{POLL}", SAID) == before
    assert digest_lines(POLL.replace("    time", "        time"), SAID) == before
    assert digest_lines(POLL.replace("= 10", "= 20"), SAID) != before
    assert digest_lines(f"{POLL}\n", "It polls.") != digest_lines(f"{POLL}x", "It polls.")


def test_files_that_a_text_does_not_speak_of_are_no_reference(project: Path) -> None:
    (project / "other.py").write_text("pass\n")
    found = refer_to_files(project, ["src/poll.py", "other.py", "../away.py", "gone.py"], SAID)
    assert found == (f"src/poll.py@{digest_lines(POLL, SAID)}",)


def test_a_changed_file_is_told_wherever_the_memory_is_given(inside: Memvault, project: Path) -> None:
    made = inside.remember(SAID, refs={"path": ("src/poll.py",)}).memory
    assert made.refs["path"] == (f"src/poll.py@{digest_lines(POLL, SAID)}",)
    assert "written before" not in given(inside, "s1")
    (project / "src" / "poll.py").write_text(f"# a remark\n{POLL}")
    assert "written before" not in given(inside, "s2")
    (project / "src" / "poll.py").write_text(POLL.replace("= 10", "= 20"))
    assert "written before src/poll.py changed on " in given(inside, "s3")
    assert any("written before src/poll.py" in remark for remark in inside.recall(PROMPT).hits[0].memory.remarks)
    [finding] = [one for one in inside.doctor().findings if one.check == "still-true"]
    assert "written before src/poll.py changed on" in finding.sentence


def test_a_renamed_file_is_followed_and_a_removed_one_is_told(inside: Memvault, project: Path) -> None:
    made = inside.remember(SAID, refs={"path": ("src/poll.py",)}).memory
    git(project, "mv", "src/poll.py", "src/poller.py")
    git(project, "commit", "-qm", "rename")
    assert find_renamed(project, "src/poll.py") == "src/poller.py"
    assert "outdated" not in inside.run(look_into, made).more
    git(project, "rm", "-q", "src/poller.py")
    assert inside.run(look_into, made).more["outdated"] == "written before src/poll.py was removed"


def test_files_are_found_from_another_folder_once_the_project_is_known(
    vault: Memvault, inside: Memvault, project: Path
) -> None:
    made = inside.remember(SAID, refs={"path": ("src/poll.py",)}).memory
    (project / "src" / "poll.py").write_text(POLL.replace("= 10", "= 20"))
    assert "outdated" not in vault.run(look_into, made).more
    remember_root(vault.state_folder, str(made.more["project"]), project)
    assert "written before" in str(vault.run(look_into, made).more["outdated"])


def test_what_was_decided_on_a_branch_is_given_elsewhere_once_it_is_merged(inside: Memvault, project: Path) -> None:
    git(project, "checkout", "-qb", "parquet")
    said = "We decided to store the gauge readings as Parquet, because CSV lost the time zones."
    made = inside.remember(said).memory
    assert str(made.more["branch"]).startswith("parquet@")
    asked = "In which format do we store the gauge readings, and why that one?"
    assert said in given(inside, "s1", asked)
    (project / "store.py").write_text("parquet = True\n")
    git(project, "add", ".")
    git(project, "commit", "-qm", "parquet")
    git(project, "checkout", "-q", "main")
    assert said not in given(inside, "s2", asked)
    assert "decided on branch parquet, not merged here" in inside.recall(asked).hits[0].memory.remarks
    git(project, "merge", "-q", "parquet")
    assert said in given(inside, "s3", asked)


def test_what_is_learned_refers_to_the_files_of_its_turns(tmp_path: Path, project: Path) -> None:
    environment = {
        "HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_CACHE_HOME": str(tmp_path / "c"),
    }
    line = {"sessionId": "s0", "timestamp": "2026-01-29T09:00:00Z", "cwd": str(project)}
    call = {"type": "tool_use", "id": "t1", "name": "Edit", "input": {"file_path": str(project / "src" / "poll.py")}}
    decided = (
        "We decided that poll_gauges sleeps RETRY_SECONDS between two gauges, because the modem drops longer calls."
    )
    rows = (
        {**line, "type": "user", "uuid": "u1", "message": {"role": "user", "content": decided}},
        {**line, "type": "assistant", "uuid": "u2", "message": {"role": "assistant", "content": [call]}},
    )
    transcript = tmp_path / ".claude" / "projects" / "-gauges" / "s0.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    Memvault.init(tmp_path / "v")
    with OpenVault(tmp_path / "v", environment=environment) as vault:
        [learned] = vault.run(ingest, IngestOptions(paths=(transcript,))).taken[0].learnt
        memory = vault.run(lambda context: context.find_memory(learned.id))
    assert memory.refs["path"] == (f"src/poll.py@{digest_lines(POLL, decided)}",)
