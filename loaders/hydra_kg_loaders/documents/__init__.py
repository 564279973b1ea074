"""The loader of people's own texts: plain text, Markdown, HTML, Word and PDF. Each file is a page."""

from __future__ import annotations
