"""Commands about answers: ask, show, confirm, and views in a browser."""
