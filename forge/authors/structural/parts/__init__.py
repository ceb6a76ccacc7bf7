"""A large document as several environments."""
