"""What the certificate says of columns cut into intervals.

It is public: only labels that stand in the release are named or counted, so that an interval whose
rows were all suppressed leaves no trace. Where a label is a value or a list of values, perhaps told
by its ends, its members are listed in full. A range or a group's name says what it stands for by
itself: which of its values occur is not told, for some may be of suppressed rows alone.
"""

from __future__ import annotations

from typing import Any

from lookalike.counts.level_table import TOP, LevelTable
from lookalike.solution.interval_labels import ShownColumn, intervals_in_words
from lookalike.solution.recoding import Cuts
from lookalike.tables.table import Table
from lookalike.verifier.claim.cuts.recoding import check_fit, shown_columns
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.labels.interval_truth import lists
from lookalike.verifier.requirements.recount import rows_by_label


def cut_columns(
    released: Table, original: CountedOriginal, recoding: Cuts
) -> dict[str, dict[str, Any]]:
    """For each quasi-identifier: how many intervals it shows, and what each stands for."""
    counts, tables, policy = original.counts, original.tables, original.policy
    fits = check_fit(original, recoding) is None
    if not fits or not set(policy.names) <= set(released.columns):
        return {name: {"shown": "not known"} for name in policy.names}
    found: dict[str, dict[str, Any]] = {}
    columns = shown_columns(counts, tables, policy, recoding)
    for table, column in zip(tables, columns, strict=True):
        if column.labels is None:
            facts: dict[str, Any] = {"level": 0, "of": table.height, "shown": "unchanged"}
        elif column.labels == (TOP,):
            facts = {"level": table.height, "of": table.height, "shown": f"suppressed ({TOP})"}
        else:
            seen = rows_by_label(released, table.name)
            low, _ = policy.level_bounds(table.name, table.height)
            listed = [
                _listed(label, members, seen[label] >= policy.smallest)
                for label, members in zip(column.labels, _members(table, column, low), strict=True)
                if label in seen
            ]
            shown = f"cut into {intervals_in_words([one['label'] for one in listed])}"
            facts = {"intervals": len(listed), "shown": shown, "intervals_listed": listed}
        found[table.name] = facts
    return found


def _listed(label: str | None, members: list[str | None], enough: bool) -> dict[str, Any]:
    """``enough`` is whether k rows or more show the label."""
    return {"label": label} | ({"values": members} if enough and lists(label, members) else {})


def _members(table: LevelTable, column: ShownColumn, low: int) -> list[list[str | None]]:
    """Of each interval its values in their order, as the finest level allowed shows them."""
    assert column.labels is not None
    found: list[dict[str | None, None]] = [{} for _ in column.labels]
    order = range(table.leaves) if table.order is None else table.order.tolist()
    for leaf in order:
        found[column.codes[leaf]].setdefault(table.labels[low][table.codes[leaf, low]])
    return [sorted(names, key=lambda name: name is None) for names in found]  # a null goes last
