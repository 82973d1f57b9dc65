"""Words that ask rather than tell: left out of a query unless nothing else is in it."""

from __future__ import annotations

# German, French, Spanish, Italian, Portuguese and Dutch words that mean something elsewhere (die, war, man,
# son, pour, come, van, UN) are left to how rare they are in the vault at hand.
_ENGLISH = """
a about again all also am an and any anybody anyone anything are arent as at be been being but by can cant
could couldnt did didnt do does doesnt doing done dont each ever every for from get got had has hasnt have
havent having he her here hers him his how i if im in into is isnt it its ive just kind kinds know knows let
lets many me more most much my myself no not of off on only or our ours out over please really remember
remind same shall she should shouldnt so some somebody someone something such tell than that thats the their
theirs them then there theres these they theyre thing things this those to too up very was wasnt we were
weve what whats when where wheres which who whom whos whose why will with wont would wouldnt yes you your
youre yours youve
"""
_OTHERS = """
der das ein eine einen dem des und oder ist sind ich du wir ihr mein meine habe nicht wie wann wo wer welche
von im
auf les une et qui que quel quelle quand ou je tu nous vous dans avec cette
el los las una del cual cuando donde quien por
il gli di della nel che sono quando chi
uma os qual quem onde meu minha
de het een ik jij mijn niet wat wanneer waar wie
"""
_SINGLE_CHARACTERS = "的了是我你您他她它们在和也有不吗呢么吧这那什谁哪個个은는이가을를의에도로와과"

STOPWORDS = frozenset((*_ENGLISH.split(), *_OTHERS.split(), *_SINGLE_CHARACTERS))
