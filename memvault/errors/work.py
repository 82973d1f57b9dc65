"""What is done with memories: commands, upkeep, screens, conversations, speaking."""

from __future__ import annotations

from memvault.errors.base import REFUSED, USAGE, MemvaultError
from memvault.errors.vault import BadSetting, NotFound

# -- the world around


class NoEditor(MemvaultError):
    sentence = "The text could not be edited: {reason}."
    hint = "Set VISUAL or EDITOR to your editor's command."


class CannotOpen(MemvaultError):
    sentence = "{target} could not be opened: {reason}."
    hint = "`memvault open --print` gives the address, for you to open where there is a desktop."


# -- the command line


class Misused(MemvaultError):
    exit_code = USAGE
    sentence = "{reason}"
    hint = "`{command} --help` shows how it is used."


class UnknownCommand(MemvaultError):
    exit_code = USAGE
    sentence = "There is no command {name!r}{near}."
    hint = "`memvault --help` lists them all."


class NotText(MemvaultError):
    exit_code = USAGE
    sentence = "{what} is not text in UTF-8 (byte {byte:,} is wrong)."
    hint = "Save it as UTF-8, then try again; nothing was changed."


class Bug(MemvaultError):
    sentence = "This is a bug in memvault ({kind}); your notes are as safe as they were."
    hint = "{kept}"


# -- the block in CLAUDE.md and its kin


class BadBlock(MemvaultError):
    exit_code = REFUSED
    sentence = "{path} was left as it is: {reason} (line {line})."
    hint = "Leave one begin mark and one end mark there, or take them all out; then repeat the command."


class NoPlaceForBlock(MemvaultError):
    exit_code = REFUSED
    sentence = "Nothing was written to {path}: {reason}."
    hint = "Name another file or folder with --target; it must be there, and be meant for an agent's instructions."


# -- schedulers


class SchedulerFailed(MemvaultError):
    sentence = "`{asked}` failed: {reason}."
    hint = "{way_out}"


# -- duplicates


class CannotMerge(MemvaultError):
    exit_code = REFUSED
    sentence = "“{one}” and “{other}” were not merged: {reason}."
    hint = "{way_out}"


# -- screens


class SecretFound(MemvaultError):
    exit_code = REFUSED
    sentence = "Nothing was stored: the text holds what looks like a secret ({sorts})."
    hint = "Use --redact to store it without, or --allow-secret to store it as it is."


class Forgotten(MemvaultError):
    exit_code = REFUSED
    sentence = "Nothing was stored: the same text was forgotten or refused before."
    hint = "A person who wants it back uses --again."


class Trivial(MemvaultError):
    exit_code = REFUSED
    sentence = "Nothing was stored: {reason}."


class BadKind(BadSetting):
    hint = "docs/kinds.md says how a kind of your own is described."


# -- extensions


class BadExtension(MemvaultError):
    sentence = "The extension {name} ({where}) was left out: {reason}."
    hint = "Mend it or take it away; everything else works on."


class NoSuchPart(MemvaultError):
    exit_code = USAGE
    sentence = "{name} is {value!r}, and there is no such {sort}: there are {known}."
    hint = "{way_out}"


class LostPart(NoSuchPart):
    sentence = "{name} is {value!r}, a {sort} that an extension may add which could not be loaded; there are {known}."


# -- conversations


class NoConversation(NotFound):
    sentence = "No conversation, and no turn of one, is called {ref!r}."
    hint = "`memvault dig TOPIC --map` shows what there is, each with the reference that opens it."


# -- speaking to it, and the switch


class NoIntent(MemvaultError):
    exit_code = USAGE
    sentence = "{text!r} is no command that memvault listens for."
    hint = "{way_out}"


class Paused(MemvaultError):
    exit_code = REFUSED
    sentence = "Nothing was stored: memvault is paused {scope}."
    hint = "`memvault resume` ends that; what you ask for yourself is done all the same."


class Incognito(Paused):
    sentence = "Nothing was stored: this session is incognito."
    hint = "It stays so to its end: the next one, started without MEMVAULT_INCOGNITO, is an ordinary one again."
