"""A sensitive column as an outsider reads it: values are the same if they read the same."""

from __future__ import annotations

import numpy as np

from lookalike.counts.frequency_set import Histogram
from lookalike.policy.cell_text import is_null, text


def as_texts(histogram: Histogram) -> Histogram:
    """The histogram with texts for values; nulls of any kind are one value."""
    read = [None if is_null(value) else text(value) for value in histogram.values]
    place = {value: i for i, value in enumerate(dict.fromkeys(read))}
    code = np.array([place[value] for value in read], dtype=np.int32)
    return Histogram(tuple(place), histogram.group, code[histogram.code], histogram.count)
