"""Wikitext: what stays of it, where links stand in it, and that no text takes long or fails."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg_loaders.wikipedia.wikitext import LONGEST, SELF, WikiParagraph, inline, paragraphs


def clean(text: str) -> list[str]:
    return [p.text for p in paragraphs(text)]


def one(text: str) -> str:
    (found,) = clean(text)
    return found


@pytest.mark.parametrize(
    "source, shown",
    [
        ("Plain text.", "Plain text."),
        ("A [[link]] here.", "A link here."),
        ("A [[Page (thing)|label]] here.", "A label here."),
        ("A [[Page (thing)|]] here.", "A Page here."),
        ("Two [[composer]]s met.", "Two composers met."),
        ("''Italic'' and '''bold''' and '''''both'''''.", "Italic and bold and both."),
        ("''Idomeneo'''s overture and Bach's.", "Idomeneo's overture and Bach's."),
        ("Before<ref name=x>a [[b]]</ref> after<ref name=x /> end<ref>.", "Before after end."),
        ("Old {{convert|3|km}} new {{a|{{b|{{c}}}}|}} end.", "Old 3 kilometres new … end."),
        ("Five {{a|{{b|{{c|{{d|{{e}}}}}} f}}}} deep.", "Five … deep."),
        ("Odd {{{a}} and {{b}}} and {{c {d} e}} end.", "Odd … and … and … end."),
        ("Of " + "{{a " + "{{b}} " * 300 + "}}" + "many.", "Of many."),
        (
            "Ref<ref>a <br> ''b'' <ref name=x /> c</ref> one<REF>d</Ref> two<gallery>\n<ref>e</ref>\n</gallery>.",
            "Ref one two.",
        ),
        ("Ref<ref>a <ref>b</ref> c</ref> in a ref.", "Ref c in a ref."),
        ("[[File:A.jpg|thumb|[[a]] [[b]] [[c]] [[d]] [[e]] [[f]] [[g]] [x] and [[h]]]]Text.", "Text."),
        ("[[File:A.jpg|thumb|not closed [[b]] Text.", "A.jpg|thumb|not closed b Text."),
        ("Kept ( ;x) of ((, y) and (or , and) this.", "Kept (x) of ((y) and (or, and) this."),
        ("A\u2003wide\t[[_b_c_]] [[ d | e ]]f\u200b , g.", "A wide _b_c_ e f, g."),
        ("A <!-- hidden [[x]] --> word.", "A word."),
        ("Shown <!-- never closed [[x]]", "Shown"),
        ("Wide&nbsp;space, 1990&ndash;95, AT&amp;T &lt;tag&gt;.", "Wide space, 1990–95, AT&T <tag>."),
        ("See [https://example.org/a?b=c the site] and [https://example.org].", "See the site and."),
        ("Born ({{IPA|x}}; 27 January) and ({{lang|y}}) there.", "Born (27 January) and there."),
        ("Math <math>\\frac{1}{2}</math> gone, <sub>small</sub> kept.", "Math gone, small kept."),
        ("Line<br />break __NOTOC__ here.", "Line break here."),
        ("One\ntwo lines.", "One two lines."),
        ("[[File:A.jpg|thumb|A [[caption]] of [[B]]]]Text.", "Text."),
        ("[[Category:Things]]Text [[:Category:Seen|seen]].", "Text seen."),
        ("Left [[unclosed and {{ too.", "Left unclosed and too."),
        ("{{unclosed\n| a = b\nText of it.", "unclosed Text of it."),
        ("* one item\n* another item.\n* a third", "one item; another item. a third"),
    ],
)
def test_what_is_shown(source, shown):
    assert " ".join(clean(source)) == shown


def test_tables_and_templates_nested_in_each_other_are_left_out():
    table = '{| class="wikitable"\n! A\n|-\n| {{x|{|\n| inner\n|}|}} || b\n|}\n'
    assert clean(f"Before it.\n\n{table}\nAfter it.") == ["Before it.", "After it."]
    assert clean(f"{{{{Infobox\n| data = \n{table}\n| c = d\n}}}}\nText.") == ["Text."]
    assert clean("{{a\n| last =\n|}}\nText.") == ["Text."]


def test_sections_and_apparatus():
    text = "Lead text.\n== Early ''life'' ==\nYoung one.\n=== At [[school]] ===\nPupil.\n== References ==\nRef one.\n"
    text += "=== Sub of it ===\nStill not.\n== Legacy ==\nFame."
    found = [(p.section, p.text) for p in paragraphs(text)]
    assert found == [("", "Lead text."), ("Early life", "Young one."), ("At school", "Pupil."), ("Legacy", "Fame.")]
    everything = [(p.section, p.text) for p in paragraphs(text, apparatus=True)]
    assert ("References", "Ref one.") in everything
    assert ("Sub of it", "Still not.") in everything


def spans(p: WikiParagraph) -> list[tuple[str, str]]:
    return [(p.text[start:end], target) for start, end, target in p.links]


def test_spans_of_links_are_exact_and_titles_normal():
    text = (
        "'''Wolfgang Mozart''' (&nbsp;{{b}}; 1756) was a [[classical period (music)|classical]] [[composer]]s, "
        "born in [[salzburg#Old_town|Salzburg]], [[Holy_Roman Empire]].<ref>[[X]]</ref> [[#Works|Works]] "
        "[[de:Wien]] [[wikt:word|word]] [[Paris, Texas|]] [[Star Trek: Voyager]]"
    )
    (p,) = paragraphs(text)
    assert spans(p) == [
        ("Wolfgang Mozart", SELF),
        ("classical", "Classical period (music)"),
        ("composers", "Composer"),
        ("Salzburg", "Salzburg"),
        ("Holy_Roman Empire", "Holy Roman Empire"),
        ("Paris, Texas", "Paris, Texas"),
        ("Star Trek: Voyager", "Star Trek: Voyager"),
    ]


@pytest.mark.parametrize(
    "source, text, shown",
    [
        ("A [[b| label ]]s.", "A label s.", ["label"]),
        ("[[b| first ]]then.", "first then.", ["first"]),
        ("''' Bold ''' word.", "Bold word.", ["Bold"]),
        ("A [[ Foo ]] word.", "A Foo word.", ["Foo"]),
        ("[[b|\u200b ]] word and word.", "b word and word.", ["b"]),
        ("[[de:b]] [[c]] word.", "c word.", ["c"]),
    ],
)
def test_space_and_what_is_invisible_belong_to_no_link(source, text, shown):
    (p,) = paragraphs(source)
    assert (p.text, [s for s, _ in spans(p)]) == (text, shown)


def test_names_of_other_wikis_spaces_are_known_from_the_dump():
    text = "[[Datei:X.jpg|mini|Ein [[Bild]]]]Text mit [[Kategorie:Y]] und [[Hilfe:Z|Hilfe]]."
    (p,) = paragraphs(text, spaces={"datei", "kategorie", "hilfe"}, hidden={"datei", "kategorie"})
    assert (p.text, p.links) == ("Text mit und Hilfe.", ())


def test_long_paragraphs_are_divided_between_sentences_and_keep_their_links():
    sentence = "This is one of the [[link target|sentences]] of a very long paragraph, as some are. "
    parts = list(paragraphs(sentence * 100))
    assert len(parts) > 3
    assert all(len(p.text) <= LONGEST for p in parts)
    assert all(p.text.endswith("are.") for p in parts)
    assert [s for p in parts for s in spans(p)] == [("sentences", "Link target")] * 100
    endless = list(paragraphs("word" * 2000))
    assert all(len(p.text) <= LONGEST for p in endless)
    assert "".join(p.text for p in endless) == "word" * 2000


HOSTILE = [
    "{{" * 100_000,
    "{{" * 100_000 + "x" + "}}" * 100_000,
    "}}" * 100_000,
    "{" * 200_001,
    "{|\n" * 100_000,
    "{|\n{{" * 50_000,
    "[[" * 100_000,
    "[[File:" * 50_000,
    "[[File:a|[[b]]" * 20_000,
    "[[a|" * 100_000,
    "<ref>" * 100_000,
    "<ref" * 100_000,
    "<!--" * 100_000,
    "<ref>x</gallery>" * 50_000,
    "'" * 200_000,
    "[//" * 100_000,
    "=" * 200_000,
    "== a ==\n" * 50_000,
    "&" * 200_000,
    "&amp;" * 100_000,
    "( ;" * 60_000,
    "A. " * 100_000,
    " " * 200_000,
    "'''" + "a" * 200_000,
    "[[a]]" * 50_000,
    "*" * 200_000,
    "__" * 100_000,
    "x" * 500_000,
    "{{{" * 70_000 + "}}}" * 70_000,
    "| a\n" * 50_000,
    "<" * 200_000,
    "[[" + "a" * 200_000 + "]]",
    "[http://" + "a" * 200_000,
    "<ref>{{" * 30_000 + "</ref>",
    "{{a{{b}}" * 40_000,
    "{{a{{b{{c}}" * 30_000,
    "{{a" + "{{b}}" * 60_000,
    "<ref a>x" * 50_000,
    "[[File:" + "[[a]]" * 50_000,
    "[[File:a[" * 40_000,
    "(" + " ;" * 100_000,
    "A.B. " * 60_000,
]


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: f"{text[:12]!r}")
def test_bombs_are_cleaned_in_linear_time(text):
    for p in paragraphs(f"Before. {text} after.\n\n{text}"):  # anything quadratic would not come back
        assert len(p.text) <= LONGEST


PIECES = st.sampled_from(
    "{{ }} {| |} \n|- [[ ]] | ' '' ''' <ref> </ref> <!-- --> == \n== \n\n * File: Category: # & &nbsp; <br> ( ) ; [http://x"
    " word Name . ,  é \x00 \u202e \ud800".split(" ")
)


@given(st.lists(PIECES, max_size=60).map("".join) | st.text(max_size=200))
def test_any_text_is_legal_and_spans_hold(text):
    for p in paragraphs(text):
        assert p.text == p.text.strip()
        assert not any(c in p.text for c in "\x00\n\t\u202e\ud800")
        at = 0
        for start, end, target in p.links:
            assert at <= start < end <= len(p.text)
            assert target == SELF or target == target[:1].upper() + target[1:]
            at = end


def test_inline_leaves_no_markup_of_links():
    assert inline("[[a|b|c]] [[x]] ]] [[")[0] == "b|c x"


@pytest.mark.parametrize(
    "source, text",
    [
        ("It is {{convert|1300|mi|km}} long.", "It is 1,300 miles long."),
        ("A {{convert|5|ft|m|adj=on}} wall, {{cvt|1.5|kg|lb}}.", "A 5-foot wall, 1.5 kilograms."),
        ("He is {{convert|6|ft|2|in|m|abbr=on}} tall.", "He is 6 ft 2 in tall."),
        ("From {{convert|5|to|10|km|mi|0}} on.", "From 5 to 10 kilometres on."),
        ("Of {{formatnum:18204}}, {{formatnum:-10.50}}&nbsp;°C.", "Of 18,204, -10.50 °C."),
        ("Founded {{circa|1741}} or {{c.|1750|1760}}.", "Founded c. 1741 or c. 1750 – c. 1760."),
        ("Born {{birth date|1971|5|4}}.", "Born May 4, 1971."),
        ("Died {{death date and age|df=yes|2001|3|2|1930|1|1}}.", "Died 2 March 2001."),
        ("Opened {{Start date|1990|6}}.", "Opened June 1990."),
        ("{{As of|2011|3|lc=y}} it stood.", "as of March 2011 it stood."),
        ("It lies at {{coord|51|28|N|3|10|W|display=inline}}.", "It lies at 51°28′N 3°10′W."),
        ("It lies at {{coord|-51.5|3.25}}{{coord|1|2|display=title}}.", "It lies at 51.5°S 3.25°E."),
        ("Ada ({{lang-fr|Adèle}}; {{IPA|x}}) is {{lang|de|jung}}.", "Ada (Adèle) is jung."),
        ("{{nowrap|12 [[cats]]}} and {{nobr|{{formatnum:1200}} dogs}}.", "12 cats and 1,200 dogs."),
        ("Open{{snd}}shut, {{frac|1|2}} or {{sfrac|3|1|4}}.", "Open – shut, 1/2 or 3 1/4."),
        ("It cost {{US$|1.5 million}}.{{sfn|Holt|2001}} Next.{{citation needed}}", "It cost US$1.5 million. Next."),
    ],
)
def test_templates_that_stand_for_values_print_them(source: str, text: str) -> None:
    assert [p.text for p in paragraphs(source)] == [text]


@pytest.mark.parametrize(
    "source, text",
    [
        ("It is {{frobnicate|12}} long.", "It is … long."),
        ("{{frobnicate}} is a river.", "… is a river."),
        ("It is long. {{frobnicate}}", "It is long."),
        ("It is long.{{frobnicate}} It is wide.", "It is long. It is wide."),
        ("{{frobnicate|x}}\nIt is long.", "It is long."),
    ],
)
def test_a_sentence_that_an_unknown_template_breaks_is_marked(source: str, text: str) -> None:
    assert [p.text for p in paragraphs(source)] == [text]


def test_links_keep_their_places_behind_printed_templates() -> None:
    (found,) = paragraphs("It is {{convert|1300|mi|km}} from [[Ostra]] to [[Lindby|the town]].")
    assert [(found.text[a:b], title) for a, b, title in found.links] == [("Ostra", "Ostra"), ("the town", "Lindby")]
