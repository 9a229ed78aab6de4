"""Faults of a policy: wrong types, parts that contradict each other, and missing columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from lookalike.cost.metric import Metric
from lookalike.errors import Fault
from lookalike.policy.cell_display import show_faults
from lookalike.policy.column_sets import is_share, linking_faults
from lookalike.policy.conventions import Conventions
from lookalike.policy.hierarchy import Hierarchy
from lookalike.privacy.requirement import Requirement

if TYPE_CHECKING:
    from lookalike.policy.policy import Policy

DICTS = (
    "quasi_identifiers", "weights", "levels", "linking", "distort", "identifying", "show",
    "eligible", "accept",
)  # fmt: skip
EXAMPLES = {"linking": '{"voters": ["zip", "sex"]}', "accept": '{"wage": "why this is harmless"}'}


def type_faults(policy: Policy) -> list[Fault]:
    """Parts of the wrong type, for example a class in place of an instance."""
    faults = []
    for name in DICTS:
        if not isinstance(getattr(policy, name), Mapping):
            example = EXAMPLES.get(name, '{"age": …}')
            faults.append(Fault(name, "not a dict", f"give a dict, for example {example}"))
    parts: list[tuple[str, object, type, str]] = [
        ("metric", policy.metric, Metric, "Loss()"),
        ("conventions", policy.conventions, Conventions, 'Conventions(nulls="refuse")'),
        *(("require", rule, Requirement, "KAnonymity(5)") for rule in policy.require),
    ]
    for where, part, kind, example in parts:
        if isinstance(part, type) or not isinstance(part, kind):
            shown = part.__name__ if isinstance(part, type) else type(part).__name__
            fix = f"use for example {example}"
            faults.append(Fault(where, f"{shown} cannot be used here", fix))
    return faults


def table_faults(policy: Policy, columns: Sequence[str]) -> list[Fault]:
    """Columns that the table lacks, and columns of the table without a role."""
    known = f"use one of: {', '.join(columns) or '(the table has no columns)'}"
    faults = [
        Fault(f"{role}.{name}", "the table has no such column", known)
        for role, names in (policy.roles | {"eligible": tuple(policy.eligible)}).items()
        for name in names
        if name not in columns
    ]
    with_role = {name for names in policy.roles.values() for name in names}
    fix = (
        "add it to quasi_identifiers (generalized), identifiers (removed), pseudonyms (keyed), "
        "sensitive or insensitive (kept unchanged)"
    )
    problem = "this column of the table has no role"
    return faults + [Fault(name, problem, fix) for name in columns if name not in with_role]


def own_faults(policy: Policy) -> list[Fault]:
    """What is wrong with a policy for any table."""
    faults = list(policy.conventions.faults())
    if not policy.quasi_identifiers:
        fix = "name the columns that an outsider could know, each with a hierarchy"
        faults.append(Fault("quasi_identifiers", "there are none", fix))
    if not policy.require:
        fix = "add a requirement, for example KAnonymity(5)"
        faults.append(Fault("require", "nothing is required", fix))
    role_of: dict[str, str] = {}
    for role, names in policy.roles.items():
        for name in names:
            if name in role_of:
                other = role_of[name]
                places = f"twice in {role}" if other == role else f"in {other} and {role}"
                faults.append(Fault(name, f"the column is {places}", "give it one role"))
            role_of[name] = role
    given: Mapping[str, object] = policy.quasi_identifiers
    fix = "use bands, prefix, dates, tree, ordered or flat"
    for name, hierarchy in given.items():
        if not isinstance(hierarchy, Hierarchy):
            problem = f"{type(hierarchy).__name__} is not a hierarchy"
            faults.append(Fault(f"quasi_identifiers.{name}", problem, fix))
    return [
        *faults,
        *_limit_faults("suppress", policy.suppress),
        *_singled_out_faults(policy.max_singled_out),
        *_accept_faults(policy),
        *_column_setting_faults(policy),
        *linking_faults(policy.linking, policy.names),
        *_model_faults(policy),
        *_class_column_faults(policy),
        *_requirement_faults(policy),
        *(_sampling_faults(policy) if policy.needs_sample else []),
    ]


def _limit_faults(where: str, limit: object) -> list[Fault]:
    """What is wrong with a share or a number of rows."""
    if isinstance(limit, bool) or not isinstance(limit, int | float):
        return [Fault(where, "not a number", "use a share (0.02) or rows (200)")]
    if isinstance(limit, float) and not 0 <= limit <= 1:
        fix = "use a share, for example 0.02, or an int for rows"
        return [Fault(where, f"the share {limit} is not from 0 to 1", fix)]
    if isinstance(limit, int) and limit < 0:
        return [Fault(where, f"{limit} rows", "use 0 or more rows")]
    return []


def _singled_out_faults(limit: object) -> list[Fault]:
    return [] if limit is None else _limit_faults("max_singled_out", limit)


def _accept_faults(policy: Policy) -> list[Fault]:
    """Only kept columns are accepted, and each with a reason."""
    faults = []
    for name, reason in policy.accept.items():
        where = f"accept.{name}"
        if name not in policy.kept:
            problem = "only columns that are kept unchanged are accepted"
            known = ", ".join(policy.kept) or "(no column is kept)"
            faults.append(Fault(where, problem, f"use one of: {known}; or remove it"))
        if not isinstance(reason, str) or not reason.strip():
            fix = 'write why the column may be released, for example "wages are public"'
            faults.append(Fault(where, "there is no reason", fix))
    return faults


def _is_weight(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool) and 0 <= given < math.inf


def _is_level_pair(given: object) -> bool:
    return (
        isinstance(given, tuple | list)
        and len(given) == 2
        and all(isinstance(level, int) and not isinstance(level, bool) for level in given)
        and 0 <= given[0] <= given[1]
    )


def _is_identifying(given: object) -> bool:
    return isinstance(given, int) and not isinstance(given, bool) and 0 <= given <= 3


# The part of the policy, what each of its values must be, the problem and the fix if it is not.
COLUMN_SETTINGS: tuple[tuple[str, Callable[[object], bool], str, str], ...] = (
    ("weights", _is_weight, "not a number of 0 or more", "use a weight, for example 2.0"),
    ("levels", _is_level_pair, "not a pair of levels, lowest first", "use for example (1, 3)"),
    ("distort", is_share, "not a number from 0 to 1", "use 0 (no distortion) to 1 (any)"),
    ("identifying", _is_identifying, "not 0, 1, 2 or 3",
     "use 0 (not identifying), 1 (most), 2 (more) or 3 (identifying)"),  # the order of μ-Argus
)  # fmt: skip


def _column_setting_faults(policy: Policy) -> list[Fault]:
    """Settings of single columns."""
    faults = []
    for part, fits, problem, fix in COLUMN_SETTINGS:
        for name, given in getattr(policy, part).items():
            if name not in policy.quasi_identifiers:
                known = f"use one of: {', '.join(policy.names)}"
                faults.append(Fault(f"{part}.{name}", "not a quasi-identifier", known))
            elif not fits(given):
                faults.append(Fault(f"{part}.{name}", problem, fix))
    if policy.weights and not any(policy.weights.get(name, 1.0) for name in policy.names):
        faults.append(Fault("weights", "all are 0", "give at least one column a weight above 0"))
    for name, values in policy.eligible.items():
        if not values or not all(isinstance(value, str) for value in values):
            fix = 'list values as text, for example {"consent": ["yes"]}'
            faults.append(Fault(f"eligible.{name}", "not a list of values", fix))
    return faults


def _class_column_faults(policy: Policy) -> list[Fault]:
    """The class column is kept unchanged, so it cannot be recoded or removed."""
    column = policy.metric.class_column
    if column is None or column in policy.kept:
        return []
    for part, role in (
        ("quasi_identifiers", "a quasi-identifier, which is generalized"),
        ("identifiers", "an identifier, which is removed"),
        ("pseudonyms", "a pseudonym, which is keyed"),
    ):
        if column in getattr(policy, part):
            problem = f"the class column {column} is {role}; it cannot be both"
            fix = f"name another column, or move it from {part} to sensitive or insensitive"
            return [Fault("metric.column", problem, fix)]
    problem = f"the class column {column} is not kept unchanged"
    return [Fault("metric.column", problem, "add it to sensitive or insensitive")]


def _model_faults(policy: Policy) -> list[Fault]:
    """What contradicts the model, or several sets of columns."""
    faults = []
    model = policy.model
    if model is not None and not model.suppresses_rows and policy.suppress:
        problem = f"model {model.name} suppresses no rows"
        faults.append(Fault("suppress", problem, "set suppress = 0, or use model AG_TS or TS"))
    if model is not None and model.generalize == "none" and policy.levels:
        problem = f"levels are set, and model {model.name} generalizes nothing"
        fix = "remove the levels, or use a model that generalizes"
        faults.append(Fault("model", problem, fix))
    one_set = len(policy.linking) < 2 and policy.sets == (policy.names,)
    faults += show_faults(policy.show, policy.quasi_identifiers, policy.levels, model, one_set)
    if not one_set and policy.metric.needs_one_set:
        problem = f"{policy.metric.name} counts the classes of one set of columns, not of several"
        fix = "use precision, loss, loss-geometric, entropy or height"
        faults.append(Fault("metric", problem, fix))
    return faults


def _requirement_faults(policy: Policy) -> list[Fault]:
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
        problem = f"starred rows stay, but {needing[0]} cannot count the people they match"
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


def _sampling_faults(policy: Policy) -> list[Fault]:
    from lookalike.policy.sampling_faults import sampling_faults  # late: few policies need it

    return sampling_faults(policy)
