"""The Adult census table, from a folder with adult.csv and its hierarchies."""

from __future__ import annotations

from pathlib import Path

import lookalike as la
from lookalike.cost.metric import Metric

CLASS = "salary-class"


def columns(data: Path) -> tuple[str, ...]:
    with (data / "adult.csv").open(encoding="utf-8") as file:
        return tuple(file.readline().strip().split(";"))


def policy(data: Path, k: int, suppress: float | int, metric: Metric) -> la.Policy:
    """All nine columns as quasi-identifiers; for CM the class column is kept instead."""
    names = columns(data)
    kept = (metric.class_column,) if metric.class_column else ()
    return la.Policy(
        quasi_identifiers={
            name: la.tree(data / f"adult_hierarchy_{name}.csv")
            for name in names
            if name not in kept
        },
        sensitive=kept,
        require=(la.KAnonymity(k),),
        suppress=suppress,
        metric=metric,
    )
