"""Published question sets, converted to the layout that ``eval run`` takes."""
