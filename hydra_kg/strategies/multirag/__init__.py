"""MultiRAG: homologous line graphs and multi-level confidence."""
