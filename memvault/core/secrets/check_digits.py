"""Check digits, and the forms of numbers that carry them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

SPACE = "[ \u00a0]"


def passes_luhn(digits: str) -> bool:
    """Return whether the last digit is the right check digit."""
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(doubled)) % 10 == 0


# The countries whose accounts have an IBAN, with its length.
_ACCOUNTS = (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 "
    "ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 "
    "LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 "
    "PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 "
    "YE30 "
)


def is_account(bare: str) -> bool:
    """Return whether a number is an IBAN with the right check digits."""
    if f"{bare[:2]}{len(bare)}" not in _ACCOUNTS or not re.fullmatch(r"..\d\d[A-Z0-9]+", bare):
        return False
    return int("".join(str(int(char, 36)) for char in bare[4:] + bare[:4])) % 97 == 1


def _checks_weights(weights: str, modulus: int, *, tens: int) -> Callable[[str], bool]:
    """Return a check for a last digit that is what the weighted sum of the others leaves."""

    def check(bare: str) -> bool:
        total = sum(int(weight, 36) * int(digit) for weight, digit in zip(weights, bare, strict=False))
        rest = -total % modulus
        return int(bare[len(weights)]) == (tens if rest == 10 else rest)

    return check


def _checks_cpf(bare: str) -> bool:
    first, second = (_checks_weights(weights, 11, tens=0) for weights in ("A98765432", "BA98765432"))
    return first(bare) and second(bare)


def _checks_dni(bare: str) -> bool:
    return bare[-1] == "TRWAGMYFPDXBNJZSQVHLCKE"[int(bare[:-1].translate(str.maketrans("XYZ", "012"))) % 23]


def _checks_codice(bare: str) -> bool:
    ranks = [int(char) if char.isdigit() else ord(char) - ord("A") for char in bare[:15]]
    values = (rank if place % 2 else _ODD_VALUES[rank] for place, rank in enumerate(ranks))
    return chr(ord("A") + sum(values) % 26) == bare[15]


_ODD_VALUES = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)


def _checks_nir(bare: str) -> bool:
    return 97 - int(bare[:13].replace("2A", "19").replace("2B", "18")) % 97 == int(bare[13:])


def _checks_hetu(bare: str) -> bool:
    return bare[-1] == "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(re.sub(r"\D", "", bare[:-1])[:9]) % 31]


def _checks_rijksregister(bare: str) -> bool:
    return any(97 - int(century + bare[:9]) % 97 == int(bare[9:]) for century in ("", "2"))


def _checks_resident(bare: str) -> bool:
    total = sum(int(digit) * pow(2, 17 - place, 11) for place, digit in enumerate(bare[:17]))
    return "10X98765432"[total % 11] == bare[17]


def _checks_ean(bare: str) -> bool:
    return _checks_weights("131313131313", 10, tens=0)(bare)


def _is_given(_bare: str) -> bool:
    return True


_DAY, _MONTH = "(?:0[1-9]|[12]\\d|3[01])", "(?:0[1-9]|1[0-2])"
ID_FORMS: Mapping[re.Pattern[str], Callable[[str], bool]] = MappingProxyType(
    {
        re.compile(form): check
        for form, check in (
            (r"(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}", _is_given),  # United States
            (r"[A-CEGHJ-PR-TW-Z]{2} \d\d \d\d \d\d [A-D]", _is_given),  # United Kingdom
            (r"\d{3}\.\d{3}\.\d{3}-\d\d", _checks_cpf),  # Brazil
            (r"(?:\d{8}|[XYZ]-?\d{7})-?[A-Z]", _checks_dni),  # Spain
            (r"[A-Z]{6}\d\d[ABCDEHLMPRST]\d\d[A-Z]\d{3}[A-Z]", _checks_codice),  # Italy
            (rf"[12]{SPACE}?\d\d{SPACE}?[0-9]{{2}}{SPACE}?(?:\d\d|2[AB])(?:{SPACE}?\d{{3}}){{2}}{SPACE}?\d\d",
             _checks_nir),  # France
            (r"756\.?\d{4}\.?\d{4}\.?\d\d", _checks_ean),  # Switzerland
            (rf"\d\d\.{_MONTH}\.{_DAY}-\d{{3}}\.\d\d", _checks_rijksregister),  # Belgium
            (rf"{_DAY}{_MONTH}\d\d[-+A]\d{{3}}[0-9A-Y]", _checks_hetu),  # Finland
            (rf"(?:\d\d)?\d\d{_MONTH}{_DAY}[-+]\d{{4}}", lambda bare: passes_luhn(bare[-10:])),  # Sweden
            (rf"\d{{6}}(?:19|20)\d\d{_MONTH}{_DAY}\d{{3}}[0-9X]", _checks_resident),  # China
            (rf"\d\d{_MONTH}{_DAY}-[1-8]\d{{6}}", _is_given),  # Korea
        )
    }
)  # fmt: skip
