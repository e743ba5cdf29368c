"""The bootstrap: a network from each of many resampled data sets."""
