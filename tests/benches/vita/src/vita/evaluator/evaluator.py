"""A judge, for tests; nothing here is run."""
