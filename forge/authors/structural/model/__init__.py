"""The state space: entities, their keys and columns, and how they belong to each other."""
