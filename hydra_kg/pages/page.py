"""Render one self-contained HTML page of an answer: no remote parts, all data escaped, web links only."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from markupsafe import Markup, escape

from hydra_kg.citations import NOTHING, certainty_of, not_checked, origin_words, split_unchecked
from hydra_kg.pages.citation_numbers import Numbers, is_bare_list
from hydra_kg.pages.drawing import drawing
from hydra_kg.pages.rendering import render_clean
from hydra_kg.pages.scores import MEANING, agreement_in_words, describe_scores, missing_sentence, verdict_sentence
from hydra_kg.phrases import arrow, linking_note, relation_of
from hydra_kg.plan.query_wording import asked_words
from hydra_kg.text.lookalikes import oddities
from hydra_kg.text.plain_text import clean, shorten

Doc = Mapping[str, Any]

THINGS: Final = 8
"""Most topics of an answer, and answers, that the page offers further questions about."""

_ASSETS: Final = Path(__file__).with_name("assets")
# The library writes this rule into the page itself unless it is there, which the page's policy would forbid.
_LIBRARY_CSS: Final = ".__________cytoscape_container { position: relative; }"


def page(doc: Doc) -> str:
    """Return the page of a kept answer (``ask --json`` form).

    Its Content-Security-Policy allows only the page's own two scripts and its styles, by their hashes: no request, no
    form, no inline handler. It is drawn with cytoscape.js (MIT), which is embedded with its licence.
    """
    library, script, style = ((_ASSETS / n).read_text("utf-8") for n in ("cytoscape.min.js", "page.js", "base.css"))
    scripts, styles = f"{_hash(library)} {_hash(script)}", f"{_hash(style)} {_hash(_LIBRARY_CSS)}"
    policy = f"default-src 'none'; script-src {scripts}; style-src {styles}; base-uri 'none'; form-action 'none'"
    picture = drawing(doc)
    own = {
        "policy": policy,
        "library": Markup(library),
        "script": Markup(script),
        "style": Markup(style),
        "library_style": Markup(_LIBRARY_CSS),
        "picture": picture,
        "data": _data(picture),
        "manifest": json.dumps(doc["manifest"], indent=2, sort_keys=True),
    }
    return render_clean("answer.html.j2", {**_values(doc), **own}) + "\n"


def core(doc: Doc) -> str:
    """Return the answer and its evidence as a part of another page, without drawing, scripts and styles."""
    return render_clean("answer_core.html.j2", _values(doc))


def readings(doc: Doc) -> list[dict[str, Any]]:
    """Return how each name of the question was understood, for pages on which that can be changed.

    - ``text``: the name
    - ``chosen``, ``others``: its meaning and other possible ones, as ``id`` and ``name``
    - ``note``: how it was linked, if not by its name
    - ``given``: whether a person chose it
    - ``placed``: whether it is in the question
    """
    return [
        {
            "text": clean(m["text"]),
            "chosen": _describe_entity(m["chosen"]) if m["chosen"] else None,
            "others": [_describe_entity(c) for c in _others(m)],
            "note": linking_note(m),
            "given": bool(m["chosen"]) and m["chosen"].get("how") == "given",
            "placed": m.get("start", -1) >= 0,
        }
        for m in doc["mentions"]
    ]


def things(doc: Doc) -> list[dict[str, str]]:
    """Return the things that an answer is about, topics first, as ``id`` and ``name``, each once."""
    topics = [t for x in doc["explorations"] for t in x["topics"]]
    topics += [m["chosen"] for m in doc["mentions"] if m["chosen"]]
    answers = [a for a in doc["answers"] if a.get("id")]
    return list({one["id"]: _describe_entity(one) for one in (*topics[:THINGS], *answers[:THINGS])}.values())


def dialogue(doc: Doc) -> dict[str, Any]:
    """Return the values that a page needs to go on with the conversation.

    - ``question``: the question in full
    - ``before``: id of the previous answer
    - ``after``: id that the next question follows: this answer's, or the previous one's if this question was not
      understood
    - ``choices``: full questions that a follow-up may mean
    """
    before, understood = str(doc.get("after", "")), str(doc.get("understood_as", ""))
    lost = before and not understood and str(doc.get("missing", "")).startswith("not understood")
    return {
        "question": clean(understood or doc["question"]),
        "before": before,
        "after": before if lost else doc["id"],
        "choices": [clean(choice) for choice in doc.get("choices", ())],
    }


def _describe_entity(one: Doc) -> dict[str, str]:
    return {"id": str(one["id"]), "name": clean(one["name"] or one["id"])}


def number_citations(doc: Doc) -> Numbers:
    """Return the page's numbers of the places that the answer cites."""
    values = _values(doc)
    render_clean("answer_core.html.j2", values)
    numbers: Numbers = values["numbers"]
    return numbers


def web_link(url: object) -> str:
    """Return the address if it is a web address that a page may link to, else ""."""
    text = clean(url)
    if any(c in text for c in " \"'<>\\`"):
        return ""
    try:
        parts = urlsplit(text)
    except ValueError:
        return ""
    return text if parts.scheme in ("http", "https") and parts.netloc else ""


def _values(doc: Doc) -> dict[str, Any]:
    """Return what the templates of an answer use."""
    numbers = Numbers(doc["citations"])
    optional = {"missing": "", "perhaps": (), "computation": "", "chosen_by": "", "unchecked": (), "steps": ()}
    optional |= {"understood_as": "", "choices": (), "notes": ()}
    asked, doubted = split_unchecked(doc["question"], doc.get("unchecked", ()))
    return {
        "not_checked": not_checked(asked),
        "doubted": doubted,
        "doc": {**optional, **doc},
        "numbers": numbers,
        "nothing": NOTHING,
        "meaning": MEANING,
        "certainty_of": certainty_of,
        "web_link": web_link,
        "arrow": arrow,
        "relation_of": relation_of,
        "missing_sentence": missing_sentence,
        "verdict_sentence": verdict_sentence,
        "agreement_in_words": agreement_in_words,
        "in_words": describe_scores,
        "asked": asked_words(doc),
        "origin_words": origin_words,
        "said": _get_quotation,
        "ranked": _rank_paths,
        "others": _others,
        "linking_note": linking_note,
        "oddities": lambda c: oddities(f"{c['name'] or ''} {c['id']}"),
        "lists_only": _lists_only,
        "cited_text": lambda text: _link_citations(text, numbers),
    }


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _data(value: Any) -> Markup:
    """Return JSON that cannot end its script element."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _lists_only(doc: Doc) -> bool:
    return is_bare_list(clean(doc["answer_text"]), [clean(a["name"]) for a in doc["answers"]])


def _link_citations(text: str, numbers: Numbers) -> Markup:
    """Return the answer's own text with its citation numbers as links."""
    made = escape(clean(numbers.in_text(clean(text))))
    for c in numbers.used():
        made = made.replace(f"[{c['n']}]", Markup('<a href="#c{0}">[{0}]</a>').format(c["n"]))
    return made


def _others(mention: Doc) -> list[Doc]:
    """Return the other possible meanings of a mention."""
    chosen = mention["chosen"]
    return [c for c in mention["candidates"] if not chosen or c["id"] != chosen["id"]]


def _get_quotation(path: Doc) -> str:
    passage = path.get("passage") or {}
    return shorten(path.get("sentence") or passage.get("text") or path["text"])


def _rank_paths(paths: Sequence[Doc]) -> list[Doc]:
    return sorted(paths, key=lambda p: (not p["kept"], p["rank"]))
