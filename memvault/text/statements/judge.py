"""Judge sentences: whether each states something that stays true, and says something particular of somebody's world."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memvault.text.sentence.terms import OPENINGS
from memvault.text.statements import moods, tables
from memvault.text.terms import STOPWORDS

SURE, ENOUGH = 0.7, 0.5
"""From how sure on a statement may be given unasked, and from how sure on it is kept at all."""

SAID, RULED, TOLD, SAID_BY_THE_WAY = 0.85, 0.8, 0.75, 0.6
"""What people say of themselves outright, make a rule, tell of others or find out, and let fall."""

PERHAPS = 0.4
"""What a conversation leaves out, but not who writes it down: orders for one day, and how things stand now."""

QUESTION, TASK, COURTESY, PASTED = "a question", "a task for now", "a courtesy", "pasted or quoted"
SUPPOSED, PASSING, VAGUE = "supposed or reported", "over with the session", "nothing particular"

STATED = ("", VAGUE)
"""Why a sentence is passed over that states something all the same, if perhaps nothing of the person's."""

DECISION, PREFERENCE, GOTCHA, LEARNING, TODO, FACT = "decision", "preference", "gotcha", "learning", "todo", "fact"

JOINTS = (
    "because|since|as|seeing as|but|so|and|bearing in mind|aber|weil|denn|und|pero|porque|y|mais|car|parce que|perché"
    "|ma(?= (?:non|più|meno|solo|anche|se|io|lo|la|i|il|le|con|senza|per|poi)\\b)|mas|e|et"
)
_CLAUSE = re.compile(
    r"[,;:，、；：]\s*| [-–—] ?|— ?|[?!.。？！]+\s+|(?<=[。！？])"
    rf"| (?=(?:{JOINTS}|mit|sin|senza|sem)\b)"
)
_JOINT = re.compile(rf"^(?:{JOINTS}) ")
_ADVERB = re.compile(r"^(?:(?:just|next|now|then|maybe|perhaps|also|mal|dann|jetzt) )+")
_PURPOSE = re.compile(r"\s*so (?:that )?(?:\w+ ){1,3}(?:would|could|can|will|gets?)\b")
_SUBJECT = re.compile(
    r"(?:i|we|my|our|he|she|neither|nobody|ich|wir|mein|je|j'|mi|io|eu|no|non|n[ãa]o|sans|sin|sem|senza)\b"
    r"|(?:i|we|he|she)'|我"
)
_PEOPLE = re.compile(r"\b(?:he|she|his|her|they|he's|she's|he'll|she'll)\b")
_TELLS = re.compile(
    r"(?:\w+ ){1,2}[\w.-]+ (?:is|are|was|were|has|had|got|lags?|land|live|belong|need|\w{4,}ed)\b"
    r"|\w+ (?:for|got|shows?|fails?|took|needs?|runs?) \w|\w+ \w+:"
)
_TAG = re.compile(
    r"[?？][\s\"')”]*$|か。?$|[吗呢]。?$|,? (?:is|was|does|did|isn't|wasn't|aren't|doesn't|wouldn't|won't)"
    r" (?:it|i|you|he|she|they|we|that)[.?!]*$"
)
_HANDED_OVER = re.compile(
    r"^(?:\w+ ){0,3}(?:translate|summari[sz]e|paraphrase|rewrite|rephrase|proofread|correct|turn|guess|übersetze?"
    r"|traduce|traduis\S*|traduci|traduz)\b[^:]*:"
)
_PAST = re.compile(
    r"\b(?:i|we)(?:'ve)? (?:just |only |also |never )?(?:\w{3,}ed|went|was|were|had|got|made|saw|took|ran|came"
    r"|gave|found|felt|bought|lost|won|met|broke|left|sold|quit|began|wrote|moved)\b"
)
_LOG = re.compile(
    r"^\s*(?:\d{4}-\d\d-\d\d[T ]\d\d:|\[?\w+\]? ?(?:ERR!|ERROR|WARN|INFO|DEBUG)|(?:FAILED|PASSED|Traceback"
    r"|Subject:|From:|File \"|at \w+\(|Error: |HTTP(?:/[\d.]+)? \d{3}\b|Dear (?:customer|guest|sir|madam|user"
    r"|[A-Z][^,]+,)|(?:Hi|Hello|Hallo|Hola|Bonjour|Ciao) (?:(?!Claude|There|GPT|Codex|Gemini)[A-Z]\w+|all|team),"
    r"|Exception in |Warning: \S+@|Q: |Terms and conditions|Offer valid|All rights reserved|error \w+: "
    r"|Your \w+ code is |Your (?:invoice|booking|order|parcel|account|payment|delivery)\b.* (?:is|has|was|will) )"
    r"|error(?:\[|:)|-->|\w+ error: |[$%>❯#]\s|\w+: (?:\[|error))|^\s*(?://|/\*|(?:user|assistant|human|system): )"
    r"|^(?i:(?:\w+ ){0,3}(?:lyrics|chorus|tweet|post|advert|sms|headline|motd|horoscope|slogan|caption|ingredients"
    r"|breaking|dialogue|transcript|screenshot|article|section)"
    r"(?: (?:from|by|of|on|in) [^:]{1,30})?(?:: | \d+\. ))"
    r"|\b(?:\w+Error|ERROR): |\b(?:[a-z]\w*\.){2,}\w+(?:Exception|Error)\b|\S+::\S+|\s{3,}\S|_{2,}|[{}]|==|=>|\\n|\|\|"
)
_NAME = re.compile(
    r"(?<=[\w,;:] )(?:professor )?(?!I\b)[A-ZÀ-ÖØ-Þ][\w'’-]+|\d|\b(?:called|named) \w"
    r"|\bthere(?:'s| is| are) (?:\S+ ){5}"
)
_OPENING_NAME = re.compile(
    r"(?:professor |[A-Z][a-z]+, )?([A-ZÀ-Þ][a-zà-ÿ]+)(?:,| (?:[a-z]+s|had|will|won't|can't|never|always)\b)"
)
_HOW_TO = re.compile(r"to \w+ (?:\S+ ){1,6}?(?:you|we|i)\b|to \w+ [^,:]{3,40}[:,] \w")
_HAS = re.compile(r"(?:i|we)(?:'ve| have)(?: got)? (?:a|an|some|\d)")
_HABIT = re.compile(
    r"\b(?:here|there's|there is|at ours|takes|has|is|are|lives|owns|goes|sits|does|ends|starts|runs|plays|belongs)\b"
)
_WORDS_OF_A_TAG = 2
_QUOTED = re.compile(r"[\"“«「][^\"”»」]{19,}(?:[\"”»」]|$)")
_MOST_QUOTED = 0.4  # of a sentence
_STEPS = re.compile(r"^[^,:;]{4,60}:(?:[^,;]+[,;]){2}|^[^,;]+(?:[,;][^,;]+){3}")
_FEWEST_WORDS = 4  # of a sentence about something else than the speaker


class Judgement(NamedTuple):
    """What a sentence is: why it is passed over, or how surely it is kept, as what, and the part that says it."""

    reason: str
    sureness: float = 0.0
    sort: str = ""
    start: int = 0
    end: int = 0
    says: int = 0  # where the clause begins that says it


class _Clause(NamedTuple):
    """A clause of a sentence in small letters, without what leads in, and where it stands."""

    start: int
    end: int
    text: str


def judge_sentence(sentence: str) -> Judgement:
    """Judge one sentence as a person said it."""
    low = sentence.replace("’", "'").lower()
    clauses = [*_split_clauses(low)]
    if tables.OF_THIS.fullmatch(low.strip()):
        return Judgement(PASSING)
    if _is_pasted(sentence) or tables.SUPPOSED.search(low) or tables.INVENTED.search(low) or not clauses:
        return Judgement(PASTED if _is_pasted(sentence) else SUPPOSED if clauses else COURTESY)
    if _HOW_TO.match(low):
        return Judgement("", SURE, FACT, 0, len(sentence))
    asks = _TAG.search(low) is not None
    requests = [one.start for one in clauses[1:] if _is_request(one.text, asks=asks)]
    supposes = asks and moods.CONDITION.match(clauses[0].text) is not None
    mood = TASK if moods.FRAGMENTS.match(low) else _find_mood(clauses[0].text, asks=supposes or (asks and not requests))
    found = [*_SentenceJudge(sentence, low, mood, asks=asks).judge_clauses(clauses)]
    best = max(found, key=lambda one: one.sureness)
    if requests and not mood and best.sort not in (PREFERENCE, DECISION):
        return Judgement(TASK)  # what is told only for an answer
    if moods.FEELS.match(low.strip()) and best.sureness <= SURE:
        return Judgement(COURTESY)
    if best.sureness < ENOUGH:
        return Judgement(mood or _find_reason(found, sentence), best.sureness)
    # What is asked for stays out; without it the rest of the sentence belongs to what is stated.
    end = min((at for at in requests if at > best.start), default=len(sentence))
    return best._replace(start=best.start if mood else 0, says=best.start, end=end)


def _find_reason(found: list[Judgement], sentence: str) -> str:
    """Return why a sentence that neither asks nor orders is passed over."""
    is_reaction = moods.REACTS.match(sentence.lower()) is not None and not _has_name(sentence)
    others = (one.reason for one in found if one.reason not in STATED)
    return next(others, COURTESY if is_reaction else VAGUE)


def _split_clauses(low: str) -> Iterator[_Clause]:
    begin = 0
    for cut in (*_CLAUSE.finditer(low), None):
        end = len(low) if cut is None else cut.start()
        bare = _JOINT.sub("", f"{low[begin:end].strip()} ")
        bare = _JOINT.sub("", f"{tables.LEADS.sub('', bare).strip()} ").strip(" .!。-–—")
        if bare:
            yield _Clause(begin, end, bare)
        begin = cut.end() if cut else end


def _is_request(text: str, *, asks: bool) -> bool:
    asked = asks and len(text.split()) > _WORDS_OF_A_TAG and moods.ASKS.match(text) is not None
    return asked or moods.REQUESTS.match(text) is not None


def _find_mood(first: str, *, asks: bool) -> str:
    """Return whether a sentence asks or orders; empty where it states."""
    if tables.STANDING.match(first):
        return ""
    if asks or moods.ASKS.match(_ADVERB.sub("", first)):
        return QUESTION
    return TASK if _is_order(first) else ""


def _is_order(text: str) -> bool:
    return moods.ORDERS.match(_ADVERB.sub("", text)) is not None and not _TELLS.match(text)


class _SentenceJudge:
    """Judges the clauses of one sentence, each by what it says and by the mood of the whole."""

    def __init__(self, sentence: str, low: str, mood: str, *, asks: bool) -> None:
        self._sentence, self._low, self._mood, self._asks = sentence, low, mood, asks
        self._is_dated = tables.DATES.search(low) is not None
        self._is_here = tables.DEIXIS.search(low) is not None

    def judge_clauses(self, clauses: list[_Clause]) -> Iterator[Judgement]:
        """Yield what each clause is; one without a subject of its own belongs to the one before it."""
        handed = _HANDED_OVER.match(self._low)
        reason = ""
        for place, clause in enumerate(clauses):
            is_own = place == 0 or _SUBJECT.match(clause.text) or _NAME.match(self._sentence, clause.start)
            is_handed = handed is not None and clause.start >= handed.end()
            is_handed = is_handed or (self._mood == TASK and _PURPOSE.match(self._low, clause.start) is not None)
            if is_handed or (not is_own and (self._mood == QUESTION or reason == PASSING)):
                continue
            if place == 0 and self._mood:
                found = Judgement(QUESTION) if self._mood == QUESTION else self._judge_order(clause)
            else:
                found = self._judge_clause(clause)
            reason = found.reason
            yield found

    def _judge_order(self, clause: _Clause) -> Judgement:
        """Judge an order: it lasts where it tells how things are to be always, or what is to be done one day."""
        text = clause.text
        if tables.PLANNED.match(text) and self._is_dated:
            return _keep(clause, TOLD, TODO)
        if self._is_here:
            return Judgement(TASK)
        if tables.SETTLED.match(text) or tables.FROM_NOW.search(text):
            return _keep(clause, RULED, DECISION)
        is_general = tables.GENERAL.search(text) is not None
        if tables.RULE.search(text) or (is_general and tables.PERSON.search(text) and tables.TASTE.search(text)):
            return _keep(clause, RULED, PREFERENCE)
        is_awaited = self._is_dated or is_general or tables.AWAITED.search(self._low) is not None
        return Judgement(TASK, PERHAPS if is_awaited or _STEPS.search(self._low) else 0.0)

    def _judge_clause(self, clause: _Clause) -> Judgement:
        """Judge a clause that may state something."""
        text = clause.text
        if tables.REPORTED.search(self._low[: clause.end]):
            return Judgement(SUPPOSED)
        if moods.ASKS.match(text) and (self._asks or self._mood):
            return Judgement(QUESTION)
        planned = tables.PLANNED.search(text)
        if planned and (self._is_dated or (planned.start() == 0 and not tables.PERSON.match(text))):
            return _keep(clause, TOLD, TODO)
        is_new = tables.FROM_NOW.search(text)
        if is_new or tables.STANDING.match(text) or tables.RULE.search(text):
            return Judgement(TASK) if self._is_here else _keep(clause, RULED, DECISION if is_new else PREFERENCE)
        return self._judge_order(clause) if _is_order(text) else self._judge_statement(clause)

    def _judge_statement(self, clause: _Clause) -> Judgement:
        """Judge a statement by whether it outlasts the session, and by whom it speaks of."""
        text = clause.text
        signs = [(one.start(), sort) for sort, table in _SIGNS if (one := table.search(text))]
        passing = tables.PASSING.search(text)
        if tables.DEIXIS.search(text):
            return Judgement(PASSING, 0.0 if self._mood else PERHAPS)
        if tables.POINTS.match(text) and not (signs or clause.start):
            return Judgement(PASSING)
        if (passing and passing.start() <= min(signs, default=(len(text), ""))[0]) or (
            tables.PLANNED.match(text) and not signs
        ):
            return Judgement(PASSING)
        if found := tables.LEARNT.search(text):
            return _keep(clause, TOLD, LEARNING if tables.LEARNS.search(found[0]) else GOTCHA)
        sorts = [sort for _, sort in signs]
        if tables.PERSON.search(text):
            return self._judge_own(clause, sorts)
        return self._judge_other(clause, sorts)

    def _judge_own(self, clause: _Clause, sorts: list[str]) -> Judgement:
        """Judge what somebody says of themselves or theirs."""
        if sorts:
            return _keep(clause, SAID, sorts[0])
        if _PAST.search(clause.text):
            is_particular = self._is_dated or _has_name(self._sentence)
            return _keep(clause, SAID_BY_THE_WAY, FACT) if is_particular else Judgement(VAGUE)
        is_loose = self._mood or _HAS.match(clause.text)
        return _keep(clause, SAID_BY_THE_WAY if is_loose else SURE, FACT)

    def _judge_other(self, clause: _Clause, sorts: list[str]) -> Judgement:
        """Judge what somebody says of others, of places and of things."""
        text = clause.text
        if sorts and _PEOPLE.search(text):
            return _keep(clause, TOLD if PREFERENCE in sorts else SAID_BY_THE_WAY, FACT)
        if self._mood or not _has_name(self._sentence) or len(text.split()) < _FEWEST_WORDS:
            return Judgement(VAGUE)
        if sorts and _OPENING_NAME.match(self._sentence):
            return _keep(clause, TOLD, FACT)
        return _keep(clause, SAID_BY_THE_WAY if sorts or _HABIT.search(text) else ENOUGH, FACT)


_SIGNS = ((DECISION, tables.SETTLED), (PREFERENCE, tables.TASTE), (FACT, tables.GENERAL))


def _has_name(sentence: str) -> bool:
    opens = _OPENING_NAME.match(sentence)
    return _NAME.search(sentence) is not None or (opens is not None and opens[1].lower() not in STOPWORDS | OPENINGS)


def _keep(clause: _Clause, sureness: float, sort: str) -> Judgement:
    return Judgement("", sureness, sort, clause.start, clause.end)


def is_log(line: str) -> bool:
    """Return whether a line is one of a log, a trace, a header or code."""
    return _LOG.search(line) is not None


def _is_pasted(text: str) -> bool:
    quoted = sum(len(one[0]) for one in _QUOTED.finditer(text))
    return is_log(text) or quoted > _MOST_QUOTED * len(text)
