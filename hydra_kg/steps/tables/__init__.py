"""The tables of a store, and what the words of a question may mean in them."""
