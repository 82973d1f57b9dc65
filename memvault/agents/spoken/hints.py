"""What is in whatever may be a spoken command, by language: a quick look for it spares most prompts the parsing."""

from __future__ import annotations

from collections.abc import Mapping

# A prompt without any of these is not read further, and of the words only those of the commands that may be in it are.
# A bar divides texts, a plus groups that are all needed; `_` is a space. A test derives them from the words.
_HINTS = {
    "en": (
        "pause-session chat|conversati|go_incogni|incognito|off_the_re|session pause memvault|rememberin|"
        "stop_remem resume _memvault|_rememberi|memvault_ remember _on_to_the|_slip|_the_back_|_to_be_for|_your_|"
        "a_thing|another|away|bank|be_it|ber|brain|down|emebmer|emeer|emem|file|for_|forever|future_ref|fyi|get|"
        "hang_on_to|head|hold_on_to|jot|keep|kept|later|let_it_be|let_the_re|log|memo|mental_not|mind|nb|"
        "next_time|note|one|put|record|register|retain|save|scribble|self|something|somewhere_|store|take|"
        "the_future|to_be_reme|vault|worth_reme|write|your_infor maintain clean|housekeepi|maintenanc|memories|"
        "memory|tidy|upkeep|vault|your_notes save _and_save|_so_far|all_|chat|checkpoint|conversati|everything|"
        "it_all|my_place|our_place|progress|session|state_of_|what_we|where_ significant _significa|big|crucial|"
        "important|key|milestone|significan|special|star|turning_po|vital list _left_for_|coming_up|do_list|doing|"
        "dos|due|items|jobs|left_undon|my|on_this_we|on_today|on_tomorro|open|our|outstandin|pending|reminders|"
        "tasks|to_be_done|to_do|undone|what's_on_+list|do|task|reminder|item|agenda|job|errand|plate|outstand|"
        "open|pending|due|today|this_week|tomorrow|coming_up about _about|_know|_you_|'ve_got|anything|can_you|"
        "check|did|do_you|give|go_through|had|have|jog|look_|recall|refresh|remind|search|show|something|tell|"
        "what dig all|archive|bit|business|chat|conversati|deeper|delve_|detail|dig|entries|entry|fact|farther|"
        "further|history|info|line|looking|memories|memory|note|part|piece|record|search_eve|searching|session|"
        "stuff|talk|thing|transcript|what forget _not|_you_to|bin|blot_out|cancel|chuck|clear|cross_out|cut|dis|"
        "ditch|drop|dump|ele|elte|erase|et|from|ignore|lose|n't|never_mind|no_longer_|no_need|off|oregt|org|"
        "out_of|out_with_i|purge|remove|rub_out|scrap|scrub|shred|stop|strike|strip|take|throw_|un|wipe todo "
        "_let_me_fo|_sure|agenda|alarm|alert|asks|badger|bell|ber|bug|buzz|do|eimnd|emder|emebmer|emeer|emem|emi|"
        "emnd|emnid|heads|hings_to_d|ind|jog|let_me_kno|list|memori|nag|nder|nudge|pester|ping|poke|prod|retain|"
        "see|shout|tap_on_the|tell_me done check|closed|complete|consider_i|cross|done|finished|from|knock|off|"
        "out_of|scratch|sorted|strike|through|tick update _the_back_|_your_|adjust|alter|amend|as_it_turn|ate|"
        "brain|cally|change|ctally|ctaully|ctlly|ctu|cutally|ection|edit|entry|fix|head|i_made_a_m|i_misspoke|"
        "i_was_wron|it_turns_o|memories|memory|mind|more|my_mistake|no_longer_|note|old|orction|orerction|"
        "orrcetion|orrction|orre|orrtion|out_of_dat|padte|pd|put_right|record|revise|scratch_th|to_say|turns_out|"
        "ually|vault|what|wrong"
    ),
    "de": (
        "pause hör resume _dir_wiede remember aufnehmen|deine|denk|erinnerung|für|gedächtnis|halt|ins_gedäch|kopf|"
        "leg|merk|nimm|notier|notiz|präg|schreib|speicher|trag|vergiss_ni|zum maintain _gedächtni|deine_|pflege "
        "save ession|fortschrit|itzung|stand|wo_wir_|zwischenst significant bedeut|wichtig list aufgaben|dos|"
        "erinnerung|erledigen|liegt|liste|machen|sachen_zu_|steht|tun about _was_du_|_was_ich_|deine|erinnerung|"
        "gedächtnis|hast_du|ins_gedäch|kopf|notizen|speicher|steht|t_du_noch_|was_hab|was_hast_d|was_wei|"
        "woran_erin dig chats|gespräche|grab|sitzungen|unterhaltu forget brauchst|entfern|erinnerung|gedächtnis|"
        "hör_auf|kannst_du_|lösch|musst|nimm|notizen|speicher|streich|tilge|verg|wirf todo _mich|auf_|behalt|"
        "bescheid|denk|eine_erinn|einen_|erinnern|merk|präg|vergiss_ni done abgegeben|bezahlt|bin|durch|erledigt|"
        "fertig|gemacht|geschafft|hak|ich_hab|markier|mit|setz|sind|streich|von_ update aktualisie|berichtig|"
        "dein_gedäc|deine|eigentlich|erinnerung|gedächtnis|ins_gedäch|kopf|korrektur|korrigier|nein|notizen|"
        "speicher|tatsächlic|verbesser|was_du_|änder"
    ),
    "fr": (
        "pause arrête_de_ resume recommence remember bien|de_côté|enez|enir|iennes|iens|la_prochai|la_suite|moi|"
        "mémorise|n'oublie|note|pense-bête|plus_tard|quelque_pa|rappelle-t|sache|te_souveni|tête maintain "
        "_mémoire|entretien_|tes_souven save 'avancemen|'état_|avancement|ce_qu'on_a|où_|progressio|progrès|"
        "session|séance significant c'est_|essentiell|important|significat list choses_à_f|do|il_me_rest|liste|"
        "qu'est-ce_|que_me_res|rappels|trucs_à_fa|tâches about _ce_que_tu|_de_ce_que|as-tu_quel|de_quoi_te|"
        "dis-moi_ce|dis-moi_to|qu'est-ce_|que_sais-t|retiens-tu|sais-tu_en|t'ai-je_di|te_rappell|tu_sais_qu dig "
        "cherche|creuse|fouille|regarde forget arrête|ce_que_|efface|inutile_de|je_ne_veux|l'histoire|la_note|"
        "le_souveni|le_truc|les_info|mémoire|n'as_p|notes|oublie|plus_besoi|souvenirs|supprime|tout todo alarme|"
        "alerte|enez|enir|fais-moi_p|iennes|iens|me_faire_p|me_préveni|mémoire|mémorise|n'oublie|note|rappel|"
        "sache|sur|te_souveni|tête|à done _liste|barre|biffe|c'est_|coche|comme_|de_ma_list|enlever|enlève|fait|"
        "fini|raye|réglé|terminé update actualise|change|correction|corrige|en_fait|en_réalité|finalement|"
        "mets_à_jou|mettre_à_j|mise_à_jou|modifie|non|rectificat|rectifie"
    ),
    "es": (
        "pause deja_de_ resume vuelve_a_ remember acordarte|acuérdate|ahí|apunta|apúntate|cabeza|después|"
        "en_cuenta|en_mente|la_próxima|luego|memoria|memoriza|más_tarde|mí|nota|olvides|presente|recordar|"
        "recuerda|recuerde|recuerdos|siempre|te_acuerde|tenga maintain _memoria|mantenimie|tus_recuer save avance|"
        "dónde_|el_estado|la_sesión|lo_que_|progreso significant como_|importante|significat list _hacer|_lista|"
        "_tengo|cosas_pend|pendientes|recordator|tareas about _algo_|dime_|lo_que_|qué_sabes|recuerdas|te_conté|"
        "te_dije|te_he_dich|tienes_ dig busca|indaga|mira|profundiza forget borra|bórrala|bórralo|deja_de|elimina|"
        "elimínalo|memoria|no_hace_fa|notas|olv|quita|recuerdos|saca|suprime|tira|ya_no_ todo _lista|acordarte|"
        "acuérdate|anota|apunta|apúntate|arma|avisarme|aviso|avísame|avíseme|dejes_que_|en_cuenta|en_mente|erta|"
        "hazme_acor|me_olvide_|me_recuerd|memoriza|olvides|presente|recordar|recordator|recuerda|recuerde|"
        "recuérdame|recuérdeme|se_me_olvi|te_acuerde|tenga|toma_nota_|toque done _lista|acab|bórral|como_|"
        "de_mi_list|márcal|quitarl|quítal|tacha|termin|táchal update actualiza|actualízal|ahora_resu|al_final|"
        "cabeza|cambia|cambio_de_|corrección|corregir|corrige|corrígelo|en_realida|ficha|lo_que_tie|memoria|"
        "modifica|no|rectifica|recuerdos"
    ),
    "it": (
        "pause smetti_di_ resume riprendi_a remember aggiungere|aggiungi|appunta|appunto|conserva|imprimiti|"
        "memorizza|mettere|metti|non_diment|nota|prendi|promemoria|qualcosa|registra|ricorda|ricordi|salva|"
        "scrivere|scrivi|segna|tenere_|tieni|una_cosa maintain _memoria|i_tuoi_ric|manutenzio save dove_siamo|"
        "la_session|lo_stato|progressi|quello_che|rogresso|unto significant _tale|fondamenta|importante|"
        "significat list agenda|attività|cose_da_fa|fare|i_miei|le_mie|lista about cosa_|dimmi|hai_qualco|"
        "ho_detto_|mostrami dig _nostre_|approfondi|scava|vai forget cancellala|cancellalo|cancellarl|ciò|dai|"
        "dalla|dalle|dimentica|dimentichi|eliminalo|il_ricordo|la_cosa|la_nota|la_storia|le_informa|le_note|nella|"
        "quello|ricordare|ricordi|scorda|tenere|tenga|tutto todo a_sveglia|alla|annota|avvertimi|avvisami|"
        "avvisarmi|avviso|imprimiti|memorizza|nella|non_diment|non_farmi_|prendi_not|promemoria|ricorda|ricordi|"
        "segna|sulla|tenere_|tieni_|un_fischio done cancellal|dalla_|depennal|depennarl|finito|metti|segna|"
        "spuntal|spuntarl|terminato|toglierl|toglil update aggiorna|alla_fine|cambia|cambio_di_|correggere|"
        "correggi|correzione|in_realtà|modifica|no|rettifica|veramente"
    ),
    "pt": (
        "pause lembrar|memorizar resume volt remember a_próxima|algo|anote|aponta|aí|cabeça|decora|depois|esqueça|"
        "lembra|lembre|lá|mais_tarde|memoriza|memorize|memória|mim|nota|sempre|tem_em_|tenha_em_|uma_coisa "
        "maintain _memória|as_tuas_me|manutenção save a_sessão|estado|o_que_fize|onde_|ponto|progresso "
        "significant como_|importante|significat list _fazer|meus_|minha_|minhas_ about anotado|disse_|diz-me|"
        "eu_te_diss|guardado|lembra|lhe_disse|me_diga|mostra-me|o_que_|recordas|te_disse|tens_algo_ dig _nossas_|"
        "aprofunda|aprofunde|escava|vai forget a_história|a_nota|apaga|apague|as_informa|esquece|esqueça|guardar|"
        "lembrar|lembre|memorizar|memória|notas|o_que|pode_esque|tudo todo a_alerta|alarme|anota|anote|aponta|"
        "avisa-me|avisar-me|avise-me|aviso|decora|esqueça|lembra|lembre|lista|me_avis|me_lembr|memoriza|memorize|"
        "não_me_dei|tem_em_|tenha_em_|toque done acabei|como_|da_minha_l|lista|marca|pode|ris|terminei|tira|tire "
        "update actualiza|afinal|altera|altere|atualiza|atualize|cabeça|correç|corrige|corrigir|corrija|memória|"
        "muda|mude|na_realida|na_verdade|nota|não|o_que_|retifica"
    ),
    "nl": (
        "pause stop_met_o resume begin_weer remember aan|bewaar|bewaren|een_notiti|geheugen|je_geheuge|knoop_in_j|"
        "leg|let_op|maak|neem|noteer|noteren|notities|om_te_onth|onthoud|opschrijve|prent_je_i|rekening_m|schrijf|"
        "schrijven|sla|vergeet_ni|voeg|voor|zet maintain _geheugen|geheugenon|je_herinne|onderhoud_ save _sessie|"
        "stand|voortgang|waar_we_|wat_we_ged significant betekenisv|langrijk|tekenisvol list _staat_er_|doen|dos|"
        "herinnerin|klusjes|lijst|taken about _iets_|_me_wat_je|heb_je|herinner_j|onthield_j|vertel_me_|wat_h|"
        "wat_weet_j|weet_je_no dig _dieper|gesprekken forget geheugen|gooi|haal|ik_wil_nie|je_hoeft|notities|"
        "schrap|stop_met|verge|verwijder|wis todo bewaar|bewaren|denk_eraan|geef_m|help_m|herinner_m|herinneren|"
        "herinnerin|knoop_in_j|laat_m|leg|let_op|maak|neem|noteer|noteren|onthoud|opschrijve|prent_je_i|"
        "rekening_m|reminder|schrijf|schrijven|seintje|sla|vergeet_ni|voeg|waarschuw_|wekker|zet done eraf|haal_|"
        "klaar_met|kruis|markeer|markeren|schrap|streep|strepen|van_|vink|zet update aan|bij|correctie|corrigeer|"
        "corrigeren|een_notiti|eigenlijk|geheugen|je_geheuge|nee|notitie|pas|toch|update|verander|verbeter|"
        "wat_je_|werk|wijzig"
    ),
    "zh": (
        "pause 东西|录|忆 resume 恢复|继续 maintain 整理|維護|维护|記憶|记忆 save 会话|做到哪里|对话|我们做到|"
        "进展|进度|進度 significant 有意义|重 list 任务|剩|待办|待辦|有|未完成的|清单|清單|要做 about 你|关于|有 "
        "dig 找|搜|查|深|翻 forget 不用|不要|从|停止|关于|别|和|忘|所有|有关|笔记里|说 remember 不要忘记|从|入|"
        "别忘了|到|在|备忘|牢记|笔记|記下|記住|記得|记一下|记下|记住|记好|记得|记忆里|记牢|记着|进 todo 不要忘记|"
        "别忘了|别让我忘|到|叫我|在|备忘|提醒|牢记|記下|記住|記得|记一下|记下|记住|记好|记得|记牢|记着|进|通知我|"
        "闹钟|闹铃 done 做完|划掉|列表|删掉|勾掉|去掉|完成|待办|打勾|打钩|标|清单|清單 update 一下|不对|事实上|从|"
        "修正|入|其实|其實|到|在|实际上|搞错了|改|更新|更正|笔记|纠正|訂正|订正|记录|记忆|说错了|过来|进"
    ),
    "ja": (
        "pause やめて|止めて resume 記憶を再 maintain きれいに|メンテナ|掃除して|整理|片付けて save セーブし|"
        "保存して|残して|記録して significant 大事|大切|意義深い|重要 list todo|すること|やること|やるべき|タスク|"
        "リスト|リマイン|何を|未完了の about こと|について|件|言いまし|言った|話した|話しまし dig やり取り|"
        "チャット|会話|掘って|掘り下げ|深掘りし|調べて forget から|もう|削除して|取り消し|忘れて|消して|消去して "
        "remember ノート|メモ|忘れない|控えて|書き留め|覚え|記憶|記録して|頭に入れ todo アラーム|メモ|リマイン|声|"
        "忘れない|思い出さ|控えて|教えて|書き留め|知らせて|覚え|言って|記憶して|記録して|通知して|頭に入れ done "
        "から|チェック|削除して|外して|完了|消して|済み|終わり|線を引い update やっぱり|修正|変えて|変更|実は|"
        "更新|本当は|直して|訂正"
    ),
}
_READ = 3_000  # characters from either end: what stands between is no word to an assistant


def _read_hints(words: str) -> tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]:
    cells = words.split(" ")
    pairs = zip(cells[::2], cells[1::2], strict=True)
    split = ((name, texts.replace("_", " ").split("+")) for name, texts in pairs)
    return tuple((name, tuple(tuple(group.split("|")) for group in groups)) for name, groups in split)


HINT_WORDS = {language: _read_hints(words) for language, words in _HINTS.items()}


def find_hints(low: str) -> Mapping[str, frozenset[str]]:
    """Return by language which commands a text in small letters may hold."""
    near = low if len(low) <= 2 * _READ else f"{low[:_READ]}\n{low[-_READ:]}"
    found = (
        (
            language,
            frozenset(name for name, groups in commands if all(any(map(near.__contains__, group)) for group in groups)),
        )
        for language, commands in HINT_WORDS.items()
    )
    return {language: commands for language, commands in found if commands}
