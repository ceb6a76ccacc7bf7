"""A data set written by hand: one environment, ten tasks. The model of how they read."""
