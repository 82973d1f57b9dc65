"""Find the secrets in a text, and redact them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memvault.core.secrets.codes import find_authenticator_seeds, find_lock_codes, find_pins, find_recovery_codes
from memvault.core.secrets.neighborhood import (
    find_beside_cues,
    find_in_answers,
    find_in_columns,
    find_strong_words,
)
from memvault.core.secrets.password_phrases import Span, find_named_passwords
from memvault.core.secrets.personal_numbers import find_cards, find_personal_numbers
from memvault.core.secrets.real_values import (
    is_dense,
    is_entropic,
    is_pass,
    is_placeholder,
    is_random,
    is_real,
    is_strange,
)
from memvault.text.characters import compile_pattern


@dataclass(frozen=True, slots=True)
class SecretPattern:
    """One row: the sort, hints that every such text has (in lower case), the pattern, a last check.

    A pattern begins where a run of its own characters begins and repeats nothing without a bound that
    another start could repeat again, so that no text takes long.
    """

    sort: str
    hints: tuple[str, ...]
    pattern: str
    is_real: Callable[[str], bool] = is_real
    spaced: bool = False  # there may be white space in it, or it may be short: its hints are looked for everywhere


_A = r"(?<![A-Za-z0-9])"  # nothing of the sort before it
_W = r"(?<![\w-])"
_E = r"(?![A-Za-z0-9])"

# Prefixes that a service puts before its tokens, where the prefix is enough.
_SERVICES: tuple[tuple[str, str, str], ...] = (
    ("DigitalOcean token", "do", r"[opr]_v1_[0-9a-f]{60,70}"),
    ("Databricks token", "dapi", r"[0-9a-f]{32}(?:-\d)?"),
    ("Shopify token", "shp", r"(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}"),
    ("Square token", "sq0", r"[a-z]{3}-[\w-]{22,43}"),
    ("HashiCorp Vault token", "hv", r"[sbr]\.[\w-]{24,200}"),
    ("Doppler token", "dp", r"\.(?:pt|st|ct|sa)\.[\w.]{30,80}"),
    ("Linear key", "lin_", r"(?:api|oauth)_[A-Za-z0-9]{32,64}"),
    ("Notion token", "ntn_", r"[A-Za-z0-9]{40,60}"),
    ("Grafana token", "gl", r"(?:sa|c)_[\w+/=-]{32,200}"),
    ("Groq key", "gsk_", r"[A-Za-z0-9]{40,70}"),
    ("xAI key", "xai-", r"[A-Za-z0-9]{60,100}"),
    ("Replicate token", "r8_", r"[A-Za-z0-9]{30,50}"),
    ("Perplexity key", "pplx-", r"[A-Za-z0-9]{40,70}"),
    ("New Relic key", "NRAK-", r"[A-Z0-9]{27}"),
    ("Sentry token", "sntry", r"[su]_[\w+/=]{40,300}"),
    ("Postman key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    ("Tailscale key", "tskey-", r"[a-z]{2,10}-[\w-]{20,100}"),
    ("Supabase token", "sb", r"(?:p|_secret)_[\w-]{20,60}"),
    ("Atlassian token", "ATATT3", r"[\w=-]{40,250}"),
    ("Docker token", "dckr_", r"(?:pat|oat)_[\w-]{24,60}"),
    ("RubyGems key", "rubygems_", r"[0-9a-f]{48}"),
    ("PlanetScale token", "pscale_", r"(?:tkn|pw|oauth)_[\w.-]{30,70}"),
    ("Figma token", "fig", r"[dou]_[\w-]{30,60}"),
    ("Airtable token", "pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
)

# What services count under a prefix like that of a token, and anybody may know.
_THINGS = (
    "asst|batch|call|card|chat|chatcmpl|chunk|cus|doc|dpl|event|evt|file|img|inv|item|job|link|mem|message|msg|node|obj|"
    "order|org|page|pi|pk|pm|post|price|prj|prod|proj|project|req|request|resp|run|sess|session|snap|step|sub|task|team|"
    "thread|toolu|trace|tx|txn|user|usr|vid|vs"
)

# A table: a row takes no more lines than it needs.
# fmt: off
SECRET_PATTERNS: tuple[SecretPattern, ...] = (
    SecretPattern("private key", ("private key", "private-lines"),
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----))*(?:-----END [A-Z0-9 ]{0,60}-----)?"
        r"|Private-Lines: \d{1,3}\s+[\w+/=\s]{40,4000}",
        lambda value: re.search(r"[A-Za-z0-9+/]{24}", value) is not None and is_real(value[:400]), spaced=True),
    SecretPattern("age secret key", ("age-secret-key-1",), _A + r"(?i:AGE-SECRET-KEY-1[A-Z0-9]{50,60})" + _E),
    SecretPattern("AWS access key", ("akia", "asia", "abia", "acca"), _A + r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}" + _E),
    SecretPattern("AWS secret key", ("aws",),
        r"(?i:aws)[\w .\"']{0,40}(?i:secret|sk)[\w .\"']{0,24}[\s:=\"'>]{1,8}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        is_random, spaced=True),
    SecretPattern("GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), _A + r"gh[opsur]_[A-Za-z0-9]{30,255}" + _E),
    SecretPattern("GitHub token", ("github_pat_",), _A + r"github_pat_\w{22,255}"),
    SecretPattern("GitLab token", ("gl",), _A + r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat)-[\w.-]{20,100}", is_random),
    SecretPattern("Anthropic key", ("sk-ant-",), _W + r"sk-ant-[\w-]{20,200}"),
    SecretPattern("OpenAI key", ("sk-",), _W + r"sk-(?:proj-|svcacct-|admin-|None-|or-v1-)?[\w-]{20,250}", is_dense),
    SecretPattern("Google API key", ("aiza",), _A + r"AIza[\w-]{30,40}", is_random),
    SecretPattern("Google OAuth secret", ("gocspx-", "ya29."), _A + r"(?:GOCSPX-[\w-]{24,40}|ya29\.[\w-]{20,400})"),
    SecretPattern("Slack token", ("xox", "xapp-"), _A + r"(?:(?:xoxe\.)?xox[abceoprs]|xapp)-[\w-]{10,250}", is_random),
    SecretPattern("webhook address", ("hooks.slack.com", "/api/webhooks/", "webhook.office.com"),
        r"https://(?:hooks\.slack\.com/(?:services|workflows)/[\w/+-]{20,100}"
        r"|(?:\w{1,10}\.)?discord(?:app)?\.com/api/webhooks/\d{8,25}/[\w-]{40,100}"
        r"|[\w.-]{1,60}\.?webhook\.office\.com/webhookb2/[\w@/-]{40,250})"),
    SecretPattern("Stripe key", ("k_live_", "k_test_", "whsec_"),
        _A + r"(?:[rs]k_(?:live|test)_[A-Za-z0-9]{10,200}|whsec_[\w+/=-]{24,80})"),
    SecretPattern("JSON web token", ("eyj",), _W + r"eyJ[\w-]{8,4000}\.eyJ[\w-]{8,8000}\.[\w-]{16,2000}"),
    SecretPattern("npm token", ("npm_",), _A + r"npm_[A-Za-z0-9]{36}" + _E),
    SecretPattern("PyPI token", ("pypi-",), _W + r"pypi-[\w-]{50,400}"),
    SecretPattern("SendGrid key", ("sg.",), _A + r"SG\.[\w-]{16,32}\.[\w-]{16,64}"),
    SecretPattern("Twilio key", ("sk",), _A + r"SK[0-9a-f]{32}" + _E),
    SecretPattern("Telegram bot token", (":aa",), r"(?<!\d)\d{8,10}:AA[\w-]{32,36}"),
    SecretPattern("Discord token", (".",), _W + r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}", is_random),
    SecretPattern("Mailgun key", ("key-",), _A + r"key-[0-9a-f]{32}" + _E),
    SecretPattern("Mailchimp key", ("-us",), _A + r"[0-9a-f]{32}-us\d{1,2}" + _E),
    SecretPattern("Azure key", ("accountkey", "sharedaccesskey"),
        r"(?:Account|SharedAccess)Key=([A-Za-z0-9+/]{40,90}={0,2})"),
    SecretPattern("Hugging Face token", ("hf_",), _A + r"hf_[A-Za-z0-9]{30,60}" + _E),
    *(SecretPattern(sort, (prefix.lower(),), _A + prefix + pattern, is_random) for sort, prefix, pattern in _SERVICES),
    SecretPattern("key or token", ("_",),
        _W + rf"(?!(?:{_THINGS})_)" + r"[a-z]{2,12}_(?:[A-Za-z0-9]{4,12}_)?[A-Za-z0-9]{20,200}" + _E,
        is_entropic),
    SecretPattern("key in an address", ("key=", "token=", "secret=", "sig=", "signature="),
        r"(?i)[?&](?:access_token|auth_token|token|api_?key|key|client_secret|secret|sig|signature)="
        r"([\w%.~+/-]{16,2000})", is_random),
    SecretPattern("password in an address", ("://",),
        r"(?i)(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://[^\s/:@\"'<>]{0,100}:([^\s/@\"'<>]{3,200})@[\w\[{$.-]",
        is_pass, spaced=True),
    SecretPattern("password", ("pass",),
        r"(?i)(?<![a-z])pass[\"'\]]{0,2}[ \t]?[:=][ \t]?[\"']?([^\s\"'<>]{4,100})", is_random,
        spaced=True),
    SecretPattern("password", (":5", ":*", ":3", ":1"),
        r"(?<![\w.:/-])[\w.*-]{1,80}:(?:\d{2,5}|\*):[\w*-]{1,60}:[\w.@*-]{1,60}:([^\s:\"']{4,100})", is_random,
        spaced=True),
    SecretPattern("password", ("log", "sign in", "cred", "user", "account", "zugang", "identifiant", "wifi", "wi-fi",
        "wlan"),
        r"(?i)\b(?:log(?:ged|ging)? ?in|sign in|creds?|credentials|user(?:name)?|account|zugangsdaten|anmelden|"
        r"identifiants|wi-?fi|wlan)\b" r"[^\n]{0,30}?[ :=][\w.@-]{2,40}[ \t]?[/:|,][ \t]?([^\s\"'<>/,:]{6,100})",
        is_strange, spaced=True),
    SecretPattern("password", ("creds", "credentials", "zugangsdaten"),
        r"(?i)\b(?:creds|credentials|zugangsdaten)\b[ :=>→-]{1,5}[\w.@-]{2,40}[ \t]?[:/][ \t]?([^\s\"'<>/,:]{6,100})",
        is_random, spaced=True),
    SecretPattern("password on a command line", ("smbclient", "7z", "zip", "rar "),
        r"\b(?:smbclient\b[^\n]{0,80}[ \t]-U ?[\w.@-]{1,40}%|(?:7z|7za|zip|unzip|rar|unrar)[ \t][^\n]{0,60}?-[pP] ?)"
        r"[\"']?([^\s\"'-][^\s\"']{3,100})", is_random, spaced=True),
    SecretPattern("password in an address", (":thin:", ":oci:"), r"(?i):(?:thin|oci):[\w.-]{1,40}/([^\s@\"']{3,100})@",
        is_pass, spaced=True),
    SecretPattern("password", ("wifi:",), r"(?i)\bWIFI:[^\n]{0,120}?\bP:((?:\\.|[^;\\\n]){4,80});", is_pass,
        spaced=True),
    SecretPattern("password", ("wlan", "wifi", "wi-fi"),
        r"(?i)\b(?:password|key|code|passwort|schlüssel|contraseña|clave|clé|mot de passe|chiave|senha|chave)\b"
        r"[ \t]\w{2,4}[ \t](?:\w{2,3}[ \t])?(?:wlan|wi-?fi)[ \t](?:is |es |est |è |é )?[\"']?([^\s\"']{8,64})",
        lambda value: is_random(value) and is_pass(value) and value.lower() != value != value.upper(), spaced=True),
    SecretPattern("password", ("ssid", "wlan", "wifi", "wi-fi"),
        r"(?i)\b(?:ssid|wlan|wi-?fi)\b[^\n]{1,60}?\b(?:key|psk|code|schlüssel|clé|clave|chiave|chave)\b[\"']?[ \t]{0,2}"
        r"(?:[:=]|is|ist|est|es|è|é)?[ \t]{0,2}[\"']?((?:\d{4}[ -]){2,5}\d{4}|[^\s\"']{8,64})",
        lambda value: is_pass(value) and any(map(str.isdigit, value)), spaced=True),
    SecretPattern("password", ("pass ", "pw "),
        r"(?i)\b(?:user\w*|login|benutzer)[ :=]{1,3}(?:is |ist )?[^\s,;/]{2,40}[,;/ ]{1,3}(?:and |und )?"
        r"(?:pass|pw)[ \t]{1,2}(?:is |ist )?([^\s\"']{4,100})",
        is_random, spaced=True),
    SecretPattern("password", (" p:", "/p:", " pw:", " pass:"),
        r"(?i)\b(?:u|user|login):[ \t]?[^\s,;/|]{2,40}[ \t]?[,;/|\s][ \t]?p(?:w|ass)?:[ \t]?([^\s\"']{4,100})",
        is_random, spaced=True),
    SecretPattern("password", ("identified by",), r"(?i)\bidentified by[ \t]{1,2}[\"']([^\s\"']{3,100})", is_pass,
        spaced=True),
    SecretPattern("password on a command line", ("redis-cli", "htpasswd", "openssl", "net use"),
        r"\b(?:redis-cli\b[^\n]{0,60}? -a |htpasswd -\w{0,4}b\w{0,4} \S{1,60} \S{1,60} |"
        r"net use [^\n]{0,60}?/user:\S{1,40} |openssl [^\n]{0,80}? -(?:k |pass(?:in|out)? pass:))"
        r"[\"']?([^\s\"']{3,100})", is_random, spaced=True),
    SecretPattern("authorisation header", ("bearer", "authorization", "basic"),
        r"(?i)(?:\bbearer[ \t]{1,4}|authorization[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?"
        r"(?:(?:basic|token|apikey)[ \t]{1,4})?)([\w+/=.~-]{16,4000})", is_random, spaced=True),
    SecretPattern("password on a command line", ("curl",),
        r"(?i:curl[^\n]{0,120}?[ \t](?:-u|--user)[ =]?[\"']?[\w.@+-]{1,60}:([^\s\"':]{3,100}))", is_pass,
        spaced=True),
    SecretPattern("password on a command line", ("mysql", "mariadb"),
        r"(?i:\b(?:mysql|mysqldump|mariadb)\b[^\n|]{0,80}?[ \t]-p)([^\s\"'-][^\s\"']{3,100})", is_pass,
        spaced=True),
    SecretPattern("password", ("auth",),
        r"\bauth ?= ?\([\"'][^\"'\n]{1,60}[\"'], ?[\"']([^\"'\n]{4,100})[\"']\)", is_pass, spaced=True),
    SecretPattern("password on a command line", ("sshpass",),
        r"(?i:\bsshpass[ \t]{1,4}-p[ \t]?[\"']?)([^\s\"']{3,100})", is_pass,
        spaced=True),
)
# fmt: on


# Passwords behind an option of a command.

_BESIDE_USER = re.compile(
    r"[ \t]-[uUD][ =]?[\"']?[\w.@+=,-]{1,60}[\"']?[ \t](?:[^\n|;&]{0,60}[ \t])?-[pPw][ =]?[\"']?"
    r"([^\s\"'-][^\s\"']{3,200})"
)
_FLAG = re.compile(r"--(?:password|passwd|pass|token|secret|api-key)[ \t]{1,4}[\"']?([^\s\"'-][^\s\"']{3,100})")


def find_option_passwords(text: str, lowered: str) -> Iterator[Span]:
    """Yield passwords behind an option of a command."""
    if "--" in text:
        found = (match.span(1) for match in _FLAG.finditer(text) if not is_placeholder(match[1]))
        yield from (("password on a command line", *span) for span in found)
    if " -u" in lowered or " -d" in lowered:
        beside = (match.span(1) for match in _BESIDE_USER.finditer(text) if is_random(match[1]) and is_pass(match[1]))
        yield from (("password on a command line", *span) for span in beside)


SECRET_FINDERS = (
    find_named_passwords,
    find_cards,
    find_personal_numbers,
    find_pins,
    find_lock_codes,
    find_recovery_codes,
    find_authenticator_seeds,
    find_option_passwords,
    find_beside_cues,
    find_strong_words,
)  # what stands behind a name, or adds up; the rest is known by its shape

_CUTS = ("...", "…", "***")  # behind a key of which only the beginning is shown
_SHORTEST_RUN = 15  # characters without white space, as the shapes that are not spaced have
_SPACED = tuple(shape for shape in SECRET_PATTERNS if shape.spaced)
_IN_A_RUN = tuple(shape for shape in SECRET_PATTERNS if not shape.spaced)

# Invisible characters: they must not hide a key.
_UNSEEN = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)


@dataclass(frozen=True, slots=True)
class Secret:
    """The sort of a secret in a text, and where it stands; never the secret itself."""

    sort: str
    start: int
    end: int


def find_secrets(text: str) -> tuple[Secret, ...]:
    """Return the secrets in a text, in order and apart; the time grows with the text's length alone."""
    if not _UNSEEN.search(text):
        return tuple(_merge_overlaps(_find_all(text)))
    places = [place for place, char in enumerate(text) if not _UNSEEN.match(char)]
    leaks = _find_all("".join(text[place] for place in places))
    return tuple(_merge_overlaps([Secret(leak.sort, places[leak.start], places[leak.end - 1] + 1) for leak in leaks]))


# The mark of what memvault itself gives a model: it opens nothing, and says where what was given ends.
_FENCE = r'</?memvault-recall token="[0-9a-f]{16}0*">'


def _find_all(text: str) -> list[Secret]:
    leaks = _find_plain(text)
    leaks += [Secret(*found) for found in find_in_columns(text, text.lower(), _find_spans)]
    leaks += [Secret(*found) for found in find_in_answers(text, _find_spans)]
    if not leaks or "memvault-recall" not in text:
        return leaks
    fences = [found.span() for found in compile_pattern(_FENCE).finditer(text)]
    return [leak for leak in leaks if not any(start < leak.start and leak.end < end for start, end in fences)]


def _find_spans(text: str) -> Iterator[Span]:
    return ((leak.sort, leak.start, leak.end) for leak in _find_plain(text))


def _find_plain(text: str) -> list[Secret]:
    lowered = text.lower()
    if len(lowered) != len(text):  # some letters would become two: every letter keeps its place
        lowered = "".join(small if len(small := char.lower()) == 1 else char for char in text)
    runs = " ".join(run for run in lowered.split() if len(run) >= _SHORTEST_RUN)  # hardly any in prose
    leaks = [*_find_shapes(_IN_A_RUN, text, runs)] if runs else []
    leaks += _find_shapes(_SPACED, text, lowered)
    return leaks + [Secret(sort, start, end) for find in SECRET_FINDERS for sort, start, end in find(text, lowered)]


def _find_shapes(shapes: tuple[SecretPattern, ...], text: str, hinting: str) -> Iterator[Secret]:
    for shape in shapes:
        if any(hint in hinting for hint in shape.hints):
            # Compiled when a text first hints at it: most texts hint at none.
            for match in compile_pattern(shape.pattern).finditer(text):
                group = 1 if match.re.groups else 0
                is_cut = not shape.spaced and text.startswith(_CUTS, match.end(group))
                if shape.is_real(match[group]) and not is_cut:
                    yield Secret(shape.sort, *match.span(group))


def redact_secrets(text: str, known: frozenset[str] = frozenset()) -> str:
    """Return the text with a mark such as `[redacted: GitHub token]` in place of each secret but the known ones."""
    parts, after = [], 0
    for leak in find_secrets(text):
        if text[leak.start : leak.end] in known:
            continue
        parts += [text[after : leak.start], f"[redacted: {leak.sort}]"]
        after = leak.end
    return "".join((*parts, text[after:]))


def _merge_overlaps(leaks: list[Secret]) -> list[Secret]:
    """Merge overlapping secrets into one of the sort that was found first."""
    order = {id(leak): number for number, leak in enumerate(leaks)}
    apart: list[tuple[int, Secret]] = []
    for leak in sorted(leaks, key=lambda leak: (leak.start, -leak.end)):
        rank = order[id(leak)]
        if apart and leak.start < apart[-1][1].end:
            before, last = apart[-1]
            sort = last.sort if before < rank else leak.sort
            apart[-1] = (min(before, rank), Secret(sort, last.start, max(last.end, leak.end)))
        else:
            apart.append((rank, leak))
    return [leak for _, leak in apart]
