"""Everything that is made of finished runs: tables, comparisons, analyses, pages and figures."""
