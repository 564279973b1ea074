"""Rivals of the four papers as prompts: IRCoT, RQ-RAG, MetaRAG, MDQA, local search of GraphRAG, ChatKBQA."""
