"""Recognize tool calls that show a model text from the web: pages, search results, issues, mails."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from memvault.text.sentence.wording import word_set
from memvault.transcripts.model.tool_calls import CommandWords, parse_commands

# -- tools

# Words in the names of tools that read the web, and words that make `search` or `read` local.
_FETCHING_WORDS = word_set(
    "web websearch webfetch fetch url urls http https browse browser navigate scrape scraping crawl crawler search",
    "page pages webpage website sitemap issue issues comment comments discussion discussions pull pr prs ticket",
    "tickets email emails mail mails message messages inbox thread threads news headlines feed feeds rss tweet tweets",
    "post posts transcript wiki wikipedia arxiv",
)
_LOCAL = word_set(
    "file files symbol symbols pattern node nodes entity entities directory folder memory memories note notes vault",
    "table schema regex tool tools reference references definition project local path tests task tasks todo todos",
)
_SERVERS = word_set(
    "brave firecrawl tavily google duckduckgo ddg perplexity exa kagi bing serper serpapi searxng jina apify",
    "brightdata hyperbrowser browserbase puppeteer playwright chrome devtools browser selenium github gitlab",
    "bitbucket gmail outlook imap slack discord telegram reddit twitter hackernews youtube wikipedia arxiv jira",
    "linear confluence zendesk intercom stackoverflow context7 deepwiki notion sentry",
)
# First words of tools that only act: they return the agent's own words, or nothing.
_ACTING_VERBS = word_set(
    "create update delete add remove send write close merge push fork set upload assign label star draft trash",
    "archive mark install resize status health ping version login logout auth authenticate whoami me reply",
)
_OWN_SERVER = "memvault"
# Names of an agent's own web tools; its `Search` and `Read` are about files.
_OWN_FETCHING = frozenset(
    {"web", "webfetch", "websearch", "fetch", "browse", "browser", "url", "navigate", "scrape", "crawl"}
)
_RESOURCES = frozenset({"readmcpresource", "readmcpresourcetool", "read_mcp_resource"})
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

# -- programs

_FETCHERS = word_set(
    "curl wget wget2 curlie lynx w3m links elinks http https xh xhs httpie aria2c lftp ftp telnet nc ncat netcat",
    "yt-dlp youtube-dl ddgr googler websocat iwr irm invoke-webrequest invoke-restmethod start-bitstransfer mutt",
    "neomutt himalaya",
)
_RUNTIMES = re.compile(
    r"(?:python|pypy|node|deno|bun|tsx|ts-node|ruby|perl|php|lua|rscript|julia|osascript|pwsh|powershell)[\d.]*"
)
_FETCHING_NAMES = ("crawl", "scrap", "fetch", "playwright", "puppeteer")
_CALLS_OUT = re.compile(
    r"urlopen|urlretrieve|\brequests\s*\.\s*\w+\(|\bhttpx\s*\.|aiohttp|http\.client|\bfetch\s*\(|https?\.(?:get|request)\("
    r"|\baxios\b|\bgot\s*\(|LWP|Net::HTTP|URI\.open|open-uri|file_get_contents\s*\(|curl_(?:init|exec)"
    r"|Invoke-(?:WebRequest|RestMethod)|\biw?r[mr]?\s+http|Net\.WebClient|HttpClient|Download(?:String|File)"
    r"|create_connection|socket\.connect",
    re.IGNORECASE,
)
# Subcommands that show what others wrote: the first word, and the second.
_ANY: frozenset[str] = frozenset()
_SHOWING = frozenset(("view", "list", "diff", "checkout", "clone", "download", "status", "note"))
_FORGE: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("issue", "pr", "mr", "gist", "snippet", "release", "repo", "discussion"), _SHOWING),
    **dict.fromkeys(("api", "search"), _ANY),
}
_REGISTRY: Mapping[str, frozenset[str]] = dict.fromkeys(("view", "info", "show", "search", "v"), _ANY)
_READING: Mapping[str, Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("gh", "glab", "hub"), _FORGE),
    **dict.fromkeys(("npm", "pnpm", "yarn", "cargo"), _REGISTRY),
    "openssl": {"s_client": _ANY},
}
_CLONING = frozenset({"clone", "fetch", "pull", "submodule", "archive", "remote-show"})
_INSTALLING = frozenset({"install", "add", "sync", "download", "i", "ci", "wheel"})

_ADDRESS = re.compile(r"\b(?:https?|ftps?|wss?)://([^\s/'\"|;&)\\?#]+)", re.IGNORECASE)
_BARE = re.compile(
    r"(?:[^\s/@=,{}\[\]]+@)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.[a-z]{2,}\.?(?::\d+)?(?:[/?#].*)?", re.IGNORECASE
)
_REMOTE = re.compile(r"(?:https?|ssh|git|ftps?)://.+|[\w.-]+@[\w.-]+:.+", re.IGNORECASE)
_OWN_MACHINE = re.compile(r"(?:localhost|127(?:\.\d+){1,3}|\[::1\]|0\.0\.0\.0)?(?::\d+)?(?:[/?#].*)?", re.IGNORECASE)
_INFO_OPTIONS = frozenset({"--version", "-V", "--help", "-h", "--manual"})
# Options of these programs that take a value other than a URL.
_WITH_A_VALUE = word_set(
    "-o --output -O -H --header -d --data --data-raw --data-binary -F --form -X --request -u --user -A --user-agent",
    "-e --referer -b --cookie -c --cookie-jar -T --upload-file -w --write-out -m --max-time --retry --connect-timeout",
    "-E --cert --cacert --key --unix-socket --json -OutFile -Method -Headers -Body --output-document --data-urlencode",
    "--post-data -D --dump-header -P --resolve --config -K",
)
_LOOKED_AT = 40_000  # characters of a command


def reads_web(tool: str, arguments: Mapping[str, object], *, more: Sequence[str] = ()) -> bool:
    """Return whether a call may have shown the model text of strangers; `more` names further tools, with * in them.

    In doubt it may have: a needless mark can be removed later, a missing one cannot be added.
    """
    name, whole = tool.rpartition("__")[2].casefold(), tool.casefold()
    if any(fnmatchcase(each, pattern.casefold()) for pattern in more for each in (whole, name)):
        return True
    value: Any = arguments.get("command") or arguments.get("cmd")
    if isinstance(value, list):
        value = " ".join("'" + part.replace("'", "'\\''") + "'" for part in value if isinstance(part, str))
    if command := (value[:_LOOKED_AT] if isinstance(value, str) else ""):
        return _tool_reads(tool) or _command_reads(command, is_windows="powershell" in whole)
    if name in _RESOURCES:
        return _server_reads(str(arguments.get("server", ""))) or bool(_remote_hosts(str(arguments.get("uri", ""))))
    return _tool_reads(tool)


def _tool_reads(tool: str) -> bool:
    """Return whether a tool reads text of strangers, by its name and its server's."""
    server, _, name = tool.rpartition("__")
    words = _name_words(name)
    if not server:
        return not _OWN_FETCHING.isdisjoint(words)
    if _OWN_SERVER in _name_words(server) or not _ACTING_VERBS.isdisjoint(words[:1]):
        return False
    is_home = not _LOCAL.isdisjoint(words) and _OWN_FETCHING.isdisjoint(words)
    return _server_reads(server) or (not _FETCHING_WORDS.isdisjoint(words) and not is_home)


def _server_reads(server: str) -> bool:
    return not _SERVERS.isdisjoint(_name_words(server))


def _name_words(name: str) -> list[str]:
    """Return the words of a name in lower case, split at signs and capitals."""
    parts = re.split(r"[\W_]+", name)
    return [word.casefold() for part in parts for word in dict.fromkeys((*_HUMPS.findall(part), part)) if word]


# -- commands


def _command_reads(command: str, *, is_windows: bool) -> bool:
    if "/dev/tcp/" in command or (is_windows and _CALLS_OUT.search(command) and not _is_all_local(command)):
        return True
    return any(_program_reads(words, command) for words in parse_commands(command, is_windows=is_windows))


def _program_reads(words: CommandWords, whole: str) -> bool:
    name, rest = words[0], words[1:]
    if name in _FETCHERS:
        return _fetches_remote(rest)
    if any(part in name for part in _FETCHING_NAMES):
        return any(map(_remote_hosts, rest))
    if name in _READING:
        return _shows_remote(_READING[name], rest)
    if name == "git":
        return not _CLONING.isdisjoint(rest) and any(
            _REMOTE.fullmatch(word) and not _is_all_local(word) for word in rest
        )
    if _RUNTIMES.fullmatch(name):
        # Whether a script reads the web: its code says so, or it is given a URL.
        if rest[:2] in (("-m", "pip"), ("-m", "uv")) or not _INSTALLING.isdisjoint(rest[:3]):
            return False
        if _CALLS_OUT.search(whole) and not _is_all_local(whole):
            return True
        return any(_remote_hosts(word) for word in rest)
    return False


def _shows_remote(reading: Mapping[str, frozenset[str]], rest: CommandWords) -> bool:
    plain = [word for word in rest if not word.startswith("-")]
    for place, word in enumerate(plain[:3], 1):
        if word in reading:
            return not reading[word] or not reading[word].isdisjoint(plain[place : place + 3])
    return False


def _fetches_remote(rest: CommandWords) -> bool:
    """Return whether something may be fetched from another machine."""
    words = (word for before, word in zip(("", *rest), rest, strict=False) if before not in _WITH_A_VALUE)
    targets = [word for word in words if not word.startswith("-")]
    if any(_remote_hosts(word) for word in rest) or any(_BARE.fullmatch(word) for word in targets):
        return True
    if any("$" in word for word in targets):
        return True
    if any(_is_local(word) for word in targets):
        return False
    if targets:
        return not all(word.startswith(("./", "../", "/", "~", "file:")) for word in targets)
    return _INFO_OPTIONS.isdisjoint(rest)


def _is_local(word: str) -> bool:
    host = word.partition("://")[2] or word
    return bool(host) and _OWN_MACHINE.fullmatch(host) is not None


def _remote_hosts(text: str) -> list[str]:
    """Return the hosts in a text that are not this machine."""
    hosts = (host.rpartition("@")[2] for host in _ADDRESS.findall(text))
    return [host for host in hosts if not _OWN_MACHINE.fullmatch(host)]


def _is_all_local(text: str) -> bool:
    """Return whether a text names URLs, and only of this machine."""
    return bool(_ADDRESS.search(text)) and not _remote_hosts(text)
