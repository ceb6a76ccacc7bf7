"""The running of environments: records, the table API, sandboxes, sessions, end states."""
