"""Which claims conflict or contain one another, and the values that are believed after all."""
