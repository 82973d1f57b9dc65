"""Opposites and denials in scripts without spaces, where a word is told by its characters."""

from __future__ import annotations

from memvault.text.sentence.opposites import Place
from memvault.text.sentence.tables import rows, words
from memvault.text.sentence.terms import Sort

_STATES = """
    启用 開啟 开启 有効 | 禁用 关闭 關閉 無効
    允许 允許 可以 許可 허용 | 禁止 不许 금지
    成功 성공 | 失败 失敗 실패
    公开 公開 공개 | 私有 非公開 비공개
    必须 必須 필수 | 可选 可選 任意 선택
    之前 以前 の前 이전 | 之后 之後 以后 以後 の後 이후
    增加 増加 증가 | 减少 減少 감소
    内部 내부 | 外部 외부
    左 | 右
    以上 이상 | 以下 이하
    自动 自動 자동 | 手动 手動 수동
    最大 최대 | 最小 최소
    总是 總是 いつも 항상 | 从不 從不
"""
_DENIALS = ("ません", "なかった", "ない", "なし", "不", "没", "沒", "未", "别", "勿", "非", "않", "없", "못")

# They hold a denial's characters and deny nothing.
_AFFIRMATIONS = words(
    "不过 不過 不同 不错 不錯 不但 不仅 不僅 不断 不斷 对不起 差不多 未来 未來 非常 别人 特别 区别",
    "なければならない なければなりません なくてはならない ないといけない かもしれない かもしれません",
)


def dense_places(run: str) -> dict[str, Place]:
    """The opposites in a run of characters, by the characters of each."""
    return {word: place for word, place in _PLACES.items() if word in run}


def dense_denials(run: str) -> list[str]:
    """The denials in a run of characters."""
    for word in _AFFIRMATIONS:
        run = run.replace(word, " ")
    found: list[str] = []
    for word in _DENIALS:
        found += [word] * run.count(word)
        run = run.replace(word, " ")
    return found


def without_denials(run: str) -> str:
    """A run of characters with a space for each denial."""
    for word in _DENIALS:
        run = run.replace(word, " ")
    return run


_PLACES = {
    word: Place(row.split()[0], side.split()[0], Sort.STATE)
    for row in rows(_STATES)
    for side in row.split("|")
    for word in side.split()
}
