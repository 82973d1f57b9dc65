"""Words by which a sentence retracts what was said before, or puts it in doubt."""

from __future__ import annotations

import re

from memvault.text.sentence.wording import table_rows, word_set

# Each begins at the beginning of a word; one that ends in a dash goes on in any letters.
_RETRACTIONS = """
    correction, corrected, erratum, retract-, rescind-, revok-, withdrawn, withdrew, obsolete, outdated, out of date
    superseded, deprecated, cancel-, called off, calls off
    no longer, not any more, not anymore, not any longer, any more
    annul-, repealed, reverted, reversed, overturned
    overruled, voided, null and void, scrap that, scratch that, strike that
    disregard, ignore the above, ignore this, ignore that
    never mind, does not apply, doesn't apply, do not rely, don't rely
    was wrong, is wrong, were wrong, proved wrong, proven wrong
    mistaken, by mistake, was a mistake, not true, untrue, not correct
    incorrect, is false, was false, isn't true, wasn't true
    isn't right, wasn't right, not right, misremembered, misread
    changed his mind, changed her mind, changed their mind, changed my mind, changed our mind, changed its mind
    changed their minds, changed our minds, turned out to be false, turned out to be wrong, turned out otherwise
    not the case, backed out, backtracked, undone, discontinued, decommissioned, abandoned, shelved, used to be
    turned out that this, turned out that it, turned out that the, turned out not
    wrong guess, false alarm, expired, lapsed
    korrektur, berichtigung, abgesagt, fällt aus, fallen aus
    entfällt, entfallen, widerrufen, zurückgenommen, zurückgezogen
    veraltet, überholt, nicht mehr, stimmt nicht, stimmte nicht
    war falsch, ist falsch, doch nicht, irrtum, rückgängig
    storniert, gestrichen, gilt nicht, ungültig, hinfällig, aufgehoben
    rectification, rectificatif, erreur, annulé-, annulation
    n'est plus, n'a plus, ne sont plus, obsolète, périmé-, caduc
    finalement non, en fait non, c'est faux, c'était faux, supprimé-
    corrección, rectificación, cancelad-, anulad-, suspendid-
    ya no, ya no es, obsolet-, no es cierto, no era cierto, es falso
    era falso, al final no, equivocad-, error mío, desmentid-, retirad-
    annullat-, cancellat-, correzione, cancelado, correção, geannuleerd, correctie, ingetrokken
    отмен-, исправление, больше не, неверно, ошиб-, odwołan-, sprostowanie, już nie, nieaktualn-
"""
_DENSE = (
    "訂正/取り消/中止/キャンセル/廃止/もう使/誤り/間違い/撤回/無効になっ/なくなりました/延期/"
    "更正/取消/作废/不再/已废/过时/撤销/有误/错误/改为/已停用/취소/정정/폐지/더 이상"
)
_DENSE_RETRACTIONS = tuple(_DENSE.split("/"))

# Words that may retract something: enough to offer the pair for review.
DOUBTS = word_set(
    "but however although though yet except excluding unless until",
    "till instead rather actually only sorry update edit edited",
    "former formerly previously originally initially meanwhile since",
    "postponed delayed moved changed change replaced replaces",
    "dropped stopped stops ended removed deleted wrong false",
    "mistake error doubt doubtful unsure unclear uncertain maybe",
    "perhaps probably possibly supposedly allegedly refuse refuses",
    "refused reject rejected rejects denied denies deny",
    "was were had used failed fails exception exceptions",
    "otherwise contrary opposite unlike despite lack lacks lacking lost",
    "aber jedoch sondern außer ausser bis stattdessen",
    "statt eigentlich nur früher ehemals ursprünglich verschoben geändert",
    "ersetzt gestoppt beendet falsch fehler vielleicht wohl angeblich war waren hatte wurde wurden ausnahme doch",
    "mais sauf excepté cependant toutefois jusque plutôt",
    "seulement ancien reporté changé remplacé arrêté peut-être était",
    "pero sino salvo excepto hasta sólo solo antes cambiado aplazado reemplazado quizás era fue sin embargo",
    "ma però tranne invece mas exceto porém maar behalve но кроме однако ale oprócz",
)
_DENSE_DOUBTFUL = "但 不过 然而 除 以外 のみ だけ ただし しかし 変更 变更 改 지만 제외 변경"
DENSE_DOUBTS = tuple(_DENSE_DOUBTFUL.split())


_PHRASES = (phrase.strip() for row in table_rows(_RETRACTIONS) for phrase in row.split(","))
_FORMS = (re.escape(phrase[:-1]) if phrase.endswith("-") else re.escape(phrase) + r"(?!\w)" for phrase in _PHRASES)
_RETRACTION = re.compile(rf"(?<!\w)(?:{'|'.join(_FORMS)})")


def find_retraction_words(text: str) -> str:
    """Return the words by which a sentence retracts something; empty if it does not."""
    text = text.casefold().replace("’", "'")
    if found := _RETRACTION.search(text):
        return found[0]
    return "" if text.isascii() else next((word for word in _DENSE_RETRACTIONS if word in text), "")
