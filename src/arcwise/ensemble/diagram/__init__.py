"""The credible set as a decision diagram: planned, built, summed up."""
