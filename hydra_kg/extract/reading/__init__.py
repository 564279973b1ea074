"""Read pages to answer plain questions: words, values and subjects of sentences.

They say which value answers a question.
"""

from __future__ import annotations
