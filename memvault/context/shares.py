"""How a budget is divided among kinds: shares, what a query moves between them, and what fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import NamedTuple

from memvault.core.kinds.episodic import EPISODIC
from memvault.core.kinds.kind import Kinds
from memvault.core.kinds.procedural import PROCEDURAL
from memvault.core.kinds.prospective import PROSPECTIVE
from memvault.core.kinds.semantic import SEMANTIC


class BudgetShift(NamedTuple):
    """Tokens that move from one kind to another when a query asks for that; words, and signs within words."""

    source: str
    target: str
    phrases: frozenset[str]
    signs: frozenset[str]  # of scripts without spaces


SHIFTED_TOKENS = 500  # tokens
_MOST_SHIFTED = 0.5  # of a share: in a small budget no kind is left without


def _split_phrases(text: str) -> frozenset[str]:
    return frozenset(line.strip() for line in text.split("/"))


BUDGET_SHIFTS: tuple[BudgetShift, ...] = (
    BudgetShift(
        SEMANTIC.name,
        PROSPECTIVE.name,
        _split_phrases(
            "todo/todos/to do/to-do/to-dos/task/tasks/remind/reminder/reminders/deadline/deadlines/overdue/pending"
            "/is due/are due/due date/due by/due on/due today/due tomorrow/due this/due next/what's due/upcoming"
            "/next step/next steps/need to/needs to/supposed to/planned/plan to/plans for/what is left"
            "/what's left/what is open/still open/what's next/what is next/follow up/agenda/on my list/should i do"
            "/aufgabe/aufgaben/erinnere/erinnerung/fällig/frist/fristen/zu tun"
            "/zu erledigen/erledigen/muss ich/müssen wir"
            "/nächste schritte/noch offen/geplant"
            "/tâche/tâches/à faire/rappel/rappelle/échéance/échéances/prochaines étapes/dois-je/prévu"
            "/tarea/tareas/pendiente/pendientes/recordatorio/recuérdame/próximos pasos/tengo que/por hacer/plazo"
            "/compito/compiti/da fare/scadenza/promemoria/tarefa/tarefas/a fazer/prazo/lembrete/taak/te doen"
        ),
        _split_phrases("待办/待辦/任务/任務/截止/提醒/タスク/やること/締め切り/締切/予定/할 일/마감"),
    ),
    BudgetShift(
        EPISODIC.name,
        PROCEDURAL.name,
        _split_phrases(
            "how to/how do i/how do you/how do we/how does one/how can i/how can we/how should i/how should we"
            "/how would i/how is it done/steps/step by step/procedure/instructions/guide/recipe/checklist/runbook"
            "/workflow/way to/ways to/best way/set up/setup"
            "/wie kann ich/wie kann man/wie macht man/wie mache ich/wie geht/wie muss"
            "/anleitung/schritte/vorgehen/ablauf"
            "/comment faire/comment puis-je/comment peut-on/comment on fait"
            "/étapes/procédure/mode d'emploi/marche à suivre"
            "/cómo hago/cómo puedo/cómo se hace/cómo se puede/cómo hacer/pasos/instrucciones/procedimiento/receta"
            "/come faccio/come si fa/istruzioni/procedura/passaggi/como faço/como se faz/passos/instruções"
            "/hoe kan ik/hoe moet/stappen"
        ),
        _split_phrases("如何/怎么做/怎麼做/怎样/怎樣/步骤/步驟/手順/やり方/どうやって/方法/어떻게/방법/절차"),
    ),
)

_AROUND = '.,;:!?()[]{}<>"“”„«»…*_¿¡、。？！'
_LONGEST_READ = 4_000  # characters of a query: what is asked for stands in so many


def find_shifts(query: str) -> tuple[BudgetShift, ...]:
    """Return the shifts that a query calls for: one for tasks, one for how something is done."""
    text = query[:_LONGEST_READ].lower().replace("’", "'")
    line = f" {' '.join(word.strip(_AROUND) for word in text.split())} "
    return tuple(
        shift
        for shift in BUDGET_SHIFTS
        if any(f" {phrase} " in line for phrase in shift.phrases) or any(sign in text for sign in shift.signs)
    )


def divide_budget(kinds: Kinds, query: str, budget: int) -> dict[str, int]:
    """Return how many tokens each kind gets of a budget; kinds without a share get what others leave over."""
    total = sum(kind.share for kind in kinds.values()) or 1.0
    found = {kind.name: int(budget * kind.share / total) for kind in kinds.values() if kind.share}
    for shift in find_shifts(query):
        moved = min(SHIFTED_TOKENS, int(found[shift.source] * _MOST_SHIFTED))
        found[shift.source] -= moved
        found[shift.target] += moved
    return found


class ContextOffer(NamedTuple):
    """A memory that could be given: its kind, and its cost."""

    kind: str
    cost: float


class ChosenOffers(NamedTuple):
    """The numbers of the chosen offers, and by kind what they cost and how many did not fit."""

    taken: frozenset[int]
    used: Mapping[str, int]
    left_out: Mapping[str, int]


def choose_offers(offers: Sequence[ContextOffer], shares: Mapping[str, float], budget: float) -> ChosenOffers:
    """Give each kind its share, the best first; then give what is left over to the best of all others."""
    spent = dict.fromkeys((*shares, *(offer.kind for offer in offers)), 0.0)
    taken: set[int] = set()
    for limits, in_order in ((shares, True), (dict.fromkeys(spent, budget), False)):
        full: set[str] = set()
        for number, offer in enumerate(offers):
            room = min(limits.get(offer.kind, 0.0) - spent[offer.kind], budget - sum(spent.values()))
            if number in taken or offer.kind in full or offer.cost > room:
                # After one that does not fit the kind is full: the smaller one behind it is not the better.
                full |= {offer.kind} if in_order else set()
                continue
            spent[offer.kind] += offer.cost
            taken.add(number)
    left_out = dict.fromkeys(spent, 0)
    for number, offer in enumerate(offers):
        left_out[offer.kind] += number not in taken
    return ChosenOffers(frozenset(taken), {kind: ceil(cost) for kind, cost in spent.items()}, left_out)
