"""Frontmatter under fire: notes mutated, invented and random, one change each, judged by other eyes than the patcher's.

Run it as `python -m tests.stress.frontmatter --inputs 100000`.
"""

from __future__ import annotations

import argparse
import faulthandler
import re
import sys
import time
import traceback
from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random

import yaml

from memvault.storage.frontmatter import PlainScalar, Refusal, RemovedKey, Setting, parse, patch

CORPUS = Path(__file__).parent.parent / "vaults" / "frontmatter"
SLOW = 0.05

TEXTS = (
    *("x", "no", "12:30", "1e3", "2026-01-29", "null", "~", "", " lead", "trail ", "a: b", "a #b", "[[link]]", "{{t}}"),
    *("- a", "? q", "it's", 'say "hi"', "back\\slash", "two\nlines", "tab\there", "🚀", "é\u2028f", "%x", "@x", "`x`"),
)
SETTINGS: tuple[Setting | RemovedKey, ...] = (
    *(
        PlainScalar("0.7"),
        PlainScalar("true"),
        PlainScalar("2026-01-29T03:00:00Z"),
        RemovedKey(),
        RemovedKey(),
        [],
        ["a"],
        ["a", "new"],
    ),
    *(["b", "c: d", "[[x]]"], {"session": "s", "n": PlainScalar("1")}, {}, *TEXTS),
)
KEYS = ("title", "weight", "tags", "refs", "refs.session", "refs.new", "brand_new", "status", "a", "key: odd", "é")
PIECES = (
    *("title: x\n", "weight: 0.5 # c\n", "tags: [a, b]\n", "tags:\n  - a\n  - b\n", "tags:\n- a\n- 'b'\n"),
    *("refs:\n  session: s\n  deep: d\n", "refs: {session: s}\n", "status:\n", "# comment\n", "\n"),
    "a: |\n  t\n\n  u\n",
    *("a: >-\n  t\n  u\n", 'title: "q"  # c\n', "title: 'q'\n", "title: Fix: x\n", "tags: [#a, #b]\n", "a: &x 1\n"),
    *("a: *x\n", "status: !!str x\n", "title: one\n  two\n", 'title: "one\n  two"\n', "tags: [\n  a, # c\n  b,\n]\n"),
    *("a:\n  b:\n    c: d\n", "a:\n  - b: c\n    d: e\n", "title: {{t}}\n", "? a\n: b\n", "weight:\t1\n"),
    "refs:\n\ta: b\n",
)
SCRAPS = (
    *(": ", "\r\n", "- ", " #", "&a", "*a", "---", "\n---\n", "...", "<<", "\u2028", "\ufeff", "é", "🚀"),
    *": \n\r\t[]{},'\"#|>!?%@`\0\x85~\\=x",
)


# -- inputs


def seeds() -> list[bytes]:
    """The hand-written notes."""
    return [path.read_bytes() for path in sorted(CORPUS.glob("*.md"))]


def note(random: Random, corpus: list[bytes]) -> bytes:
    """One note: hand-written and mutated, put together from pieces, or noise."""
    kind = random.random()
    if kind < 0.55:
        return _mutated(random, random.choice(corpus))
    if kind < 0.9:
        text = "".join(random.choices(PIECES, k=random.randint(1, 7)))
        eol = random.choice(("\n", "\n", "\r\n"))
        raw = f"---\n{text}---\nbody: x\n".replace("\n", eol).encode()
        return _mutated(random, raw) if random.random() < 0.4 else raw
    noise = random.randbytes(random.randint(0, 60))
    return b"---\n" + noise + b"\n---\n" if random.random() < 0.7 else noise


def _mutated(random: Random, raw: bytes) -> bytes:
    for _ in range(random.randint(0, 3)):
        at = random.randint(0, min(len(raw), 400))
        end = at + random.choice((0, 0, 1, 2, 5))
        scrap = random.choice(SCRAPS).encode() if random.random() < 0.9 else random.randbytes(2)
        raw = raw[:at] + scrap + raw[end:]
    return raw


def change(random: Random, raw: bytes) -> tuple[str, Setting | RemovedKey]:
    """One key, more often than not one that the note has, and what it is to hold."""
    held = [key for key in parse(raw).fields if key and "." not in key]
    key = random.choice(held) if held and random.random() < 0.6 else random.choice(KEYS)
    return key, random.choice(SETTINGS)


# -- judgement


def verdict(raw: bytes, key: str, setting: Setting | RemovedKey) -> str:
    """What became of one change: `same`, `changed`, `refused`, or a fault in words."""
    try:
        new = patch(raw, {key: setting})
    except Refusal:
        return "refused"
    if new == raw:
        return "same"
    return fault(raw, new, key) or "changed"


def fault(raw: bytes, new: bytes, key: str) -> str:
    """What is wrong with a patched note, found without the patcher's own reading; empty if nothing is."""
    top = len(raw) - len(re.sub(rb"\A(?:\xef\xbb\xbf)+", b"", raw))
    if not parse(raw).has_fence:
        added = len(new) - len(raw)
        fence = new[top : top + added]
        whole = fence.startswith(b"---") and re.search(rb"\n---\r?\n\Z", fence)
        return "" if whole and new[:top] + new[top + added :] == raw else "the body moved"
    outer = key if key in parse(raw).fields else key.partition(".")[0]
    return _lines_astray(raw, new, outer) or _values_astray(raw, new, outer)


def _lines_astray(raw: bytes, new: bytes, key: str) -> str:
    """The lines that differ must all be the key's own, or stand where new keys go."""
    old_lines, new_lines = raw.split(b"\n"), new.split(b"\n")
    for line, next_line in pairwise(old_lines):
        head = _HEAD.match(line)
        if head and _name(head[2]) == key and (_is_open(line[head.end() :]) or _is_open(next_line)):
            return ""  # lines that look like keys may be inside its quotes or brackets
    start = _alike(old_lines, new_lines)
    shortest = min(len(old_lines), len(new_lines)) - start
    end = min(_alike(old_lines[::-1], new_lines[::-1]), shortest)
    for lines in (old_lines, new_lines):
        owners = {owner for at in range(start, len(lines) - end) if (owner := _owner(lines, at)) is not None}
        if owners - {key}:
            return f"lines of {owners - {key}} changed"
    return ""


def _is_open(line: bytes) -> bool:
    odd_quotes = line.count(b'"') % 2 == 1 or line.count(b"'") % 2 == 1
    return odd_quotes or line.count(b"[") != line.count(b"]") or line.count(b"{") != line.count(b"}")


def _alike(a: list[bytes], b: list[bytes]) -> int:
    return next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


_HEAD = re.compile(rb"( *)(\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[^\s#-].*?|-[^\s].*?)\s*:(?:\s|$)")


def _owner(lines: list[bytes], at: int) -> str | None:
    """The top-level key a line belongs to; None for empty lines and comments of its own."""
    if not lines[at].strip():
        return None
    for line in reversed(lines[1 : at + 1]):
        head = _HEAD.match(line)
        if head and len(head[1]) <= _indent(lines):
            return _name(head[2])
    return None


def _name(written: bytes) -> str:
    try:
        return str(yaml.load(written, Loader=yaml.BaseLoader)) if written[:1] in b"\"'" else written.decode()
    except (yaml.YAMLError, UnicodeDecodeError):
        return repr(written)


def _indent(lines: list[bytes]) -> int:
    heads = (_HEAD.match(line) for line in lines[1:])
    return next((len(head[1]) for head in heads if head), 0)


def _values_astray(raw: bytes, new: bytes, key: str) -> str:
    """PyYAML must find the other keys as they were."""
    before, after = _loaded(raw), _loaded(new)
    if before is None:
        return ""
    if after is None:
        return "PyYAML cannot read it any more"
    before.pop(key, None)
    after.pop(key, None)
    return "" if list(before.items()) == list(after.items()) else "PyYAML finds other values"


def _loaded(raw: bytes) -> dict[object, object] | None:
    block = parse(raw)
    text = raw[block.start : block.end]
    # What the guard holds back, and bombs, are not for a composing loader; on odd line breaks YAML versions differ.
    if block.problem or b"*" in text or re.search("[\x80-\x9f\u2028\u2029]", text.decode()):
        return None
    try:
        loaded = yaml.load(text.decode(), Loader=yaml.BaseLoader)
    except (yaml.YAMLError, TypeError):
        return None
    return loaded if isinstance(loaded, dict) else {}


# -- the long run


def run(*, inputs: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Judges that many inputs; the counts, and every fault with what brought it about."""
    random, corpus = Random(seed), seeds()
    counts: Counter[str] = Counter()
    faults = []
    for _ in range(inputs):
        raw = note(random, corpus)
        outcome, seconds, key, setting = _one(random, raw)
        counts[outcome] += 1
        counts["slow reads"] += seconds > SLOW
        if outcome not in ("same", "changed", "refused"):
            faults.append(f"{outcome}: {raw!r} {key!r} = {setting!r}")
    return counts, faults


def _one(random: Random, raw: bytes) -> tuple[str, float, str, Setting | RemovedKey | None]:
    key, setting = "", None
    began = time.process_time()  # of this process: a busy machine is not the reader's fault
    seconds = 0.0
    try:
        parse(raw)
        seconds = time.process_time() - began
        key, setting = change(random, raw)
        return verdict(raw, key, setting), seconds, key, setting
    except Exception:  # whatever it is, it is a crash, and counted as one
        return "crash: " + traceback.format_exc(limit=-2), seconds, key, setting


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--inputs", type=int, default=100_000)
    arguments.add_argument("--seed", type=int, default=0)
    wanted = arguments.parse_args()
    faulthandler.enable()
    counts, faults = run(inputs=wanted.inputs, seed=wanted.seed)
    crashes = sum(fault.startswith("crash") for fault in faults)
    print(f"inputs {wanted.inputs}  changed {counts['changed']}  same {counts['same']}  refused {counts['refused']}")
    print(f"crashes {crashes}  bytes outside {len(faults) - crashes}  reads over 50 ms {counts['slow reads']}")
    print(*faults[:20], sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
