"""Print an answer for people from its JSON form: the answer first, then how it was understood, evidence, citations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hydra_kg.citations import COURTESY, NOTHING, amount_text, certainty_of, not_checked, split_unchecked
from hydra_kg.pages.citation_numbers import Numbers, format_marked_path, is_bare_list, marks
from hydra_kg.pages.scores import describe_scores, missing_sentence
from hydra_kg.phrases import arrow, linking_note, relation_of
from hydra_kg.plan.query_wording import asked_words
from hydra_kg.text.lookalikes import oddities
from hydra_kg.text.plain_text import clean, shorten

Doc = Mapping[str, Any]

SHOWN = 3
"""Number of paths shown with "Perhaps" unless more are asked for."""

SEARCHED = "Paths searched without finding an answer"
"""Heading of the paths of a question without answer, which are shown only on request."""


def number_citations(doc: Doc) -> Numbers:
    """Return the citation numbers that ``ask`` and ``show`` give to the places of an answer.

    The numbers are the same however many paths the two commands show.
    """
    numbers = Numbers(doc["citations"])
    for _ in answer_lines(doc, show_paths=10**9, numbers=numbers):
        pass
    return numbers


def answer_lines(
    doc: Doc,
    *,
    show_paths: int | None = None,
    verbose: bool = False,
    plan: bool = False,
    numbers: Numbers | None = None,
    at: str = "",
) -> Iterator[str]:
    """Yield all lines of ``ask`` and ``show``.

    Args:
        show_paths: number of paths; None shows those of the answer, or of "Perhaps".
        plan: whether to add the query in words.
        numbers: collects the numbers of citations.
        at: suffix of commands (``at_store``).
    """
    numbers = numbers if numbers is not None else Numbers(doc["citations"])
    if doc.get("understood_as"):
        yield f"Understood as: {clean(doc['understood_as'])}"
    yield from _answers(doc, numbers, verbose=verbose, at=at)
    for note in doc.get("notes", ()):
        yield f"Note: {clean(note)}"
    yield ""
    asked = asked_words(doc) if plan or verbose else ""
    if doc["mentions"] or asked:
        yield from _understood(doc["mentions"], asked)
        yield ""
    own, further = _best(doc, show_paths)
    title = "Evidence" if not doc["abstained"] else "Paths" if doc.get("perhaps") else SEARCHED
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


def score_text(scores: Doc) -> str:
    """Return all scores of a path in one line."""
    return "  ".join(f"{k} {v:.3f}" for k, v in scores.items() if v is not None)


def _answers(doc: Doc, numbers: Numbers, *, verbose: bool, at: str) -> Iterator[str]:
    """Yield the lines of an answer: its values, verdict, steps and doubts."""
    if doc.get("missing") == COURTESY:
        yield missing_sentence(COURTESY)
        return
    if doc["abstained"]:
        yield NOTHING
        if doc.get("missing"):
            yield missing_sentence(doc["missing"])
        for i, choice in enumerate(doc.get("choices", ()), 1):
            yield f"  {i}. {clean(choice)}"
        yield from _perhaps(doc)
        yield f"What can be asked here: hydra-kg describe{at}"
        return
    names = [clean(amount_text(a["name"], a.get("unit") or "")) for a in doc["answers"]]
    text = clean(doc["answer_text"])
    if not is_bare_list(text, names):
        yield numbers.in_text(text)
    if doc.get("table"):
        yield from _table(doc["table"])
    for answer, name in zip(doc["answers"], names, strict=True) if not doc.get("table") else ():
        key = answer["id"]
        yield f"{name}  ({clean(key)})" if key else name
    if doc.get("claim"):
        yield f"The claim is {clean(doc['claim'])}."
    facts = [certainty_of(doc)]
    if verbose:
        numbered = [f"by {clean(doc['label'])}" if doc["label"] else "", f"confidence {doc['confidence'] or 0:.2f}"]
        facts += [n for n in numbered if n]
        facts += [f"agreement {doc['agreement'] or 0:.2f}, amount {doc['amount']:.2f}"] if doc["amount"] else []
    if doc["truncated"]:
        facts.append("the search was cut short by its budget")
    yield " · ".join(facts)
    if doc.get("computation") and not doc.get("table"):
        yield f"Computed: {clean(doc['computation'])}"
    for dissent in doc["dissent"]:
        found = marks(numbers.of_dissent(doc, dissent))
        yield f"But: {clean(dissent)}{' ' + found if found else ''}"
    if doc.get("chosen_by"):
        yield f"Chosen by {clean(doc['chosen_by'])}"
    asked, doubted = split_unchecked(doc["question"], doc.get("unchecked", ()))
    if asked:
        yield not_checked([clean(c) for c in asked])
    for doubt in doubted:
        yield f"In doubt: {clean(doubt)}"
    yield from _steps(doc)


def _table(table: Doc) -> Iterator[str]:
    """Yield the columns of an answer, aligned, under their headings."""
    rows = [[clean(cell) for cell in row] for row in (table["columns"], *table["rows"])]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, ["-" * width for width in widths])
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _steps(doc: Doc) -> Iterator[str]:
    """Yield what each operator of the plan did, unless the line "Computed: …" already says it."""
    for step in doc.get("steps", ()):
        if step["text"] != doc.get("computation"):
            yield f"  {clean(step['text'])}"


def _perhaps(doc: Doc) -> Iterator[str]:
    """Yield values that may be right, and what they were not checked against unless the reason says so."""
    yield from _steps(doc)
    if doc.get("perhaps"):
        yield f"Perhaps: {', '.join(clean(a['name']) for a in doc['perhaps'])}"
        sentence = not_checked([clean(c) for c in doc.get("unchecked", ())])
        if sentence and sentence != missing_sentence(doc.get("missing", "")):
            yield sentence


def _understood(mentions: Sequence[Doc], asked: str) -> Iterator[str]:
    """Yield the lines that say which entity each name of the question means."""
    yield "Understood as"
    if asked:
        yield f"  Asked: {clean(asked)}"
    for mention in mentions:
        chosen = mention["chosen"]
        if chosen is None:
            yield f"  “{clean(mention['text'])}”: unknown"
        else:
            noted = f" · {note}" if (note := linking_note(mention)) else ""
            yield f"  “{clean(mention['text'])}”: {_candidate(chosen)}{noted}"
        others = [c for c in mention["candidates"] if chosen is None or c["id"] != chosen["id"]]
        if others:
            which = f'"{clean(mention["text"])}=ID"' if mention.get("start", -1) >= 0 else "ID"
            yield f"    did you mean: {' · '.join(map(_candidate, others))}   (--topic {which})"


def _candidate(candidate: Doc) -> str:
    about = clean(candidate.get("description") or "")
    about = f", {about[:60].rstrip()}{'…' if len(about) > 60 else ''}" if about else ""
    odd = oddities(f"{candidate['name'] or ''} {candidate['id']}")
    return f"{clean(candidate['name'] or '?')} ({clean(candidate['id'])}{', ' + odd if odd else ''}{about})"


def _best(doc: Doc, count: int | None) -> tuple[list[Doc], list[Doc]]:
    """Return the answer's paths and the best other paths of the explorations: kept ones first, then by rank."""
    own = list(doc["paths"])
    if count is None:
        return (own if not doc["abstained"] else own[:SHOWN] if doc.get("perhaps") else []), []
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
    """Yield the lines of one evidence path with its citation numbers."""
    fate = "" if path["kept"] else f"   (pruned{': ' + clean(path['reason']) if path.get('reason') else ''})"
    yield f"  {mark} {format_marked_path(path, numbers)}{fate}"
    if path["hops"] and (passage := path.get("passage")):
        quoted_text = shorten(path.get("sentence") or passage.get("text") or passage["title"])
        yield f"     text: “{quoted_text}” [{numbers.of(passage, f'“{quoted_text}”')}]"
    if scores:
        yield f"     {describe_scores(path)}"
        yield f"     {score_text(path['scores'])}"


def _citation(citation: Doc) -> str:
    place = clean(citation["locator"])
    url = clean(citation.get("url") or "")
    where = f"{url}{place[place.rfind(' [') :] if ' [' in place else ''}" if url else place
    return f"  [{citation['n']}] {where}  ({clean(citation['source'])})"


def _details(doc: Doc) -> Iterator[str]:
    """Yield the lines of ``--verbose``: strategy, counts of each phase, calls and seconds."""
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
    """Yield whether the graph or the model gave the answer, in PoG's words (App. B.2).

    Yield nothing if these do not fit.
    """
    from hydra_kg.citations import evidence_class

    found = evidence_class(doc["label"], {p["phase"] for p in doc["paths"]})
    if found:
        yield f"  evidence class: {found}"


def _spent(usage: Doc) -> str:
    calls = f"{usage['calls']} call{'' if usage['calls'] == 1 else 's'}"
    money = f", {usage['money']:.4f} of money" if usage["money"] else ""
    return f"{calls}, {usage['tokens_in']:,} + {usage['tokens_out']:,} tokens{money}"


def exploration_lines(doc: Doc, *, why: bool = False, show_paths: int = 10, verbose: bool = False) -> Iterator[str]:
    """Yield phases with kept and pruned paths. ``verbose`` adds numbers, ``why`` sources of hops, both add details."""
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
        chosen = [p for p in x["paths"] if p["kept"]]
        pruned = [p for p in x["paths"] if not p["kept"]]
        for title, paths in (("selected", chosen), ("pruned", pruned)):
            if paths:
                yield f"  {title} ({len(paths)}{' and more' if title == 'pruned' and x['left_out'] else ''})"
            for p in paths[:show_paths]:
                yield from _print_explored_path(p, why=why, verbose=verbose)
                if why and verbose:
                    yield from _explain_scores(p, (doc.get("manifest") or {}).get("scoring"))
            if len(paths) > show_paths:
                yield f"       … {len(paths) - show_paths} more (--paths N, --json, --html FILE)"
        yield from _claims(x.get("claims", ()), show_paths)
        if x["left_out"]:
            yield f"  {x['left_out']:,} further paths were left out of the trace"
        yield ""


def _explain_scores(path: Doc, scoring: Doc | None) -> Iterator[str]:
    """Yield how a path's scores are computed (HydraRAG §4.3), if the answer has the numbers."""
    s, origins = path["scores"], path.get("origins", ())
    if scoring is None or scoring["mix_over"] or not path["hops"] or any(s[k] is None for k in s):
        return
    most, alpha = scoring["w_max"], scoring["alpha_cross"]
    entities = len({n["id"] for h in path["hops"] for n in (h["subject"], h["object"])})
    alike = scoring["f2"] == "support" and abs(s["f2"] - min(len(origins), most) / most) < 0.001
    f2 = f"f2 = min({len(origins)}, {most}) / {most} = {s['f2']:.4f}" if alike else f"f2 = {s['f2']:.4f}"
    inside = f"{round(s['f3'] * entities)} of {entities} entities in G_q = "
    f3 = f"f3 = {inside if scoring['f2'] == 'support' else ''}{s['f3']:.4f}"
    yield f"         Supp = {{{', '.join(map(clean, origins))}}} · f1 = ρ = {s['f1']:.4f} · {f2} · {f3}"
    verification = (s["f1"] + s["f2"] + s["f3"]) / 3
    cross = alpha * s["relevance"] + (1 - alpha) * s["verification"]
    if abs(verification - s["verification"]) < 0.001 and abs(cross - s["cross"]) < 0.001:
        yield (
            f"         s_ver = (f1 + f2 + f3) / 3 = {s['verification']:.4f} · "
            f"cross = {alpha:g} · {s['relevance']:.4f} + {1 - alpha:g} · s_ver = {s['cross']:.4f}"
        )


def _claims(claims: Sequence[Doc], most: int) -> Iterator[str]:
    """Yield who says what about the attribute asked for, and how far each source is trusted in it."""
    if claims:
        yield f"  homologous group{'s' if len({(c['subject']['id'], c['attribute']) for c in claims}) > 1 else ''}"
    for c in claims[:most]:
        fate = "" if c["believed"] else ", not believed"
        yield f"    {clean(c['source'])} says {clean(c['object']['name'])} ({c['confidence'] or 0:.2f}{fate})"
    if len(claims) > most:
        yield f"       … {len(claims) - most} more (--paths N, --json, --html FILE)"


def _print_explored_path(path: Doc, *, why: bool, verbose: bool) -> Iterator[str]:
    """Yield the lines of one explored path in ``show``."""
    reason = f" · {clean(path['reason'])}" if path.get("reason") else ""
    yield f"    {path['rank']:>3}. {format_marked_path(path, None)}"
    yield f"         {describe_scores(path)}{reason}"
    if verbose:
        yield f"         {score_text(path['scores'])}"
    if not why:
        return
    for hop in path["hops"]:
        relation = arrow(clean(relation_of(hop)))
        yield f"         {clean(hop['subject']['name'])} {relation} {clean(hop['object']['name'])}"
        if not hop["sources"]:
            yield f"           {hop.get('facts', 0) or 'no'} sources looked up"
        for s in hop["sources"]:
            url = f"  {clean(s['url'])}" if s.get("url") else ""
            yield f"           {clean(s['source'])}  {clean(s['locator'])}{url}  fact {clean(s['fact'])}"
    if passage := path.get("passage"):
        yield f"         passage {clean(passage['title'])}  {clean(passage['locator'])}  ({clean(passage['source'])})"
