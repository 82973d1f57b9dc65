"""Speaking to it, and the person's switch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from memvault.agents.spoken.listening import may_hold_command
from memvault.core.settings import Settings
from memvault.core.value import replace
from memvault.errors import BadInput, NoIntent
from memvault.open_vault import Hall, load_personal
from memvault.storage.vault import config
from memvault.system import files, paths

if TYPE_CHECKING:
    from memvault.agents.spoken.execute import Said
    from memvault.agents.spoken.intent import Intent
    from memvault.agents.spoken.parse import Heard
    from memvault.context.injection_log import Shown
    from memvault.context.prompt import Later, Put
    from memvault.storage.pauses import Quiet, Scope
    from memvault.storage.vault.context import Bench


class Speaking(Hall):
    """What is done by a word."""

    def intent(self, text: str) -> Intent | None:
        """The command that an assistant is to obey in a prompt, if it holds one and `intents.obey` is set."""
        found = self.hear(text)
        return None if found is None else found.intent

    def hear(self, text: str) -> Heard | None:
        """The same with what else the prompt says, which is for the assistant."""
        return self._hear(text) if self.settings.flag("intents.obey") else None

    def say(
        self,
        text: str,
        *,
        before: str = "",
        project: str = "",
        by_person: bool = False,
        secrets: str = "",
        dry_run: bool = False,
    ) -> Said:
        """Do what a text asks for.

        `before` is what "this" means, `by_person` says that it is the person's own word, whoever carries it here.
        What becomes of secrets in it, `secrets` says: refuse, redact or keep.
        """
        from memvault.agents.spoken.execute import Spoken, instead, say

        found = self._read(text)
        if found is None:
            raise NoIntent(text=_short(text), way_out=instead(text))
        spoken = Spoken(
            before=before,
            project=project,
            secrets=secrets,
            ask=self.model().ask,
            ask_wording=self._ask_for("consolidate.wording"),
            dry_run=dry_run,
        )
        return self._at_bench(lambda bench: say(_as_persons(bench, found) if by_person else bench, found, spoken))

    def _read(self, text: str) -> Intent | None:
        found = self._hear(text)
        return None if found is None else found.intent

    def _hear(self, text: str) -> Heard | None:
        phrases = self.settings.texts("intents.phrases")
        if not may_hold_command(text, phrases=phrases):
            return None
        from memvault.agents.spoken.parse import hear  # deferred: most prompts need no reading

        return hear(text, phrases=phrases)

    # -- the switch

    def pause(
        self,
        *,
        project: str = "",
        here: bool = False,
        session: str = "",
        span: timedelta | None = None,
        dry_run: bool = False,
    ) -> Quiet:
        """Remember and inject nothing by itself: everywhere, in a project, in the one of this folder, in a session."""
        from memvault.storage.pauses import pause

        scope = _scope(project, here=here, session=session)
        with files.plainly(self.state_folder):
            return pause(self.state_folder, scope, now=self._clock(), span=span, dry_run=dry_run)

    def resume(
        self,
        *,
        project: str = "",
        here: bool = False,
        session: str = "",
        everything: bool = False,
        dry_run: bool = False,
    ) -> tuple[Quiet, ...]:
        """End a pause, or with `everything` all of them; gives those that were ended."""
        from memvault.storage.pauses import resume

        scope = _scope(project, here=here, session=session)
        with files.plainly(self.state_folder):
            return resume(self.state_folder, [scope], now=self._clock(), everything=everything, dry_run=dry_run)

    def paused(self, *, project: str = "", session: str = "") -> Quiet | None:
        """The pause that holds for a project and a session now, if there is one."""
        from memvault.storage.pauses import Quiet, Scope, quiet_now

        if self._actor.is_nameless or (session and not self._sayable(session)):
            return Quiet(Scope("session"), self._clock(), incognito=True)
        session = session or self._actor.session
        return quiet_now(self.state_folder, project, session, self._clock(), self.environment)

    def pauses(self) -> tuple[Quiet, ...]:
        """Every pause that holds now, whatever for."""
        from memvault.storage.pauses import standing

        return standing(self.state_folder, self._clock())

    def last(self, *, session: str = "", limit: int = 1) -> tuple[Shown, ...]:
        """What was put before a model last, and why, the newest first."""
        from memvault.context.injection_log import last_shown

        return self._at_bench(lambda bench: last_shown(bench, session, limit=limit))


def _as_persons(bench: Bench, intent: Intent) -> Bench:
    """The bench of a person who speaks; what they only point to stays the agent's where it had read the web."""
    from memvault.agents.spoken.intent import Remember, SaveProgress, Significant
    from memvault.memories.web_taint import in_doubt

    is_pointed_to = isinstance(intent, SaveProgress) or (isinstance(intent, Remember | Significant) and not intent.text)
    if is_pointed_to and in_doubt(bench):
        return bench
    return replace(bench, actor=replace(bench.actor, agent=""))


def command_of(prompt: str, environment: Mapping[str, str]) -> Intent | None:
    """The command in a prompt where no vault could be opened, as far as this person's own settings can be read."""
    settings = Settings({})
    with suppress(Exception):  # in settings that cannot be read there are no phrases
        settings = Settings({**load_personal(environment), **config.from_environment(environment)})
    phrases = settings.texts("intents.phrases")
    if not settings.flag("intents.obey") or not may_hold_command(prompt, phrases=phrases):
        return None
    from memvault.agents.spoken.parse import read  # deferred: most prompts need no reading

    return read(prompt, phrases=phrases)


def _scope(project: str, *, here: bool, session: str) -> Scope:
    from memvault.storage.pauses import EVERYTHING, Scope
    from memvault.system import project as projects

    if bool(project.strip()) + here + bool(session.strip()) > 1:
        raise BadInput(what="the scope", value=project or session, reason="name one project or one session, not both")
    if session.strip():
        return Scope("session", session.strip())
    name = projects.of(Path.cwd()) if here else project.strip()
    return Scope("project", name) if name else EVERYTHING


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:59]}…"


# At an agent's side: what is put before it at each moment, and what is kept of a session.

_TAIL = 200_000  # bytes of a transcript in which the last exchange is looked for


class Attending(Hall):
    """What is done without being asked for, in the moments that an agent's hooks tell of."""

    def now(self) -> datetime:
        """The time by this hall's clock."""
        return self._clock()

    def ask_before_writing(self, gate: Callable[[], object] | None) -> None:
        """Have something called, under the vault's lock, before anything is written; where it raises, nothing is."""
        self._vault.before_writing = gate

    def obeyed_before(self) -> str:
        """What another process did for this session a moment ago, in one sentence; empty where that was nothing."""
        from memvault.agents.spoken.execute import obeyed  # deferred: seldom are there two

        return self._at_bench(lambda bench: obeyed(bench, self._clock()))

    def inject(
        self,
        prompt: str,
        *,
        event: str,
        session: str,
        project: str,
        obeyed: Said | None = None,
        later: Later | None = None,
    ) -> Put:
        """The few memories that a prompt calls for, as text for the model, with a line for the user.

        What a command in it was `obeyed` by goes along where the model is to tell of it, and is not given again.
        The account of it is kept at once, or by whoever is given it for `later`.
        """
        from memvault.context.prompt import Occasion, at_once, at_prompt

        own, state = self._sayable(session), self.state_folder
        occasion = Occasion(event=event, session=own, project=project, state=state, later=later or at_once)
        if obeyed is None:
            return self._at_bench(lambda bench: at_prompt(bench, prompt, occasion))
        from memvault.agents.spoken.execute import answer, made  # deferred: most prompts hold no command

        asked, without = answer(obeyed), made(obeyed)
        return self._at_bench(lambda bench: at_prompt(bench, prompt, occasion, asked=asked, without=without))

    def inject_at_start(
        self,
        *,
        event: str,
        session: str,
        project: str,
        source: str = "",
        folder: Path | None = None,
        later: Later | None = None,
    ) -> Put:
        """What a session begins with, as `inject` gives it; `source` says how it begins."""
        from memvault.agents.setup.clients import home
        from memvault.context.prompt import Occasion, at_once
        from memvault.context.session_start import at_start

        occasion = Occasion(
            event=event,
            session=session,
            project=project,
            state=self.state_folder,
            source=source,
            folder=folder,
            home=home(self.environment),
            later=later or at_once,
        )
        return self._at_bench(lambda bench: at_start(bench, occasion))

    def exchange_before(self, transcript: str) -> str:
        """What was said last in a transcript, which is what "this" means; empty where it cannot be read."""
        from memvault.errors import MemvaultError
        from memvault.transcripts.archive.source_file import Origin
        from memvault.transcripts.formats import Kept, Start, of_agent

        try:
            origin = Origin.of(Path(transcript))
        except MemvaultError:
            return ""
        source = of_agent(origin.first, origin.path.name)
        records = source.read(origin.chunks(max(0, origin.size - _TAIL)), Start())
        turns = [record.turn for record in records if isinstance(record, Kept) and record.turn]
        said = [turn for turn in turns if turn.text]
        return "\n\n".join(turn.text for turn in islice(said, max(0, len(said) - 2), None))

    def keep_session(self, transcript: str, *, session: str) -> None:
        """Have the transcript taken in and the progress saved, by a process that outlives this one."""
        from memvault.system.programs import start

        words = ["--vault", str(self.root), "save-progress", "--session", session, "--transcript", transcript]
        # Whose session it is goes along: what is kept of one that read the web is marked.
        who = {"MEMVAULT_AGENT": self._actor.agent, "MEMVAULT_SESSION": session}
        start(words, {**self.environment, **who})


# What was forgotten for good on another machine, forgotten on this one, too.


class Obeying(Hall):
    """What every call asks for that meets what other machines did."""

    def _obey(self) -> None:
        """Take out of all that this machine keeps what is marked as purged; nothing where that was done."""
        from memvault.privacy.purge import purge  # deferred: in most vaults nothing was ever purged

        if self._at_bench(purge.is_due):
            self._at_bench(purge.obey)
            self._throw_derived_away()
            self._at_bench(purge.renew)
            self._at_bench(purge.note)

    def _throw_derived_away(self) -> None:
        """What is derived is made again of what is left: a database that lets go of a row may keep its bytes."""
        from memvault.storage.index.index import discard

        with files.plainly(self.root):
            self.throw_catalogue_away(discard)
            self.throw_talks_away(discard)
            for folder in self._derived():
                discard(folder)

    def _derived(self) -> tuple[Path, ...]:
        """Whatever this machine has made of the vault: catalogues, also those set aside, and reports."""
        cache, own = paths.cache(self.environment), self._vault.charter.id
        names = (("vaults", f"{own}-*"), ("talks", f"{own}-*"), ("reports", own[:8]))
        return tuple(path for kind, name in names for path in sorted((cache / kind).glob(name)))
