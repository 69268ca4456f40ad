"""Tokens: every quantity one of its own, nothing lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weaksup.corpora.problems import segment_text
from weaksup.corpora.quantities import Mention, find_quantities
from weaksup.corpora.segment import align_tokens, cut_tokens


def test_tokens_are_cut_and_joined() -> None:
    text = "a30cm (1/5) b"
    spans = align_tokens(text, ["a30cm", "(", "1", "/", "5", ")", "b"])
    assert spans is not None
    mentions = [Mention(1, 3, find_quantities("30")[0].value), Mention(6, 11, find_quantities("(1/5)")[0].value)]
    tokens, quantities = cut_tokens(text, spans, mentions)
    assert tokens == ("a", "30", "cm", "(1/5)", "b")
    assert [(quantity.token, quantity.surface, quantity.value) for quantity in quantities] == [
        (1, "30", "30"), (3, "(1/5)", "1/5"),
    ]  # fmt: skip


def test_words_in_another_order_are_not_aligned() -> None:
    assert align_tokens("a b", ["b", "a"]) is None
    assert align_tokens("a b c", ["a", "b"]) is None


def test_english_tokens() -> None:
    _, tokens, _ = segment_text("Tom's 120-page book cost $5.50, didn't it?")
    assert tokens == ("Tom's", "120", "-", "page", "book", "cost", "$", "5.50", ",", "didn't", "it", "?")


def test_two_numbers_in_one_word() -> None:
    assert segment_text("3cm4cm", segmenter="characters")[1] == ("3", "cm", "4", "cm")
    assert segment_text("共3元5角", segmenter="characters")[1] == ("共", "3", "元", "5", "角")


@given(st.text(alphabet="12 0.,/%()-½三半个two half$_'０％．a\n", max_size=60), st.booleans())
def test_nothing_is_lost_and_every_quantity_is_a_token(text: str, words: bool) -> None:
    for name in ("english", "characters"):
        _, tokens, quantities = segment_text(text, number_words=words, segmenter=name)
        assert "".join("".join(tokens).split()) == "".join(text.split())
        for quantity in quantities:
            assert text[quantity.start : quantity.end] == quantity.surface == tokens[quantity.token]
        assert [quantity.token for quantity in quantities] == sorted({quantity.token for quantity in quantities})
