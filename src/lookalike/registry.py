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
    builtin: Mapping[str, str]  # name -> "module:Class" inside lookalike
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
            return _imported(f"lookalike.{self.builtin[name]}")
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


ALGORITHMS = Registry(
    "algorithm",
    "lookalike.algorithms",
    "lookalike.search.algorithm:Algorithm",
    {
        "flash": "search.lattice.flash:Flash",
        "branch-and-bound": "search.lattice.boxes.branch_and_bound:BranchAndBound",
        "large-neighborhood": "search.lattice.boxes.large_neighborhood:LargeNeighborhood",
        "mingen": "search.lattice.mingen:MinGen",
        "datafly": "search.lattice.datafly:Datafly",
        "samarati": "search.lattice.samarati:Samarati",
        "incognito": "search.lattice.incognito:Incognito",
        "hybrid": "search.lattice.hybrid:Hybrid",
        "mu-argus": "search.cells.cell_suppression.mu_argus:MuArgus",
        "cell-optimal": "search.cells.exact.cell_optimal:CellOptimal",
        "lattice-greedy": "search.cells.lattice_greedy:LatticeGreedy",
        "nearest-neighbors": "search.cells.clustering.nearest_neighbors:NearestNeighbors",
        "mondrian": "search.cells.mondrian:Mondrian",
        "k-member": "search.cells.clustering.k_member:KMember",
        "mdav": "search.cells.clustering.mdav:Mdav",
        "top-down": "search.cells.top_down:TopDown",
        "ungeneralize": "search.cells.ungeneralize:Ungeneralize",
        "star-cells": "search.cells.cell_suppression.star_cells:StarCells",
        "meyerson-williams": "search.cells.cell_suppression.meyerson_williams:MeyersonWilliams",
        "k-optimize": "search.cuts.k_optimize:KOptimize",
        "k-optimize-printed": "search.papers.as_published_k_optimize:KOptimizeAsPublished",
        "hill-climbing": "search.cuts.hill_climbing:HillClimbing",
        "genetic": "search.cuts.genetic:Genetic",
        "annealing": "search.cuts.annealing:Annealing",
        "greedy": "search.cuts.greedy_cuts:Greedy",
    },
)

HIERARCHIES = Registry(
    "hierarchy",
    "lookalike.hierarchies",
    "lookalike.policy.hierarchy:Hierarchy",
    {
        "bands": "policy.hierarchies.bands:Bands",
        "prefix": "policy.hierarchies.prefix:Prefix",
        "dates": "policy.hierarchies.dates:Dates",
        "tree": "policy.hierarchies.tree:Tree",
        "ordered": "policy.hierarchies.ordered:Ordered",
        "flat": "policy.hierarchies.flat:Flat",
    },
)

METRICS = Registry(
    "metric",
    "lookalike.metrics",
    "lookalike.cost.defined_metric:DefinedMetric",
    {
        "precision": "cost.precision:Precision",
        "discernibility": "cost.discernibility:Discernibility",
        "loss": "cost.loss:Loss",
        "loss-geometric": "cost.loss:Loss",
        "class-size": "cost.class_size:ClassSize",
        "entropy": "cost.entropy:Entropy",
        "height": "cost.height:Height",
        "classification": "cost.classification:Classification",
    },
)

REQUIREMENTS = Registry(
    "requirement",
    "lookalike.requirements",
    "lookalike.privacy.defined_requirement:DefinedRequirement",
    {
        "k_anonymity": "privacy.k_anonymity:KAnonymity",
        "anonymity_level": "privacy.k_anonymity:AnonymityLevel",
        "max_risk": "privacy.maximum_risk:MaximumRisk",
        "average_risk": "privacy.average_risk:AverageRisk",
        "k_map": "privacy.k_map:KMap",
        "l_diversity": "privacy.l_diversity:LDiversity",
        "t_closeness": "privacy.t_closeness:TCloseness",
        "alpha_k": "privacy.alpha_k:AlphaK",
        "beta_likeness": "privacy.beta_likeness:BetaLikeness",
        "delta_disclosure": "privacy.delta_disclosure:DeltaDisclosure",
        "delta_presence": "privacy.delta_presence:DeltaPresence",
        "differential_privacy": "privacy.differential_privacy:DifferentialPrivacy",
        "population_uniqueness": "privacy.population_uniqueness:PopulationUniqueness",
    },
    "key",
)

ADDRESSES = Registry(
    "table address",
    "lookalike.addresses",
    "lookalike.tables.table_address:TableAddress",
    {
        "duckdb": "tables.duckdb.address:DuckDBAddress",
        "postgresql": "tables.postgres.address:PostgresAddress",
        "postgres": "tables.postgres.address:PostgresAddress",
        "spark": "tables.spark.address:SparkAddress",
    },
    "scheme",
)
