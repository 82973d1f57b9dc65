"""How sure a text says that it is."""

from __future__ import annotations

import re

_UNSURE, _SURE = 0.5, 0.95
_HEDGES = (
    "probably|perhaps|maybe|possibly|presumably|apparently|i think|i believe|i guess|not sure|not certain|seems to|"
    "might be|wahrscheinlich|vielleicht|vermutlich|ich glaube|nicht sicher|quizás|quizá|probablemente|creo que|tal vez|"
    "peut-être|probablement|je crois|je pense"
)
_FIRM = (
    "definitely|certainly|without doubt|for certain|verified|confirmed|measured|tested and|"
    "sicher ist|nachgeprüft|bestätigt|seguro que|comprobado|confirmado|certainement|vérifié|confirmé"
)


def sureness(text: str) -> float | None:
    """A confidence from 0 to 1 where a text hedges or vouches for itself; None where it does neither, or both."""
    start = text[:500].casefold()
    hedges, vouches = (re.search(rf"\b(?:{words})\b", start) is not None for words in (_HEDGES, _FIRM))
    if hedges == vouches:
        return None
    return _UNSURE if hedges else _SURE
