"""Commands of ``hydra-kg eval``: runs, reports, gold queries, fusion."""
