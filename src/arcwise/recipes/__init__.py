"""Recipes and the sources that carry them out: how networks are made."""
