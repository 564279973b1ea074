"""Published sets of conflicting claims, converted to the layout that ``eval fusion`` takes."""
