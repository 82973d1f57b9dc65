"""The vault: finding it, finding a memory in it, reading and writing."""

from __future__ import annotations

from memvault.errors.base import BUSY, NO_VAULT, NOT_FOUND, REFUSED, USAGE, MemvaultError

# -- the vault and its settings


class NoVault(MemvaultError):
    exit_code = NO_VAULT
    sentence = "No vault was found. Looked at: {looked}."
    hint = "Make one with `memvault init PATH`, or name one with --vault or MEMVAULT_DIR."


class NotAVault(MemvaultError):
    exit_code = NO_VAULT
    sentence = "{path} is not a vault: {missing} is missing."
    hint = "Make it one with `memvault init {path}`; no note in it is changed."


class VaultTooNew(MemvaultError):
    exit_code = NO_VAULT
    sentence = "{path} was written by a newer memvault (vault format {found}, this program knows {known})."
    hint = "Install the newer memvault; this one leaves the vault alone."


class VaultInsideVault(MemvaultError):
    exit_code = REFUSED
    sentence = "{path} lies inside another vault, {outer}."
    hint = "Choose a folder outside it, or use --nested if that is what you want."


class AlreadyAVault(MemvaultError):
    exit_code = REFUSED
    sentence = "{path} is a vault already."
    hint = "Nothing needs to be done; `memvault --vault {path} status` shows it."


class BadSetting(MemvaultError):
    exit_code = USAGE
    sentence = "Setting {name} in {where} cannot be {value!r}: {reason}."
    hint = "`memvault config {name}` shows what it may be."


class UnknownSetting(MemvaultError):
    exit_code = USAGE
    sentence = "There is no setting named {name}{near}."
    hint = "`memvault config` lists them all."


class BadConfigFile(MemvaultError):
    exit_code = USAGE
    sentence = "{path} cannot be read as TOML: {reason}."
    hint = "Mend that line; memvault does not guess at settings."


# -- finding one memory


class NotFound(MemvaultError):
    exit_code = NOT_FOUND
    sentence = "No memory matches {ref!r}."
    hint = (
        "Use its title, its file name, or its id (4 characters of the id are enough);"
        " `memvault recall` searches the text."
    )


class Ambiguous(MemvaultError):
    exit_code = NOT_FOUND
    sentence = "{ref!r} matches {count} memories: {names}."
    hint = "Give more characters of the id, or the file name."


class NoOperation(MemvaultError):
    exit_code = NOT_FOUND
    sentence = "There is no operation {which}."
    hint = "`memvault log` lists what was done."


# -- reading and writing


class BadInput(MemvaultError):
    exit_code = USAGE
    sentence = "{what} cannot be {value!r}: {reason}."


class NothingToDo(MemvaultError):
    exit_code = USAGE
    sentence = "{reason}"


class Unreadable(MemvaultError):
    sentence = "{path} cannot be read: {reason}."
    hint = "Mend that, or go on without it; nothing else is affected."


class LinkNotFollowed(Unreadable):
    hint = (
        "Put a folder or file of its own in the link's place; or, if the link is yours and may be read, add {link}"
        " to what `memvault config --user vault.links` lists."
    )


class Unwritable(MemvaultError):
    sentence = "{path} cannot be written: {reason}."
    hint = "Nothing was changed. Check permissions and free space, then try again."


class CannotEdit(MemvaultError):
    exit_code = REFUSED
    sentence = "{path} was left as it is: {reason}{line}."
    hint = "Edit the frontmatter by hand; memvault writes only where it can prove that nothing else changes."


class Hindered(MemvaultError):
    sentence = "The system did not let memvault get at {path}: {reason}."
    hint = "Put that right, then repeat the command; what was begun is finished, or taken back, by the next one."


class AlreadyThere(MemvaultError):
    exit_code = REFUSED
    sentence = "{path} exists already and was not overwritten."
    hint = "Choose another name."


class ChangedMeanwhile(MemvaultError):
    exit_code = REFUSED
    sentence = "{path} was changed by someone else meanwhile, and was left as they made it."
    hint = "Look at it again with `memvault show`, then repeat the command."


class NotAPlainFile(MemvaultError):
    exit_code = REFUSED
    sentence = "{path} is {what}; memvault reads such files but never replaces them."
    hint = "Turn it into an ordinary file of its own if memvault should keep it."


class OutsideVault(MemvaultError):
    exit_code = REFUSED
    sentence = "{path} leads outside the vault."
    hint = "Only files inside the vault folder are ever touched."


class LinkLeadsOut(OutsideVault):
    sentence = "{path} was left alone: {link} is a link that leads out of the vault, to {target}."
    hint = "Put a folder or file of its own in the link's place (what it leads to stays), then repeat the command."


class Busy(MemvaultError):
    exit_code = BUSY
    sentence = "Another memvault is writing to {path} and did not finish within {seconds:g} s."
    hint = "Try again in a moment."


class MaintenanceUnderWay(MemvaultError):
    exit_code = BUSY
    sentence = "Upkeep of {vault} is under way already."
    hint = "Let it finish; `memvault log` then shows what it did."


class TierFolderGone(MemvaultError):
    exit_code = REFUSED
    sentence = "The folder {folder} was there at the last upkeep and is gone now; nothing was done."
    hint = "If it was renamed, name it back or set it under [layout] (`memvault doctor` says how); else make it again."


class UndoRefused(MemvaultError):
    exit_code = REFUSED
    sentence = "Operation {ref} was not undone: {path} {reason}."
    hint = "Nothing was changed. `memvault log {ref}` shows what it did."


class DamagedIndex(MemvaultError):
    sentence = "The index in {path} cannot be used: {reason}."
    hint = "It is built again by itself; `memvault reindex` does so at once. No note is affected."
