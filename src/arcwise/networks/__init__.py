"""The nouns of many networks: recipes, lists, families, where they come from, and their files."""
