"""Words that mean the same, words that mean nothing by themselves, and phrases that count as one word."""

from __future__ import annotations

import re
from functools import lru_cache

from memvault.text.stem import stem
from memvault.text.terms import STOPWORDS

# How word tables are written down: words with spaces between them.


def word_set(*lines: str) -> frozenset[str]:
    """Return all words of some lines."""
    return frozenset(word for line in lines for word in line.split())


def table_rows(table: str) -> list[str]:
    """Return the rows of a table: on lines, or between semicolons; a line that ends in a backslash continues."""
    return [row.strip() for row in re.split(r"[;\n]", table.replace("\\\n", " ").strip())]


# Each row: the word that stands for all, then spellings and synonyms that never make a difference. Two texts are
# merged by these, so nothing stands here that is another word in any sentence (app is not always application).
_SAME_WORDS = """
    approximately approx roughly circa; argument arg; arguments args; behavior behaviour; center centre; child kid
    children kids; color colour; colors colours; configuration config; configurations configs; catalog catalogue
    canceled cancelled; database db; databases dbs; dialog dialogue; doctor dr; directory dir folder
    directories dirs folders; environment env; father dad; favorite favourite; favorites favourites; gray grey
    information info; javascript js; kubernetes k8s; labeled labelled; large big; larger bigger; largest biggest
    license licence; mother mom mum; mongodb mongo; neighbor neighbour; neighbors neighbours; okay ok
    organization organisation; organize organise; parameter param; parameters params; postgresql postgres
    production prod; program programme; repository repo; repositories repos; start begin; starts begins
    telephone phone; television tv; traveling travelling; typescript ts; use utilize utilise; uses utilizes utilises
    used utilized utilised; variable var; variables vars; versus vs
"""

_SAME_PHRASES = """
    daily: every day, each day, once a day; hourly: every hour, each hour, once an hour
    weekly: every week, each week, once a week; monthly: every month, each month, once a month
    yearly: every year, each year, once a year, annually; nightly: every night, each night
    atleast: at least, no less than, not less than, no fewer than, not fewer than, at a minimum
    not: keep away from, stay away from, keep off, stay off, keep out of, stay out of, refrain from
    atmost: at most, up to, never more than, no more than, not more than, at the most, at a maximum, at maximum
    onlyone: only one, just one; by: no later than, not later than, at the latest by
    eg: e g, for example, for instance, z b; ie: i e, that is to say; to: in order to; and: as well as
    because: due to, because of, owing to; ensure: make sure; can: is able to, are able to, be able to, am able to
    before: prior to; nolonger: no longer, not anymore, not any longer, no more; notonly: not only
    whether: whether or not; whenever: each time, every time; regardless: no matter
    insteadof: instead of, rather than, anstatt von, plutôt que, en lugar de
    noneed: no need, need not, not need, not have to, not necessary, not required, nicht nötig, pas besoin
    cancel: call off, called off, calls off; valid: hold up, holds up; alone: by herself, by himself, by themselves
    alone: by yourself, on her own, on his own, on their own
    only: nobody but, nobody except, nothing but, none but, no one but, no one except; nobody: no one
    nothing: not anything; must: have to, has to; never: not ever, at no time, under no circumstances
    mustnot: must not, shall not; pr: pull request; prs: pull requests; mr: merge request
    vscode: visual studio code, vs code; aws: amazon web services; gcp: google cloud platform; macos: mac os, os x
    nodejs: node js; usa: united states, u s a; uk: united kingdom; website: web site; timezone: time zone
    filename: file name; username: user name; codebase: code base; database: data base; email: e mail; emails: e mails
    setup: set up; login: log in; backup: back up; online: on line; offline: off line; frontend: front end
    backend: back end; percent: per cent
"""
_PERIODS = ("week", "month", "year", "sprint", "quarter")
_RELATIVE = ("last", "this", "next")

_CONTRACTED = """
    can't: can not; cannot: can not; won't: will not; shan't: shall not; ain't: is not; let's: let us; it's: it is
    that's: that is; there's: there is; what's: what is; he's: he is; she's: she is; who's: who is; dont: do not
    doesnt: does not; didnt: did not; isnt: is not; arent: are not; wasnt: was not; cant: can not
"""
_CONTRACTIONS = {
    word: tuple(meant.split()) for word, _, meant in (row.partition(": ") for row in table_rows(_CONTRACTED))
}
_ENDINGS = (("n't", "not"), ("'re", "are"), ("'m", "am"), ("'ve", "have"), ("'ll", "will"))
_ELIDED = {"l": "le", "d": "de", "n": "ne", "j": "je", "qu": "que", "c": "ce", "s": "se", "m": "me", "t": "te"}

# German die, den, des and French des, du, son and the like are not here: they mean something in other languages.
NEUTRAL_WORDS = word_set(
    "a an the is are am be also really very please just currently actually basically simply quite indeed",
    "der das dem ein eine einen einem einer eines ist sind bitte auch",
    "le la les une sont aussi el los las una también notonly",
)
"""Words that are left out where two sentences are compared word for word."""

REFERRING_WORDS = word_set(
    "it its this that these those he she they him her his them their then such but however so thus therefore hence",
    "instead otherwise afterwards later next first finally same likewise er sie es dies diese dieser dann danach aber",
    "il elle ils elles cela ceci ensuite puis él ella ellos ello esto eso luego pero",
)
"""What a sentence begins with that cannot be understood without the one before it."""

# One word for many where it is asked whether two texts might say the same; too loose to merge by.
_LOOSE_WORDS = """
    prefer like love favor enjoy want wish fond; use employ via with
    need require must necessary mandatory requirement; fix repair resolve solve patch
    error bug failure issue problem defect fault; make create build generate produce construct; remove delete erase
    check verify validate confirm ensure; begin start launch commence; end finish complete conclude done
    show display present render; change modify alter adjust; fast quick rapid speedy; large huge; task job
    meet meeting appointment; reply answer respond response; keep retain store save preserve; live reside
    car vehicle automobile; lead head manage; decide agree choose select pick chosen decision
    ship release rollout publish; allow permit let; concise short brief terse; say tell state mention
    explain describe; user i me my mine myself; talk discuss speak conversation; happen occur; write author compose
    run execute; log record; call name; team group crew; company firm; setting option preference; application app
    document documentation doc; specification spec; daily day; nightly night; weekly week; monthly month
    yearly year annual annually
"""
_COMMON = word_set("user prefer use need make keep get have go want work project note remember thing do new time way")


def _build_phrases() -> dict[str, tuple[tuple[tuple[str, ...], str], ...]]:
    lines = [
        *table_rows(_SAME_PHRASES),
        *(f"{which}{period}: {which} {period}" for period in _PERIODS for which in _RELATIVE),
    ]
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for line in lines:
        meaning, _, spelled = line.partition(": ")
        for phrase in spelled.split(", "):
            first, *rest = phrase.split()
            found.setdefault(first, []).append(((first, *rest), meaning))
    return {first: tuple(sorted(known, key=lambda row: -len(row[0]))) for first, known in found.items()}


PHRASES = _build_phrases()
"""By their first word: the phrases that begin with it, longest first, each with the word it counts as."""

_SAME = {word: row.split()[0] for row in table_rows(_SAME_WORDS) for word in row.split()}
_LOOSE = {stem(word): stem(row.split()[0]) for row in table_rows(_LOOSE_WORDS) for word in row.split()}

GENERIC = frozenset(_LOOSE.get(stem(word), stem(word)) for word in _COMMON)
"""Stems that are said in so many memories that sharing them tells little."""


def expand_contraction(word: str) -> tuple[str, ...]:
    """Return the words that a contraction or elision stands for, or the word without a genitive."""
    lower = word.casefold()
    if "'" not in lower:
        return _CONTRACTIONS.get(lower) or (lower,)
    if lower in _CONTRACTIONS:
        return _CONTRACTIONS[lower]
    for ending, meaning in _ENDINGS:
        if lower.endswith(ending) and len(lower) > len(ending):
            return (lower.removesuffix(ending), meaning)
    head, _, rest = lower.partition("'")
    return (_ELIDED[head], rest) if head in _ELIDED and len(rest) > 1 else (lower.removesuffix("'s"),)


def canonical_word(word: str) -> str:
    """Return the one spelling that stands for a lower-case word in all its harmless variants."""
    return _SAME.get(word, word)


@lru_cache(maxsize=16_384)
def loose_stem(word: str) -> str:
    """Return the stem that stands for a word and its near synonyms; empty for a word that means little."""
    if word in STOPWORDS and word not in ("i", "my"):
        return ""
    root = stem(word)
    return _LOOSE.get(root, root)


# A row is one word in its irregular forms.
_FORMS = """
    be am is are was were been being; have has had having; do does did done doing; go goes went gone going; come came
    take took taken; give gave given; get got gotten getting; make made; say said; see saw seen; know knew known
    think thought; find found; tell told; begin began begun beginning; bring brought; buy bought; hold held
    write wrote written; stand stood; hear heard; mean meant; meet met; pay paid; sit sat; speak spoke spoken
    lie lay lain; lead led; grow grew grown; lose lost; send sent; build built; fall fell fallen; spend spent
    drive drove driven; eat ate eaten; drink drank drunk; break broke broken; choose chose chosen; catch caught
    sell sold; teach taught; wear wore worn; win won; run ran running; sleep slept; sing sang sung; swim swam swum
    fly flew flown; freeze froze frozen; shoot shot; feed fed; feel felt; fight fought; forget forgot forgotten
    hang hung; hide hid hidden; ride rode ridden; ring rang rung; rise rose risen; shake shook shaken; show shown
    sink sank sunk; steal stole stolen; throw threw thrown; wake woke woken; bend bent; bind bound; burn burnt
    lend lent; dig dug; draw drew drawn; shear shorn; sow sown; learn learnt; tear tore torn; keep kept
    mettre mis mise; prendre pris; faire fait; fermer ferme fermé; ouvrir ouvert; changer change changé changée
    payer paye payé payée; écrire écrit; liegen liegt lag; stehen steht stand; kommen kommt; nehmen nimmt nahm
    geben gibt gab; laufen läuft lief; essen isst; fahren fährt fuhr; tragen trägt; gehen geht ging
    cerrar cierra cerrado; abrir abre abierto; tener tiene tuvo; hacer hace hecho; pagar paga pagado; poner pone puesto
"""

_BASES = {form: row.split()[0] for row in table_rows(_FORMS) for form in row.split()}


@lru_cache(maxsize=16_384)
def base_form(word: str) -> str:
    """Return the stem of a lower-case word, of an irregular form that of its base."""
    word = canonical_word(word)
    return stem(_BASES.get(word, word))
