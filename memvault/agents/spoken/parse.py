"""Which command a prompt holds, and what it is about: dropped where anything speaks against it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from memvault.agents.spoken import guards
from memvault.agents.spoken.hints import CommandForm, find_hints
from memvault.agents.spoken.intent import INTENTS_BY_NAME, Intent, Pause, Remember
from memvault.agents.spoken.lexicon import Lexicon, own_lexicon, read_lexicon
from memvault.agents.spoken.matching import (
    BOUNDARY,
    STRONG,
    CommandMatch,
    SentenceMatcher,
    is_headed,
    is_lead,
    own_forms,
)
from memvault.agents.spoken.moments import (
    is_linked,
    is_moment,
    split_spoken_moment,
    split_task,
    strip_particles,
    strip_start,
)
from memvault.agents.spoken.prompt_text import HIDDEN, PromptText, fold_text, split_sentences
from memvault.text.dates.time_words import read_length

_CREATES = frozenset(("remember", "significant"))
_POINTING = frozenset(("forget", "done"))
_FEW_WORDS = 4
_LONG_UNSPACED = 8
_MOST_BEFORE_VERB = 7  # words
# Without the day behind it such a text says nothing.
_OPEN_END = r"(?:\b(?:is|are|was|were|be|has|have|on|falls?|starts?|ends?|expires?|lapses?)|'s)\s*$"
_OPEN_WORD = r"\b(?:del?|di|du|of|da|do|van|vom|des)$"


class SpokenCommand(NamedTuple):
    """A command, and what was said around it, which is for the assistant."""

    intent: Intent
    rest: str


def parse_command(prompt: str, *, phrases: Iterable[str] = ()) -> SpokenCommand | None:
    """Return the first command that a prompt holds, and what else the prompt says; None where that is not sure.

    `phrases` are a person's own: "remember = merk dir". They may be said in any language; ours are in nine.
    """
    own = own_lexicon(tuple(phrases))
    forms = [(own, own_forms(own))] if own else []
    forms += ((read_lexicon(language), found) for language, found in find_hints(fold_text(prompt)).items())
    return _Parser(PromptText.parse_prompt(prompt), forms).find_first() if forms else None


class _Parser:
    """One reading of a prompt."""

    def __init__(self, page: PromptText, forms: list[tuple[Lexicon, tuple[CommandForm, ...]]]) -> None:
        self.page, self.text, self.forms = page, page.own_words, forms
        self.matcher = SentenceMatcher(page.prompt, page.own_words)
        self.earlier: list[str] = []

    def find_first(self) -> SpokenCommand | None:
        for sentence in self.page.find_sentences():
            found_here = (self.matcher.find_matches(sentence, *each) for each in self.forms)
            for match in (match for matches in found_here for match in matches):
                if (intent := self._make_intent(match)) is not None:
                    about, end = str(getattr(intent, "text", getattr(intent, "topic", ""))), sentence.end
                    if about and (found := self.page.prompt.rfind(about, sentence.start)) >= 0:
                        end = max(end, found + len(about))
                    rest = f"{self.page.prompt[: sentence.start]}{self.page.prompt[end:]}"
                    return SpokenCommand(intent, rest.strip())
            self.earlier.append(self.text[sentence.start : sentence.end])
        return None

    # -- what it is about

    def _make_intent(self, match: CommandMatch) -> Intent | None:
        marks, said = match.form.marks, self.text[match.sentence.start : match.sentence.end]
        if self.earlier and guards.is_text_work(self.earlier[0]):
            return None
        if "weak" in marks and self._is_amid_work():
            return None
        if guards.is_question(said) and not (match.is_asked or "asks" in marks):
            return None
        if "pause" in marks:
            return _read_pause(self._about(match))
        if "todo" in marks:
            return self._find_task(match)
        if "due" in marks:
            return self._find_due(match)
        about = self._find_argument(match)
        return None if about is None else INTENTS_BY_NAME[match.form.command](about)

    def _is_amid_work(self) -> bool:
        """Return whether work was asked for before, so that what is said is a word on that."""
        return any(guards.is_work_request(each) or guards.is_question(each) for each in self.earlier)

    def _find_argument(self, match: CommandMatch) -> str | None:
        """Return what is meant by a command; None where something speaks against its being one."""
        marks, about = match.form.marks, self._about(match)
        if "alone" in marks:
            return None if about else ""
        if "aside" in marks:
            is_set_off = match.is_tail or re.match(r"\s*[,;.–—-]", self.text[match.start : match.end])
            return "" if not about or is_set_off else None
        if "topic" in marks:
            return self._find_topic(match)
        if not about:
            if re.match(r"\s*[:：]", self.text[match.start : match.sentence.line_end]):
                return self._find_text(match)
            return self._find_pointed(match) if match.form.command in _CREATES else None
        if "strong" in marks and not re.match(STRONG, self.text[match.start : match.end]):
            return None
        if "text" in marks or self._is_told(match):
            return self._find_text(match)
        return self._find_clause(match)

    def _about(self, match: CommandMatch) -> str:
        about = _trim_text(self.page.prompt[match.start : match.end])
        return about if any(map(str.isalnum, about)) else ""

    def _is_told(self, match: CommandMatch) -> bool:
        """Return whether it is plain from its sign that what follows is told, rather than said in passing."""
        if "saying" not in match.form.marks or match.is_tail:
            return "saying" in match.form.marks
        plain = self.text[match.start : match.end]
        if any(map(match.has, ("this", "why", "later"))) or (match.head and match.head[-1].name == "please"):
            return re.match(rf"\s*{BOUNDARY}", plain) is not None or is_headed(match.lexicon, plain)
        return bool(re.match(STRONG, plain)) and not (
            match.has("that") or guards.is_order(plain) or self._is_amid_work()
        )

    def _find_text(self, match: CommandMatch) -> str | None:
        marks, plain = match.form.marks, self.text[match.start : match.end]
        if match.is_tail and match.start < match.end:
            about = strip_particles(match.lexicon, self._about(match))
            is_of_work = guards.is_condition(plain) or guards.is_work_request(plain.strip())
            is_of_work = is_of_work or guards.is_said_by_others(plain)
            return (
                None
                if is_of_work or ("doubtful" in marks and guards.is_of_programs(plain)) or not self._fits(match)
                else about
            )
        follows = self.text[match.start : match.sentence.line_end]
        is_set_off = re.match(rf"\s*{BOUNDARY}", follows) or match.has("that") or is_headed(match.lexicon, plain)
        if match.has("this") and not is_set_off:
            return None
        if (
            guards.is_said_by_others(plain.lstrip(","))
            or ("doubtful" in marks and guards.is_doubted(plain))
            or not self._fits(match)
        ):
            return None
        if match.end < match.sentence.end and match.form.needs & {token.name for token in match.tail}:
            return self._about(match)
        found = self._up_to_request(match.start, match.sentence.paragraph_end, first=True)
        if not re.search(rf"[\w{HIDDEN}]", self.text[match.start : match.sentence.line_end]):
            colon = re.match(r"\s*[:：]?", self.text[match.start :])  # what is meant is the paragraph behind it
            start = match.start + (colon.end() if colon else 0)
            end = re.search(r"\S[ \t]*\n[ \t]*(?=\n)", self.text[start:])
            found = self.page.prompt[start : start + end.start() + 1 if end else None].strip()
        if guards.is_question(found) and not match.is_asked:
            return None
        return found if any(map(str.isalnum, found)) else None

    def _fits(self, match: CommandMatch) -> bool:
        """Return whether what is said is such as its form is for."""
        marks, plain = match.form.marks, self.text[match.start : match.end]
        if "ours" in marks:
            return guards.is_of_somebody("", plain)
        if "lately" in marks and not (match.has("outdated") or match.lexicon.pattern("lately").search(plain)):
            return match.has("mend") and not match.is_tail and guards.is_of_somebody("", plain)
        if "mine" in marks:
            return (
                match.is_asked
                or match.has("this")
                or guards.is_of_somebody(self.page.prompt[match.start : match.end], plain)
            )
        return True

    def _find_clause(self, match: CommandMatch) -> str | None:
        plain = self.text[match.start : match.end]
        is_told = re.match(STRONG, plain) is not None
        plain = plain.lstrip(" ,:;–—-")
        if guards.sets_to_work(plain) or (guards.is_question(plain) and not match.is_asked) or not self._fits(match):
            return None
        if "saying" in match.form.marks and (is_told or self._is_amid_work()):
            return None
        if not self._reads_as_clause(match, plain) or guards.has_task(plain) or guards.is_in_hand(plain):
            return None
        rest = self.text[match.sentence.end : match.sentence.paragraph_end].lstrip()
        if guards.begins_as_task(rest) and not guards.is_of_somebody(self._about(match), plain):
            return None
        return self._about(match).rstrip("?？ ") or None

    def _reads_as_clause(self, match: CommandMatch, plain: str) -> bool:
        """Return whether it tells something, where no sign before it says so."""
        lexicon, marks = match.lexicon, match.form.marks
        is_bare = "saying" in marks and not match.has("that")
        is_new = (
            "lately" in marks
            and re.match(r"it(?:'s| is) (?:on |at |in )?(?:the |an? )?(?:\d|\w+day)", plain) is not None
        )
        if (lexicon.pattern("unlike").match(plain) and not is_new) or (is_bare and "linked" in marks):
            return False
        if (is_bare or "stated" in marks) and not self._is_stated(match, plain):
            return False
        if is_bare and lexicon.pattern("vague").match(plain):
            return False
        is_of_work = guards.is_of_programs(plain) or lexicon.pattern("status").search(plain) is not None
        return not (("doubtful" in marks or is_bare) and is_of_work)

    def _is_stated(self, match: CommandMatch, plain: str) -> bool:
        """Return whether it has a verb of its own, where the language has no other sign of that."""
        if "verb" not in match.lexicon.rows:
            return not match.lexicon.is_spaced or "stated" in match.form.marks
        before = match.lexicon.pattern("verb").search(plain)
        return before is not None and bool(
            re.search(r"'|\w \w", before[0]) or 1 <= len(plain[: before.start()].split()) <= _MOST_BEFORE_VERB
        )

    def _find_pointed(self, match: CommandMatch) -> str | None:
        """Return what "this" means: what is told next or was told before; nothing where it is the exchange before."""
        said = self.text[match.sentence.start : match.sentence.end]
        rest = self.page.prompt[match.sentence.end :].strip()
        if "notes" in match.form.needs:  # "save it" may mean a file
            return None
        if "exchange" in match.form.marks and (rest or sum(len(each.split()) for each in self.earlier) > _FEW_WORDS):
            return None
        if not (
            match.has("this")
            or match.form.command == "significant"
            or match.form.needs & {"memory", "lead"}
            or (self.earlier and not match.lexicon.is_spaced)
        ):
            return None
        if guards.is_question(said) and not any(map(match.has, ("please", "later", "close"))):
            return None
        if any(match.lexicon.pattern("volatile").fullmatch(self.text, token.start, token.end) for token in match.head):
            return None
        return self._up_to_request(match.sentence.end, match.sentence.paragraph_end, first=False) or self._last_stated(
            match
        )

    def _last_stated(self, match: CommandMatch) -> str:
        """Return the sentence before a command, where it tells something by itself."""
        before = [*split_sentences(self.page.prompt[: match.sentence.start])]
        last = self.page.prompt[slice(*before[-1])] if before else ""
        if not last or guards.is_question(last) or last.lower() not in self.earlier[-1:]:
            return ""
        from memvault.text.statements.judge import judge_sentence  # deferred: few commands point to what was said

        is_told = not judge_sentence(last).reason or (not match.lexicon.is_spaced and len(last) > _LONG_UNSPACED)
        return _trim_text(last) if is_told else ""

    def _find_topic(self, match: CommandMatch) -> str | None:
        plain = self.text[match.start : match.end]
        is_of_work = guards.is_of_programs(plain) or match.lexicon.pattern("part").search(plain)
        if ("doubtful" in match.form.marks and is_of_work) or not self._fits(match):
            return None
        if match.form.needs & {"forget", "done", "tick"} and self._is_of_now(match):
            return None
        is_work = match.is_tail and (guards.is_condition(plain) or guards.is_work_request(plain.strip()))
        if is_work or guards.is_reported(self.text[match.start : match.sentence.line_end]):
            return None
        about = _cut_aside(strip_particles(match.lexicon, self._about(match)))
        about = _strip_over(match, strip_start(match.lexicon, "with", about))
        if match.form.command not in _POINTING:
            return about if about and not match.lexicon.pattern("this").fullmatch(about.lower()) else None
        if about and not match.lexicon.pattern("this").fullmatch(about.lower()):
            return None if match.lexicon.pattern("unnamed").fullmatch(about.lower()) else about
        if "named" in match.form.marks:
            return None
        if not (match.has("this") or about or match.is_tail) and match.form.needs & {"forget", "done"}:
            return None
        return _strip_over(match, _cut_aside(re.split(r"[.?!。？！]", self.page.prompt[: match.sentence.start])[0]))

    def _is_of_now(self, match: CommandMatch) -> bool:
        """Return whether a topic belongs to the work at hand: it is pointed at, or an order follows behind it."""
        said = self.text[match.start : match.sentence.line_end]
        parts = re.split(r"[,;]\s*(?:and |und |et |y )?|\s(?:and|und|et|y)\s", said, maxsplit=1)
        if match.lexicon.pattern("part").search(parts[0]) or re.search(guards.FOR_NOW, parts[0]):
            return True
        from memvault.text.statements.moods import ORDERS  # deferred: few commands have a topic

        behind = _trim_text(parts[1]) if len(parts) > 1 else ""
        return ORDERS.match(behind) is not None and not any(
            match.lexicon.pattern(name).match(behind) for name in ("please", "close", "ticked", "letgo", "forget")
        )

    def _find_task(self, match: CommandMatch) -> Intent | None:
        """Return what is to be done, and when."""
        lexicon, marks = match.lexicon, match.form.marks
        about, when = self._split_task(match)
        if match.is_tail and guards.is_condition(about.lower()) and not split_spoken_moment(lexicon, about)[1]:
            return None
        thing, moment = split_spoken_moment(lexicon, about)
        thing = strip_particles(lexicon, thing).strip()
        for name in ("to", "must"):
            thing = strip_start(lexicon, name, thing).strip()
        if guards.is_question(thing):
            if not (match.is_asked or "asks" in marks):
                return None
            thing = _trim_text(thing).rstrip("?？ ")
        is_timed = moment or is_moment(lexicon, when, whole=True)
        if not (is_timed or match.is_tail) and lexicon.pattern("article").match(about.lower()):
            return None  # what is to be told again: "ricordami la formula"
        if not thing or lexicon.pattern("wh").match(thing.lower()) or ("timed" in marks and not is_timed):
            return None
        if (
            match.lead and not is_lead(match.lead) and match.lead not in about
        ):  # what it is about, then what is to be done
            thing = match.lead if lexicon.pattern("this").fullmatch(thing.lower()) else f"{match.lead}: {thing}"
        if re.search(_OPEN_END, thing):
            thing, moment = about, ""
        thing = about if re.search(_OPEN_WORD, thing) else thing
        return self._make_reminder(match, thing, ", ".join(filter(None, (_trim_text(when), moment))))

    def _split_task(self, match: CommandMatch) -> tuple[str, str]:
        """Return what is to be done, which may be told before or behind the sentence, and what stands for when."""
        lexicon, about = match.lexicon, self._about(match)
        if "brace" in lexicon.rows:  # the verb stands last: "kannst du mich morgen an … erinnern?"
            about = re.sub(rf"\s*{lexicon.spell_out('brace')}[?.!]*$", "", about)
        named = (self.page.prompt[each.start : each.end] for each in match.head if each.name == "moment")
        when = " ".join((match.when, *named)).strip()
        if "nudge" in match.form.needs and not match.is_tail and not is_linked(lexicon, about.lower()):
            return "", when
        about = strip_start(lexicon, "fill", about) if lexicon.is_spaced else about
        thing, said = (about, "") if match.is_tail else split_task(lexicon, about)
        thing = thing.strip()
        before = match.lead or _trim_text(self.page.prompt[: match.sentence.start])
        if is_moment(lexicon, about, whole=True) or (before and not said and is_moment(lexicon, about)):
            thing, said = "", about
        behind = self._up_to_request(match.sentence.end, match.sentence.paragraph_end, first=False)
        return thing or match.lead or behind or before, f"{when} {said}".strip()

    def _make_reminder(self, match: CommandMatch, thing: str, when: str) -> Intent:
        """Return a reminder, with its whole sentence and the few words before that may say how urgent it is."""
        start, end = match.sentence.start, max(match.sentence.end, self.page.prompt.find(thing) + len(thing))
        if self.earlier and len(self.earlier[-1].split()) <= _FEW_WORDS:
            start = max(0, self.text.rfind(self.earlier[-1], 0, start))
        at = self.page.prompt.find(thing)
        if 0 <= at < start:  # what is to be done was told first, and maybe its day before it
            start = max(self.page.prompt.rfind(mark, 0, at) for mark in ".!?\n") + 1
        said = self.page.prompt[start:end].strip()
        return Remember(thing, to_do=True, when=when, sentence=said if thing in said else f"{thing} {said}")

    def _find_due(self, match: CommandMatch) -> Intent | None:
        """Return what one is to remember to do, where it says when: else it is an order to the assistant."""
        about, plain = self._about(match), self.text[match.start : match.end]
        thing = strip_start(match.lexicon, "todo_to", about)
        if thing == about or self._is_amid_work() or guards.is_of_programs(plain) or guards.has_task(plain):
            return None
        found, moment = split_spoken_moment(match.lexicon, thing)
        return self._make_reminder(match, found, moment) if moment else None

    def _up_to_request(self, start: int, end: int, *, first: bool) -> str:
        """Return what is told from a place on, up to where something is asked for; a first sentence is told anyway."""
        last = start
        for number, (begin, stop) in enumerate(split_sentences(self.text[start:end])):
            part = self.text[start + begin : start + stop]
            is_asked_for = guards.goes_on(part) or guards.is_question(part) or guards.is_task(part)
            is_asked_for = is_asked_for or (not first and guards.is_work_request(part))
            if is_asked_for and not (first and number == 0):
                break
            last = start + stop
        return _trim_text(self.page.prompt[start:last])


def _read_pause(length: str) -> Intent | None:
    """Return a pause of the length or until the day that is named; None where something else is."""
    span = r"(?:for (?P<span>(?:an?|one|two|three|half an|\d{1,3})\s?(?:h|hrs?|hours?|m|mins?|minutes?|days?|weeks?)))?"
    found = re.fullmatch(rf"{span}\s*(?:(?:until|till) (?P<until>\w[^.!?\n]{{1,40}}))?", length.lower())
    return Pause(read_length(found["span"] or ""), until=found["until"] or "") if found else None


def _strip_over(match: CommandMatch, topic: str) -> str:
    """Return what was to be done, without the words that say that it is: "the oven is cleaned"."""
    over = match.lexicon.pattern("over").search(topic.lower()) if match.form.command == "done" else None
    return topic[: over.start()].strip() if over else topic


def _cut_aside(text: str) -> str:
    """Return what somebody names, without what is added behind a comma."""
    return _trim_text(re.split(r"[,;]\s|\s[–—-]+\s|[，、]", _trim_text(text))[0]).rstrip("?？。.! ").strip('"“”„')


_COURTESY = (
    r"(?:,? (?:please|pls|plz|ta|thanks|thank you|(?:will|would|can|could) you|bitte|danke|s'il (?:te|vous) pla[iî]t"
    r"|merci|por favor|gracias|¿?vale|per favore|grazie|obrigad[oa]|alsjeblieft|bedankt)\??)+"
    r"(?P<end>[.!…]*)$"
)


def _trim_text(text: str) -> str:
    text = text.strip().strip(",;-–— \t，、：:").strip()
    return re.sub(_COURTESY, r"\g<end>", text, flags=re.IGNORECASE).strip()
