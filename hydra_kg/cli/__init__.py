"""The command line: one thin module per verb over the library."""
