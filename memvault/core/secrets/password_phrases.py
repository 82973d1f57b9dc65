"""Passwords, keys and tokens that a text names: in code, in settings, and in prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, pairwise

from memvault.core.secrets.real_values import (
    is_date,
    is_dense,
    is_pass,
    is_placeholder,
    is_random,
)

_PASSWORD_NAMES = """
password / passwd / passcode / passphrase / pass phrase / pass code / pwd / pw / passwort / kennwort / zugangscode /
mot de passe / mdp / contraseña / contrasena / senha / parola d'ordine / parola / wachtwoord / lösenord /
adgangskode / kodeord / passord / salasana / hasło / haslo / heslo / şifre / jelszó / пароль / паролем / κωδικός /
كلمة المرور / كلمة السر / पासवर्ड / 密码 / 密碼 / 口令 / パスワード / 暗証番号 / 비밀번호 / 암호 / unlock code /
access code / door code /
gate code / alarm code / entry code / safe code / lock code / login code / recovery code / backup code / türcode /
pin code / psk / palavra-passe / palavra passe / clave de acceso / código de acceso / code d'accès / code d’accès /
codice di accesso / código da porta / toegangscode / wlan-schlüssel / netzwerkschlüssel / wlan key / wifi key /
wi-fi key / network key / clé wifi / dørkode / portkod / kod do drzwi
"""
PASSWORDS = tuple(map(str.strip, _PASSWORD_NAMES.split("/")))

_KEY_NAMES = """
api key / api-key / api_key / apikey / api token / api-token / api_token / secret key / secret-key / secret_key /
secretkey / access key / access-key / access_key / accesskey / access token / access-token / access_token /
accesstoken / auth token / auth-token / auth_token / authtoken / client secret / client-secret / client_secret /
clientsecret / refresh token / refresh_token / signing key / signing_key / signing secret / signing_secret /
encryption key / encryption_key / private key / private_key / privatekey / presharedkey / pre-shared key /
preshared key / master key / master_key / license key / licence key / session cookie / webhook secret /
webhook_secret / bearer token / deploy token / secret / token / api-schlüssel / clé api / clave api / clave de api /
clave / clé / chiave / chave / schlüssel / session id / session_id / sessionid / chave de api / chiave api /
ключ api / токен / 密钥 / 密鑰
"""
KEYS = tuple(map(str.strip, _KEY_NAMES.split("/")))

# A password follows one of these: as it is written, or as it is said.
# The wide ones are what Chinese and Japanese keyboards give.
WRITTEN_LINKS = r":=|=>|(?<!\) )->|→|[:=：＝]|>(?=\w)"
SAID_LINKS = (
    r"\b(?:is|was|becomes|lautet|ist|war|est|sera|es|era|è|sarà|é|será|är|var|er|jest|je|it's|hei(?:ß|ss)t|pone|reads)\b"
    r"|['’]s(?=\s*[\"'“`])"
    r"|это|是|为|為|は|이|는|—|–"
)
FILLER_WORDS = (
    r"(?:now|still|currently|simply|just|always|set to|changed to|jetzt|nun|noch|immer noch|maintenant|ahora|ora|agora)"
)

# Words right behind the name that speak about passwords without giving one.
_ABOUT = """
hash hashes hashed hashing policy policies length manager managers reset resets strength minimum rotation expiry
expiration field fields prompt page form forms requirement requirements requires algorithm protected protection store
storage vault vaults generator change changes changed check checks checker validation validator rules rule scanning
scanner scan rotates management id ids name names count counts counter budget limit limits estimate fingerprint type
types format formats usage bucket buckets window endpoint url file files path sharing encryption handling ring santa
service server provider exchange refresh lifetime ttl validity value column columns input inputs parameter variable
regex pattern authentication login recovery attempts history complexity cracking spray spraying
"""
ABOUT_WORDS = frozenset(_ABOUT.split())

# Words about a password that is not given, and placeholders of code.
_ORDINARY = """
told said shown chosen held built made seen taken broken spoken thrown understood meant kept put left cut shut hit got
gotten stuck sold bought brought caught taught thought felt dealt spent built-in begun sworn worn torn drawn grown
blown a an the in on at by to of for from with not no never only also too very so as if when where which that this
these those it its they you we he she i my your our their his her and or but be been being was were are is has have had
can could may might must shall should will would do does did done required optional needed necessary mandatory stored
saved hidden hashed salted encrypted wrong right correct incorrect invalid valid missing empty blank weak strong long
short secure insecure safe unsafe same different unknown known secret private public shared unique old new next last
first second expired expiring leaked stolen lost forgotten gone set unset unchanged changed reset rotated sent emailed
asked entered typed read written found given used reused generated random important there here inside outside somewhere
elsewhere nowhere below above available visible invisible up down out off over under about none null nil undefined true
false yes str string text char varchar bool boolean int integer number float bytes any object optional[str] secretstr
password passwort kennwort contraseña senha wachtwoord passwd token key keys secrets value login username email user
admin-only required. prompt input field see ask check use try enter type please contact rotate via per within without
until since after before during between more less least most minimum maximum characters chars digits letters bcrypt
scrypt argon2 argon2i argon2id pbkdf2 md5 sha1 sha-1 sha256 sha-256 sha512 sha-512 aes-256 aes256 rsa-2048 oauth2 oauth
base64 utf-8 utf8 1password lastpass bitwarden keepass keepassxc vault keychain keyring env dotenv tbd todo n/a na
fixme sops redacted placeholder example sample default unavailable compromised exposed disabled enabled active inactive
working simple complex difficult hard easy guessable obvious case-sensitive nicht kein keine immer noch im der die das
den dem ein eine auf bei zu sehr gut falsch richtig gespeichert sicher abgelaufen geheim vergessen hinterlegt nötig
erforderlich bekannt unbekannt leer pas un une le la les dans sur chez très requis obligatoire expiré oublié stocké
incorrecta incorrecto obligatoria requerida necesaria en el los las una está guardada muy não em uma obrigatória nella
nel il lo scaduta obbligatoria niet het een de verplicht verlopen opgeslagen не в на нужен устарел хранится обязателен
забыт always free gratis gratuit fragen erfragen demander voir pedir preguntar consultar chiedere falar perguntar vragen
vraag
"""
ORDINARY_WORDS = frozenset(_ORDINARY.split())
_UNITS = "characters chars character letters digits bits bytes days weeks months years hours minutes times zeichen"
UNITS = frozenset(_UNITS.split())

# Words that turn "X is ... password" into a remark about passwords.
_UNTRUE = """
not no never longer wrong common typical worst weakest bad terrible poor weak kein keine nicht falsche falsches pas
mauvais incorrecta mala peor
"""
UNTRUE_WORDS = frozenset(_UNTRUE.split())


Span = tuple[str, int, int]  # the sort of a secret, and where it stands

_REACH = 80  # characters from the name of a password to the word behind which it stands
_LONGEST = 100
_MOST_LINKS = 4
_LEAST_KEY = 12
_SURE = 5  # a name so long may stand behind other letters: wifipassword
_LEAST_PASSWORD = 4
_LEAST_BEHIND = 7

_BEGUN_CODE = re.compile(r"[{]|\w[(\[]|[\"'],[ \t]")
_THING = re.compile(  # db-credentials-v2
    r"(?:[a-z]+[-_.]){0,4}(?:cred(?:ential)?|secret|key|token|cert)s?(?:[-_.]v?[a-z0-9]{1,8}){0,3}"
)
_BRACES = re.compile("[{}()]")  # code, and no key
_LINK = re.compile(
    rf"(?P<written>{WRITTEN_LINKS})|(?P<listed>(?<=[\"']),(?=[ \t]{{0,2}}[\"']))"
    rf"|(?P<said>{SAID_LINKS})|(?P<to>\b(?:to|auf|para|en|naar)\b)",
    re.IGNORECASE,
)
_VALUE = re.compile(
    rf"[ \t]{{0,4}}(?:{FILLER_WORDS}[ \t]{{1,3}}){{0,2}}(?:\r?\n[ \t]{{0,8}})?"
    r"(?:[bru]{0,2}(?P<open>[\"'`“”«»„‘’「]|\*\*|__)(?P<quoted>[^\n]{3,100}?)(?:[\"'`“”«»‘’」]|\*\*|__)"
    rf"|(?P<bare>[^\s\"'`“”«»<>|，。、「」]{{3,{_LONGEST}}}))",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"[ \t]*(?:[.,;!?)\]。，]|$|\r?\n|(?:and|but|for|und|aber|et|y|e|en|или|и|now|today|yesterday|jetzt|heute|gestern|"
    r"hoje|ontem|hoy|ayer|oggi|ieri|hier)\b|\()",
    re.IGNORECASE,
)
_MARK = re.compile(r"\[redacted: [^\]\n]{1,60}\]")  # our own mark
_NEXT_SETTING = re.compile(r"[;&,](?=[\w.%-]{1,40}=)")
_CLAUSE_END = re.compile(r"[\n;!。]|\?(?!\s{1,3}(?:it|that)['’]s )|\.(?=\s|$)")
_JOINED_WORDS = re.compile("(?:[a-z]{3,}-){2,}[a-z]{3,}")  # three words, as people choose them
_QUALITY = re.compile(r"(?:ed|ing|able|ible|ory|ary|ful|less|ive|ous|ant|ent|ly)\Z", re.IGNORECASE)
HOST = re.compile(r"(?:[\w.+-]+@)?[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,10}(?:/\S*)?\Z", re.IGNORECASE)
_DIGITS_BEHIND = re.compile(r"[ \t]{1,2}(\d{4,8}[#*]?)(?![\w:/-]|[.,]\d)")
_OF_ANOTHER = re.compile(r"[\s,(\"'][^=:]*\w$")
_FORMER = re.compile(
    r"(?i)[^\n.;]{0,30}?\b(?:from|von|de|du|da|van)[ \t][\"'`]?([^\s\"'`]{4,100})[\"'`]?[ \t]\w{1,4}[ \t][\"'`]?\Z"
)
_WORDS = re.compile(r"[ \t]{0,3}((?:[a-z]{3,12}[ -]){2,7}[a-z]{3,12})[ \t]*(?=[.,;!?)]?\s*(?:\n|$))")


def find_named_passwords(text: str, lowered: str) -> Iterator[Span]:
    """Yield each value that follows the name of a password, a key or a token, or that the name follows."""
    if names := find_names(lowered):
        yield from _find_ahead(text, lowered, names)
        if "[redacted: " in text:
            text, lowered = (_MARK.sub(lambda mark: " " * len(mark[0]), each) for each in (text, lowered))
            names = find_names(lowered)
        for (_, after, is_key), (following, _, _) in pairwise([*names, (len(text), len(text), False)]):
            span = _find_value(text, after, min(following, after + _REACH), is_key=is_key)
            if span:
                yield ("key or token" if is_key else "password"), *span
                if not is_key and (former := _FORMER.match(text, after, span[0])) and is_random(former[1]):
                    yield "password", *former.span(1)


def find_names(lowered: str) -> list[tuple[int, int, bool]]:
    """Return where names of secrets stand; of overlapping names the longest."""
    found = [
        (start, -len(word), is_key)
        for words, is_key in ((PASSWORDS, False), (KEYS, True))
        for word in words
        if word in lowered  # hardly ever, and asked of every text
        for start in _find_all(lowered, word)
    ]
    apart: list[tuple[int, int, bool]] = []
    for start, length, is_key in sorted(found):
        end = start - length
        rest, before = lowered[end : end + 2].removeprefix("s"), lowered[start - 1 : start]
        # Only part of a longer word, such as `tokenizer`, or the example in an address.
        is_inside = end - start < _SURE and before.isalnum() and before.isascii()
        is_part = is_inside or lowered[end : end + 1] == "@" or (rest[:1].isascii() and rest[:1].isalpha())
        if (not apart or start >= apart[-1][1]) and not is_part:
            apart.append((start, end, is_key))
    return apart


def _find_all(lowered: str, word: str) -> Iterator[int]:
    at = lowered.find(word)
    while at >= 0:
        yield at
        at = lowered.find(word, at + len(word))


def _find_value(text: str, after: int, until: int, *, is_key: bool) -> tuple[int, int] | None:
    """Return where the value of a name stands, if it comes before the clause ends or the next name begins."""
    reach = text[after:until]
    end = _CLAUSE_END.search(reach)
    reach = reach[: end.start()] if end else reach
    inside = text[max(0, after - _REACH) : after].rpartition("{{")
    if reach[:1] == "}" or (inside[1] and "}}" not in inside[2]):
        return None  # the name of a variable in its braces, or the code of a template
    about = re.match(r"s?[ _-]?([a-z]+(?:[_-][a-z]+)*)", reach, re.IGNORECASE)
    if about and not ABOUT_WORDS.isdisjoint(re.split("[_-]", about[1].lower())):
        return None
    links = [link for link in islice(_LINK.finditer(reach), _MOST_LINKS) if not _is_of_another(reach, link)]
    for link in links:
        value = _VALUE.match(text, after + link.end())
        is_phrase = text[max(0, after - 6) : after].lower() == "phrase"
        if value and (span := _secret_span(text, value, str(link.lastgroup), is_key=is_key, is_phrase=is_phrase)):
            return span
        if link.lastgroup == "written" and not reach[: link.start()].strip(" \"'`*_"):
            return None  # a written value stands right there, whatever comes later
    if (digits := _DIGITS_BEHIND.match(text, after)) and text[max(0, after - 4) : after].lower().endswith(
        ("code", "kod", "kode")
    ):
        return digits.span(1)
    value = _VALUE.match(text, after)
    if value and value["quoted"] and not is_key and _is_chosen(value["quoted"]):
        return value.span("quoted")
    candidate = value["bare"].rstrip(".,;:)]}") if value and value["bare"] else ""
    if value is None or not text[after : after + 1].isspace() or is_ordinary(candidate) or HOST.match(candidate):
        return None
    fits = (
        is_key_like(candidate) and is_dense(candidate)
        if is_key
        else len(candidate) >= _LEAST_BEHIND and _count_classes(candidate) > 2
    )
    return (value.start("bare"), value.start("bare") + len(candidate)) if fits else None


def _is_of_another(reach: str, link: re.Match[str]) -> bool:
    """Return whether what stands before a link is another name, in code: `password, name="…"`."""
    between = reach[: link.start()]
    return _BEGUN_CODE.search(between) is not None or (link[0] == "=" and _OF_ANOTHER.search(between) is not None)


def _is_chosen(quoted: str) -> bool:
    """Return whether a text in quotes right behind the name of a password is one, and no label of a field."""
    words = [] if quoted[:1].isspace() else quoted.split()
    plain = len(words) > 2 and all(word.isalpha() and word.islower() and not is_ordinary(word) for word in words)
    return plain or (len(words) == 1 and is_random(quoted) and not is_ordinary(quoted))


def _secret_span(
    text: str, value: re.Match[str], link: str, *, is_key: bool, is_phrase: bool
) -> tuple[int, int] | None:
    if value["quoted"] is not None:
        candidate = value["quoted"]
        if link == "listed" and not (is_random(candidate) and is_pass(candidate)):
            return None  # the next of some words
        return value.span("quoted") if (is_key_like(candidate) if is_key else is_quoted_password(candidate)) else None
    candidate, start = value["bare"], value.start("bare")
    if link == "written":  # settings written one behind the other: a=1;b=2 or a=1&b=2
        candidate = _NEXT_SETTING.split(candidate, maxsplit=1)[0]
    candidate = candidate.partition("\\n")[0].rstrip(".,;:)]}。")
    end = start + len(candidate)
    if is_key:
        return (start, end) if is_key_like(candidate) and link != "to" else None
    if (phrase := _WORDS.match(text, start)) and (link == "written" or (is_phrase and link == "said")):
        words = re.split("[ -]", phrase[1])
        if sum(map(is_ordinary, words)) <= (link == "written" or len(words) >= _SURE) and not any(
            map(_QUALITY.search, words[-1:])
        ):
            return phrase.span(1)
    return (start, end) if _is_password(candidate, text[end : end + 24], link) else None


def is_key_like(candidate: str) -> bool:
    """Return whether a value is built as keys and tokens are."""
    if "/" in candidate and not is_dense(candidate):
        return False  # the name of a file or of a repository
    return (
        len(candidate) >= _LEAST_KEY
        and " " not in candidate
        and is_random(candidate)
        and not _BRACES.search(candidate)
        and not _THING.fullmatch(candidate)
        and not is_ordinary(candidate)
    )


def is_quoted_password(candidate: str) -> bool:
    """Return whether a quoted text may be a password."""
    is_cut = candidate[:1] in " \t\"'"  # the quote before it ends another text
    return (
        not is_cut and len(candidate.split()) <= 8 and not is_ordinary(candidate) and any(map(str.isalnum, candidate))
    )


def _is_password(candidate: str, follows: str, link: str) -> bool:
    if len(candidate) < _LEAST_PASSWORD or is_ordinary(candidate):
        return False
    if candidate.isdecimal():
        unit = re.match(r"[ -]?([^\W\d]+)", follows)
        return link != "to" and not (unit and unit[1].lower() in UNITS)
    if link != "written" and HOST.match(candidate):
        return False
    ends = _ENDS.match(follows) is not None
    if link == "to":
        return ends and _count_classes(candidate) > 2
    if is_strong(candidate):
        return True
    # A word like any other: only where nothing else is said, and it is no quality of the password.
    if not ends or _JOINED_WORDS.fullmatch(candidate):
        return ends
    return candidate.isalpha() and candidate.isascii() and (link == "written" or not _QUALITY.search(candidate))


def is_strong(candidate: str) -> bool:
    """Return whether a value is built as no word of a language is."""
    return _count_classes(candidate) > 1 and re.fullmatch(r"[A-Z]?[a-zà-ÿ]+(?:[-/'’][A-Za-zà-ÿ]+)*", candidate) is None


def _count_classes(candidate: str) -> int:
    """Count the sorts of characters in a value: lower case, upper case, digits, signs."""
    sorts = (str.islower, str.isupper, str.isdigit, lambda char: char in "!@#$%^&*+=?~_-")
    return sum(any(map(is_one, candidate)) for is_one in sorts)


def is_ordinary(candidate: str) -> bool:
    """Return whether a value is a word said of passwords, or only a placeholder."""
    return candidate.lower() in ORDINARY_WORDS or is_placeholder(candidate) or is_date(candidate)


# Passwords, keys and secret numbers that come before their name: "hunter2 is the password".

_AHEAD_REACH = 160  # characters before the name
_FEWEST, _MOST = 4, 100
_DIGITS = range(4, 9)

_AHEAD_VALUE = (
    r"(?:(?<!\w)(?P<open>[\"'`“„«])(?P<quoted>[^\n\"'`“”„«»]{3,100})[\"'`“”»]"
    r"|(?<![^\s(:,])(?P<bare>[^\s\"'`“”«»<>|，。]{4,100}))"
)
_WHOSE = (
    r"(?:the|my|our|your|their|his|her|its|das|die|der|mein|meine|unser|unsere|dein|euer|la|el|mi|tu|su|nuestra|le|mon|"
    r"ma|ton|votre|notre|il|lo|a|o)"
)
_GAP = r"[ \t]{1,3}"
# Up to three words may stand between: the new wifi password.
_OF_SORT = rf"(?P<sort>(?:[\w'-]{{2,20}}{_GAP}){{0,3}})\Z"
_IS = re.compile(
    rf"{_AHEAD_VALUE}{_GAP}(?:is|was|ist|war|es|era|est|è){_GAP}(?:now |still |jetzt |ahora )?{_WHOSE}{_GAP}{_OF_SORT}",
    re.I,
)
_AS = re.compile(rf"{_AHEAD_VALUE}{_GAP}(?:as|als|como|comme|de){_GAP}(?:{_WHOSE}{_GAP}|an?{_GAP})?{_OF_SORT}", re.I)
_JOINED = (
    " is ",
    " was ",
    " ist ",
    " war ",
    " es ",
    " era ",
    " est ",
    " è ",
    " as ",
    " als ",
    " como ",
    " comme ",
    " de ",
)
_TAKEN = re.compile(
    r"\b(?:use|take|set|put|pick|nimm|nehmen|usa|uso|utilise|mets|pon|puse)[ \t]{1,3}[\"'`“„«]?\Z", re.IGNORECASE
)
_WORD_OF_ANY = re.compile(r"[^\W\d_]{6,40}")
# The sentence may end behind the name; other words make it another thing: password policy, hash, manager.
_AHEAD_ENDS = re.compile(
    r"s?[ \t]*(?:[.,;:!?)\]\"'`。]|$|\r?\n|[-–—] |(?:for|of|to|on|in|at|from|and|but|until|since|now|here|there|when|"
    r"if|today|yesterday|again|everywhere|instead|von|für|fürs|zum|zur|im|auf|und|aber|seit|del|de|para|en|y|desde|du|des|"
    r"pour|dans|et|depuis|sur)\b)",
    re.I,
)


def _find_ahead(text: str, lowered: str, names: list[tuple[int, int, bool]]) -> Iterator[Span]:
    for start, end, is_key in names:
        ahead = lowered[max(0, start - _AHEAD_REACH) : start]
        if any(word in ahead for word in _JOINED) and _AHEAD_ENDS.match(text, end):
            span = _find_value_ahead(text, max(0, start - _AHEAD_REACH), start, is_key=is_key)
            if span:
                yield ("key or token" if is_key else "password"), *span


def _find_value_ahead(text: str, begin: int, end: int, *, is_key: bool) -> tuple[int, int] | None:
    for pattern in (_IS, _AS):
        found = pattern.search(text, begin, end)
        if found is not None and found.start() == begin > 0 and not text[begin - 1].isspace():
            continue  # the value must begin at a whole word
        if found is None or not UNTRUE_WORDS.isdisjoint(found["sort"].lower().split()):
            continue
        group = "quoted" if found["quoted"] is not None else "bare"
        if (
            pattern is _AS
            and not is_key
            and _TAKEN.search(text, begin, found.start())
            and _is_chosen_word(found[group])
        ):
            return found.span(group)
        if _is_secret_value(found[group], is_quoted=group == "quoted", is_key=is_key, is_said=pattern is _IS):
            return found.span(group)
    return None


def _is_chosen_word(candidate: str) -> bool:
    """Return whether a plain word that is to be used as a password can be one."""
    return _WORD_OF_ANY.fullmatch(candidate) is not None and not is_ordinary(candidate)


def _is_secret_value(candidate: str, *, is_quoted: bool, is_key: bool, is_said: bool) -> bool:
    if is_key:
        return is_key_like(candidate)
    if is_quoted:
        return is_quoted_password(candidate)
    if not _FEWEST <= len(candidate) <= _MOST or is_ordinary(candidate) or HOST.match(candidate):
        return False
    return is_said and len(candidate) in _DIGITS if candidate.isdecimal() else is_strong(candidate)
