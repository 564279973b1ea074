"""Which sources copy from one another, estimated from the errors they share."""
