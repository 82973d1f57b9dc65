"""Secrets that are known by their shape: a table, one row for each sort."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from memvault.core.secrets.harmless import is_dense, is_pass, is_random, is_real, is_strange


@dataclass(frozen=True, slots=True)
class Shape:
    """One row: the sort, what stands (in lower case) in every text that holds one, the pattern, a last check.

    A pattern begins where a run of its own characters begins and repeats nothing without a bound that
    another start could repeat again, so that no text takes long.
    """

    sort: str
    hints: tuple[str, ...]
    pattern: str
    is_real: Callable[[str], bool] = is_real


_A = r"(?<![A-Za-z0-9])"  # nothing of the sort before it
_W = r"(?<![\w-])"
_E = r"(?![A-Za-z0-9])"

# Prefixes that a service puts before its tokens, where nothing more needs to be known about them.
_SERVICES: tuple[tuple[str, str, str], ...] = (
    ("Hugging Face token", "hf_", r"[A-Za-z0-9]{30,60}"),
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

SHAPES: tuple[Shape, ...] = (
    Shape(
        "private key",
        ("private key", "private-lines"),
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----))*(?:-----END [A-Z0-9 ]{0,60}-----)?"
        r"|Private-Lines: \d{1,3}\s+[\w+/=\s]{40,4000}",
        lambda value: re.search(r"[A-Za-z0-9+/]{24}", value) is not None and is_real(value[:400]),
    ),
    Shape("age secret key", ("age-secret-key-1",), _A + r"(?i:AGE-SECRET-KEY-1[A-Z0-9]{50,60})" + _E),
    Shape(
        "AWS access key",
        ("akia", "asia", "abia", "acca"),
        _A + r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}" + _E,
    ),
    Shape(
        "AWS secret key",
        ("aws",),
        r"(?i:aws)[\w .\"']{0,40}(?i:secret|sk)[\w .\"']{0,24}[\s:=\"'>]{1,8}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        is_random,
    ),
    Shape("GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), _A + r"gh[opsur]_[A-Za-z0-9]{30,255}" + _E),
    Shape("GitHub token", ("github_pat_",), _A + r"github_pat_\w{22,255}"),
    Shape("GitLab token", ("gl",), _A + r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat)-[\w.-]{20,100}", is_random),
    Shape("Anthropic key", ("sk-ant-",), _W + r"sk-ant-[\w-]{20,200}"),
    Shape("OpenAI key", ("sk-",), _W + r"sk-(?:proj-|svcacct-|admin-|None-|or-v1-)?[\w-]{20,250}", is_dense),
    Shape("Google API key", ("aiza",), _A + r"AIza[\w-]{30,40}", is_random),
    Shape("Google OAuth secret", ("gocspx-", "ya29."), _A + r"(?:GOCSPX-[\w-]{24,40}|ya29\.[\w-]{20,400})"),
    Shape("Slack token", ("xox", "xapp-"), _A + r"(?:xox[abceoprs]|xapp)-[\w-]{10,250}", is_random),
    Shape(
        "webhook address",
        ("hooks.slack.com", "/api/webhooks/", "webhook.office.com"),
        r"https://(?:hooks\.slack\.com/(?:services|workflows)/[\w/+-]{20,100}"
        r"|(?:\w{1,10}\.)?discord(?:app)?\.com/api/webhooks/\d{8,25}/[\w-]{40,100}"
        r"|[\w.-]{1,60}\.?webhook\.office\.com/webhookb2/[\w@/-]{40,250})",
    ),
    Shape(
        "Stripe key",
        ("k_live_", "k_test_", "whsec_"),
        _A + r"(?:[rs]k_(?:live|test)_[A-Za-z0-9]{10,200}|whsec_[\w+/=-]{24,80})",
    ),
    Shape("JSON web token", ("eyj",), _W + r"eyJ[\w-]{8,4000}\.eyJ[\w-]{8,8000}\.[\w-]{16,2000}"),
    Shape("npm token", ("npm_",), _A + r"npm_[A-Za-z0-9]{36}" + _E),
    Shape("PyPI token", ("pypi-",), _W + r"pypi-[\w-]{50,400}"),
    Shape("SendGrid key", ("sg.",), _A + r"SG\.[\w-]{16,32}\.[\w-]{16,64}"),
    Shape("Twilio key", ("sk",), _A + r"SK[0-9a-f]{32}" + _E),
    Shape("Telegram bot token", (":aa",), r"(?<!\d)\d{8,10}:AA[\w-]{32,36}"),
    Shape("Discord token", (".",), _W + r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}", is_random),
    Shape("Mailgun key", ("key-",), _A + r"key-[0-9a-f]{32}" + _E),
    Shape("Mailchimp key", ("-us",), _A + r"[0-9a-f]{32}-us\d{1,2}" + _E),
    Shape("Azure key", ("accountkey", "sharedaccesskey"), r"(?:Account|SharedAccess)Key=([A-Za-z0-9+/]{40,90}={0,2})"),
    *(Shape(sort, (prefix.lower(),), _A + prefix + pattern, is_random) for sort, prefix, pattern in _SERVICES),
    Shape(
        "key in an address",
        ("key=", "token=", "secret=", "sig=", "signature="),
        r"(?i)[?&](?:access_token|auth_token|token|api_?key|key|client_secret|secret|sig|signature)="
        r"([\w%.~+/-]{16,2000})",
        is_random,
    ),
    Shape(
        "password in an address",
        ("://",),
        r"(?i)(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://[^\s/:@\"'<>]{0,100}:([^\s/@\"'<>]{3,200})@[\w\[{$.-]",
        is_pass,
    ),
    Shape("password", ("pass",), r"(?i)(?<![a-z])pass[ \t]?[:=][ \t]?[\"']?([^\s\"'<>]{4,100})", is_random),
    Shape(
        "password",
        (":5", ":*", ":3", ":1"),
        r"(?<![\w.:/-])[\w.*-]{1,80}:(?:\d{2,5}|\*):[\w*-]{1,60}:[\w.@*-]{1,60}:([^\s:\"']{4,100})",
        is_random,
    ),
    Shape(
        "password",
        ("log", "sign in", "cred", "user", "account", "zugang", "identifiant"),
        r"(?i)\b(?:log(?:ged|ging)? ?in|sign in|creds?|credentials|user(?:name)?|account|zugangsdaten|anmelden|"
        r"identifiants)\b"
        r"[^\n]{0,30}?[ :=][\w.@-]{2,40}[ \t]?[/:|,][ \t]?([^\s\"'<>/,:]{6,100})",
        is_strange,
    ),
    Shape(
        "authorisation header",
        ("bearer", "authorization", "basic"),
        r"(?i)(?:\bbearer[ \t]{1,4}|authorization[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?:basic|token|apikey)[ \t]{1,4})"
        r"([\w+/=.~-]{16,4000})",
        is_random,
    ),
    Shape(
        "password on a command line",
        ("curl",),
        r"(?i:curl[^\n]{0,120}?[ \t](?:-u|--user)[ =]?[\"']?[\w.@+-]{1,60}:([^\s\"':]{3,100}))",
        is_pass,
    ),
    Shape(
        "password on a command line",
        ("mysql", "mariadb"),
        r"(?i:\b(?:mysql|mysqldump|mariadb)\b[^\n|]{0,80}?[ \t]-p)([^\s\"'-][^\s\"']{3,100})",
        is_pass,
    ),
    Shape(
        "password on a command line",
        ("sshpass",),
        r"(?i:\bsshpass[ \t]{1,4}-p[ \t]?[\"']?)([^\s\"']{3,100})",
        is_pass,
    ),
)
