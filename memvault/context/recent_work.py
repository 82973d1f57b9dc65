"""Where the work on a project stands: of its last exchanges what was decided, left open and changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, tzinfo
from functools import lru_cache

from memvault.context.briefing import BriefingPart, BriefingPiece, QuotedEntry, quote_text
from memvault.context.prompt import InjectionEvent
from memvault.storage.journal.exchanges import Interaction, latest_exchanges
from memvault.storage.vault.context import VaultContext
from memvault.storage.web_taint import is_tainted
from memvault.text.display import format_count
from memvault.text.markdown import find_sentences
from memvault.text.terms import clip_to_budget

_ASKED_TOKENS, _ANSWERED_TOKENS, _PART_TOKENS, _MOST_FILES = 60, 80, 60, 6
_DECIDED = re.compile(
    r"\b(?:decided|decision|agreed|settled|chose|let's (?:use|go with|keep|drop)|we(?:'ll| will) (?:use|go with|keep)"
    r"|go with|beschlossen|entschieden|wir nehmen|décidé|on prend|decidid\w+|vamos con)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:still (?:to do|open|missing|needs?|fails?|broken)|to-?do|remain(?:s|ing)|left to do|left open|not yet"
    r"|next steps?|follow[- ]?up|later|noch (?:offen|zu tun)|als nächstes|reste à|à faire|falta|pendiente)\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[?？؟][\s\"')”»]*$")


def work_part(context: VaultContext, occasion: InjectionEvent, since: datetime, *, others_only: bool) -> BriefingPart:
    """Return the last exchanges of this project that were work; of a session that goes on, only those of others."""
    most = context.settings.integer("inject.exchanges")
    found = latest_exchanges(occasion.state, project=occasion.project, since=since) if most else ()
    work = [one for one in found if _is_work(one) and not (others_only and one.session == occasion.session)]
    pieces = []
    for one in work[:most]:
        assert context.state is not None
        # The answer may be a stranger's words, if the agent had read the web.
        is_doubtful = is_tainted(context.state, session=one.session, project=one.project, now=one.at)
        text = _format_exchange(one, context.zone, is_doubtful=is_doubtful)
        pieces.append(BriefingPiece(entry=QuotedEntry("Where this project stands", text)))
    return BriefingPart(format_count(len(pieces), "recent exchange", "recent exchanges"), tuple(pieces), 0.2)


def _is_work(one: Interaction) -> bool:
    """Return whether an exchange changed, did, decided or left open something: a look-up or a greeting did not."""
    return bool(
        one.files
        or one.did
        or _find_sentences(_DECIDED, f"{one.asked}\n{one.answered}")
        or _find_sentences(_OPEN, one.answered)
    )


@lru_cache(maxsize=64)  # in the daemon, session after session begins with the same ones
def _format_exchange(one: Interaction, zone: tzinfo, *, is_doubtful: bool) -> str:
    lines = quote_text(
        "\n".join(f"{name}: {' '.join(text.split())}" for name, text in _rows(one, is_doubtful=is_doubtful) if text)
    )
    return f"\n{one.at.astimezone(zone):%Y-%m-%d %H:%M}, in a session with an agent\n{lines}\n"


def _rows(one: Interaction, *, is_doubtful: bool) -> Iterator[tuple[str, str]]:
    answered = "" if is_doubtful else one.answered
    decided = _find_sentences(_DECIDED, one.asked) or _find_sentences(_DECIDED, answered)
    is_open = _find_sentences(_OPEN, answered)
    yield "Asked", clip_to_budget(one.asked, _ASKED_TOKENS)
    if not (decided or is_open):
        yield "Answered", clip_to_budget(answered, _ANSWERED_TOKENS)
    yield "Decided", clip_to_budget(decided, _PART_TOKENS)
    yield "Open", clip_to_budget(is_open, _PART_TOKENS)
    yield "Changed", ", ".join(one.files[:_MOST_FILES]) + (" and others" if len(one.files) > _MOST_FILES else "")


def _find_sentences(sign: re.Pattern[str], text: str) -> str:
    """Return the sentences of a text that bear a sign, apart from questions."""
    found = (text[start:end].strip() for start, end in find_sentences(text))
    return " ".join(one for one in found if sign.search(one) and not _QUESTION.search(one))
