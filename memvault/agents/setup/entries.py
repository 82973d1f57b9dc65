"""Our hooks in the text of an agent's settings: which there are, put in, taken out."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memvault.agents.setup import json_edit
from memvault.agents.setup.clients import PROJECT, Entry, Event, HookAgent, ServerAgent, Words
from memvault.agents.setup.json_edit import parse, plain

# Commands in other programs' settings: which of them call memvault, by whatever path, and what for.

_NAME = "memvault"
_VAULT = "--vault"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A command that runs memvault: the program, what it is asked to do, and for which vault."""

    program: str
    does: str
    vault: str = ""
    words: Words = ()


def read_call(entry: object) -> Call | None:
    """What an entry of settings runs; None where that is not memvault."""
    if not isinstance(entry, Mapping) or not isinstance(entry.get("command"), str):
        return None
    args = entry.get("args")
    words = (entry["command"], *map(str, args)) if isinstance(args, list) else _of_line(entry["command"])
    told = _told(words)
    if told is None:
        return None
    vault, rest = "", []
    following = iter(told)
    for word in following:
        if word == _VAULT:
            vault = next(following, "")
        elif word.startswith(f"{_VAULT}="):
            vault = word.partition("=")[2]
        else:
            rest.append(word)
    return Call(program=words[0], does=rest[0] if rest else "", vault=vault, words=words)


def command(program: Words, does: str, *, vault: str = "") -> Words:
    """The words that have memvault do something, for the vault named or for the one it finds."""
    return (*program, does, *((_VAULT, vault) if vault else ()))


def command_in(scope: str, program: Words, does: str, *, vault: str = "") -> Words:
    """The words as they stand in settings of a scope: those that others read too name no path of this machine."""
    return command((_NAME,), does) if scope == PROJECT else command(program, does, vault=vault)


def _told(words: Words) -> Words | None:
    """What memvault is told by a command; None where it is another program's."""
    if not words:
        return None
    name = re.split(r"[\\/]", words[0])[-1].casefold().removesuffix(".exe")
    if name == _NAME:
        return words[1:]
    rest = words[2:] if words[1:2] == ("-P",) else words[1:]
    return rest[2:] if rest[:2] == ("-m", _NAME) else None


def _of_line(line: str) -> Words:
    """The words of a line meant for a shell; a path with backslashes stays one."""
    is_windows = re.search(r"[a-zA-Z]:\\", line) is not None
    try:
        words = shlex.split(line, posix=not is_windows)
    except ValueError:  # a shell would complain too: whatever it is, it is not ours
        return ()
    return tuple(_unquoted(words)) if is_windows else tuple(words)


def _unquoted(words: list[str]) -> Iterator[str]:
    for number, word in enumerate(words):
        if number or word != "&":
            yield word[1:-1] if word[:1] in "\"'" and word[:1] == word[-1:] and len(word) > 1 else word


_UNDER = "hooks"
_DOES = "hook"


@dataclass(frozen=True, slots=True)
class Hook:
    """One handler of ours: the event it serves, the way to it, what it runs, and all of its group."""

    event: str
    path: json_edit.Path
    call: Call
    group: object


def wanted(agent: HookAgent, events: Sequence[Event], words: Words, platform: str) -> dict[str, Entry]:
    """The group for each event, as it is to stand in the settings."""
    return {event.name: _group(agent, event, words, platform) for event in events}


def _group(agent: HookAgent, event: Event, words: Words, platform: str) -> Entry:
    matcher: Entry = {"matcher": event.matcher} if event.matcher else {}
    return {**matcher, "hooks": [agent.handler(event, words, platform)]}


def ours(text: str) -> tuple[Hook, ...]:
    """Every hook of ours in a text of settings."""
    return tuple(_ours(plain(parse(text))))


def _ours(settings: object) -> Iterator[Hook]:
    """Handlers that run `memvault hook`; a group that holds nothing else is meant as a whole."""
    events = settings.get(_UNDER) if isinstance(settings, Mapping) else None
    for event, groups in events.items() if isinstance(events, Mapping) else ():
        for number, group in enumerate(groups if isinstance(groups, list) else ()):
            handlers = group.get("hooks") if isinstance(group, Mapping) else None
            calls = [_call(handler) for handler in handlers] if isinstance(handlers, list) else []
            whole = (_UNDER, str(event), number)
            for place, call in enumerate(calls):
                if call is not None:
                    yield Hook(str(event), whole if all(calls) else (*whole, "hooks", place), call, group)


def _call(handler: object) -> Call | None:
    found = read_call(handler)
    return found if found is not None and found.does == _DOES else None


def stands(text: str, groups: Mapping[str, Entry]) -> bool:
    """Whether the hooks of ours in a text are these, and no others."""
    found = ours(text)
    return len(found) == len(groups) and all(hook.group == groups.get(hook.event) for hook in found)


def with_hooks(text: str, groups: Mapping[str, Entry]) -> str:
    """The text with these groups, each behind what others have put there for its event."""
    for event, group in groups.items():
        text = json_edit.appended(text, (_UNDER, event), group)
    return text


def without_hooks(text: str, before: str) -> str:
    """The text without any hook of ours; what was empty before they came is empty again."""
    kept = json_edit.empty_ones(before)
    while found := ours(text):
        text = json_edit.cut(text, found[-1].path, kept=kept)
    return text


def is_switched_off(text: str) -> bool:
    """Whether the settings switch all hooks off."""
    found = plain(parse(text))
    return isinstance(found, Mapping) and found.get("disableAllHooks") is True


def has_plugin(text: str) -> bool:
    """Whether the settings have our plugin enabled, which brings hooks and a server of its own."""
    found = plain(parse(text))
    enabled = found.get("enabledPlugins") if isinstance(found, Mapping) else None
    plugins = enabled if isinstance(enabled, Mapping) else {}
    return any(on is True and str(name).partition("@")[0] == "memvault" for name, on in plugins.items())


# Our entry among an agent's MCP servers: put in, taken out, read.

NAME = "memvault"


def entries(text: str, agent: ServerAgent) -> Mapping[str, Call]:
    """The servers that run `memvault mcp`, under whatever name."""
    found = _servers(text, agent)
    calls = {name: read_call(entry) for name, entry in found.items()}
    return {name: call for name, call in calls.items() if call is not None and call.does == "mcp"}


def is_taken(text: str, agent: ServerAgent) -> bool:
    """Whether our name stands for a server of somebody else's."""
    return NAME in _servers(text, agent) and NAME not in entries(text, agent)


def server_stands(text: str, agent: ServerAgent, entry: Entry) -> bool:
    """Whether our entry is this one; what a person added to it, such as variables, may stand there too."""
    there = _servers(text, agent).get(NAME)
    found = dict(there) if isinstance(there, Mapping) else {}
    return len(entries(text, agent)) == 1 and all(found.get(name) == value for name, value in entry.items())


def with_entry(text: str, agent: ServerAgent, entry: Entry) -> str:
    """The text with our entry behind the other servers."""
    return json_edit.set_member(text, (agent.under,), NAME, entry, lenient=agent.lenient)


def without_entry(text: str, agent: ServerAgent, before: str) -> str:
    """The text without any entry of ours."""
    kept = json_edit.empty_ones(before, lenient=agent.lenient)
    while names := list(entries(text, agent)):
        text = json_edit.cut(text, (agent.under, names[-1]), kept=kept, lenient=agent.lenient)
    return text


def _servers(text: str, agent: ServerAgent) -> dict[str, object]:
    settings = plain(parse(text, lenient=agent.lenient))
    found = settings.get(agent.under) if isinstance(settings, Mapping) else None
    return {str(name): entry for name, entry in found.items()} if isinstance(found, Mapping) else {}
