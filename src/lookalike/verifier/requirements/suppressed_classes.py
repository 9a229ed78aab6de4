"""Which classes of recoded rows must be suppressed, where more is asked of them than a size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.policy.policy import Policy
from lookalike.verifier.requirements.population import Persons
from lookalike.verifier.requirements.sensitive_counts import Whole, held_of_rows
from lookalike.verifier.requirements.suppression import must_go


def gone_by_rules(
    rows: Any, classes: Any, places: Sequence[str], judged: Sequence[str], policy: Policy,
    levels: Sequence[int],
) -> Any:  # fmt: skip
    """A flag for each of ``classes``.

    ``rows`` are distinct rows with counts, recoded at the ``levels``; ``places`` and ``judged`` are
    what the quasi-identifiers and the judged columns are called there.
    """
    held = held_of_rows(
        rows, classes, places, dict(zip(policy.required_columns, judged, strict=True))
    )
    if policy.population is not None:
        shown = [classes.column(place).to_pylist() for place in places]
        people, others = Persons.of(policy).like(policy, levels, shown)
        held = replace(held, people=people, others=others)
    of_name = dict(zip(policy.names, places, strict=True))
    sets = [_alike(classes, [of_name[name] for name in one]) for one in policy.sets]
    total = int(held.sizes.sum())
    dropped = policy.conventions.suppressed == "drop"
    stays = total - (policy.allowance(total) if dropped else 0)
    return pa.array(must_go(policy, held, sets, stays))


def _alike(classes: Any, places: Sequence[str]) -> Whole:
    number: dict[tuple[str | None, ...], int] = {}
    cells = zip(*(classes.column(place).to_pylist() for place in places), strict=True)
    return np.array([number.setdefault(one, len(number)) for one in cells], dtype=np.int64)
