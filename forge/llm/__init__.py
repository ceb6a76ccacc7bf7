"""Talking to models over an OpenAI-compatible endpoint."""
