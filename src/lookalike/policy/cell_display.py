"""What a generalized cell shows: the label of its group, or the true interval of its class.

With ``show = "interval"``, numbers and dates show the smallest and the largest value of the class,
``[23–31]`` in place of ``[20, 40)``. An interval belongs to a class over all quasi-identifiers, so
it cannot be combined with several sets of columns, or with a model that has one level per column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lookalike.counts.level_table import Value
from lookalike.errors import Fault
from lookalike.policy.cell_text import is_null
from lookalike.policy.hierarchies.level_builder import values_fault
from lookalike.policy.hierarchies.number_reading import number, within_range
from lookalike.policy.hierarchy import Hierarchy
from lookalike.policy.nine_models import Model

LABEL, INTERVAL = "label", "interval"


def show_faults(
    show: Mapping[str, Any],
    hierarchies: Mapping[str, Hierarchy],
    levels: Mapping[str, Any],
    model: Model | None,
    one_set: bool,
) -> list[Fault]:
    """What contradicts showing intervals, for any table."""
    faults = []
    for name, how in show.items():
        where = f"show.{name}"
        if name not in hierarchies:
            known = f"use one of: {', '.join(hierarchies)}"
            faults.append(Fault(where, "not a quasi-identifier", known))
        elif how not in (LABEL, INTERVAL):
            faults.append(Fault(where, "unknown", f'use "{INTERVAL}" or "{LABEL}"'))
        elif how == INTERVAL:
            faults += _column_faults(where, hierarchies[name], levels.get(name, (0, 0)))
    if INTERVAL not in show.values():
        return faults
    if not one_set:
        problem = "an interval needs classes over all quasi-identifiers; linking has several sets"
        faults.append(Fault("show", problem, "remove show, or linking"))
    if model is not None and model.generalize != "cell":
        problem = f"each class has its own intervals, and model {model.name} recodes whole columns"
        if model.generalize == "none":
            problem = f"model {model.name} generalizes nothing, so there are no intervals to show"
        faults.append(Fault("show", problem, "remove show, or use model CG_ or CG_CS"))
    return faults


def _column_faults(where: str, hierarchy: Hierarchy, bounds: Any) -> list[Fault]:
    if hierarchy.name not in ("bands", "dates", "tree"):
        fix = "use bands, dates, or a tree of numbers, or remove show"
        return [Fault(where, "only numbers and dates have intervals", fix)]
    given = isinstance(bounds, tuple | list) and len(bounds) > 0
    if hierarchy.name == "tree" and given and bounds[0]:
        problem = "an interval shows original values, but levels excludes the lowest level"
        return [Fault(where, problem, "use bands, or remove show or levels")]
    return []


def number_faults(name: str, values: Sequence[Value]) -> list[Fault]:
    """Values of a tree that are not numbers and so have no interval."""
    known = [(value, number(value)) for value in values if not is_null(value)]
    wrong = [value for value, read in known if read is None or not within_range(read)]
    if not wrong:
        return []
    fix = 'remove show = "interval" from this column'
    return [values_fault(name, wrong, "not numeric, so there is no interval to show", fix)]
