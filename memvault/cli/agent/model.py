"""`memvault model` and `memvault model semantic`: a language model and one of meaning, for who wants them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memvault.cli.context import CliContext, CommandResult
from memvault.cli.options import Argument, DryRun, Option, action_argument, check_action
from memvault.cli.output.terminal import TerminalFormat
from memvault.errors import FAILED, Misused, NotConfirmed, NothingToDo
from memvault.text.display import format_count, format_size, to_one_line

if TYPE_CHECKING:
    from memvault.memories.reviewers import ReviewAnswer as Said
    from memvault.memories.reviewers import ReviewResult
    from memvault.models.llm.model import ModelAccess, ModelStatus, ModelTest
    from memvault.recall.semantic_model import SemanticChoice, SemanticStatus


MODEL_STATUS_EXAMPLES = ("memvault model status", "memvault model status --json")
MODEL_TEST_EXAMPLES = ("memvault model test",)
MODEL_REVIEW_EXAMPLES = ('memvault model review "Always run the migrations before the tests"',)

ReviewText = Annotated[list[str], Argument(metavar="TEXT", help="What is to be reviewed; `-` reads stdin.")]

_NONE = "No language model: rules of memvault's own do all the judging."
_HOW = "`memvault config --user model.provider claude` would have your Claude Code asked; the manual tells of others."


def model_status(cli: CliContext) -> CommandResult:
    """Show which language model is configured and how it stands; nothing is sent anywhere.

    It needs no vault: the model is set in your own config, and never by a file inside a vault.
    """
    return _status_result(_open_own_model(cli).status())


def model_test(cli: CliContext) -> CommandResult:
    """Ask the language model one small question: a real call, with no text of yours in it."""
    adviser = _open_own_model(cli)
    _announce_wait(adviser, "one small question", "model.max_seconds", cli)
    return _test_result(adviser.test_model())


def model_review(cli: CliContext, text: ReviewText) -> CommandResult:
    """Show what each reviewer says of a text, held against the memories that are there; nothing is stored.

    Without a model, rules review.
    """
    with cli.open_vault() as vault:
        _announce_wait(vault.open_model(), "for a review", "model.review_seconds", cli)
        found = vault.review_text(cli.read_stdin() if text == ["-"] else " ".join(text))
    return CommandResult(
        result=found,
        text=lambda paper: _format_verdict(found, paper),
        warnings=tuple(
            f"{name}: {failure.detail}." for name, failure in found.failures.items() if failure.reason != "none"
        ),
        messages=("Nothing was stored.",),
    )


def _open_own_model(cli: CliContext) -> ModelAccess:
    from memvault.api import Memvault

    return Memvault.own_model(environment=cli.environment, now=cli.now())


def _announce_wait(adviser: ModelAccess, what: str, limit: str, cli: CliContext) -> None:
    """Say who is asked and how long that may take, before anybody has to wait for it."""
    if adviser.ask is not None and not cli.as_json:
        seconds = adviser.time_limit(limit)
        cli.print_message(
            f"Asking {to_one_line(adviser.model_name)} {what}; that may take up to {seconds:g} s ({limit})."
        )


def _status_result(found: ModelStatus) -> CommandResult:
    if found.provider == "none":
        return CommandResult(result=found, text=lambda _paper: _NONE, messages=(_HOW,))
    return CommandResult(
        result=found,
        text=lambda paper: _format_status(found, paper),
        messages=("`memvault model test` asks it one small question.",) if found.is_ready else (),
        warnings=found.problems,
    )


def _format_status(found: ModelStatus, paper: TerminalFormat) -> str:
    spent = found.spent
    cost = f", ${spent.cost:.4f}" if spent.cost else ""
    calls = f"{format_count(spent.calls, 'call', 'calls')} this month, {spent.failed} without an answer{cost}"
    rows = [*found.facts.items(), ("calls", calls), *([("log", found.log)] if found.log else [])]
    named = " ".join(filter(None, (found.provider, found.model)))
    return "\n".join(
        [f"Language model: {to_one_line(named)}", *(paper.format_label(label, text) for label, text in rows)]
    )


def _test_result(found: ModelTest) -> CommandResult:
    named = to_one_line(" ".join(filter(None, (found.provider, found.model))))
    if found.ok:
        return CommandResult(
            result=found,
            text=lambda _paper: f"{named} answered, and kept to the form, in {found.seconds:.1f} s.",
            messages=(found.advice,),
        )
    if found.provider == "none":
        return CommandResult(result=found, text=lambda _paper: _NONE, messages=(_HOW,), exit_code=1)
    return CommandResult(
        result=found,
        text=lambda _paper: f"{named} gave no answer: {to_one_line(found.detail)}.",
        messages=("Until it does, rules of memvault's own judge in its place.",),
        exit_code=1,
    )


def _format_verdict(found: ReviewResult, paper: TerminalFormat) -> str:
    rows = [paper.format_label(to_one_line(said.by), _read_text(said)) for said in found.answers]
    return "\n".join([f"Verdict: {found.outcome}, as {to_one_line(found.verdict.reason)}.", *rows])


def _read_text(said: Said) -> str:
    scores = {"importance": said.importance, "relevance": said.relevance, "novelty": said.novelty}
    given = {name: f"{score:g}" for name, score in scores.items() if score is not None}
    told = [text if name == said.by else f"{name} {text}" for name, text in given.items()]
    told += ["trivial"] if said.trivial else []
    return "; ".join(filter(None, (", ".join(told), said.reason)))


# `memvault model semantic`: finding by meaning, for those who want it beside finding by words.

SEMANTIC_EXAMPLES = (
    "memvault model semantic status",
    "memvault model semantic enable",
    "memvault model semantic enable --model minishlab/potion-multilingual-128M --yes",
    "memvault model semantic enable --url http://localhost:11434/v1 --name nomic-embed-text",
    "memvault model semantic disable",
)

SEMANTIC_ACTIONS = ("status", "enable", "disable")

SemanticAction = Annotated[
    str, action_argument(SEMANTIC_ACTIONS, "What to do: status, enable or disable; status unless you say otherwise.")
]
Model = Annotated[
    str,
    Option(
        "--model", metavar="NAME", help="Which static model: its name, or its folder. A small English one otherwise."
    ),
]
Url = Annotated[str, Option("--url", metavar="URL", help="Ask a server for vectors instead (/v1/embeddings).")]
Name = Annotated[str, Option("--name", metavar="NAME", help="Which model the server is to use.")]
KeyEnv = Annotated[str, Option("--key-env", metavar="VARIABLE", help="The variable that holds the server's key.")]
Yes = Annotated[bool, Option("--yes", "-y", help="Agree beforehand to the download.")]

_NO_SEMANTIC_MODEL = "No model finds by meaning: recalls go by words."
_ENABLE_HINT = "`memvault model semantic enable` fetches one, after telling how large it is."


def semantic(
    cli: CliContext,
    action: SemanticAction = "status",
    *,
    model: Model = "",
    url: Url = "",
    name: Name = "",
    key_env: KeyEnv = "",
    yes: Yes = False,
    dry_run: DryRun = False,
) -> CommandResult:
    """Have recalls find by meaning too, see how that stands, or go by words alone again.

    `enable` is the only command of memvault that downloads anything: a model, once, after telling its size. From then
    on everything works without network. The choice is kept in your own config, never in a vault.
    """
    check_action(action, SEMANTIC_ACTIONS, "memvault model semantic")
    _check_options(action, url=url, model=model, others=(name, key_env))
    from memvault.recall.semantic_model import SemanticChoice

    found = SemanticChoice(cli.environment)
    match action:
        case "enable":
            server = {"semantic.url": url, "semantic.name": name, "semantic.key_env": key_env}
            if not url and not model:
                server = found.chosen_settings
            choice = server if server["semantic.url"] else _fetch_model(cli, found, model, yes=yes, dry_run=dry_run)
            return _enable_result(cli, found, choice, dry_run=dry_run)
        case "disable":
            if not found.is_chosen:
                raise NothingToDo(reason=_NO_SEMANTIC_MODEL)
            status = found.status()
            found.disable(dry_run=dry_run)
            would = "Would go" if dry_run else "Recalls go"
            left = f"The model stays in {status.folder}; delete that folder to have it gone." if status.folder else ""
            return CommandResult(
                result={"model": status.model, "folder": status.folder},
                text=lambda _paper: f"{would} by words alone.",
                messages=tuple(filter(None, (left,))),
            )
        case _:
            return _semantic_result(cli, found)


def _check_options(action: str, *, url: str, model: str, others: tuple[str, ...]) -> None:
    if (url or model or any(others)) and action != "enable":
        raise Misused(reason="--model, --url, --name and --key-env go with enable.", command="memvault model semantic")
    if (url and model) or (any(others) and not url):
        reason = "Either --model, or --url with --name and --key-env."
        raise Misused(reason=reason, command="memvault model semantic")
    if url and not others[0]:
        raise Misused(reason="--url needs --name: which model the server is to use.", command="memvault model semantic")


# -- enable


def _fetch_model(cli: CliContext, found: SemanticChoice, model: str, *, yes: bool, dry_run: bool) -> dict[str, str]:
    """The model that is meant, fetched if it is not here and the person agrees."""
    from memvault.models.embeddings.model2vec import download_model
    from memvault.recall.semantic_model import USUAL_MODEL

    found.check_installed()
    name = model or found.chosen_settings["semantic.model"] or USUAL_MODEL
    if name.startswith((".", "~")):
        name = str(Path(name).expanduser().resolve())
    if not found.is_here(name):
        plan = found.plan_download(name)
        size = format_size(plan.total_bytes)
        cli.print_message(f"{name} has {size}. It is fetched from {plan.host} once, into {plan.folder}.")
        if dry_run:
            raise NothingToDo(reason=f"Nothing was fetched: {name} is not on this machine yet.")
        if not yes and not (cli.has_person and cli.confirm(f"Download {size}?")):
            raise NotConfirmed(reason="Nothing was downloaded.", command=cli.repeat_command("--yes"))
        with cli.progress_bar("Downloading", in_bytes=True) as bar:
            download_model(plan, bar)
    return {"semantic.model": name}


def _enable_result(cli: CliContext, found: SemanticChoice, choice: dict[str, str], *, dry_run: bool) -> CommandResult:
    found.choose(choice, dry_run=dry_run)
    named = choice.get("semantic.name") or choice["semantic.model"]
    if dry_run:
        return CommandResult(
            result={"model": named, **_NO_VECTORS}, text=lambda _paper: f"Would find by meaning with {named}."
        )
    from memvault.errors import NoVault

    try:
        with cli.open_vault() as vault, cli.progress_bar("Embedding") as bar:
            done = vault.embed(progress=bar)
    except NoVault:
        text = f"Recalls find by meaning now, with {to_one_line(named)}."
        return CommandResult(result={"model": named, **_NO_VECTORS}, text=lambda _paper: text)
    told = f"{format_count(done.vectors, 'text has a vector', 'texts have vectors')} ({format_size(done.bytes)})"
    return CommandResult(
        result={"model": named, "vectors": done.vectors, "bytes": done.bytes},
        text=lambda _paper: f"Recalls find by meaning now, with {to_one_line(named)}: {told}.",
        messages=("Undo: memvault model semantic disable",),
    )


_NO_VECTORS = {"vectors": 0, "bytes": 0}


# -- the others


def _semantic_result(cli: CliContext, found: SemanticChoice) -> CommandResult:
    from dataclasses import replace

    from memvault.errors import NoVault
    from memvault.recall.semantic_model import count_vectors

    status = found.status()
    if status.ready:
        try:
            with cli.open_vault() as vault:
                vault.refresh()
                held = vault.run(count_vectors)
                status = replace(status, vectors=held.vectors, bytes=held.bytes, behind=held.fresh)
        except NoVault:
            pass
    if not found.is_chosen:
        return CommandResult(result=status, text=lambda _paper: _NO_SEMANTIC_MODEL, messages=(_ENABLE_HINT,))
    return CommandResult(
        result=status,
        text=lambda paper: _format_semantic(status, paper),
        warnings=tuple(filter(None, (status.problem,))),
        exit_code=0 if status.ready else FAILED,
    )


def _format_semantic(status: SemanticStatus, paper: TerminalFormat) -> str:
    held = f"{format_count(status.vectors, 'text', 'texts')}, {format_size(status.bytes)}" if status.ready else ""
    rows = (
        ("url", status.url),
        ("in", status.folder),
        ("vectors", held),
        ("without one", format_count(status.behind, "text", "texts") if status.behind else ""),
    )
    head = f"Finds by meaning: {to_one_line(status.model)}"
    return "\n".join([head, *(paper.format_label(label, text) for label, text in rows if text)])
