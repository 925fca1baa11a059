"""Folding makes texts comparable and never loses the way back."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answergraph.evidence.texts.folding import MappedText, fold, folded

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
words = st.text(st.sampled_from("abé한국が ガｶﾞ1２³ﬁ“'\n\u3000\u0301\u3099e"), max_size=40)


@given(texts | words)
def test_folding_twice_is_folding_once(text: str) -> None:
    once = fold(text)
    assert fold(once) == once


@given(words)
def test_normalization_forms_of_a_text_without_powers_are_one(text: str) -> None:
    plain = text.replace("³", "3")
    assert fold(plain) == fold(unicodedata.normalize("NFKC", plain)) == fold(unicodedata.normalize("NFD", plain))


@given(texts | words, st.data())
def test_the_span_of_a_whole_word_cuts_out_what_folds_to_it(text: str, data: st.DataObject) -> None:
    view = folded(MappedText(text))
    places = [index for index, character in enumerate(view.text) if character != " "]
    if not places:
        return
    start = data.draw(st.sampled_from(places))
    start = view.text.rfind(" ", 0, start) + 1
    end = view.text.find(" ", start)
    end = len(view.text) if end < 0 else end
    low, high = view.span(start, end)
    assert fold(text[low:high]) == fold(view.text[start:end])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a\n  b", "a b"),
        ("“a” «b» `c´", "'a' \"b\" 'c'"),
        ("ｆｕｌｌ　１２", "full 12"),
        ("e\u0301", "é"),
        ("ﬁle", "file"),
        ("H₂O", "H2O"),
    ],
)
def test_these_are_the_same(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Disk", "disk"),
        ("m²", "m2"),
        ("x⁻¹", "x−1"),
        ("6″", "6'"),
        ("10²", "102"),
        ("1½", "11⁄2"),
        ("a\u200bb", "ab"),
        ("a-b", "a b"),
        ("a b", "ab"),
        ("a.", "a"),
    ],
)
def test_these_are_not(one: str, other: str) -> None:
    assert fold(one) != fold(other)
