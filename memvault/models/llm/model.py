"""The language model that a person configured: how it stands, whether it answers, and the way to ask it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from pathlib import Path
from types import MappingProxyType

from memvault.core.settings import Settings
from memvault.models.llm.ask import (
    AskModel,
    CallBudget,
    CallLog,
    CallTotals,
    Deadline,
    Failure,
    ModelClient,
    Provider,
    Question,
    Scrub,
    Setup,
    Standing,
    fence_texts,
    read_prompt,
)

# Every provider in one table; each is imported when somebody is to be asked, and not before.

ProviderFactory = Callable[[Setup], Provider]


def _load_factory(module: str, name: str) -> ProviderFactory:
    def make_provider(setup: Setup) -> Provider:
        maker: ProviderFactory = getattr(import_module(f"memvault.models.llm.{module}"), name)
        return maker(setup)

    return make_provider


PROVIDERS: Mapping[str, ProviderFactory] = MappingProxyType(
    {
        "none": lambda _setup: NoProvider(),
        "claude": _load_factory("claude_cli", "ClaudeCli"),
        "openai": _load_factory("openai", "OpenAIProvider"),
        "command": _load_factory("command", "ProgramProvider"),
    }
)


def create_provider(name: str, setup: Setup, *, table: Mapping[str, ProviderFactory] = PROVIDERS) -> Provider:
    """The provider of that name; the table may have been added to."""
    return table[name](setup)


# Nobody: the rules of memvault's own do all the judging.

_NO_MODEL = Failure("none", "no language model is configured")


@dataclass(frozen=True, slots=True)
class NoProvider:
    """A provider that only says why nobody is asked."""

    name: str = "none"
    model: str = ""
    failure: Failure = _NO_MODEL

    def answer(self, _question: Question, _deadline: Deadline) -> Failure:
        """Say why there is no answer."""
        return self.failure

    def standing(self, _deadline: Deadline) -> Standing:
        """Say what is wrong, where nobody is asked although somebody should be."""
        return Standing() if self.name == "none" else Standing(problems=(f"{self.failure.detail}.",))


# The configured model.

LOG_FOLDER = "model"
"""Below the state folder: calls are a person's, not a vault's."""

_WORD = "remembered"
_FORM = {"type": "object", "properties": {"word": {"type": "string", "maxLength": 100}}, "required": ["word"]}
_LOOK_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStatus:
    """Which model is configured, what can be told of it without asking it, and what this month's calls come to."""

    provider: str
    model: str
    facts: Mapping[str, str]
    problems: tuple[str, ...]
    spent: CallTotals
    log: str

    @property
    def is_ready(self) -> bool:
        """Whether it could be asked, as far as can be told."""
        return self.provider != "none" and not self.problems


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTest:
    """What came of one real question."""

    provider: str
    model: str
    ok: bool
    seconds: float
    reason: str = ""
    detail: str = ""
    advice: str = ""


class ModelAccess:
    """The configured model, with a budget for this run; made where it is needed, and asking nobody until then."""

    def __init__(
        self,
        settings: Settings,
        environment: Mapping[str, str],
        *,
        state: Path,
        now: datetime,
        scrub: Scrub | None = None,
        providers: Mapping[str, ProviderFactory] = PROVIDERS,
    ) -> None:
        self._settings = settings
        setup = Setup(
            environment=environment,
            command=settings.texts("model.command"),
            url=settings.text("model.url"),
            name=settings.text("model.name"),
            key_env=settings.text("model.key_env"),
        )
        self._provider = create_provider(settings.text("model.provider"), setup, table=providers)
        self._folder = state / LOG_FOLDER if settings.flag("model.log") else None
        self._log = CallLog(self._folder, now)
        self._model = ModelClient(
            self._provider,
            scrub=scrub or _redact_text,
            environment=environment,
            budget=CallBudget(settings.integer("model.max_calls")),
            log=self._log,
            hides_personal=settings.flag("screen.personal"),
        )

    @property
    def ask(self) -> AskModel | None:
        """The way to ask it; None where no model is configured, so that nobody goes to any trouble."""
        return None if self._provider.name == "none" else self._model.complete_json

    @property
    def model_name(self) -> str:
        """The provider, and the model that it asks where that is known."""
        return " ".join(filter(None, (self._provider.name, self._provider.model)))

    def time_limit(self, limit: str) -> float:
        """How long it may take by one of the settings that limit it."""
        return self._settings.number(limit)

    def status(self) -> ModelStatus:
        """How it stands; nothing is sent anywhere."""
        standing = self._provider.standing(Deadline.within(_LOOK_SECONDS))
        return ModelStatus(
            provider=self._provider.name,
            model=self._provider.model,
            facts=dict(standing.facts),
            problems=standing.problems,
            spent=self._log.sum_month(),
            log=str(self._folder or ""),
        )

    def test_model(self) -> ModelTest:
        """Ask it one small question, as reviewers and others would."""
        deadline = Deadline.within(self._settings.number("model.max_seconds"))
        allowed = deadline.left
        text = fence_texts([("The word", _WORD)])
        found = self._model.complete_json(read_prompt("test"), text, _FORM, allowed, purpose="test")
        seconds = round(allowed - deadline.left, 2)
        named = {"provider": self._provider.name, "model": self._provider.model}
        if isinstance(found, Failure):
            return ModelTest(**named, ok=False, seconds=seconds, reason=found.reason, detail=found.detail)
        return ModelTest(**named, ok=True, seconds=seconds, advice=self._advise_settings(found, seconds))

    def _advise_settings(self, found: object, seconds: float) -> str:
        """What the answer shows besides that there is one."""
        if not isinstance(found, Mapping) or found.get("word") != _WORD:
            return "It keeps to the form, but not to what it was told: expect poor reviews of this model."
        allowed = self._settings.number("model.review_seconds")
        if seconds <= allowed:
            return ""
        least = int(seconds * 2) + 1
        return (
            f"A reviewer may take {allowed:g} s, so that rules would mostly review in its place: "
            f"`memvault config --user model.review_seconds {least}` gives it time."
        )


def _redact_text(text: str) -> str:
    from memvault.core.secrets.scan import (
        redact_secrets,  # its patterns are many, and only needed where a model is asked
    )

    return redact_secrets(text)
