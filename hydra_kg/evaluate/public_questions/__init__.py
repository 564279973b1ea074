"""Question sets as they are published, read into the layout that ``eval run`` takes."""
