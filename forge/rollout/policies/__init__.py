"""Who acts: the agents that are trained, measured, or hold a task to account."""
