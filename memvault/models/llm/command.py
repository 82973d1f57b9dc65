"""Any program: the request as JSON on its stdin, a JSON object on its stdout."""

from __future__ import annotations

import json
from dataclasses import dataclass

from memvault.models.llm import subprocess
from memvault.models.llm.ask import Answered, Deadline, Failure, Question, Setup, Standing

_SYSTEM, _SCHEMA, _NAME = "{system}", "{schema}", "{name}"


@dataclass(frozen=True, slots=True)
class ProgramProvider:
    """The person's own program as a provider."""

    setup: Setup
    name: str = "command"

    @property
    def model(self) -> str:
        """What the settings call the model; the program may know better."""
        return self.setup.name

    def answer(self, question: Question, deadline: Deadline) -> Answered | Failure:
        """Run the program on the request."""
        if not self.setup.command:
            return Failure("unset", "model.command names no program")
        found = subprocess.find_program(self.setup.command[0], self.setup.environment)
        if found is None:
            return Failure("missing", f"{self.setup.command[0]} was not found")
        ended = subprocess.run_program(
            [found, *self._build_arguments(question)],
            self._build_input(question),
            environment=subprocess.child_environment(self.setup.environment, self.setup.key_env),
            deadline=deadline,
        )
        if isinstance(ended, Failure):
            return ended
        if ended.code:
            return Failure("failed", f"it ended with exit code {ended.code}, whatever it answered")
        return Answered(ended.out)

    def standing(self, _deadline: Deadline) -> Standing:
        """Whether the program is there."""
        if not self.setup.command:
            return Standing(problems=("model.command names no program: set it to the program and its first words.",))
        found = subprocess.find_program(self.setup.command[0], self.setup.environment)
        if found is None:
            problem = f"{self.setup.command[0]} was not found: give its full path, or see that it is in PATH."
            return Standing(problems=(problem,))
        return Standing(facts=(("program", " ".join([found, *self.setup.command[1:]])),))

    def _build_arguments(self, question: Question) -> list[str]:
        given = {_SYSTEM: question.system, _SCHEMA: json.dumps(question.schema), _NAME: self.model}
        return [given.get(word, word) for word in self.setup.command[1:]]

    def _build_input(self, question: Question) -> str:
        """The prompt alone for a program that takes the rest as words; everything for one that does not."""
        if _SYSTEM in self.setup.command:
            return question.prompt
        request = {
            "system": question.system,
            "prompt": question.prompt,
            "schema": question.schema,
            "model": self.model,
        }
        return json.dumps(request, ensure_ascii=False)


def make_program(setup: Setup) -> ProgramProvider:
    """The program, as the settings have it."""
    return ProgramProvider(setup)
