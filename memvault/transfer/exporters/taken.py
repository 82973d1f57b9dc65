"""One memory as it goes out."""

from __future__ import annotations

from dataclasses import dataclass, replace

from memvault.core.memory import Memory
from memvault.core.secrets.private_spans import cleaned, is_unclosed, without_private
from memvault.core.weight import Use


@dataclass(frozen=True, slots=True)
class Taken:
    """A memory with its bytes, its text, and what it weighs today."""

    memory: Memory
    raw: bytes
    text: str
    weight: float
    use: Use
    is_private: bool = False

    @property
    def is_private_throughout(self) -> bool:
        """Whether a private span reaches over several lines of the frontmatter, or out of it: no part can be told."""
        whole = self.raw.decode("utf-8", "replace")
        above = whole[: len(whole) - len(self.text)] if whole.endswith(self.text) else whole
        return any(map(is_unclosed, above.splitlines()))

    def without_private(self) -> Taken:
        """The same without what is marked as private; its bytes are not for giving away then."""
        memory = self.memory.changed(title=without_private(self.memory.title), more=cleaned(self.memory.more))
        return replace(self, memory=memory, raw=b"", text=without_private(self.text), is_private=False)
