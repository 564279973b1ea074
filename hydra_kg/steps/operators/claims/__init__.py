"""What decides a claim beside a stated relation: kinds of things, how many there are, and when they were there."""
