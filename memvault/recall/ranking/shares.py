"""How relevant a memory is to a context, and how the kinds share its budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil, exp, log
from typing import NamedTuple

from memvault.core.kinds.episodic import EPISODIC
from memvault.core.kinds.kind import Kinds
from memvault.core.kinds.procedural import PROCEDURAL
from memvault.core.kinds.prospective import PROSPECTIVE
from memvault.core.kinds.semantic import SEMANTIC
from memvault.core.weight import DAY, MemoryUse

IMPORTANCE, RECENCY, ACCESS, SIMILARITY = 0.3, 0.2, 0.1, 0.4
FULL_SCORE = 10.0
# Half after a week, a tenth after a month.
_FADING_DAYS, _BEND = 10.9, 0.825
_MANY_USES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRelevance:
    """The relevance of a memory to a context, in four parts and in all, each from 0 to 10."""

    importance: float
    recency: float
    access: float
    similarity: float
    total: float


def rate_relevance(*, weight: float, use: MemoryUse, similarity: float, now: datetime) -> ContextRelevance:
    """Rate how much a memory belongs into a context: by weight, recency, use and similarity."""
    days = max(0.0, (now - use.last).total_seconds() / DAY)
    importance = FULL_SCORE * min(weight, 1.0)
    recency = FULL_SCORE * exp(-((days / _FADING_DAYS) ** _BEND))
    access = FULL_SCORE * min(1.0, log(1 + max(0, use.count)) / log(1 + _MANY_USES))
    alike = FULL_SCORE * min(similarity, 1.0)
    return ContextRelevance(
        importance=round(importance, 4),
        recency=round(recency, 4),
        access=round(access, 4),
        similarity=round(alike, 4),
        total=round(importance * IMPORTANCE + recency * RECENCY + access * ACCESS + alike * SIMILARITY, 4),
    )


# -- shares


class BudgetShift(NamedTuple):
    """Tokens that move from one kind to another when a query asks for that; words, and signs within words."""

    source: str
    target: str
    phrases: frozenset[str]
    signs: tuple[str, ...]  # of scripts without spaces


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
        (
            "待办",
            "待辦",
            "任务",
            "任務",
            "截止",
            "提醒",
            "タスク",
            "やること",
            "締め切り",
            "締切",
            "予定",
            "할 일",
            "마감",
        ),
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
        (
            "如何",
            "怎么做",
            "怎麼做",
            "怎样",
            "怎樣",
            "步骤",
            "步驟",
            "手順",
            "やり方",
            "どうやって",
            "方法",
            "어떻게",
            "방법",
            "절차",
        ),
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


# -- choosing


class ContextOffer(NamedTuple):
    """A memory that could be given: its kind, its cost, and what the first of its kind costs besides."""

    kind: str
    cost: float
    opening: float = 0.0


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
            cost = offer.cost + (0.0 if spent[offer.kind] else offer.opening)
            room = min(limits.get(offer.kind, 0.0) - spent[offer.kind], budget - sum(spent.values()))
            if number in taken or offer.kind in full or cost > room:
                # After one that does not fit the kind is full: the smaller one behind it is not the better.
                full |= {offer.kind} if in_order else set()
                continue
            spent[offer.kind] += cost
            taken.add(number)
    left_out = dict.fromkeys(spent, 0)
    for number, offer in enumerate(offers):
        left_out[offer.kind] += number not in taken
    return ChosenOffers(frozenset(taken), {kind: ceil(cost) for kind, cost in spent.items()}, left_out)
