"""Algorithms, metrics, requirements, hierarchies and table addresses by name.

A built-in name stands for ``module:Class``, and its module is loaded when the name is first used.
Other packages add names by entry points in the groups below; they cannot replace a built-in name.
A package that cannot be used raises a ``PluginError`` when its name is used, never before.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lookalike.errors import Fault, PluginError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class PluginWarning(UserWarning):
    """An installed package offers a name that is not used."""


@dataclass(frozen=True)
class Registry:
    """The classes of one kind, by name: built-in ones first, then those of other packages."""

    kind: str  # one of them, in messages
    group: str  # of entry points
    base: str  # "module:Class" that the classes of other packages inherit
    builtin: Mapping[str, str]  # name -> "module:Class"
    attribute: str = "name"  # of a class, in which it has its name

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that ``load`` knows; nothing is loaded."""
        return (*self.builtin, *self._plugins)

    def __contains__(self, name: object) -> bool:
        return name in self.builtin or name in self._plugins

    def load(self, name: str) -> Any:
        """The class of this name.

        Raises
        ------
        KeyError
            If no class has this name.
        PluginError
            If another package offers it and the class cannot be used.
        """
        if name in self.builtin:
            return _imported(self.builtin[name])
        return self._load_plugin(name, self._plugins[name])

    def usable(self) -> dict[str, Any]:
        """Every class by name, without those of packages that cannot be used."""
        classes = {}
        for name in self.names:
            with suppress(PluginError):
                classes[name] = self.load(name)
        return classes

    def package(self, name: str) -> str | None:
        """The package that adds this name, with its version; None for built-in names."""
        if name in self.builtin or name not in self._plugins:
            return None
        return " and ".join(map(_package, self._plugins[name]))

    @cached_property
    def _plugins(self) -> dict[str, list[EntryPoint]]:
        """Entry points by name, those with a built-in name left out."""
        from importlib.metadata import entry_points  # late: it is slow, and seldom needed

        plugins: dict[str, list[EntryPoint]] = {}
        for point in sorted(entry_points(group=self.group)):
            if point.name in self.builtin:
                warnings.warn(
                    f"{_package(point)} offers the {self.kind} {point.name!r}, which is built in: "
                    "the built-in one is used",
                    PluginWarning,
                    stacklevel=2,
                )
            elif point not in (same := plugins.setdefault(point.name, [])):
                same.append(point)
        return plugins

    def _load_plugin(self, name: str, points: list[EntryPoint]) -> Any:
        packages = " and ".join(map(_package, points))
        where = f"{self.kind} {name!r}"
        if len(points) > 1:
            fix = "uninstall all except one"
            raise PluginError(Fault(where, f"{packages} offer the same name", fix))
        fix = f"update or uninstall {packages}"
        try:
            loaded = points[0].load()
        except Exception as error:
            problem = f"{packages} cannot be loaded: {type(error).__name__}: {error}"
            raise PluginError(Fault(where, problem, fix)) from error
        base = _imported(self.base)
        if not (isinstance(loaded, type) and issubclass(loaded, base)):
            problem = f"{points[0].value} of {packages} is not a class that inherits {self.base}"
            raise PluginError(Fault(where, problem, fix))
        own_name = getattr(loaded, self.attribute, None)
        if own_name != name:
            problem = f"{points[0].value} of {packages} calls itself {own_name!r}"
            fix = f"give the entry point and the class the same name; {fix}"
            raise PluginError(Fault(where, problem, fix))
        return loaded


def supplier(part: object) -> str | None:
    """The package that defines a metric, requirement or hierarchy; None if lookalike does."""
    package = type(part).__module__.partition(".")[0]
    return None if package == "lookalike" else package


def _imported(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def _package(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else "an unnamed package"


_CELLS = "lookalike.search.cells"
_CUTS = "lookalike.search.cuts"
_LATTICE = "lookalike.search.lattice"
_PAPERS = "lookalike.search.papers"
ALGORITHMS = Registry(
    "algorithm",
    "lookalike.algorithms",
    "lookalike.search.algorithm:Algorithm",
    {
        "flash": f"{_LATTICE}.flash:Flash",
        "mingen": f"{_LATTICE}.mingen:MinGen",
        "datafly": f"{_LATTICE}.datafly:Datafly",
        "samarati": f"{_LATTICE}.samarati:Samarati",
        "incognito": f"{_LATTICE}.incognito:Incognito",
        "hybrid": f"{_LATTICE}.hybrid:Hybrid",
        "mu-argus": f"{_CELLS}.cell_suppression.mu_argus:MuArgus",
        "cell-optimal": f"{_CELLS}.exact.cell_optimal:CellOptimal",
        "lattice-greedy": f"{_CELLS}.lattice_greedy:LatticeGreedy",
        "mondrian": f"{_CELLS}.mondrian:Mondrian",
        "k-member": f"{_CELLS}.clustering.k_member:KMember",
        "mdav": f"{_CELLS}.clustering.mdav:Mdav",
        "top-down": f"{_CELLS}.top_down:TopDown",
        "ungeneralize": f"{_CELLS}.ungeneralize:Ungeneralize",
        "star-cells": f"{_CELLS}.cell_suppression.star_cells:StarCells",
        "meyerson-williams": f"{_CELLS}.cell_suppression.meyerson_williams:MeyersonWilliams",
        "k-optimize": f"{_CUTS}.k_optimize:KOptimize",
        "k-optimize-printed": f"{_PAPERS}.as_published_k_optimize:KOptimizeAsPublished",
        "hill-climbing": f"{_CUTS}.hill_climbing:HillClimbing",
        "genetic": f"{_CUTS}.genetic:Genetic",
        "annealing": f"{_CUTS}.annealing:Annealing",
        "greedy": f"{_CUTS}.greedy_cuts:Greedy",
    },
)

_HIERARCHIES = "lookalike.policy.hierarchies"
HIERARCHIES = Registry(
    "hierarchy",
    "lookalike.hierarchies",
    "lookalike.policy.hierarchy:Hierarchy",
    {
        "bands": f"{_HIERARCHIES}.bands:Bands",
        "prefix": f"{_HIERARCHIES}.prefix:Prefix",
        "dates": f"{_HIERARCHIES}.dates:Dates",
        "tree": f"{_HIERARCHIES}.tree:Tree",
        "ordered": f"{_HIERARCHIES}.ordered:Ordered",
        "flat": f"{_HIERARCHIES}.flat:Flat",
    },
)

METRICS = Registry(
    "metric",
    "lookalike.metrics",
    "lookalike.cost.defined_metric:DefinedMetric",
    {
        "precision": "lookalike.cost.precision:Precision",
        "discernibility": "lookalike.cost.discernibility:Discernibility",
        "loss": "lookalike.cost.loss:Loss",
        "loss-geometric": "lookalike.cost.loss:Loss",
        "class-size": "lookalike.cost.class_size:ClassSize",
        "entropy": "lookalike.cost.entropy:Entropy",
        "height": "lookalike.cost.height:Height",
        "classification": "lookalike.cost.classification:Classification",
    },
)

_PRIVACY = "lookalike.privacy"
REQUIREMENTS = Registry(
    "requirement",
    "lookalike.requirements",
    "lookalike.privacy.defined_requirement:DefinedRequirement",
    {
        "k_anonymity": f"{_PRIVACY}.k_anonymity:KAnonymity",
        "anonymity_level": f"{_PRIVACY}.k_anonymity:AnonymityLevel",
        "max_risk": f"{_PRIVACY}.maximum_risk:MaximumRisk",
        "average_risk": f"{_PRIVACY}.average_risk:AverageRisk",
        "k_map": f"{_PRIVACY}.k_map:KMap",
        "l_diversity": f"{_PRIVACY}.l_diversity:LDiversity",
        "t_closeness": f"{_PRIVACY}.t_closeness:TCloseness",
        "alpha_k": f"{_PRIVACY}.alpha_k:AlphaK",
        "beta_likeness": f"{_PRIVACY}.beta_likeness:BetaLikeness",
        "delta_disclosure": f"{_PRIVACY}.delta_disclosure:DeltaDisclosure",
        "delta_presence": f"{_PRIVACY}.delta_presence:DeltaPresence",
        "population_uniqueness": f"{_PRIVACY}.population_uniqueness:PopulationUniqueness",
    },
    "key",
)

_TABLES = "lookalike.tables"
ADDRESSES = Registry(
    "table address",
    "lookalike.addresses",
    f"{_TABLES}.table_address:TableAddress",
    {
        "duckdb": f"{_TABLES}.duckdb.address:DuckDBAddress",
        "postgresql": f"{_TABLES}.postgres.address:PostgresAddress",
        "postgres": f"{_TABLES}.postgres.address:PostgresAddress",
        "spark": f"{_TABLES}.spark.address:SparkAddress",
    },
    "scheme",
)
