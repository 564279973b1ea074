"""The loader of passages, and relations extracted from them."""

from __future__ import annotations
