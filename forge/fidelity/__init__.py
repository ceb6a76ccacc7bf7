"""How true a generated environment is to a hand-written one with the same tools."""
