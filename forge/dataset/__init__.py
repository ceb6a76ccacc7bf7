"""The data set on disk: files are the truth, written whole or not at all."""
