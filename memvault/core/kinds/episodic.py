"""Things that happened, at a time."""

from __future__ import annotations

from memvault.core.fields import Field, number, text
from memvault.core.kinds.kind import Cue, Kind

_PAST = (
    r"\b(?:met|talked|spoke|discussed|decided|agreed|shipped|released|deployed|fixed|finished|started|launched|"
    r"visited|went|came|called|wrote|merged|moved|broke|failed|happened|attended|presented|told|asked|won|lost|"
    r"bought|signed|joined|left|was|were|had|did)\b"
)

EPISODIC = Kind(
    name="episodic",
    heading="What happened",
    meaning="something that happened, at a time",
    scope="project",
    half_life_days=7,
    share=0.25,
    settles_as="semantic",
    implied_by=("milestone",),
    fields=(
        Field("event_type", text, "what sort of event it was"),
        Field("valence", number(-2.0, 2.0), "how it felt, from -2 to 2"),
    ),
    cues=(
        Cue(2.0, r"\b(?:yesterday|today|this (?:morning|afternoon|evening)|last (?:night|week|month|year|\w+day))\b"),
        Cue(1.5, r"\b(?:on|in|since) (?:\d{1,2} )?(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"),
        Cue(1.5, r"\b(?:we|i|he|she|they|the team|\w+ and i)\b.{0,40}" + _PAST),
        Cue(1.0, r"\b\d{4}-\d{2}-\d{2}\b"),
        Cue(0.8, _PAST),
        Cue(0.8, r"\b(?:meeting|incident|outage|interview|retro|trip)\b"),
    ),
)
