"""Folding of letter case and marks, as Unicode's data has it."""
