"""What lies beyond the vault: other programs, models, keys, other processes and machines."""

from __future__ import annotations

from memvault.errors.base import BUSY, NOT_FOUND, REFUSED, MemvaultError
from memvault.errors.vault import Ambiguous, NotAVault, NotFound

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
    hint = "`pip install 'memvault[private]'` brings it; everything else works without."


class NoKey(MemvaultError):
    exit_code = NOT_FOUND
    sentence = "There is no key at {path}."
    hint = "`memvault {command} init` makes one; one that you keep elsewhere is named with --key."


class BadKey(MemvaultError):
    sentence = "{path} is no key: {reason}."
    hint = "Put back the copy that you kept; what was sealed cannot be opened by any other."


class NotOpened(MemvaultError):
    sentence = "{path} was not opened: {reason}."
    hint = "Name the key that it was sealed to with --key, or put back a copy of the file."


class NoRecipients(MemvaultError):
    exit_code = NOT_FOUND
    sentence = "Nothing says to which key private memories are sealed: there is no {path}."
    hint = "`memvault private init` makes a key, and says what its loss would cost."


class StrangeRecipient(MemvaultError):
    exit_code = REFUSED
    sentence = "Nothing was sealed: {path} names a key that you have not admitted on this machine, {recipient}."
    hint = (
        "If it is yours, `memvault private admit {recipient}` says so; if not, `memvault private dismiss` takes it out."
    )


class NotForAgents(MemvaultError):
    exit_code = REFUSED
    sentence = "Private memories are not for {agent}: what an agent reads goes to its model."
    hint = "Do it in a terminal of your own, which no agent has started."


class NoKeychain(MemvaultError):
    sentence = "The system's keyring does not keep the key: {reason}."
    hint = "Without --keyring it is kept in a file, which only you can read."


class NoQuietPlace(MemvaultError):
    sentence = "There is no folder here that is kept in memory alone, and an editor would write your text to a disk."
    hint = "`--text -` takes the text from stdin; what it says now is told by `memvault private show`."


# -- the warm process


class NoPorter(MemvaultError):
    exit_code = NOT_FOUND
    sentence = "Nothing was unlocked: only a warm process can hold private memories open, and none answers."
    hint = "`memvault watch --daemon` starts one; `memvault private show` and `search` work without."


class PorterThere(MemvaultError):
    exit_code = REFUSED
    sentence = "A warm process of yours is running already (its place is {path})."
    hint = "`memvault watch --status` tells about it; `memvault watch --stop` ends it."


class NotStarted(MemvaultError):
    sentence = "The warm process did not come to life."
    hint = "`memvault watch --serve` says why; {log} tells how it fared before. Everything works without it."


class NoServices(MemvaultError):
    sentence = "Nothing was installed: on this system memvault knows of nobody who looks after services."
    hint = "`memvault config --user live.autostart true` has the warm process start by itself."


# -- several machines


class NoGit(MemvaultError):
    sentence = "There is no git on this machine."
    hint = "Install git; what is synced by other programs needs none."


class GitFailed(MemvaultError):
    sentence = "{command} failed in {folder}: {told}."
    hint = "Nothing in the vault was lost. Put right what git names, then run `memvault sync run` again."


class NotSynced(MemvaultError):
    exit_code = NOT_FOUND
    sentence = "{path} lies in no repository of git's."
    hint = "`memvault sync init` makes it one."


class NoRemote(MemvaultError):
    exit_code = REFUSED
    sentence = "There is nobody to sync {path} with: {reason}."
    hint = "`git switch main` checks a branch out; `memvault sync init ADDRESS` names the repository to sync with."


class OtherVault(MemvaultError):
    exit_code = REFUSED
    sentence = "Another vault lies at {remote}: it has another id than {path}."
    hint = (
        "Name the repository of this vault with `memvault sync init ADDRESS`; `memvault import` brings memories over."
    )


class PrivateInGit(MemvaultError):
    exit_code = REFUSED
    sentence = "Nothing was pushed: git keeps {path}, which is not to leave this machine ({count} such files)."
    hint = "`git rm --cached` takes it out of what is to come; what was pushed before stays in the history."


class UnfinishedMerge(MemvaultError):
    exit_code = REFUSED
    sentence = "Git is in the middle of something in {path} ({what})."
    hint = "End it with `git merge --continue` or `git merge --abort` (or the same of rebase), then sync."


class IgnoredVault(MemvaultError):
    exit_code = REFUSED
    sentence = "Git passes over {path}: the repository at {top} ignores it."
    hint = "Take it out of that repository's .gitignore, or make the vault a repository of its own: `git init` in it."


class PrivateText(MemvaultError):
    exit_code = REFUSED
    sentence = (
        "Nothing was pushed: a commit that the others do not have yet holds private text, in {path} ({count} such)."
    )
    hint = (
        "`{command}` takes those commits back and leaves every file as it is; the next run makes them "
        'anew without it. Or sync.private_text = "push" lets such text travel.'
    )


class OthersCommits(MemvaultError):
    exit_code = REFUSED
    sentence = "Nothing was pushed: {count} of the commits here change files outside the vault, in {top}."
    hint = "Push them yourself, or let runs do it: `memvault config sync.whole_repository true`."


class ContestedElsewhere(MemvaultError):
    exit_code = REFUSED
    sentence = (
        "Nothing was merged: {path} lies outside the vault, and both sides changed the same lines ({count} such)."
    )
    hint = "`git pull` lets you decide about it; then sync again."


# -- the MCP server


class NotInstalled(MemvaultError):
    sentence = "{what} is not installed."
    hint = "`pip install 'memvault[{extra}]'` brings it; everything else works without."


# -- what agents may not


class OnlyAPerson(MemvaultError):
    exit_code = REFUSED
    sentence = "Nothing was done: only a person {does}."
    hint = "They do it in a terminal of their own, which no agent has started."


# -- what was forgotten


class MarksUnknown(MemvaultError):
    exit_code = REFUSED
    sentence = "Nothing was done: what was forgotten cannot be told, as {path} cannot be read: {reason}."
    hint = (
        "Give yourself the right to read it, or bring it back from a copy or another machine; `--again` does without."
    )


# -- git's own locks


class GitLocked(MemvaultError):
    exit_code = BUSY
    sentence = "Git is locked by {path}, and {whose}."
    hint = (
        "Let that git end, then sync again. A lock that was left for an hour by a git that was killed is removed by "
        "`memvault doctor --fix`; where nobody can tell, remove it yourself once no git is at work there."
    )


# -- what is printed


class NotPrinted(MemvaultError):
    sentence = "Not all of the answer could be written to {stream}: {reason}."
    hint = "What the command had changed by then stays so; `memvault log` tells what that was."


# -- sessions


class AmbiguousSession(Ambiguous):
    sentence = "{ref!r} matches {count} sessions: {names}."
    hint = "Give more characters of the id; one that is given whole is the one that is called so."


# -- clones


class EmptyClone(NotAVault):
    sentence = "{path} is a clone in which nothing is checked out: what was pushed lies on the branch {branch}."
    hint = "`git switch {branch}` in that folder brings it in."


# -- private memories that are named as others are


class PerhapsPrivate(NotFound):
    sentence = "No memory that can be read without your key matches {ref!r}."
    hint = "A private one, in the trash too, is removed by `memvault private forget --purge`."
