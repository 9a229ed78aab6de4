"""Sensitive columns as text: values are equal if an outsider reads the same text."""

from __future__ import annotations

import numpy as np

from lookalike.counts.frequency_set import Histogram
from lookalike.policy.cell_text import is_null, text


def text_histogram(histogram: Histogram) -> Histogram:
    """The histogram with texts for values; nulls of any kind are one value."""
    if set(map(type, histogram.values)) <= {str}:
        return histogram
    texts = [None if is_null(value) else text(value) for value in histogram.values]
    place = {value: i for i, value in enumerate(dict.fromkeys(texts))}
    code = np.array([place[value] for value in texts], dtype=np.int32)
    return Histogram(tuple(place), histogram.group, code[histogram.code], histogram.count)
