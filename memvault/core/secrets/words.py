"""Words that announce a password or a key, and those that follow them in ordinary text."""

from __future__ import annotations

import re

PASSWORDS = (
    *("password", "passwd", "passcode", "passphrase", "pass phrase", "pass code", "pwd", "pw", "passwort", "kennwort"),
    *("zugangscode", "mot de passe", "mdp", "contraseña", "contrasena", "senha", "parola d'ordine", "parola"),
    *("wachtwoord", "lösenord", "adgangskode", "kodeord", "passord", "salasana", "hasło", "haslo", "heslo", "şifre"),
    *("jelszó", "пароль", "паролем", "κωδικός", "كلمة المرور", "كلمة السر", "पासवर्ड", "密码", "密碼", "口令"),
    *(
        "パスワード",
        "暗証番号",
        "비밀번호",
        "암호",
        "unlock code",
        "access code",
        "door code",
        "gate code",
        "alarm code",
    ),
    *("entry code", "safe code", "lock code", "login code", "recovery code", "backup code", "türcode", "pin code"),
)

KEYS = (
    *("api key", "api-key", "api_key", "apikey", "api token", "api-token", "api_token", "secret key", "secret-key"),
    *("secret_key", "secretkey", "access key", "access-key", "access_key", "accesskey", "access token"),
    *("access-token", "access_token", "accesstoken", "auth token", "auth-token", "auth_token", "authtoken"),
    *("client secret", "client-secret", "client_secret", "clientsecret", "refresh token", "refresh_token"),
    *("signing key", "signing_key", "signing secret", "signing_secret", "encryption key", "encryption_key"),
    *(
        "private key",
        "private_key",
        "privatekey",
        "presharedkey",
        "pre-shared key",
        "preshared key",
        "master key",
        "master_key",
        "license key",
        "licence key",
        "session cookie",
    ),
    *("webhook secret", "webhook_secret", "bearer token", "deploy token", "secret", "token", "api-schlüssel"),
    *("clé api", "clave api", "clave de api", "chave de api", "chiave api", "ключ api", "токен", "密钥", "密鑰"),
)

# A password follows one of these: as it is written, or as it is said.
# The wide ones are what Chinese and Japanese keyboards give.
WRITTEN_LINKS = r":=|=>|->|→|[:=：＝]"
SAID_LINKS = (
    r"\b(?:is|was|becomes|lautet|ist|war|est|sera|es|era|è|sarà|é|será|är|var|er|jest|je|it's)\b"
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
authentication login recovery attempts history complexity cracking spray spraying
"""
ABOUT_WORDS = frozenset(_ABOUT.split())

# Words about a password that is not given, and placeholders of code.
_ORDINARY = """
told said shown chosen held built made seen taken broken spoken thrown understood meant kept put left cut shut hit got
gotten stuck sold bought brought caught taught thought felt dealt spent built-in begun sworn worn torn drawn grown
blown a an the in on at by to of for from with not no never only also too very so as if when where which that this
these those it its they you we he she i my your our their his her and or but be been being was were are is has have
had can could may might must shall should will would do does did done required optional needed necessary mandatory
stored saved hidden hashed salted encrypted wrong right correct incorrect invalid valid missing empty blank weak
strong long short secure insecure safe unsafe same different unknown known secret private public shared unique old new
next last first second expired expiring leaked stolen lost forgotten gone set unset unchanged changed reset rotated
sent emailed asked entered typed read written found given used reused generated random important there here inside
outside somewhere elsewhere nowhere below above available visible invisible up down out off over under about none null
nil undefined true false yes str string text char varchar bool boolean int integer number float bytes any object
optional[str] secretstr password passwort kennwort contraseña senha wachtwoord passwd token key keys secrets value
login username email user admin-only required. prompt input field see ask check use try enter type please contact
rotate via per within without until since after before during between more less least most minimum maximum characters
chars digits letters bcrypt scrypt argon2 argon2i argon2id pbkdf2 md5 sha1 sha-1 sha256 sha-256 sha512 sha-512 aes-256
aes256 rsa-2048 oauth2 oauth base64 utf-8 utf8 1password lastpass bitwarden keepass keepassxc vault keychain keyring
env dotenv tbd todo n/a na redacted placeholder example sample default unavailable compromised exposed disabled
enabled active inactive working simple complex difficult hard easy guessable obvious case-sensitive nicht kein keine
immer noch im der die das den dem ein eine auf bei zu sehr gut falsch richtig gespeichert sicher abgelaufen geheim
vergessen hinterlegt nötig erforderlich bekannt unbekannt leer pas un une le la les dans sur chez très requis
obligatoire expiré oublié stocké incorrecta incorrecto obligatoria requerida necesaria en el los las una está guardada
muy não em uma obrigatória nella nel il lo scaduta obbligatoria niet het een de verplicht verlopen opgeslagen не в на
нужен устарел хранится обязателен забыт
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


# False secrets: placeholders, examples out of manuals, code that names a secret.

_FEWEST_CHARACTERS = 5  # different ones; what has fewer is filled in, not made at random

_SAYS_SO = re.compile(
    r"(?i)example|placeholder|redacted|dummy|changeme|change[-_ ]me|replace|insert[-_]|goes[-_]here|your[-_]|"
    r"[-_]here\b|<[^>]{0,60}>|\.\.\.|…|x{5}|\*{3}|•{3}|0{8}|not[-_]a[-_]real|not[-_]real|fake"
)

# Keys that services print in their own manuals.
_PRINTED = frozenset(
    (
        "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
        "sk_test_4eC39HqLyjWDarjtT1zdp7dc",
        "sk_test_BQokikJOvBiI2HlWgH4olfQ2",
        "pk_test_TYooMQauvdEDq54NiTphI7jx",
    )
)

_CODE = re.compile(
    r"[A-Za-z_][\w.]*[(\[]"  # a call, or a look into a table
    r"|[a-z_]\w*(?:\.[a-z_]\w*)+\Z"  # settings.password
    r"|(?:process\.)?env[.\[]|os\.environ"
    r"|[$%@&]\w*[{(]|\$\w+|%[\w]*%\Z|%[sd]\Z|\{\{?|\[|<|\(|\\|//|#\{"
    r"|[a-z][a-z0-9+.-]{1,15}://|/|~/|\./|[A-Z]:\\"
    r"|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z"  # the name of a variable
)
_EMPTY = re.compile(
    r"(?i)[x*.\-_•#0?]+|(?:my|the|your|some|a|new|old|db|user|api|test)?[-_]?"
    r"(?:pass(?:word|wd|phrase)?|passwort|pwd|secret|token|key|api[-_]?key|username|user|login)\d{0,3}"
)


def is_made_up(value: str) -> bool:
    """Return whether a key or token is only an example: it says so, or repeats one character."""
    if _SAYS_SO.search(value) or any(printed in value for printed in _PRINTED):
        return True
    return len(set(value[4:] or value)) < _FEWEST_CHARACTERS


def is_placeholder(value: str) -> bool:
    """Return whether a password is only a placeholder, or code that fetches it from elsewhere."""
    return bool(_SAYS_SO.search(value) or _EMPTY.fullmatch(value) or _CODE.match(value))


def is_real(value: str) -> bool:
    """Return whether a key or token may be a working one."""
    return not is_made_up(value)


def is_random(value: str) -> bool:
    """Return the same as `is_real`, for shapes that a word or a file name may have too."""
    return is_real(value) and any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def is_dense(value: str) -> bool:
    """Return the same as `is_random`, with a long run of letters and digits: names with hyphens have none."""
    return is_random(value) and re.search(r"[A-Za-z0-9_]{14}", value) is not None


def is_strange(value: str) -> bool:
    """Return whether letters, digits and signs are mixed as only in a password."""
    has_sign = re.search(r"[!@#$%^&*+=?~]", value) is not None
    return is_random(value) and is_pass(value) and has_sign


def is_pass(value: str) -> bool:
    """Return whether a password may be a working one."""
    return not is_placeholder(value)
