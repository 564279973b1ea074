"""What a snapshot of the embedded store answers: names, entities, cuts, facts, passages."""

from __future__ import annotations
