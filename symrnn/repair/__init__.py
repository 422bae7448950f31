"""Repair: from a refuted claim to the nearest formula that is proved."""
from symrnn.repair.edits import Edit
from symrnn.repair.search import Repair, repair

__all__ = ["Edit", "Repair", "repair"]
