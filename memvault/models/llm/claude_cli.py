"""The person's own Claude Code, asked once and without its tools, its settings or its hooks."""

from __future__ import annotations

import json
from dataclasses import dataclass

from memvault.models.llm.ask import Answered, Deadline, Failure, Question, Setup, Standing
from memvault.models.llm.command import ProgramResult, find_program, run_program

_DEFAULT_MODEL = "haiku"
_PROGRAM = ("claude",)
_MAX_ARGUMENT = 100_000  # systems take arguments of some 128 KB each; what is long goes by stdin
# How it finds its sign-in and its way out; nothing of a session that we may be running in.
_OWN_VARIABLES = (
    *("CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"),
    *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_VERTEX_PROJECT_ID"),
    *("AWS_REGION", "AWS_PROFILE", "AWS_BEARER_TOKEN_BEDROCK", "CLOUD_ML_REGION", "GOOGLE_APPLICATION_CREDENTIALS"),
    *("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"),
)
_NOT_SIGNED_IN = "Claude Code is not signed in: run `claude`, then /login"


@dataclass(frozen=True, slots=True)
class ClaudeCli:
    """The person's own Claude Code as a provider."""

    setup: Setup
    name: str = "claude"

    @property
    def model(self) -> str:
        """The model that it is told to use."""
        return self.setup.name or _DEFAULT_MODEL

    def answer(self, question: Question, deadline: Deadline) -> Answered | Failure:
        """Ask Claude Code in print mode, the prompt on stdin."""
        schema = json.dumps(question.schema)
        if max(len(question.system.encode()), len(schema.encode())) > _MAX_ARGUMENT:
            return Failure("oversized", "the instructions are longer than an argument may be")
        # --safe-mode keeps its hooks from running (ours among them); --bare would, but knows no subscription.
        words = [
            *("-p", "--safe-mode", "--tools", "", "--no-session-persistence", "--strict-mcp-config"),
            *("--model", self.model, "--system-prompt", question.system),
            *("--output-format", "json", "--json-schema", schema),
        ]
        ended = self._run_claude(words, question.prompt, deadline)
        return ended if isinstance(ended, Failure) else _parse_envelope(ended)

    def standing(self, deadline: Deadline) -> Standing:
        """Return where it is, and whether it is signed in."""
        name = (self.setup.command or _PROGRAM)[0]
        path = find_program(name, self.setup.environment)
        if path is None:
            problem = f"{name} was not found: install Claude Code, or set model.command to its full path."
            return Standing(problems=(problem,))
        facts = (("program", path),)
        ended = self._run_claude(["auth", "status"], "", deadline)
        if isinstance(ended, Failure):
            return Standing(facts, (f"Whether it is signed in could not be found out: {ended.detail}.",))
        return Standing(facts, (f"{_NOT_SIGNED_IN}.",)) if ended.code else Standing((*facts, ("signed in", "yes")))

    def _run_claude(self, words: list[str], text: str, deadline: Deadline) -> ProgramResult | Failure:
        command = (*(self.setup.command or _PROGRAM), *words)
        return run_program(self.setup, command, text, deadline, variables=_OWN_VARIABLES)


def _parse_envelope(ended: ProgramResult) -> Answered | Failure:
    """The answer out of its envelope; that is an object, or with some settings a list that ends with it."""
    try:
        read = json.loads(ended.out)
    except (ValueError, RecursionError):
        read = None
    envelope = read[-1] if isinstance(read, list) and read else read
    if not isinstance(envelope, dict) or envelope.get("type") != "result":
        why = f"it ended with exit code {ended.code} and" if ended.code else "it"
        return Failure("failed", f"Claude Code: {why} gave no result")
    cost = _read_cost(envelope.get("total_cost_usd"))
    # Its subtype says "success" also where it could not sign in, so that tells nothing.
    if envelope.get("is_error") is not False:
        said = str(envelope.get("result", ""))
        if "/login" in said or "Not logged in" in said or "Invalid API key" in said:
            return Failure("refused", _NOT_SIGNED_IN, cost)
        return Failure("failed", "Claude Code reports an error (`claude -p` by hand shows which)", cost)
    if ended.code:
        return Failure("failed", f"Claude Code ended with exit code {ended.code}, whatever its answer says", cost)
    structured = envelope.get("structured_output")
    return Answered(envelope.get("result", "") if structured is None else structured, cost)


def _read_cost(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < 1e6 else None  # type: ignore[arg-type,operator]
