"""Who speaks and who is meant: speakers, addressees, pronouns, and the sentences of long answers to take."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memvault.core.conversation import Turn
from memvault.text.sentence.wording import word_set
from memvault.transcripts.extract.facts.sentences import TurnSentence, text_length

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
_HONOURED = {"mr": "he", "mrs": "she", "ms": "she", "miss": "she", "dr": "", "prof": ""}
_DOES = (
    "said says thinks knows told asked loves hates likes wants prefers works lives moved wrote called plays teaches "
    "studies believes graduated married retired"
)
# A capitalized word after one of these is a place, not a person.
_OF_PLACES = word_set(
    "in at from to near on through around via for of",
)

_RELATED = re.compile(
    r"\b(?P<whose>[Mm]y|[Oo]ur|[Aa]n?|[Hh]is|[Hh]er|[Tt]heir|[A-Z]\w+'s) (?P<how>(?:[a-z]+ ){0,2}?)"
    rf"(?P<kin>{'|'.join(map(re.escape, _MEANT_BY))})\b(?:,? (?:(?:named|called) )?(?P<name>[A-Z][a-z]+))?"
)
_TITLED = re.compile(r"\b(?P<title>Mrs?|Ms|Miss|Dr|Prof)\.? (?P<name>[A-Z][a-z]+)")
_ACTING = re.compile(rf"\b(?P<name>[A-Z][a-z]+) (?:{'|'.join(_DOES.split())})\b")
_SUBJECT = re.compile(r"(?P<before>^|[,;:] |\b(?:and|but|that|because|so|when) )(?P<who>[Hh]e|[Ss]he)(?=['’ ])")
_CAPITAL = re.compile(r"(?:(?P<before>[a-z]+) )(?P<name>[A-Z][a-z]+)\b")

_WINDOW = 2  # sentences back


@dataclass(frozen=True, slots=True)
class MentionedPerson:
    """A person whom a text mentions; `meant_by` is empty where either pronoun fits."""

    name: str
    meant_by: str
    called: str = ""  # the bare name, if any


class PronounResolver:
    """Resolves pronouns by the people of the last sentences of a turn."""

    def __init__(self, speakers: Iterable[str]) -> None:
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
        self._recent = [*self._recent, here][-_WINDOW:]
        self._unclear = [*self._unclear, self._has_stranger(sentence, here)][-_WINDOW:]
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
            found.append(_make_relative(kin))
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


def _make_relative(kin: re.Match[str]) -> MentionedPerson:
    name = kin["name"] if kin["name"] not in _NOBODY and kin["name"] else ""
    whose = kin["whose"] if kin["whose"].endswith("s") else kin["whose"].lower()
    known = f"{whose} {kin['kin']} {name}".strip()
    called = (name or f"the {kin['kin']}") if whose in ("a", "an") else known
    return MentionedPerson(called, _MEANT_BY[kin["kin"]], name)


_NOBODY = word_set(
    "I It He She They We You The This That There What When Where Who Which And But So If My Our His Her Their Your Yes "
    "No Everyone Everybody Nobody Someone Somebody Monday Tuesday Wednesday Thursday Friday Saturday Sunday January "
    "February March April May June July August September October November December",
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


# The sentences of a long answer to take: headlines, first and last, decisions and results.

WORDS_TAKEN_WHOLE = 60
_FEWEST, _MOST, _WORDS_FOR_ONE_MORE = 2, 10, 150
_LONGEST_HEADLINES = 300
_LONGEST_HEADLINE = 60

# How answers begin and end that say nothing yet, or nothing any more.
_OFFERS = re.compile(
    r"(?:certainly|sure|of course|absolutely|great|let's|let us|let me|here(?:'s| is| are)|below is|i'll|i will|i'd be"
    r"|i can|to help you|if you (?:have|need|want|would|'d)|would you|do you|feel free|hope|happy to"
    r"|please (?:let|share"
    r"|provide)|by following|this (?:should|will|approach|way)|with (?:this|these)|natürlich|gerne?|klar"
    r"|hier (?:ist|sind)"
    r"|wenn du|falls du|por supuesto|claro|aquí (?:está|tienes)|si (?:necesitas|tu|vous)|bien sûr|voici|n'hésite)\b",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\b(?:because|caused? by|root cause|turn(?:s|ed) out|fixed|resolved|decided|recommend|suggest|instead of|so that"
    r"|result(?:s|ed)? (?:in|is|are|show)|pass(?:es|ed)?|fail(?:s|ed)?|now (?:works?|uses?|passes|has|runs)"
    r"|changed|added"
    r"|removed|created|renamed|moved|updated|replaced|in short|in summary|summary|conclusion|answer is|means that|must"
    r"|never|important|important:|note that|warning|beware|default|costs?|requires?|deadline|due|weil|deshalb|behoben"
    r"|geändert|empfehle|wichtig|ergebnis|porque|resultado|recomiendo|cambiado|parce que|résultat|recommande|corrigé)\b"
    r"|\d",
    re.IGNORECASE,
)

_NUMBERED = re.compile(r"(?:task|step|phase|option|part|schritt|paso|étape) \d+\.?", re.IGNORECASE)


def assistant_summary(sentences: Sequence[TurnSentence]) -> tuple[TurnSentence, ...]:
    """Return the sentences of an answer that are worth a fact; all of them where it is short."""
    words = sum(text_length(one.full_text) for one in sentences)
    if words <= WORDS_TAKEN_WHOLE:
        return tuple(one for one in sentences if not one.heading)
    prose = [one for one in sentences if not (one.item or one.heading or one.asks or _is_offer(one.text))]
    most = min(_MOST, _FEWEST + int(words) // _WORDS_FOR_ONE_MORE)
    telling = [one for one in prose if _TELLS.search(one.text)]
    chosen = [*prose[:1], *telling[: most - 1], *prose[-1:]][: most + 1]
    taken = tuple(one for one in prose if any(one is other for other in chosen))
    headlines = _join_headlines(sentences)
    return (*taken[:1], *headlines, *taken[1:])


def _join_headlines(sentences: Sequence[TurnSentence]) -> tuple[TurnSentence, ...]:
    """Return the headings and list item leads as one statement."""
    names = (one.text if one.heading else _item_lead(one.text) for one in sentences if one.heading or one.item)
    found: list[str] = []
    size = 0
    for name in dict.fromkeys(name[:_LONGEST_HEADLINE].strip(" :.") for name in names if name):
        if size + len(name) > _LONGEST_HEADLINES:
            break
        found.append(name)
        size += len(name) + 2
    return (TurnSentence("; ".join(found), item=True),) if len(found) > 1 else ()


def _item_lead(item: str) -> str:
    """Return what a list item is about, before a colon or a dash, or as a whole."""
    lead, _, rest = item.partition(": ") if ": " in item else item.partition(" - ")
    if _NUMBERED.fullmatch(lead.strip(" :")):
        lead = rest
    return lead if len(lead) <= _LONGEST_HEADLINE else ""


def _is_offer(text: str) -> bool:
    return _OFFERS.match(text) is not None or text.endswith(":")
