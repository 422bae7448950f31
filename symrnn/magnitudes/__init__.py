"""Inequalities between norms: what they are, where they are shown, and where they fail."""
