"""The loader of people's own texts: plain text, Markdown, HTML, Word and PDF, a page a file."""

from __future__ import annotations
