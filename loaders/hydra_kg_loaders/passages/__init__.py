"""The loader of passages and of the relations extracted from them."""
