"""Which classes of recoded rows must be suppressed, by all requirements of the policy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from lookalike.policy.policy import Policy
from lookalike.verifier.requirements.population import People
from lookalike.verifier.requirements.sensitive_counts import classes_of_rows, number_tuples
from lookalike.verifier.requirements.suppression import broken_classes


def suppressed_classes(
    rows: Any, classes: Any, places: Sequence[str], judged: Sequence[str], policy: Policy,
    levels: Sequence[int],
) -> Any:  # fmt: skip
    """A flag for each of ``classes``.

    ``rows`` are distinct rows with counts, recoded to the ``levels``; ``places`` and ``judged`` are
    the names there of the quasi-identifiers and of the columns that requirements judge.
    """
    sensitive = dict(zip(policy.required_columns, judged, strict=True))
    counted = classes_of_rows(rows, classes, places, sensitive)
    if policy.population is not None:
        shown = [classes.column(place).to_pylist() for place in places]
        counted = People.of(policy).among(counted, shown, levels)
    place_of = dict(zip(policy.names, places, strict=True))
    labels = {name: classes.column(place).to_pylist() for name, place in place_of.items()}
    sets = [
        number_tuples(zip(*(labels[name] for name in names), strict=True)) for names in policy.sets
    ]
    return pa.array(broken_classes(policy, counted, sets))
