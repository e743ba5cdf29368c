"""The posterior over all networks: exact sums where these are feasible, else chains that check themselves."""
