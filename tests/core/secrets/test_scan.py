"""Secrets in a text: each sort is found, what looks like one is not, and no text takes long."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memvault.core.secrets.check_digits import passes_luhn
from memvault.core.secrets.scan import SECRET_PATTERNS, Secret, find_secrets, redact_secrets
from tests import points

# Put together here, so that no file of ours holds what a scanner of pushes would take for a token.
_RANDOM = "k7Qz2mXv9Lp4Rt8Wn3Yb6Hd1Fs5Gj0CaEuIoPiKl"
_LETTERS = "hpgUioougwKIunqxmHRNWwJnuGTXMtLvAe"
_HEX = "9f8e7d6c5b4a39281706f5e4d3c2b1a0"
SECRETS = {
    "GitHub token": ["gh" + "p_" + _RANDOM[:36], "github" + "_pat_" + _RANDOM[:22] + "_" + _RANDOM],
    "GitLab token": ["gl" + "pat-" + _RANDOM[:20]],
    "AWS access key": ["AK" + "IAQ4ZT7XPLM2RNVW3K"],
    "AWS secret key": ["aws_secret_access_key = " + _RANDOM[:40]],
    "Anthropic key": ["sk-" + "ant-api03-" + _RANDOM],
    "OpenAI key": ["sk-" + "proj-" + _RANDOM],
    "Google API key": ["AI" + "za" + _RANDOM[:35]],
    "Slack token": ["xox" + "b-2487193650-" + _RANDOM[:24]],
    "Stripe key": ["sk" + "_live_" + _RANDOM[:24], "sk" + "_test_" + _RANDOM[:24]],
    "npm token": ["npm" + "_" + _RANDOM[:36]],
    "PyPI token": ["py" + "pi-AgEI" + _RANDOM + _RANDOM],
    "Hugging Face token": ["hf" + "_" + _RANDOM[:34], "hf" + "_" + _LETTERS],
    "age secret key": ["AGE-" + "SECRET-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE"],
    "JSON web token": ["ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0NTYifQ." + _RANDOM],
    "private key": [f"-----BEGIN RSA PRIVATE KEY-----\n{_RANDOM}\n{_RANDOM}\n-----END RSA PRIVATE KEY-----"],
    "password in an address": ["postgres://app:S3cr3tPl0p@db.internal:5432/app"],
    "authorisation header": [f"Authorization: Bearer {_HEX}"],
    "key or token": [
        f'api_key: "{_HEX}"',
        f"HEROKU_API_KEY={_HEX}",
        f"The access token is {_HEX}.",
        f"{_HEX} is the API key",
        f"TOKEN={_LETTERS}",
        f"the key for their sandbox is with Ana: {_RANDOM}",
        f'request.Header.Set("X-Api-Key", "{_HEX}")',
        f"<apiKey>{_HEX}</apiKey>",
        "product key 8JMCR-MHT5A-RQ574-L10MH-NYA0H",
        f"> send me the api key pls\nsure: {_RANDOM}",
        f"here is the key for the weather service {_HEX}",
        f'app.secret_key = b"{_HEX}"',
        f"auth: /{_RANDOM}+/",
    ],
    "card number": ["My card: 4539 1488 0343 6467", "4111111111111111"],
    "PIN": [
        "The PIN is 4711",
        "4711 is the PIN of my card",
        "PIN of my bank card: 8132",
        "sim pin of the modem in cabinet 3 = 6642",
        "Type 260914, that's the PIN",
        "card;PIN\nVisa gold;5527",
        "cvc: 482",
        "To unlock my phone type 302918",
        "Le code du coffre, c'est 90 41 26",
        "Der Code für die Alarmanlage ist 7741",
    ],
    "IBAN": [
        "Bitte auf DE89 3704 0044 0532 0130 00 überweisen",
        "iban: gb29nwbk60161331926819",
        "the rent goes to FR14 2004 1010 0505 0001 3M02 606",
    ],
    "national id": [
        "my social security number is 512-44-9087",
        "SSN 512449087",
        "name;ssn\nIvo;512 44 9087",
        "DNI 12345678Z",
        "Mijn BSN is 111222333",
        "CPF 529.982.247-25",
        "Steuer-ID: 86 095 742 719",
        "Steuer-ID 86095742719",
        "756.9217.0769.85 (AHV)",
        "131052-308T",
        "512-44-9087 is my social security number",
    ],
    "passport number": ["passport no. 533401372", "Reisepass C01X00T47", '"passportNumber": "X1234567"'],
    "authenticator seed": [
        "type the seed in by hand: FSTH 43IH 74Y6 LLTX KGS5 4SHL 7SWF XKTM",
        "My 2FA secret for the registrar is kept as QXFF DJA3 JM3S 4BHK 3OVQ in the safe",
    ],
    "recovery code": [
        "Emergency codes for the bank: 8a31 9c22",
        "Codes de secours : 4821 9921",
        "Site    Recovery code\nBank    7rsh3-rpr9d",
    ],
    "recovery phrase": [
        "seed phrase: apple river stone cloud tiger lemon piano magic ocean brick flame ghost",
    ],
    "password": [
        "the wifi password is Sunflower-42",
        "The password for the staging box is hunter2.",
        "DB_PASSWORD=kT9vQx2mLp",
        "password=Tr0ub4dor&3xyz",
        "Server=db;Password=Pa55,w0rd;Encrypt=true",
        "password: correct horse battery staple",
        "the guest network password is blue-kettle-tram",
        "CREATE USER app WITH PASSWORD 'Klee4Blatt';",
        "ssid: Gast, key: Kuchen4alle99",
        "WIFI:S:Haus;T:WPA;P:Blau9Wal;H:false;;",
        "log in as root / Gravel!kettle798",
        "Das Passwort fürs WLAN lautet Sonnenblume77",
        "le mot de passe est Soleil2024",
        "la contraseña es Girasol99",
        "a senha do servidor é Girassol#1",
        "пароль от вайфая: Podsolnuh77",
        "密码是 abc12345",
        "パスワードはsakura2024です",
        "hunter2 is the password",
        "Use Blue-Kettle-9 as the password for the staging box.",
        "we set Sonne77! as our new wifi password yesterday",
        "'swordfish' is the password for the club",
        "4711 is the door code",
        "Sonne77! ist das Passwort fürs WLAN",
        "usa Girasol99 como contraseña",
        "Soleil2024 est le mot de passe",
        "the pass\u200bword is hunter2",
        "the password is hun\u2060ter2",
        "anna: what's the hotspot password again?\nben: it's pickle-Rocket88",
        "wie war nochmal der Türcode?\njo: #4482",
        "the passphrase of the disk is correct otter battery lantern plum",
        "user is backup, pass is 9viola.Drumlin",
        "$config['db_pass'] = 'Wren&gravel12';",
        "He puesto como clave del wifi tortillaConCebolla9",
        "Puse Camaron#12 de contraseña en la cuenta",
        "Mudei a senha para coruja.Noite77 hoje",
        'get(url, auth=("admin", "Turnip!Sled8"))',
    ],
}

HARMLESS = (
    "The password is stored in 1Password.",
    "Your password must be at least 12 characters long.",
    "Never commit your API key to git.",
    "AKIAIOSFODNN7EXAMPLE",
    "password: str",
    'password = os.environ["DB_PASSWORD"]',
    "password: ********",
    "export API_KEY=your-api-key-here",
    "token = config.token",
    "commit 4f2a9c1d8e7b6a5f4e3d2c1b0a9f8e7d6c5b4a39",
    "5f0c2a9e-8d1b-4c77-9b0e-6a1f2e3d4c5b",
    "Order 1234 5678 9012 3456",
    "The test card 4242 4242 4242 4242 works in the sandbox.",
    "postgres://user:password@localhost:5432/dbname",
    "postgres://${USER}:${PASS}@host/db",
    "ghp_" + "x" * 36,
    "The secret of good bread: a cold kitchen and 24 hours.",
    "The token budget is 8000 per session.",
    "The password was changed on 2026-01-31.",
    "tokenizer: cl100k_base_v2",
    "Das Passwort ist abgelaufen.",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJl3dIeudNqd0DPMRD6OIh65tjkxFNOtwGcWB2gCgPhk me@host",
    "hunter2 is not the password",
    "P@ssw0rd is the most common password",
    "Abc12345 is a weak password",
    "SHA-256 is the password hash",
    "Use Argon2id as password hasher",
    "Use 1Password as password manager",
    "Use your birthday as password and you will regret it",
    "use $DB_PASSWORD as the password",
    "Step2 is the password reset",
    "Monday is the password change day",
    "The pin of the connector is 1204.",
    "Your order 2683 1708 9036 8138 has shipped",
    "S/N 33440064L compressor",
    ".token { background: url(data:image/svg+xml;base64,aVlMcCnjYRazsFfFRYEYm1INpB4xlRNYUfAzOEks8w1L) }",
    "The pin of a map is 2048 in this layer.",
    "On lane 4 the pin is 1032 grams heavy.",
    "Pin 1207 in the netlist belongs to the FPGA's bank 3.",
    "Pin the dependency to 20240611.",
    "AccessTokenProviderFactoryBeanImpl2 handles the token.",
    "const LOGIN_BUTTON = 'LoginFormSubmitButtonV2'",
    f"cache key {_HEX} expired",
    f"public key: {_RANDOM}=",
    f"see https://docs.example.org/auth/tokens?id={_RANDOM}",
    "key fingerprint is SHA256:lbdPy1LjJYEfHrr6EGxqMBV1Wa+mhPA5aF2C9QijF4w",
    "IMEI 356938035643809",
    "EAN 4006381333931",
    "order 304-80-7872 has shipped",
    "Passport photos cost 12.50, order 20240611",
    "my passport expires 2031-04-05",
    "IBAN steht auf der Rechnung 2024-523455",
    "BIC COBADEFF370, Referenz RF18539007547034",
    "the SIN function of 3141592653",
    "Backup codes are printed in the safe since 20240611.",
    "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "names = (\n    'password',\n    'FILE-SIZE',\n    'MAX-DATE2',\n)",
    f"yaml/tokens.py,sha256={_RANDOM},12\nyaml/util.py,sha256={_RANDOM},34",
    "isinstance(key, ed25519.Ed25519PrivateKey)",
    'enforce_bytes(password, name="proxy_auth")',
    "params['registry_password'] = container_registry_password",
    '<input type="password" name="pwd" placeholder="Your password">',
    "passwd: password updated successfully",
    "password_last_changed: 2024-03-11T10:12:44Z",
    "password_regex: ^(?=.*[A-Z])(?=.*\\d).{8,}$",
    "input[type=password]{letter-spacing:.125em}.token.keyword{color:#07a}",
    "def _parse_token_response(response: httpx2.Response) -> dict:",
    f"run_{_RANDOM[:24]} failed, see thread_{_RANDOM[:24]}",
    "array([-6.73496154e-17, -8.40918587e-02])",
    "SSN: 111-22-3333",
    "postgres://postgres:postgres@localhost:5432/app",
    "password: arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-AbCdEf",
    "xoxb-123456789012-...",
    "The default PIN is 0000.",
    "pull-up on pin 4: 4700 ohm",
    "const int pin = 1204;",
    "The door is 2100 mm high, article code 4471.",
    "The gate opens at 0730, code of conduct applies.",
    "Did you rotate the token?\nlea: 10min ago",
    "What is the password policy?\ntom: 12 characters",
    "contraseña: pedir en portería",
    "redis://default:${REDIS_PASSWORD}@redis:6379",
    "password: !secret wifi_password",
    "fn verify_password(hash: &str, pw: &str) -> bool",
    "existingSecret: db-credentials-v2",
    "{{- $password := randAlphaNum 24 | b64enc }}",
    'password: "@@DB_PASS@@", token: ##TOKEN##',
    "'password' => Hash::make($request->password),",
    "keystore.password=changeit",
    "api_key: 0123456789abcdef0123456789abcdef",
    "units = {0x33ba:'pw', 0x33bb:'nw'}",
    "the 'password' argument to the LOGIN command is always quoted",
    "f'expected name token at {rawdata[declstartpos:declstartpos+20]}'",
)


@pytest.mark.parametrize(("sort", "text"), [(sort, text) for sort, texts in SECRETS.items() for text in texts])
def test_each_sort_is_found_and_named(sort: str, text: str) -> None:
    around = f"Noted on Tuesday.\n{text}\nThat was all."
    assert [leak.sort for leak in find_secrets(around)] == [sort]
    assert find_secrets(redact_secrets(around)) == ()
    assert f"[redacted: {sort}]" in redact_secrets(around)
    assert redact_secrets(around).startswith("Noted on Tuesday.\n")
    assert redact_secrets(around).endswith("\nThat was all.")


@pytest.mark.parametrize("text", HARMLESS)
def test_lookalikes_are_no_secrets(text: str) -> None:
    assert find_secrets(text) == ()
    assert redact_secrets(text) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("password=Tr0ub4dor&3xyz", "password=[redacted: password]"),
        ("password=Tr0ub4dor&3xyz&user=noor", "password=[redacted: password]&user=noor"),
        ("pwd=Pa55w0rd;more;uid=sa", "pwd=[redacted: password];uid=sa"),
        ("password=x9!kQ&", "password=[redacted: password]"),
    ],
)
def test_a_password_goes_whole_and_the_next_setting_stays(text: str, left: str) -> None:
    assert redact_secrets(text) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (
            f"AKIA{'Q4ZT7XPLM2RNVW3K'} and the other half is {_RANDOM[:38]}/x",
            "and the other half is [redacted: key or token]",
        ),
        (f'Client("AC{_HEX}", "{_HEX[::-1]}")', f'Client("AC{_HEX}", "[redacted: key or token]")'),
    ],
)
def test_the_half_of_a_pair_shows_what_stands_beside_it(text: str, left: str) -> None:
    assert redact_secrets(text).endswith(left)


def test_what_a_password_was_goes_with_what_it_is() -> None:
    text = "I changed my Steam password from oldRaven55 to NewerRaven!56."
    assert redact_secrets(text).endswith("from [redacted: password] to [redacted: password].")


def test_every_code_of_a_list_is_found() -> None:
    text = "GitHub recovery codes:\n1c297-367ef\n88597-9404c\n91401-05262"
    assert [text[found.start : found.end] for found in find_secrets(text)] == text.splitlines()[1:]


def test_the_check_number_behind_a_card_goes_with_it() -> None:
    text = "Kreditkarte 4539 1488 0343 6467, gültig bis 04/28, Prüfziffer 915"
    assert redact_secrets(text).endswith("gültig bis 04/28, Prüfziffer [redacted: card number]")


def test_the_heading_of_a_column_says_what_its_cells_are() -> None:
    table = "| Karte | PIN |\n|---|---|\n| Visa | 5527 |\n| Girocard | 9014 |\n\n| bin | 1234 |"
    assert redact_secrets(table) == table.replace("5527", "[redacted: PIN]").replace("9014", "[redacted: PIN]")


def test_a_leak_says_where_it_stands_and_not_what_it_is() -> None:
    text = "the pin code of the door is 4711 and the password is Blue-Kettle-9"
    leaks = find_secrets(text)
    assert [text[leak.start : leak.end] for leak in leaks] == ["4711", "Blue-Kettle-9"]
    assert not any("Blue-Kettle-9" in repr(leak) for leak in leaks)


def test_characters_that_nobody_sees_hide_nothing_and_move_nothing() -> None:
    token = "gh" + "p_" + _RANDOM[:18] + "\u200b" + _RANDOM[18:36]
    assert redact_secrets(f"a\u200bb {token}\u200d c") == "a\u200bb [redacted: GitHub token]\u200d c"
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467 می\u200cخواهم"
    assert redact_secrets(family) == family


def test_secrets_that_overlap_are_one() -> None:
    text = "token: " + SECRETS["GitHub token"][0]
    assert [leak.sort for leak in find_secrets(text)] == ["GitHub token"]


def test_letters_that_become_two_when_small_move_nothing() -> None:
    text = "İİİ the password is hunter2"
    assert redact_secrets(text) == "İİİ the password is [redacted: password]"


def test_the_last_digit_of_a_card_is_checked() -> None:
    assert passes_luhn("4539148803436467")
    assert not passes_luhn("4539148803436468")
    assert find_secrets("4539148803436468") == ()


def test_every_shape_has_a_hint_in_small_letters() -> None:
    assert all(shape.hints and all(hint == hint.lower() for hint in shape.hints) for shape in SECRET_PATTERNS)


_PIECES = st.sampled_from(
    [
        "password",
        " is ",
        ": ",
        "=",
        "hunter2",
        "ghp_",
        "a" * 40,
        "4111 1111 1111 1111",
        "token",
        "\n",
        '"',
        " ",
        "é",
        "PIN",
    ]
)


@given(st.lists(_PIECES, max_size=12).map("".join))
def test_leaks_are_in_order_and_apart_whatever_the_text(text: str) -> None:
    leaks = find_secrets(text)
    assert all(0 <= leak.start < leak.end <= len(text) for leak in leaks)
    assert all(before.end <= after.start for before, after in pairwise(leaks))
    assert all(isinstance(leak, Secret) for leak in leaks)


@pytest.mark.points(quick=4)
@pytest.mark.parametrize(
    "piece",
    [
        "password:",
        "secret=",
        "eyJ",
        "eyJa.",
        "-----BEGIN PRIVATE KEY-----",
        "://a:",
        "aws secret ",
        "curl -u ",
        "seed ",
        "hunter2 is the password ",
        "x is the y z password",
        "a as password",
        "A1 ",
        "DE89 3704 ",
        "ssn\n1,",
        "PIN 1",
        "backup code ",
        "aB3" * 9,
        "pass\u200bword is ",
        "1 ",
        "password?\nb: a1 ",
        "password from a1b ",
        "a_",
        "pw x1!yyyyyy\n",
        "key A1b2\n",
    ],
)
def test_the_time_grows_with_the_length_and_no_faster(piece: str) -> None:
    def seconds(length: int) -> float:
        text = (piece * (length // len(piece) + 1))[:length]
        started = time.process_time()
        find_secrets(text)
        return time.process_time() - started

    seconds(1_000)
    length = points.of(10_000, 20_000)
    least = max(min(seconds(length) for _ in range(2)), 0.005)
    assert seconds(4 * length) < 12 * least  # four times the text; sixteen times the time would be squared


def test_the_mark_of_our_own_fence_is_no_secret() -> None:
    fenced = '<memvault-recall token="64335dde561c515e">\nTea at four.\n</memvault-recall token="64335dde561c515e">'
    assert find_secrets(fenced) == ()
    assert find_secrets(fenced.replace("memvault-recall", "login")) != ()
    assert find_secrets(fenced.replace("64335dde561c515e", "sk-64335dde561c515eQz7Lw02")) != ()
