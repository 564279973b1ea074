"""Compatibility characters are replaced by the letters that they stand for, and nothing else is."""

from __future__ import annotations

import pytest

from hydra_kg.text.plain_text import fold_compatibility


@pytest.mark.parametrize(
    "text, plain",
    [
        ("Pﬁster Oﬃce", "Pfister Office"),
        ("ﬀ ﬂ ﬄ ﬅ", "ff fl ffl st"),
        ("Ｔａｒｎ １９３１", "Tarn 1931"),
        ("№ 7, Henry Ⅷ", "No 7, Henry VIII"),
        ("12 ㎞", "12 km"),
        ("Cafe\u0301", "Café"),
    ],
)
def test_forms_of_letters_are_replaced(text: str, plain: str) -> None:
    assert fold_compatibility(text) == plain
    assert fold_compatibility(plain) == plain


@pytest.mark.parametrize("text", ["10² m", "½ mile", "H₂O", "Wait … “so”", "Ñandú", "東京", "①"])
def test_what_means_something_else_stays(text: str) -> None:
    assert fold_compatibility(text) == text
