"""Count the released table afresh: does it keep what the policy requires?

Knows nothing of the search. It sees the released rows as text and counts them with Arrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lookalike.counts.level_table import TOP
from lookalike.policy.policy import Policy
from lookalike.privacy.k_anonymity import KAnonymity
from lookalike.privacy.requirement import Requirement
from lookalike.tables.table import Table
from lookalike.verifier.finding import Finding
from lookalike.verifier.requirements.findings import finding_of
from lookalike.verifier.requirements.population import Persons
from lookalike.verifier.requirements.sensitive_counts import held_of_rows
from lookalike.verifier.rows.exposed_rows import exposed_rows


def count_classes(table: Any, columns: Sequence[str]) -> Any:
    """Rows per distinct tuple of ``columns``, from a table of distinct rows with ``count``."""
    grouped = table.group_by(list(columns)).aggregate([("count", "sum")])
    return grouped.rename_columns([*columns, "count"])


def recount(
    released: Table,
    sets: Sequence[Sequence[str]],
    rules: Sequence[Requirement],
    stars: str,
    policy: Policy | None = None,
    levels: Sequence[int] = (),
) -> list[Finding]:
    """Every requirement, checked on the released table itself, over each set of columns.

    What is asked of the population is checked only by whoever has the ``policy``, which names it,
    and the ``levels`` of the columns.
    """
    found = []
    judged = list(dict.fromkeys(name for rule in rules for name in rule.columns))
    for quasi_identifiers in sets:
        names = [f"c{i}" for i in range(len(quasi_identifiers))]
        rows = released.distinct_text([*quasi_identifiers, *judged])
        classes = count_classes(rows, names)
        starred = fully_starred(classes, names)
        over = f" over {', '.join(quasi_identifiers)}" if len(sets) > 1 else ""
        places = {name: f"c{len(names) + i}" for i, name in enumerate(judged)}
        held = held_of_rows(rows, classes, names, places)
        apart = starred.to_numpy(zero_copy_only=False) if stars == "wildcard" else None
        if any(rule.needs_population for rule in rules) and policy is not None and levels:
            shown = [classes.column(name).to_pylist() for name in names]
            people, others = Persons.of(policy).like(policy, levels, shown)
            held = replace(held, people=people, others=others)
        for rule in rules:
            if rule.needs_population and held.people is None:
                continue  # it is named among what cannot be checked
            if isinstance(rule, KAnonymity):
                sizes = held.sizes if apart is None else held.sizes[~apart]
                found.append(_judge(rule, sizes, released, quasi_identifiers, over))
            else:
                found.append(finding_of(rule, held, apart, over))
    return found


def rows_by_label(released: Table, name: str) -> dict[str | None, int]:
    """How many released rows show each label of a column."""
    labels, rows = released.distinct_text((name,)).to_pydict().values()
    return dict(zip(labels, rows, strict=True))


def classes_shown(released: Table, columns: Sequence[str], starred_rows: int) -> int:
    """How many classes the release has; rows starred because they were suppressed are none."""
    names = [f"c{i}" for i in range(len(columns))]
    classes = count_classes(released.distinct_text(columns), names)
    found = int(classes.num_rows)
    if starred_rows:
        starred = classes.filter(fully_starred(classes, names)).column("count")
        found -= int(pc.sum(starred).as_py() or 0) <= starred_rows
    return found


def fully_starred(classes: Any, names: Sequence[str]) -> Any:
    """Which classes show nothing but ``*``."""
    starred = pa.array(np.ones(classes.num_rows, dtype=bool))
    for name in names:
        is_star = pc.fill_null(pc.equal(classes.column(name), TOP), False)
        starred = pc.and_(starred, is_star)
    return starred


def _judge(
    rule: KAnonymity,
    sizes: NDArray[np.int64],
    released: Table,
    columns: Sequence[str],
    over: str,
) -> Finding:
    small = sizes[sizes < rule.k]
    if not len(small):
        smallest = (
            f"the smallest of {len(sizes):,} classes has {sizes.min():,} rows"
            if len(sizes)
            else "the table is empty"
        )
        return Finding("k-anonymity", True, f"{rule.sentence()}{over}; {smallest}.")
    exposure = exposed_rows(released, columns, rule.k)
    return Finding(
        "k-anonymity",
        False,
        f"{_many(len(small), 'class', 'classes')} with {_many(int(small.sum()), 'row', 'rows')} "
        f"{'has' if len(small) == 1 else 'have'} fewer than {rule.k} rows"
        f"{over}. {exposure.sentence(rule.k)}.",
    )


def _many(number: int, one: str, more: str) -> str:
    return f"{number:,} {one if number == 1 else more}"
