"""The two graphs of G2T (Zhang et al. 2020) over the tokens of a problem, built by one rule, without a parser.

*Comparisons*: an edge from each quantity to every quantity of a smaller exact value; equal quantities get no edge.

*Cells*: a quantity with the words that tell what it counts.  Starting at the number, the rule walks left and right to
the end of the clause (punctuation, `and`, 和) or to the next number, and takes the two nearest content words on each
side.  The word that asks for the answer (`how many`, 多少) gets a cell too, if there is one.  A cell's centre is linked
to its words, and the centres of two cells that share a content word (ignoring case and a plural s) are linked; these
edges go both ways.

With `published`, edges are those of the code that was published with the paper.  Equal quantities are linked too, both
ways.  Of all words in cells, each is linked to the quantities that are less than four tokens away, and two places are
linked if they hold the same word; all numbers are the same word.

In Chinese, content words are the nouns, verbs, classifiers, adjectives, times and places by the part-of-speech tags of
rjieba, if it is installed, and any word right after a number (its unit, since the dictionary tags 元 and 吨 as
numerals).  Each word is looked up in the dictionary on its own, so the corpus's own segmentation does no harm.  In
English, and in Chinese without rjieba, they are all words except the function words listed below.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import combinations
from typing import NamedTuple

from mathcanon.errors import install_command

from ...errors import ConfigError
from ...records import Problem

__all__ = ["Cell", "Edges", "Graphs", "can_tag", "find_asked", "find_cells", "is_word", "make_graphs", "shared_words"]

Edges = tuple[tuple[int, int], ...]

_EACH_SIDE = 2  # content words on each side of a cell's centre
_NEAR = 4  # tokens within which the published code links a word of a cell to a quantity
_CLAUSE_ENDS = frozenset("，。．！？；：、,.!?;:") | {"and", "but", "和", "但", "但是"}
_MONEY = frozenset("$¥￥€£")
_CONTENT_TAGS = frozenset("nvqatsz")  # first letters of tags; `eng`, the tag of units such as cm, counts as well
_FUNCTION_WORDS_LIST = """
a an the this that these those it its he she they we i you his her their our my your him them us who whom whose which
of in on at to for from by with into onto about over after before during between or nor if then than as so because
while when where is are was were be been being am has have had having do does did will would can could shall should
may might must not no there here also too very just only how many much what why
的 地 得 了 着 过 是 有 为 在 于 到 从 由 向 往 以 把 被 给 对 用 按 比 与 跟 同 及 或 而 且 如果 若 则 那么
因为 所以 就 才 也 都 又 再 还 已 已经 正 将 要 会 能 可 可以 应 应该 不 没 没有 之 所 其 其中 这 那 这个 那个
这些 那些 他 她 它 他们 我 我们 你 你们 自己 某 等 们 个 呢 吗 吧 啊 多少 几 什么 一 二 两 第
"""
_FUNCTION_WORDS = _CLAUSE_ENDS.union(_FUNCTION_WORDS_LIST.split())


class Cell(NamedTuple):
    """A quantity, or the question word, and the words that tell what it counts, as token positions."""

    centre: int
    words: tuple[int, ...]


class Graphs(NamedTuple):
    """The edges of both graphs as pairs of token positions; the first of a pair gathers from the second."""

    comparisons: Edges
    cells: Edges


def make_graphs(
    problem: Problem, cells: Sequence[Cell] | None = None, *, tags: bool | None = None, published: bool = False
) -> Graphs:
    """Both graphs of a problem, with the given `cells` or else those of `find_cells`.

    >>> from weaksup.corpora.problems import segment_text
    >>> text, tokens, quantities = segment_text("5 pens cost 10 dollars.")
    >>> problem = Problem(id="", text=text, tokens=tokens, quantities=quantities, answer="2", language="en")
    >>> graphs = make_graphs(problem)
    >>> graphs.comparisons
    ((3, 0),)
    >>> [edge for edge in graphs.cells if edge[0] == 3]
    [(3, 0), (3, 1), (3, 2), (3, 4)]
    """
    found = find_cells(problem, tags=tags) if cells is None else cells
    if published:
        return Graphs(_comparisons(problem, equal=True), _published_cells(problem, found))
    pairs = {(cell.centre, word) for cell in found for word in cell.words} | shared_words(problem, found).keys()
    return Graphs(_comparisons(problem), tuple(sorted(pairs | {(other, one) for one, other in pairs})))


def _comparisons(problem: Problem, *, equal: bool = False) -> Edges:
    valued = [(quantity.token, quantity.exact) for quantity in problem.quantities]
    return tuple(
        (one, other)
        for one, larger in valued
        for other, smaller in valued
        if (larger > smaller or (equal and larger == smaller)) and one != other
    )


def _published_cells(problem: Problem, cells: Sequence[Cell]) -> Edges:
    numbers = {quantity.token for quantity in problem.quantities}
    places = {place for cell in cells for place in (cell.centre, *cell.words)}
    near = {(number, place) for number in numbers for place in places - numbers if abs(number - place) < _NEAR}
    said = {place: None if place in numbers else problem.tokens[place] for place in places}
    same = {(one, other) for one in places for other in places if one != other and said[one] == said[other]}
    return tuple(sorted(near | {(place, number) for number, place in near} | same))


# --- cells ------------------------------------------------------------------------------------------------------------


def find_cells(problem: Problem, *, tags: bool | None = None) -> tuple[Cell, ...]:
    """The cells of a problem, in the order of the text.

    `tags` says whether to use part-of-speech tags for Chinese words; the default is to use them if rjieba is
    installed.  Raises ConfigError if tags are requested and rjieba is not installed.
    """
    if tags and problem.language == "zh" and not can_tag():
        needs = "this G2T solver was trained with the part-of-speech tags of rjieba"
        raise ConfigError(f"{needs}: {install_command('zh')}")
    tags = problem.language == "zh" and (can_tag() if tags is None else tags)
    numbers = {quantity.token for quantity in problem.quantities}
    asked = find_asked(problem)
    centres = numbers if asked is None else numbers | {asked}
    content = _tagged_content if tags else _plain_content
    cells = []
    for centre in sorted(centres):
        left = _nearest(problem.tokens, range(centre - 1, -1, -1), centres, content)
        right = _nearest(problem.tokens, range(centre + 1, len(problem.tokens)), centres, content, unit=True)
        cells.append(Cell(centre, (*reversed(left), *right)))
    return tuple(cells)


def can_tag() -> bool:
    """Whether part-of-speech tags for Chinese words are available (rjieba is installed)."""
    return _tagger() is not None


def find_asked(problem: Problem) -> int | None:
    """The position of the last word that asks for a number and is not itself a quantity, or None.

    In English that is the word after `how`, else `what`; in Chinese a token with 多少 or 几, else an `=` that ends a
    clause.
    """
    tokens = [token.lower() for token in problem.tokens]
    numbers = {quantity.token for quantity in problem.quantities}
    places = [place for place in range(len(tokens) - 1, -1, -1) if place not in numbers]
    if problem.language == "zh":
        strong = [place for place in places if "多少" in tokens[place] or "几" in tokens[place]]
        weak = [place for place in places if tokens[place] == "=" and _ends_clause(tokens[place + 1 : place + 2])]
    else:
        strong = [place for place in places if tokens[place - 1 : place] == ["how"]]
        weak = [place for place in places if tokens[place] == "what"]
    return next(iter(strong or weak), None)


def _ends_clause(following: Sequence[str]) -> bool:
    return not following or following[0] in _CLAUSE_ENDS


def shared_words(problem: Problem, cells: Sequence[Cell]) -> dict[tuple[int, int], str]:
    """For each pair of centres whose cells share a content word, one such word as the first cell has it."""
    texts = [[problem.tokens[place] for place in cell.words] for cell in cells]
    said = [{_stem(text): text for text in words if _plain_content(text)} for words in texts]
    return {
        (one.centre, other.centre): next(text for stem, text in words.items() if stem in others)
        for (one, words), (other, others) in combinations(zip(cells, said, strict=True), 2)
        if one.centre != other.centre and not words.keys().isdisjoint(others)
    }


def is_word(token: str) -> bool:
    """Whether a token is a word, a number or a currency sign, not mere punctuation.

    >>> [is_word(token) for token in ["kg", "千克", "$", "，", "/"]]
    [True, True, True, False, False]
    """
    return token in _MONEY or any(letter.isalnum() for letter in token)


def _nearest(
    tokens: Sequence[str],
    places: range,
    centres: set[int],
    content: Callable[[str], bool],
    *,
    unit: bool = False,
) -> list[int]:
    """The nearest content words along `places`; `unit` accepts any first word that is not a function word."""
    found: list[int] = []
    for place in places:
        token = tokens[place]
        if place in centres or token.lower() in _CLAUSE_ENDS or len(found) == _EACH_SIDE:
            break
        if content(token) or (unit and place == places[0] and _plain_content(token)):
            found.append(place)
    return found


@lru_cache(maxsize=1 << 16)
def _plain_content(word: str) -> bool:
    return is_word(word) and word.lower() not in _FUNCTION_WORDS


@lru_cache(maxsize=1 << 16)
def _tagged_content(word: str) -> bool:
    tagger = _tagger()
    if tagger is None or not _plain_content(word):
        return False
    pieces = tagger(word)
    # The tagger may split a word that its dictionary lacks; the last piece is the head.
    tag = pieces[-1][1] if pieces else ""
    return tag[:1] in _CONTENT_TAGS or tag == "eng"


@cache
def _tagger() -> Callable[[str], list[tuple[str, str]]] | None:
    try:
        import rjieba
    except ImportError:
        return None
    tagger: Callable[[str], list[tuple[str, str]]] = rjieba.tag
    return tagger


def _stem(word: str) -> str:
    return word.lower().removesuffix("s") if len(word) > 3 else word.lower()
