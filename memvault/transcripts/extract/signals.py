"""Signals that a sentence is worth a memory: phrases in several languages, a line each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

USER, PERSON, ASSISTANT = "user", "person", "assistant"
"""Who speaks: the user of an assistant, one of some people among themselves, the assistant."""

_SPEAKERS = {"": frozenset((USER,)), "people": frozenset((USER, PERSON)), "talkers": frozenset((USER, ASSISTANT))}


@dataclass(frozen=True, slots=True)
class KeepSignal:
    """A pattern for a sort, how strong a signal it is, and for which speakers it counts."""

    sort: str
    strength: float
    pattern: str
    speakers: frozenset[str]
    needs_day: bool  # only with a day after it
    not_in_request: bool  # not in a request for help: then it is a problem to look into


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
_PLAN = (
    r"(?!(?:'ll|will) (?:just |also |probably )?need )(?:plan to|'m planning to|am planning to"
    r"|are planning to|'re planning to|intend to|promised to|'ll|will)"
)
_NEED = (
    r"(?!\w+ to make sure)(?:need to|have to|must|should|ought to|'m going to|am going to|are going to"
    r"|'re going to|gotta|got to)"
)

_PARTS = {"CHOOSE": _CHOOSE, "NOT_IT": _NOT_IT, "VERB": _VERB, "DO": _DO, "PLAN": _PLAN, "NEED": _NEED}

# Each line: how strong, for whom besides the user, "dated" where it needs a day, "unasked" where it does not count in
# a request for help; then the pattern, with the parts above in braces. After a backslash it continues on the next line.
_DECISIONS = r"""
3.0: ^(?:decision|we decided|beschluss|entscheidung|decisión|décision) ?: \S
2.8 people: \b(?:we|i|i've|we've|(?:the|our|my) (?:team|group|board|family))(?: have| has)?(?: (?:finally|just|all\
|now|also))? (?:decided|agreed|settled|chose|chosen|opted|resolved)\b(?! (?:yet|whether|if|what|who|it|them|this\
|that)\b)
2.6: (?:^|[,;:.] |\b(?:so|then|and|ok) )(?:let's|let us) {CHOOSE}\b{NOT_IT}
2.6: \bwe(?:'ll| will|'re going to| are going to) (?:just |now )?{CHOOSE}\b{NOT_IT}
2.6: \b(?:we're|we are|i'm|i am) (?:going|sticking|staying) with\b(?! (?:it|that|this)\b)
2.4: (?:^|[,;] )(?:stay (?:on|with)|stick (?:with|to)|go with){NOT_IT} \S
2.8: \b(?:from now on|going forward|from (?:today|tomorrow|next \w+|\w+day|this \w+) on(?:wards?)?)\b(?!\?)
2.8: \b(?:wir haben|ich habe|haben wir|habe ich)\b.{0,80}\b(?:beschlossen|entschieden|vereinbart)\b
2.8: \b(?:wir haben|ich habe) (?:beschlossen|entschieden|vereinbart|uns|mich)\b
2.8: \b(?:ab sofort|ab jetzt|von nun an|künftig|in zukunft)\b
2.4: ^(?:wir bleiben bei|wir nehmen|nehmen wir|bleiben wir bei) (?!das\b|es\b)
2.8: \b(?:hemos decidido|decidimos|acordamos|hemos acordado|he decidido|quedamos en)\b
2.8: \b(?:a partir de ahora|de ahora en adelante|d'ora in poi|a partir de agora|vanaf nu)\b
2.8: \b(?:on a|nous avons|j'ai|on s'est) (?:finalement )?(?:décidé|choisi|convenu|mis d'accord)\b
2.8: \b(?:à partir de maintenant|désormais|dorénavant)\b
2.8: \b(?:abbiamo deciso|ho deciso|we hebben besloten|мы решили)\b|我们决定|从现在起|今后|これからは|に決めました
"""
_PREFERENCES = r"""
2.8 people: \bi(?:'d| would)?(?: (?:really|strongly|always|usually|generally|much|still|also|definitely))* prefer\b
2.6: ^(?:and |also |please |but )*(?:always|never) {VERB}\b
2.6: (?:^|[,;] )please (?:always|never) {VERB}\b
2.6: ^(?:and |also |please |but )*(?:do not|don't) ever {DO}\b
2.4: ^(?:and |also |please |but )*(?:do not|don't|avoid|only) {DO}?\b.{2,60}\b(?:in (?:this|any|my|our) (?:project\
|repo|repository|codebase|code)|anymore|any more|for me|anywhere|when you)\b
2.4: \bi (?:really )?(?:hate|dislike|can't stand|don't like|do not like|love it|like it) (?:when(?:ever)?|if)\b
2.3: \bi (?:really )?(?:hate|dislike|can't stand|don't like|do not like) (?!(?:this|that|it|these|those|the|how|what\
|him|her|them|my|your|when)\b)\w
2.6 people: ^(?:\w+,? )?my (?:favou?rite|preferred|go-to)(?: [\w-]+){1,3} (?:is|are)\b
2.5: ^(?:please )?(?:call me|address me as|refer to me as) (?!back|later|when|if|at|on|tomorrow|a |an |the |to |in )\w
2.5: \bmy pronouns are\b
2.5 people: \bi(?:'m| am) (?:severely )?(?:allergic to|vegetarian|vegan|colou?r[- ]?blind|lactose|coeliac|celiac)
2.5: ^(?:when|whenever|every time|each time) (?:you|i|we|\w+ing)\b.{3,80}, (?:please )?(?:always |never )?{DO}\b
2.8: \bich (?:bevorzuge|mag (?:es )?(?:lieber|am liebsten|nicht,? wenn)|hasse es|hätte (?:es )?lieber)\b
2.6: ^(?:und |bitte )*(?:immer|nie|niemals) \w+
2.6: ^(?:bitte )?(?:schreib|nutz|benutz|verwend|nimm|antwort|mach)e? (?:bitte )?(?:mir )?(?:immer|nie|niemals|nur)\b
2.8: \b(?:yo )?prefiero\b|\bme gusta más\b|\bprefiro\b|\bpreferisco\b|\bik heb liever\b
2.6: ^(?:por favor,? )?(?:siempre|nunca) (?:usa|utiliza|escribe|responde|haz|pon|añade|uses|escribas|pongas)\b
2.8: \bje préfère\b
2.6: \bn(?:'|e )(?:utilise|écri[st]|ajoute|mets|fais|commence|réponds|touche)[sz]? jamais\b
2.6: ^(?:s'il te plaît,? )?(?:utilise|écris|mets|réponds|ajoute|commente)[sz]? toujours\b
2.6: 以后请|请(?:一律|总是|始终)|我(?:更喜欢|偏好|不喜欢)|я предпочитаю\
|(?:いつも|常に|必ず).*(?:ください|下さい)|ほうが好き
"""
_GOTCHAS = r"""
2.8 talkers: (?:^|[,;:.–-] |\b(?:and|but|so|because|well|as|oh) )(?:as )?(?:it )?(?:turns|turned) out\b.{12,}
2.8 talkers: (?:^|[,;:] )(?:beware|gotcha|pitfall|caveat|watch out (?:for|with|that|,)|watch out:)\b.{12,}
2.5: ^(?:be careful|careful) (?:with|when|that|not to)\b.{12,}
2.8 talkers: \bthe (?:trick|catch|gotcha|pitfall) (?:is|was)(?! (?:not|no)\b)(?: to| that|:)?\b.{10,}
2.6 talkers: \b(?:root cause|culprit|actual (?:problem|cause|reason)|real (?:problem|cause|reason)) (?:was|is)\b.{10,}
2.5 talkers: \b(?:problem|issue|bug|reason|cause) was (?:that|a|an|the|in|because|caused)\b.{10,}
2.5 talkers: \b(?:test|tests|bug|error|failure|failures|crash|leak|timeout|problem|flake|warning)s? (?:came|comes\
|stemmed) from (?:a|an|the|our)\b
2.4 talkers unasked: \b(?:fails?|breaks?|crashe?s?|hangs?|refuses to \w+|does(?:n't| not) work\
|won't work)\b.{0,80}\b(?:because|unless)\b
2.4 talkers unasked: \b(?:only works?|works only) (?:if|when|with|after|on)\b|\b(?:fails|breaks) silently\b
2.4 talkers unasked: \bsilently (?:drops|ignores|fails|truncates|overwrites|deletes|skips)\b
2.7 talkers: \b(?:es )?stellt(?:e)? sich heraus\b|^(?:achtung|vorsicht)[:,!] .{12,}|\bder (?:trick|haken) (?:ist|war)\b
2.5 talkers unasked: \b(?:funktioniert|geht|läuft) nur,? wenn\b|\b(?:lag|liegt) daran,? dass\b
2.7 talkers: \bresulta que\b|^(?:ojo|cuidado)[:, ].{12,}|\bel truco (?:es|está)\b|\bel problema era\b
2.5 talkers unasked: \bs[oó]lo funciona (?:si|cuando|con)\b
2.7 talkers: \bil s'avère que\b|^attention ?[:,!] .{12,}|\b(?:l'astuce|le piège) (?:est|était|c'est)\b
2.5 talkers unasked: \bne (?:marche|fonctionne) que (?:si|quand|lorsque)\b|\ble problème venait\b
2.5 talkers: 原来是因为|问题出在|落とし穴|原因は.{4,}でした
"""
_LEARNINGS = r"""
2.6 people: (?:^|[,;:.] |\b(?:and|but|so|today|yesterday) )(?:i|we|i've|we've)(?: have)?(?: just\
| finally)? (?:learned|learnt|found out|discovered|figured out)(?: today| just| recently| now| yesterday)? (?:that\
|how|to|the hard way)\b
2.7 people: \blessons? (?:learned|learnt)\b ?[:,].{10,}|^til\b.{10,}|\btoday i (?:learned|learnt)\b.{10,}
2.4 people: \b(?:i|i've|we|we've)(?: just| now)? (?:realised|realized|noticed) that\b.{15,}
2.6 people: \b(?:ich habe|wir haben|habe ich)\b.{0,30}\b(?:gelernt|herausgefunden|festgestellt),? (?:dass|wie)\b
2.4 people: \bmir ist (?:aufgefallen|klar geworden),? dass\b
2.6 people: \b(?:he aprendido|aprendí|hemos aprendido|descubrí|me di cuenta de) que\b
2.6 people: \b(?:j'ai|on a|nous avons) (?:appris|découvert|compris) qu(?:e\b|')
"""
_TODOS = r"""
3.0: ^(?:todo|to-do|to do|fixme|reminder|note to self|zu erledigen|pendiente|à faire) ?[:–-] ?\S
2.9: (?:^|[,;:.] |\b(?:and|please|then|just|you|to|but) )remind (?:me|us) (?!(?:how|what|why|which|who|where|of|again\
|whether|if|the|that|it|we|you)\b)\w
2.9: \b(?:don't|do not) let (?:me|us) forget\b|\bi (?:must not|mustn't|can't) forget\b
2.6 dated: ^(?:please )?(?:don't|do not) forget\b|\bnicht vergessen\b|\bno olvid(?:ar|es)\b
2.6 dated: \bn'oublie[sz]? pas\b
2.6 people dated: (?<!how )(?<!that )(?<!what )(?<!when )\b(?:i|we)(?: still| also| really| just| then)? ?{PLAN}[ ]
2.6 people dated unasked: \b(?:i|we)(?: still| also| really| just| then)? ?{NEED}[ ]
2.5 unasked: \b(?:i|we) still (?:need|have) to \w
2.4: ^(?:later|afterwards|after that|next sprint),? (?:we|i)(?:'ll| will)? (?:need|have|should|must|want|ought)\b
2.4: \b(?:we|i)(?:'ll| will) (?:\w+ ){1,6}later\b|\b(?:let's|we should) (?:revisit|come back to|follow up)\b.{8,}
2.9: \berinnere? (?:mich|uns)\b(?! (?:nicht|noch|wie|was)\b)|\bdenk(?:e)? (?:bitte )?daran\b
2.6 dated unasked: \b(?:ich|wir) (?:muss|müssen|sollte|sollten|werde|werden|will|wollen)[ ]
2.6 dated unasked: \b(?:muss|müssen) (?:ich|wir)[ ]
2.9: \b(?:recuérdame|recuérdanos|lembra-me|ricordami)\b(?! (?:cómo|qué|por qué)\b)
2.6 dated unasked: \b(?:tengo|tenemos|hay) que |\b(?:debo|debemos) |\b(?:voy|vamos) a[ ]
2.9: \brappelle-(?:moi|nous)\b(?! (?:comment|ce que|pourquoi)\b)|\brappelez-moi\b
2.6 dated unasked: \b(?:je|nous|on) (?:dois|devons|doit|vais|allons|va) |\bil (?:faut|faudra)[ ]
2.8: 提醒我|別忘了|别忘了|リマインド|忘れずに
"""


@cache
def compiled_signals() -> Mapping[KeepSignal, re.Pattern[str]]:
    """Return the signals with their compiled patterns."""
    tables = {
        "decision": _DECISIONS,
        "preference": _PREFERENCES,
        "gotcha": _GOTCHAS,
        "learning": _LEARNINGS,
        "todo": _TODOS,
    }
    rows = ((sort, row) for sort, table in tables.items() for row in table.replace("\\\n", "").strip().splitlines())
    return {signal: re.compile(signal.pattern) for signal in (_parse_signal(sort, row) for sort, row in rows)}


def _parse_signal(sort: str, row: str) -> KeepSignal:
    head, _, pattern = row.partition(": ")
    strength, *marks = head.split()
    for name, part in _PARTS.items():
        pattern = pattern.replace(f"{{{name}}}", part)
    speakers = next((_SPEAKERS[mark] for mark in marks if mark in _SPEAKERS), _SPEAKERS[""])
    return KeepSignal(sort, float(strength), pattern, speakers, "dated" in marks, "unasked" in marks)
