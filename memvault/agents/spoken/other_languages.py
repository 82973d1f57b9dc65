"""The commands in other languages: the same few, with less around them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from memvault.agents.spoken.intent import Language, RuleArgument, RuleGroup, SpokenRule

_SEPARATED = r"(?:\s*[:–—]|\s*-+(?=\s)|\s*\.{3}|\s*…)"
_OPENERS = r"ok(?:ay)?|hey|hi|claude|codex|cursor|gemini|super|perfekt|perfetto|perfecto|parfait|perfeito"

GERMAN = Language(
    openers=rf"{_OPENERS}|danke|vielen dank|gut|prima|genau|ja|also|toll|so",
    polite=r"bitte|kannst du|könntest du|jetzt",
    tails=r"bitte|danke|jetzt|mal|für (?:später|das nächste mal|nächstes mal|immer)|fürs nächste mal|für mich",
    groups=(
        RuleGroup(
            ("",),
            (
                SpokenRule("remember", r"(?:merk'?e? dir|behalte? dir)(?: bitte)? (?:das|dies|dieses)"),
                SpokenRule(
                    "remember",
                    rf"(?:merk'?e? dir|behalte? dir)(?: bitte)?(?: das| dies| folgendes)?(?: bitte)?{_SEPARATED}",
                    RuleArgument.TEXT,
                ),
                SpokenRule(
                    "remember", r"(?:merk'?e? dir|behalte? dir)(?: bitte)?,? dass\b", RuleArgument.CLAUSE, weak=True
                ),
                SpokenRule("todo", r"erinner'?e? mich(?: bitte)? (?:daran|dran),?", RuleArgument.CLAUSE),
                SpokenRule("remember", rf"notiz an mich(?: selbst)?{_SEPARATED}", RuleArgument.TEXT),
                SpokenRule(
                    "significant", r"das(?: hier)? ist (?:(?:sehr|wirklich) )?(?:bedeutsam|bedeutend)", alone=True
                ),
                SpokenRule(
                    "significant",
                    rf"das(?: hier)? ist (?:(?:sehr|wirklich) )?(?:bedeutsam|bedeutend){_SEPARATED}",
                    RuleArgument.TEXT,
                    weak=True,
                ),
                SpokenRule("save", r"(?:speicher|sicher)e?(?: bitte)? (?:(?:den|meinen|unseren|deinen) )?fortschritt"),
                SpokenRule("save", r"(?:(?:den|meinen|unseren) )?fortschritt(?: bitte)? (?:speichern|sichern)"),
                SpokenRule("dig", r"grabe? tiefer (?:zu|zum|zur|nach|in)\b", RuleArgument.TOPIC),
                SpokenRule("about", r"was wei(?:ß|ss)t du noch (?:über|von)\b", RuleArgument.TOPIC),
                SpokenRule("about", r"woran erinnerst du dich (?:bei|beim|zu|zum|zur)\b", RuleArgument.TOPIC),
                SpokenRule("maintain", r"(?:gedächtnis|speicher)pflege"),
                SpokenRule("pause", r"hör(?:e)? auf,? dir (?:(?:sachen|dinge|etwas|alles) )?zu merken"),
                SpokenRule("resume", r"merk'?e? dir wieder (?:sachen|dinge|etwas|alles)"),
            ),
            needs=(
                "merk",
                "behalt",
                "erinner",
                "notiz an",
                "bedeut",
                "fortschritt",
                "grab",
                "weißt du",
                "weisst du",
                "pflege",
            ),
        ),
    ),
)

FRENCH = Language(
    openers=rf"{_OPENERS}|merci|bien|très bien|oui|super|alors|d'accord",
    polite=r"s'il te pla[iî]t|stp|tu peux|peux-tu|pourrais-tu|maintenant",
    tails=r"s'il te pla[iî]t|stp|merci|maintenant|pour (?:plus tard|la prochaine fois|l'avenir|moi)",
    groups=(
        RuleGroup(
            ("",),
            (
                SpokenRule("remember", r"(?:retiens|mémorise|memorise|souviens-toi de) (?:ceci|cela|ça)"),
                SpokenRule(
                    "remember",
                    rf"(?:retiens|mémorise|memorise|souviens-toi de) (?:ceci|cela|ça){_SEPARATED}",
                    RuleArgument.TEXT,
                ),
                SpokenRule(
                    "remember",
                    r"(?:retiens|souviens-toi|mémorise|rappelle-toi) (?:bien )?qu(?:e\b|')",
                    RuleArgument.CLAUSE,
                    weak=True,
                ),
                SpokenRule("todo", r"rappelle[-\s]moi (?:de\b|d')(?! ?(?:quoi|ce|qui|où)\b)", RuleArgument.CLAUSE),
                SpokenRule("significant", r"c'est (?:(?:très|vraiment) )?significatif", alone=True),
                SpokenRule(
                    "significant",
                    rf"c'est (?:(?:très|vraiment) )?significatif{_SEPARATED}",
                    RuleArgument.TEXT,
                    weak=True,
                ),
                SpokenRule("save", r"(?:sauvegarde|enregistre) (?:la|ma|notre|ta) progression"),
                SpokenRule(
                    "dig", r"creuse (?:davantage )?(?:le sujet|la question) (?:de |du |des |d')", RuleArgument.TOPIC
                ),
                SpokenRule(
                    "about",
                    r"(?:que te rappelles-tu|de quoi te souviens-tu)(?: à propos)? (?:de (?:la )?|du |des |d')",
                    RuleArgument.TOPIC,
                ),
                SpokenRule("maintain", r"entretien de (?:la|ta) mémoire"),
                SpokenRule("pause", r"arrête de (?:mémoriser|retenir)"),
                SpokenRule("resume", r"recommence à (?:mémoriser|retenir)"),
            ),
            needs=(
                "retiens",
                "souviens",
                "rappelle",
                "mémoris",
                "memoris",
                "mémoire",
                "significati",
                "progression",
                "creuse",
            ),
        ),
    ),
)

SPANISH = Language(
    openers=rf"{_OPENERS}|gracias|vale|bien|sí|entonces|genial",
    polite=r"por favor|puedes|podrías|ahora",
    tails=r"por favor|gracias|ahora|para (?:luego|después|la próxima(?: vez)?|el futuro|mí)",
    groups=(
        RuleGroup(
            ("",),
            (
                SpokenRule("remember", r"(?:recuerda|memoriza) (?:esto|eso)"),
                SpokenRule(
                    "remember", rf"(?:recuerda|memoriza)(?: esto| eso)?{_SEPARATED}", RuleArgument.TEXT, weak=True
                ),
                SpokenRule("remember", r"recuerda que\b", RuleArgument.CLAUSE, weak=True),
                SpokenRule(
                    "todo", r"recu[eé]rdame (?=[a-zñ]+[aei]r(?:me|le|lo|la|nos|les|los|las)?\b)", RuleArgument.CLAUSE
                ),
                SpokenRule("significant", r"(?:esto|eso) es (?:(?:muy|realmente) )?significativo", alone=True),
                SpokenRule(
                    "significant",
                    rf"(?:esto|eso) es (?:(?:muy|realmente) )?significativo{_SEPARATED}",
                    RuleArgument.TEXT,
                    weak=True,
                ),
                SpokenRule("save", r"guarda (?:el|mi|nuestro|tu) progreso"),
                SpokenRule("dig", r"profundiza (?:en|sobre)\b(?! (?:esto|eso)\b)", RuleArgument.TOPIC),
                SpokenRule(
                    "about", r"[¿\s]*qué (?:recuerdas|sabes todavía) (?:sobre|acerca de|de)\b", RuleArgument.TOPIC
                ),
                SpokenRule("maintain", r"mantenimiento de (?:la|tu) memoria"),
                SpokenRule("pause", r"deja de (?:recordar|memorizar)"),
                SpokenRule("resume", r"vuelve a (?:recordar|memorizar)"),
            ),
            needs=("recuerd", "recuérd", "memori", "significativo", "progreso", "profundiza", "recordar"),
        ),
    ),
)

ITALIAN = Language(
    openers=rf"{_OPENERS}|grazie|bene|sì|allora",
    polite=r"per favore|per piacere|puoi|potresti|adesso|ora",
    tails=r"per favore|per piacere|grazie|adesso|ora|per (?:dopo|la prossima volta|il futuro|me)",
    groups=(
        RuleGroup(
            ("",),
            (
                SpokenRule("remember", r"(?:ricorda(?:ti)?|memorizza) (?:questo|quello|ciò)"),
                SpokenRule(
                    "remember",
                    rf"(?:ricorda(?:ti)?|memorizza)(?: (?:di )?(?:questo|quello|ciò))?{_SEPARATED}",
                    RuleArgument.TEXT,
                    weak=True,
                ),
                SpokenRule("remember", r"ricorda(?:ti)? che\b", RuleArgument.CLAUSE, weak=True),
                SpokenRule("todo", r"ricordami di (?!(?:cosa|che|chi)\b)", RuleArgument.CLAUSE),
                SpokenRule("significant", r"questo è (?:(?:molto|davvero) )?significativo", alone=True),
                SpokenRule(
                    "significant",
                    rf"questo è (?:(?:molto|davvero) )?significativo{_SEPARATED}",
                    RuleArgument.TEXT,
                    weak=True,
                ),
                SpokenRule("save", r"salva (?:i|il|i miei|i nostri) progress[io]"),
                SpokenRule(
                    "about", r"(?:che )?cosa (?:ti )?ricordi (?:di|del|della|su|sul|sulla)\b", RuleArgument.TOPIC
                ),
                SpokenRule("maintain", r"manutenzione della memoria"),
                SpokenRule("pause", r"smetti di (?:ricordare|memorizzare)"),
                SpokenRule("resume", r"ricomincia a (?:ricordare|memorizzare)"),
            ),
            needs=("ricord", "memori", "progressi", "significativo"),
        ),
    ),
)

PORTUGUESE = Language(
    openers=rf"{_OPENERS}|obrigad[oa]|bom|sim|então|certo",
    polite=r"por favor|pode|podes|agora",
    tails=r"por favor|obrigad[oa]|agora|para (?:depois|a próxima(?: vez)?|o futuro|mim)",
    groups=(
        RuleGroup(
            ("",),
            (
                SpokenRule("remember", r"(?:lembr[ae](?:-se|-te)?|memoriz[ae]) (?:disto|disso|isto|isso)"),
                SpokenRule(
                    "remember",
                    rf"(?:lembr[ae](?:-se|-te)?|memoriz[ae])(?: (?:disto|disso|isto|isso))?{_SEPARATED}",
                    RuleArgument.TEXT,
                    weak=True,
                ),
                SpokenRule("remember", r"lembr[ae](?:-se|-te)?(?: de)? que\b", RuleArgument.CLAUSE, weak=True),
                SpokenRule(
                    "todo", r"(?:lembra-me|lembre-me|me lembr[ae]) de (?!(?:que|quem|como|onde)\b)", RuleArgument.CLAUSE
                ),
                SpokenRule("significant", r"isto é (?:(?:muito|realmente) )?significativo", alone=True),
                SpokenRule(
                    "significant",
                    rf"isto é (?:(?:muito|realmente) )?significativo{_SEPARATED}",
                    RuleArgument.TEXT,
                    weak=True,
                ),
                SpokenRule("save", r"(?:salv[ae]|guard[ae]) (?:o|meu|o meu|nosso|o nosso) progresso"),
                SpokenRule(
                    "about",
                    r"o que (?:(?:você|tu|é que) )*(?:se |te )?lembras?(?:-te)? (?:sobre|acerca de|de|do|da)\b",
                    RuleArgument.TOPIC,
                ),
                SpokenRule("maintain", r"manutenção da memória"),
                SpokenRule("pause", r"par[ae] de (?:lembrar|memorizar)"),
                SpokenRule("resume", r"volt[ae] a (?:lembrar|memorizar)"),
            ),
            needs=("lembr", "memori", "memóri", "progresso", "significativo"),
        ),
    ),
)

DUTCH = Language(
    openers=rf"{_OPENERS}|bedankt|dank je|goed|ja|dus",
    polite=r"alsjeblieft|graag|kun je|kan je|nu",
    tails=r"alsjeblieft|graag|bedankt|nu|voor (?:later|de volgende keer|de toekomst|mij)",
    groups=(
        RuleGroup(
            ("",),
            (
                SpokenRule("remember", r"onthoud (?:dit|dat)"),
                SpokenRule("remember", rf"onthoud(?: dit| dat)?{_SEPARATED}", RuleArgument.TEXT, weak=True),
                SpokenRule(
                    "remember", r"onthoud dat (?!(?:niet|gesprek|ding|moment)\b)", RuleArgument.CLAUSE, weak=True
                ),
                SpokenRule("todo", r"herinner me er(?:aan| aan) (?:om )?", RuleArgument.CLAUSE),
                SpokenRule("significant", r"dit is (?:(?:heel|echt) )?betekenisvol", alone=True),
                SpokenRule(
                    "significant", rf"dit is (?:(?:heel|echt) )?betekenisvol{_SEPARATED}", RuleArgument.TEXT, weak=True
                ),
                SpokenRule("save", r"(?:bewaar|sla) (?:de|mijn|onze) voortgang(?: op)?"),
                SpokenRule("about", r"wat weet je nog (?:over|van)\b", RuleArgument.TOPIC),
                SpokenRule("maintain", r"geheugenonderhoud"),
                SpokenRule("pause", r"stop met onthouden"),
                SpokenRule("resume", r"onthoud weer (?:dingen|alles)"),
            ),
            needs=("onthoud", "herinner", "betekenisvol", "voortgang", "weet je nog", "geheugen"),
        ),
    ),
)

CHINESE = Language(
    openers=r"好的?|谢谢|謝謝|可以了|那么|另外|对了",
    polite=r"请|請|麻烦你?|麻煩你?|帮我|幫我",
    tails=r"吧|谢谢|謝謝|好吗|以后用",
    groups=(
        RuleGroup(
            ("",),
            (
                SpokenRule("remember", r"[记記]住(?:这个|这一点|这点|这件事|它|這個|這一點|這點|這件事)"),
                SpokenRule(
                    "remember",
                    r"[记記]住(?:这个|这一点|这点|这件事|以下内容|這個|這點|這件事)?\s*[:,，、]",
                    RuleArgument.TEXT,
                ),
                SpokenRule("todo", r"提醒我(?=(?:明天|后天|後天|今天|今晚|下周|下週|周|星期|\d))", RuleArgument.CLAUSE),
                SpokenRule(
                    "significant", r"[这這](?:很|非常)?(?:重要|有意义|有意義)[,，]\s*[请請]?[记記]住(?:它|这个|這個)?"
                ),
                SpokenRule("save", r"保存(?:一下)?(?:进度|進度)"),
                SpokenRule("dig", r"深入(?:挖掘|查找)", RuleArgument.TOPIC),
                SpokenRule("about", r"你?[还還][记記]得(?:关于|關於)", RuleArgument.TOPIC),
                SpokenRule("maintain", r"(?:进行|進行)?(?:记忆|記憶)(?:维护|維護|整理)"),
                SpokenRule("pause", r"停止[记記](?:忆|憶|住)"),
                SpokenRule("resume", r"(?:继续|繼續|恢复|恢復)[记記](?:忆|憶)"),
            ),
            needs=("记住", "記住", "提醒我", "进度", "進度", "记忆", "記憶", "深入", "还记得", "還記得", "意义"),
        ),
    ),
)

JAPANESE = Language(
    openers=r"ありがとう(?:ございます)?|はい|では|じゃあ|よし",
    polite=r"ぜひ|今後のために",
    tails=r"お願いします|ね|よ",
    groups=(
        RuleGroup(
            ("",),
            (
                SpokenRule(
                    "remember",
                    r"(?:これ|それ|このこと)を(?:覚えて(?:おいて)?|記憶して(?:おいて)?)(?:ください|下さい|くれ)?",
                ),
                SpokenRule(
                    "remember",
                    r"(?:(?:これ|次のこと)を)?(?:覚えて(?:おいて)?|記憶して(?:おいて)?)(?:ください|下さい)?\s*[:、]",
                    RuleArgument.TEXT,
                ),
                SpokenRule(
                    "significant",
                    r"これは(?:とても)?重要(?:です|だ)?(?:から|ので)?[、,]\s*覚えて(?:おいて)?(?:ください|下さい)?",
                ),
                SpokenRule(
                    "remember", r"(?P<said>[^。！？\n]{4,200}?)(?:という)?ことを覚えておいて(?:ください|下さい)?"
                ),
                SpokenRule(
                    "about",
                    r"(?P<said>[^。！？\n]{1,60}?)について(?:は)?何を覚えて(?:い)?(?:ますか|る)?(?=[?？。\s]*$)",
                    RuleArgument.TOPIC,
                ),
                SpokenRule("save", r"(?:進捗|進み具合)を保存(?:して)?(?:ください|下さい)?"),
                SpokenRule("maintain", r"メモリ(?:の)?(?:整理|メンテナンス)(?:をして|して)?(?:ください|下さい)?"),
                SpokenRule("pause", r"(?:記憶|覚える)(?:するの|の)を(?:やめて|止めて)(?:ください|下さい)?"),
                SpokenRule("resume", r"記憶を再開(?:して)?(?:ください|下さい)?"),
            ),
            needs=("覚えて", "記憶", "進捗", "リマインド", "掘り下げ", "メモリ"),
        ),
    ),
)

OTHERS: Mapping[str, Language] = MappingProxyType(
    {
        "de": GERMAN,
        "fr": FRENCH,
        "es": SPANISH,
        "it": ITALIAN,
        "pt": PORTUGUESE,
        "nl": DUTCH,
        "zh": CHINESE,
        "ja": JAPANESE,
    }
)
