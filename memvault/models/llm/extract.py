"""The JSON objects in what a model said: bare, fenced, behind its thoughts, or in the middle of prose."""

from __future__ import annotations

import json
import re
from json import JSONDecoder

_MOST_TRIES = 200  # of a text that is full of braces, each of which could begin an object
_THOUGHTS = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)


def objects_in(text: str) -> list[object]:
    """Every outermost JSON object, in order; half an object, and what is no JSON, is none."""
    said = _THOUGHTS.sub("", text).strip().removeprefix("\ufeff")
    whole = _read(said)
    if isinstance(whole, dict):
        return [whole]
    return _scanned(said)


def _scanned(text: str) -> list[object]:
    found: list[object] = []
    decoder = JSONDecoder(parse_constant=_no_number)
    at = text.find("{")
    for _ in range(_MOST_TRIES):
        if at < 0:
            break
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
        else:
            found.append(value)
        at = text.find("{", at)
    return found


def _read(text: str) -> object:
    try:
        return json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):  # nested so deeply that no parser follows
        return None


def _no_number(name: str) -> object:
    raise ValueError(name)  # NaN and the infinities: Python's JSON knows them, nobody else's does
