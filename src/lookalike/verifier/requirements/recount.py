"""Check the requirements on the released table itself: its rows as text, counted with Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.counts.level_table import TOP
from lookalike.policy.policy import Policy
from lookalike.privacy.k_anonymity import KAnonymity
from lookalike.privacy.requirement import Requirement
from lookalike.tables.table import Table
from lookalike.verifier.finding import Finding
from lookalike.verifier.requirements.findings import requirement_finding
from lookalike.verifier.requirements.sensitive_counts import Whole, classes_of_rows


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
    """A finding for each requirement over each set of columns.

    Requirements on the population are checked only with the ``policy``, which names its table, and
    the ``levels`` of the columns.
    """
    findings = []
    judged = list(dict.fromkeys(name for rule in rules for name in rule.columns))
    for quasi_identifiers in sets:
        names = [f"c{i}" for i in range(len(quasi_identifiers))]
        rows = released.distinct_text([*quasi_identifiers, *judged])
        classes = count_classes(rows, names)
        over = f" over {', '.join(quasi_identifiers)}" if len(sets) > 1 else ""
        places = {name: f"c{len(names) + i}" for i, name in enumerate(judged)}
        counted = classes_of_rows(rows, classes, names, places)
        exempt = None
        if stars == "wildcard":
            exempt = fully_starred(classes, names).to_numpy(zero_copy_only=False)
        if any(rule.needs_population for rule in rules) and policy is not None and levels:
            from lookalike.verifier.requirements.population import People

            shown = [classes.column(name).to_pylist() for name in names]
            counted = People.of(policy).among(counted, shown, levels)
        for rule in rules:
            if rule.needs_population and counted.population is None:
                continue  # listed among what is not checked
            if rule.needs_sample:
                from lookalike.privacy.differential_privacy import DifferentialPrivacy
                from lookalike.verifier.requirements.sampling_privacy import sampling_finding

                assert isinstance(rule, DifferentialPrivacy)
                findings.append(sampling_finding(rule, counted.sizes))
            elif isinstance(rule, KAnonymity):
                sizes = counted.sizes if exempt is None else counted.sizes[~exempt]
                findings.append(_k_anonymity(rule, sizes, released, quasi_identifiers, over))
            else:
                findings.append(requirement_finding(rule, counted, exempt, over))
    return findings


def rows_by_label(released: Table, name: str) -> dict[str | None, int]:
    """How many released rows show each label of a column."""
    labels, rows = released.distinct_text((name,)).to_pydict().values()
    return dict(zip(labels, rows, strict=True))


def released_classes(released: Table, columns: Sequence[str], starred_rows: int) -> int:
    """How many classes the release has, not counting rows starred because they were suppressed."""
    names = [f"c{i}" for i in range(len(columns))]
    classes = count_classes(released.distinct_text(columns), names)
    count = int(classes.num_rows)
    if starred_rows:
        starred = classes.filter(fully_starred(classes, names)).column("count")
        count -= int(pc.sum(starred).as_py() or 0) <= starred_rows
    return count


def fully_starred(classes: Any, names: Sequence[str]) -> Any:
    """Which classes show nothing but ``*``."""
    starred = pa.array(np.ones(classes.num_rows, dtype=bool))
    for name in names:
        is_star = pc.fill_null(pc.equal(classes.column(name), TOP), False)
        starred = pc.and_(starred, is_star)
    return starred


def _k_anonymity(
    rule: KAnonymity,
    sizes: Whole,
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
    from lookalike.verifier.rows.exposed_rows import exposed_rows

    exposure = exposed_rows(released, columns, rule.k)
    classes = "1 class" if len(small) == 1 else f"{len(small):,} classes"
    rows = "1 row" if small.sum() == 1 else f"{small.sum():,} rows"
    return Finding(
        "k-anonymity",
        False,
        f"{classes} with {rows} {'has' if len(small) == 1 else 'have'} fewer than {rule.k} rows"
        f"{over}. {exposure.sentence(rule.k)}.",
    )
