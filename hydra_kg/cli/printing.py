"""An answer for people, drawn from its JSON form: answer first, then how it was understood, evidence, citations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hydra_kg.citations import NOTHING, VERDICTS, how_sure
from hydra_kg.phrases import relation_of
from hydra_kg.text.plain_text import clean, shortened

Doc = Mapping[str, Any]

SHOWN = 3
"""Paths that come with "no answer" unless more are asked for."""


class Numbers:
    """Gives every printed source its ``[n]``: the answer's own citations first, further places after them.

    What was never asked for is not listed, so that no number is unused and none leads nowhere.
    """

    def __init__(self, citations: Sequence[Doc]) -> None:
        self._known = {(c["source"], c["locator"]): c for c in citations}
        self._used: dict[tuple[str, str], Doc] = {}
        self._next = max((int(c["n"]) for c in citations), default=0) + 1

    def of(self, source: Doc) -> int:
        """The number of a hop's source or of a passage."""
        place = (source["source"], source["locator"])
        if (known := self._known.get(place)) is None:
            known = self._known[place] = {**source, "n": self._next}
            self._next += 1
        self._used[place] = known
        return int(known["n"])

    def mentioned(self, text: str) -> None:
        """Numbers that stand in the answer's own text count as used."""
        for c in list(self._known.values()):
            if f"[{c['n']}]" in text:
                self._used[c["source"], c["locator"]] = c

    def used(self) -> list[Doc]:
        """The citations to list, by number."""
        return sorted(self._used.values(), key=lambda c: int(c["n"]))


def answer_lines(doc: Doc, *, show_paths: int | None = None, verbose: bool = False) -> Iterator[str]:
    """All lines of ``ask`` and ``show``. ``show_paths``: so many, the answer's own first, then the next best of the
    explorations; None: the answer's own (at most ``SHOWN`` where there is no answer)."""
    numbers = Numbers(doc["citations"])
    yield from _answers(doc, numbers, verbose=verbose)
    for said in doc.get("notes", ()):
        yield f"Note: {clean(said)}"
    yield ""
    if doc["mentions"]:
        yield from _understood(doc["mentions"])
        yield ""
    own, further = _best(doc, show_paths)
    title = "Perhaps" if doc["abstained"] else "Evidence"
    first = 1
    for heading, paths in ((title, own), ("Further paths", further)):
        if paths:
            yield heading
            for i, path in enumerate(paths, first):
                yield from _path(path, numbers, f"{i}.", scores=verbose)
            first += len(paths)
            yield ""
    if cited := numbers.used():
        yield "Citations"
        yield from map(_citation, cited)
        yield ""
    if verbose:
        yield from _details(doc)


def marked_path(path: Doc, numbers: Numbers) -> str:
    """``A — relation → B [1][2] — relation → C [3]``; the sentence for a path without hops."""
    hops = path["hops"]
    if not hops:
        passage = path.get("passage")
        mark = f" [{numbers.of(passage)}]" if passage else ""
        return f"“{shortened(path.get('sentence') or path['text'])}”{mark}"
    text = clean(hops[0]["subject"]["name"] or hops[0]["subject"]["id"])
    for hop in hops:
        # Those that the answer cites first; six open enough, and a number is given only to what is shown.
        places = {(s["source"], s["locator"]): s for s in sorted(hop["sources"], key=lambda s: s.get("n", 10**9))}
        marks = "".join(f"[{n}]" for n in sorted(map(numbers.of, list(places.values())[:6])))
        name = clean(hop["object"]["name"] or hop["object"]["id"])
        text += f" — {clean(relation_of(hop))} → {name}{' ' + marks if marks else ''}"
    return text


def score_text(scores: Doc) -> str:
    """All numbers of a path in one line."""
    return "  ".join(f"{k} {v:.3f}" for k, v in scores.items() if v is not None)


def _answers(doc: Doc, numbers: Numbers, *, verbose: bool) -> Iterator[str]:
    if doc["abstained"]:
        yield NOTHING
        if doc.get("missing"):
            yield f"Looked for: {clean(doc['missing'])}."
        return
    names = [clean(a["name"]) for a in doc["answers"]]
    text = clean(doc["answer_text"])
    if not _is_list_of(text, names):
        numbers.mentioned(text)
        yield text
    for answer, name in zip(doc["answers"], names, strict=True):
        key = answer["id"]
        yield f"{name}  ({clean(key)})" if key else name
    if doc.get("claim"):
        yield f"The claim is {clean(doc['claim'])}."
    facts = [f"{doc['verdict']}: {VERDICTS.get(doc['verdict'], '')}", how_sure(doc["confidence"] or 0)]
    if verbose:
        numbered = [f"by {clean(doc['label'])}" if doc["label"] else "", f"confidence {doc['confidence'] or 0:.2f}"]
        facts += [n for n in numbered if n]
        facts += [f"agreement {doc['agreement'] or 0:.2f}, amount {doc['amount']:.2f}"] if doc["amount"] else []
    if doc["truncated"]:
        facts.append("the search was cut short by its budget")
    yield " · ".join(facts)
    if doc.get("computation"):
        yield f"Computed: {clean(doc['computation'])}"
    for dissent in doc["dissent"]:
        yield f"But: {clean(dissent)}"


def _is_list_of(text: str, names: Sequence[str]) -> bool:
    """Whether the answer's text is nothing but its names: ``A, B and C``."""
    for name in names:
        text = text.replace(name, "", 1)
    return not text.replace(" and ", "").strip(" ,;.")


def _understood(mentions: Sequence[Doc]) -> Iterator[str]:
    yield "Understood as"
    for mention in mentions:
        chosen = mention["chosen"]
        if chosen is None:
            yield f"  “{clean(mention['text'])}”: unknown"
        else:
            yield f"  “{clean(mention['text'])}”: {_candidate(chosen)}"
        others = [c for c in mention["candidates"] if chosen is None or c["id"] != chosen["id"]]
        if others:
            yield f"    did you mean: {' · '.join(map(_candidate, others))}   (--topic ID)"


def _candidate(candidate: Doc) -> str:
    about = clean(candidate.get("description") or "")
    about = f", {about[:60].rstrip()}{'…' if len(about) > 60 else ''}" if about else ""
    return f"{clean(candidate['name'] or '?')} ({clean(candidate['id'])}{about})"


def _best(doc: Doc, count: int | None) -> tuple[list[Doc], list[Doc]]:
    """The answer's paths, and the explorations' best that are not among them: kept ones first, then by rank."""
    own = list(doc["paths"])
    if count is None:
        if own or not doc["abstained"]:
            return (own[:SHOWN] if doc["abstained"] else own), []
        count = SHOWN
    seen = {p["text"] for p in own}
    others: list[tuple[bool, int, int, Doc]] = []
    for i, x in enumerate(doc["explorations"]):
        for p in x["paths"]:
            if p["text"] not in seen:
                seen.add(p["text"])
                others.append((not p["kept"], p["rank"], i, p))
    others.sort(key=lambda o: o[:3])
    return own[:count], [p for *_, p in others][: max(0, count - len(own))]


def _path(path: Doc, numbers: Numbers, mark: str, *, scores: bool) -> Iterator[str]:
    fate = "" if path["kept"] else f"   (pruned{': ' + clean(path['reason']) if path.get('reason') else ''})"
    yield f"  {mark} {marked_path(path, numbers)}{fate}"
    if path["hops"] and (passage := path.get("passage")):
        said = shortened(path.get("sentence") or passage.get("text") or passage["title"])
        yield f"     text: “{said}” [{numbers.of(passage)}]"
    if scores:
        yield f"     {score_text(path['scores'])}"


def _citation(citation: Doc) -> str:
    place = clean(citation["locator"])
    url = clean(citation.get("url") or "")
    where = f"{url}{place[place.rfind(' [') :] if ' [' in place else ''}" if url else place
    return f"  [{citation['n']}] {where}  ({clean(citation['source'])})"


def _details(doc: Doc) -> Iterator[str]:
    usage, seconds = doc["usage"], doc["seconds"]
    yield "Details"
    yield f"  strategy {clean(doc['strategy'])} · agent {clean(doc['agent'])} · id {clean(doc['id'])}"
    yield from class_lines(doc)
    for x in doc["explorations"]:
        counts = ", ".join(f"{clean(k)} {v:,}" for k, v in x["counts"].items())
        yield f"  phase {clean(x['phase'])}: depth {x['depth']}" + (f", {counts}" if counts else "")
    yield f"  model: {_spent(usage)}"
    for step, spent in usage.get("steps", {}).items():
        took = seconds.get(f"model.{step}")
        yield f"    {clean(step)}: {_spent(spent)}" + (f", {took:.1f} s" if took is not None else "")
    shown = {k: v for k, v in seconds.items() if not k.startswith("model.")}
    yield "  seconds: " + ", ".join(f"{clean(k)} {v:.3f}" for k, v in shown.items())
    yield ""


def class_lines(doc: Doc) -> Iterator[str]:
    """Whether the graph or the model gave the answer, in PoG's words (App. B.2); nothing where they do not fit."""
    from hydra_kg.citations import evidence_class

    found = evidence_class(doc["label"], {p["phase"] for p in doc["paths"]})
    if found:
        yield f"  evidence class: {found}"


def _spent(usage: Doc) -> str:
    calls = f"{usage['calls']} call{'' if usage['calls'] == 1 else 's'}"
    money = f", {usage['money']:.4f} of money" if usage["money"] else ""
    return f"{calls}, {usage['tokens_in']:,} + {usage['tokens_out']:,} tokens{money}"


def exploration_lines(doc: Doc, *, why: bool = False, show_paths: int = 10) -> Iterator[str]:
    """The phases with kept and pruned paths and scores; with ``why``, the sources of every hop of kept paths."""
    for i, x in enumerate(doc["explorations"], 1):
        topics = ", ".join(f"{clean(t['name'])} ({clean(t['id'])})" for t in x["topics"])
        yield f"Phase {i}: {clean(x['phase'])} · depth {x['depth']}" + (
            " · cut short by its budget" if x["truncated"] else ""
        )
        if topics:
            yield f"  topics     {topics}"
        yield f"  looked for {clean(x['indicator'])}"
        if x["counts"]:
            yield "  counts     " + ", ".join(f"{clean(k)} {v:,}" for k, v in x["counts"].items())
        kept = [p for p in x["paths"] if p["kept"]]
        pruned = [p for p in x["paths"] if not p["kept"]]
        for title, paths in (("kept", kept), ("pruned", pruned)):
            if paths:
                yield f"  {title} ({len(paths)}{' and more' if title == 'pruned' and x['left_out'] else ''})"
            for p in paths[:show_paths]:
                yield from _explored_path(p, why=why)
            if len(paths) > show_paths:
                yield f"       … {len(paths) - show_paths} more (--paths N, --json, --html FILE)"
        yield from _claims(x.get("claims", ()), show_paths)
        if x["left_out"]:
            yield f"  {x['left_out']:,} further paths were not kept in the trace"
        yield ""


def _claims(claims: Sequence[Doc], most: int) -> Iterator[str]:
    """Who says what of the attribute asked for, and how far each is trusted in it."""
    if claims:
        yield f"  homologous group{'s' if len({(c['subject']['id'], c['attribute']) for c in claims}) > 1 else ''}"
    for c in claims[:most]:
        fate = "" if c["believed"] else ", not believed"
        yield f"    {clean(c['source'])} says {clean(c['object']['name'])} ({c['confidence'] or 0:.2f}{fate})"
    if len(claims) > most:
        yield f"       … {len(claims) - most} more (--paths N, --json, --html FILE)"


def _explored_path(path: Doc, *, why: bool) -> Iterator[str]:
    scores = path["scores"]
    shown = (
        f"rel {scores['relevance'] or 0:.3f}  ver {scores['verification'] or 0:.3f}  cross {scores['cross'] or 0:.3f}"
    )
    reason = f"   {clean(path['reason'])}" if path.get("reason") else ""
    yield f"    {path['rank']:>3}. {clean(path['text'])}"
    yield f"         {shown}{reason}"
    if not why:
        return
    for hop in path["hops"]:
        relation = clean(relation_of(hop))
        yield f"         {clean(hop['subject']['name'])} — {relation} → {clean(hop['object']['name'])}"
        if not hop["sources"]:
            yield f"           {hop.get('facts', 0) or 'no'} sources looked up"
        for s in hop["sources"]:
            url = f"  {clean(s['url'])}" if s.get("url") else ""
            yield f"           {clean(s['source'])}  {clean(s['locator'])}{url}  fact {clean(s['fact'])}"
    if passage := path.get("passage"):
        yield f"         passage {clean(passage['title'])}  {clean(passage['locator'])}  ({clean(passage['source'])})"
