"""What cannot be combined with a promise on a secret random sample (differential privacy).

The theorem (``privacy/sampling_privacy.py``) is about one rule: recode each drawn row by its own
values alone, and release it if its class has k drawn rows. Anything else that uses the data, or
shows more of it, is outside the promise, so it is a fault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.errors import Fault
from lookalike.policy.conventions import Conventions
from lookalike.privacy.requirement import Requirement

if TYPE_CHECKING:
    from lookalike.policy.policy import Policy

RULE = "differential privacy"


def sampling_faults(policy: Policy) -> list[Fault]:
    """Every part of the policy that the theorem does not cover."""
    return [
        *_requirement_faults(policy),
        *_column_faults(policy),
        *_setting_faults(policy),
        *_level_faults(policy),
    ]


def _requirement_faults(policy: Policy) -> list[Fault]:
    faults = []
    if sum(rule.needs_sample for rule in policy.require) > 1:
        faults.append(Fault("require", f"{RULE} is required more than once", "keep one of them"))
    for rule in policy.require:
        if not rule.by_size:
            problem = f"it leaves out classes for other reasons than size, which {RULE} rules out"
            fix = "remove one of the two"
            faults.append(Fault(f"require ({rule.name})", problem, fix))
    return faults


def _column_faults(policy: Policy) -> list[Fault]:
    """Columns that are shown as they are, and hierarchies in which one value changes others."""
    faults = []
    for role in ("sensitive", "insensitive", "pseudonyms"):
        shown = "replaced by a key" if role == "pseudonyms" else "kept unchanged"
        for name in getattr(policy, role):
            problem = f"it is {shown}, but {RULE} covers only columns that are generalized"
            fix = "make it a quasi-identifier (with flat(), if nothing else fits), or remove it"
            faults.append(Fault(f"{role}.{name}", problem, fix))
    for name, hierarchy in policy.quasi_identifiers.items():
        if not hierarchy.by_value:
            problem = f"with {hierarchy.name} as it is, one row can change the labels of others"
            fix = {
                "prefix": "give the length of the codes, for example length = 5",
                "dates": 'give the format, for example format = "%Y-%m-%d"',
            }.get(hierarchy.name, "use bands, prefix with length, tree, ordered or flat")
            faults.append(Fault(f"quasi_identifiers.{name}", problem, fix))
    return faults


def _setting_faults(policy: Policy) -> list[Fault]:
    """Settings under which more than the theorem's rule decides what is released."""
    faults = []
    if policy.suppress != 1 or isinstance(policy.suppress, int):
        problem = f"{RULE} leaves out every class of fewer than k rows, however many these are"
        faults.append(Fault("suppress", problem, "set suppress = 1.0"))
    if policy.metric.name != "precision":
        problem = f"{RULE} chooses levels by a score of its own, which follows precision"
        faults.append(Fault("metric", problem, "use precision"))
    usual = Conventions()
    for name in ("stars", "suppressed"):
        if (given := getattr(policy.conventions, name)) != getattr(usual, name):
            problem = f'"{given}" is not covered by {RULE}'
            fix = f'use {name} = "{getattr(usual, name)}"'
            faults.append(Fault(f"conventions.{name}", problem, fix))
    for name in ("model", "linking", "show", "eligible"):
        if getattr(policy, name):
            problem = f"it cannot be combined with {RULE}"
            fix = "choose the rows beforehand" if name == "eligible" else "remove it"
            faults.append(Fault(name, problem, fix))
    return faults


def _level_faults(policy: Policy) -> list[Fault]:
    """Either the levels are given, or a part of epsilon is spent on choosing them: exactly one."""
    open_columns = [name for name in policy.names if not _is_given(policy, name)]
    [spent, *_] = (part for rule in policy.require if (part := _spent(rule)) is not None)
    if spent and not open_columns:
        problem = "every column has one level, so there is nothing to choose"
        return [Fault("require.differential_privacy", problem, "remove search_epsilon")]
    if not spent and open_columns:
        problem = (
            f"the levels of {', '.join(open_columns)} are not given, and no part of epsilon is for "
            "choosing them"
        )
        fix = (
            "give each column one level, for example levels = [2, 2], or spend a part of epsilon "
            "on choosing them, for example search_epsilon = 0.1"
        )
        return [Fault("require.differential_privacy", problem, fix)]
    return []


def _is_given(policy: Policy, name: str) -> bool:
    levels = policy.levels.get(name)
    try:
        return levels is not None and levels[0] == levels[1]
    except (TypeError, IndexError, KeyError):  # another fault says so
        return True


def _spent(rule: Requirement) -> float | None:
    return getattr(rule, "search_epsilon", 0.0) if rule.needs_sample else None
