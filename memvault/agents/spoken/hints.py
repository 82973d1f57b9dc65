"""The forms of spoken commands, and what is in whatever may be one, so that most prompts are spared the parsing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple


class CommandForm(NamedTuple):
    command: str
    needs: frozenset[str]  # classes of words
    may: frozenset[str]  # those that may stand among them
    marks: frozenset[str]


# What holds of a form: `alone`, it is about nothing; `aside`, only what a comma sets off stands beside it; `topic`, it
# is about what is named; `clause`, about the rest of the sentence; `text`, about all that follows; `saying`, either;
# `asks`, it may be a question; `tail`, it stands behind what it is about; `weak`, not where the prompt asks for work;
# `doubtful`, not about a part of a program; `mine`, only about the person; `lately`, only about what is so by now.
_FORM_TABLE = """
pause-session | pausesession | | alone
pause | pause | | pause
resume | resume | | alone
remember | lead | | text doubtful
maintain | upkeep | tidy | aside
maintain | tidy vault | upkeep | aside
save | savepoint | | aside
save | save progress | later | aside
significant | flag assig | this matters memory later | text
significant | remember this issig | | text
significant | star this | | text
significant | flag matters | this | text tail
significant | significant | | text exchange strong
list | todo | show | alone asks
list | show list | | alone asks
list | list | | alone
about | recall | after about | topic asks
about | wonder | about | topic asks
about | knows | after | topic asks ours
dig | dig | after | topic asks doubtful
dig | search about | | topic asks
dig | search digit | | topic
forget | erase from | about | topic
remember | keep memory | this | text doubtful
remember | keep later | this | saying
remember | remember | why later memory this | saying
remember | bear | why later memory this | saying mine linked
remember | notes this | later memory | text doubtful strong
remember | notes this | later memory | text doubtful tail
todo | remember | | due
done | tick offlist | finished done | topic
done | take offmine | finished done | topic
done | tick off | finished done | topic doubtful
done | mark asdone | finished | topic doubtful
done | finished ticked | | topic tail
done | finished offlist | take tick | topic tail
done | offlist | finished | topic tail
done | comesoff | | topic tail joined
done | tickit | finished | topic tail
done | done | | topic
forget | erase about | from after | topic
forget | stop holding | about from | topic doubtful named
forget | letgo | stop holding | topic tail doubtful
forget | forget | about from after | topic weak
todo | remind | | todo asks
todo | set nudge | | todo
todo | keep onlist | | todo
todo | tell | | todo timed
remember | records | | clause weak doubtful
remember | states | | clause weak doubtful mine
update | mend noted | actually correction | text
update | mend memory | actually correction | text
update | mend this | actually correction outdated | text weak doubtful lately
update | mend | actually correction noted | text weak doubtful lately strong
update | mend | actually outdated | text weak doubtful lately tail
update | outdated | actually | clause weak doubtful mine
update | correction | | clause weak doubtful stated
update | actually | | clause weak doubtful lately
"""


def _read_forms() -> Iterator[CommandForm]:
    for row in _FORM_TABLE.strip().splitlines():
        command, *cells = (cell.strip() for cell in row.split("|"))
        yield CommandForm(command, *(frozenset(cell.split()) for cell in cells))


FORMS = tuple(_read_forms())


# One of its texts is in whatever is of a class of words, so that a prompt is read only for the forms of which all
# needed classes may be in it. A bar divides texts; `_` is whatever divides words. A test derives them from the words.
_HINTS = {
    "en": (
        "about abou|erni|gardi|of_|on_ actually _aca|_actu|acta|cuta|ns_ou|tll|uall asdone done|ished|lete|losed|"
        "sorte assig big|cant_|ecial_|g_poi|key_|rtant|tone_|uci|vita bear _on_to|_sli|forg|mind_ comesoff f_my|"
        "f_ou|ff_t correction corr|ectio|f_plan|pd|ratch_|rct dig alk|ansc|chat|delv|dig|eep_l|eepe|hiv|istory|"
        "look|nvers|rch_e|rchin|root_around|rthe|rummage|sess|trawl digit dig|go_deeper|go_further|keep_looking|"
        "look_deeper|look_further|look_harder done _tic|done|fixed|hrou|ished|leted|paid|sent|sorted|ticked_off "
        "erase _axe_|_bin_|_dit|_era|_get_|_lose|_purg|_store_|_take_|ancel_|ap_|banish|blot|cease|cut_|deel|"
        "dele|delt|disc|do_away_with|dropping|dum|eliminate|emove_|erasing|ete_|forg|hred|hrow|huc|isr|keep_|"
        "lear_|mind_|nore_|nrem|oss_o|pun|removing|rik|rop_|rub_|strip|unlearn|wip finished alt_|anded|did|dled|"
        "done|en_ca|fixe|got|ished|last|lete|over_|paid|rnt|sent_|sorte flag _flag|_mark_|_store_|abel|emember_|"
        "ghli|keep_|note_|pin_|sav|tag_|treat_|unt_ forget cet|egt|emember_|fog|forg|forh|fork|forl|forn|forr|"
        "fors|get|go_o|nlea|orb|oret|orf|orme|orv|orz|qe|rdet|rj|rpe|rtet|rx from _file|_vau|book_|brai|cord|"
        "head_|mind_|morie|mory|note holding _kno|_on_to|_store_|emem|kee|torin issig cant_ keep _file_|_get_|"
        "_on_to|_put|_stic|_store_|_take_|ank_|ave_|bbl|cord_|dd_|enter_|hold_|jot|kee|lod|log_|make_|mmit_|"
        "note_|park_|pop_|rite_|stas|tuc knows ave_y|t_do_y|u_ha|u_k|u_v later _aw|_dow|_ever_|_us_|cord_|"
        "for_fut|for_posterity|for_the_archi|her_ti|later|mew|orev|r_goo|r_me_|r_now|r_sa|r_the_fu|xt_ses|xt_ti "
        "lead _fy|_nb|be_it|be_rem|beri|cord|d_lik|e_refe|eds_t|files|for_posterity|for_the_recor|forg|i_nee|"
        "i_wa|is_mu|is_sh|is_to|keep|later|let_|memo|note|noting|o_k|o_mys|o_rem|o_sel|one_for_the_b|"
        "one_for_the_f|one_for_the_m|one_for_the_n|or_ne|r_the_fu|r_yo|remember|store|storing letgo _dit|_dro|"
        "_era|_ig|_purg|axe|banish|bin|blot|canc|cease|clear|crap|cut|deel|del|disc|ditch|do_away_with|drop|dum|"
        "eliminate|emov|erase|erasing|ete|forg|get|hred|hrow|huc|ignore|isr|kee|lose|nrem|oss_o|pun|purge|rik|"
        "rub|store|strip|take|th_it_|unlearn|ver_m|wip list _s_o|agend|do_pile|dos|item|jobs|list|o_do|odo|remi|"
        "rran|task|the_to mark _flag|_mark_|_put|_set_|log_|sider_|unt_ matters big|ecia|matters|nif|rtant "
        "memory _vau|book_|brai|cord|head_|log_|mind_|morie|mory|note|ur_f mend _upl|amen|ange_|corr|date_|dit_|"
        "dj|dp|evis|fix_|lter_|pb|pca|pd|pf|pga|pj|pk|pma|pna|ppa|pq|psa|pva|px|pz|rectify|replace|sort|swap|"
        "t_ri|upa|uph|upr|upt noted _you|cord|entry|morie|mory|note|o_say notes _file_|_get_|_on_to|_set_|"
        "_store_|ank_|archive|chronicle|cord_|etai|giste|jot|kee|log_|memori|note_|sav|take|write nudge alar|ap_|"
        "bell|eim|emd|emn|ert_|heads|inder_|nud|oke_|ping|remi|rende|rod_|shout|zz_ off ff_ offlist _off|from|"
        "ut_of offmine _off|from|ut_of onlist _list_|do|inders|nda_|tasks outdated _wron|anged|correct|f_da|mory|"
        "no_lo|note|old|ot_tr|right|ssp|stak|t_ri|tda|true|wrong pause beri|vault_ pausesession cord_|emem|gnit "
        "progress _all_|ate_o|chat|eryt|ession_|ogre|re_we|sation_|so_f|ur_p|what_we|where_i|y_plac recall _dow|"
        "_had|_mind|_on_fi|_stored|_vau|aid|brai|cord|ecal|emem|filed|head|in_the|in_your|kep|me_what_i|"
        "me_what_we|menti|morie|mory|note|nyt|oes_m|on_file|r_bo|remind_me|sav|say|t_did|t_do_y|tell|thing_about|"
        "thing_on|told|ur_f|ur_l|was_i|what_hav|what_y records _get|_log|_store|_take|_write|a_not|bbl|cord|"
        "enter|file|get_down|jot|keep|leave|mark_down|put|register|save|set|take_down remember ber_|bm|emem|etai|"
        "internali|learn|mee|oris|orize|remind_yourse remind _ale|_nag|_pes|_ping|_pok|_reh|_rer|aind|badg|bind|"
        "bug|buz|chase_me|cind|dind|drop|eim|eind|eki|emd|emf|emn|emoi|emr|emu|emy|forg|gind|give|hassle_me|"
        "i_rem|inder|jind|jog|lind|mh|mind|mk|mw|nud|pind|prompt_me|qi|refi|remi|rende|reni|rod|send|sind|tind|"
        "to_do|vind|wake_me|xin|zind resume beri|vault_ save _dow|_store_|a_not|ank_|cord|eserve|keep_|km|kp|"
        "log_|note_|park_|pture_|sav savepoint kp|sav search _back_|_go_|_in_|_out_|_over_|_search_|_thro|_up_|"
        "dig_|find_|is_that_all|is_that_every|look_|nto_|omb_|re_has|re_is|re_mu|that_can_t_be|there_s|u_ha|u_m|"
        "u_v|wl_ set _in_|_like_|_me_|_nee|_pop_|_put|_set_|_up_|_us_|ave_|dd_|eate_|edule_|give_|make_|rop_|"
        "send_|stick|wan show _all_|_any_|_are_|_d_l|_due|_i_se|_in_|_is_|_ite|_list_|_me_|_of_|_on_|_out_|_pend|"
        "_ther|_up_|_us_|aiti|ave_|eft|else_|full_|give_|go_o|got_|hear_|heck_|hich|hings|how_m|i_wa|k_at|k_l|"
        "let_|nex|nyt|o_do|o_i_h|o_thr|open_|read_|rema|rint_|run_t|show_|tasks|tell_|till|tst|what_doe|what_s_ "
        "significant cant_ star tar_ states note stop _don_|dn|do_n|ger_n|no_n|on_t_h|stop_|t_nee|u_to take "
        "_get_|_rub|_take_|ap_|ave_|dele|emove_|lear_|pull_|rop_|wip tell e_sur|ell_m|let_|see_to|shout this "
        "_it_|_one_|_that|a_fac|bit_|disc|ession_|fix_|hem_|hese|his_|llowi|sation_|sson|swer_|thing|thos|ution_|"
        "xch tick _tick_|heck_|knoc|oss_|ratch_|rik ticked _off|_tic|can_go|cross|done|list|scratch|strike|"
        "that_s_one_le tidy _a_|_do_|_mainta|_our_|_out_|_put|_run_|_the_|_thro|anise|aniz|clean|defr|dup|ecl|"
        "erge_|give_|idat|idy|in_ord|ompac|oub|pru|rform_|sek|some_|swee|tart_|your_ todo _due|_on_this_w|_on_to|"
        "_open|_pend|doi|list|ming_u|ndone|not|o_be_d|o_do|pending|plate|tst|waiting_for_m|what_am_i_mea|"
        "what_am_i_sup|what_haven_t|yet_to upkeep _vau|doubles|duplicates|enan|morie|mory|pk|sek|your_notes "
        "vault _vau|morie|mory|ur_n wonder o_y"
    ),
    "de": (
        "about _die_|_ein|_ich|_vo|alles|as_du|das|zen|zu|üb actually doch|in_wirklichke|lich_|nein|übrigens "
        "asdone _als_|auf assig _als_ correction cht|ktu|nä dig chat|grab|ngen|rä done _mit erase eic|giss|irf|"
        "lg|lö|mm_|ntf finished _ich|bg|cht|durc|ez|fert|fft|gt_|wir flag eic|erk|kie forget verg from _eri|dä|"
        "eic|zen holding cht keep eg_|eib|eic|erfass|fn|füg|halt|mm_|otie|pack|setz|trag|vermerk knows du_ "
        "later _ab_|_ein|_fes|auf|fü lead fü|kz|notier|otiz|schreib|zu letgo eic|lö|verg list dos|erun|fg|"
        "iste_|zu mark etz|kie matters cht memory _eri|dä|eic|pf|zen mend _ak|cht|gier|rbe|än noted dei|du_ "
        "notes halt|merk|notier|schreib|sicher|speicher nudge _ein|eid off _ab_|_rau|bh|durc|eg_|eic offlist _vo "
        "offmine _vo onlist auf|liste pause hö progress ession_|tand|tsc|wir|zu recall _vo|du_|zu|üb records "
        "eib|halt|nimm|otie|speicher|trag|vermerk remember cht|ehal|enk|erk|nimm_zur_kenn|rä|sollst_du_wis|"
        "vergiss remind erinnern|gib_mir_besch|mich|nicht_dass_ic|sorg_dafür resume erk save cher|erk|halt set "
        "_ich|_mach|etz|gib|hick|mir_|stel show _an_|_hab|_her_|_ich|_ist_|_lie|_noc|_sag|_vo|alle_|auf|bt_|elc|"
        "enn|fen_|mir_|sind|teh|was_|zei significant deu stop du_|hö take _mach_|ehm|lö|mm_|ntf this _den_|"
        "_die_|_dies|_es_|_so_|das|ih|sie tick eic|erledig|hak ticked _ka|_vo|eic|hak tidy _mach|aub|auf|brin|dn|"
        "ortie|pf|rä|utz todo achen|edig|egt|eht|tun_ upkeep pf vault dei|dä"
    ),
    "fr": (
        "about _la_|_le_|_les_|ce_q|oir|tout actually _en_|fina|non_ asdone fait|mme_|né assig mme_ correction "
        "_de_|e_à|recti dig _dans|eus done _c_e|_fini|né erase etir|ffa|jet|lè|oub|ppri|vire finished _fini|"
        "fait|lé|né flag arde|gnal|note|rq forget oub from mé|nir|note holding arder|enn|nir|rdes keep _enr|"
        "aj|arde|colle|ettr|insc|mets|note|pren|rq|éc knows sais later _bie|_pou|cô|lq|note_ lead _un_|_une_|"
        "bê|info|mémoire|note_|noter|plus_tard|retenir|à_savoir letgo ffa|oub|ppri list _liste|_mes|o_do|odo "
        "mark mets|note_|rq matters _c_e memory mé|nir|note mend _actu|chang|corr|ctif|difi|à_j noted fich|mé|"
        "note|tu_ notes enregistre|garde|inscri|mémorise|note|retiens nudge _rap|alar|erte offlist _de_ offmine "
        "_de_ onlist _liste|dans|sur|à pause rê progress _l_|cem|ession_|où|qu_|rè|sé recall _que_|tu_ "
        "remember _rete|_sac|consigne|dis_toi|enregistre|etie|inscris|marque|mé|note|oi_|oub|ouv|sauvegarde|tê|"
        "écris remind _pens|alerte_moi|fais_moi|pas_oublier|ppel|que_je_n_oubl|ré resume e_à save _enr|arde|"
        "auv|note set _me_|amme|donn|ettr|j_a|mets|oi_|oie|ré show _dans|_il_|_me_|_vo|affi|dis_|donn|encor|"
        "este_|eux|lis_|ntre|oi_|quel|sur_|à_f significant _c_e stop _de_|eux|rê|soi take etir|lè|ppri|ôt "
        "this _ce_|_le_|_les_|_une_|cec|la_|ça tick arre|bif|coch|ray ticked arre|bif|coch|enl|ray tidy _l_|"
        "_trie|aire_|ais_|anise|etto|mé|ntre|rang todo aire_ upkeep mé vault mé|nir"
    ),
    "es": (
        "about _de_|_del_|o_q|obr actually _ah|_al_|dad|no_ asdone _como assig _como correction _de_|ió dig "
        "_en_|dag|diz done acab|nad|né erase _eli|_olv|_sac|_tir|borr|quita|upr finished acab|agad|hech|lista|"
        "listo|nad|né|ya_ flag arda|eñ|nota|rca forget _olv from dos|nota|ria_ holding rdar|rdes keep _esc|"
        "aba_|apu|arda|añ|greg|mete|nota|nó|oma_|pon|pú|tra_|uá knows sab later hí|nota|para_ lead anótate|"
        "apunta|apúntate|nota|para_|recordar letgo alo_|bó|rlo|ví list lista|mis_|tare mark pon|rca matters "
        "ante memory dos|ez|nota|ria_ mend _actu|ambi|corr|fica_ noted cha_|nota|o_q|ria_ notes anota|apunta|"
        "apúntate|guarda|guárdate|memoriza|registra nudge _un_|a_al offlist _de_ offmine _de_ onlist lista "
        "pause dej progress avanc|eso_|ió|mos_|tad recall lg|o_q|ué remember _ten_|apu|escribe|guarda|lvid|"
        "métete_en_la|nota|oriz|pú|que_sepas|rdar|registra|teng|uer|ué remind _olv|avis|dame_un_toque|que_no|"
        "rdar|recu|ví resume vu save arda|lva|nota|tra_|uá set cesi|crea_|dame|grama|iero|pon|ré show _en_|"
        "_lee|_ver_|aú|dame|dim|eda_|hay|iero|igue|lg|lé|mue|ngo|sale_|sé|uá|ué|ví significant vo_ stop "
        "dej|hac|ya_ take _eli|_sac|borr|quita|rca this _ese|_eso|_est|_la_|_las_|_lo_|aque|lg|los_|sa_ tick "
        "_tac ticked arl|bó|marcar|má|quitar|tachar|tá|uí tidy aniz|az_|egl|impi|mie|rden todo o_q|ué "
        "upkeep mie vault dos|ria_"
    ),
    "it": (
        "about _che_|_la_|_le_|rdo|tutt actually amen|lla|no_|tà asdone come_ assig come_ correction aggi|di_|"
        "ez|rett dig _vai|cav|fon|saz done fatto|inato|inito erase _eli|butt|dim|lla|muo|ogl finished agat|emat|"
        "fatt|finit|osto|rminat flag egn|lva|rca forget dim|scor from di_|note_|ppu|ria_ holding ener|nga_|rico "
        "keep criv|di_|egn|eni_|giu|lva|mett|nota|onse|ppu|tra_ knows dim|sa_ later _da_|_per_|iù|nota lead "
        "cosa|moria|nota|per_dopo|per_il_futuro|per_la_prossi|per_tua_infor|ppu|segna letgo alo_|dim|lla list "
        "_le_|agend|iei|lista mark egn|mett matters _è_ memory di_|note_|ppu|ria_ mend aggi|ambi|corr|fica_ "
        "noted ello|nota|note_|ppu|ria_ notes annota|conserva|memorizza|registra|salva|segna nudge _sv|_un_ "
        "offlist lla offmine lla onlist lista|lla pause di_ progress _il_|_la_|_lo_|iamo|si_ recall _che_|dett|"
        "sa_ remember appunta|dim|egn|eni_|iti_|izz|nota|nte_|registra|rico|salva|sappi|scordare|scrivere|scrivi "
        "remind dim|i_u|rico|vv resume di_ save lva|nota|onse|tra_ set _vo|crea_|mett|mi_|mpos show _ho_|_leg|"
        "_rim|_son|_vo|_è_|anco|di_|elen|esta_|lla|mmi_|ostr|sa_|sul_|uali_ significant _è_ stop _è_|di_|iù|"
        "on_se take _leva|lla|muo|ogl this _la_|_lo_|esta_|iò|quel|sa_|sto_ tick enn|pun ticked egn|enn|lla|ogl|"
        "pun tidy _rio|fai_|i_i|izz|nz|puli|tema todo fare upkeep nz vault di_|ria_"
    ),
    "pt": (
        "about aç|nota|o_q|udo|ór actually afi|dad|nã asdone _como assig _como correction eç|nç|ão dig "
        "_vai|apr|cav|sas done abei|fiz|inei erase _eli|_esq|_tir|apag|dele|emove_|lua|lui|mova finished abei|"
        "fei|inei|já|lvid|nad|oncl|paga|pago|pron flag arda|nala|nota|rca|rq forget _esq from mó|nota holding "
        "arda|mbr|zar_ keep _adi|_esc|_regis|anote|arda|ava_|mete|nota|oca_|oma_|oq|pon|põ|salv|uarde knows o_q "
        "later aí|depo|lá|nota|para_ lead _mim|anote|aponta|nota|para_ letgo apag|uec list eus|inh mark põ|"
        "rca|rq matters _é_ memory eç|mó|nota mend corr|era_|etif|ltere|mud|tuali noted _o_|mó|nota notes "
        "anota|anote|guarda|guarde|memoriza|registra|registre|salva|salve nudge _um offlist _da_ offmine inh "
        "onlist lista pause _de_ progress _o_|mos_|resso|sã recall lg|o_q remember _em_|anote|cora|escreva|"
        "escreve|esquece|eç|fica_sabendo|guarda|guarde|mbr|nota|oriz|pon|registra|registre remind avis|mbr|"
        "me_chama|me_cutuca|me_dá_um_toqu|nã resume _vo save _regis|arda|ava_|salv|uarde set _de_|_mand|az_|"
        "cria|crie|dá|grama|oca_|oq|põ|rca|uer show _ain|_na_|_que_|_tem|_ver_|diz|dá|eia|esta_|há|lg|lta|"
        "lê|nho|no_|ostr|sã|tá|uer significant _é_ stop _de_|nã take _eli|_tir|aga_|emove_|mover|rca this "
        "_a_|_ess|_est|_o_|_um|aqui|isso|sto_ tick isca|isq ticked fei|isca|isq|marcar|tir tidy aniz|az_|aç|"
        "limp|nç|põ|rru todo _o_ upkeep mó vault mó"
    ),
    "nl": (
        "about _dat|_de_|aa|alles|wat_ actually _nee_|ij|toc asdone _als_|aa assig _als_ correction _van|corr|pd|"
        "rbe dig iep|kk done aa erase _wis|aa|gee|hra|ij|oi_ finished aa|af_|ege|fg|lto|uk flag aa|eer|erk|kere "
        "forget verg from ehe|otit holding bew|houd keep _sla|aa|bew|eem|eg_|eren_|ij|otee|zet knows je_ later "
        "_op_|_vas|_vo|ij|neer lead _ee|_ie|ez|goed_om_te_we|ij|noteer|notitie|te_onthouden|voor_de_toeko|"
        "voor_de_volge|voor_je_geheu|voor_later letgo _wis|gee|ij|je_ list aken|dos|gen_|ij|kl mark keer|kere|"
        "zet matters ij memory gen_|otit mend _vera|aa|corr|erk|ij|pas_|rbe noted aa|ehe|ij|je_|otit notes "
        "bewaar|bewaren|noteer|noteren|onthoud|schrijf nudge _ee off _doo|af_|afs|eg_|fv offlist _van offmine ij "
        "onlist ij|p_de pause _ont progress aa|rtg|sie|tand recall _ie|wat_ records bewaar|leg_vast|noteer|"
        "noteren|opslaan|schrijf|schrijven|zet remember _ont|aa|besef|bewaren|gee|je_|let_|mee|noteren|otee|"
        "schrijf|schrijven|weet remind aa|dat_ik_niet_v|heri|op_de_schoude|tj resume _ont save _sla|aa|bew|eg_|"
        "otee set _ik|_in_|_me_|aa|eef|nodi|stel|tuu|zet show _er_|_ik|_is_|_lee|_me_|_op_|_vo|aa|alle_|eef|eg_|"
        "elk|heb|ij|moe|noe|nog|open_|toon|wat_|zie significant isv stop je_|met_ take aa|alen|ij|oi_ this _die_|"
        "_dit|_hem_|_het|_ie|_ze_|dat_|ez tick hra|kr|reep|trep|vink ticked aa|af_|afs|ij|reep|vink tidy _ond|"
        "_op_|aa|doe_|hoon|rden|uim todo oen upkeep ehe vault gen_"
    ),
    "zh": (
        "about 关|和|我|所|笔 actually 其|实 asdone 完 assig 重 correction 不|了|新|正 dig 天|深|话 erase 删|刪|"
        "掉|除 finished 了|完|定|束 flag 把|标|记 forget 忘 from 从 holding 保|记 issig 要 keep 写|加|存|录|放|"
        "记 letgo 忘 list 事|任|待|清 mark 把|标 matters 要 memory 备|记 mend 改|新|正 noted 一|来|记 nudge 提|"
        "闹 offlist 列|办|清 onlist 待|清 pause 记 progress 做|展|度|话 recall 于|你|有 remember 忘|記|记 remind "
        "我 resume 记 save 存|记 set 定|建|弄|我|来|设 show 上|下|么|些|列|剩|告|多|念|显|有|没|看|里 "
        "significant 义 stop 不|停|别 this 下|个|它|这 tick 从|勾|打|掉|标 ticked 完|打|掉 tidy 一|做|护|拾|理|"
        "維 todo 么|些|剩 upkeep 忆|憶 vault 忆|憶"
    ),
    "ja": (
        "about い|の actually っ|は asdone し assig と correction 更|正 dig て|の erase し finished た|了|済 "
        "flag て forget て from か holding い keep て letgo て list odo|こ|イ|ス mark は|を matters こ memory ト|"
        "メ|憶 mend て noted メ|記 offlist か pause を progress こ|シ|会|作|内|態|進 recall て remember い|て "
        "remind て|イ resume を save し show あ|い|か|が|だ|て|で|に|は|り|を|一|何 significant い stop う this "
        "あ|こ|そ tick て ticked い|て tickit ェ tidy て todo い|こ upkeep メ|憶 vault メ|憶"
    ),
}
_READ = 3_000  # characters from either end: what stands between is no word to an assistant


def _read_hints(words: str) -> Mapping[str, tuple[str, ...]]:
    cells = words.split(" ")
    pairs = zip(cells[::2], cells[1::2], strict=True)
    return {name: tuple(texts.replace("_", " ").split("|")) for name, texts in pairs}


HINT_WORDS = {language: _read_hints(words) for language, words in _HINTS.items()}
_START = 3  # letters of a text that it is looked up by


@cache
def _index_hints() -> Mapping[str, Sequence[tuple[str, str, str]]]:
    """Return the texts, each with its language and class, by their first letters."""
    index: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for language, classes in HINT_WORDS.items():
        for name, texts in classes.items():
            for text in texts:
                index[text[:_START]].append((text, language, name))
    return index


def find_hints(low: str) -> Mapping[str, tuple[CommandForm, ...]]:
    """Return by language the forms of commands that a text in small letters may hold."""
    near = low if len(low) <= 2 * _READ else f"{low[:_READ]}\n{low[-_READ:]}"
    near = re.sub(r"\W+", " ", f" {near} ")
    starts = {near[at : at + size] for size in range(1, _START + 1) for at in range(len(near))}
    index = _index_hints()
    names: defaultdict[str, set[str]] = defaultdict(set)
    for start in index.keys() & starts:
        for text, language, name in index[start]:
            if text in near:
                names[language].add(name)
    forms = ((language, tuple(form for form in FORMS if form.needs <= names[language])) for language in HINT_WORDS)
    return {language: found for language, found in forms if found}
