"""Find the spoken command in a prompt: a quick look for changes spares most prompts the parsing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from memvault.core.settings import Settings
from memvault.open_vault import load_personal_settings

if TYPE_CHECKING:
    from memvault.agents.spoken.intent import Intent
    from memvault.agents.spoken.parse import SpokenCommand

# Whatever a command begins with, or needs, has one of these in it.
_HINTS = (
    "忘|记下|更新|做完|深入|意义|清單|訂正|待辦|記得|更正|進捗|进度|重要|記憶|记忆|待办|進度|记住|メモ|完成|清单|記住|"
    "終わ|记得|dig|hak|タスク|覚えて|教えて|提醒我|リスト|merk|reme| off|tidy|sais|remb|jobs|"
    "emem|grab|done|tick|remm|note|list|prod|acut|comb|todo|掘り下げ|rmem|fini|"
    "actu|vital|remnd|rmind|risca|notiz|items|sabes|リマインド|reste|to do|"
    "tasks|sabe |my to|tacha|quita|anota|ahora|lembr|noch |forgt|remid|clean|segna|stuff|lijst|tenho|trawl|alter|"
    "memor|klaar|taken|remin|nudge|to-do|amend|思い出させて|spunta|gedaan|what i|"
    "agenda|behalt|change|forget|afinal|bedeut|tâches|acabei|a poke|creuse|"
    "olvida|tareas|esquec|memóri|pflege|remimd|as key|recall|fertig|oublie|"
    "notier|ricord|update|a ping|fogret|you've|apunta|it all|streep|corrig|correct|erinner|what we|it down|"
    "avísame|records|atualiz|terminé|where i|vergeet|wichtig|recuerd|"
    "poke me|verdade|retiens|a shout|olvides|vergiss|moet ik|you got|mémoris|"
    "da fare|my task|session|onthoud|crucial|memo to|ping me|en fait|recuérd|"
    "mémoire|more on|errands|tarefas|go back|streich|weet je|rappelle|"
    "state of|sort out|memvault|werk bij|geheugen|heads-up|heads up|correggi|for good|souviens|realidad|aggiorna|"
    "you know|weißt du|attività|cosa sai|what you|recordar|aufgaben|"
    "anything|where we|tell you|you have|have you|progreso|terminei|told you|progress|look back|weisst du|"
    "in realtà|pendiente|next time|from your|voortgang|incognito|dimentica|"
    "declutter|eigenlijk|for later|important|terminado|this down|that down|did i say|bit about|korrektur|"
    "acuérdate|belangrijk|don't have|go through|don't need|everything|"
    "part about|eigentlich|more about|gedächtnis|profundiza|no need to|"
    "this for me|significant|maintain my|mets à jour|consolidate|"
    "significati|thing about|aktualisier|that for me|as complete|search back|fortschritt|through all|"
    "look further|through with|through what|betekenisvol|housekeeping|in mind that|maintain our|maintain your|"
    "off the record|bug me|pester|nag me|buzz me|badger me|jog my|sure i |sure that i "
)
COMMAND_HINTS = tuple(_HINTS.split("|"))


def may_hold_command(prompt: str, *, phrases: Iterable[str] = ()) -> bool:
    """Tell whether a prompt is worth parsing for a command; `phrases` are a person's own, as in the settings."""
    low = prompt.lower()
    own = (" ".join(phrase.partition("=")[2].lower().split())[:4] for phrase in phrases)
    return any(hint in low for hint in COMMAND_HINTS) or any(start and start in low for start in own)


def find_command(prompt: str, settings: Settings) -> SpokenCommand | None:
    """Return the command in a prompt and what else the prompt says; None where it holds none."""
    phrases = settings.texts("intents.phrases")
    if not may_hold_command(prompt, phrases=phrases):
        return None
    from memvault.agents.spoken.parse import parse_command  # deferred: most prompts need no reading

    return parse_command(prompt, phrases=phrases)


def find_obeyed_command(prompt: str, settings: Settings) -> SpokenCommand | None:
    """Return the command that an agent's hook is to obey; None where there is none, or `intents.obey` is off."""
    return find_command(prompt, settings) if settings.flag("intents.obey") else None


def find_without_vault(prompt: str, environment: Mapping[str, str]) -> Intent | None:
    """Return the command in a prompt where no vault could be opened, by the person's own settings."""
    settings = Settings({})
    with suppress(Exception):  # in settings that cannot be read there are no phrases
        settings = load_personal_settings(environment)
    found = find_obeyed_command(prompt, settings)
    return None if found is None else found.intent
