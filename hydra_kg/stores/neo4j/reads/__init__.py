"""What a snapshot of the Neo4j store answers: names, entities, cuts, facts, passages."""

from __future__ import annotations
