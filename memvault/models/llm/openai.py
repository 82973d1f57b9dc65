"""Any server that speaks the chat form of OpenAI's API: Ollama, LM Studio, llama.cpp and many more."""

from __future__ import annotations

import json
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from memvault.models.llm import http as wire
from memvault.models.llm.ask import Answered, Deadline, Failure, Question, Setup, Standing
from memvault.models.llm.http import HttpReply
from memvault.models.llm.schema import make_strict

_PATH = "/chat/completions"
_FORM_REFUSED = (400, 422)  # what servers answer that do not know the form they are asked for
_FORMS = ("json_schema", "json_object", "")


class OpenAIProvider:
    """A server as a provider; it remembers which form of answer the server can be asked for."""

    name = "openai"

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._address = _split_url(setup.url)
        self._url = wire.endpoint_url(self._address.geturl(), _PATH)
        self._key = wire.read_key(setup.environment, setup.key_env)
        self._form = 0

    @property
    def model(self) -> str:
        """The model that the server is asked for."""
        return self._setup.name

    def answer(self, question: Question, deadline: Deadline) -> Answered | Failure:
        """Ask for the schema, or for less of a form where the server refuses that."""
        wanting = self._missing_settings()
        if wanting:
            return Failure("unset", wanting[0].rstrip("."))
        reply = HttpReply(0)
        for number in range(self._form, len(_FORMS)):
            form = _FORMS[number]
            told = f"Answer with one JSON object that fits this schema, and nothing else: {json.dumps(question.schema)}"
            body: dict[str, object] = {
                "model": self.model,
                "messages": [
                    {"role": "system", "content": f"{question.system}\n\n{told}"},
                    {"role": "user", "content": question.prompt},
                ],
                "stream": False,
            }
            if form:  # some models refuse any temperature but their own: the barest form has none
                body |= {"temperature": 0, "response_format": _response_format(form, question)}
            posted = wire.post_body(self._url, (json.dumps(body).encode()), wire.json_headers(self._key), deadline)
            if isinstance(posted, Failure):
                return posted
            reply = posted
            if reply.status not in _FORM_REFUSED:
                self._form = max(self._form, number)
                break
        return _parse_reply(reply)

    def standing(self, _deadline: Deadline) -> Standing:
        """Where it is asked, and with which key; nobody is asked."""
        facts = [("url", self._url)]
        if self._key:
            facts.append(("key", f"from {self._setup.key_env}"))
        is_open = self._address.scheme == "http" and not _is_local_host(self._address.hostname or "")
        leak = ("What is asked goes there unencrypted: use https where the way leads through others' hands.",)
        return Standing(tuple(facts), (*self._missing_settings(), *(leak if is_open else ())))

    def _missing_settings(self) -> tuple[str, ...]:
        """What the settings still lack."""
        key = self._setup.key_env
        lacks = (
            (not _is_address(self._address), "model.url must be http://HOST/… or https://HOST/…, without a user."),
            (not self.model, "model.name must say which model the server is to use."),
            (bool(key) and not self._key, f"The variable {key}, which model.key_env names, holds no key."),
        )
        return tuple(sentence for applies, sentence in lacks if applies)


def _response_format(form: str, question: Question) -> dict[str, object]:
    if form == "json_object":
        return {"type": form}
    return {"type": form, "json_schema": {"name": "answer", "strict": True, "schema": make_strict(question.schema)}}


def _parse_reply(reply: HttpReply) -> Answered | Failure:
    """The message in a reply."""
    match reply.status:
        case 200:
            pass
        case 401 | 403:
            return Failure("refused", f"the server wants another key (status {reply.status})")
        case status if 300 <= status < 400:
            return Failure("failed", f"the server sends us elsewhere (status {status}): set model.url to where it is")
        case 404:
            return Failure("missing", "the server knows no such model, or speaks another protocol at model.url")
        case status if status in _FORM_REFUSED:
            return Failure("failed", f"the server refuses the request (status {status}): does it know the model?")
        case 429:
            return Failure("refused", "the server has had too many requests")
        case status:
            return Failure("failed", f"the server reports an error (status {status})")
    try:
        content = json.loads(reply.text)["choices"][0]["message"]["content"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return Failure("failed", "the server's reply has no message in it")
    return Answered(_message_text(content))


def _message_text(content: object) -> str:
    """A message's text; some servers give it in parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _split_url(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:  # a bracket that is never closed
        return SplitResult("", "", "", "", "")


def _is_address(url: SplitResult) -> bool:
    return url.scheme in ("http", "https") and bool(url.hostname) and "@" not in url.netloc


def _is_local_host(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
