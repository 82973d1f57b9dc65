"""Whether two texts say the same in equal words, whatever the order: the same things, denials, times and roles."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from memvault.core.similarity.alignment import Alignment, align_tokens
from memvault.core.similarity.statements import Statement, cached_statements
from memvault.core.similarity.tokens import SLIGHT, Token, read_tokens
from memvault.text.markdown import BlockKind
from memvault.text.sentence.opposites import DENIALS
from memvault.text.sentence.terms import TermKind
from memvault.text.sentence.wording import word_set

_PARTICLES = word_set("back out up down off over away around")
_OF_TIME = word_set("in on at of for by from am im le el à a um gegen")  # before a time these say little
_AGENT = word_set("by von par por da")  # before who does what is done
_FLIPPED = ({"before", "after"}, {"vor", "nach"}, {"avant", "après"}, {"antes", "después"})
_COMPOUNDING = word_set("of in for at on from with de von des für del")  # the bakery's oven, the oven in the bakery
_REFERENCES = word_set("it them they he she him her his its their sie ihn ihm es il elle le la les él ella lo")
_TIMES = word_set("before after until vor nach bis avant après antes después hasta")
_FIRM = word_set("to from into before after until since against vor nach bis avant après antes después hasta")
# A text that has one of these more than another does not say more, but something else.
_NARROWING = word_set(
    "or if unless except until only just maybe perhaps but oder nur außer ou sauf seulement o solo salvo"
)
_CHOICES = word_set(
    "or oder ou maybe perhaps vielleicht except some certain few most many several both either einige certains algunos"
)
_SHORT_WORDS = frozenset("aiysoeàd")
# Two texts of which one has words of the left and the other words of the right do not say the same.
_RIVALS = (
    (word_set("my mein meine mon ma mi"), word_set("your dein ihr ton votre tu our unser notre nuestro")),
    (word_set("is are am ist sind est es"), word_set("was were war waren était era fue")),
    (word_set("may might can could darf kann peut puede"), word_set("must mustnot shall should muss soll doit debe")),
    (word_set("will wird"), word_set("was were war had did")),
)
_LEAST_OF_FULLER = 0.6  # how much of a text another one must say to take it in
_ALONE = 4  # so many words may not stand beside others than in the other text
_TURNED = 2
_FACTS = (TermKind.NUMBER, TermKind.DATE, TermKind.TIME, TermKind.VERSION)


def holds_all(whole: str, part: str) -> bool:
    """Return whether a text of plain sentences says all that another one says, in equal words and any order."""
    sides = cached_statements(whole), cached_statements(part)
    if any(each.block_kind is not BlockKind.PROSE for side in sides for each in side):
        return False
    alignment = align_tokens(*map(read_tokens, sides))
    return not alignment.rest[1] and says_same(alignment, *sides)


def says_same(alignment: Alignment, mine: Sequence[Statement], others: Sequence[Statement]) -> bool:
    """Return whether of two texts one says all that the other says: in equal words, in any order, and maybe more."""
    left, right = alignment.rest
    if min(alignment.shares) < _LEAST_OF_FULLER or not _have_one_form(mine, others):
        return False
    if (left and right) or not alignment.pairs or any(token.term.dense for token in alignment.left):
        return False
    tokens, added = (alignment.right, right) if right else (alignment.left, left)
    fuller, other = (others, mine) if right else (mine, others)
    if _has_particle(alignment) or (added and (_narrows(fuller, other) or not _adds_parts(tokens, added))):
        return False
    return (
        _depend_alike(alignment, mine, others)
        and not _turns_around(alignment)
        and _belongs_alike(mine, others)
        and not _swaps_facts(alignment)
    )


def _have_one_form(mine: Sequence[Statement], others: Sequence[Statement]) -> bool:
    """Return whether two texts have the same code, headings, choices and questions, and no numbered steps."""
    exact = [{each.sense for each in side if each.sense[0] in ("```", "|", "#")} for side in (mine, others)]
    under = [{each.under for each in side} for side in (mine, others)]
    asked = [sum("?" in each.text for each in side) for side in (mine, others)]
    struck = [sum("~~" in each.text for each in side) for side in (mine, others)]
    letters = [
        [term.key for each in side for term in each.terms if len(term.key) == 1 and term.key.isalpha()]
        for side in (mine, others)
    ]
    choices = [
        Counter(term.key for each in side for term in each.terms if term.key in _CHOICES) for side in (mine, others)
    ]
    times = [{term.key for each in side for term in each.terms} & _TIMES for side in (mine, others)]
    numbered = any(each.is_step for each in (*mine, *others))
    is_lettered = bool({*letters[0], *letters[1]} - _SHORT_WORDS)
    return (
        (exact[0], under[0], asked[0], struck[0], choices[0]) == (exact[1], under[1], asked[1], struck[1], choices[1])
        and (times[0] == times[1] or times[0] ^ times[1] in _FLIPPED)
        and not numbered
        and not (is_lettered and letters[0] != letters[1])
    )


def _depend_alike(alignment: Alignment, mine: Sequence[Statement], others: Sequence[Statement]) -> bool:
    """Return whether the words depend on the same in both, but for one that "it" stands for in another part."""
    misfits = [pair for pair in alignment.pairs.items() if not _depends_alike(alignment, *pair)]
    if not misfits:
        return True
    keys = [{term.key for statement in side for term in statement.terms} for side in (mine, others)]
    if any({alignment.left[one].marker, alignment.right[other].marker} in _FLIPPED for one, other in misfits):
        # Not after noon is only before noon.
        return sum("only" in side for side in keys) == 1 and all(
            alignment.left[one].denied != alignment.right[other].denied for one, other in alignment.pairs.items()
        )
    weighty = [one for one, _ in misfits if alignment.left[one].weight > SLIGHT]
    is_plain = all(
        alignment.left[one].term.kind is TermKind.WORD and not alignment.left[one].term.capital for one in weighty
    )
    return len(weighty) < _TURNED and is_plain and all(side & _REFERENCES for side in keys)


def _adds_parts(tokens: Sequence[Token], added: Sequence[int]) -> bool:
    """Return whether words more are whole parts of their own, behind "and" or a comma, or whole statements."""
    parts = {tokens[number].part for number in added}
    known = {token.part for number, token in enumerate(tokens) if number not in set(added) and token.weight > SLIGHT}
    return not parts & known and not any(tokens[number].denied for number in added)


def _has_particle(alignment: Alignment) -> bool:
    """Return whether one text has a word such as "back" or "off" more, by which it may say something else."""
    return any(
        token.term.key in _PARTICLES
        for tokens, paired in ((alignment.left, alignment.pairs), (alignment.right, alignment.inverse))
        for number, token in enumerate(tokens)
        if number not in paired
    )


def _narrows(fuller: Sequence[Statement], other: Sequence[Statement]) -> bool:
    counts = [
        Counter(
            term.key for statement in side for term in statement.terms if term.key in _NARROWING or term.key in DENIALS
        )
        for side in (fuller, other)
    ]
    return bool(counts[0] - counts[1])


def _swaps_facts(alignment: Alignment) -> bool:
    """Return whether two amounts, dates or the like stand in each other's part of the text."""
    counts = Counter(token.term.key for token in alignment.left)
    own: defaultdict[int, dict[int, int]] = defaultdict(dict)  # by the parts of the left text: where its own words went
    for mine, other in alignment.pairs.items():
        if counts[alignment.left[mine].term.key] == 1:
            own[alignment.left[mine].part][mine] = alignment.right[other].part
    facts = [pair for pair in alignment.pairs.items() if alignment.left[pair[0]].term.kind is not TermKind.WORD]

    def goes_with(part: int, fact: int, there: int) -> bool:
        return any(place == there for word, place in own[part].items() if word != fact)

    for one, its in facts:
        here, there = alignment.left[one], alignment.right[its].part
        rivals = (
            (alignment.left[other].part, other)
            for other, _ in facts
            if alignment.left[other].part != here.part and alignment.left[other].term.kind is here.term.kind
        )
        if not goes_with(here.part, one, there) and any(goes_with(part, other, there) for part, other in rivals):
            return True
    return False


def _belongs_alike(mine: Sequence[Statement], others: Sequence[Statement]) -> bool:
    """Return whether not one text speaks of mine, of now or of duty, and the other of yours, of then or of leave."""
    left, right = ({term.key for each in side for term in each.terms} for side in (mine, others))
    return not any(
        (left & one and right & other and not right & one) or (right & one and left & other and not left & one)
        for one, other in _RIVALS
    )


def _depends_alike(alignment: Alignment, mine: int, other: int) -> bool:
    """Return whether a word stands behind the same preposition in both texts, and is denied in both or in none."""
    one, its = alignment.left[mine], alignment.right[other]
    markers = {one.marker, its.marker}
    if one.denied != its.denied or markers in _FLIPPED:
        return False
    if len(markers) == 1 or (one.term.kind in _FACTS and markers <= _OF_TIME | {""}):
        return True
    if "" not in markers or (markers & _FIRM and not _has_company(alignment, mine, other)):
        return False
    return not (markers & _AGENT) or _acts(alignment, mine, other)


def _acts(alignment: Alignment, mine: int, other: int) -> bool:
    """Return whether who stands behind "by" in one text stands in the other before what is done."""
    is_left = alignment.left[mine].marker == ""
    tokens, paired = (alignment.left, alignment.pairs) if is_left else (alignment.right, alignment.inverse)
    number, there = (mine, other) if is_left else (other, mine)
    then = there
    while True:
        number = _next_weighty(tokens, number, 1)
        if number not in paired:
            return False
        if paired[number] != then + 1:
            return paired[number] < there
        then += 1


def _turns_around(alignment: Alignment) -> bool:
    """Return whether two words have changed places, or many stand beside other words."""
    alone = [
        pair
        for pair in alignment.pairs.items()
        if alignment.left[pair[0]].weight > SLIGHT and not _has_company(alignment, *pair)
    ]
    if sum(any(token.marker in _AGENT for token in side) for side in (alignment.left, alignment.right)) == 1:
        # One of them is in the passive: who does it has been looked at.
        alone = [
            pair for pair in alone if not {alignment.left[pair[0]].marker, alignment.right[pair[1]].marker} & _AGENT
        ]
    if len(alone) >= _ALONE:
        return True
    return any(
        _stand_alike(alignment, one, that, other=other, its=its)
        and _stand_alike(alignment, other, its, other=one, its=that)
        for number, (one, its) in enumerate(alone)
        for other, that in alone[number + 1 :]
        if alignment.left[one].term.kind is alignment.left[other].term.kind
    )


def _stand_alike(alignment: Alignment, mine: int, there: int, *, other: int, its: int) -> bool:
    """Return whether a word stands in the left text where its rival stands in the right one."""
    for step in (-1, 1):
        beside, then = _next_weighty(alignment.left, mine, step), _next_weighty(alignment.right, there, step)
        if beside < 0 or then < 0:
            continue
        if alignment.pairs.get(beside) == then:
            return True
        if beside == other and then == its and alignment.left[mine].marker != alignment.right[its].marker:
            return True
    return False


def _has_company(alignment: Alignment, mine: int, other: int) -> bool:
    """Return whether a word stands beside the same one in both texts, on the same side of it."""
    one, its = alignment.left[mine], alignment.right[other]
    if one.marker and one.marker == its.marker:
        return True
    for step in (-1, 1):
        beside = _next_weighty(alignment.left, mine, step)
        there = alignment.pairs.get(beside)
        if there is None:
            continue
        if _next_weighty(alignment.right, other, step) == there:
            return True
        is_open = one.term.kind in _FACTS or alignment.right[there].term.kind in _FACTS
        apart = alignment.left[beside].part != one.part or alignment.right[there].part != its.part
        between = {one.marker, alignment.left[beside].marker}, {its.marker, alignment.right[there].marker}
        joined = sum(bool(markers & _COMPOUNDING) for markers in between) == 1
        named = _are_apposed(one, alignment.left[beside]) or _are_apposed(its, alignment.right[there])
        if (is_open or apart or joined or named) and _next_weighty(alignment.right, other, -step) == there:
            return True
    return False


def _are_apposed(one: Token, other: Token) -> bool:
    """Return whether of two words beside each other one is a name and the other says who that is: Biscuit the pony."""
    return any(
        name.term.capital and not name.titled and noun.titled and not noun.term.capital
        for name, noun in ((one, other), (other, one))
    )


def _next_weighty(tokens: Sequence[Token], place: int, step: int) -> int:
    """Return the number of the next token of some weight in the same statement; -1 if there is none."""
    number = place + step
    while 0 <= number < len(tokens) and tokens[number].statement == tokens[place].statement:
        if tokens[number].weight > SLIGHT:
            return number
        number += step
    return -1
