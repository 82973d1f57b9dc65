"""What is in whatever may be a spoken command, by language: a quick look for it spares most prompts the parsing."""

from __future__ import annotations

from collections.abc import Mapping

# A prompt without any of these is not read further, and of the words only those of the commands that may be in it are.
# A bar divides texts, `_` is a space. They follow from the files of words: a test derives them.
_HINTS = {
    "en": (
        "pause-session go_inco|incogni|off_the|remembe pause memvaul|remembe|stop_re resume memvaul|remembe "
        "remember 'd_like|away|bank|be_it|brain|do_not|don't|down|eme|emmeber|file|for|future|get|hang_on|head|"
        "hold_on|jot|keep|later|let_it|let_the|log|make|mber|memo|mental|mind|need|never|next_ti|note|on_to_t|put|"
        "record|registe|retain|save|scribbl|self|slip_yo|somewhe|store|take|the_bac|the_fut|the_rec|this|to_be_f|"
        "to_be_r|vault|want|worth_r|would_l|write|your maintain clean|houseke|mainten|memorie|memory|upkeep|vault|"
        "your_no save all|and_sav|chat|checkpo|convers|everyth|my_plac|our_pla|progres|session|so_far|state_o|"
        "what_we|where significant big|crucial|importa|key|milesto|signifi|special|star|turning|vital list all|"
        "anythin|do_i_ha|do_list|dos|everyth|is_ther|items|jobs|left_fo|my|open|our|outstan|pending|reminde|tasks|"
        "what|which about 've_got|about|anythin|call|can_you|do_you|got_sto|have|in_memo|know|member|memorie|"
        "memory|mention|my_memo|noted|notes|remembe|remind|saved|stored|vault|what dig again|all|anythin|around|"
        "bit|busines|check|comb|convers|deep|delve|detail|dig|entries|entry|everyth|fact|farther|further|info|"
        "line|look|memorie|memory|more|note|over|part|piece|record|search|stuff|thing|through|trawl|what forget "
        "all|anythin|bin|bit|blot_ou|book|brain|busines|cancel|chuck|clear|cross_o|cut|detail|discard|disrega|"
        "ditch|do_not|don't|drop|dump|ele|elte|entries|entry|erase|ete|everyth|expunge|fact|file|from_me|get|head|"
        "info|keep|know|let_go|line|lose|mind|never_m|no_need|note|ogret|on_to|or|out_wit|part|piece|purge|"
        "remembe|remove|rub_out|scrap|scrub|shred|strike|strip|stuff|take|thing|throw|unlearn|unremem|vault|what|"
        "wipe todo add|alarm|alert|badger|bank|bell|bug|buzz|commit|do_not|don't_f|don't_l|eimnd|emder|eme|emi|"
        "emmeber|emnd|emnid|enter|file|get|hang_on|have|heads|hold|ind|jog|jot|keep|let_me|lodge|log|make|mber|"
        "memori|nag|nder|note|nudge|park|pester|ping|poke|pop|prod|put|record|retain|save|scribbl|see_to|shout|"
        "stash|stick|store|take|tap_on|tell_me|to_be_r|tuck|write done check|closed|complet|conside|cross|done|"
        "finishe|from|knock|list|off|out_of|scratch|sorted|strike|tick|with update a_memor|adjust|ally|alter|"
        "amend|as_it_t|ate|brain|change|ctaully|ction|ctlly|ctua|ctulaly|ctully|ctuly|edit|entry|fix|head|i_made|"
        "i_missp|i_was_w|it_turn|memorie|memory|mind|more|my_mist|no_long|note|old|orectio|orercti|orrceti|"
        "orrctio|orre|orrtion|out_of|padte|pda|pdtae|pdte|put_rig|record|revise|rorecti|rrectio|scratch|the_bac|"
        "to_say|turns_o|vault|what|wrong|your"
    ),
    "de": (
        "pause zu_merk resume dir_wie remember abspeic|aufnehm|aufschr|deine|denk|dir_ein|erinner|festhal|gedächt|"
        "halt|ins_ged|kopf|leg|merk|nimm|notier|notiz|schreib|speiche|trag|vergiss maintain deine|gedächt|pflege "
        "save ession|fortsch|itzung|stand|wo_wir|zwische significant bedeut|wichtig list alle|der|die|meine|was "
        "about deine|erinner|gedächt|hast_du|ins_ged|kopf|notizen|speiche|steht|t_du_no|was_du|was_hab|was_has|"
        "was_wei|woran_e dig chats|gespräc|sitzung|tiefer|unterha forget entfern|erinner|gedächt|kannst|lösch|"
        "nicht|nimm|notizen|speiche|streich|tilge|verg|wirf todo behalt|beschei|denk|dir_ein|eine_er|einen|"
        "erinner|liste|merk|vergiss done abgegeb|bezahlt|durch|erledig|fertig|gemacht|geschaf|hak|ich_bin|ich_hab|"
        "liste|markier|mit|setz|streich|wir_sin update aktuali|bericht|dein_ge|deine|eigentl|erinner|gedächt|"
        "ins_ged|kopf|korrekt|korrigi|nein|notizen|planänd|speiche|tatsäch|verbess|was_du|änder"
    ),
    "fr": (
        "pause arrête resume recomme remember bien|de_côté|en_mémo|enez|enir|garde|iennes|iens|mémoire|mémoris|"
        "n'oubli|note|pense-b|pour|quelque|rappell|sache|souveni|souvien|ta_mémo|te_souv|tes_not maintain entreti|"
        "mainten|mémoire|tes_sou save enregis|garde|note|sauve significant comme|importa|signifi list choses|"
        "il_me_r|la|ma|qu'est-|que_doi|que_me|rappels|trucs_à|tâches about as-tu_q|ce_que|de_ce_q|de_quoi|dis-moi|"
        "qu'est-|que_sai|retiens|sais-tu|t'ai-je|te_rapp|tu_sais dig cherche|creuse|fouille|regarde forget arrête|"
        "besoin|efface|enlève|inutile|je_ne_v|jette|mémoire|notes|oublie|plus_be|retire|souveni|supprim|vire todo "
        "alarme|alerte|enez|enir|fais-mo|garde|iennes|iens|liste|me_fair|me_prév|mémoris|n'oubli|note|prévien|"
        "rappel|sache|souvien|te_souv done c'est|comme|de_ma_l|fait|fini|liste|réglé|terminé update actuali|"
        "ce_que|change|correct|corrige|en_fait|en_mémo|en_réal|fiche|finalem|mets_à|mettre|mise_à|modifie|mémoire|"
        "non|note|rectifi|souveni|tes_not"
    ),
    "es": (
        "pause deja_de resume vuelve remember acordar|acuérda|ahí|apunta|apúntat|cabeza|en_cuen|en_ment|memoria|"
        "memoriz|nota|olvides|para|present|recorda|recuerd|te_acue|tenga|toma_no|tu_memo|tus_not maintain manteni|"
        "memoria|tus_rec save avance|dónde|el_esta|la_sesi|lo_que|progres significant esencia|importa|signifi "
        "list cosas_p|hacer|lista|pendien|recorda|tareas|tengo about algo|lo_que|qué_sab|recuerd|te_cont|te_dije|"
        "te_he_d|tienes dig charlas|convers|indaga|profund|sesione forget borra|bórrala|bórralo|deja_de|elimina|"
        "elimína|memoria|no_hace|notas|olv|quita|recuerd|saca|suprime|tira|ya_no todo a_al|acordar|acuérda|anota|"
        "apunta|apúntat|avisarm|aviso|avísame|avíseme|dejes_q|en_cuen|en_ment|hazme_a|lista|me_olvi|me_recu|"
        "memoriz|olvides|present|recorda|recuerd|recuérd|se_me_o|te_acue|tenga|toma_no|toque done acab|bórral|"
        "como|de_mi_l|lista|quitarl|quítal|tacharl|termin|táchal update actuali|actualí|ahora_r|al_fina|cabeza|"
        "cambia|cambio|correcc|corregi|corrige|corríge|en_real|ficha|lo_que|memoria|modific|no|rectifi|recuerd"
    ),
    "it": (
        "pause smetti resume riprend remember aggiung|appunta|appunti|appunto|conserv|da_rico|i_tuoi|imprimi|"
        "in_memo|la_tua|le_tue|memoria|memoriz|mettere|metti|nei_tuo|non_dim|nota|note|prendi|promemo|registr|"
        "ricorda|ricordi|salva|scriver|scrivi|segna|tenere|tieni maintain i_tuoi|manuten|memoria save annota|"
        "conserv|registr|salva significant come|importa|quest|signifi list agenda|attivit|cosa|cose_da|fare|"
        "i_miei|le_mie|lista about annotat|che_sai|cosa_sa|dimmi|hai_qua|ho_dett|memoriz|mostram|ricordi|salvato|"
        "ti_ho_d|ti_rico dig approfo|convers|scava|vai forget appunti|butta|cancell|dimenti|elimina|memoria|note|"
        "ricorda|ricordi|rimuove|rimuovi|scorda|tenere|tenga|togli todo a_svegl|allarme|annota|avverti|avvisam|"
        "avvisar|avviso|fammi|imprimi|lista|memoriz|mi_rico|non_dim|non_far|prendi|promemo|ricorda|ricordi|segna|"
        "tenere|tieni done a_posto|come|dalla|fatt|finit|pagat|sistema|termina update aggiorn|alla_fi|appunti|"
        "cambia|cambio|corregg|correzi|in_memo|in_real|le_tue|memoria|modific|nei_tuo|no|quello|rettifi|ricordi|"
        "veramen"
    ),
    "pt": (
        "pause lembrar|memoriz resume lembrar|memoriz remember a_sua_m|a_tua_m|adicion|anote|aponta|as_tuas|"
        "cabeça|coloca|coloque|decora|escreva|escreve|esqueça|grava|guarda|guarde|lembra|lembre|memoriz|memória|"
        "mete|nota|põe|regista|registe|registr|salva|salve|se_lemb|te_lemb|tem_em|tenha_e|toma maintain as_tuas|"
        "manuten|memória save a_sessã|estado|estamos|ficamos|ficámos|o_que_f|paramos|ponto|progres significant "
        "essenci|importa|signifi list afazere|lembret|minha|o_que about me_diga|o_que|tens_al dig aprofun|convers|"
        "escava|vai forget a_histó|a_memór|a_nota|apaga|apague|as_info|as_nota|esquece|esqueça|guardar|lembrar|"
        "lembre|memoriz|memória|notas|o_que|pode_es|se_lemb|te_esqu|te_lemb|tudo todo a_alert|alarme|anota|anote|"
        "aponta|avisa-m|avisar-|avise-m|aviso|decora|esqueça|lembra|lembre|lista|me_avis|me_lemb|memoriz|não_me|"
        "se_lemb|te_lemb|tem_em|tenha_e|toque done acabei|como|da_minh|lista|marcar|risca|risque|termine|tira|"
        "tire update actuali|afinal|altera|altere|atualiz|cabeça|correç|corrige|corrigi|corrija|memória|muda|mude|"
        "na_real|na_verd|nota|não|o_que|retific"
    ),
    "nl": (
        "pause stop_me resume begin_w remember aanteke|bewaar|bewaren|denk_er|een_not|geheuge|herinne|in_je_g|"
        "je_gehe|je_noti|knoop_i|leg|let_op|maak|memo|neem|noteer|noteren|notitie|om_te_o|onthoud|opschri|prent_j|"
        "rekenin|schrijf|schrijv|sla|vergeet|voeg|zet maintain geheuge|je_heri|onderho save sessie|stand|voortga|"
        "waar_we|wat_we significant belangr|beteken|langrij|tekenis list doen|dos|herinne|klusjes|lijst|staat_e|"
        "taken about aanteke|een_not|geheuge|heb_je|herinne|je_gehe|me_wat|notitie|onthiel|vertel|wat_h|wat_wee|"
        "weet_je dig dieper|gesprek forget bewaren|geheuge|met|notitie|onthoud|over|van|verge|verwijd|wat|wis "
        "todo bewaar|bewaren|denk_er|een_sei|herinne|knoop_i|leg|let_op|maak|neem|niet_ve|noteer|noteren|onthoud|"
        "opschri|prent_j|rekenin|reminde|schrijf|schrijv|seintje|sla|vergeet|voeg|waarsch|wekker|zet done afgeron|"
        "afstrep|eraf|gedaan|haal|klaar|kruis|schrap|streep|strepen|van|vink|voltooi update aan|bij|correct|"
        "corrige|een_not|eigenli|geheuge|je_gehe|nee|notitie|pas|toch|update|verande|verbete|wat_je|werk|wijzig"
    ),
    "zh": (
        "pause 记 resume 恢复|继续 maintain 記憶|记忆 save 会话|做到哪里|对话|我们做到|进展|进度|進度 significant "
        "有意义|重 list 什么|任务|哪些|待办|待辦|未完成的|清单|清單|要做 about 关于|知道|笔记|記得|记得|记忆 dig "
        "对话|深|聊天|谈话 forget 不用|不要|停止|关于|别|和|忘|我|所有|有关|笔记|记忆 remember 不要忘记|别忘了|"
        "备忘|牢记|笔记|記下|記住|記得|记一下|记下|记住|记好|记得|记忆|记牢|记着 todo 不要忘记|别忘了|别让我忘|"
        "叫我|备忘|待办|待辦|提醒|清单|清單|牢记|記下|記住|記得|记一下|记下|记住|记好|记得|记牢|记着|通知我|闹钟|"
        "闹铃 done 做完|划掉|列表|删掉|勾掉|去掉|完成|待办|打勾|打钩|清单|清單 update 一下|不对|事实上|修正|其实|"
        "其實|备忘录|实际上|搞错了|改|更新|更正|笔记|纠正|訂正|订正|记录|记忆|说错了|过来"
    ),
    "ja": (
        "pause やめて|止めて resume 記憶を再 maintain きれいに|の整理を|メモリ|メンテナ|掃除して|整理して|"
        "片付けて|記憶 save セーブし|保存して|残して|記録して significant しるしを|マークし|印をつけ|意義深い|"
        "記録して list todo|したら|すること|すれば|やること|やるべき|タスク|リスト|リマイン|未完了の about "
        "について|覚えて dig について|以前の|掘り下げ|昔の|深掘りし|過去の forget 削除して|取り消し|忘れて|消して|"
        "消去して|覚えて|記憶しな remember メモ|保存して|入れて|加えて|忘れない|控えて|書いて|書き留め|残して|"
        "覚え|記憶して|記録して|追加して|頭に入れ todo かけて|アラーム|メモ|リマイン|忘れない|思い出さ|控えて|"
        "教えて|書き留め|知らせて|覚え|言って|記憶して|記録して|通知して|頭に入れ done から|して|チェック|"
        "マークし|取って|完了にし|済みにし|線を引い update やっぱり|修正|変えて|変更|実は|更新|本当は|直して|訂正"
    ),
}
_READ = 3_000  # characters from either end: what stands between is no word to an assistant


def _read_hints(words: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    cells = words.split(" ")
    return tuple(
        (name, tuple(texts.replace("_", " ").split("|"))) for name, texts in zip(cells[::2], cells[1::2], strict=True)
    )


HINT_WORDS = {language: _read_hints(words) for language, words in _HINTS.items()}


def find_hints(low: str) -> Mapping[str, frozenset[str]]:
    """Return by language which commands a text in small letters may hold."""
    near = low if len(low) <= 2 * _READ else f"{low[:_READ]}\n{low[-_READ:]}"
    found = (
        (language, frozenset(name for name, words in commands if any(word in near for word in words)))
        for language, commands in HINT_WORDS.items()
    )
    return {language: commands for language, commands in found if commands}
