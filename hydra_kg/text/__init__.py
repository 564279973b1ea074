"""Strings: folding, typos, literals, relation keys in words, control characters removed."""
