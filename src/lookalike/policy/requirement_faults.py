"""What is wrong with the requirements of a policy, whatever the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.errors import Fault
from lookalike.privacy.requirement import Requirement

if TYPE_CHECKING:
    from lookalike.policy.policy import Policy


def rule_faults(policy: Policy) -> list[Fault]:
    """Rules on columns that are not kept as sensitive, and rules that lack a population."""
    found = []
    for rule in policy.require:
        if isinstance(rule, Requirement):
            for name in rule.columns:
                if (fault := _not_sensitive(policy, rule, name)) is not None:
                    found.append(fault)
    asking = [rule for rule in policy.require if getattr(rule, "needs_population", False)]
    if asking and policy.population is None:
        fix = 'name a table of everybody: [population] with table = "people.csv"'
        found.append(Fault("population", f"{asking[0].name} needs one, and none is given", fix))
    if not asking and policy.population is not None:
        fix = "ask for k_map or delta_presence, or leave it out"
        found.append(Fault("population", "one is given, and no requirement asks for it", fix))
    if asking and policy.sets != (policy.names,):
        fix = "put every column in one set"
        problem = f"{asking[0].name} looks at all quasi-identifiers, and the policy at several sets"
        found.append(Fault("linking", problem, fix))
    if asking and policy.conventions.suppressed == "star" and policy.suppress:
        fix = 'use suppressed = "drop" under conventions, or suppress = 0'
        problem = f"starred rows stay, and {asking[0].name} cannot tell whom they could be"
        found.append(Fault("conventions.suppressed", problem, fix))
    return found


def _not_sensitive(policy: Policy, rule: Requirement, name: str) -> Fault | None:
    if name in policy.sensitive:
        return None
    where, said = f"require ({rule.name})", f"{name} is not among the sensitive columns"
    for role in ("identifiers", "pseudonyms", "insensitive"):
        if name in getattr(policy, role):
            return Fault(where, said, f"move it from {role} to sensitive, or name another column")
    if name in policy.names:
        fix = "name a sensitive column; a quasi-identifier is recoded, and known to outsiders"
        return Fault(where, f"{name} is a quasi-identifier", fix)
    known = ", ".join(policy.sensitive) or "(there is none yet)"
    return Fault(where, said, f"use one of: {known}; or add it to sensitive")
