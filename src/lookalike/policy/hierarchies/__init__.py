"""Hierarchies: ways to make a column less specific, one per file. Each ends in ``*``."""

from lookalike.policy.hierarchies.bands import Bands, bands
from lookalike.policy.hierarchies.dates import Dates, dates
from lookalike.policy.hierarchies.flat import Flat, flat
from lookalike.policy.hierarchies.ordered import Ordered, ordered
from lookalike.policy.hierarchies.prefix import Prefix, prefix
from lookalike.policy.hierarchies.tree import Tree, tree

__all__ = [
    "Bands",
    "Dates",
    "Flat",
    "Ordered",
    "Prefix",
    "Tree",
    "bands",
    "dates",
    "flat",
    "ordered",
    "prefix",
    "tree",
]
