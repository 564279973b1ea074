"""Names that are not what they look like are told from names that are only foreign."""

from __future__ import annotations

import pytest

from hydra_kg.text.lookalikes import oddities


@pytest.mark.parametrize(
    "name, said",
    [
        ("P\u0430ris", "mixes Latin and Cyrillic letters"),
        ("City of P\u0430ris (Texas)", "mixes Latin and Cyrillic letters"),
        ("\u0391thens", "mixes Latin and Greek letters"),
        ("\u041c\u043eck\u0432\u0430", "mixes Latin and Cyrillic letters"),
        ("P\u0430\u03b9s", "mixes Latin, Cyrillic and Greek letters"),
        ("Pa\u200bris", "holds characters that are not shown"),
        ("Paris\u2060", "holds characters that are not shown"),
        ("Pa\u202eris", "holds characters that are not shown"),
        ("Pa\u200dris", "holds characters that are not shown"),
        ("Pa\u00adris", "holds characters that are not shown"),
        ("Par\x1b[8mis", "holds characters that are not shown"),
        ("Pa\u200b\u0440is", "mixes Latin and Cyrillic letters, holds characters that are not shown"),
        ("Pa\u0301\u0440is", "mixes Latin and Cyrillic letters"),
    ],
)
def test_what_cannot_be_seen_is_said(name: str, said: str) -> None:
    assert oddities(name) == said


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Paris",
        "S\u00e3o Paulo",
        "\u041c\u043e\u0441\u043a\u0432\u0430",
        "\u0391\u03b8\u03ae\u03bd\u03b1",
        "Pravda (\u041f\u0440\u0430\u0432\u0434\u0430)",
        "\u03b2-carotene",
        "\u00b5Torrent",
        "\u6771\u4eacTower",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "Two\tWords\nand\u00a0more",
        "R2-D2",
    ],
)
def test_other_names_are_left_alone(name: str) -> None:
    assert oddities(name) == ""
