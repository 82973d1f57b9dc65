"""The words by which people leave a topic, in many languages."""

from __future__ import annotations

import re

_SPACED = """
anyway, anyways, by the way, btw, another question, another thing, one more question, next question, new question,
different question, different topic, another topic, next topic, new topic, unrelated, on another note,
on a different note, on a separate note, changing the subject, change of subject, change of topic, switching gears,
switching topics, moving on, off topic, that reminds me, before i forget, something else, separately
übrigens, andere frage, nächste frage, noch eine frage, anderes thema, themenwechsel, nächstes thema, apropos,
was anderes, etwas anderes, bevor ich es vergesse, nebenbei
au fait, autre question, autre chose, autre sujet, rien à voir, changeons de sujet, pour changer de sujet,
question suivante, avant que j'oublie
por cierto, otra pregunta, otra cosa, otro tema, cambiando de tema, siguiente pregunta, a propósito
aliás, outra pergunta, outra coisa, outro assunto, mudando de assunto, próxima pergunta
a proposito, un'altra domanda, altra domanda, un'altra cosa, cambiando argomento, cambiamo argomento
trouwens, andere vraag, iets anders, ander onderwerp, volgende vraag
przy okazji, inne pytanie, kolejne pytanie, zmieniając temat, a tak w ogóle
mimochodem, další otázka, jiná otázka, bu arada, başka bir soru, başka bir konu
förresten, en annan fråga, annan fråga, for øvrigt, forresten, et annet spørsmål, muuten, toinen kysymys
кстати, другой вопрос, ещё вопрос, еще вопрос, следующий вопрос, другая тема, сменим тему, до речі, інше питання
بالمناسبة, سؤال آخر, דרך אגב, שאלה אחרת, वैसे, एक और सवाल
"""
_DENSE = """
顺便, 順便, 换个话题, 換個話題, 另一个问题, 另一個問題, 另外一个问题, 下一个问题, 对了, 對了, 话说回来, 話說回來
ところで, 話は変わ, 話変わ, 話を変え, 別の質問, 別件, そういえば, 次の質問
그나저나, 그건 그렇고, 다른 질문, 다른 얘기, 다음 질문
"""


def _phrases(table: str) -> str:
    phrases = (phrase.strip() for phrase in table.replace("\n", ",").split(","))
    return "|".join(sorted(map(re.escape, filter(None, phrases)), key=lambda phrase: (-len(phrase), phrase)))


# Where a sentence or a clause begins: "I like it anyway" leaves nothing.
_BEGINS = r"(?:^|[.!?…:,;—–。！？、，\n]\s*|\b(?:and|but|so|oh|ok|okay|well|und|et|y|e)\s+)\W*"
TURNING = re.compile(rf"{_BEGINS}(?:(?:{_phrases(_SPACED)})\b|{_phrases(_DENSE)})")
