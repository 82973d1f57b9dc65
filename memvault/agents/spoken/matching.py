"""Find the words of a command at the beginning or the end of a sentence; what is between is what it is about.

A command is a set of classes of words, in any order: courtesies and the like may stand among them. Languages differ in
their words alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from memvault.agents.spoken import guards
from memvault.agents.spoken.hints import CommandForm
from memvault.agents.spoken.lexicon import OWN, Lexicon
from memvault.agents.spoken.moments import is_moment, strip_start
from memvault.agents.spoken.prompt_text import HIDDEN, Sentence

_OWN_MARKS = dict.fromkeys(("dig", "about"), "topic asks") | dict.fromkeys(("forget", "done"), "topic")
_OWN_MARKS |= dict.fromkeys(("remember", "todo", "significant", "update"), "text") | {"pause": "pause"}
_OPENING = ("open", "ask", "please", "fill", "this", "that")
_CLOSING = ("please", "fill", "close", "ask", "open", "this")
_WHOLE = frozenset(("alone", "aside", "pause"))  # nothing or little stands beside the command
_PADDING = re.compile(r"[\s,;:.!¿¡…–—，、。：；！·-]*")
BOUNDARY = r"(?:[,;:.!…–—，、。：；！？?]|\s-+(?=\s)|\n)"
STRONG = r"\s*(?:[:–—：]|-+(?=\s)|\.{3}|…)"
_LONGEST_LEAD = 7  # words


class WordToken(NamedTuple):
    name: str
    start: int
    end: int


class CommandMatch(NamedTuple):
    form: CommandForm
    lexicon: Lexicon
    sentence: Sentence
    head: tuple[WordToken, ...]
    tail: tuple[WordToken, ...]
    start: int  # of what it is about
    end: int
    when: str = ""
    lead: str = ""  # what is told in the sentence before the command and its moment

    def has(self, name: str) -> bool:
        """Return whether a class of words is among those of the command."""
        return any(token.name == name for token in (*self.head, *self.tail))

    @property
    def is_asked(self) -> bool:
        """Return whether it is asked for politely, so that a question mark is no question."""
        return self.has("ask") or any(token.name == "please" for token in (*self.tail, *self.head[-1:]))

    @property
    def is_tail(self) -> bool:
        """Return whether the command stands behind what it is about."""
        return self.start >= self.end or not any(token.name in self.form.needs for token in self.head)


class SentenceMatcher:
    """The commands that may be in the sentences of a prompt."""

    def __init__(self, prompt: str, own_words: str) -> None:
        """Take a prompt, and the same in small letters with all hidden that is not the person's own word."""
        self.prompt, self.text = prompt, own_words

    def find_matches(
        self, sentence: Sentence, lexicon: Lexicon, forms: Iterable[CommandForm]
    ) -> Iterator[CommandMatch]:
        """Yield what may be a command in a sentence."""
        for form in forms:
            if all(lexicon.pattern(name).search(self.text, sentence.start, sentence.end) for name in form.needs):
                found = (self._match(form, lexicon, sentence), *self._match_asides(form, lexicon, sentence))
                yield from filter(None, found)

    def _match_asides(self, form: CommandForm, lexicon: Lexicon, sentence: Sentence) -> Iterator[CommandMatch | None]:
        """Yield what a form finds before a comma, where more is said behind it, and behind one after a few words."""
        commas = [*re.finditer(r"[,;，、]\s*|\s[–—-]+\s", self.text[sentence.start : sentence.end])]
        if form.marks & {"topic", "aside"}:
            for comma in reversed(commas):
                yield self._match(form, lexicon, replace(sentence, end=sentence.start + comma.start()))
        for comma in commas[:2]:
            lead = self.text[sentence.start : sentence.start + comma.start()]
            found = self._match(form, lexicon, replace(sentence, start=sentence.start + comma.end()))
            if found is None or not any(token.name in form.needs for token in found.head):
                continue
            is_meant = is_lead(lead) and (found.start < found.end or bool(form.marks & _WHOLE))
            if is_meant or "todo" in form.marks:
                yield found._replace(lead=self.prompt[sentence.start :][: len(lead)])

    def _match(self, form: CommandForm, lexicon: Lexicon, sentence: Sentence) -> CommandMatch | None:
        head, when = self._read_head(form, lexicon, sentence.start, sentence.end), ""
        if "todo" in form.marks and not any(token.name in form.needs for token in head):
            moved = self._skip_moment(form, lexicon, sentence)
            if moved is not None:
                later = self._read_head(form, lexicon, moved, sentence.end)
                if later and re.search(r"\w", self.text[later[-1].end : sentence.end]):
                    when, head = self.prompt[sentence.start : moved], later
        found = {token.name for token in head}
        start = head[-1].end if head else sentence.start
        tail = self._read_tail(
            form, lexicon, start, sentence.end, form.needs - found - ({"this"} if form.needs & found else set())
        )
        end = tail[0].start if tail else sentence.end
        end = end if re.search(rf"[\w{HIDDEN}]", self.text[start:end]) else start
        match = CommandMatch(form, lexicon, sentence, head, tail, start, end, when)
        if not form.needs <= found | {token.name for token in tail}:
            return None
        if not match.is_tail:
            return None if "tail" in form.marks else match
        first = max((token.start for token in tail if token.name in form.needs and token.name != "this"), default=start)
        is_set_off = re.search(BOUNDARY, self.text[max(start, match.end - 3) : first])
        if lexicon.orders_words and lexicon.pattern("not").search(self.text[start : match.end][-1:]):
            return None
        is_framed = "brace" in lexicon.rows and any(token.name == "ask" for token in head)
        is_joined = lexicon.orders_words or "joined" in form.marks or is_framed
        return match if is_set_off or start >= match.end or is_joined else None

    def _read_head(self, form: CommandForm, lexicon: Lexicon, at: int, end: int) -> tuple[WordToken, ...]:
        """Return the words that a sentence begins with, of those which a command and its courtesies are made of."""
        tokens: list[WordToken] = []
        missing = set(form.needs)
        names = (*form.needs, *form.may, *_OPENING, *(("moment",) if "todo" in form.marks else ()))
        while found := self._next_token(lexicon, names, at, end):
            if not missing and re.match(STRONG, self.text[at:end]):
                break
            tokens.append(found)
            at = found.end
            missing.discard(found.name)
            if not missing:
                more = (*form.needs, *form.may) if form.marks & _WHOLE else (*form.may, *(form.needs & {"later"}))
                names = (*more, "please", "fill", "close", *({"this", "that"} - {token.name for token in tokens}))
                if "todo" in form.marks:
                    names = ("please",)
        return self._drop_words(tokens, form, lexicon, end)

    def _next_token(self, lexicon: Lexicon, names: Iterable[str], at: int, end: int) -> WordToken | None:
        """Return the longest word of some classes that comes next; the first class where several have it."""
        start = _PADDING.match(self.text, at, end).end()  # type: ignore[union-attr]
        best: WordToken | None = None
        for name in names:
            found = lexicon.pattern(name).match(self.text, start, end)
            if found and found.end() > start and (best is None or found.end() > best.end):
                best = WordToken(name, start, found.end())
        both = {"this", "that"} <= set(names) and all(
            (found := lexicon.pattern(name).match(self.text, start, end)) and best and found.end() == best.end
            for name in ("this", "that")
        )
        if best and both:  # "that" links to what follows it, unless nothing but a courtesy does
            goes_on = re.match(rf"\s*[\w{HIDDEN}(“\"']", self.text[best.end : end])
            is_link = goes_on and not self._next_token(lexicon, ("please", "later", "close"), best.end, end)
            best = best._replace(name="that" if is_link else "this")
        return best

    def _drop_words(
        self, tokens: list[WordToken], form: CommandForm, lexicon: Lexicon, end: int
    ) -> tuple[WordToken, ...]:
        """Drop what belongs to the rest of the sentence: "this" before its noun, an adverb before its verb."""
        while tokens and tokens[-1].name in ("this", "fill", "close") and tokens[-1].name not in form.needs:
            rest = self.text[tokens[-1].end : end]
            if re.match(rf"\s*(?:{BOUNDARY}|$)", rest) or (tokens[-1].name == "this" and is_headed(lexicon, rest)):
                break
            tokens.pop()
        if not any(token.name in form.needs for token in tokens):
            while (
                tokens
                and tokens[-1].name in (("this",) if "brace" in lexicon.rows else ("ask", "this"))
                and not re.match(rf"\s*{BOUNDARY}", self.text[tokens[-1].end : end])
            ):
                tokens.pop()
        return tuple(tokens)

    def _read_tail(
        self, form: CommandForm, lexicon: Lexicon, start: int, end: int, missing: frozenset[str]
    ) -> tuple[WordToken, ...]:
        """Return the words that a sentence ends with, of those which a command and its courtesies are made of."""
        names: Iterable[str] = ("please", *(form.may & {"from", "after"})) if "topic" in form.marks else ("please",)
        if form.marks & _WHOLE:
            names = (*form.needs, *form.may, *_CLOSING)
        elif missing:
            names = (*missing, *form.may, *_CLOSING, *(("to",) if "todo" in form.marks else ()))
        ends: dict[int, WordToken] = {}
        for name in names:
            for found in lexicon.pattern(name).finditer(self.text, start, end):
                if found.end() not in ends or found.start() < ends[found.end()].start:
                    ends[found.end()] = WordToken(name, found.start(), found.end())
        tokens: list[WordToken] = []
        while token := ends.get(start + len(self.text[start:end].rstrip(" \t\n,;:.!?…–—-，、。：；！？)"))):
            is_set_off = re.search(BOUNDARY, self.text[token.end : end]) if tokens else None
            if tokens and is_set_off and not missing - {each.name for each in tokens} and token.name not in form.may:
                break
            tokens.insert(0, token)
            end = token.start
        return tuple(tokens)

    def _skip_moment(self, form: CommandForm, lexicon: Lexicon, sentence: Sentence) -> int | None:
        """Return where a command stands behind the moment that its sentence begins with: "at six remind me to …"."""
        for name in form.needs:
            for found in lexicon.pattern(name).finditer(self.text, sentence.start, sentence.end):
                before = self.text[sentence.start : found.start()]
                head = self._read_head(
                    CommandForm("", frozenset(), frozenset(), frozenset()), lexicon, sentence.start, found.start()
                )
                told = strip_start(lexicon, "to", self.text[found.end() : sentence.end].strip(" ,.!。"))
                if (
                    len(told) > 1
                    and not lexicon.pattern("this").fullmatch(told)
                    and is_moment(lexicon, before[(head[-1].end - sentence.start if head else 0) :])
                ):
                    return found.start()
        return None


def own_forms(lexicon: Lexicon) -> tuple[CommandForm, ...]:
    """Return the forms of a person's own phrases."""
    commands = [name.removeprefix(OWN) for name in lexicon.rows if name.startswith(OWN)]
    marks = (frozenset(_OWN_MARKS.get(command, "alone").split()) for command in commands)
    return tuple(
        CommandForm(command, frozenset((OWN + command,)), frozenset(), each)
        for command, each in zip(commands, marks, strict=True)
    )


def is_lead(text: str) -> bool:
    """Return whether a clause only leads in to a command: "before I forget"."""
    is_short = len(text.split()) <= _LONGEST_LEAD and (text.isascii() or len(text) <= 8 * _LONGEST_LEAD)
    return is_short and not (guards.is_condition(text) or guards.is_work_request(text) or guards.names_speaker(text))


def is_headed(lexicon: Lexicon, text: str) -> bool:
    """Return whether a few words and a colon follow: "remember this recipe: two eggs"."""
    return re.match(r"(?: [\w'-]+){1,3}\s*:", text) is not None and not lexicon.pattern("part").search(
        text.split(":")[0]
    )
