"""Claims of all sources about one attribute, collected from stores, feeds and line graphs."""
