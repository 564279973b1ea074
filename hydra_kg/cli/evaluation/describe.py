"""Define ``hydra-kg eval describe``: statistics of question sets and sets of claims, as in the papers' tables."""

from __future__ import annotations

import click

from hydra_kg.cli.options import debug_option, json_option
from hydra_kg.cli.terminal import json_text, out, out_all, table


@click.command(epilog="Example: hydra-kg eval describe webqsp_test cwq movies")
@click.argument("sets", nargs=-1, required=True, metavar="SET...")
@json_option
@debug_option
def describe(sets: tuple[str, ...], *, as_json: bool) -> None:
    """Print the size of each SET, a question file or a set of claims, by name or path.

    For questions: their number, those with gold answers, answers a question and their kind (an entity has an id),
    questions with one topic or several, gold queries and their relations. For claims: sources, entities and claims, by
    the format of the sources if that is known, and queries.
    """
    from hydra_kg.errors import NotFoundError
    from hydra_kg.evaluate.fusion.claim_sets import files_of
    from hydra_kg.evaluate.fusion.statistics import describe_formats as described_claims
    from hydra_kg.evaluate.questions.datasets import read_questions
    from hydra_kg.evaluate.questions.statistics import describe_set

    questions, claims = [], []
    for name in sets:
        try:
            read = read_questions(name)
        except NotFoundError as missing:
            try:
                claims += list(described_claims(files_of(name)))
            except NotFoundError:
                raise missing from None
        else:
            questions.append(describe_set(read[0].dataset if read else name, read))
    if as_json:
        out(json_text({"questions": questions, "claims": claims}))
        return
    if questions:
        head = ("set", "answers are", "questions", "gold", "answers", "1 topic", "more", "queries", "relations")
        rows = [
            (
                d["set"],
                "/".join(d["kinds"]) or "–",
                *(f"{d[k]:,}" for k in ("questions", "gold")),
                _mean(d["answers"]),
                *(f"{d[k]:,}" for k in ("single_topic", "multi_topic", "queries")),
                _mean(d["relations"]),
            )
            for d in questions
        ]
        out_all(table([head, *rows], right=tuple(range(2, 9))))
    if claims:
        if questions:
            out("")
        rows = [(c["set"], c["format"] or "all", *(f"{v:,}" for v in list(c.values())[2:])) for c in claims]
        out_all(table([tuple(claims[0]), *rows], right=tuple(range(2, 6))))


def _mean(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"
