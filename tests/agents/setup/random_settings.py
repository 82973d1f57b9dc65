"""Settings files as people and programs write them: any values, any spacing, remarks where they are allowed."""

from __future__ import annotations

import json

from hypothesis import strategies as st

_NAMES = st.sampled_from(["a", "permissions", "env", "Stop", "mcpServers", "servers", "ключ", 'q"uote', "x\\y", ""])
_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(["https://example.org//x", "/* no */", "a, b", "}]"])
)
_VALUES = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3), max_leaves=12
)
_HANDLERS = st.fixed_dictionaries(
    {"type": st.just("command"), "command": st.sampled_from(["beep", "say hi", "/x/mem"])}
)
_GROUPS = st.fixed_dictionaries({"hooks": st.lists(_HANDLERS, max_size=2)})
_HOOKS = st.dictionaries(
    st.sampled_from(["Stop", "SessionStart", "SessionEnd", "Notification"]), st.lists(_GROUPS, max_size=2), max_size=3
)
_SERVERS = st.dictionaries(st.sampled_from(["files", "web"]), _HANDLERS, max_size=2)

_BLANKS = ("", " ", "\n", "\n  ", "\n\t", "\r\n    ", "  \n\n ")
_REMARKS = ("// note\n", "/* note */", "/* two\nlines */", '// note, "with" {brackets}\r\n')


@st.composite
def settings(draw: st.DrawFn, *, lenient: bool = False) -> str:
    """The text of a file: an object at the top, which may have hooks and servers already."""
    value = dict(draw(st.dictionaries(_NAMES, _VALUES, max_size=4)))
    for name, some in (("hooks", _HOOKS), ("mcpServers", _SERVERS), ("servers", _SERVERS)):
        value.pop(name, None)
        if draw(st.booleans()):
            value[name] = draw(some)
    bom = draw(st.sampled_from(["", "\ufeff"]))
    if draw(st.booleans()):
        indent = draw(st.sampled_from([None, 2, 4, "\t"]))
        text = json.dumps(value, indent=indent, ensure_ascii=draw(st.booleans()))
        eol = draw(st.sampled_from(["\n", "\r\n"]))
        return bom + text.replace("\n", eol) + draw(st.sampled_from(["", eol]))
    return bom + _loosely(draw, value, lenient=lenient)


def _loosely(draw: st.DrawFn, value: object, *, lenient: bool) -> str:
    def gap() -> str:
        blank = draw(st.sampled_from(_BLANKS))
        return blank + (draw(st.sampled_from(("", "", *_REMARKS))) if lenient else "")

    def listed(parts: list[str], brackets: str) -> str:
        comma = "," if lenient and parts and draw(st.booleans()) else ""
        inner = ",".join(f"{gap()}{part}{gap()}" for part in parts)
        return f"{brackets[0]}{inner}{comma}{gap()}{brackets[1]}"

    def told(value: object) -> str:
        match value:
            case dict():
                return listed([f"{json.dumps(name)}{gap()}:{gap()}{told(part)}" for name, part in value.items()], "{}")
            case list():
                return listed([told(part) for part in value], "[]")
            case _:
                return json.dumps(value)

    return gap() + told(value) + gap()
