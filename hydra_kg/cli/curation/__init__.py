"""Commands for what people add to a store: taught meanings and saved questions."""
