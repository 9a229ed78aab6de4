"""What a coarser cell shows: the label of its group, or the true interval of its class.

With ``show = "interval"`` numbers and days show from where to where their class really goes,
``[23–31]`` and not ``[20, 40)``. An interval belongs to a class over all quasi-identifiers, so it
goes neither with several sets of columns nor with a model that gives a whole column one level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lookalike.counts.level_table import Value
from lookalike.errors import Fault
from lookalike.policy.cell_text import is_null
from lookalike.policy.hierarchies import Bands, Dates, Tree
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
    """What does not go with showing intervals, whatever the table."""
    found = []
    for name, how in show.items():
        where = f"show.{name}"
        if name not in hierarchies:
            known = f"use one of: {', '.join(hierarchies)}"
            found.append(Fault(where, "not a quasi-identifier", known))
        elif how not in (LABEL, INTERVAL):
            found.append(Fault(where, "not a way to show cells", f'use "{INTERVAL}" or "{LABEL}"'))
        elif how == INTERVAL:
            found += _column_faults(where, hierarchies[name], levels.get(name, (0, 0)))
    if INTERVAL not in show.values():
        return found
    if not one_set:
        problem = "an interval is that of a class over all quasi-identifiers, and linking has sets"
        found.append(Fault("show", problem, "leave show out, or linking"))
    if model is not None and model.generalize != "cell":
        problem = f"classes have intervals of their own, and model {model.name} recodes by column"
        if model.generalize == "none":
            problem = f"intervals are to be shown, and model {model.name} generalizes nothing"
        found.append(Fault("show", problem, "leave show out, or use model CG_ or CG_CS"))
    return found


def _column_faults(where: str, hierarchy: Hierarchy, bounds: Any) -> list[Fault]:
    if not isinstance(hierarchy, Bands | Dates | Tree):
        fix = "use bands, dates, or a tree over numbers, or leave show out"
        return [Fault(where, "only numbers and days have intervals", fix)]
    given = isinstance(bounds, tuple | list) and len(bounds) > 0
    if isinstance(hierarchy, Tree) and given and bounds[0]:
        problem = "the interval would show values, and levels forbids the finest level"
        return [Fault(where, problem, "use bands, or leave show or levels out")]
    return []


def number_faults(name: str, values: Sequence[Value]) -> list[Fault]:
    """Values of a tree that are no numbers, and so have no interval."""
    known = [(value, number(value)) for value in values if not is_null(value)]
    wrong = [value for value, read in known if read is None or not within_range(read)]
    if not wrong:
        return []
    fix = 'remove show = "interval" from this column'
    return [values_fault(name, wrong, "not numeric, so there is no interval to show", fix)]
