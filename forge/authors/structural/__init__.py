"""The author that works by rules alone: what a document shows is built, the rest is left out."""
