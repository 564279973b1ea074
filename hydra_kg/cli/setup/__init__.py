"""Commands for getting started: demo, settings, strategies, and a server up and down."""
