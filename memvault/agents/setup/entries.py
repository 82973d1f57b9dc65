"""Our hooks and servers in the text of an agent's settings: which there are, put in, taken out."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memvault.agents.setup import json_edit
from memvault.agents.setup.clients import (
    PROJECT,
    AgentEvent,
    CommandWords,
    HookAgent,
    ServerAgent,
    SettingsAgent,
    SettingsEntry,
)
from memvault.agents.setup.json_edit import parse_json, to_python

# Commands in other programs' settings: which of them call memvault, by whatever path, and what for.

_NAME = "memvault"
_VAULT = "--vault"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemvaultCall:
    """A command that runs memvault: the program, what it is asked to do, and for which vault."""

    program: str
    does: str
    vault: str = ""
    words: CommandWords = ()


def parse_call(entry: object) -> MemvaultCall | None:
    """Return what an entry of settings runs; None where that is not memvault."""
    if not isinstance(entry, Mapping) or not isinstance(entry.get("command"), str):
        return None
    args = entry.get("args")
    words = (entry["command"], *map(str, args)) if isinstance(args, list) else _split_line(entry["command"])
    told = _read_arguments(words)
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
    does = next(iter(rest[1:] if rest[:1] == ["agent"] else rest), "")
    return MemvaultCall(program=words[0], does=does, vault=vault, words=words)


def build_command(scope: str, program: CommandWords, does: str, *, vault: str = "") -> CommandWords:
    """Return the words that have memvault do something; those that others read too name no path of this machine."""
    return (_NAME, does) if scope == PROJECT else (*program, does, *((_VAULT, vault) if vault else ()))


def _read_arguments(words: CommandWords) -> CommandWords | None:
    """Return what memvault is told by a command; None where it is another program's."""
    if not words:
        return None
    name = re.split(r"[\\/]", words[0])[-1].casefold().removesuffix(".exe")
    if name == _NAME:
        return words[1:]
    rest = words[2:] if words[1:2] == ("-P",) else words[1:]
    return rest[2:] if rest[:2] == ("-m", _NAME) else None


def _split_line(line: str) -> CommandWords:
    """Return the words of a line meant for a shell; a path with backslashes stays one."""
    is_windows = re.search(r"[a-zA-Z]:\\", line) is not None
    try:
        words = shlex.split(line, posix=not is_windows)
    except ValueError:  # a shell would complain too: whatever it is, it is not ours
        return ()
    return tuple(_unquote_words(words)) if is_windows else tuple(words)


def _unquote_words(words: list[str]) -> Iterator[str]:
    for number, word in enumerate(words):
        if number or word != "&":
            yield word[1:-1] if word[:1] in "\"'" and word[:1] == word[-1:] and len(word) > 1 else word


_HOOKS_KEY = "hooks"
SERVER_NAME = "memvault"


@dataclass(frozen=True, slots=True)
class SettingsCall:
    """An entry of ours: the way to it, what it runs, the event that a hook serves, and the group or entry itself."""

    path: json_edit.JsonPath
    call: MemvaultCall
    event: str = ""
    value: object = None


def find_entries(text: str, agent: SettingsAgent) -> tuple[SettingsCall, ...]:
    """Return every entry of ours in a text of settings."""
    settings = to_python(parse_json(text, lenient=agent.allows_comments))
    if isinstance(agent, ServerAgent):
        return tuple(_scan_servers(settings, agent))
    return tuple(_scan_hooks(settings))


def _scan_hooks(settings: object) -> Iterator[SettingsCall]:
    """Yield handlers that run `memvault hook`; a group that holds nothing else is meant as a whole."""
    events = settings.get(_HOOKS_KEY) if isinstance(settings, Mapping) else None
    for event, groups in events.items() if isinstance(events, Mapping) else ():
        for number, group in enumerate(groups if isinstance(groups, list) else ()):
            handlers = group.get("hooks") if isinstance(group, Mapping) else None
            calls = [_parse_call_of("hook", handler) for handler in handlers] if isinstance(handlers, list) else []
            whole = (_HOOKS_KEY, str(event), number)
            for place, call in enumerate(calls):
                if call is not None:
                    yield SettingsCall(whole if all(calls) else (*whole, "hooks", place), call, str(event), group)


def _scan_servers(settings: object, agent: ServerAgent) -> Iterator[SettingsCall]:
    """Yield the servers that run `memvault mcp`, under whatever name."""
    for name, entry in _list_servers(settings, agent).items():
        if call := _parse_call_of("mcp", entry):
            yield SettingsCall((agent.parent_key, str(name)), call, value=entry)


def _list_servers(settings: object, agent: ServerAgent) -> Mapping[object, object]:
    servers = settings.get(agent.parent_key) if isinstance(settings, Mapping) else None
    return servers if isinstance(servers, Mapping) else {}


def _parse_call_of(does: str, entry: object) -> MemvaultCall | None:
    call = parse_call(entry)
    return call if call is not None and call.does == does else None


def remove_entries(text: str, agent: SettingsAgent, before: str) -> str:
    """Return the text without any entry of ours; what was empty before they came is empty again."""
    kept = json_edit.keep_empty_containers(before, lenient=agent.allows_comments)
    while found := find_entries(text, agent):
        text = json_edit.remove_value(text, found[-1].path, keep_rule=kept, lenient=agent.allows_comments)
    return text


def build_hook_groups(
    agent: HookAgent, events: Sequence[AgentEvent], words: CommandWords, platform: str
) -> dict[str, SettingsEntry]:
    """Return the group for each event, as it is to stand in the settings."""

    def build_group(event: AgentEvent) -> SettingsEntry:
        matcher: SettingsEntry = {"matcher": event.matcher} if event.matcher else {}
        return {**matcher, "hooks": [agent.format_handler(event, words, platform)]}

    return {event.name: build_group(event) for event in events}


def has_exact_hooks(text: str, agent: HookAgent, groups: Mapping[str, SettingsEntry]) -> bool:
    """Return whether the hooks of ours in a text are these, and no others."""
    found = find_entries(text, agent)
    return len(found) == len(groups) and all(hook.value == groups.get(hook.event) for hook in found)


def add_hooks(text: str, groups: Mapping[str, SettingsEntry]) -> str:
    """Return the text with these groups, each behind what others have put there for its event."""
    for event, group in groups.items():
        text = json_edit.append_value(text, (_HOOKS_KEY, event), group)
    return text


def is_switched_off(text: str) -> bool:
    """Return whether the settings switch all hooks off."""
    found = to_python(parse_json(text))
    return isinstance(found, Mapping) and found.get("disableAllHooks") is True


def has_plugin(text: str) -> bool:
    """Return whether the settings have our plugin enabled, which brings hooks and a server of its own."""
    found = to_python(parse_json(text))
    enabled = found.get("enabledPlugins") if isinstance(found, Mapping) else None
    plugins = enabled if isinstance(enabled, Mapping) else {}
    return any(on is True and str(name).partition("@")[0] == "memvault" for name, on in plugins.items())


def build_server(agent: ServerAgent, words: CommandWords) -> SettingsEntry:
    """Return the entry that has a command started."""
    kind: SettingsEntry = {"type": "stdio"} if agent.has_type else {}
    return {**kind, "command": words[0], "args": list(words[1:])}


def has_server(text: str, agent: ServerAgent, entry: SettingsEntry) -> bool:
    """Return whether our entry is this one; what a person added to it, such as variables, may stand there too."""
    found = find_entries(text, agent)
    there = {one.path[-1]: one.value for one in found}.get(SERVER_NAME)
    is_same = isinstance(there, Mapping) and all(there.get(name) == value for name, value in entry.items())
    return len(found) == 1 and is_same


def add_server(text: str, agent: ServerAgent, entry: SettingsEntry) -> str:
    """Return the text with our entry behind the other servers."""
    return json_edit.set_member(text, (agent.parent_key,), SERVER_NAME, entry, lenient=agent.allows_comments)


def is_name_taken(text: str, agent: ServerAgent) -> bool:
    """Return whether our name stands for a server of somebody else's."""
    entry = _list_servers(to_python(parse_json(text, lenient=agent.allows_comments)), agent).get(SERVER_NAME)
    return entry is not None and _parse_call_of("mcp", entry) is None
