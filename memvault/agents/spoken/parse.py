"""Which command a prompt holds: found at the beginning of a sentence, dropped where anything speaks against it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memvault.agents.spoken.command_phrases import ENGLISH, OTHERS
from memvault.agents.spoken.intent import (
    INTENTS_BY_NAME,
    Intent,
    Language,
    Pause,
    Remember,
    RuleArgument,
    SpokenRule,
    ending_pattern,
    opener_pattern,
    phrase_rules,
    rule_pattern,
)
from memvault.agents.spoken.prompt_text import PromptText, Sentence, fold_text, split_sentences
from memvault.text.dates.time_words import read_length

# What shows that words belong to the work at hand: a task for now, and the parts of a program it is done on.

_PART = (
    r"(?:functions?|methods?|class(?:es)?|files?|code|scripts?|loops?|lines?|tests?|endpoints?|handlers?|quer(?:y|ies)"
    r"|parsers?|templates?|configs?|variables?|arguments?|parameters?|imports?|modules?|components?|arrays?|index"
    r"|docstrings?|regex|schema|migrations?|apis?|clients?|blocks?|snippets?|compar(?:e|ison)s?|guards?|constructors?"
    r"|picker|renderer|reducer|hook|fixture|callback|promise|branch|commit|pull request|pr|diff"
    r"|funktion|methode|klasse|datei|schleife|zeile|abfrage|endpunkt|skript"
    r"|fonction|méthode|classe|fichier|boucle|ligne|requête"
    r"|función|método|clase|archivo|fichero|bucle|línea|consulta"
    r"|funzione|metodo|ciclo|riga|função|arquivo|laço|linha|functie|bestand|lus|regel)"
)
_NAMED = (
    r"[\w/-]+\.(?:pyi?|[jt]sx?|go|rs|java|c|cpp|h|rb|php|sh|md|json|ya?ml|toml|html?|css|sql)|\w+\(\)|[a-z]+_\w+|fixme"
)
_OF_PROGRAMS = rf"(?<!\w)(?:{_PART}|{_NAMED})(?!\w)"
_IN_THIS = (
    r"(?<!\w)(?:in|of|for|by|inside|within|dans|en|nell?|em|na) (?:this|these|dies(?:er|em|en)|cette|cet?|ces|est[ae]"
    rf"|quest[ao]|nest[ae]|dit|deze) {_PART}(?!\w)"
)
_LIKE_CODE = (
    r"\w\s?(?:=|:=|->|=>|==)\s?[\w\"'{(\[]"
    r"|(?<!\w)(?:redis|localstorage|sessionstorage|memcached"
    r"|(?:an?|the) (?:in-memory )?(?:map|dict(?:ionary)?|array|buffer"
    r"|cache|hash|set|tree|stack|queue|graph|pointer|struct|parsed) )"
)
_ROLE = r"\s*(?:you are|you're|your (?:role|task|job)|act as|du bist|tu es|eres|sei un|você é|je bent|dear|hello|hi)\b"

_VERBS = (
    r"(?:fix|rewrite|rename|refactor|implement|add|update|change|adjust|handle|convert|use|avoid|remove|delete|replace"
    r"|correct|skip|invalidate|await|write|edit|check|test|run|create|review|apply|append|insert|wrap|escape|validate"
    r"|return|patch|extend|port|migrate|revert|split|merge|parse|render|sort|filter|format|document|comment|debug"
    r"|modify|drop|ignore|guard|catch|cast|import|export|include|initiali[sz]e|clean|make|move|mock|do|set)"
)
_SURE = r"(?:fix|rewrite|rename|refactor|implement|debug|compile|rebase|commit|push|deploy)"
_ELSEWHERE = (
    r"(?:behebe?|ändere|schreibe?|füge|fixe?|korrigiere|passe?|verwende|benutze|nutze|implementiere|lösche|entferne"
    r"|ersetze|aktualisiere|benenne|überarbeite|prüfe|teste|repariere"
    r"|corrige|modifie|réécris|ajoute|supprime|renomme|remplace|utilise|implémente|adapte|gère|vérifie"
    r"|corr[ií]ge|arr[eé]gla|cambia|reescribe|añade|elimina|borra|renombra|usa|implementa|actualiza|maneja"
    r"|correggi|modifica|riscrivi|aggiungi|rimuovi|rinomina|sostituisci|aggiorna|gestisci"
    r"|corrija|altere|reescreva|adicione|remova|renomeie|substitua|atualize|trate|conserte"
    r"|pas|herschrijf|corrigeer|repareer|voeg|verwijder|hernoem|vervang|gebruik|implementeer|wijzig)"
    r"(?:-?(?:l[aeo]s?|les|ça))?"
)
_ITS = (
    r"(?:it|them|this|that|these|those|the|an?|any|all|every|each|your|its|here|\w+ (?:in|from|to|with|before))(?!\w)"
)
_JOINT = r"(?:[,;–—] ?(?:and |so |then |but |also )*| and (?:then |also )?| so )"
_JOINT_ELSEWHERE = r"(?:[,;–—] ?|(?:,? (?:und|et|y|e|en|also|dus|donc|così) ))"
_ASKED = r"(?:please|pls|bitte|s'il te pla[iî]t|por favor|per favore|alsjeblieft)"
# A rule of life may be an imperative too: "on Fridays, check the pump", "we write it first and review it on Mondays".
_HABIT = r"(?<!\w)(?:always|never|usually|every|each|whenever|(?:mon|tues|wednes|thurs|fri|satur|sun)days)(?!\w)"
_CONDITION = r"\s*(?:if|when|whenever|before|after|unless|until|for|in|on|at|during|as|once|while)\b"
_TURNS_AWAY = r"(?:anyway|anyhow|btw|by the way|übrigens|bref|en fin)\b"

_OF_SOMEBODY = (
    r"(?<!\w)(?:i|i'm|i've|my|me|we|we're|our|us|ich|wir|mein\w*|unser\w*|je|j'|nous|mon|mes|notre|nos|yo|nuestr\w+"
    r"|io|mio|mia|noi|nostr\w+|eu|meu|minha|nós|noss\w+|ik|wij|mijn|onze)(?!\w)"
)
_NAME = r"(?<!\w)[A-Z][a-zà-ÿ]+(?!\w)"
# In German every noun begins with a capital.
_POINTED_OUT = r"(?<!\w)(?:this|these|dies\w*|d(?:er|ie|as|en|em)|eine?|cette?|este|esta|questo|questa|deze)(?!\w)"
_FOR_NOW = (
    r"\s*(?:for|in|during) (?:the |this |these |our |your |all )*(?:next|rest|following|remainder|remaining|subsequent"
    r"|upcoming|coming|current)(?: [\w-]+){0,5}[\s.!]*$"
)


def has_task(sentence: str) -> bool:
    """Return whether a sentence goes on, behind what it says, with something to be done to it now."""
    if re.search(rf"{_JOINT}(?:{_ASKED}) \w|[,;] (?:{_VERBS}) .*{_ASKED}[.!]?$", sentence):
        return True
    if re.search(rf"{_JOINT_ELSEWHERE}(?:{_ELSEWHERE})(?!\w)", sentence) and is_of_programs(sentence):
        return True
    found = re.search(rf"{_JOINT}(?:go and )?(?:{_VERBS}|don't \w+|make sure) {_ITS}", sentence)
    if found is None or re.match(_CONDITION, sentence):
        return re.search(r",? and (?:fix|rewrite|rename|refactor)\b", sentence) is not None
    return not re.search(_HABIT, sentence)


def is_task(sentence: str) -> bool:
    """Return whether a whole sentence is a task for now: on a part of a program, or asked for as one."""
    if re.match(_TURNS_AWAY, sentence) or re.match(rf"(?:{_SURE})\b", sentence):
        return True
    if not re.match(rf"(?:{_VERBS}|{_ELSEWHERE}|don't \w+)(?!\w)", sentence):
        return False
    return is_of_programs(sentence) or re.search(rf"(?<!\w){_ASKED}[.!]?$", sentence) is not None


def is_of_programs(text: str) -> bool:
    """Return whether a text names a part of a program."""
    return re.search(_OF_PROGRAMS, text) is not None


def is_of_somebody(text: str, plain: str) -> bool:
    """Return whether a text, in its own letters and in small ones, tells of the person or of somebody with a name."""
    if re.search(_OF_SOMEBODY, plain):
        return True
    return not re.search(_POINTED_OUT, plain) and re.search(_NAME, text) is not None


# What speaks against a command: a text to be worked on, work that was asked for, a question, somebody else's words.

_QUESTION = r"[?？][\"'”’»)\]*_]*$"
_TEXT_WORK = (
    r"(?:(?:please|can you|could you|bitte|por favor)[, ]+)*(?:translate|summari[sz]e|paraphrase|rewrite|proofread"
    r"|rephrase|shorten|correct|edit|polish|analy[sz]e (?:this|the) (?:text|mail|letter|chat)"
    r"|here(?:'s| is) (?:the|a|my) (?:text|mail|letter|transcript|chat|draft)"
    r"|übersetze?|fasse? .{0,40} zusammen|traduce|traduis|corrige|résume|resume|翻译|翻訳)(?!\w)"
)
_WORK = (
    r"(?:(?:ok(?:ay)?|so|and|then|now|next|also|first|please|pls|just|hey|claude)[,:]? )*"
    r"(?:(?:can|could|would|will) you|please|i need|i want|help|let's|we need|you need|fix|add|write|implement|refactor"
    r"|update|make|create|run|rerun|test|build|review|explain|check|look|find|search|show|give|list|deploy|commit|push"
    r"|pull|merge|delete|remove|rename|change|replace|move|copy|convert|draft|generate|design|debug|investigate"
    r"|optimi[sz]e|clean|port|install|upgrade|migrate|set|use|read|open|compare|extract|parse|split|extend|continue"
    r"|finish|start|try|turn|wrap|schreib|implementier|füge|behebe|erstelle|prüfe|ändere|mach|écris|ajoute|corrige|crée"
    r"|vérifie|escribe|añade|arregla|implementa|crea|revisa|scrivi|aggiungi|correggi|escreva|adicione|corrija|schrijf"
    r"|voeg|maak)(?:e|en)?\b"
)
_NEXT = (
    r"(?:(?:ok(?:ay)?|so|and|also|then),? )*(?:now|then|next|please|pls|can you|could you|would you|will you|let's"
    r"|let us|continue|go on|carry on|jetzt|dann|maintenant|ahora|adesso|agora|nu)\b"
)
_SETS_TO_WORK = (
    r", (?:so|and so|therefore|then) (?:please )?"
    r"(?:be|do|don't|make|handle|use|check|keep|avoid|add|fix|write|test|ensure)\b"
)
_SAID_BY = r"(?:he|she|they|\w+) (?:says?|said|whispers?|whispered|writes|wrote|tells|told|adds|added|asked)\b"


def is_question(sentence: str) -> bool:
    """Return whether it is a question."""
    return re.search(_QUESTION, sentence.rstrip()) is not None


def is_work_request(sentence: str) -> bool:
    """Return whether it asks for something to be done: what follows is likely a word on that."""
    return re.match(_WORK, sentence) is not None


LANGUAGES = (ENGLISH, *OTHERS.values())

_CREATES = frozenset(("remember", "significant"))
_COURTESY = (
    r"(?:,? (?:please|pls|plz|ta|thanks|thank you|(?:will|would|can|could) you|bitte|danke|s'il te pla[iî]t|merci"
    r"|por favor|gracias|¿?vale|per favore|grazie|obrigad[oa]|alsjeblieft|bedankt)\??)+"
    r"(?P<end>[.!…]*)$"
)
_POINTING = frozenset(("forget", "done"))
_POINTED = r"(?:it|this|that|them|these|those|that one|this one|one)"
_COURTEOUS = r"\b(?:please|pls|for|you\s*[?？])"
_FEW_WORDS = 4
_PADDING = ",;-–— \t"


class _CommandMatch(NamedTuple):
    rule: SpokenRule
    sentence: Sentence
    end: int  # of the command's words
    asked: bool  # it is asked for politely
    length: str
    until: str
    said: str  # what it is about, where that stands before the command's own words or among them
    when: str


class SpokenCommand(NamedTuple):
    """A command, and what was said around it, which is for the assistant."""

    intent: Intent
    rest: str


def parse_command(prompt: str, *, phrases: Iterable[str] = ()) -> SpokenCommand | None:
    """Return the first command that a prompt holds, and what else the prompt says; None where that is not sure.

    `phrases` are a person's own: "remember = merk dir". They may be said in any language; ours are in nine.
    """
    languages = (*phrase_rules(tuple(phrases)), *LANGUAGES)
    low = fold_text(prompt)
    near = tuple(language for language in languages if language.may_be_in(low))
    return _find_first(PromptText.parse_prompt(prompt), near) if near else None


def _find_first(page: PromptText, languages: tuple[Language, ...]) -> SpokenCommand | None:
    earlier: list[str] = []
    for sentence in page.find_sentences():
        said = page.own_words[sentence.start : sentence.end]
        for match in _find_matches(page, sentence, languages):
            if (text := _find_argument(page, match, earlier)) is not None:
                end = sentence.end
                if text and (found := page.prompt.rfind(text, sentence.start)) >= 0:
                    end = max(end, found + len(text))
                return SpokenCommand(
                    _make_intent(match, text, page.prompt[_start_of(page, sentence, earlier) : end]),
                    f"{page.prompt[: sentence.start]}{page.prompt[end:]}".strip(),
                )
        earlier.append(said)
    return None


def _start_of(page: PromptText, sentence: Sentence, earlier: list[str]) -> int:
    """Return where a sentence starts, with the few words before it that may say how urgent it is."""
    is_short = earlier and len(earlier[-1].split()) <= _FEW_WORDS
    return max(0, page.own_words.rfind(earlier[-1], 0, sentence.start)) if is_short else sentence.start


def _find_matches(page: PromptText, sentence: Sentence, languages: tuple[Language, ...]) -> Iterator[_CommandMatch]:
    for language in languages:
        opened = opener_pattern(language).match(page.own_words, sentence.start, sentence.end)
        led = [(sentence.start, False)]
        if opened and opened.end() > sentence.start:
            led.insert(0, (opened.end(), bool(opened["asked"])))
        for at, asked in led:
            for rule in _candidate_rules(page, language, at, sentence.end):
                if found := _match_rule(page, language, rule, at, sentence.end):
                    groups = found.groupdict()
                    said, when = (page.prompt[slice(*found.span(name))] if groups.get(name) else "" for name in _PARTS)
                    length, until = groups.get("span") or "", groups.get("until") or ""
                    yield _CommandMatch(rule, sentence, found.end(), asked, length, until, said, when.strip())


_PARTS = ("said", "when")
# Without the day behind it such a text says nothing.
_OPEN_END = r"(?:\b(?:is|are|was|were|be|has|have|on|falls?|starts?|ends?|expires?|lapses?)|'s)\s*$"


def _make_intent(match: _CommandMatch, text: str, sentence: str) -> Intent:
    made = INTENTS_BY_NAME[match.rule.intent](text)
    if isinstance(made, Pause):
        return Pause(read_length(match.length), made.session, match.until)
    if not isinstance(made, Remember) or not made.to_do:
        return made
    from memvault.text.dates.due import split_moment  # deferred: few prompts hold a reminder

    thing, moment = split_moment(text)
    if match.said and match.rule.takes is RuleArgument.CLAUSE:  # what it is about, and then what is to be done
        is_pointed = re.fullmatch(_POINTED, thing.lower().rstrip("."))
        thing = match.said.strip(_PADDING) + ("" if is_pointed else f": {thing}")
    if re.search(_OPEN_END, thing):
        thing, moment = text, ""
    said = sentence if text in sentence else f"{text} {sentence}"
    return Remember(thing, to_do=True, when=", ".join(filter(None, (match.when, moment))), sentence=said)


def _match_rule(page: PromptText, language: Language, rule: SpokenRule, start: int, end: int) -> re.Match[str] | None:
    found = rule_pattern(rule).match(page.own_words, start, end)
    if found is None or rule.takes is not RuleArgument.NOTHING:
        return found
    return found if ending_pattern(language).match(page.own_words, found.end(), end) else None


def _candidate_rules(page: PromptText, language: Language, start: int, end: int) -> Iterator[SpokenRule]:
    """Yield the rules that the words at a place may be meant by."""
    for group in language.groups:
        begins = page.own_words.startswith(group.begins, start, end)
        if begins and (not group.needs or any(word in page.own_words[start:end] for word in group.needs)):
            yield from group.rules


# -- what follows the command


def _find_argument(page: PromptText, match: _CommandMatch, earlier: list[str]) -> str | None:
    """Return what is meant by a command; None where something speaks against its being one."""
    if earlier and re.match(_TEXT_WORK, earlier[0]):
        return None
    if match.rule.weak and any(is_work_request(said) or is_question(said) for said in earlier):
        return None
    match match.rule.takes:
        case RuleArgument.NOTHING:
            return _check_complete(page, match, earlier)
        case RuleArgument.TOPIC:
            return _find_topic(page, match)
        case RuleArgument.CLAUSE:
            return _find_clause(page, match)
        case RuleArgument.TEXT:
            plain = page.own_words[match.end : match.sentence.line_end]
            if plain.strip():
                if re.match(_SAID_BY, plain.lstrip()) or (
                    match.rule.doubtful and _is_doubted(page.own_words[match.end : match.sentence.end])
                ):
                    return None
                found = _up_to_request(page, match.end, match.sentence.paragraph_end, first=True)
            else:
                # The paragraph behind the colon.
                end = re.search(r"\S[ \t]*\n[ \t]*(?=\n)", page.own_words[match.end :])
                found = page.prompt[match.end : match.end + end.start() + 1 if end else None].strip()
            return None if is_question(found) or not any(map(str.isalnum, found)) else found


def _check_complete(page: PromptText, match: _CommandMatch, earlier: list[str]) -> str | None:
    """Return what stands behind a command that is complete in itself: nothing, or for a memory what is told next."""
    said = page.own_words[match.sentence.start : match.sentence.end]
    is_question_ = is_question(said)
    has_context = sum(len(before.split()) for before in earlier) > _FEW_WORDS
    if match.rule.alone and (page.prompt[match.sentence.end :].strip() or has_context):
        return None
    if match.said and match.rule.intent != "todo" and _is_of_work(match.said.lower(), match.rule):
        return None
    if match.rule.intent not in _CREATES:
        if is_question_ and not match.asked and match.rule.intent != "list":
            return None
        return _find_object(page, match)
    if is_question_ and not re.search(_COURTEOUS, said):  # "can you remember this?" may be about having a memory at all
        return None
    return match.said or _up_to_request(page, match.sentence.end, match.sentence.paragraph_end, first=False)


def _find_topic(page: PromptText, match: _CommandMatch) -> str | None:
    if match.rule.doubtful and is_of_programs(page.own_words[match.end : match.sentence.end]):
        return None
    return _cut_aside(match.said or page.prompt[match.end : match.sentence.end]) or None


def _is_of_work(said: str, rule: SpokenRule) -> bool:
    """Return whether what stands before a command makes it a part of what the assistant is to do, or of a condition."""
    is_condition = re.match(r"(?:if|when|whenever|once|after|unless|wenn|falls|si|quand|cuando|se|quando|als)\b", said)
    return bool(is_condition or is_work_request(said) or (rule.doubtful and is_of_programs(said)))


def _find_object(page: PromptText, match: _CommandMatch) -> str:
    """Return what is named before the command's words or among them; where it is only pointed to, what came before."""
    is_named = match.said and not re.fullmatch(_POINTED, match.said.lower())
    if match.rule.intent == "todo" and not is_named:
        return _trim_text(page.prompt[: match.sentence.start])
    if match.rule.intent not in _POINTING or is_named:
        return _trim_text(match.said)
    return _cut_aside(re.split(r"[.?!。？！]", page.prompt[: match.sentence.start])[0])


def _cut_aside(text: str) -> str:
    """Return what somebody names, without what is added behind a comma."""
    return _trim_text(re.split(r"[,;]\s|\s[–—-]+\s|[，、]", _trim_text(text))[0]).rstrip("?？。.! ")


def _find_clause(page: PromptText, match: _CommandMatch) -> str | None:
    text, said = page.prompt[match.end : match.sentence.end], page.own_words[match.end : match.sentence.end]
    if (is_question(_trim_text(said)) and not match.asked) or re.search(_SETS_TO_WORK, said):
        return None
    if match.rule.doubtful and (is_of_programs(said) or has_task(said)):
        return None
    is_of_work = has_task(said) or re.search(_IN_THIS, said) or re.match(_FOR_NOW, said)
    if match.rule.weak and (is_of_work or (_is_worked_on(page, match) and not is_of_somebody(text, said))):
        return None
    return _trim_text(text).rstrip("?？ ") or None


def _is_worked_on(page: PromptText, match: _CommandMatch) -> bool:
    """Return whether the sentence behind it begins with a task."""
    rest = page.own_words[match.sentence.end : match.sentence.paragraph_end].lstrip()
    begins_as_task = re.match(rf"(?:{_VERBS}|{_ELSEWHERE}|{_SURE}|don't \w+|never \w+ it)(?!\w)", rest)
    return begins_as_task is not None or is_work_request(rest)


def _is_doubted(said: str) -> bool:
    """Return whether what is told is a part of a program, or a word on the work at hand."""
    if re.search(_LIKE_CODE, said) or re.match(_ROLE, said):
        return True
    return has_task(said) and is_of_programs(said)


def _up_to_request(page: PromptText, start: int, end: int, *, first: bool) -> str:
    """What is told from a place on, up to where something is asked for; a first sentence is told whatever it says."""
    last = start
    for number, (begin, stop) in enumerate(split_sentences(page.own_words[start:end])):
        part = page.own_words[start + begin : start + stop]
        is_asked_for = re.match(_NEXT, part) or is_question(part) or is_task(part)
        is_asked_for = is_asked_for or (not first and is_work_request(part))
        if is_asked_for and not (first and number == 0):
            break
        last = start + stop
    return _trim_text(page.prompt[start:last])


def _trim_text(text: str) -> str:
    text = text.strip().strip(_PADDING).strip()
    return re.sub(_COURTESY, r"\g<end>", text).strip()
