"""Words that exclude each other: states, opposites and amounts, and the words that deny."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from memvault.text.sentence.terms import TermKind
from memvault.text.sentence.wording import table_rows, word_set
from memvault.text.stem import stem

# A row for each: what stands left of a bar excludes what stands right of it. `!` marks a side that denies by
# itself where the other sentence has no word of the row: "forbidden" is as good as "not allowed".
_STATES = r"""
    enable activate activated active aktiviert aktiv activé activado activada | ! disable deactivate inactive \
        deaktiviert inaktiv désactivé desactivado desactivada
    on encendido encendida | off apagado apagada
    open geöffnet offen ouvert abierto abierta | close closed shut geschlossen fermé cerrado cerrada
    allow permit allowed permissible erlaubt autorisé permitido | ! forbid forbidden prohibit disallow deny block \
        ban verboten interdit prohibido
    start begin launch | stop end finish halt; increase raise rise grow | decrease reduce drop fall shrink
    add | remove delete; install | uninstall; include | ! exclude; connect | disconnect; lock | unlock; mount | unmount
    encrypt | decrypt; upload | download; push | pull; import | export; accept approve | ! reject decline refuse
    pass succeed success | ! fail failure; work | ! broken break broke; valid | invalid
    true wahr vrai verdadero | false falsch faux falso; present available | ! missing absent unavailable
    public öffentlich publique público pública | private privat privé privado privada
    internal intern interne interno | external extern externe externo; local | remote
    manual manually | automatic automatically auto automated
    require required mandatory must erforderlich obligatoire obligatorio | ! optional optionally facultatif opcional
    temporary temporarily | permanent permanently; static | dynamic; mutable | immutable
    synchronous sync | asynchronous async; online | ! offline; stable | unstable; safe | unsafe dangerous
    possible möglich posible | ! impossible unmöglich imposible; able | ! unable; legal | illegal
    visible | hidden invisible; empty | full; buy | sell; win won | lose lost
    like love enjoy mag liebt aime gusta | ! dislike hate hasst déteste odia; prefer use | ! avoid; remember | ! forget
    keep | discard; alive | dead; arrive | depart; join | leave left; subscribe | unsubscribe
    support supported | ! unsupported; paid | unpaid free; inbound incoming ingress | outbound outgoing egress
    input | output; read | write; sender | recipient receiver; tabs tab | spaces space; light | dark; merge | rebase
    coffee kaffee café | tea tee té; weekday | weekend; married | divorced single; vegan | omnivore
    dev | staging | production
    todo pending planned | ongoing started | done finished completed merged | cancelled canceled dropped abandoned
    red | blue | green | yellow | black | white | orange | purple | brown | pink | gray
    mother | father | sister | brother | wife | husband | daughter | son | aunt | uncle | niece | nephew | cousin
    north | south | east | west; morning sunrise dawn | afternoon | evening dusk sunset night
    yesterday gestern hier ayer | today heute hoy | tomorrow morgen demain mañana
    lastweek | thisweek | nextweek | lastmonth | thismonth | nextmonth | lastyear | thisyear | nextyear | \
        lastsprint | thissprint | nextsprint | lastquarter | thisquarter | nextquarter
    must shall | may might; windows | macos | linux; noneed optional | must require mandatory
    fine okay welcome glad | ! mind object complain; alone single | together shared share joint all
    free gratis | charge cost pay fee ticket; darf dürfen | ! untersagt untersagen; cancel | planned; void | hold valid
    attend perform | ! skip omit neglect bypass; off | running run; voluntary | compulsory; starboard | port
    english | german | french | spanish | italian | dutch | portuguese | polish | russian | turkish | latin | greek
    spring | summer | autumn fall | winter; breakfast | lunch | dinner supper
    alone themselves | supervised accompanied; agree consent | ! disagree; trust | ! distrust mistrust
    grant | ! revoke withdraw; solved resolved | ! unsolved unresolved
    known | ! unknown; awake | asleep; vacant | occupied; signed | unsigned
    stateful | stateless; gross | net; wholesale | retail; debit | credit; lend | borrow
    beginner novice | expert; amateur | professional; guilty | innocent; male | female
"""
_OPPOSITES = """
    before vor avant antes | after nach après después; above über | below beneath under unter
    more mehr más | less fewer weniger moins menos; higher höher | lower niedriger; high hoch | low niedrig
    larger bigger greater größer | smaller kleiner; large groß grand grande | small little tiny klein petit pequeño
    faster schneller | slower langsamer; fast quick schnell rapide rápido | slow langsam lent lento
    longer länger | shorter kürzer; long lang | short kurz; wider | narrower; earlier früher | later später
    early früh temprano | late spät tarde; newer neuer | older älter; newest neueste | oldest älteste; highest | lowest
    largest | smallest; fastest | slowest; longest | shortest; earliest | latest
    sweet süß sucré dulce | salty salzig salé salado | sour sauer | bitter; indoors indoor | outdoors outdoor
    upstream | downstream; entrance entry | exit; singular | plural; lender | borrower; employer | employee
    teaspoon | tablespoon | cup; new neu nouveau nouvelle nuevo nueva | old alt ancien ancienne viejo vieja antiguo
    best | worst; better besser mejor | worse schlechter peor
    good well great excellent gut bon bueno | bad badly poor terrible schlecht mauvais malo
    cheap cheaper billig barato | expensive dearer teuer cher caro
    easy simple einfach facile fácil | hard difficult complex schwierig difficile difícil
    hot warm heiß chaud caliente | cold cool kalt froid frío; top | bottom; upper | lower; front | back
    frontend | backend; left links gauche izquierda | right rechts droite derecha; up | down; inside within | outside
    inner | outer; minimum min atleast mindestens | maximum max atmost höchstens; least | most
    ascending asc | descending desc; horizontal horizontally | vertical vertically; positive | negative; odd | even
    same | different; near | far; rich | poor; strong | weak; heavy | lightweight; thick | thin; deep | shallow
    wet | dry; clean | dirty; loud | quiet; single | multiple; partial partially | complete completely fully
    thrilled delighted happy pleased satisfied | unhappy disappointed annoyed angry upset; sunny | cloudy rainy
    fresh | stale dried; raw | cooked boiled; sharp | blunt; smooth | rough; tight | loose; healthy | ill sick
    tidy | messy untidy; friendly | rude hostile; calm | nervous stormy; major | minor
    ahead | behind; forward forwards | backward backwards; majority | minority; generous | stingy; broad | narrow
    clockwise | counterclockwise anticlockwise; next | previous last; eager eagerly | lazy lazily; strict | lenient
"""
_AMOUNTS = r"""
    all every each whole entire alle jeder jede jedes tous toutes todo todos todas | most meist meiste | many \
        several viele mehrere plusieurs muchos | some certain einige manche certains algunos | few wenige peu pocos
    always immer toujours siempre | usually often normally generally typically mostly meistens souvent | sometimes \
        occasionally manchmal parfois | rarely seldom selten rarement
    hourly stündlich | daily täglich quotidien diario | nightly | weekly wöchentlich hebdomadaire semanal | biweekly \
        fortnightly | monthly monatlich mensuel mensual | quarterly | yearly annual annually jährlich annuel anual
    both | either | onlyone; only exclusively solely nur seulement solo | also
"""

DENIALS = word_set(
    "not no never none nobody nothing neither without unless nolonger mustnot non insteadof lack lacks lacking",
    "nicht kein keine keinen keinem keiner keines nie niemals ohne niemand nichts",
    "pas jamais aucun aucune sans rien",
    "nunca jamás sin ningún ninguna ninguno nadie nada tampoco",
    "не нет нельзя никогда без mai senza nessuno niet geen nooit zonder não sem",
)
"""Words that deny what stands behind them."""

# What is derived from a word is not opposed to its opposite: a connection is not disconnected.
_DERIVED = ("ion", "ions", "ment", "ments", "er", "ers", "or", "ors", "ability", "ance")
_INFLECTED = ("es", "en", "er", "em", "e", "s")
_SHORTEST_BASE = 5
_REVERSING = ("un", "in", "im", "ir", "il", "dis", "non", "de", "anti")
_SHORTEST_REVERSED = 4


@dataclass(frozen=True, slots=True)
class OppositeSide:
    """Where a word stands among the opposites: words of one line and another side exclude it."""

    line: str
    side: str
    kind: TermKind
    denies: bool = False


def _build_table() -> dict[str, list[OppositeSide]]:
    found: dict[str, list[OppositeSide]] = {}
    for sort, table in ((TermKind.STATE, _STATES), (TermKind.ANTONYM, _OPPOSITES), (TermKind.QUANTIFIER, _AMOUNTS)):
        for row in table_rows(table):
            for side in row.split("|"):
                listed = side.replace("!", "").split()
                place = OppositeSide(row.split()[0], listed[0], sort, "!" in side)
                for word in listed:
                    found.setdefault(_stem_of(word), []).append(place)
    return found


def _stem_of(word: str) -> str:
    return stem(word) if word.isascii() else word


_PLACES = _build_table()
_LISTED = word_set(*table_rows(_STATES), *table_rows(_OPPOSITES), *table_rows(_AMOUNTS))
_BASES = {word: _PLACES[word] for word in _LISTED if len(word) >= _SHORTEST_BASE and word in _PLACES}


@lru_cache(maxsize=16_384)
def opposite_sides(word: str) -> tuple[OppositeSide, ...]:
    """Return where a lower-case word stands among the opposites, in any of its forms."""
    if word in _LISTED or not word.endswith(_DERIVED):
        found = _PLACES.get(_stem_of(word))
        if found:
            return tuple(found)
    bases = (word.removesuffix(ending) for ending in _INFLECTED if word.endswith(ending))
    return tuple(next((_BASES[base] for base in bases if base in _BASES), ()))


def are_opposed(left: str, right: str) -> bool:
    """Return whether one word is the other with a prefix that reverses it."""
    short, long = sorted((left, right), key=len)
    return len(short) >= _SHORTEST_REVERSED and any(long == prefix + short for prefix in _REVERSING)


# Opposites and denials in scripts without spaces, where a word is told by its characters.

_DENSE_STATES = """
    启用 開啟 开启 有効 | 禁用 关闭 關閉 無効; 允许 允許 可以 許可 허용 | 禁止 不许 금지
    成功 성공 | 失败 失敗 실패; 公开 公開 공개 | 私有 非公開 비공개; 必须 必須 필수 | 可选 可選 任意 선택
    之前 以前 の前 이전 | 之后 之後 以后 以後 の後 이후; 增加 増加 증가 | 减少 減少 감소
    内部 내부 | 外部 외부; 左 | 右; 以上 이상 | 以下 이하; 自动 自動 자동 | 手动 手動 수동
    最大 최대 | 最小 최소; 总是 總是 いつも 항상 | 从不 從不
"""
_DENIALS = ("ません", "なかった", "ない", "なし", "不", "没", "沒", "未", "别", "勿", "非", "않", "없", "못")

# They hold a denial's characters and deny nothing.
_AFFIRMATIONS = word_set(
    "不过 不過 不同 不错 不錯 不但 不仅 不僅 不断 不斷 对不起 差不多 未来 未來 非常 别人 特别 区别",
    "なければならない なければなりません なくてはならない ないといけない かもしれない かもしれません",
)


def dense_sides(run: str) -> dict[str, OppositeSide]:
    """Return the opposites in a run of characters, by the characters of each."""
    return {word: place for word, place in _DENSE_PLACES.items() if word in run}


def dense_denials(run: str) -> list[str]:
    """Return the denials in a run of characters."""
    for word in _AFFIRMATIONS:
        run = run.replace(word, " ")
    found: list[str] = []
    for word in _DENIALS:
        found += [word] * run.count(word)
        run = run.replace(word, " ")
    return found


_DENSE_PLACES = {
    word: OppositeSide(row.split()[0], side.split()[0], TermKind.STATE)
    for row in table_rows(_DENSE_STATES)
    for side in row.split("|")
    for word in side.split()
}
