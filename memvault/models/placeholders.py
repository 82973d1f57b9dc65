"""Put placeholders in the place of personal data before a model is asked, and the data back into its answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from memvault.core.secrets.contacts import find_contacts
from memvault.core.secrets.password_phrases import Span
from memvault.core.secrets.personal_numbers import PERSONAL_NUMBERS
from memvault.core.secrets.scan import find_secrets


class Placeholders:
    """What stands for which number, address or date in one question; the same for the same wherever it stands."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def hide(self, text: str) -> str:
        """Return a text with a placeholder such as `[phone number 1]` for each of its personal data."""
        parts, after = [], 0
        for sort, start, end in _find_personal(text):
            parts += [text[after:start], self._names.get(text[start:end]) or self._add_name(sort, text, start, end)]
            after = end
        return "".join((*parts, text[after:]))

    def put_back(self, answer: object) -> object:
        """Return an answer with what its placeholders stand for, in texts of any depth."""
        if not self._names:
            return answer
        match answer:
            case str():
                known = {name: value for value, name in self._names.items()}
                return re.sub("|".join(map(re.escape, known)), lambda found: known[found[0]], answer)
            case list():
                return [self.put_back(part) for part in answer]
            case Mapping():
                return {key: self.put_back(part) for key, part in answer.items()}
            case _:
                return answer

    def _add_name(self, sort: str, text: str, start: int, end: int) -> str:
        number = len(self._names) + 1
        while (name := f"[{sort} {number}]") in text:
            number += 1
        self._names[text[start:end]] = name
        return name


def hide_personal(text: str) -> str:
    """Return a text with placeholders, of which nothing is to be put back."""
    return Placeholders().hide(text)


def _find_personal(text: str) -> Iterator[Span]:
    """Yield where personal data stand, in order and apart; what is a secret besides is left to be redacted."""
    secrets = find_secrets(text)
    numbers = [(found.sort, found.start, found.end) for found in secrets if found.sort in PERSONAL_NUMBERS]
    contacts = [
        (sort, start, end)
        for sort, start, end in find_contacts(text)
        if not any(start < secret.end and secret.start < end for secret in secrets)
    ]
    after = 0
    for sort, start, end in sorted((*numbers, *contacts), key=lambda span: (span[1], -span[2])):
        if start >= after:
            yield sort, start, end
            after = end
