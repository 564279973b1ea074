"""Tags with very many attributes are found before a parser meets them, however they are written."""

from __future__ import annotations

import pytest

from hydra_kg.text.html_tags import has_oversized_tag

MANY = 600
QUOTED = 'a{}=">"'


def attributes(pattern: str, between: str = " ") -> str:
    return between.join(pattern.format(i) for i in range(MANY))


@pytest.mark.parametrize(
    "page",
    [
        f"<p {attributes('a{}=1')}>",
        f"<P\n{attributes('a{}', chr(10))}>",
        f"<p {attributes('a{}', '/')}>",
        f"<p {attributes(QUOTED)}>",
        f"<p {attributes(QUOTED, '')}>",
        f"<p {attributes('a{} = 1')}>",
        f"<!-- > --><script>if (a<b) c()</script><p {attributes('a{}')}>",
        f"<script><p {attributes('a{}')}>",
        f"<p {attributes('a{}')}",
    ],
    ids=["values", "lines", "slashes", "quoted", "joined", "spaced", "behind a script", "open script", "open tag"],
)
def test_many_attributes_are_found(page: str) -> None:
    assert has_oversized_tag(page.encode())
    assert has_oversized_tag(page.encode("utf-16"))


@pytest.mark.parametrize(
    "page",
    [
        "<p class=a id=b>text</p>" * MANY,
        f"<script>for (i=0;i<n;i++) {{ {'word ' * MANY} }}</script><p>text",
        f"<!-- <p {attributes('a{}')}> --><p>text",
        f"<p title='{'word ' * MANY}'>text",
        f"<p title=don't>{'word ' * MANY}it's<b>text",
        f"<p>1 < 2 {'word ' * MANY} and 3 > 2",
        "<!--" * MANY,
        "<script>" * MANY,
        "",
    ],
    ids=["tags", "script", "comment", "quoted", "apostrophe", "less than", "open comments", "open scripts", "nothing"],
)
def test_other_pages_are_let_through(page: str) -> None:
    assert not has_oversized_tag(page.encode())
