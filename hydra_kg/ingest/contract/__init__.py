"""The contract of loaders: what they implement, and the feeds, work folder and options that they get."""
