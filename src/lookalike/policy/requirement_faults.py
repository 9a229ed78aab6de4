"""Faults of the requirements of a policy, for any table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.errors import Fault
from lookalike.privacy.requirement import Requirement

if TYPE_CHECKING:
    from lookalike.policy.policy import Policy


def requirement_faults(policy: Policy) -> list[Fault]:
    """Requirements on columns that are not sensitive, and requirements without a population."""
    faults = [
        _not_sensitive(policy, rule, name)
        for rule in policy.require
        for name in rule.columns
        if name not in policy.sensitive
    ]
    needing = [rule.name for rule in policy.require if rule.needs_population]
    if needing and policy.population is None:
        fix = 'name a table of the population: [population] with table = "people.csv"'
        faults.append(Fault("population", f"{needing[0]} needs one, and none is given", fix))
    if not needing and policy.population is not None:
        fix = "require k_map or delta_presence, or remove the population"
        faults.append(Fault("population", "no requirement uses it", fix))
    if needing and policy.sets != (policy.names,):
        problem = f"{needing[0]} needs one set of all quasi-identifiers, and there are several sets"
        faults.append(Fault("linking", problem, "put every column in one set"))
    if needing and policy.conventions.suppressed == "star" and policy.suppress:
        problem = f"starred rows stay, and {needing[0]} cannot tell who they could be"
        fix = 'use suppressed = "drop" under conventions, or suppress = 0'
        faults.append(Fault("conventions.suppressed", problem, fix))
    return faults


def _not_sensitive(policy: Policy, rule: Requirement, name: str) -> Fault:
    where, problem = f"require ({rule.name})", f"{name} is not a sensitive column"
    for role in ("identifiers", "pseudonyms", "insensitive"):
        if name in getattr(policy, role):
            fix = f"move it from {role} to sensitive, or name another column"
            return Fault(where, problem, fix)
    if name in policy.names:
        fix = "name a sensitive column; a quasi-identifier is generalized, and known to outsiders"
        return Fault(where, f"{name} is a quasi-identifier", fix)
    known = ", ".join(policy.sensitive) or "(there is none yet)"
    return Fault(where, problem, f"use one of: {known}; or add it to sensitive")
