"""The credible set: every network within a Bayes factor of the best one."""
