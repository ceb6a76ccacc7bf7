"""What every task must pass, one file a gate.

A gate is a function (world, task) -> None if it passes, else the reason, in one line. It trusts
nothing that the task says of itself but reads it: calls are run again, intents evaluated again.
"""
