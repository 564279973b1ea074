"""The data model of fusion: claims as sources make them, beliefs as a method returns them."""
