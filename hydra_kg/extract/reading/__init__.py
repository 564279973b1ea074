"""Reading pages for an answer: words, values and subjects of sentences, and which value answers a plain question."""

from __future__ import annotations
