"""Signals that a sentence is worth a memory: phrases in several languages, one row each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

_CHOOSE = (
    r"(?:go(?:ing)? with|use|stick(?:ing)? (?:with|to)|stay(?:ing)? (?:with|on)|switch to|adopt|settle on"
    r"|standardi[sz]e on"
    r"|drop|replace|move to|migrate to|keep(?= (?:the|our|using|both|only|to)\b))"
)
_NOT_IT = r"(?! (?:it|that|this|them|those|these)\b)"
_VERB = (
    r"(?!(?:mind|ever|again|been|had|was|is|are|were|did|saw|went|knew|thought|heard|felt|met|came|gonna|seen|too"
    r"|so|up|one|more|does|the|a|an|in|at|on|got|the|my|it|happens?|works?|returns?"
    r"|fails?|sure|say never)\b)[a-z]{2,}(?<!ed)(?<!ing)(?<![^s]s)"
)
_DO = (
    r"(?:use|add|write|put|create|touch|commit|push|call|make|change|include|explain|ask|edit|delete|remove"
    r"|rename|format"
    r"|run|install|send|start|give|answer|reply|mention|import|mock|hard-?code)"
)

USER, PERSON, ASSISTANT = "user", "person", "assistant"
"""Who speaks: the user of an assistant, one of some people among themselves, the assistant."""

OWNER = frozenset((USER,))
PEOPLE = frozenset((USER, PERSON))
TALKERS = frozenset((USER, ASSISTANT))


@dataclass(frozen=True, slots=True)
class KeepSignal:
    """A pattern for a sort, how strong a signal it is, and for which speakers it counts."""

    sort: str
    strength: float
    pattern: str
    speakers: frozenset[str] = OWNER
    needs_day: bool = False  # only with a day after it
    not_in_request: bool = False  # not in a request for help: then it is a problem to look into


_DECISIONS = (
    KeepSignal("decision", 3.0, r"^(?:decision|we decided|beschluss|entscheidung|decisión|décision) ?: \S"),
    KeepSignal(
        "decision",
        2.8,
        r"\b(?:we|i|i've|we've|(?:the|our|my) (?:team|group|board|family))(?: have| has)?(?: (?:finally|just|all"
        r"|now|also))?"
        r" (?:decided|agreed|settled|chose|chosen|opted|resolved)\b(?! (?:yet|whether|if|what|who|it|them|this"
        r"|that)\b)",
        PEOPLE,
    ),
    KeepSignal("decision", 2.6, rf"(?:^|[,;:.] |\b(?:so|then|and|ok) )(?:let's|let us) {_CHOOSE}\b{_NOT_IT}"),
    KeepSignal("decision", 2.6, rf"\bwe(?:'ll| will|'re going to| are going to) (?:just |now )?{_CHOOSE}\b{_NOT_IT}"),
    KeepSignal(
        "decision", 2.6, r"\b(?:we're|we are|i'm|i am) (?:going|sticking|staying) with\b(?! (?:it|that|this)\b)"
    ),
    KeepSignal("decision", 2.4, rf"(?:^|[,;] )(?:stay (?:on|with)|stick (?:with|to)|go with){_NOT_IT} \S"),
    KeepSignal(
        "decision",
        2.8,
        r"\b(?:from now on|going forward|from (?:today|tomorrow|next \w+|\w+day|this \w+) on(?:wards?)?)\b(?!\?)",
    ),
    KeepSignal(
        "decision",
        2.8,
        r"\b(?:wir haben|ich habe|haben wir|habe ich)\b.{0,80}\b(?:beschlossen|entschieden|vereinbart)\b",
    ),
    KeepSignal("decision", 2.8, r"\b(?:wir haben|ich habe) (?:beschlossen|entschieden|vereinbart|uns|mich)\b"),
    KeepSignal("decision", 2.8, r"\b(?:ab sofort|ab jetzt|von nun an|künftig|in zukunft)\b"),
    KeepSignal("decision", 2.4, r"^(?:wir bleiben bei|wir nehmen|nehmen wir|bleiben wir bei) (?!das\b|es\b)"),
    KeepSignal("decision", 2.8, r"\b(?:hemos decidido|decidimos|acordamos|hemos acordado|he decidido|quedamos en)\b"),
    KeepSignal(
        "decision", 2.8, r"\b(?:a partir de ahora|de ahora en adelante|d'ora in poi|a partir de agora|vanaf nu)\b"
    ),
    KeepSignal(
        "decision", 2.8, r"\b(?:on a|nous avons|j'ai|on s'est) (?:finalement )?(?:décidé|choisi|convenu|mis d'accord)\b"
    ),
    KeepSignal("decision", 2.8, r"\b(?:à partir de maintenant|désormais|dorénavant)\b"),
    KeepSignal(
        "decision",
        2.8,
        r"\b(?:abbiamo deciso|ho deciso|we hebben besloten|мы решили)\b|我们决定|从现在起|今后|これからは|に決めました",
    ),
)
_PREFERENCES = (
    KeepSignal(
        "preference",
        2.8,
        r"\bi(?:'d| would)?(?: (?:really|strongly|always|usually|generally|much|still|also|definitely))* prefer\b",
        PEOPLE,
    ),
    KeepSignal("preference", 2.6, rf"^(?:and |also |please |but )*(?:always|never) {_VERB}\b"),
    KeepSignal("preference", 2.6, rf"(?:^|[,;] )please (?:always|never) {_VERB}\b"),
    KeepSignal("preference", 2.6, rf"^(?:and |also |please |but )*(?:do not|don't) ever {_DO}\b"),
    KeepSignal(
        "preference",
        2.4,
        rf"^(?:and |also |please |but )*(?:do not|don't|avoid|only) {_DO}?\b.{{2,60}}\b(?:in (?:this|any|my"
        rf"|our) (?:project|repo|"
        r"repository|codebase|code)|anymore|any more|for me|anywhere|when you)\b",
    ),
    KeepSignal(
        "preference",
        2.4,
        r"\bi (?:really )?(?:hate|dislike|can't stand|don't like|do not like|love it|like it) (?:when(?:ever)?|if)\b",
    ),
    KeepSignal(
        "preference",
        2.3,
        r"\bi (?:really )?(?:hate|dislike|can't stand|don't like|do not like)"
        r" (?!(?:this|that|it|these|those|the|how|what|him|her|them|my|your|when)\b)\w",
    ),
    KeepSignal(
        "preference", 2.6, r"^(?:\w+,? )?my (?:favou?rite|preferred|go-to)(?: [\w-]+){1,3} (?:is|are)\b", PEOPLE
    ),
    KeepSignal(
        "preference",
        2.5,
        r"^(?:please )?(?:call me|address me as|refer to me as) (?!back|later|when|if|at|on|tomorrow|a |an |the "
        r"|to |in )\w",
    ),
    KeepSignal("preference", 2.5, r"\bmy pronouns are\b"),
    KeepSignal(
        "preference",
        2.5,
        r"\bi(?:'m| am) (?:severely )?(?:allergic to|vegetarian|vegan|colou?r[- ]?blind|lactose|coeliac|celiac)",
        PEOPLE,
    ),
    KeepSignal(
        "preference",
        2.5,
        rf"^(?:when|whenever|every time|each time) (?:you|i|we|\w+ing)\b.{{3,80}}, (?:please )?(?:always "
        rf"|never )?{_DO}\b",
    ),
    KeepSignal(
        "preference",
        2.8,
        r"\bich (?:bevorzuge|mag (?:es )?(?:lieber|am liebsten|nicht,? wenn)|hasse es|hätte (?:es )?lieber)\b",
    ),
    KeepSignal("preference", 2.6, r"^(?:und |bitte )*(?:immer|nie|niemals) \w+"),
    KeepSignal(
        "preference",
        2.6,
        r"^(?:bitte )?(?:schreib|nutz|benutz|verwend|nimm|antwort|mach)e? (?:bitte )?(?:mir )?(?:immer|nie"
        r"|niemals|nur)\b",
    ),
    KeepSignal(
        "preference", 2.8, r"\b(?:yo )?prefiero\b|\bme gusta más\b|\bprefiro\b|\bpreferisco\b|\bik heb liever\b"
    ),
    KeepSignal(
        "preference",
        2.6,
        r"^(?:por favor,? )?(?:siempre|nunca) (?:usa|utiliza|escribe|responde|haz|pon|añade|uses|escribas|pongas)\b",
    ),
    KeepSignal("preference", 2.8, r"\bje préfère\b"),
    KeepSignal(
        "preference", 2.6, r"\bn(?:'|e )(?:utilise|écri[st]|ajoute|mets|fais|commence|réponds|touche)[sz]? jamais\b"
    ),
    KeepSignal(
        "preference", 2.6, r"^(?:s'il te plaît,? )?(?:utilise|écris|mets|réponds|ajoute|commente)[sz]? toujours\b"
    ),
    KeepSignal(
        "preference",
        2.6,
        r"以后请|请(?:一律|总是|始终)|我(?:更喜欢|偏好|不喜欢)|я предпочитаю"
        r"|(?:いつも|常に|必ず).*(?:ください|下さい)|ほうが好き",
    ),
)
_GOTCHAS = (
    KeepSignal(
        "gotcha",
        2.8,
        r"(?:^|[,;:.–-] |\b(?:and|but|so|because|well|as|oh) )(?:as )?(?:it )?(?:turns|turned) out\b.{12,}",
        TALKERS,
    ),
    KeepSignal(
        "gotcha",
        2.8,
        r"(?:^|[,;:] )(?:beware|gotcha|pitfall|caveat|watch out (?:for|with|that|,)|watch out:)\b.{12,}",
        TALKERS,
    ),
    KeepSignal("gotcha", 2.5, r"^(?:be careful|careful) (?:with|when|that|not to)\b.{12,}"),
    KeepSignal(
        "gotcha",
        2.8,
        r"\bthe (?:trick|catch|gotcha|pitfall) (?:is|was)(?! (?:not|no)\b)(?: to| that|:)?\b.{10,}",
        TALKERS,
    ),
    KeepSignal(
        "gotcha",
        2.6,
        r"\b(?:root cause|culprit|actual (?:problem|cause|reason)|real (?:problem|cause|reason)) (?:was|is)\b.{10,}",
        TALKERS,
    ),
    KeepSignal(
        "gotcha", 2.5, r"\b(?:problem|issue|bug|reason|cause) was (?:that|a|an|the|in|because|caused)\b.{10,}", TALKERS
    ),
    KeepSignal(
        "gotcha",
        2.5,
        r"\b(?:test|tests|bug|error|failure|failures|crash|leak|timeout|problem|flake|warning)s? (?:came|comes"
        r"|stemmed) from (?:a|an|the|our)\b",
        TALKERS,
    ),
    KeepSignal(
        "gotcha",
        2.4,
        r"\b(?:fails?|breaks?|crashe?s?|hangs?|refuses to \w+|does(?:n't| not) work"
        r"|won't work)\b.{0,80}\b(?:because|unless)\b",
        TALKERS,
        not_in_request=True,
    ),
    KeepSignal(
        "gotcha",
        2.4,
        r"\b(?:only works?|works only) (?:if|when|with|after|on)\b|\b(?:fails|breaks) silently\b",
        TALKERS,
        not_in_request=True,
    ),
    KeepSignal(
        "gotcha",
        2.4,
        r"\bsilently (?:drops|ignores|fails|truncates|overwrites|deletes|skips)\b",
        TALKERS,
        not_in_request=True,
    ),
    KeepSignal(
        "gotcha",
        2.7,
        r"\b(?:es )?stellt(?:e)? sich heraus\b|^(?:achtung|vorsicht)[:,!] .{12,}|\bder (?:trick|haken) (?:ist|war)\b",
        TALKERS,
    ),
    KeepSignal(
        "gotcha",
        2.5,
        r"\b(?:funktioniert|geht|läuft) nur,? wenn\b|\b(?:lag|liegt) daran,? dass\b",
        TALKERS,
        not_in_request=True,
    ),
    KeepSignal(
        "gotcha",
        2.7,
        r"\bresulta que\b|^(?:ojo|cuidado)[:, ].{12,}|\bel truco (?:es|está)\b|\bel problema era\b",
        TALKERS,
    ),
    KeepSignal("gotcha", 2.5, r"\bs[oó]lo funciona (?:si|cuando|con)\b", TALKERS, not_in_request=True),
    KeepSignal(
        "gotcha",
        2.7,
        r"\bil s'avère que\b|^attention ?[:,!] .{12,}|\b(?:l'astuce|le piège) (?:est|était|c'est)\b",
        TALKERS,
    ),
    KeepSignal(
        "gotcha",
        2.5,
        r"\bne (?:marche|fonctionne) que (?:si|quand|lorsque)\b|\ble problème venait\b",
        TALKERS,
        not_in_request=True,
    ),
    KeepSignal("gotcha", 2.5, r"原来是因为|问题出在|落とし穴|原因は.{4,}でした", TALKERS),
)
_LEARNINGS = (
    KeepSignal(
        "learning",
        2.6,
        r"(?:^|[,;:.] |\b(?:and|but|so|today|yesterday) )(?:i|we|i've|we've)(?: have)?(?: just"
        r"| finally)? (?:learned|learnt|found out|discovered|figured out)"
        r"(?: today| just| recently| now| yesterday)? (?:that|how|to|the hard way)\b",
        PEOPLE,
    ),
    KeepSignal(
        "learning",
        2.7,
        r"\blessons? (?:learned|learnt)\b ?[:,].{10,}|^til\b.{10,}|\btoday i (?:learned|learnt)\b.{10,}",
        PEOPLE,
    ),
    KeepSignal(
        "learning", 2.4, r"\b(?:i|i've|we|we've)(?: just| now)? (?:realised|realized|noticed) that\b.{15,}", PEOPLE
    ),
    KeepSignal(
        "learning",
        2.6,
        r"\b(?:ich habe|wir haben|habe ich)\b.{0,30}\b(?:gelernt|herausgefunden|festgestellt),? (?:dass|wie)\b",
        PEOPLE,
    ),
    KeepSignal("learning", 2.4, r"\bmir ist (?:aufgefallen|klar geworden),? dass\b", PEOPLE),
    KeepSignal("learning", 2.6, r"\b(?:he aprendido|aprendí|hemos aprendido|descubrí|me di cuenta de) que\b", PEOPLE),
    KeepSignal("learning", 2.6, r"\b(?:j'ai|on a|nous avons) (?:appris|découvert|compris) qu(?:e\b|')", PEOPLE),
)
_PLAN = (
    r"(?!(?:'ll|will) (?:just |also |probably )?need )(?:plan to|'m planning to|am planning to"
    r"|are planning to|'re planning to|intend to|promised to|'ll|will)"
)
_NEED = (
    r"(?!\w+ to make sure)(?:need to|have to|must|should|ought to|'m going to|am going to|are going to"
    r"|'re going to|gotta|got to)"
)
_TODOS = (
    KeepSignal(
        "todo", 3.0, r"^(?:todo|to-do|to do|fixme|reminder|note to self|zu erledigen|pendiente|à faire) ?[:–-] ?\S"
    ),
    KeepSignal(
        "todo",
        2.9,
        r"(?:^|[,;:.] |\b(?:and|please|then|just|you|to|but) )remind (?:me|us)"
        r" (?!(?:how|what|why|which|who|where|of|again|whether|if|the|that|it|we|you)\b)\w",
    ),
    KeepSignal("todo", 2.9, r"\b(?:don't|do not) let (?:me|us) forget\b|\bi (?:must not|mustn't|can't) forget\b"),
    KeepSignal(
        "todo", 2.6, r"^(?:please )?(?:don't|do not) forget\b|\bnicht vergessen\b|\bno olvid(?:ar|es)\b", needs_day=True
    ),
    KeepSignal("todo", 2.6, r"\bn'oublie[sz]? pas\b", needs_day=True),
    KeepSignal(
        "todo",
        2.6,
        rf"(?<!how )(?<!that )(?<!what )(?<!when )\b(?:i|we)(?: still| also| really| just| then)? ?{_PLAN} ",
        PEOPLE,
        needs_day=True,
    ),
    KeepSignal(
        "todo",
        2.6,
        rf"\b(?:i|we)(?: still| also| really| just| then)? ?{_NEED} ",
        PEOPLE,
        needs_day=True,
        not_in_request=True,
    ),
    KeepSignal("todo", 2.5, r"\b(?:i|we) still (?:need|have) to \w", not_in_request=True),
    KeepSignal(
        "todo",
        2.4,
        r"^(?:later|afterwards|after that|next sprint),? (?:we|i)(?:'ll| will)? (?:need|have|should|must|want|ought)\b",
    ),
    KeepSignal(
        "todo",
        2.4,
        r"\b(?:we|i)(?:'ll| will) (?:\w+ ){1,6}later\b|\b(?:let's|we should) (?:revisit|come back to|follow up)\b.{8,}",
    ),
    KeepSignal("todo", 2.9, r"\berinnere? (?:mich|uns)\b(?! (?:nicht|noch|wie|was)\b)|\bdenk(?:e)? (?:bitte )?daran\b"),
    KeepSignal(
        "todo",
        2.6,
        r"\b(?:ich|wir) (?:muss|müssen|sollte|sollten|werde|werden|will|wollen) ",
        needs_day=True,
        not_in_request=True,
    ),
    KeepSignal("todo", 2.6, r"\b(?:muss|müssen) (?:ich|wir) ", needs_day=True, not_in_request=True),
    KeepSignal("todo", 2.9, r"\b(?:recuérdame|recuérdanos|lembra-me|ricordami)\b(?! (?:cómo|qué|por qué)\b)"),
    KeepSignal(
        "todo",
        2.6,
        r"\b(?:tengo|tenemos|hay) que |\b(?:debo|debemos) |\b(?:voy|vamos) a ",
        needs_day=True,
        not_in_request=True,
    ),
    KeepSignal("todo", 2.9, r"\brappelle-(?:moi|nous)\b(?! (?:comment|ce que|pourquoi)\b)|\brappelez-moi\b"),
    KeepSignal(
        "todo",
        2.6,
        r"\b(?:je|nous|on) (?:dois|devons|doit|vais|allons|va) |\bil (?:faut|faudra) ",
        needs_day=True,
        not_in_request=True,
    ),
    KeepSignal("todo", 2.8, r"提醒我|別忘了|别忘了|リマインド|忘れずに"),
)

KEEP_SIGNALS = (*_DECISIONS, *_PREFERENCES, *_GOTCHAS, *_LEARNINGS, *_TODOS)


@cache
def compiled_signals() -> Mapping[KeepSignal, re.Pattern[str]]:
    """Return the compiled patterns of the signals."""
    return {cue: re.compile(cue.pattern) for cue in KEEP_SIGNALS}
