"""Benchmarks that others wrote, played from the user's checkout and scored by their own code."""
