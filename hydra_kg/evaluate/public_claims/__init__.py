"""Sets of conflicting claims as they are published, read into the layout that ``eval fusion`` takes."""
