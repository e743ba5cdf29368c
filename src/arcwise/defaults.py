"""The defaults that more than one place has to know, each with its reason."""

from __future__ import annotations

__all__ = [
    "BAYES_FACTOR",
    "BINS",
    "CANDIDATES",
    "COMPLETIONS",
    "LEARN_SECONDS",
    "MANY_VARIABLES",
    "MOST_THREADS",
    "REFINE",
    "REFINED_WHOLE",
    "REPLICATES",
]

# Beyond it the evidence against a network is called strong (Kass and Raftery 1995).
BAYES_FACTOR = 20.0
# The standard error of a bootstrap's confidence is then at most 0.035.
REPLICATES = 200
# Rounds of refinement of a climb: part of what a climb finds without is where it got stuck, not what the data say.
REFINE = 3
# Of more variables than this, no drawing of the whole can be read, and a table of all pairs is mostly zeros.
MANY_VARIABLES = 400
# Refinement among many variables tries only so many parents of each again: those that gained most before. In replicates
# from `MANY_VARIABLES` on; in a single search, whose score is what counts, from so many on.
CANDIDATES = 40
REFINED_WHOLE = 2000
# Three intervals of about equal numbers of rows leave none of them empty.
BINS = 3
# Data with gaps are completed this often: with half of the cells missing, an average over 20 completions has a variance
# that is 2.5 % above that over any number (1 + 0.5 / 20; Rubin 1987, p. 114).
COMPLETIONS = 20
# What a person waits for.
LEARN_SECONDS = 120.0
MOST_THREADS = 1024
