"""Running tool code that nobody read: rules for the source, and two back ends."""
