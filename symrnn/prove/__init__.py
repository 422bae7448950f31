"""Deciding: the only place that may issue ``proved``."""
