"""One sitting over the inbox: a card on the screen, and a key that answers it."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TextIO

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.output.cards import format_acts, format_card
from memvault.errors import MemvaultError
from memvault.maintenance.conflicts import merge_memories
from memvault.maintenance.inbox import act_on_card, list_cards, revert_act
from memvault.maintenance.inbox.card import Card, CardAct
from memvault.storage.journal.undo import undo_operation
from memvault.text.display import format_count

if TYPE_CHECKING:
    from memvault.api import Memvault

_HELP = """j next card, k the one before, u undo your last answer, q quit, ? this help.
On a card: a accept, r refuse, m merge, b both hold, p pin, e edit, s later, f forget; each card says what it takes."""
_NEXT, _BEFORE, _UNDO, _QUIT, _ASK = "j", "k", "u", "q", "?"
_QUITTING = frozenset({_QUIT, "", "\x1b"})


class _Answer(NamedTuple):
    """What a card was answered with, and where the card stood."""

    card: Card
    place: int
    op: str


class ReviewSession:
    """The cards of one sitting, the place of the one that is shown, and the answers so far."""

    def __init__(self, cli: CliContext, vault: Memvault, kinds: frozenset[str], cards: Sequence[Card]) -> None:
        self._cli = cli
        self._vault = vault
        self._kinds = kinds
        self._cards = list(cards)
        self._seen = {card.key for card in cards}
        self._place = 0
        self._answers: list[_Answer] = []
        self._keyboard = Keyboard(cli.stdin or sys.stdin)

    def run_session(self) -> CommandResult:
        """Show a card, take a key, do as it says; until nothing is left or the person has had enough."""
        if not self._cards:
            return CommandResult(result=None, messages=("Nothing waits for you.",))
        with self._keyboard:
            while self._place < len(self._cards):
                self._show_card()
                if not self._obey_key():
                    break
                if self._place >= len(self._cards) and self._answers:
                    # Two memories that became one may be like a third.
                    found = self._vault.run(list_cards, self._kinds).cards
                    new = [card for card in found if card.key not in self._seen]
                    self._seen |= {card.key for card in new}
                    self._cards += new
        return CommandResult(result=None, messages=(self._format_end(),))

    @property
    def _card(self) -> Card:
        return self._cards[self._place]

    def _show_card(self) -> None:
        place = f"{self._place + 1} of {len(self._cards)}"
        paper = self._cli.terminal_format()
        rule = paper.styles.faint("─" * min(paper.width, 40))
        self._cli.print_data(f"\n{rule}\n{format_card(self._card, paper, place=place, merged=self._preview_merge())}")
        self._cli.print_data(self._cli.terminal_format().styles.faint("j next · k back · u undo · ? help · q quit"))
        self._cli.stdout.flush()

    def _preview_merge(self) -> str:
        """What two memories would say if they became one; empty where that is no question, or they cannot."""
        if all(act.name != "merge" for act in self._card.acts):
            return ""
        with suppress(MemvaultError):  # what is in the way is said when it is asked for
            ids = [memory.id for memory in self._card.memories]
            return self._vault.run(merge_memories, ids, dry_run=True).memory.body or ""
        return ""

    def _obey_key(self) -> bool:
        """Wait for a key that means something here, and do as it says; whether the sitting goes on."""
        while True:
            key = self._keyboard.read_key()
            if key in _QUITTING:
                return False
            if key == _NEXT:
                self._place += 1
                return True
            if key == _BEFORE:
                self._place = max(0, self._place - 1)
                return True
            if key == _UNDO and self._undo_last():
                return True
            if key == _ASK:
                paper = self._cli.terminal_format()
                self._cli.print_data(f"{paper.wrap_block(_HELP)}\n{format_acts(self._card, paper)}")
                self._cli.stdout.flush()
            act = next((act for act in self._card.acts if act.key == key), None)
            if act is not None and self._answer_card(act):
                return True

    def _answer_card(self, act: CardAct) -> bool:
        """Carry an act out; whether the next card is to be shown."""
        card = self._card
        try:
            if act.name == "edit":
                return self._edit_memory(card)
            op = self._vault.run(act_on_card, card.key, act.name, version=card.version)
        except MemvaultError as error:  # an editor saved the note meanwhile, or an earlier answer settled it
            self._cli.print_message(f"{error}\n  {error.advice}".rstrip())
            self._refresh_card()
            return True
        self._answers.append(_Answer(card, self._place, op))
        del self._cards[self._place]
        self._cli.print_message(f"{act.label.capitalize()}. {len(self._cards)} left.")
        return True

    def _edit_memory(self, card: Card) -> bool:
        from memvault.cli.memories.edit import edit_in_editor  # deferred: most cards are answered without

        self._keyboard.restore_terminal()
        try:
            done = edit_in_editor(self._cli, self._vault, card.memories[0].path)
        finally:
            self._keyboard.take_terminal()
        if done.op:
            self._answers.append(_Answer(card, self._place, done.op))
        self._cli.print_message(f"{done.did.capitalize()}.")
        self._refresh_card()
        return True

    def _refresh_card(self) -> None:
        """Show the card as it is now, or the next one where it has gone."""
        found = self._vault.run(list_cards, frozenset((self._card.kind,))).cards
        now = next((card for card in found if card.key == self._card.key), None)
        self._cards[self._place : self._place + 1] = [now] if now else []

    def _undo_last(self) -> bool:
        if not self._answers:
            self._cli.print_message("There is no answer to undo.")
            return False
        answer = self._answers.pop()
        try:
            if answer.op:
                self._vault.run(undo_operation, answer.op)
            else:
                self._vault.run(revert_act, answer.card.key)
        except MemvaultError as error:
            self._cli.print_message(f"{error}\n  {error.advice}".rstrip())
            return False
        self._cli.print_message("Undone.")
        if answer.card.key not in {card.key for card in self._cards}:
            self._cards.insert(answer.place, answer.card)
        self._place = min(answer.place, len(self._cards) - 1)
        self._refresh_card()
        return True

    def _format_end(self) -> str:
        answered, left = len(self._answers), len(self._cards)
        if not answered:
            return f"{format_count(left, 'card waits', 'cards wait')} for another time."
        rest = f"{left} left" if left else "Nothing waits for you any more"
        return f"{format_count(answered, 'card', 'cards')} answered. {rest}."


# Single keys from a person's terminal, without Enter.


_LONGEST = 64  # bytes of keys typed ahead that are taken at once
_ARROWS = {"\x1b[A": "k", "\x1b[B": "j", "\x1b[C": "j", "\x1b[D": "k", "\x1bOA": "k", "\x1bOB": "j"}
_INTERRUPT, _END = "\x03", "\x04"


class Keyboard:
    """The keys that a person presses, one at a time; arrows count as j and k."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._typed: deque[str] = deque()
        self._descriptor: int | None = None
        self._before: list[Any] | None = None
        if sys.platform != "win32":
            with suppress(OSError, ValueError):  # no terminal of the system's: a text that stands for one
                self._descriptor = stream.fileno()

    def __enter__(self) -> Self:
        self.take_terminal()
        return self

    def __exit__(self, *_exc: object) -> None:
        self.restore_terminal()

    def take_terminal(self) -> None:
        """Have the terminal give each key at once, and print none of them; what is printed is printed as ever."""
        if sys.platform != "win32" and self._descriptor is not None and self._before is None:
            import termios  # deferred: only there is on POSIX
            import tty

            self._before = termios.tcgetattr(self._descriptor)
            tty.setcbreak(self._descriptor, termios.TCSADRAIN)

    def restore_terminal(self) -> None:
        """Leave the terminal as it was, for another program or for good."""
        if sys.platform != "win32" and self._descriptor is not None and self._before is not None:
            import termios  # deferred, as above

            termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._before)
            self._before = None

    def read_key(self) -> str:
        """Return the next key; empty where nobody is there any more."""
        if not self._typed:
            typed = self._read_typed()
            at = 0
            while at < len(typed):  # what is no key of ours comes as the character that it is
                arrow = typed[at : at + 3]
                self._typed.append(_ARROWS.get(arrow, typed[at]))
                at += 3 if arrow in _ARROWS else 1
        key = self._typed.popleft() if self._typed else ""
        if key == _INTERRUPT:
            raise KeyboardInterrupt
        return "" if key == _END else key

    def _read_typed(self) -> str:
        if self._descriptor is not None:
            return os.read(self._descriptor, _LONGEST).decode("utf-8", "ignore")
        return _read_windows_key() if self._stream is sys.stdin else self._stream.read(1)


def _read_windows_key() -> str:
    if sys.platform != "win32":
        return ""
    import msvcrt  # deferred: only there is on Windows

    key = msvcrt.getwch()
    return {"H": "k", "P": "j", "M": "j", "K": "k"}.get(msvcrt.getwch(), "") if key in ("\x00", "\xe0") else key
