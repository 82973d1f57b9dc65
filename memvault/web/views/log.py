"""Every operation on the vault: by whom, what it changed line by line, and the way back."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.responses import Response

from memvault.core.plan import Operation
from memvault.errors import MemvaultError, NoOperation
from memvault.storage.journal.undo import OperationFilter, diff_operations, find_operation, list_operations
from memvault.storage.vault.context import VaultContext
from memvault.web.page import Page

_PER_PAGE = 60


def list_log(page: Page) -> Response:
    """List the operations, the newest first, or those of an agent, a session or a sort."""
    at = page.number("at")
    wanted = OperationFilter(agent=page.query("agent"), session=page.query("session"), verb=page.query("did"))
    everything = page.vault.log(wanted)
    whole = everything if wanted == OperationFilter() else page.vault.log()
    return page.render(
        "log.html",
        operations=everything[at : at + _PER_PAGE],
        total=len(everything),
        at=at,
        step=_PER_PAGE,
        verbs=sorted({op.verb for op in whole}),
        agents=sorted({op.agent for op in whole if op.agent}),
        wanted=wanted,
        device=page.vault.device,
    )


def show_operation(page: Page) -> Response:
    """Show one operation: what each step changed, what undoing it and all after it would take back."""
    op = page.vault.run(find_operation, page.query("id"))
    return page.render(
        "operation.html",
        op=op,
        changes=page.vault.run(diff_operations, [op])[0],
        later=page.vault.run(_list_since, op),
        device=page.vault.device,
    )


def _list_since(context: VaultContext, op: Operation) -> list[Operation]:
    """Return what undoing to an operation takes back, in that order: all that was done since, and itself."""
    operations = list_operations(context)
    names = [each.op for each in operations]
    if op.op not in names:
        raise NoOperation(which=repr(op.op))
    since = operations[: names.index(op.op) + 1]
    return [each for each in since if each.state == "done" and each.verb not in ("undo", "purge") and each.steps]


def undo(page: Page) -> Response:
    """Undo one operation."""
    taken = page.vault.undo(page.field("id"))
    return page.redirect(op=taken.op)


def undo_to(page: Page) -> Response:
    """Undo all operations back to one, the newest first; stop at the first that cannot be undone, and say so."""
    op = page.vault.run(find_operation, page.field("id"))
    undone: list[str] = []
    failed: MemvaultError | None = None
    rest: Sequence[Operation] = page.vault.run(_list_since, op)
    for each in rest:
        try:
            undone.append(page.vault.undo(each.op).op)
        except MemvaultError as error:
            failed = error
            break
    left = [each for each in rest if each.op not in undone]
    return page.render("undone.html", undone=undone, failed=failed, left=left, target=op)
