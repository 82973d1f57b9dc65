"""A memory that is made in a project is that project's, unless it concerns the person."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memvault.api import Memvault
from memvault.system import project as projects
from tests.conftest import Opener

FACT = "The release branch is called hotfix-lane and is cut on Tuesdays."


def repository(path: Path, remote: str = "") -> Path:
    path.mkdir(parents=True)
    subprocess.run(["git", "init", "--quiet", str(path)], check=True)
    if remote:
        subprocess.run(["git", "-C", str(path), "remote", "add", "origin", remote], check=True)
    return path


@pytest.fixture
def boat(tmp_path: Path) -> Path:
    return repository(tmp_path / "work" / "boat", "git@example.org:me/boat.git")


def fields(vault: Memvault, text: str, **given: object) -> dict[str, object]:
    more = vault.remember(text, **given).memory.more  # type: ignore[arg-type]
    return {name: more[name] for name in ("project", "scope") if name in more}


def test_memories_made_in_a_repository_belong_to_its_project(vault: Memvault, open_vault: Opener, boat: Path) -> None:
    for agent in ("", "claude-code"):
        at_work = open_vault(vault.root, agent=agent, folder=boat)
        assert fields(at_work, f"{FACT} {agent}") == {"project": "example.org/me/boat"}
    deeper = boat / "src" / "hull"
    deeper.mkdir(parents=True)
    assert fields(open_vault(vault.root, folder=deeper), "The hull is built twice.") == {
        "project": "example.org/me/boat"
    }


def test_personal_memories_are_for_every_project(vault: Memvault, open_vault: Opener, boat: Path) -> None:
    at_work = open_vault(vault.root, folder=boat)
    assert fields(at_work, "I prefer tabs over spaces", kind="semantic")["scope"] == "global"
    assert "scope" not in fields(at_work, "Today I prefer to begin with the keel.", kind="episodic")


def test_an_agents_folder_is_a_project_and_two_of_one_name_are_two(
    vault: Memvault, open_vault: Opener, tmp_path: Path
) -> None:
    found = []
    for place in ("one/plain", "two/plain"):
        folder = tmp_path / place
        folder.mkdir(parents=True)
        found.append(fields(open_vault(vault.root, agent="claude-code", folder=folder), f"{FACT} {place}")["project"])
        assert fields(open_vault(vault.root, folder=folder), f"By hand, {place}: it rains.") == {}
    assert found[0] != found[1]
    assert all(str(each).startswith("folder:plain-") for each in found)


def test_outside_any_project_it_is_nobodys_in_particular(vault: Memvault, open_vault: Opener) -> None:
    assert fields(open_vault(vault.root, agent="claude-code", folder=Path.home()), FACT) == {}
    assert fields(open_vault(vault.root, agent="claude-code", folder=vault.root / "1-hot"), f"{FACT} Again.") == {}
    assert fields(vault, f"{FACT} From a library.") == {}


def test_a_vault_that_lies_in_a_project_is_that_projects_whole(tmp_path: Path, open_vault: Opener) -> None:
    project = repository(tmp_path / "boat")
    Memvault.init(project / "memory")
    assert fields(open_vault(project / "memory", agent="claude-code", folder=project), FACT) == {}


def test_given_project_fields_go_first(vault: Memvault, open_vault: Opener, boat: Path) -> None:
    at_work = open_vault(vault.root, folder=boat)
    assert fields(at_work, FACT, more={"project": "other"}) == {"project": "other"}
    assert fields(at_work, f"{FACT} For all.", more={"scope": "global"}) == {
        "project": "example.org/me/boat",
        "scope": "global",
    }


def test_worktrees_of_one_repository_share_it(tmp_path: Path) -> None:
    main = repository(tmp_path / "main")
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", "-C", str(main), *who, "commit", "--quiet", "--allow-empty", "-m", "x"], check=True)
    subprocess.run(["git", "-C", str(main), "worktree", "add", "--quiet", str(tmp_path / "side")], check=True)
    assert projects.project_of(main) == projects.project_of(tmp_path / "side")
    assert projects.project_of(main).startswith("commit:")


def test_no_repository_has_a_program_of_its_own_run(tmp_path: Path) -> None:
    """A partial clone names a program that is to fetch what is missing; asking for its first commit starts none."""
    evil, proof = repository(tmp_path / "evil"), tmp_path / "ran"
    for name, value in (
        ("core.repositoryformatversion", "1"),
        ("extensions.partialClone", "o"),
        ("remote.o.url", "."),
        ("remote.o.promisor", "true"),
        ("remote.o.partialclonefilter", "blob:none"),
        ("remote.o.uploadpack", f"touch {proof};false"),
    ):
        subprocess.run(["git", "-C", str(evil), "config", name, value], check=True)
    head = (evil / ".git/HEAD").read_text().split()[1]
    (evil / ".git" / head).write_text("1234567890123456789012345678901234567890\n")
    assert projects.project_of(evil).startswith("folder:evil-")
    assert not proof.exists()


def test_an_explicit_recall_finds_all_and_its_own_project_first(
    vault: Memvault, open_vault: Opener, tmp_path: Path
) -> None:
    here, there = (repository(tmp_path / name, f"git@example.org:me/{name}.git") for name in ("here", "there"))
    for folder in (there, here):
        open_vault(vault.root, folder=folder).remember(
            f"The release branch is cut on Tuesdays ({folder.name}).", again=True, near="ignore"
        )
    for folder, first in ((here, "here"), (there, "there")):
        hits = open_vault(vault.root, folder=folder).recall("when is the release branch cut?").hits
        assert len(hits) == 2 or hits[0].alike
        assert hits[0].memory.more["project"] == f"example.org/me/{first}"
        assert hits[0].own_project > 0
