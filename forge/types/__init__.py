"""Frozen data that the layers hand to each other. No behaviour lives here.

What is written to disk is a pydantic model that forbids unknown fields; what stays in memory is
a frozen dataclass.
"""
