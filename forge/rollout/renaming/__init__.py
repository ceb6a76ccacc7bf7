"""The same tools under other names: what was learned is told from what was memorised."""
