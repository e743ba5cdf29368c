"""Replicates: many networks, each learned from resampled data, by workers that may die."""
