"""Policies that know their tokens, id for id, and the rows to train on that are made of them."""
