"""The posterior over all networks: exact sums where they can be had, else chains that check themselves."""
