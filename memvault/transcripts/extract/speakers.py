"""Find who speaks, who is meant, and what a statement names: speakers, pronouns, entities."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memvault.core.conversation import Turn
from memvault.text.sentence.terms import OPENINGS
from memvault.text.sentence.wording import word_set
from memvault.text.terms import STOPWORDS

_SHE = (
    "mother mom mum mama sister daughter wife girlfriend fiancée aunt niece grandmother grandma granddaughter "
    "stepmother stepsister"
)
_HE = (
    "father dad papa brother son husband boyfriend fiancé uncle nephew grandfather grandpa grandson stepfather "
    "stepbrother"
)
_EITHER = (
    "friend colleague coworker co-worker boss partner cousin neighbor neighbour doctor teacher child kid baby roommate "
    "flatmate client coach manager therapist landlord landlady mentor assistant student professor dentist supervisor "
    "classmate teammate trainer instructor"
)
_MEANT_BY = {
    **dict.fromkeys(_SHE.split(), "she"),
    **dict.fromkeys(_HE.split(), "he"),
    **dict.fromkeys(_EITHER.split(), ""),
}
_HONOURED = {"mr": "he", "mrs": "she", "ms": "she", "miss": "she", "dr": "", "prof": "", "professor": ""}
_DOES = (
    "said says thinks knows told asked loves hates likes wants prefers works lives moved wrote called plays teaches "
    "studies believes graduated married retired"
)
# A capitalized word after one of these is a place, not a person.
_OF_PLACES = word_set("in at from to near on through around via for of")

_RELATED = re.compile(
    r"\b(?P<whose>[Mm]y|[Oo]ur|[Aa]n?|[Hh]is|[Hh]er|[Tt]heir"
    r"|(?!(?:It|That|He|She|There|Here|What|Who)')[A-Z]\w+'s) (?P<how>(?:[a-z]+ ){0,2}?)"
    rf"(?P<kin>{'|'.join(map(re.escape, _MEANT_BY))})\b(?:,? (?:(?:named|called) )?(?P<name>[A-Z][a-z]+))?"
)
_TITLED = re.compile(r"\b(?P<title>Mrs?|Ms|Miss|Dr|[Pp]rof(?:essor)?)\.? (?P<name>[A-Z][a-z]+)")
_ACTING = re.compile(rf"\b(?P<name>[A-Z][a-z]+) (?:{'|'.join(_DOES.split())})\b")
_SUBJECT = re.compile(r"(?P<before>^|[,;:] |\b(?:and|but|that|because|so|when) )(?P<who>[Hh]e|[Ss]he)(?=['’ ])")
_CAPITAL = re.compile(r"(?:(?P<before>[a-z]+) )(?P<name>[A-Z][a-z]+)\b")

_WINDOW = 2  # sentences back, unless told


@dataclass(frozen=True, slots=True)
class MentionedPerson:
    """A person whom a text mentions; `meant_by` is empty where either pronoun fits."""

    name: str
    meant_by: str
    called: str = ""  # the bare name, if any


class PronounResolver:
    """Resolves pronouns by the people of the last sentences."""

    def __init__(self, speakers: Iterable[str], *, window: int = _WINDOW) -> None:
        self._window = window
        self._speakers = {word for name in speakers for word in name.split()}
        self._recent: list[list[MentionedPerson]] = []
        self._unclear: list[bool] = []

    def resolve_pronoun(self, sentence: str) -> str:
        """Return the sentence with its first "he" or "she" replaced, where only one person can be meant."""
        here = self._find_people(sentence)
        found = _SUBJECT.search(sentence)
        named = self._find_referent(found["who"].lower()) if found and not here else None
        if found and named is not None:
            start, end = found.span("who")
            name = named.name[:1].upper() + named.name[1:] if start == 0 else named.name
            sentence = f"{sentence[:start]}{name}{sentence[end:]}"
            here = [named]
        self._recent = [*self._recent, here][-self._window :]
        self._unclear = [*self._unclear, self._has_stranger(sentence, here)][-self._window :]
        return sentence

    def _find_referent(self, pronoun: str) -> MentionedPerson | None:
        people = {person.name.casefold(): person for recent in self._recent for person in recent}
        if len(people) != 1 or any(self._unclear):
            return None
        person = next(iter(people.values()))
        return person if person.meant_by in ("", pronoun) else None

    def _find_people(self, sentence: str) -> list[MentionedPerson]:
        found: list[MentionedPerson] = []
        for kin in _RELATED.finditer(sentence):
            name = kin["name"] if kin["name"] not in _NOBODY and kin["name"] else ""
            whose = kin["whose"] if kin["whose"].endswith("s") else kin["whose"].lower()
            known = f"{whose} {kin['kin']} {name}".strip()
            called = (name or f"the {kin['kin']}") if whose in ("a", "an") else known
            found.append(MentionedPerson(called, _MEANT_BY[kin["kin"]], name))
        chosen = {person.called for person in found}
        for titled in _TITLED.finditer(sentence):
            found.append(MentionedPerson(titled[0], _HONOURED[titled["title"].lower()], titled["name"]))
        chosen |= {person.called for person in found}
        for acting in _ACTING.finditer(sentence):
            if acting["name"] not in chosen | self._speakers | _NOBODY:
                found.append(MentionedPerson(acting["name"], "", acting["name"]))
        return found

    def _has_stranger(self, sentence: str, known: list[MentionedPerson]) -> bool:
        """Return whether a sentence may name somebody else."""
        names = {word for person in known for word in person.name.split()}
        return any(
            found["name"] not in names | self._speakers | _NOBODY and found["before"] not in _OF_PLACES
            for found in _CAPITAL.finditer(sentence)
        )


_NOBODY = word_set(
    "I It He She They We You The This That There What When Where Who Which And But So If My Our His Her Their Your Yes "
    "No Everyone Everybody Nobody Someone Somebody Monday Tuesday Wednesday Thursday Friday Saturday Sunday January "
    "February March April May June July August September October November December"
)


# Who takes part in a conversation, what each is called in a fact, and whom "you" means.

_USERS = frozenset(("user", "human"))
_ASSISTANTS = frozenset(("assistant", "ai", "chatgpt", "claude", "bot", "model"))
_SHORTEST_NICKNAME = 3

_YOU = re.compile(
    r"\b(?:you|your|yours|yourself|du|dich|dir|deine?[mnrs]?|euch|tú|usted|contigo|tus?|toi|vous|votre|vos"
    r"|tu[oa]|tuoi|você|ты|тебя|тебе|вы|вас|вам|тво\w+|ваш\w*)\b|[你您]|あなた",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Speakers:
    """The speakers of a conversation, in the order in which they first speak."""

    names: tuple[str, ...]  # of people, without "user" and "assistant"

    def speaker_label(self, turn: Turn) -> str:
        """Return what the speaker of a turn is called."""
        if _has_role(turn, _USERS, "user"):
            return "The user"
        if _has_role(turn, _ASSISTANTS, "assistant"):
            return "The assistant"
        return turn.speaker or "Somebody"

    def addressee(self, turn: Turn) -> str:
        """Return whom a turn addresses, where that is certain; empty where it is not."""
        if is_user(turn):
            return "the assistant"
        if is_assistant(turn):
            return "the user"
        others = [name for name in self.names if name != turn.speaker]
        if len(others) == 1:
            return others[0] if turn.speaker else ""
        called = [name for name in others if _is_called(name, turn.text)]
        return called[0] if len(called) == 1 else ""


def find_speakers(turns: Sequence[Turn], speakers: tuple[str, ...] = ()) -> Speakers:
    """Find the people of a conversation: those that are given, and those that speak."""
    sentences = (turn.speaker for turn in turns if not (is_user(turn) or is_assistant(turn)))
    named = (name for name in speakers if name.casefold() not in _USERS | _ASSISTANTS)
    return Speakers(tuple(name for name in dict.fromkeys((*named, *sentences)) if name))


def is_user(turn: Turn) -> bool:
    """Return whether a turn is by the user of an assistant."""
    return _has_role(turn, _USERS, "user")


def is_assistant(turn: Turn) -> bool:
    """Return whether a turn is by an assistant."""
    return _has_role(turn, _ASSISTANTS, "assistant")


def has_second_person(text: str) -> bool:
    """Return whether a text addresses somebody: you, du, tú, vous, 你."""
    return _YOU.search(text) is not None


def short_names(name: str) -> tuple[str, ...]:
    """Return the short forms of a name: the whole, its first word, and how that begins."""
    first = name.split()[0] if name.split() else name
    short = (first[:length] for length in range(_SHORTEST_NICKNAME, len(first)) if first.isalpha())
    return tuple(dict.fromkeys((name, first, *short)))


def _has_role(turn: Turn, names: frozenset[str], role: str) -> bool:
    return turn.role == role if turn.role else turn.speaker.casefold() in names


def _is_called(name: str, text: str) -> bool:
    """Return whether a turn calls somebody by name: "Thanks, Anna!", "Anna, could you …"."""
    first = re.escape(name.split()[0])
    return re.search(rf"(?:^|[,!.?] ?|\b[Hh](?:ey|i|ello) ){first}(?=[,!?.]|$)|@{first}\b", text[:2_000]) is not None


# The entities of a statement: people, places, things, and identifiers of programs.

_MOST, _LONGEST = 12, 80
_FEWEST_OF_A_TITLE, _CAPITAL_SHARE = 6, 0.5
_CALLS, _CALL_ENDS = (", ", "Hey ", "Hi ", "Hello ", "Thanks "), (",", "!", ".", "?")

_CODE = (
    r"`(?P<code>[^`\n]{2,60})`",
    r"(?P<address>https?://[^\s<>\"')\]]{4,200})",
    r"(?P<path>(?<![\w/])(?:~|\.{0,2}|[A-Za-z]:)?[/\\](?:[\w.@+-]{1,60}[/\\]){0,20}[\w.@+-]{1,60}"
    r"|\b\w[\w.@+-]{0,60}/(?:[\w.@+-]{1,60}/){0,20}[\w@+-]{1,60}\.\w{1,8}\b|\b[\w-]{1,60}\.(?:py|js|ts|tsx|jsx|json"
    r"|toml|ya?ml|md|txt|rs|go|java|kt|rb|php|c|h|cpp|cs|sh|sql|css|html?|ipynb|lock|cfg|ini|env|csv|pdf|docx|xlsx)\b)",
    r"(?P<handle>(?<![\w.])@\w[\w.-]{1,40}\b)",
    r"(?P<ticket>(?<![\w&])#\d{1,7}\b|\b[A-Z]{2,8}-\d{1,6}\b)",
    r"(?P<version>\bv?\d{1,4}\.\d{1,4}\.\d{1,4}(?:[-+][\w.]{1,20})?\b|\bv\d{1,3}(?:\.\d{1,3})?\b)",
    r"(?P<identifier>\b[A-Za-z]\w{0,40}\(\)|\b[a-z]\w{0,30}_\w{1,40}\b|\b[A-Z][A-Z0-9]{1,30}_[A-Z0-9_]{1,40}\b"
    r"|\b[a-z]{1,20}[A-Z]\w{1,40}\b|\b[A-Z][a-z]{1,20}[A-Z]\w{0,40}\b)",
)
_QUOTED = (
    r"[\"“«](?P<title>[A-ZÀ-ÖØ-ÞА-Я][^\"“”»\n]{1,58}?)[,.!?]?[\"”»]",
    r"[《「『](?P<dense>[^》」』\n]{1,40})[》」』]",
    r"(?P<honoured>(?:[\u3400-\u9fff]{1,4}|[\u30a1-\u30ff]{2,8})(?=さん|様|氏)|[\u3400-\u9fff](?:先生|女士|老师|老師)"
    r"|[\uac00-\ud7a3]{2,4}(?= ?씨\b| ?님\b))",
    r"(?P<foreign>[\u30a1-\u30ff][\u30a1-\u30ff・ー]{2,20})",
)
_UPPER = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĪŁŃŇŌŐŘŚŞŠŤŪŮŰŹŻŽΑ-ΩА-ЯЁІЇЄ"
_WORD = rf"[{_UPPER}][^\W_]*(?:['’-][{_UPPER}][^\W_]+)*"
_CAPITALS = rf"(?P<name>(?<![\w'’]){_WORD}(?: (?:(?:of|de|del|la|le|van|von|der|the|&) ){{0,2}}{_WORD}){{0,5}})"
_FOUND = re.compile("|".join((*_CODE, *_QUOTED, _CAPITALS)))
_TITLE_SIGNS = ("Mr. ", "Mrs. ", "Ms. ", "Dr. ", "St. ", "Prof. ")
_SENTENCE_OPENS = re.compile(r"(?:^|[.!?:…;。！？]['\"”’)]* |[\"“(«\[] ?|^\W+)$")

_GERMAN = re.compile(r"\b(?:der|die|das|und|ist|nicht|ein|eine|einen|mit|für|auf|wird|im|am|zu|dem|den|ich|wir|habe)\b")
_GERMAN_ENOUGH = 2
_BEFORE_GERMAN_NAMES = word_set("in nach aus von mit bei für und herr frau an dr")

_NO_NAMES = word_set(
    "i i'm i've i'll i'd monday tuesday wednesday thursday friday saturday sunday january february march april "
    "may june "
    "july august september october november december mon tue wed thu fri sat sun jan feb mar apr jun jul aug sep sept "
    "oct nov dec montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober "
    "dezember ok okay am pm mr mrs ms dr q a todo note yes no hi hello hey thanks wow oh yeah haha lol omg btw fyi god "
    "sie ihnen ihr ihre ihren"
)


class EntityFinder:
    """Finds entities; the conversation tells names from words that only open a sentence."""

    def __init__(self, texts: Iterable[str], people: tuple[str, ...] = ()) -> None:
        self._people = people
        self._lowercase: set[str] = set()
        self._known_names: set[str] = set()
        for text in texts:
            self._lowercase.update(_LOW.findall(text))
            self._known_names.update(_INSIDE.findall(text))

    def find_entities(self, text: str) -> tuple[str, ...]:
        """Return the entities of a statement in its order; people of the conversation first."""
        called = [name for name in self._people if is_named(name, text)]
        # Capitals mean nothing, as in "Create and Activate the Virtual Environment".
        text_part = text.partition(": ")[2] or text
        terms = [word for word in text_part.split()[1:] if word[0].isalpha() and word != "I"]
        titled = len(terms) >= _FEWEST_OF_A_TITLE and sum(word[0].isupper() for word in terms) > _CAPITAL_SHARE * len(
            terms
        )
        found = (
            name
            for match in _FOUND.finditer(text)
            if not (titled and match.lastgroup == "name")
            for name in self._match_names(match, text)
        )
        people = {word for name in called for word in short_names(name)}
        unique: dict[str, str] = {}
        for name in found:
            if name not in people:
                unique.setdefault(name.casefold(), name)
        return tuple(dict.fromkeys((*called, *unique.values())))[:_MOST]

    def _match_names(self, match: re.Match[str], text: str) -> Iterator[str]:
        sort = match.lastgroup or ""
        text_part = match[sort].strip()[:_LONGEST]
        if sort != "name":
            yield text_part.rstrip(".,;") if sort in ("address", "path") else text_part
            return
        before = text[max(0, match.start() - 6) : match.start()]
        opens = _SENTENCE_OPENS.search(before) is not None and not before.endswith(_TITLE_SIGNS)
        name = self._trim_name(text_part, opens=opens)
        if name and self._is_name(name, text, match.start()):
            yield name

    def _trim_name(self, name: str, *, opens: bool) -> str:
        """Return a name without what is no part of it: an opening word, a weekday, "I"."""
        parts = name.split()
        while parts and (
            _is_common(parts[0]) or (opens and self._only_opens_sentence(parts[0], alone=len(parts) == 1))
        ):
            parts, opens = parts[1:], False
        while parts and (_is_common(parts[-1]) or parts[-1].islower()):
            parts = parts[:-1]
        return " ".join(parts)

    def _only_opens_sentence(self, word: str, *, alone: bool) -> bool:
        low = word.casefold()
        if low in OPENINGS or low in self._lowercase:
            return True
        if len(word) > 1 and word.isupper():
            return False
        return alone and word not in self._known_names

    def _is_name(self, name: str, text: str, start: int) -> bool:
        if name.isupper() and len(name) > 1:
            return not text.isupper()
        if len(_GERMAN.findall(text)) < _GERMAN_ENOUGH:
            return len(name) > 1
        before = text[max(0, start - 20) : start].split()
        return " " in name or name in self._people or bool(before and before[-1].lower() in _BEFORE_GERMAN_NAMES)


_LOW = re.compile(r"(?<![\w'’])[^\W\d_A-Z]{2,30}(?![\w'’])")
_INSIDE = re.compile(rf"(?<=[a-zà-ÿа-я,] )({_WORD})")


def _is_common(word: str) -> bool:
    low = word.casefold().replace("’", "'")
    return low in _NO_NAMES or low in STOPWORDS or low.replace("'", "") in STOPWORDS


def is_named(person: str, text: str) -> bool:
    """Return whether a text names a speaker, by the whole first name or a short form that is called out."""
    if not person.split():
        return False
    first, *short = short_names(person)[0 if " " not in person else 1 :]
    if re.search(rf"(?<!\w){re.escape(first)}(?!\w)", text):
        return True
    return any(f"{sign}{name}{end}" in text for name in short for sign in _CALLS for end in _CALL_ENDS)
