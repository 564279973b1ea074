"""The loader of passages, and relations extracted from them."""
