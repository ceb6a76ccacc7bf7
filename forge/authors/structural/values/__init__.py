"""The records that an environment starts with, and values that a person might give."""
