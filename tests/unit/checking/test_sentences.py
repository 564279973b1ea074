"""A draft's sentences come with their lines; headings, questions, code and tables state nothing."""

from __future__ import annotations

from hydra_kg.checking.draft import draft_sentences

DRAFT = """\
# Two films

*Low Water* was directed by [Ada Lind](https://example.org). It came out
in 1997. Is it long?

- Ada Lind was born in Turku.
2. Mr. Ek was born in Lund!

```
This is code and no claim.
```

| film | year |
|---|---|
| Salt | 1999 |

Sources
-------
> Bo Ek lives in Lund.
"""


def test_sentences_have_their_lines_and_no_markup() -> None:
    found = [(s.line, s.text) for s in draft_sentences(DRAFT) if s.states]
    assert found == [
        (3, "Low Water was directed by Ada Lind."),
        (3, "It came out in 1997."),
        (6, "Ada Lind was born in Turku."),
        (7, "Mr. Ek was born in Lund!"),
        (19, "Bo Ek lives in Lund."),
    ]


def test_headings_and_questions_are_read_and_state_nothing() -> None:
    assert [(s.line, s.text) for s in draft_sentences(DRAFT) if not s.states] == [
        (1, "Two films"),
        (4, "Is it long?"),
        (17, "Sources"),
    ]


def test_a_text_of_marks_alone_has_no_sentence() -> None:
    assert list(draft_sentences("\n***\n\n```\ncode.\n```\n")) == []
