"""The verb that says which rows of feeds are one thing."""
