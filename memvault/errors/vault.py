"""The vault: finding it, finding a memory in it, reading and writing."""

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
        from shlex import quote  # deferred: nearly everything goes well

        words = {name: value if name == "command" else quote(str(value)) for name, value in self.data.items()}
        parts = self.hint.split("`")  # each second one is a command, to be copied into a shell
        return "`".join(part.format(**(words if place % 2 else self.data)) for place, part in enumerate(parts))

    @property
    def code(self) -> str:
        """The stable name of this error, as `--json` gives it."""
        return type(self).__name__


class NoVault(MemvaultError):
    exit_code = NO_VAULT
    sentence = "No vault was found. Looked at: {looked}."
    hint = "Make one with `memvault init ~/memory`, or name one with --vault or MEMVAULT_DIR."


class NotAVault(MemvaultError):
    exit_code = NO_VAULT
    sentence = "{path} is not a vault: {missing} is missing."
    hint = "Make it one with `memvault init {path}`. That changes no note in it."


class EmptyClone(NotAVault):
    sentence = "{path} is a clone with nothing checked out: the vault is on the branch {branch}."
    hint = "Check it out: `git -C {path} switch {branch}`."


class VaultTooNew(MemvaultError):
    exit_code = NO_VAULT
    sentence = "{path} was written by a newer memvault (vault format {found}; this version knows {known})."
    hint = "Install the newer memvault. This version does not touch the vault."


class VaultInsideVault(MemvaultError):
    exit_code = REFUSED
    sentence = "{path} lies inside another vault, {outer}."
    hint = "Choose a folder outside it, or allow it: `--nested`."


class AlreadyAVault(MemvaultError):
    exit_code = REFUSED
    sentence = "{path} is already a vault."
    hint = "`memvault --vault {path} status` shows it."


class BadSetting(MemvaultError):
    exit_code = USAGE
    sentence = "Setting {name} in {where} cannot be {value!r}: {reason}."
    hint = "`memvault config {name}` shows the allowed values."


class UnknownSetting(MemvaultError):
    exit_code = USAGE
    sentence = "There is no setting named {name}{near}."
    hint = "`memvault config` lists all settings."


class BadConfigFile(MemvaultError):
    exit_code = USAGE
    sentence = "{path} is not valid TOML: {reason}."
    hint = "Fix that line; memvault does not guess settings."


class NotFound(MemvaultError):
    exit_code = NOT_FOUND
    sentence = "No memory matches {ref!r}."
    hint = (
        "Use its title, its file name, or its id (4 characters of the id are enough); "
        "`memvault recall {ref}` searches the texts."
    )


class Ambiguous(MemvaultError):
    exit_code = NOT_FOUND
    sentence = "{ref!r} matches {count} memories: {names}."
    hint = "Give more characters of the id, or the file name."


class NoOperation(MemvaultError):
    exit_code = NOT_FOUND
    sentence = "There is no operation {which}."
    hint = "`memvault vault log` lists what was done."


class BadInput(MemvaultError):
    exit_code = USAGE
    sentence = "{what} cannot be {value!r}: {reason}."

    def __init__(self, **data: object) -> None:
        if data.get("value") == "":
            self.sentence = "{what} cannot be empty: {reason}."
        super().__init__(**data)


class NothingToDo(MemvaultError):
    exit_code = USAGE
    sentence = "{reason}"


class NotConfirmed(NothingToDo):
    hint = "`{command}` agrees to it beforehand."


class Unreadable(MemvaultError):
    sentence = "{path} cannot be read: {reason}."
    hint = "Fix that, or continue without it. Nothing else is affected."


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
    sentence = "{path} could not be accessed: {reason}."
    hint = "Fix that, then repeat the command. The next command finishes or undoes what was begun."


class AlreadyThere(MemvaultError):
    exit_code = REFUSED
    sentence = "{path} already exists and was not overwritten."
    hint = "Choose another name."


class ChangedMeanwhile(MemvaultError):
    exit_code = REFUSED
    sentence = "{path} was changed by someone else in the meantime, so it was not written."
    hint = "Look at it again, then repeat the command."


class NotAPlainFile(MemvaultError):
    exit_code = REFUSED
    sentence = "{path} is {what}; memvault reads such files but never replaces them."
    hint = "Replace it with a regular file if memvault should manage it."


class OutsideVault(MemvaultError):
    exit_code = REFUSED
    sentence = "{path} leads outside the vault."
    hint = "Only files inside the vault are touched."


class LinkLeadsOut(OutsideVault):
    sentence = "{path} was not touched: {link} is a link that leads out of the vault, to {target}."
    hint = "Replace the link with a folder or file of its own (the target stays), then repeat the command."


class Busy(MemvaultError):
    exit_code = BUSY
    sentence = "Another memvault is writing to {path} and did not finish within {seconds:g} s."
    hint = "Try again in a moment."


class MaintenanceUnderWay(MemvaultError):
    exit_code = BUSY
    sentence = "Maintenance of {vault} is already running."
    hint = "Wait until it ends; `memvault vault log` then shows what it did."


class TierFolderGone(MemvaultError):
    exit_code = REFUSED
    sentence = "Nothing was done: the folder {folder} has disappeared since the last maintenance."
    hint = (
        "If it was renamed, rename it back or set it in [layout] (see `memvault vault doctor`); else create it again."
    )


class UndoRefused(MemvaultError):
    exit_code = REFUSED
    sentence = "Operation {ref} was not undone: {path} {reason}."
    hint = "Nothing was changed. `memvault vault log {ref}` shows what it did."


class DamagedIndex(MemvaultError):
    sentence = "The index in {path} cannot be used: {reason}."
    hint = "It is rebuilt automatically; `memvault vault reindex` does it now. No note is affected."


class IndexFailed(MemvaultError):
    sentence = "The index in {path} did not answer: {reason}."
    hint = "No note is affected, and the index stays. Ask otherwise; `memvault vault reindex` builds the index anew."
