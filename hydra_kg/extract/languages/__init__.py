"""Questions in other languages: German, French and Spanish forms as tables that anybody can extend."""
