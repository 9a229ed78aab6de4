"""What the certificate says about columns that are cut into intervals.

The certificate is public. It names and counts only labels that are in the release, so that an
interval whose rows were all suppressed leaves no trace. If a label is a value or a list of values,
perhaps shortened to its ends, its values are listed in full, unless released rows do not hold them
all. A range or the name of a group says
itself what it stands for; its values are not listed, because some may be in suppressed rows only.
"""

from __future__ import annotations

from typing import Any

from lookalike.counts.level_table import TOP, LevelTable
from lookalike.policy.hierarchies.level_builder import SUPPRESSED, UNCHANGED
from lookalike.solution.interval_labels import intervals_in_words
from lookalike.solution.recoding import Cuts, ShownColumn
from lookalike.tables.table import Table
from lookalike.verifier.certificate.kept_rows import KeptRows
from lookalike.verifier.claim.cuts.recoding import check_fit, shown_columns
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.labels.interval_truth import lists
from lookalike.verifier.requirements.recount import rows_by_label


def cut_columns(
    released: Table, original: CountedOriginal, recoding: Cuts, kept: KeptRows
) -> dict[str, dict[str, Any]]:
    """For each quasi-identifier: its number of intervals, and what each stands for."""
    tables, policy = original.tables, original.policy
    if check_fit(original, recoding) is not None:
        return {name: {"shown": "not known"} for name in policy.names}
    content: dict[str, dict[str, Any]] = {}
    columns = shown_columns(original, recoding)
    for a, (table, column) in enumerate(zip(tables, columns, strict=True)):
        if column.labels is None:
            height = kept.table(a).height
            facts: dict[str, Any] = {"level": 0, "of": height, "shown": UNCHANGED}
        elif column.labels == (TOP,):
            height = kept.table(a).height
            facts = {"level": height, "of": height, "shown": SUPPRESSED}
        else:
            rows = rows_by_label(released, table.name)
            low, _ = policy.level_bounds(table.name, table.height)
            held = {table.labels[low][table.codes[leaf, low]] for leaf in kept.leaves(a).tolist()}
            listed = [
                _listed(label, values, rows[label] >= policy.smallest and held.issuperset(values))
                for label, values in zip(column.labels, _values(table, column, low), strict=True)
                if label in rows
            ]
            shown = f"cut into {intervals_in_words([interval['label'] for interval in listed])}"
            facts = {"intervals": len(listed), "shown": shown, "intervals_listed": listed}
        content[table.name] = facts
    return content


def _listed(label: str | None, values: list[str | None], enough: bool) -> dict[str, Any]:
    """``enough`` is whether k rows or more show the label, and released rows hold every value."""
    return {"label": label} | ({"values": values} if enough and lists(label, values) else {})


def _values(table: LevelTable, column: ShownColumn, low: int) -> list[list[str | None]]:
    """The values of each interval in their order, as the finest level allowed shows them."""
    assert column.labels is not None
    values: list[dict[str | None, None]] = [{} for _ in column.labels]
    order = range(table.leaves) if table.order is None else table.order.tolist()
    for leaf in order:
        values[column.codes[leaf]].setdefault(table.labels[low][table.codes[leaf, low]])
    return [sorted(names, key=lambda name: name is None) for names in values]  # a null goes last
