"""Our hooks in the text of an agent's settings: which there are, put in, taken out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memvault.agents.setup import json_edit as merge
from memvault.agents.setup.agent import Entry, Event, HookAgent, Words
from memvault.agents.setup.calls import Call, read_call
from memvault.agents.setup.jsonc import parse, plain

_UNDER = "hooks"
_DOES = "hook"


@dataclass(frozen=True, slots=True)
class Hook:
    """One handler of ours: the event it serves, the way to it, what it runs, and all of its group."""

    event: str
    path: merge.Path
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
        text = merge.appended(text, (_UNDER, event), group)
    return text


def without_hooks(text: str, before: str) -> str:
    """The text without any hook of ours; what was empty before they came is empty again."""
    kept = merge.empty_ones(before)
    while found := ours(text):
        text = merge.cut(text, found[-1].path, kept=kept)
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
