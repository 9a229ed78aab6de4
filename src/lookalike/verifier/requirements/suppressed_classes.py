"""Which classes of recoded rows must be suppressed, by all requirements of the policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from lookalike.policy.policy import Policy
from lookalike.verifier.requirements.population import People
from lookalike.verifier.requirements.recount import count_classes
from lookalike.verifier.requirements.sensitive_counts import classes_of_rows, number_tuples
from lookalike.verifier.requirements.suppression import broken_classes


def suppressed_classes(
    rows: Any, place: Mapping[str, str], policy: Policy, levels: Sequence[int]
) -> Any:
    """The classes that must be suppressed, with counts.

    ``rows`` are distinct rows with counts, recoded to the ``levels``; ``place`` is the name there
    of each column.
    """
    places = [place[name] for name in policy.names]
    classes = count_classes(rows, places)
    sensitive = {name: place[name] for name in policy.required_columns}
    counted = classes_of_rows(rows, classes, places, sensitive)
    labels = {name: classes.column(place[name]).to_pylist() for name in policy.names}
    if policy.population is not None:
        counted = People.of(policy).among(counted, list(labels.values()), levels)
    sets = [
        number_tuples(zip(*(labels[name] for name in names), strict=True)) for names in policy.sets
    ]
    return classes.filter(pa.array(broken_classes(policy, counted, sets)))
