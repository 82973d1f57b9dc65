"""Whom "he" and "she" mean: only where one person has been spoken of, and nobody else could be meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memvault.text.sentence.wording import words

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
# A place is named behind one of these, and a place is nobody.
_OF_PLACES = words(
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
class Person:
    """Somebody who was spoken of, as they were called; `meant_by` is empty where either pronoun could be."""

    name: str
    meant_by: str
    called: str = ""  # the bare name, where there is one


class Persons:
    """The persons of the last sentences of a turn, as far as they are known for persons."""

    def __init__(self, speakers: Iterable[str]) -> None:
        self._speakers = {word for name in speakers for word in name.split()}
        self._recent: list[list[Person]] = []
        self._unclear: list[bool] = []

    def resolved(self, sentence: str) -> str:
        """The sentence with its first "he" or "she" named, where one person alone can be meant."""
        here = self._spoken_of(sentence)
        found = _SUBJECT.search(sentence)
        named = self._meant(found["who"].lower()) if found and not here else None
        if found and named is not None:
            start, end = found.span("who")
            name = named.name[:1].upper() + named.name[1:] if start == 0 else named.name
            sentence = f"{sentence[:start]}{name}{sentence[end:]}"
            here = [named]
        self._recent = [*self._recent, here][-_WINDOW:]
        self._unclear = [*self._unclear, self._has_stranger(sentence, here)][-_WINDOW:]
        return sentence

    def _meant(self, pronoun: str) -> Person | None:
        people = {person.name.casefold(): person for recent in self._recent for person in recent}
        if len(people) != 1 or any(self._unclear):
            return None
        person = next(iter(people.values()))
        return person if person.meant_by in ("", pronoun) else None

    def _spoken_of(self, sentence: str) -> list[Person]:
        found: list[Person] = []
        for kin in _RELATED.finditer(sentence):
            found.append(_relative(kin))
        taken = {person.called for person in found}
        for titled in _TITLED.finditer(sentence):
            found.append(Person(titled[0], _HONOURED[titled["title"].lower()], titled["name"]))
        taken |= {person.called for person in found}
        for acting in _ACTING.finditer(sentence):
            if acting["name"] not in taken | self._speakers | _NOBODY:
                found.append(Person(acting["name"], "", acting["name"]))
        return found

    def _has_stranger(self, sentence: str, known: list[Person]) -> bool:
        """Whether there is a name that could be somebody else's."""
        names = {word for person in known for word in person.name.split()}
        return any(
            found["name"] not in names | self._speakers | _NOBODY and found["before"] not in _OF_PLACES
            for found in _CAPITAL.finditer(sentence)
        )


def _relative(kin: re.Match[str]) -> Person:
    name = kin["name"] if kin["name"] not in _NOBODY and kin["name"] else ""
    whose = kin["whose"] if kin["whose"].endswith("s") else kin["whose"].lower()
    known = f"{whose} {kin['kin']} {name}".strip()
    called = (name or f"the {kin['kin']}") if whose in ("a", "an") else known
    return Person(called, _MEANT_BY[kin["kin"]], name)


_NOBODY = words(
    "I It He She They We You The This That There What When Where Who Which And But So If My Our His Her Their Your Yes "
    "No Everyone Everybody Nobody Someone Somebody Monday Tuesday Wednesday Thursday Friday Saturday Sunday January "
    "February March April May June July August September October November December",
)
