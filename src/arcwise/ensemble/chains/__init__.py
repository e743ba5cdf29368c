"""Markov chains over DAGs: draws from the posterior of any number of variables, with a verdict on their agreement."""
