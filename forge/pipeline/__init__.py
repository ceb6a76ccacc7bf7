"""Docs -> verified data set: the order of the stages, the processes, what is kept and resumed."""
