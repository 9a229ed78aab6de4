"""Check whether a table meets the requirements as it is, without changing it.

Pipelines rely on this check, so nothing passes unchecked: what cannot be judged is a fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lookalike.errors import Fault, PolicyError
from lookalike.policy.policy import Policy
from lookalike.privacy.requirement import Requirement
from lookalike.tables.table import Table
from lookalike.verifier.finding import Finding
from lookalike.verifier.requirements.population import People
from lookalike.verifier.requirements.recount import recount

NOT_SEEN = (
    "it is a property of how a release is made, which no table shows",
    "check k_anonymity, or verify the release with its certificate",
)
FIX = "make a release that meets this (lookalike run), or require less"


def check_table(
    table: Table,
    columns: Sequence[str],
    require: Sequence[Requirement],
    policy: Policy | None = None,
) -> list[Finding]:
    """A finding for each requirement, in ``require`` or in the policy, on the table's own cells."""
    rules, stars = list(require), "own"
    sets: Sequence[Sequence[str]] = (tuple(columns),)
    if policy is not None:
        rules += [rule for rule in policy.require if rule not in rules]
        stars = policy.conventions.stars
        sets = policy.sets if tuple(columns) == policy.names else sets
        table = table.eligible_rows(policy.eligible)
    faults = _column_faults(table.columns, sets, rules) or _value_faults(table, rules)
    faults += _population_faults(columns, rules, policy)
    faults += [Fault(f"require ({rule.name})", *NOT_SEEN) for rule in rules if rule.needs_sample]
    if faults:
        raise PolicyError(faults)
    levels: tuple[int, ...] = ()
    if policy is not None and any(rule.needs_population for rule in rules):
        shown = [list(table.text_codes(name)) for name in policy.names]
        levels = People.of(policy).levels_of(shown)
    findings = recount(table, sets, rules, stars, policy, levels)
    return [replace(finding, fix="" if finding.holds else FIX) for finding in findings]


def _column_faults(
    columns: Sequence[str], sets: Sequence[Sequence[str]], rules: Sequence[Requirement]
) -> list[Fault]:
    faults = []
    if not rules:
        fix = "require something, for example KAnonymity(5)"
        faults.append(Fault("require", "nothing is required", fix))
    known = [name for names in sets for name in names]
    if not known:
        fix = 'name the columns, for example ["age", "zip"]'
        faults.append(Fault("columns", "no quasi-identifier is named", fix))
    named = {"columns": known, "require": [name for rule in rules for name in rule.columns]}
    for where, names in named.items():
        for name in dict.fromkeys(names):
            if name not in columns:
                fix = f"use one of: {', '.join(columns)}"
                faults.append(Fault(f"{where}.{name}", "the table has no such column", fix))
            elif where == "require" and name in known:
                problem = "a column cannot be both a quasi-identifier and sensitive"
                faults.append(Fault(f"{where}.{name}", problem, "name it in only one of the two"))
    return faults


def _value_faults(table: Table, rules: Sequence[Requirement]) -> list[Fault]:
    """Columns that a requirement cannot judge, and a population smaller than the table."""
    faults = []
    for rule in rules:
        where = f"require ({rule.name})"
        for name in rule.columns:
            if (problem := rule.fault(tuple(table.text_codes(name)))) is not None:
                fix = "fix the requirement or the values, or use another requirement"
                faults.append(Fault(where, problem, fix))
        if (problem := rule.rows_fault(table.rows())) is not None:
            fix = "give the number of people that the table was drawn from"
            faults.append(Fault(where, problem, fix))
    return faults


def _population_faults(
    columns: Sequence[str], rules: Sequence[Requirement], policy: Policy | None
) -> list[Fault]:
    names = [rule.name for rule in rules if rule.needs_population]
    if not names:
        return []
    if policy is None or policy.population is None:
        fix = 'give a policy with a table of the population: [population] table = "people.csv"'
        return [Fault("population", f"{names[0]} needs one, and none is given", fix)]
    if tuple(columns) != policy.names:
        fix = f"leave out the columns, or name {', '.join(policy.names)}"
        problem = f"{names[0]} needs all quasi-identifiers of the policy"
        return [Fault("columns", problem, fix)]
    return []
