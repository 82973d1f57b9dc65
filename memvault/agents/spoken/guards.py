"""What speaks against a command: work at hand, parts of a program, a question, somebody else's words."""

from __future__ import annotations

import re

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
    r"|io|mio|mia|noi|nostr\w+|eu|meu|minha|nós|noss\w+|mi|mis|minhas|meus|ik|wij|mijn|mij|onze)(?!\w)|我|咱|私|僕|俺"
)
_NAME = r"(?<!\w)[A-Z][a-zà-ÿ]+(?!\w)"
# In German every noun begins with a capital.
_POINTED_OUT = r"(?<!\w)(?:this|these|dies\w*|d(?:er|ie|as|en|em)|eine?|cette?|este|esta|questo|questa|deze)(?!\w)"
FOR_NOW = (
    r"(?<!\w)(?:for (?:now|the moment|a (?:moment|minute|second))|this \w+$|if you|erst ?mal|fürs erste|für den moment"
    r"|pour l'instant|pour le moment|por ahora|de momento|per ora|per adesso|por enquanto|voorlopig|even niet)(?!\w)"
)
_FOR_NEXT = (
    r"\s*(?:for|in|during) (?:the |this |these |our |your |all )*(?:next|rest|following|remainder|remaining|subsequent"
    r"|upcoming|coming|current)(?: [\w-]+){0,5}[\s.!]*$"
)


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
_SAID_BY = (
    r"(?:he|she|they|\w+) (?:says?|said|whispers?|whispered|writes|wrote|tells|told|adds|added|asked|sagte?|schrieb"
    r"|disait|dijo|ha detto|disse|zei)\b"
)
_NO_ORDER = (
    r"\s*[:–—]?\s*(?:you|you're|your|respond|reply|answer|return|output|write|only|do not|don't|no|use|be|stay|keep"
    r"|never|always|think|it's|this)\b"
)
_IF = r"\s*(?:if|when|whenever|once|after|unless|wenn|falls|si|quand|cuando|se|quando|als)\b"
_REPORTED = (
    r",\s*(?:(?:she|he|they|\w+) (?:always |often |once |used to )?(?:said|says?)|sagte? (?:er|sie)"
    r"|d(?:is)?ai[ts]-(?:il|elle)|decía|diceva|dizia|zei (?:hij|ze))\s*[.!]*$"
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


def is_question(sentence: str) -> bool:
    """Return whether it is a question."""
    return re.search(_QUESTION, sentence.rstrip()) is not None


def is_work_request(sentence: str) -> bool:
    """Return whether it asks for something to be done: what follows is likely a word on that."""
    return re.match(_WORK, sentence) is not None


def is_text_work(sentence: str) -> bool:
    """Return whether it asks for work on a text, which is likely what follows."""
    return re.match(_TEXT_WORK, sentence) is not None


def goes_on(sentence: str) -> bool:
    """Return whether it turns to what is to be done next."""
    return re.match(_NEXT, sentence) is not None


def sets_to_work(said: str) -> bool:
    """Return whether a text draws from what it says what is to be done now."""
    return re.search(_SETS_TO_WORK, said) is not None


def is_condition(said: str) -> bool:
    """Return whether a text is a condition of what follows."""
    return re.match(_IF, said) is not None


def is_order(said: str) -> bool:
    """Return whether what follows a colon tells the assistant how to answer."""
    return re.match(_NO_ORDER, said) is not None


def is_said_by_others(said: str) -> bool:
    """Return whether the words before were somebody else's: "remember this, he says"."""
    return re.match(_SAID_BY, said.lstrip(" ,–—-")) is not None


def names_speaker(said: str) -> bool:
    """Return whether a clause says that somebody speaks, whose words follow."""
    return re.search(rf"\b{_SAID_BY}", said) is not None


def is_reported(said: str) -> bool:
    """Return whether a sentence ends by saying whose words it is."""
    return re.search(_REPORTED, said) is not None


def is_in_hand(said: str) -> bool:
    """Return whether it is about this very file, or only for the task at hand."""
    return bool(re.search(_IN_THIS, said) or re.match(_FOR_NEXT, said))


def begins_as_task(rest: str) -> bool:
    """Return whether the sentence behind begins with a task."""
    verb = re.match(rf"(?:{_VERBS}|{_ELSEWHERE}|{_SURE}|don't \w+|never \w+ it)(?!\w)", rest)
    return verb is not None or is_work_request(rest)


def is_doubted(said: str) -> bool:
    """Return whether what is told is a part of a program, or a word on the work at hand."""
    if re.search(_LIKE_CODE, said) or re.match(_ROLE, said):
        return True
    return has_task(said) and is_of_programs(said)
