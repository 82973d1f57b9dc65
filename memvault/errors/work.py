"""What is done with memories: commands, upkeep, screens, conversations, speaking."""

from __future__ import annotations

from memvault.errors.vault import REFUSED, USAGE, BadSetting, MemvaultError, NotFound


class NoEditor(MemvaultError):
    sentence = "The text could not be edited: {reason}."
    hint = "Set VISUAL or EDITOR to your editor's command."


class CannotOpen(MemvaultError):
    sentence = "{target} could not be opened: {reason}."
    hint = "`--print` prints the address, to open it on a desktop."


class Misused(MemvaultError):
    exit_code = USAGE
    sentence = "{reason}"
    hint = "See `{command} --help`."


class UnknownCommand(MemvaultError):
    exit_code = USAGE
    sentence = "There is no command {name!r}{near}."
    hint = "`memvault help --all` lists all commands."


class NotText(MemvaultError):
    exit_code = USAGE
    sentence = "{what} is not text in UTF-8 (byte {byte:,} is wrong)."
    hint = "Save it as UTF-8, then try again. Nothing was changed."


class Bug(MemvaultError):
    sentence = "This is a bug in memvault ({kind}). Your notes are as safe as before."
    hint = "{kept}"


class BadBlock(MemvaultError):
    exit_code = REFUSED
    sentence = "{path} was left as it is: {reason} (line {line})."
    hint = "Leave one begin mark and one end mark, or remove them all, then repeat the command."


class NoPlaceForBlock(MemvaultError):
    exit_code = REFUSED
    sentence = "Nothing was written to {path}: {reason}."
    hint = "Name another file or folder with --target. It must exist, and be one that an agent reads instructions from."


class SchedulerFailed(MemvaultError):
    sentence = "`{asked}` failed: {reason}."
    hint = "{way_out}"


class CannotMerge(MemvaultError):
    exit_code = REFUSED
    sentence = "“{one}” and “{other}” were not merged: {reason}."
    hint = "{way_out}"


class SecretFound(MemvaultError):
    exit_code = REFUSED
    sentence = "Nothing was stored: the text seems to contain a secret ({sorts})."
    hint = "`--redact` stores it without the secret; --allow-secret in its place stores it as it is."


class Forgotten(MemvaultError):
    exit_code = REFUSED
    sentence = "Nothing was stored: the same text was forgotten or refused before."
    hint = "A person can store it anyway: `--again`."


class Trivial(MemvaultError):
    exit_code = REFUSED
    sentence = "Nothing was stored: {reason}."


class BadKind(BadSetting):
    hint = "docs/kinds.md shows how to define a kind of your own."


class BadExtension(MemvaultError):
    sentence = "The extension {name} ({where}) failed: {reason}."
    hint = "Fix it or remove it. Everything else still works."


class NoSuchPart(MemvaultError):
    exit_code = USAGE
    sentence = "{name} is {value!r}, but there is no such {sort}. Choose one of: {known}."
    hint = "{way_out}"


class LostPart(NoSuchPart):
    sentence = "{name} is {value!r}, a {sort} of an extension that could not be loaded. Choose one of: {known}."


class NoConversation(NotFound):
    sentence = "No conversation or turn matches {ref!r}."
    hint = "`memvault session list` lists conversations with the references that open them."


class NoIntent(MemvaultError):
    exit_code = USAGE
    sentence = "{text!r} is not a spoken command that memvault knows."
    hint = "{way_out}"


class Paused(MemvaultError):
    exit_code = REFUSED
    sentence = "Nothing was stored: memvault is paused {scope}."
    hint = "End the pause with `{command}`. What you ask for yourself still works."


class Incognito(Paused):
    sentence = "Nothing was stored: this session is incognito."
    hint = "It stays incognito to its end. Start the next one without MEMVAULT_INCOGNITO."


class NotOpened(MemvaultError):
    sentence = "{path} could not be opened: {reason}."
    hint = "Name the key it was sealed to (`--key FILE`), or restore a copy of the file."


class MarksUnknown(MemvaultError):
    exit_code = REFUSED
    sentence = "Nothing was done: the list of forgotten memories, {path}, cannot be read: {reason}."
    hint = "Fix its permissions, or restore it from a copy or another machine. `--again` skips this check."


class OnlyAPerson(MemvaultError):
    exit_code = REFUSED
    sentence = "Nothing was done: only a person {does}."
    hint = "Use a terminal of your own that no agent started."


class NotPrinted(MemvaultError):
    sentence = "Not all of the output could be written to {stream}: {reason}."
    hint = "Changes made before that are kept; `memvault vault log` lists them."
