"""Training of policies on what was rolled out: estimators, objective, which tasks. Pure functions
first; what needs torch imports it."""
