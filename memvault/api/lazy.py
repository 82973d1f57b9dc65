"""The modules of capabilities, each imported when a name in it is used: a recall does not pay for the others."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memvault import capture as auto_capture
    from memvault.agents.setup import install as agent_install
    from memvault.agents.spoken import execute as execute_spoken
    from memvault.agents.spoken import obey_turn
    from memvault.context import claude_md, gather, injection_log
    from memvault.maintenance import conflicts, doctor, inbox, maintain, retention, vault_status
    from memvault.maintenance import report as report_figures
    from memvault.maintenance.schedule import install as schedule_install
    from memvault.memories import draft, edit, forget, quarantine, remember, reviewers, tasks
    from memvault.models.llm import model
    from memvault.privacy import audit
    from memvault.privacy.private import read as private_read
    from memvault.privacy.private import recipients
    from memvault.privacy.private import write as private_write
    from memvault.privacy.purge import purge
    from memvault.privacy.purge import verify as purge_verify
    from memvault.recall import keywords, recall, semantic_model, show
    from memvault.storage import pauses, still_true, written_files
    from memvault.storage.journal import apply, chain_check, runs, undo
    from memvault.storage.vault import configure
    from memvault.storage.vault import create as vault_create
    from memvault.storage.vault import quarantine as waiting
    from memvault.sync import merge_driver, sync
    from memvault.sync import setup as sync_setup
    from memvault.system import age
    from memvault.transcripts import check as transcript_check
    from memvault.transcripts import dig, ingest, progress
    from memvault.transcripts import search as transcript_search
    from memvault.transfer import export
    from memvault.transfer.importers import bundle, import_memories

_MODULES = {
    "context": "claude_md gather injection_log",
    "maintenance": "conflicts doctor inbox maintain retention vault_status",
    "memories": "draft edit forget quarantine remember reviewers tasks",
    "models.llm": "model",
    "privacy": "audit",
    "privacy.private": "recipients",
    "privacy.purge": "purge",
    "recall": "keywords recall semantic_model show",
    "storage": "pauses still_true written_files",
    "storage.journal": "apply chain_check runs undo",
    "storage.vault": "configure",
    "sync": "merge_driver sync",
    "system": "age",
    "transcripts": "dig ingest progress",
    "transfer": "export",
    "transfer.importers": "bundle import_memories",
}
_HOMES = {name: f"memvault.{package}.{name}" for package, names in _MODULES.items() for name in names.split()} | {
    "agent_install": "memvault.agents.setup.install",
    "auto_capture": "memvault.capture",
    "execute_spoken": "memvault.agents.spoken.execute",
    "obey_turn": "memvault.agents.spoken.obey_turn",
    "private_read": "memvault.privacy.private.read",
    "private_write": "memvault.privacy.private.write",
    "purge_verify": "memvault.privacy.purge.verify",
    "report_figures": "memvault.maintenance.report",
    "schedule_install": "memvault.maintenance.schedule.install",
    "sync_setup": "memvault.sync.setup",
    "transcript_check": "memvault.transcripts.check",
    "transcript_search": "memvault.transcripts.search",
    "vault_create": "memvault.storage.vault.create",
    "waiting": "memvault.storage.vault.quarantine",
}


def __getattr__(name: str) -> object:
    """Import a module on the first use of one of its names."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(_HOMES[name])
