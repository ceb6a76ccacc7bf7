"""Plans as Python source, tools and tables."""
