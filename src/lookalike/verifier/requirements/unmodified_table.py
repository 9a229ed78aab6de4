"""Does a table keep what is required as it is, whoever made it?

For pipelines, so nothing may pass that was not looked at: what cannot be judged is a fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lookalike.errors import Fault, PolicyError
from lookalike.policy.policy import Policy
from lookalike.privacy.population_uniqueness import PopulationUniqueness
from lookalike.privacy.requirement import Requirement
from lookalike.tables.table import Table
from lookalike.verifier.finding import Finding
from lookalike.verifier.requirements.population import Persons
from lookalike.verifier.requirements.recount import recount

INSTEAD = "make a release of it that keeps this (lookalike run), or ask for less"


def findings_as_it_is(
    table: Table,
    columns: Sequence[str],
    require: Sequence[Requirement],
    policy: Policy | None = None,
) -> list[Finding]:
    """Every rule, of the ``require`` and of the policy, on the table's own cells."""
    rules, stars = list(require), "own"
    sets: Sequence[Sequence[str]] = (tuple(columns),)
    if policy is not None:
        rules += [rule for rule in policy.require if rule not in rules]
        stars = policy.conventions.stars
        sets = policy.sets if tuple(columns) == policy.names else sets
        table = table.eligible_rows(policy.eligible)
    found = _column_faults(table.columns, sets, rules) or _value_faults(table, rules)
    found += _population_faults(columns, rules, policy)
    if found:
        raise PolicyError(found)
    levels: tuple[int, ...] = ()
    if policy is not None and any(rule.needs_population for rule in rules):
        shown = [list(table.text_codes(name)) for name in policy.names]
        levels = Persons.of(policy).levels_of(policy, shown)
    judged = recount(table, sets, rules, stars, policy, levels)
    return [replace(one, fix="" if one.holds else INSTEAD) for one in judged]


def _column_faults(
    columns: Sequence[str], sets: Sequence[Sequence[str]], rules: Sequence[Requirement]
) -> list[Fault]:
    found = []
    if not rules:
        fix = "ask for something, as KAnonymity(5)"
        found.append(Fault("require", "nothing is required", fix))
    known = [name for one in sets for name in one]
    if not known:
        fix = 'name columns, as ["age", "zip"]'
        found.append(Fault("columns", "there is none", fix))
    named = {"columns": known, "require": [name for rule in rules for name in rule.columns]}
    for where, names in named.items():
        for name in dict.fromkeys(names):
            if name not in columns:
                fix = f"use one of: {', '.join(columns)}"
                found.append(Fault(f"{where}.{name}", "the table has no such column", fix))
            elif where == "require" and name in known:
                problem = "a column that an outsider knows cannot be what is not to be learnt"
                found.append(Fault(f"{where}.{name}", problem, "name it in one of the two"))
    return found


def _value_faults(table: Table, rules: Sequence[Requirement]) -> list[Fault]:
    """Columns that a rule cannot judge, and a population smaller than the table."""
    found = []
    for rule in rules:
        for name in rule.columns:
            if (why := rule.fault(tuple(table.text_codes(name)))) is not None:
                fix = "mend the rule or the values, or use another rule"
                found.append(Fault(f"require ({rule.name})", why, fix))
        if isinstance(rule, PopulationUniqueness) and rule.population < table.rows():
            problem = f"a population of {rule.population:,} is smaller than the table"
            fix = "give the number of people that the table was drawn from"
            found.append(Fault(f"require ({rule.name})", problem, fix))
    return found


def _population_faults(
    columns: Sequence[str], rules: Sequence[Requirement], policy: Policy | None
) -> list[Fault]:
    asked = [rule.name for rule in rules if rule.needs_population]
    if not asked:
        return []
    if policy is None or policy.population is None:
        fix = 'give a policy with a table of everybody: [population] with table = "people.csv"'
        return [Fault("population", f"{asked[0]} needs one, and none is given", fix)]
    if tuple(columns) != policy.names:
        fix = f"leave the columns out, or name {', '.join(policy.names)}"
        problem = f"{asked[0]} looks at all quasi-identifiers of the policy"
        return [Fault("columns", problem, fix)]
    return []
