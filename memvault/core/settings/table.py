"""Every setting in one table, such as how many hits a recall gives: name, default, help, check, who may set it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, Literal

from memvault.core.value import Record
from memvault.errors import BadSetting

# Checks of setting values: each says why a value is refused.

Value = str | int | float | bool | tuple[str, ...]
# The commands that can be spoken; listed here, so that a setting need not load their parser.
SPOKEN = (
    *("remember", "todo", "significant", "forget", "done", "list", "update"),
    *("save", "dig", "about", "maintain"),
    *("pause", "pause-session", "resume"),
)
Check = Callable[[Value], str]  # why the value is refused; empty if it is not


def in_range(low: float, high: float) -> Check:
    """Return a check for a number from `low` to `high`."""

    def check(value: Value) -> str:
        fits = isinstance(value, int | float) and low <= value <= high
        return "" if fits else f"it must lie between {low:,} and {high:,}"

    return check


def choice_of(*options: str) -> Check:
    """Return a check for one word out of a few."""

    def check(value: Value) -> str:
        return "" if value in options else "it must be one of " + ", ".join(options)

    return check


def choice_or_extension(*options: str) -> Check:
    """Return a check for one word out of a few, or a name that an extension may add."""

    def check(value: Value) -> str:
        plain = str(value).replace("-", "a").replace("_", "a")  # never a path: folders are named after it
        fits = value in options or (len(plain) <= 31 and plain.isascii() and plain.isalnum() and plain.islower())
        return "" if fits else f"it must be one of {', '.join(options)}, or a name that an extension gives"

    return check


def check_folder(value: Value) -> str:
    """Check that a value is a folder inside the vault, written with forward slashes."""
    parts = str(value).split("/")
    if str(value).startswith(("/", "~")) or "\\" in str(value) or ".." in parts or ":" in str(value):
        return "it must be a folder inside the vault, with forward slashes"
    return "" if all(part and not part.startswith(".") for part in parts) else "it must not be empty or hidden"


def check_folder_or_top(value: Value) -> str:
    """Check the same, where empty means the vault's top."""
    return "" if value == "" else check_folder(value)


def check_spoken_phrases(value: Value) -> str:
    """Check phrases for spoken commands, each written as `NAME = PHRASE`."""
    rows = [str(row).partition("=") for row in (value if isinstance(value, tuple) else ())]
    fits = all(name.strip().lower() in SPOKEN and phrase.strip() for name, _, phrase in rows)
    return "" if fits else f"each must be NAME = PHRASE, where NAME is one of {', '.join(SPOKEN)}"


def check_people(value: Value) -> str:
    """Check names of people, each row written as `NAME = OTHER, OTHER`; a command line splits them into rows."""
    rows = [str(row).partition("=") for row in (value if isinstance(value, tuple) else ())]
    fits = all(name.strip() and (others.strip() or not sign) for name, sign, others in rows)
    begins = not rows or rows[0][1]
    return "" if fits and begins else "each must be NAME = OTHER NAME, OTHER NAME"


def check_time(value: Value) -> str:
    """Check a time of day as HH:MM, from 00:00 to 23:59."""
    hour, _, minute = str(value).partition(":")
    digits = len(hour) == len(minute) == 2 and (hour + minute).isascii() and (hour + minute).isdecimal()
    return "" if digits and hour < "24" and minute < "60" else "it must be a time from 00:00 to 23:59, such as 04:17"


def check_variable(value: Value) -> str:
    """Check the name of an environment variable, or nothing; anything else may be a key put here by mistake."""
    text = str(value)
    fits = text == "" or (text.isascii() and text.isidentifier() and len(text) <= 64)
    return "" if fits else "it must be the name of an environment variable, not the key itself"


def check_web_address(value: Value) -> str:
    """Check an address that begins with http:// or https://, with no user in it."""
    scheme, found, rest = str(value).partition("://")
    fits = found and scheme in ("http", "https") and rest and "@" not in rest.partition("/")[0]
    return "" if fits else "it must begin with http:// or https://, and name no user"


def check_optional_web_address(value: Value) -> str:
    """Check the same, where empty means none."""
    return "" if value == "" else check_web_address(value)


SetBy = Literal["vault", "person", "machine"]

# A vault may come from elsewhere. So its file never sets what sends more away, runs a program, names a place outside
# the vault, injects more or lowers a guard: all that is the person's.
VAULT: Final = "vault"  # the vault's file, or the person
PERSON: Final = "person"  # the person, for all vaults or for one
MACHINE: Final = "machine"  # the person, for all vaults at once


class Setting(Record):
    """One row: a dotted name, who may set it, its default, one line of help, its check."""

    name: str
    set_by: SetBy
    default: Value
    help: str
    check: Check = lambda _value: ""  # any value of the type

    @property
    def section(self) -> str:
        """Return the TOML table that the setting stands in."""
        return self.name.rpartition(".")[0]

    @property
    def key(self) -> str:
        """Return its name within the section."""
        return self.name.rpartition(".")[2]

    def accept(self, value: object, *, where: str) -> Value:
        """Return the value, of the right type and within its check; otherwise raise BadSetting."""
        fitted = _fit_type(value, self.default)
        if fitted is None:
            reason = f"it must be {_TYPE_NAMES[type(self.default)]}"
            raise BadSetting(name=self.name, where=where, value=value, reason=reason)
        if reason := self.check(fitted):
            raise BadSetting(name=self.name, where=where, value=value, reason=reason)
        return fitted

    def from_text(self, text: str, *, where: str) -> Value:
        """Return the value that a word on a command line or in the environment stands for."""
        return self.accept(_parse_text(text, self.default), where=where)


def _fit_type(value: object, default: Value) -> Value | None:
    match default:
        case bool():
            return value if isinstance(value, bool) else None
        case int():
            return value if isinstance(value, int) and not isinstance(value, bool) else None
        case float():
            return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
        case str():
            return value if isinstance(value, str) else None
        case tuple():
            fits = isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
            return tuple(value) if fits and isinstance(value, list | tuple) else None


def _parse_text(text: str, default: Value) -> object:
    match default:
        case bool():
            return {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}.get(
                text.strip().casefold()
            )
        case int() | float():
            try:
                return int(text) if isinstance(default, int) else float(text)
            except ValueError:
                return text
        case tuple():
            return [item.strip() for item in text.split(",") if item.strip()]
        case _:
            return text


_TYPE_NAMES = {
    bool: "true or false", int: "a whole number", float: "a number", str: "a text", tuple: "a list of texts"
}  # fmt: skip

SECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "vault": "The vault as a whole.",
        "layout": "Folder names, relative to the vault. Change them before the folders are filled.",
        "remember": "What new memories start with.",
        "screen": "What is kept out, and what is known already.",
        "recall": "How memories are found.",
        "people": "The people that memories mention.",
        "dig": "How much a dig may return.",
        "transcripts": "Conversations that are taken in.",
        "inject": "What may be injected without being asked for.",
        "intents": "Commands that you speak to an assistant, such as “remember this”.",
        "claude_md": "The block in CLAUDE.md and its kin. Parts over their budget say what they leave out.",
        "decay": "How weights fade.",
        "hot": "What is loaded in every session (Tier 1).",
        "consolidate": "Memories that say the same.",
        "promote": "What becomes lasting knowledge.",
        "prune": "Removing what was archived long ago.",
        "schedule": "Upkeep that runs by itself, once `memvault vault schedule install` was called.",
        "index": "The index, which lives outside the vault.",
        "files": "How files are written.",
        "undo": "How long operations can be taken back.",
        "keep": "How long the data beside your notes is kept.",
        "sync": "One vault on several machines, over git.",
        "watch": "Keeping the index current.",
        "live": "The daemon, which answers from memory.",
        "private": "Memories that are sealed to your own key.",
        "model": "A language model, for those who want one.",
        "semantic": "Finding by meaning, beside by words. `memvault model semantic` sets it up.",
        "user": "This person, on this machine.",
    }
)

# A table: a row takes no more lines than it needs.
# fmt: off
SETTING_ROWS: tuple[Setting, ...] = (
    Setting("vault.profile", VAULT, "production", "which set of defaults: minimal, production or research",
        choice_of("minimal", "production", "research")),
    Setting("vault.links", PERSON, (), "links out of a vault that may be read, by their full paths"),
    Setting("layout.home", VAULT, "", "the folder of the tier folders; empty means the vault's top",
        check_folder_or_top),
    Setting("layout.identity", VAULT, "0-identity", "Tier 0: who the user is", check_folder),
    Setting("layout.hot", VAULT, "1-hot", "Tier 1: loaded in every session", check_folder),
    Setting("layout.memories", VAULT, "2-memories", "Tier 2: found by search", check_folder),
    Setting("layout.raw", VAULT, "3-raw", "Tier 3: transcripts and faded memories", check_folder),
    Setting("layout.quarantine", VAULT, "quarantine", "text from the web or from tools, until it is accepted",
        check_folder),
    Setting("layout.private", VAULT, "private", "encrypted memories", check_folder),
    Setting("layout.templates", VAULT, "templates", "note templates, which are no memories", check_folder),
    Setting("remember.weight", VAULT, 0.8, "the weight of what a person remembers", in_range(0, 1)),
    Setting("remember.agent_weight", VAULT, 0.6, "the weight of what an agent remembers", in_range(0, 1)),
    Setting("screen.trivial_below", PERSON, 0, "the fewest characters of a text that is captured automatically",
        in_range(0, 10_000)),
    Setting("screen.secrets", PERSON, "refuse",
        "a text with a secret in it: refuse it, redact it (what was picked up by itself always is), or off",
        choice_of("refuse", "redact", "off")),
    Setting("screen.personal", PERSON, True,
        "screen personal data: numbers like secrets, contacts out of automatic capture, and none of them for a model"),
    Setting("screen.web_tools", PERSON, (),
        "further tools of agents that bring in text from the web, such as “mcp__news__*”"),
    Setting("screen.duplicates", PERSON, True, "look for a memory that says the same before a new one is made"),
    Setting("recall.limit", VAULT, 10, "how many memories a recall lists", in_range(1, 1000)),
    Setting("recall.budget", VAULT, 8000, "how many tokens of text a recall may give", in_range(50, 1_000_000)),
    Setting("recall.min_similarity", VAULT, 0.0, "hits below this similarity (0 to 1) are left out", in_range(0, 1)),
    Setting("recall.weak_below", VAULT, 0.4, "hits below this similarity are marked as weak", in_range(0, 1)),
    Setting("recall.graph", VAULT, False, "let links, people, tags and topics that hits share lead to other memories"),
    Setting("recall.alpha", VAULT, 0.85, "how much of the walk over links goes on; the rest begins anew at the hits",
        in_range(0, 1)),
    Setting("recall.ranking", PERSON, "words", "what orders hits: words, weighted, or a name that an extension gives",
        choice_or_extension("words", "weighted")),
    Setting("recall.weight_meaning", VAULT, 0.6, "in the weighted ranking, what nearness in meaning counts",
        in_range(0, 10)),
    Setting("recall.weight_words", VAULT, 0.4, "in the weighted ranking, what similarity counts", in_range(0, 10)),
    Setting("recall.weight_recency", VAULT, 0.3, "in the weighted ranking, what recency counts", in_range(0, 10)),
    Setting("recall.weight_importance", VAULT, 0.25, "in the weighted ranking, what the weight now counts",
        in_range(0, 10)),
    Setting("recall.weight_use", VAULT, 0.15, "in the weighted ranking, what uses count", in_range(0, 10)),
    Setting("recall.context_boost", VAULT, 0.1, "in the weighted ranking, what a memory of the current project gains",
        in_range(0, 10)),
    Setting("recall.recency_rate", VAULT, 0.01, "in the weighted ranking, the rate a of recency, exp(-a * days)",
        in_range(0, 1)),
    Setting("recall.filter", PERSON, "off", "let the language model take out hits that do not answer: off or model",
        choice_of("off", "model")),
    Setting("recall.text_tokens", VAULT, 800,
        "how many tokens of a memory's text `show` gives at once; 0 for all of it", in_range(0, 1_000_000)),
    Setting("people.aliases", VAULT, (), "other names by which people are asked for, such as “Sara Uy=Sara, SU”",
        check_people),
    Setting("dig.budget", VAULT, 8000, "how many tokens of conversations and long files a dig may give",
        in_range(50, 1_000_000)),
    Setting("transcripts.secrets", PERSON, "redact",
        "a line with a secret in it: redact it, or also seal its original to your key (`memvault private init`)",
        choice_of("redact", "seal")),
    Setting("inject.folders", PERSON, (), "folders of foreign notes that may be put before the model"),
    Setting("inject.cue_words", PERSON, 10, "a prompt of more words than this is searched for; 0: not for its length",
        in_range(0, 1000)),
    Setting("inject.cue_question", PERSON, True, "a question in a prompt is a cue to search"),
    Setting("inject.cue_file", PERSON, True, "a file or a path in a prompt is one"),
    Setting("inject.cue_time", PERSON, True, "a time that is over, such as yesterday, is one"),
    Setting("inject.cue_before", PERSON, True, "a word of what was before, such as again or before, is one"),
    Setting("inject.limit", PERSON, 2, "how many memories a prompt may get, besides triggered ones", in_range(0, 20)),
    Setting("inject.similarity", PERSON, 0.4, "how similar to the prompt such a memory must be, from 0 to 1",
        in_range(0, 1)),
    Setting("inject.triggered", PERSON, 5, "how many memories the triggers in one prompt may load", in_range(0, 50)),
    Setting("inject.week_days", PERSON, 7, "episodes older than this are not injected at a prompt", in_range(0, 36500)),
    Setting("inject.day_hours", PERSON, 24, "exchanges older than this are left out when a session starts",
        in_range(0, 8760)),
    Setting("inject.exchanges", PERSON, 5, "how many recent exchanges of the project a new session gets",
        in_range(0, 50)),
    Setting("inject.prompt_tokens", PERSON, 1000, "how many tokens a prompt may be given", in_range(0, 100_000)),
    Setting("inject.start_tokens", PERSON, 2300, "how many tokens a session may begin with", in_range(0, 100_000)),
    Setting("intents.obey", PERSON, True,
        "do what is said to an assistant: remember this, save progress, dig deeper into …"),
    Setting("intents.phrases", PERSON, (),
        "phrases of your own for these commands, in any language, such as “remember=merk dir”", check_spoken_phrases),
    Setting("claude_md.write", PERSON, "auto",
        "auto: maintenance keeps the vault's own CLAUDE.md current; manual: only `memvault agent claude-md` does",
        choice_of("auto", "manual")),
    Setting("claude_md.identity_tokens", PERSON, 1500, "how many tokens Tier 0 may take in the block",
        in_range(0, 100_000)),
    Setting("claude_md.hot_tokens", PERSON, 5000, "how many tokens Tier 1 may take in the block", in_range(0, 100_000)),
    Setting("claude_md.index_tokens", PERSON, 600, "how many tokens the session index may take", in_range(0, 100_000)),
    Setting("decay.model", VAULT, "weighted", "how weights fade: weighted or biomimetic",
        choice_of("weighted", "biomimetic")),
    Setting("decay.daily", VAULT, 0.99, "in the weighted model, what is left of a weight after a day",
        in_range(0.5, 0.9999)),
    Setting("decay.significant_floor", VAULT, 0.8, "in it, the share that a significant memory never loses",
        in_range(0, 1)),
    Setting("decay.use_boost", VAULT, 0.02, "in it, what each use adds", in_range(0, 1)),
    Setting("decay.use_boost_most", VAULT, 0.3, "in it, what all uses add at most", in_range(0, 1)),
    Setting("decay.importance_boost", VAULT, 2.0, "in the biomimetic model, how much importance strengthens a memory",
        in_range(0, 10)),
    Setting("decay.consolidated_after", VAULT, 3, "in it, from so many uses on a memory is twice as strong",
        in_range(1, 1000)),
    Setting("decay.half_life_scale", VAULT, 1.0, "in it, what the half-lives of the kinds are multiplied by",
        in_range(0.01, 100)),
    Setting("decay.control", PERSON, "auto",
        "who starts upkeep: auto (scheduled runs too) or manual (only you, by `memvault maintain`)",
        choice_of("auto", "manual")),
    Setting("decay.write", VAULT, "grid",
        "when the numbers in a file follow: grid (by steps of 0.1), status (with the status) or never",
        choice_of("grid", "status", "never")),
    Setting("decay.stale_below", VAULT, 0.3, "a memory whose weight falls below this is stale", in_range(0, 1)),
    Setting("decay.stale_below_biomimetic", VAULT, 0.1, "the same for the biomimetic model", in_range(0, 1)),
    Setting("decay.archive_days", VAULT, 30, "a memory that stays stale for so many days is archived",
        in_range(1, 36500)),
    Setting("hot.enter", PERSON, 1.0, "how much a memory must have been used lately to rise to Tier 1",
        in_range(0, 1000)),
    Setting("hot.leave", PERSON, 0.35, "below this it goes back to Tier 2; lower than hot.enter, so that none flaps",
        in_range(0, 1000)),
    Setting("hot.half_life_days", PERSON, 14, "after so many days a use counts half", in_range(1, 3650)),
    Setting("hot.fill_kilobytes", PERSON, 10, "Tier 1 is filled up to here", in_range(0, 10_000)),
    Setting("hot.most_kilobytes", PERSON, 20, "and by much used memories up to here, never beyond",
        in_range(0, 10_000)),
    Setting("consolidate.merge", VAULT, True, "let upkeep merge memories that say the same"),
    Setting("consolidate.wording", PERSON, "off",
        "have the language model word what upkeep merged, where nothing is lost by it: off or model",
        choice_of("off", "model")),
    Setting("promote.sessions", VAULT, 3, "what comes up in so many conversations becomes lasting knowledge",
        in_range(2, 1000)),
    Setting("prune.after_months", PERSON, 0,
        "archived memories unused for so long may go to the trash, after you are asked; 0 for never",
        in_range(0, 1200)),
    Setting("schedule.at", PERSON, "04:17", "when upkeep is to run, by this machine's clock, as HH:MM", check_time),
    Setting("schedule.at_session_start", PERSON, True,
        "start upkeep, if none ran for a day, when an agent's session begins"),
    Setting("index.backend", PERSON, "whoosh", "the search backend: whoosh, or scan (no index, slow, always right)",
        choice_or_extension("whoosh", "scan")),
    Setting("index.max_kilobytes", PERSON, 2048, "of a longer file, only this much is indexed",
        in_range(16, 1_048_576)),
    Setting("files.lock_seconds", VAULT, 30.0, "how long to wait for another writer", in_range(0, 3600)),
    Setting("files.shared", PERSON, False,
        "let the group read the files (modes 0640 and 0750 instead of 0600 and 0700)"),
    Setting("undo.keep_days", PERSON, 90, "operations older than this can no longer be undone", in_range(1, 36500)),
    Setting("undo.keep_megabytes", PERSON, 200, "and the oldest go first when they take more than this",
        in_range(1, 1_000_000)),
    Setting("keep.trash_days", PERSON, 0, "what has lain in the trash for so many days goes for good; 0 for never",
        in_range(0, 36500)),
    Setting("keep.conversations_days", PERSON, 0,
        "a conversation that has not grown for so many days goes for good, its memories stay; 0 for never",
        in_range(0, 36500)),
    Setting("keep.originals_days", PERSON, 0,
        "sealed originals go for good after so many days; 0 for with their conversation", in_range(0, 36500)),
    Setting("keep.logs_days", PERSON, 0,
        "what this machine noted of exchanges and injections is blanked after so many days; 0 for by size alone",
        in_range(0, 36500)),
    Setting("watch.debounce_ms", VAULT, 400, "quiet time after a change before it is indexed", in_range(10, 60_000)),
    Setting("watch.scan_seconds", VAULT, 60, "how often everything is scanned, whatever the events say",
        in_range(1, 86_400)),
    Setting("sync.private_text", PERSON, "hold",
        "notes with text marked as private: hold keeps them out of git, push lets them travel whole",
        choice_of("hold", "push")),
    Setting("sync.transcripts", PERSON, False,
        "whether conversations travel too; they are large, and full of what others said"),
    Setting("sync.whole_repository", PERSON, False,
        "where the vault is a folder of a larger repository: whether a run pushes what was committed outside it too"),
    Setting("live.autostart", MACHINE, False,
        "whether a hook or a recall that finds no daemon starts one for the next"),
    Setting("live.idle_minutes", MACHINE, 120.0, "after so long without a request the daemon ends; 0 for never",
        in_range(0, 525_600)),
    Setting("live.memory_megabytes", MACHINE, 300, "how much memory it may take before it lets go of what it keeps",
        in_range(100, 1_000_000)),
    Setting("private.unlock_minutes", PERSON, 15.0, "how long `memvault private unlock` lasts, unless told otherwise",
        in_range(0.1, 1440)),
    Setting("model.provider", PERSON, "none",
        "who is asked: none, claude (your own Claude Code), openai (any such server) or command (any program)",
        choice_or_extension("none", "claude", "openai", "command")),
    Setting("model.command", PERSON, (), "the program and its first words; for claude, where it is not in PATH"),
    Setting("model.url", PERSON, "http://localhost:11434/v1", "where the server of openai listens", check_web_address),
    Setting("model.name", PERSON, "", "which model; empty is haiku for claude"),
    Setting("model.key_env", PERSON, "", "the name of the environment variable that holds the server's key",
        check_variable),
    Setting("model.max_seconds", PERSON, 60.0, "how long an answer may take", in_range(0.1, 3600)),
    Setting("model.review_seconds", PERSON, 2.0, "how long each reviewer of a text may take", in_range(0.1, 600)),
    Setting("model.recall_seconds", PERSON, 5.0, "how long it may filter a recall", in_range(0.1, 600)),
    Setting("model.max_calls", PERSON, 200, "how many calls one run may make", in_range(0, 100_000)),
    Setting("model.log", PERSON, True, "keep a log of the calls: when, how long, what they cost; no text"),
    Setting("semantic.model", PERSON, "", "the model that finds by meaning: its name, or the folder it is in"),
    Setting("semantic.url", PERSON, "", "or where a server listens that gives vectors (/v1/embeddings)",
        check_optional_web_address),
    Setting("semantic.name", PERSON, "", "the model that this server is asked for"),
    Setting("semantic.key_env", PERSON, "", "the name of the environment variable that holds its key", check_variable),
    Setting("semantic.seconds", PERSON, 2.0, "how long it may take over a question", in_range(0.1, 600)),
    Setting("semantic.weight", PERSON, 1.0, "how much meaning counts beside words; 0 for not at all", in_range(0, 100)),
    Setting("user.vault", MACHINE, "", "the vault to use where no other is named"),
    Setting("user.editor", MACHINE, "", "the editor's command; VISUAL and EDITOR come first"),
    Setting("user.on_write", MACHINE, "", "a command of your own that is started after every operation on a vault"),
    Setting("user.agent", MACHINE, "", "the name under which memories are signed"),
)
# fmt: on

PROFILES: Mapping[str, Mapping[str, Value]] = MappingProxyType(
    {
        "minimal": {"recall.limit": 5, "recall.budget": 4000},
        "production": {},
        "research": {"recall.limit": 5, "recall.min_similarity": 0.3, "recall.graph": True},
    }
)
