"""The way there through the tools: graph, walk, lookups, plan, play, orders."""
