"""Requirements by the names that a policy file gives them.

``k_anonymity = 5`` and the like are one number; rules on a sensitive column are a table, or a list
of tables: ``l_diversity = [{ column = "diagnosis", l = 3, kind = "distinct" }]``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lookalike.errors import Fault, PolicyError
from lookalike.policy.hierarchies.policy_file_form import from_dict
from lookalike.policy.hierarchies.tree import Tree
from lookalike.policy.hierarchy import Hierarchy
from lookalike.policy.name_suggestions import unknown_keys, unknown_word
from lookalike.privacy.alpha_k import AlphaK
from lookalike.privacy.average_risk import AverageRisk
from lookalike.privacy.beta_likeness import BetaLikeness
from lookalike.privacy.delta_disclosure import DeltaDisclosure
from lookalike.privacy.delta_presence import DeltaPresence
from lookalike.privacy.distinct_diversity import DistinctDiversity
from lookalike.privacy.entropy_diversity import EntropyDiversity
from lookalike.privacy.ground_distance import Equal, GroundDistance, Hierarchical, Ordered
from lookalike.privacy.k_anonymity import KAnonymity
from lookalike.privacy.k_map import KMap
from lookalike.privacy.maximum_risk import MaximumRisk
from lookalike.privacy.population_uniqueness import PopulationUniqueness
from lookalike.privacy.recursive_diversity import RecursiveDiversity
from lookalike.privacy.requirement import Requirement
from lookalike.privacy.t_closeness import TCloseness

Spec = Mapping[str, Any]

NUMBERS: Mapping[str, tuple[Callable[[Any], Requirement], str]] = {  # one number each
    "k_anonymity": (KAnonymity, "k_anonymity = 5"),
    "anonymity_level": (
        KAnonymity.at_level,
        "anonymity_level = 0.8 for k = 5, 0.9 for k = 10",
    ),
    "max_risk": (MaximumRisk, "max_risk = 0.09 for k = 12"),
    "average_risk": (AverageRisk, "average_risk = 0.05"),
    "k_map": (KMap, "k_map = 5"),
}
DISTANCES = ("equal", "ordered", "hierarchical")
DIVERSITIES = ("distinct", "entropy", "recursive")


def _diversity(spec: Spec, base: Path) -> Requirement:
    kind = spec.get("kind", "distinct")
    if kind not in DIVERSITIES:
        raise PolicyError(unknown_word("kind", "no kind of l-diversity", str(kind), DIVERSITIES))
    if "c" in spec and kind != "recursive":
        raise ValueError('c goes with kind = "recursive" alone')
    if "c" not in spec and kind == "recursive":
        lacks = 'c is missing, which kind = "recursive" needs'
        fix = 'add it, as { column = "diagnosis", l = 3, kind = "recursive", c = 3.0 }'
        raise PolicyError(Fault("c", lacks, fix))
    if kind == "recursive":
        return RecursiveDiversity(spec["column"], spec["c"], spec["l"])
    return (DistinctDiversity if kind == "distinct" else EntropyDiversity)(
        spec["column"], spec["l"]
    )


def _closeness(spec: Spec, base: Path) -> Requirement:
    kind = spec.get("distance", "equal")
    if kind not in DISTANCES:
        raise PolicyError(unknown_word("distance", "no distance", str(kind), DISTANCES))
    if "tree" in spec and kind != "hierarchical":
        raise ValueError('tree goes with distance = "hierarchical" alone')
    if "tree" not in spec and kind == "hierarchical":
        lacks = 'tree is missing, which distance = "hierarchical" needs'
        raise PolicyError(Fault("tree", lacks, 'add it, as tree = "diagnoses.csv"'))
    if "order" in spec and kind != "ordered":
        raise ValueError('order goes with distance = "ordered"')
    distance: GroundDistance = Equal()
    if kind == "ordered":
        order = spec.get("order")
        if order is not None and not isinstance(order, list):
            raise TypeError("order is not a list of values")
        distance = Ordered(None if order is None else tuple(map(str, order)))
    elif kind == "hierarchical":
        distance = Hierarchical(from_dict({"tree": spec["tree"]}, base=base))
    return TCloseness(spec["column"], spec["t"], distance)


def _alpha(spec: Spec, base: Path) -> Requirement:
    return AlphaK(spec["column"], spec["alpha"], spec["k"], spec.get("value"))


def _likeness(spec: Spec, base: Path) -> Requirement:
    return BetaLikeness(spec["column"], spec["beta"], spec.get("kind", "basic"))


def _disclosure(spec: Spec, base: Path) -> Requirement:
    return DeltaDisclosure(spec["column"], spec["delta"])


def _presence(spec: Spec, base: Path) -> Requirement:
    return DeltaPresence(spec.get("least", 0.0), spec["most"])


def _uniqueness(spec: Spec, base: Path) -> Requirement:
    return PopulationUniqueness(spec["share"], spec["population"], spec.get("estimator", "pitman"))


Build = Callable[[Spec, Path], Requirement]
TABLES: Mapping[str, tuple[Build, tuple[str, ...], tuple[str, ...], str]] = {
    # how to build it, the keys it must have, those it may have, and an example
    "l_diversity": (
        _diversity, ("column", "l"), ("kind", "c"),
        'l_diversity = [{ column = "diagnosis", l = 3, kind = "distinct" }]',
    ),
    "t_closeness": (
        _closeness, ("column", "t"), ("distance", "order", "tree"),
        't_closeness = [{ column = "diagnosis", t = 0.3 }]',
    ),
    "alpha_k": (
        _alpha, ("column", "alpha", "k"), ("value",),
        'alpha_k = [{ column = "diagnosis", alpha = 0.5, k = 5 }]',
    ),
    "beta_likeness": (
        _likeness, ("column", "beta"), ("kind",),
        'beta_likeness = [{ column = "diagnosis", beta = 1.0 }]',
    ),
    "delta_disclosure": (
        _disclosure, ("column", "delta"), (),
        'delta_disclosure = [{ column = "diagnosis", delta = 1.5 }]',
    ),
    "delta_presence": (
        _presence, ("most",), ("least",), "delta_presence = { least = 0.0, most = 0.5 }",
    ),
    "population_uniqueness": (
        _uniqueness, ("share", "population"), ("estimator",),
        "population_uniqueness = { share = 0.001, population = 1000000 }",
    ),
}  # fmt: skip
KEYS = (*NUMBERS, *TABLES)


def requirements_from(
    section: Mapping[str, object], base: Path = Path()
) -> tuple[Requirement, ...]:
    """The requirements of the [require] section; paths of trees are relative to ``base``."""
    found = unknown_keys("require", section, KEYS)
    require: list[Requirement] = []
    if {"k_anonymity", "anonymity_level"} <= section.keys():
        problem = "k_anonymity and anonymity_level both say what k is"
        found.append(Fault("require", problem, "keep one of the two"))
    for key, given in section.items():
        if key in NUMBERS:
            build, example = NUMBERS[key]
            try:
                require.append(build(given))
            except (TypeError, ValueError) as error:
                found.append(Fault(f"require.{key}", str(error), f"use {example}"))
        elif key in TABLES:
            several = isinstance(given, list)
            for i, spec in enumerate(given if isinstance(given, list) else [given]):
                where = f"require.{key}.{i + 1}" if several else f"require.{key}"
                _one(key, spec, where, base, require, found)
    if found:
        raise PolicyError(found)
    return tuple(require)


def _one(
    key: str, spec: object, where: str, base: Path, require: list[Requirement], found: list[Fault]
) -> None:
    """One table of numbers, read into a rule or a fault."""
    build, must, may, example = TABLES[key]
    if not isinstance(spec, Mapping):
        found.append(Fault(where, "not a table of its numbers", f"use {example}"))
        return
    faults = unknown_keys(where, spec, (*must, *may))
    lacking = [name for name in must if name not in spec]
    if lacking:
        faults.append(Fault(where, f"{', '.join(lacking)} missing", f"use {example}"))
    if "column" in spec and not isinstance(spec["column"], str):
        faults.append(Fault(f"{where}.column", "not the name of a column", f"use {example}"))
    if not faults:
        try:
            require.append(build(spec, base))
        except PolicyError as error:
            faults += [
                Fault(f"{where}.{f.where}", f.problem, f.fix, f.values) for f in error.faults
            ]
        except (TypeError, ValueError) as error:
            faults.append(Fault(where, str(error), f"use {example}"))
    found.extend(faults)


def requirements_to(require: Sequence[Requirement], *, whole: bool = False) -> Mapping[str, object]:
    """As a policy file writes them: the inverse of ``requirements_from``.

    With ``whole``, trees are written out even if they came from a file: for the certificate.
    """
    section: dict[str, Any] = {}
    for rule in require:
        key, written = _written(rule, whole=whole)
        if key in TABLES and key not in ("delta_presence", "population_uniqueness"):
            section.setdefault(key, []).append(written)
        elif key in ("k_anonymity", "k_map"):
            section[key] = max(written, section.get(key, 0))  # the larger says everything
        elif key in ("max_risk", "average_risk"):
            section[key] = min(written, section.get(key, 1))
        else:
            section[key] = written
    return section


def _written(rule: Requirement, *, whole: bool) -> tuple[str, Any]:  # noqa: PLR0911, PLR0912
    match rule:
        case KAnonymity():
            return "k_anonymity", rule.k
        case MaximumRisk():
            return "max_risk", rule.risk
        case AverageRisk():
            return "average_risk", rule.risk
        case KMap():
            return "k_map", rule.k
        case DistinctDiversity() | EntropyDiversity():
            kind = "distinct" if isinstance(rule, DistinctDiversity) else "entropy"
            return "l_diversity", {"column": rule.column, "l": rule.l, "kind": kind}
        case RecursiveDiversity():
            return "l_diversity", {
                "column": rule.column, "l": rule.l, "kind": "recursive", "c": rule.c,
            }  # fmt: skip
        case TCloseness():
            told = {"column": rule.column, "t": rule.t, "distance": rule.distance.name}
            return "t_closeness", told | _distance(rule.distance, whole=whole)
        case AlphaK():
            told = {"column": rule.column, "alpha": rule.alpha, "k": rule.k}
            return "alpha_k", told | ({} if rule.value is None else {"value": rule.value})
        case BetaLikeness():
            told = {"column": rule.column, "beta": rule.beta, "kind": rule.kind}
            return "beta_likeness", told
        case DeltaDisclosure():
            return "delta_disclosure", {"column": rule.column, "delta": rule.delta}
        case DeltaPresence():
            return "delta_presence", {"least": rule.least, "most": rule.most}
        case PopulationUniqueness():
            told = {"share": rule.share, "population": rule.population}
            return "population_uniqueness", told | {"estimator": rule.estimator}
        case _:
            problem = f"{type(rule).__name__} has no name in policy files"
            raise PolicyError(Fault("require", problem, f"use one of: {', '.join(KEYS)}"))


def _distance(distance: GroundDistance, *, whole: bool) -> dict[str, Any]:
    if isinstance(distance, Ordered) and distance.order is not None:
        return {"order": list(distance.order)}
    if isinstance(distance, Hierarchical):
        tree = distance.tree
        if not isinstance(tree, Hierarchy) or "tree" not in tree.to_dict():
            problem = "a hierarchical distance is written to files with a tree only"
            raise PolicyError(Fault("require.t_closeness", problem, "use la.tree(...)"))
        if whole and isinstance(tree, Tree):
            tree = Tree(tree.rows)
        return dict(tree.to_dict())
    return {}
