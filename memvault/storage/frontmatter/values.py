"""What is read from a frontmatter, what can be written into it, and what a refusal says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias, Union

from memvault.storage.vault.body import decoded

Value: TypeAlias = Union[str, "list[Value]", "dict[str, Value]", None]
Setting: TypeAlias = Union[str, "list[str]", "Mapping[str, Setting]"]  # a Plain is a str

# What YAML 1.1 and 1.2 both read as "no value".
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
NULLS = frozenset({"", "~", "null", "Null", "NULL"})


class Plain(str):
    """A scalar to be written as it stands: a number, true or false, an ISO date."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Removed:
    """In place of a setting: the key goes away, with its lines."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a frontmatter could not be read whole, and on which line of the file (from 1)."""

    reason: str
    line: int


class Refusal(Exception):  # a refusal is an answer, not a fault
    """A change that cannot be proven to touch nothing else; nothing was written."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


@dataclass(frozen=True, slots=True)
class Block:
    """A note taken apart: its fields as plain text, and where its body begins."""

    raw: bytes
    has_fence: bool
    fields: Mapping[str, Value]
    start: int  # the text between the fences: raw[start:end]
    end: int
    body_start: int
    eol: str
    bom: bool
    problem: Problem | None = None
    editable: bool = True

    @property
    def body(self) -> bytes:
        """Everything after the closing fence, byte for byte."""
        return self.raw[self.body_start :]

    @property
    def opens(self) -> int:
        """The byte from which on the file is the body in UTF-8; -1 where it is in another encoding."""
        return -1 if self.raw[:2] in _UTF_16 else self.body_start

    @property
    def text(self) -> str:
        """The body as text, whatever its encoding."""
        if self.raw[:2] in _UTF_16:
            return self.raw.decode("utf-16", errors="replace")
        return decoded(self.body)
