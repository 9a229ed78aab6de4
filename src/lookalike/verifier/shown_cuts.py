"""What the certificate says of columns cut into intervals.

It is public: only labels that stand in the release are named or counted, so that an interval whose
rows were all suppressed leaves no trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import TOP, LevelTable
from lookalike.policy.policy import Policy
from lookalike.solution.interval_labels import told
from lookalike.solution.recoding import Cuts
from lookalike.tables.table import Table
from lookalike.verifier.by_cuts import cuts_fit, shown_columns


def cut_columns(
    released: Table,
    counts: FrequencySet,
    tables: Sequence[LevelTable],
    policy: Policy,
    recoding: Cuts,
) -> dict[str, dict[str, Any]]:
    """By quasi-identifier: its role, how many intervals it shows, and some of them."""
    role = {"role": "quasi-identifier"}
    fits = recoding.names == policy.names and cuts_fit(tables, policy, recoding) is None
    if not fits or not set(policy.names) <= set(released.columns):
        return {name: {**role, "shown": "not known"} for name in policy.names}
    found: dict[str, dict[str, Any]] = {}
    columns = shown_columns(counts, tables, policy, recoding)
    for table, column in zip(tables, columns, strict=True):
        if column.labels is None:
            facts: dict[str, Any] = {"level": 0, "of": table.height, "shown": "as it is"}
        elif column.labels == (TOP,):
            facts = {"level": table.height, "of": table.height, "shown": f"suppressed ({TOP})"}
        else:
            seen = set(released.distinct_text((table.name,)).column("c0").to_pylist())
            labels = [label for label in column.labels if label in seen]
            facts = {"intervals": len(labels), "shown": f"cut into {told(labels)}"}
        found[table.name] = role | facts
    return found
