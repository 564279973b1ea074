"""One self-contained HTML page of an answer: no remote parts, everything from data escaped, web links only."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hydra_kg.citations import NOTHING, VERDICTS, how_sure
from hydra_kg.pages.drawing import drawing
from hydra_kg.pages.numbers import Numbers, only_lists
from hydra_kg.pages.scores import MEANING, agreement_in_words, in_words, missing_sentence
from hydra_kg.phrases import relation_of
from hydra_kg.plan.words import kept_words
from hydra_kg.text.lookalikes import oddities
from hydra_kg.text.plain_text import clean, shortened

Doc = Mapping[str, Any]

_ASSETS = Path(__file__).with_name("assets")
# The library writes this rule into the page itself unless it is there, which the page's policy would forbid.
_LIBRARY_CSS = ".__________cytoscape_container { position: relative; }"


def page(doc: Doc) -> str:
    """The page of a kept answer (``ask --json`` form).

    Its Content-Security-Policy allows the page's own two scripts and styles by their hashes and nothing else: no
    request, no form, no inline handler. It is drawn with cytoscape.js (MIT), which is embedded with its licence.
    """
    library, script, style = (_asset(n) for n in ("cytoscape.min.js", "page.js", "page.css"))
    scripts, styles = f"{_hash(library)} {_hash(script)}", f"{_hash(style)} {_hash(_LIBRARY_CSS)}"
    policy = f"default-src 'none'; script-src {scripts}; style-src {styles}; base-uri 'none'; form-action 'none'"
    picture, numbers = drawing(doc), Numbers(doc["citations"])
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_text(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{_text(doc["question"])} · hydra-kg</title>
<style>{style}</style>
<style id="__________cytoscape_stylesheet">{_LIBRARY_CSS}</style>
</head>
<body>
{_head(doc, numbers)}
{_picture(picture)}
{_evidence(doc, numbers)}
{_explorations(doc)}
{_manifest(doc)}
<script type="application/json" id="data">{_data(picture)}</script>
<script>{library}</script>
<script>{script}</script>
</body>
</html>
"""


def core(doc: Doc) -> str:
    """The answer and its evidence without the drawing, as a part of somebody else's page: no scripts, no styles."""
    numbers = Numbers(doc["citations"])
    return f'<div class="hydra-kg">{_head(doc, numbers)}{_evidence(doc, numbers)}</div>'


def web_link(url: object) -> str:
    """The address if it is a web address that a page may link to, else ""."""
    text = clean(url)
    if any(c in text for c in " \"'<>\\`"):
        return ""
    try:
        parts = urlsplit(text)
    except ValueError:
        return ""
    return text if parts.scheme in ("http", "https") and parts.netloc else ""


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _text(value: object) -> str:
    return html.escape(clean(value))


def _data(value: Any) -> str:
    """JSON that cannot end its script element."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _head(doc: Doc, numbers: Numbers) -> str:
    lines = [f"<h1>{_text(doc['question'])}</h1>"]
    if doc["abstained"]:
        lines.append(f'<p class="answer">{NOTHING}</p>')
        if doc.get("missing"):
            lines.append(f"<p>{_text(missing_sentence(doc['missing']))}</p>")
        if doc.get("perhaps"):
            lines.append(f"<p>Perhaps: {_text(', '.join(a['name'] for a in doc['perhaps']))}</p>")
    else:
        text = clean(doc["answer_text"])
        if not only_lists(text, [clean(a["name"]) for a in doc["answers"]]):
            lines.append(f"<p>{_linked(_text(numbers.in_text(text)), numbers)}</p>")
        for a in doc["answers"]:
            key = f' <span class="id">{_text(a["id"])}</span>' if a["id"] else ""
            lines.append(f'<p class="answer">{_text(a["name"])}{key}</p>')
    verdict = clean(doc["verdict"])
    badges = [
        f'<span class="badge {_text(verdict)}">{_text(verdict)}: {_text(VERDICTS.get(verdict, ""))}</span>',
        f'<span class="badge">{how_sure(doc["confidence"] or 0)}</span>' if not doc["abstained"] else "",
        f'<span class="badge">by {_text(doc["label"])}</span>' if doc["label"] else "",
        '<span class="badge">cut short by its budget</span>' if doc["truncated"] else "",
    ]
    lines.append(f"<p>{''.join(badges)}</p>")
    if doc.get("computation"):
        lines.append(f"<p>Computed: {_text(doc['computation'])}</p>")
    lines += [f"<p>But: {_text(d)}{_marks(numbers.of_dissent(doc, d))}</p>" for d in doc["dissent"]]
    if doc.get("unchecked"):
        lines.append(f"<p>Not checked: {_text(', '.join(f'“{c}”' for c in doc['unchecked']))}</p>")
    return "\n".join([*lines, *_steps(doc), *_sureness(doc), *_understood(doc)])


def _steps(doc: Doc) -> Iterable[str]:
    """What each operator of the question's plan did."""
    done = "".join(f"<li>{_text(step['text'])}</li>" for step in doc.get("steps", ()))
    if done:
        yield f'<ol class="soft">{done}</ol>'


def _sureness(doc: Doc) -> Iterable[str]:
    """The numbers behind verdict and confidence, folded away, with what they mean."""
    if not doc["abstained"]:
        said = agreement_in_words(doc)
        yield (
            f'<details><summary class="soft">how sure, in numbers</summary><p class="soft">confidence'
            f" {doc['confidence'] or 0:.2f}: how probable it is that the answer is right<br>agreement"
            f" {doc['agreement'] or 0:.2f}, amount {doc['amount'] or 0:.2f}{': ' + said if said else ''}</p></details>"
        )


def _understood(doc: Doc) -> Iterable[str]:
    if asked := kept_words(doc.get("plan")):
        yield f'<p class="soft">Asked: {_text(asked)}</p>'
    for m in doc["mentions"]:
        others = [c for c in m["candidates"] if not m["chosen"] or c["id"] != m["chosen"]["id"]]
        chosen = _candidate(m["chosen"]) if m["chosen"] else "unknown"
        meant = "; did you mean " + ", ".join(map(_candidate, others)) if others else ""
        yield f'<p class="soft">“{_text(m["text"])}” understood as {chosen}{meant}</p>'


def _candidate(candidate: Doc) -> str:
    odd = oddities(f"{candidate['name'] or ''} {candidate['id']}")
    return f"{_text(candidate['name'])} ({_text(candidate['id'])}{', ' + odd if odd else ''})"


def _picture(picture: Mapping[str, Any]) -> str:
    judged = any(n["role"] == "source" for n in picture["nodes"])
    said = "<span>a box is a source, its line as wide as it is trusted</span>" if judged else ""
    left = f" · {picture['left_out']} further paths are not drawn" if picture["left_out"] else ""
    return f"""<h2>Explored graph</h2>
<div id="drawing"><div class="legend"><span><i class="dot topic"></i>topic</span>
<span><i class="dot answer"></i>answer</span><span><i class="dot other"></i>other</span>
<span><i class="dot text"></i>passage</span>
{said}
<label><input type="checkbox" id="pruned"> show pruned paths</label>
<span class="soft">hover for sources, drag to move{left}</span></div>
<div id="graph" role="img" aria-label="Explored graph; the same paths stand below as text"></div>
<div id="tip" role="tooltip"></div></div>"""


def _evidence(doc: Doc, numbers: Numbers) -> str:
    title = "Perhaps" if doc["abstained"] else "Evidence"
    paths = "".join(f"<li>{_path(p, numbers)}{_scores(p)}{_sources(p)}</li>" for p in doc["paths"])
    cited = "".join(
        f'<li id="c{int(c["n"])}" value="{int(c["n"])}">{_place(c)} <span class="soft">{_text(c["source"])}</span></li>'
        for c in numbers.used()
    )
    return (f"<h2>{title}</h2><ol>{paths}</ol>" if paths else "") + (
        f"<h2>Citations</h2><ol>{cited}</ol>" if cited else ""
    )


def _path(path: Doc, numbers: Numbers | None = None) -> str:
    passage = path.get("passage") or {}
    mark = _marks([numbers.of(passage)]) if numbers is not None and passage else ""
    if not path["hops"]:
        return f"“{_said(path)}”{mark}"
    text = _text(path["hops"][0]["subject"]["name"])
    for hop in path["hops"]:
        label = _text(relation_of(hop))
        text += f' <span class="rel">— {label} →</span> {_text(hop["object"]["name"])}'
        text += _marks(numbers.of_hop(hop)) if numbers is not None else ""
    if numbers is not None and passage:
        text += f'<div class="soft">text: “{_said(path)}”{_marks([numbers.of(passage)])}</div>'
    return text


def _said(path: Doc) -> str:
    passage = path.get("passage") or {}
    return html.escape(shortened(path.get("sentence") or passage.get("text") or path["text"]))


def _marks(numbers: Iterable[int]) -> str:
    return "".join(f' <a href="#c{n}">[{n}]</a>' for n in numbers)


def _linked(text: str, numbers: Numbers) -> str:
    """The numbers of citations in a text of the page as links to them."""
    for c in numbers.used():
        text = text.replace(f"[{c['n']}]", f'<a href="#c{c["n"]}">[{c["n"]}]</a>')
    return text


def _scores(path: Doc) -> str:
    """What a path is worth in words; its numbers folded away, each with its meaning."""
    rows = "".join(
        f'<tr><td>{_text(k)}</td><td class="n">{v:.3f}</td><td>{_text(MEANING.get(k, ""))}</td></tr>'
        for k, v in path["scores"].items()
        if v is not None
    )
    numbers = f'<details><summary class="soft">numbers</summary><table>{rows}</table></details>' if rows else ""
    return f'<div class="score">{in_words(path["scores"])}</div>{numbers}'


def _sources(path: Doc) -> str:
    """What states each hop, folded away."""
    hops = []
    for hop in path["hops"]:
        stated = "".join(
            f'<li>{_text(s["source"])}: {_place(s)} <span class="soft">fact {_text(s["fact"])}</span></li>'
            for s in hop["sources"]
        )
        if stated:
            name, end = _text(hop["subject"]["name"]), _text(hop["object"]["name"])
            relation = f"{_text(relation_of(hop))} → {end}"
            key = f'<span class="id">{_text(hop["predicate"])}</span>'
            hops.append(f"<li>{name} — {relation} {key}<ul>{stated}</ul></li>")
    if passage := path.get("passage"):
        hops.append(f"<li>{_text(passage['title'])}: {_place(passage)} ({_text(passage['source'])})</li>")
    return (
        f'<details><summary class="soft">sources of every hop</summary><ul>{"".join(hops)}</ul></details>'
        if hops
        else ""
    )


def _place(source: Doc) -> str:
    where = _text(source["locator"])
    url = web_link(source.get("url") or "")
    if not url:
        return where
    return f'<a href="{html.escape(url)}" rel="noreferrer noopener nofollow">{where or html.escape(url)}</a>'


def _explorations(doc: Doc) -> str:
    return "<h2>Explorations</h2>" + "".join(map(_exploration, doc["explorations"])) if doc["explorations"] else ""


def _exploration(x: Doc) -> str:
    kept = sum(bool(p["kept"]) for p in x["paths"])
    topics = ", ".join(f"{_text(t['name'])} ({_text(t['id'])})" for t in x["topics"])
    counts = ", ".join(f"{_text(k)} {int(v):,}" for k, v in x["counts"].items())
    rows = "".join(map(_row, sorted(x["paths"], key=lambda p: (not p["kept"], p["rank"]))))
    left = (
        f'<p class="soft">{int(x["left_out"]):,} further paths were not kept in the trace.</p>' if x["left_out"] else ""
    )
    fate = f"{kept} kept, {len(x['paths']) - kept} pruned"
    cut = " · cut short by its budget" if x["truncated"] else ""
    return f"""<details><summary><b>{_text(x["phase"])}</b> · depth {int(x["depth"])} · {fate}{cut}</summary>
<p>Topics: {topics or "none"}<br>Looked for: {_text(x["indicator"])}<br><span class="soft">{counts}</span></p>
<p class="soft">From 0 to 1. {_meant()}</p>
<table><thead><tr><th class="n">#</th><th>path</th><th class="n">relevance</th><th class="n">verification</th>
<th class="n">cross</th><th>fate</th></tr></thead><tbody>{rows}</tbody></table>{left}</details>"""


def _meant() -> str:
    return " · ".join(f"{k}: {html.escape(MEANING[k])}" for k in ("relevance", "verification", "cross"))


def _row(p: Doc) -> str:
    numbers = "".join(
        f'<td class="n">{p["scores"].get(k) or 0:.3f}</td>' for k in ("relevance", "verification", "cross")
    )
    fate = ("kept" if p["kept"] else "pruned") + (f": {_text(p['reason'])}" if p.get("reason") else "")
    return (
        f'<tr class="{"kept" if p["kept"] else "pruned"}"><td class="n">{int(p["rank"])}</td>'
        f"<td>{_path(p)}{_sources(p)}</td>{numbers}<td>{fate}</td></tr>"
    )


def _manifest(doc: Doc) -> str:
    manifest = html.escape(json.dumps(doc["manifest"], indent=2, sort_keys=True))
    run = " · ".join(f"{k} {_text(doc[k])}" for k in ("id", "strategy", "agent"))
    seconds = ", ".join(f"{_text(k)} {v:.3f}" for k, v in doc["seconds"].items())
    return f"""<h2>Run</h2><p class="soft">{run} · seconds: {seconds}</p>
<details><summary>manifest</summary><pre>{manifest}</pre></details>"""
