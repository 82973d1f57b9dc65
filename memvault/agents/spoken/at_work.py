"""What shows that words belong to the work at hand: a task for now, and the parts of a program it is done on."""

from __future__ import annotations

import re

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


def holds_task(sentence: str) -> bool:
    """Whether a sentence goes on, behind what it says, with something to be done to it now."""
    if re.search(rf"{_JOINT}(?:{_ASKED}) \w|[,;] (?:{_VERBS}) .*{_ASKED}[.!]?$", sentence):
        return True
    if re.search(rf"{_JOINT_ELSEWHERE}(?:{_ELSEWHERE})(?!\w)", sentence) and is_of_programs(sentence):
        return True
    found = re.search(rf"{_JOINT}(?:go and )?(?:{_VERBS}|don't \w+|make sure) {_ITS}", sentence)
    if found is None or re.match(_CONDITION, sentence):
        return re.search(r",? and (?:fix|rewrite|rename|refactor)\b", sentence) is not None
    return not re.search(_HABIT, sentence)


def is_task(sentence: str) -> bool:
    """Whether a whole sentence is a task for now: on a part of a program, or asked for as one."""
    if re.match(_TURNS_AWAY, sentence) or re.match(rf"(?:{_SURE})\b", sentence):
        return True
    if not re.match(rf"(?:{_VERBS}|{_ELSEWHERE}|don't \w+)(?!\w)", sentence):
        return False
    return is_of_programs(sentence) or re.search(rf"(?<!\w){_ASKED}[.!]?$", sentence) is not None


def begins_as_task(sentence: str) -> bool:
    """Whether a sentence begins as a task does, whatever it is about."""
    return re.match(rf"(?:{_VERBS}|{_ELSEWHERE}|{_SURE}|don't \w+|never \w+ it)(?!\w)", sentence) is not None


def is_of_programs(text: str) -> bool:
    """Whether a text names a part of a program."""
    return re.search(_OF_PROGRAMS, text) is not None


def is_placed(text: str) -> bool:
    """Whether a text holds of one place in a program: "in this function"."""
    return re.search(_IN_THIS, text) is not None


def is_for_now(text: str) -> bool:
    """Whether a text says no more than for how long something is to be minded: "for the next step"."""
    return re.match(_FOR_NOW, text) is not None


def is_like_code(text: str) -> bool:
    """Whether a text reads like code, or names what programs keep things in."""
    return re.search(_LIKE_CODE, text) is not None


def sets_role(text: str) -> bool:
    """Whether a text tells an assistant who it is to be, or is a letter's beginning."""
    return re.match(_ROLE, text) is not None


def is_of_somebody(text: str, plain: str) -> bool:
    """Whether a text, in its own letters and in small ones, tells of the person or of somebody with a name."""
    if re.search(_OF_SOMEBODY, plain):
        return True
    return not re.search(_POINTED_OUT, plain) and re.search(_NAME, text) is not None
