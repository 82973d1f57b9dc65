"""Every error memvault raises on purpose: data in, one sentence out, an exit code and a hint."""

from __future__ import annotations

FAILED, USAGE, NOT_FOUND, NO_VAULT, REFUSED, BUSY = 1, 2, 3, 4, 5, 6


class MemvaultError(Exception):
    """The parent of all errors raised on purpose; `sentence` and `hint` are filled in from the data given."""

    exit_code = FAILED
    sentence = "Something went wrong."
    hint = ""

    def __init__(self, **data: object) -> None:
        self.data = data
        super().__init__(self.sentence.format(**data))

    @property
    def advice(self) -> str:
        """What to do next, in one sentence; empty where the sentence says it all."""
        return self.hint.format(**self.data)

    @property
    def code(self) -> str:
        """The stable name of this error, as `--json` gives it."""
        return type(self).__name__


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


class Unwritable(MemvaultError):
    sentence = "{path} cannot be written: {reason}."
    hint = "Nothing was changed. Check permissions and free space, then try again."


class CannotEdit(MemvaultError):
    exit_code = REFUSED
    sentence = "{path} was left as it is: {reason}{line}."
    hint = "Edit the frontmatter by hand; memvault writes only where it can prove that nothing else changes."


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


# -- the settings of other programs


class BadForeignFile(MemvaultError):
    exit_code = REFUSED
    sentence = "{path} was left as it is: {reason} (line {line})."
    hint = "Mend that line, then repeat the command; the program that the file belongs to may stumble over it too."


# -- finding by meaning


class NoVectors(MemvaultError):
    sentence = "The model {name} gives no vectors: {reason}."
    hint = "`memvault semantic status` tells how it stands; recalls go by words meanwhile."


class NotDownloaded(MemvaultError):
    sentence = "{name} was not downloaded: {reason}."
    hint = "Try again later: what is there already stays. A folder that holds such a model can be named with --model."


# -- sealing


class NoSealing(MemvaultError):
    sentence = "Nothing can be sealed or opened here: what encrypts is not installed."
    hint = "`pip install 'memvault[private]'` brings it; until then secrets are left out, and nothing else."


class NoKey(MemvaultError):
    exit_code = NOT_FOUND
    sentence = "There is no key at {path}."
    hint = "`memvault seal init` makes one; one that you keep elsewhere is named with --key."


class BadKey(MemvaultError):
    sentence = "{path} is no key: {reason}."
    hint = "Put back the copy that you kept; what was sealed cannot be opened by any other."


class NotOpened(MemvaultError):
    sentence = "{path} was not opened: {reason}."
    hint = "Name the key that it was sealed to with --key, or put back a copy of the file."
