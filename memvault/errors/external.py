"""What lies beyond the vault: other programs, models, keys, other processes and machines."""

from __future__ import annotations

from memvault.errors.vault import BUSY, NOT_FOUND, REFUSED, Ambiguous, MemvaultError, NotFound


class BadForeignFile(MemvaultError):
    exit_code = REFUSED
    sentence = "{path} was left as it is: {reason} (line {line})."
    hint = "Fix that line, then repeat the command. The program that owns the file may fail on it too."


class NoVectors(MemvaultError):
    sentence = "The model {name} gives no vectors: {reason}."
    hint = "`memvault model semantic status` shows its state. Until it works, recall searches by words alone."


class VectorsNotInstalled(NoVectors):
    sentence = "The model {name} gives no vectors: what it needs is not installed."
    hint = "Install it with: {command}"


class NotDownloaded(MemvaultError):
    sentence = "{name} was not downloaded: {reason}."
    hint = (
        "Try again later; what was downloaded is kept. Or name a folder that holds the model: "
        "`memvault model semantic enable --model FOLDER`."
    )


class NoSealing(MemvaultError):
    sentence = "Nothing can be encrypted or decrypted here: the encryption library is not installed."
    hint = "Install it with: {command}"


class NoKey(MemvaultError):
    exit_code = NOT_FOUND
    sentence = "There is no key at {path}."
    hint = "Create one with `memvault private init`, or name the one you keep elsewhere: `--key FILE`."


class BadKey(MemvaultError):
    sentence = "{path} is not a key: {reason}."
    hint = "Restore your copy of the key. Nothing else opens what was sealed to it."


class NoRecipients(MemvaultError):
    exit_code = NOT_FOUND
    sentence = "There is no key to seal to: there is no {path}."
    hint = "Create one with `memvault private init`; it also says what losing the key means."


class NotForAgents(MemvaultError):
    exit_code = REFUSED
    sentence = "Private memories are not for {agent}: what an agent reads goes to its model."
    hint = "Use a terminal of your own that no agent started."


class NoKeychain(MemvaultError):
    sentence = "The system keyring cannot store the key: {reason}."
    hint = "`memvault private init` stores the key in a file that only you can read."


class NoQuietPlace(MemvaultError):
    sentence = "No in-memory folder was found, so an editor would write your text to disk."
    hint = "Pass the text on stdin: `--text -`. `memvault private show` prints the current text."


class NoPorter(MemvaultError):
    exit_code = NOT_FOUND
    sentence = "Nothing was unlocked: only the daemon can keep private memories open, and it is not running."
    hint = "Start it with `memvault vault watch start`. `memvault private show` and `search` work without it."


class PorterThere(MemvaultError):
    exit_code = REFUSED
    sentence = "The daemon is already running (its socket is {path})."
    hint = "`memvault vault watch status` shows its state; `memvault vault watch stop` stops it."


class NotStarted(MemvaultError):
    sentence = "The daemon did not start."
    hint = "Run `memvault vault watch serve` to see why, or read {log}. Everything works without it."


class PageNotStarted(MemvaultError):
    sentence = "The page did not start."
    hint = "Run `memvault web serve` to see why. Every command works without it."


class NoServices(MemvaultError):
    sentence = "Nothing was installed: memvault knows no service manager on this system."
    hint = "To start the daemon automatically: `memvault config --user live.autostart true`."


class NoGit(MemvaultError):
    sentence = "Git is not installed on this machine."
    hint = "Install git. Syncing with other programs needs no git."


class GitFailed(MemvaultError):
    sentence = "{command} failed in {folder}: {told}."
    hint = "Nothing in the vault was lost. Fix what git reports, then run `memvault sync run` again."


class TeamFailed(MemvaultError):
    sentence = "The database of the shared vaults refused: {told}."
    hint = "See that it runs and that the address is right; `memvault team init` brings its schema up to date."


class NotAdmitted(MemvaultError):
    exit_code = REFUSED
    sentence = "The token was refused: {reason}."
    hint = "Ask your provider for a new one, with this server as its audience."


class GitLocked(MemvaultError):
    exit_code = BUSY
    sentence = "Git is locked by {path}, and {whose}."
    hint = (
        "Wait until that git ends, then sync again. A lock that no process holds is removed by itself; where nobody "
        "can tell, remove it yourself once no git runs there."
    )


class NotSynced(MemvaultError):
    exit_code = NOT_FOUND
    sentence = "{path} is not in a git repository."
    hint = "Create one with `memvault sync init`."


class NoRemote(MemvaultError):
    exit_code = REFUSED
    sentence = "{path} cannot be synced: {reason}."
    hint = "Check out a branch with `git -C {path} switch main`, or set the remote with `memvault sync init ADDRESS`."


class OtherVault(MemvaultError):
    exit_code = REFUSED
    sentence = "{remote} holds another vault: its id differs from that of {path}."
    hint = "Set this vault's remote with `memvault sync init ADDRESS`; `memvault import bundle FILE` copies memories."


class PrivateInGit(MemvaultError):
    exit_code = REFUSED
    sentence = "Nothing was pushed: git tracks {path}, which must not leave this machine ({count} such files)."
    hint = "Stop tracking it with `git rm --cached {path}`. What was pushed before stays in the history."


class UnfinishedMerge(MemvaultError):
    exit_code = REFUSED
    sentence = "Git has an unfinished operation in {path} ({what})."
    hint = "Finish it with `git -C {path} merge --continue` or `git -C {path} merge --abort`, or the same for a rebase."


class IgnoredVault(MemvaultError):
    exit_code = REFUSED
    sentence = "Git ignores {path}: see the .gitignore of {top}."
    hint = "Remove it from that .gitignore, or make the vault its own repository: `git init {path}`."


class PrivateText(MemvaultError):
    exit_code = REFUSED
    sentence = "Nothing was pushed: an unpushed commit holds private text, in {path} ({count} such)."
    hint = (
        "`{command}` undoes those commits and keeps every file; the next sync commits again without it. "
        "Or allow such text: `memvault config --user sync.private_text push`."
    )


class OthersCommits(MemvaultError):
    exit_code = REFUSED
    sentence = "Nothing was pushed: {count} of the local commits change files outside the vault, in {top}."
    hint = "Push them yourself, or let sync do it: `memvault config sync.whole_repository true`."


class ContestedElsewhere(MemvaultError):
    exit_code = REFUSED
    sentence = "Nothing was merged: {path} is outside the vault, and both sides changed the same lines ({count} such)."
    hint = "Resolve it with git (`git pull`), then sync again."


class NotInstalled(MemvaultError):
    sentence = "{what} is not installed."
    hint = "Install it with: {command}"


class AmbiguousSession(Ambiguous):
    sentence = "{ref!r} matches {count} sessions: {names}."
    hint = "Give more characters of the id, or all of them."


class PerhapsPrivate(NotFound):
    sentence = "No memory matches {ref!r} among those that need no key."
    hint = "Remove a private one with `memvault private purge`, also from the trash."
