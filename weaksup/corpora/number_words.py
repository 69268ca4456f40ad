"""Numbers written in words, English and Chinese: `twenty-two`, `half`, `a dozen`, `两`, `十二`, `三分之一`.

English is read in one pass over the words of the text, Chinese by one regular expression whose first branches consume
what only looks like a number (`第一`, `一共`, `千克`, `半径`).  Words that usually mean something else are left out on
purpose: `second`, `quarters` (coins), `pair`, `couple`; callers can add them with `extra`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction

__all__ = ["SCALES", "find_chinese_words", "find_english_words", "read_chinese"]

Found = tuple[int, int, Fraction]  # start, end, value

_ONES = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90,
}  # fmt: skip
#: Words that multiply the number before them.
SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_SINGLE = {
    "half": Fraction(1, 2), "dozen": Fraction(12), "dozens": Fraction(12),
    **dict.fromkeys(("twice", "double", "doubled", "doubles"), Fraction(2)),
    **dict.fromkeys(("thrice", "triple", "tripled", "triples"), Fraction(3)),
    "quadruple": Fraction(4), "quadrupled": Fraction(4),
}  # fmt: skip
_PARTS = {
    "half": 2, "halves": 2, "third": 3, "fourth": 4, "quarter": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "twelfth": 12, "twentieth": 20, "hundredth": 100,
}  # fmt: skip
_PARTS.update({f"{word}s": value for word, value in list(_PARTS.items()) if value > 2})
#: After these, "one" stands for a thing, not for a number.
_NOT_ONE = frozenset(
    {"each", "every", "no", "any", "some", "which", "this", "that", "the", "another", "other", "last", "next", "only"}
)

_WORD = re.compile(r"[A-Za-z]+")
_OF = re.compile(r"\s*of\b")
_JOIN = re.compile(r"\s+|-|–")

Word = tuple[str, int, int]


def find_english_words(text: str, *, extra: Mapping[str, Fraction] | None = None) -> Iterator[Found]:
    """The number words of `text`, in order; `extra` adds single words."""
    single = {**_SINGLE, **{word.lower(): value for word, value in (extra or {}).items()}}
    words = [(found[0].lower(), found.start(), found.end()) for found in _WORD.finditer(text)]
    index = 0
    while index < len(words):
        word, start, end = words[index]
        before = words[index - 1][0] if index else ""
        value, stop = _cardinal(text, words, index)
        if stop > index:
            if value == 1 and stop == index + 1 and before in _NOT_ONE:
                index += 1
                continue
            part = _part(text, words, stop)
            if part and 0 < value < 20 and (value > 1) == words[stop][0].endswith("s"):
                yield start, words[stop][2], value / part
                index = stop + 1
                continue
            if part and value % 10 == 0:  # twenty-fifth
                index = stop + 1
                continue
            yield start, words[stop - 1][2], value
            index = stop
        elif word in ("a", "an") and index + 1 < len(words) and _joined(text, words, index):
            second = words[index + 1][0]
            if second in ("half", "dozen"):
                yield start, words[index + 1][2], single[second]
                index += 2
            elif second in SCALES:
                yield start, words[index + 1][2], Fraction(SCALES[second])
                index += 2
            elif second in _PARTS and _OF.match(text, words[index + 1][2]):
                yield start, words[index + 1][2], Fraction(1, _PARTS[second])
                index += 2
            else:
                index += 1
        else:
            if word in single:
                yield start, end, single[word]
            index += 1


def _joined(text: str, words: list[Word], index: int) -> bool:
    """Whether only a blank or a hyphen stands between word `index` and the next."""
    return bool(_JOIN.fullmatch(text[words[index][2] : words[index + 1][1]]))


def _part(text: str, words: list[Word], stop: int) -> int:
    """The denominator that word `stop` names (`two thirds`), or 0, as for the coins in `three quarters and a dime`."""
    if stop >= len(words) or not _joined(text, words, stop - 1):
        return 0
    word = words[stop][0]
    if word == "quarters" and text[words[stop][1] - 1] != "-" and not _OF.match(text, words[stop][2]):
        return 0
    return _PARTS.get(word, 0)


def _cardinal(text: str, words: list[Word], first: int) -> tuple[Fraction, int]:
    """The value of the longest cardinal at word `first`, and the index of the word after it (`first` if none)."""
    total, current, scale, stop = 0, -1, 10**15, first  # current is -1 where a new group may begin
    index = first
    while index < len(words) and (index == first or _joined(text, words, index - 1)):
        word = words[index][0]
        if word in _ONES or word in _TENS:
            value = _ONES[word] if word in _ONES else _TENS[word]
            room = 0  # bound for what may follow: below 10 after twenty, below 100 after two hundred
            if current > 0 and current % 10 == 0:
                room = 10 if current % 100 >= 20 else 100 if current % 100 == 0 else 0
            if current == -1 and (total == 0 or value > 0):
                current = value
            elif 0 < value < room:
                current += value
            else:
                break
        elif word == "hundred" and 0 < current < 100:
            current *= 100
        elif word in SCALES and word != "hundred" and current > 0 and SCALES[word] < scale:
            scale = SCALES[word]
            total, current = total + current * scale, -1
        elif word == "and" and (current == -1 or current % 100 == 0) and stop > first:
            index += 1  # counts only if a number follows
            continue
        else:
            break
        index += 1
        stop = index
    return Fraction(total + max(current, 0)), stop


_DIGIT = {**{char: value for value, char in enumerate("零一二三四五六七八九")}, "〇": 0, "两": 2, "俩": 2, "仨": 3}
_UNIT = {"十": 10, "百": 100, "千": 1000}
_LARGE = {"万": 10**4, "亿": 10**8}
_NUMERAL = "[零〇一二两俩三仨四五六七八九十百千万亿]+"
_CHINESE = re.compile(
    rf"""
    第{_NUMERAL} | 几{_NUMERAL} | 数[十百千万亿]+ | {_NUMERAL}几 | 百分之几
    | (?<=[\d.])[百千万亿]+ | 零[件售用花食钱] | 四川 | 百分(?=[比率点数])
    | 一(?:[共起样些定般直边旦致律切同会下齐]|方面|(?=[次个点]?性)) | [统同唯万之进专单]一 | 一(?=步)
    | [千百](?=[克米瓦卡帕货合科姓纸岛]) | 十分(?![之钟米]) | 万分 | 万一 | (?:星期|周|礼拜)[一二三四五六]
    | [一二三四五六七八九]年级 | [五六十]一(?=[节劳儿国”假]) | 三角 | [四五六八]边形 | 三明治 | 七巧板 | 四周 | 十字
    | 半[径圆球] | 大半
    | (?P<half>一半|半)
    | (?P<bottom>{_NUMERAL})分之(?P<top>{_NUMERAL})
    | (?P<number>{_NUMERAL})
    """,
    re.VERBOSE,
)


def find_chinese_words(text: str, *, extra: Mapping[str, Fraction] | None = None) -> Iterator[Found]:
    """The number words of `text`, in order; `extra` adds words."""
    more = {word: value for word, value in (extra or {}).items() if not word.isascii()}
    taken: list[tuple[int, int]] = []
    for word in sorted(more, key=len, reverse=True):
        for found in re.finditer(re.escape(word), text):
            if all(found.end() <= start or end <= found.start() for start, end in taken):
                taken.append(found.span())
                yield found.start(), found.end(), more[word]
    for found in _CHINESE.finditer(text):
        value = _value(found)
        if value is not None and all(found.end() <= start or end <= found.start() for start, end in taken):
            yield found.start(), found.end(), value


def _value(found: re.Match[str]) -> Fraction | None:
    if found["half"]:
        return Fraction(1, 2)
    if found["bottom"]:
        bottom, top = read_chinese(found["bottom"]), read_chinese(found["top"])
        return Fraction(top, bottom) if top is not None and bottom else None
    if found["number"]:
        value = read_chinese(found["number"])
        return None if value is None else Fraction(value)
    return None


def read_chinese(numeral: str) -> int | None:
    """The value of a Chinese numeral; None if it has no single value (`三四` means "three or four").

    >>> read_chinese("一百二十"), read_chinese("两万五千"), read_chinese("十二"), read_chinese("二〇一八")
    (120, 25000, 12, 2018)
    """
    if all(char in _DIGIT for char in numeral):
        if len(numeral) == 2 and not set(numeral) & set("零〇"):
            return None
        return int("".join(str(_DIGIT[char]) for char in numeral)) if len(numeral) <= 18 else None
    total = section = digit = 0
    for char in numeral:
        if char in _DIGIT:
            if digit:
                return None
            digit = _DIGIT[char]
        elif char in _UNIT:
            section += (digit or 1) * _UNIT[char]
            digit = 0
        else:
            total = (total + section + digit or 1) * _LARGE[char]
            section = digit = 0
            if total > 10**18:
                return None
    return total + section + digit
