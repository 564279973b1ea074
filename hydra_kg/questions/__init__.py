"""Default answer policy: who proposes answers, in which order, and what is checked and decided about them."""
