"""MultiRAG: homologous line graphs and multi-level confidence."""

from __future__ import annotations
