"""What an agent is told when something fails: a sentence, and what it can do about it with the tools it has."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType

from memvault.core.secrets.veil import veiled
from memvault.errors import MemvaultError
from memvault.text.escape import printable

# The hints of errors name commands and options of a shell; an agent has tools and their arguments.
_ADVICE: Mapping[str, str] = MappingProxyType(
    {
        "Ambiguous": "Give more characters of the id.",
        "AlreadyThere": "Give another title.",
        "Bug": "Tell the user; `memvault doctor` may know more. The other tools go on working.",
        "Busy": "Try again in a moment.",
        "ChangedMeanwhile": "Read it again with `show`, and repeat your change with the version that it gives.",
        "EmptyClone": "The user checks out the branch first (`git switch`). Tell them.",
        "Forgotten": "The user had it forgotten. Leave it so; they alone bring it back (`memvault remember --again`).",
        "Incognito": "The user wants it so, to the end of this session. Do not try again.",
        "MaintenanceUnderWay": "Let it finish, and try again in a few minutes.",
        "Misused": "",
        "NoConversation": "`dig` with a topic and map_only lists what there is, each with its `ref`.",
        "NoOperation": "Every tool that writes gives its `operation`; the user sees all of them with `memvault log`.",
        "NoVault": "The user makes one with `memvault setup`, or names one with MEMVAULT_DIR. Tell them.",
        "NotAVault": "The user makes one with `memvault setup`, or names one with MEMVAULT_DIR. Tell them.",
        "NotFound": "Find it with `recall`, and use the id that it gives.",
        "OnlyAPerson": "Tell the user; they alone do that, with `memvault` in a terminal of their own.",
        "Paused": "The user wants it so. Do not try again; they end it with `memvault resume`.",
        "SecretFound": 'Leave the secret out, or call again with secrets="redact". Tell the user.',
        "Trivial": "Say more, so that it can be read alone in a year; or leave it.",
        "UndoRefused": "Tell the user: somebody has changed it since, and their work was not touched.",
    }
)


def told(error: MemvaultError) -> str:
    """What went wrong and what to do next; no secret is repeated."""
    error = veiled(error)
    return printable("\n".join(filter(None, (str(error), _ADVICE.get(error.code, error.advice)))))


def bug(error: Exception, tool: str, environment: Mapping[str, str], now: datetime) -> str:
    """The same for a bug of ours, whose details are kept where bugs of commands are."""
    from memvault.cli.output import crash  # deferred: nobody should ever need it

    return told(crash.bug(error, ("mcp", tool), environment, now))
