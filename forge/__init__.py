"""forge: environments, proven tasks and training for tool-using agents, from API documents."""

__version__ = "0.1.0"
