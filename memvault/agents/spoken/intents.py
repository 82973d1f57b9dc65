"""Commands in speech: "remember this", "save progress", "dig deeper into the outage", told from talk about them."""

from memvault.agents.spoken.intent import (
    BY_NAME,
    Dig,
    Intent,
    Maintain,
    Pause,
    Remember,
    Resume,
    SaveProgress,
    Significant,
    WhatAbout,
)
from memvault.agents.spoken.own import own_phrase
from memvault.agents.spoken.parse import Heard, hear, read

__all__ = [
    "BY_NAME",
    "Dig",
    "Heard",
    "Intent",
    "Maintain",
    "Pause",
    "Remember",
    "Resume",
    "SaveProgress",
    "Significant",
    "WhatAbout",
    "hear",
    "own_phrase",
    "read",
]
