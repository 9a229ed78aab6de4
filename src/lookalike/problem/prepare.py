"""Prepare a problem from a table and a policy: check everything, count once, tabulate."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.errors import Fault, LookalikeError, PolicyError
from lookalike.policy.cell_display import number_faults
from lookalike.policy.cell_text import is_null
from lookalike.policy.policy import Policy
from lookalike.problem.problem import Problem
from lookalike.problem.sensitive_texts import text_histogram
from lookalike.tables.resource_limits import LIMITS
from lookalike.tables.table import Table

if TYPE_CHECKING:
    from lookalike.tables.cache.node_cache import CachedTable

NO_SAMPLE = Fault(
    "require.differential_privacy",
    "it holds only for a release of a random sample, which is drawn when the release is made",
    "use lookalike run, or la.anonymize",
)
HOLD = 2_000_000  # distinct tuples; of a table with more, only nodes are fetched


def prepare(
    table: Table,
    policy: Policy,
    labels: Sequence[str] = (),
    hold: int = HOLD,
    *,
    drawing: bool = False,
) -> Problem:
    """A problem, or PolicyError with every fault.

    ``labels`` are kept columns to count as well, for metrics that are only measured. Above ``hold``
    distinct tuples, the counts stay on the engine (``out_of_core.py``). A policy that needs a
    secret sample is met only by one, except while the sample is being drawn.
    """
    faults = policy.faults(table.columns)
    if policy.needs_sample and not drawing and not is_sample(table):
        faults.append(NO_SAMPLE)
    faults += [
        Fault(name, "not a kept column of the policy", f"use one of: {', '.join(policy.kept)}")
        for name in labels
        if name not in policy.kept
    ]
    if faults:
        raise PolicyError(faults)
    column = policy.metric.class_column
    table = table.eligible_rows(policy.eligible)
    sensitive = dict.fromkeys([*labels, *([column] if column else []), *policy.required_columns])
    if not sensitive and _by_nodes(policy) and table.rows() > hold:
        from lookalike.tables.cache.node_cache import CachedTable

        source = table if policy.eligible else CachedTable(table)
        groups = source.estimate_groups(policy.names)
        problem = _out_of_core(source, policy, groups) if groups > hold else None
        if problem is not None:
            return problem
    count = table.count_groups
    if LIMITS.cache is not None and not policy.eligible and not policy.needs_sample:
        from lookalike.tables.cache.count_cache import cached_counts

        count = partial(cached_counts, table)
    counts = count(policy.names, tuple(sensitive))
    tables, faults = tabulate(policy, counts)
    faults += size_faults(policy, counts.rows)
    if policy.eligible and not counts.rows:
        fix = "check the values: they are compared as text, and a null is never eligible"
        faults.append(Fault("eligible", "no row of the table is eligible", fix))
    faults += value_faults(policy, counts)
    people = None
    if policy.population is not None and len(tables) == len(counts.names):
        from lookalike.problem.population_counts import count_people

        people, population_faults = count_people(policy, tables, counts.rows)
        faults += population_faults
    if faults:
        raise PolicyError(faults)
    return Problem(policy, counts, tables, people=people)


def _by_nodes(policy: Policy) -> bool:
    """Can the policy be met by lattice nodes, and is it about the size of classes alone?"""
    return (
        policy.by_size
        and (policy.model is None or not policy.model.by_cell)
        and not policy.interval_columns
    )


def _out_of_core(table: Table | CachedTable, policy: Policy, groups: int) -> Problem | None:
    """A problem whose counts stay on the engine; None if a hierarchy is too high for that."""
    from lookalike.problem.out_of_core import OutOfCoreProblem

    columns = table.count_columns(policy.names)
    tables, faults = tabulate(policy, columns)
    if faults:
        raise PolicyError(faults)
    try:
        return OutOfCoreProblem(policy, table.remote_counts(columns, tables), tables, groups)
    except OverflowError:
        return None


def tabulate(policy: Policy, counts: FrequencySet) -> tuple[list[LevelTable], list[Fault]]:
    """Each hierarchy, tabulated for the values that occur, and the faults of all."""
    tables: list[LevelTable] = []
    faults: list[Fault] = []
    for a, (name, values) in enumerate(zip(counts.names, counts.values, strict=True)):
        if policy.conventions.nulls == "refuse" and any(map(is_null, values)):
            rows = int(counts.marginal(a)[list(map(is_null, values))].sum())
            problem = f"{rows} row{'s have' if rows > 1 else ' has'} a null here"
            fix = 'fill them in, or set nulls = "value" under conventions'
            faults.append(Fault(f"quasi_identifiers.{name}", problem, fix))
        try:
            table = policy.hierarchies[name].tabulate(name, values)
        except LookalikeError as error:
            faults.extend(error.faults)
            continue
        tables.append(table)
        if name in policy.interval_columns and policy.hierarchies[name].name == "tree":
            faults.extend(number_faults(name, values))
        _, coarsest = policy.levels.get(name, (0, 0))
        if coarsest > table.height:
            problem = f"level {coarsest} is above the top of the hierarchy, level {table.height}"
            faults.append(Fault(f"levels.{name}", problem, f"use levels from 0 to {table.height}"))
    return tables, faults


def _fix_for_small_table(policy: Policy, rows: int) -> str:
    if rows < 2:
        return "one row alone cannot be released"
    if not policy.by_size and max(r.smallest for r in policy.require if not r.by_size) > rows:
        return "require less of the sensitive columns: no class can hold that many values"
    return f"ask for k of at most {rows}"


def value_faults(policy: Policy, counts: FrequencySet) -> list[Fault]:
    """Sensitive columns whose values a requirement cannot judge."""
    faults = []
    for rule in policy.require:
        for name in rule.columns:
            if (why := rule.fault(text_histogram(counts.sensitive[name]).values)) is not None:
                fix = "fix the requirement or the values: a spelling, an order, a tree, a distance"
                faults.append(Fault(f"require ({rule.name})", why, fix))
    return faults


def size_faults(policy: Policy, rows: int) -> list[Fault]:
    """Faults of a table that is too small for the policy, or larger than its population."""
    for rule in policy.require:
        if (problem := rule.rows_fault(rows)) is not None:
            fix = "give the number of people that the table was drawn from"
            return [Fault(f"require.{rule.key}", problem, fix)]
    if 0 < rows < policy.smallest:
        problem = f"every class needs {policy.smallest} rows, but the table has {rows}"
        return [Fault("require", problem, _fix_for_small_table(policy, rows))]
    if isinstance(policy.suppress, int) and policy.suppress > rows:
        problem = f"{policy.suppress} rows may be suppressed, but the table has {rows}"
        return [Fault("suppress", problem, f"use at most {rows}, or a share such as 0.02")]
    return []


def is_sample(table: Table) -> bool:
    """Is it the secret sample that a private release is made from?"""
    from lookalike.tables.sampled_table import SampledTable  # late: few policies need it

    return isinstance(table, SampledTable)
