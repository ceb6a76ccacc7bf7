"""The author that is a model: what it is asked, and how what it writes is read. Never trusted."""
