"""lookalike: k-anonymous tables with minimal information loss and a checkable proof.

Names are loaded when first used: importing lookalike loads no engine and no compiler.
"""

from __future__ import annotations

import importlib
import logging
from typing import TYPE_CHECKING, Any

from lookalike.version import VERSION

__version__ = VERSION

_WHERE = {
    "lookalike.api": (
        "Reapplied", "Verdict", "anonymize", "attack", "changes", "check", "compare",
        "draft_policy", "examine", "explain", "load_policy", "prepare", "reapply", "release",
        "risk", "solve", "verify",
    ),
    "lookalike.attacking.linking_attack": ("LinkingAttack",),
    "lookalike.cost.class_size": ("ClassSize",),
    "lookalike.cost.classification": ("Classification",),
    "lookalike.cost.discernibility": ("Discernibility",),
    "lookalike.cost.entropy": ("Entropy",),
    "lookalike.cost.height": ("Height",),
    "lookalike.cost.loss": ("Loss",),
    "lookalike.cost.precision": ("Precision",),
    "lookalike.errors": (
        "Fault", "FileError", "Infeasible", "LookalikeError", "NotProven", "NotSuited",
        "PluginError", "PolicyError", "ReleaseRefused", "TableError",
    ),
    "lookalike.events": (
        "Event", "Finished", "Incumbent", "Observer", "Phase", "PhaseStarted", "Started", "Tick",
        "broadcast", "jsonl",
    ),
    "lookalike.policy.conventions": ("Conventions",),
    "lookalike.policy.hierarchies": ("bands", "dates", "flat", "ordered", "prefix", "tree"),
    "lookalike.policy.nine_models": ("Model",),
    "lookalike.policy.policy": ("Policy",),
    "lookalike.policy.population": ("Population",),
    "lookalike.releasing.ledger": ("Ledger",),
    "lookalike.privacy.alpha_k": ("AlphaK",),
    "lookalike.privacy.average_risk": ("AverageRisk",),
    "lookalike.privacy.beta_likeness": ("BetaLikeness",),
    "lookalike.privacy.delta_disclosure": ("DeltaDisclosure",),
    "lookalike.privacy.delta_presence": ("DeltaPresence",),
    "lookalike.privacy.distinct_diversity": ("DistinctDiversity",),
    "lookalike.privacy.entropy_diversity": ("EntropyDiversity",),
    "lookalike.privacy.ground_distance": ("Equal", "Hierarchical", "Ordered"),
    "lookalike.privacy.k_anonymity": ("KAnonymity",),
    "lookalike.privacy.k_map": ("KMap",),
    "lookalike.privacy.maximum_risk": ("MaximumRisk",),
    "lookalike.privacy.population_uniqueness": ("PopulationUniqueness",),
    "lookalike.privacy.recursive_diversity": ("RecursiveDiversity",),
    "lookalike.privacy.t_closeness": ("TCloseness",),
    "lookalike.problem.recodings.cell_changes": ("Change",),
    "lookalike.releasing.examination": ("Examination",),
    "lookalike.releasing.release": ("Release",),
    "lookalike.risks.column_sets.minimal_uniques": ("score_rows",),
    "lookalike.risks.screening.quasi_identifier_finder": ("propose_columns",),
    "lookalike.risks.table_risk": ("Risk",),
    "lookalike.risks.screening.safe_harbor": ("check_safe_harbor",),
    "lookalike.search.lattice.datafly": ("Datafly",),
    "lookalike.search.lattice.flash": ("Flash",),
    "lookalike.search.lattice.hybrid": ("Hybrid",),
    "lookalike.search.lattice.incognito": (
        "Generalization", "Incognito", "k_anonymous_generalizations",
    ),
    "lookalike.search.limits": ("Limits",),
    "lookalike.search.cells.cell_suppression.meyerson_williams": ("MeyersonWilliams",),
    "lookalike.search.lattice.mingen": ("MinGen",),
    "lookalike.search.papers.minimality": (
        "Minimality", "is_k_minimal", "is_k_minimal_distortion", "k_minimal_generalizations",
    ),
    "lookalike.search.cuts.annealing": ("Annealing",),
    "lookalike.search.cuts.genetic": ("Genetic",),
    "lookalike.search.cuts.greedy_cuts": ("Greedy",),
    "lookalike.search.cuts.hill_climbing": ("HillClimbing",),
    "lookalike.search.cells.clustering.k_member": ("KMember",),
    "lookalike.search.cuts.k_optimize": ("KOptimize",),
    "lookalike.search.papers.as_published_k_optimize": ("KOptimizeAsPublished",),
    "lookalike.search.cells.exact.cell_optimal": ("CellOptimal",),
    "lookalike.search.cells.lattice_greedy": ("LatticeGreedy",),
    "lookalike.search.cells.clustering.mdav": ("Mdav",),
    "lookalike.search.cells.mondrian": ("Mondrian",),
    "lookalike.search.cells.cell_suppression.mu_argus": ("MuArgus", "Outliers"),
    "lookalike.search.papers.optimal_tables": ("optimal_tables",),
    "lookalike.search.lattice.samarati": ("Samarati",),
    "lookalike.search.cells.cell_suppression.star_cells": ("StarCells",),
    "lookalike.search.cells.top_down": ("TopDown",),
    "lookalike.search.cells.ungeneralize": ("Ungeneralize",),
    "lookalike.tables.resource_limits": ("limit_engine",),
    "lookalike.solution.recoding": ("CellMap", "Cuts", "Levels", "Space"),
    "lookalike.solution.solution": ("Solution", "Status", "Stop"),
    "lookalike.verifier.certificate.certificate": ("Certificate",),
}  # fmt: skip
_MODULE = {name: module for module, names in _WHERE.items() for name in names}
_STATUSES = ("OPTIMAL", "FEASIBLE", "INFEASIBLE", "UNKNOWN", "UNMET")

__all__ = [*_MODULE, *_STATUSES, "__version__"]  # noqa: PLE0604 - all of them are strings

logging.getLogger(__name__).addHandler(logging.NullHandler())


def __getattr__(name: str) -> Any:
    if name in _STATUSES:
        from lookalike.solution.solution import Status

        return Status[name]
    if name not in _MODULE:
        raise AttributeError(f"module 'lookalike' has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULE[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)


if TYPE_CHECKING:
    from lookalike.api import Reapplied as Reapplied
    from lookalike.api import Verdict as Verdict
    from lookalike.api import anonymize as anonymize
    from lookalike.api import attack as attack
    from lookalike.api import changes as changes
    from lookalike.api import check as check
    from lookalike.api import compare as compare
    from lookalike.api import draft_policy as draft_policy
    from lookalike.api import examine as examine
    from lookalike.api import explain as explain
    from lookalike.api import load_policy as load_policy
    from lookalike.api import prepare as prepare
    from lookalike.api import reapply as reapply
    from lookalike.api import release as release
    from lookalike.api import risk as risk
    from lookalike.api import solve as solve
    from lookalike.api import verify as verify
    from lookalike.attacking.linking_attack import LinkingAttack as LinkingAttack
    from lookalike.cost.class_size import ClassSize as ClassSize
    from lookalike.cost.classification import Classification as Classification
    from lookalike.cost.discernibility import Discernibility as Discernibility
    from lookalike.cost.entropy import Entropy as Entropy
    from lookalike.cost.height import Height as Height
    from lookalike.cost.loss import Loss as Loss
    from lookalike.cost.precision import Precision as Precision
    from lookalike.errors import Fault as Fault
    from lookalike.errors import FileError as FileError
    from lookalike.errors import Infeasible as Infeasible
    from lookalike.errors import LookalikeError as LookalikeError
    from lookalike.errors import NotProven as NotProven
    from lookalike.errors import NotSuited as NotSuited
    from lookalike.errors import PluginError as PluginError
    from lookalike.errors import PolicyError as PolicyError
    from lookalike.errors import ReleaseRefused as ReleaseRefused
    from lookalike.errors import TableError as TableError
    from lookalike.events import Event as Event
    from lookalike.events import Finished as Finished
    from lookalike.events import Incumbent as Incumbent
    from lookalike.events import Observer as Observer
    from lookalike.events import Phase as Phase
    from lookalike.events import PhaseStarted as PhaseStarted
    from lookalike.events import Started as Started
    from lookalike.events import Tick as Tick
    from lookalike.events import broadcast as broadcast
    from lookalike.events import jsonl as jsonl
    from lookalike.policy.conventions import Conventions as Conventions
    from lookalike.policy.hierarchies import bands as bands
    from lookalike.policy.hierarchies import dates as dates
    from lookalike.policy.hierarchies import flat as flat
    from lookalike.policy.hierarchies import ordered as ordered
    from lookalike.policy.hierarchies import prefix as prefix
    from lookalike.policy.hierarchies import tree as tree
    from lookalike.policy.nine_models import Model as Model
    from lookalike.policy.policy import Policy as Policy
    from lookalike.policy.population import Population as Population
    from lookalike.privacy.alpha_k import AlphaK as AlphaK
    from lookalike.privacy.average_risk import AverageRisk as AverageRisk
    from lookalike.privacy.beta_likeness import BetaLikeness as BetaLikeness
    from lookalike.privacy.delta_disclosure import DeltaDisclosure as DeltaDisclosure
    from lookalike.privacy.delta_presence import DeltaPresence as DeltaPresence
    from lookalike.privacy.distinct_diversity import DistinctDiversity as DistinctDiversity
    from lookalike.privacy.entropy_diversity import EntropyDiversity as EntropyDiversity
    from lookalike.privacy.ground_distance import Equal as Equal
    from lookalike.privacy.ground_distance import Hierarchical as Hierarchical
    from lookalike.privacy.ground_distance import Ordered as Ordered
    from lookalike.privacy.k_anonymity import KAnonymity as KAnonymity
    from lookalike.privacy.k_map import KMap as KMap
    from lookalike.privacy.maximum_risk import MaximumRisk as MaximumRisk
    from lookalike.privacy.population_uniqueness import (
        PopulationUniqueness as PopulationUniqueness,
    )
    from lookalike.privacy.recursive_diversity import RecursiveDiversity as RecursiveDiversity
    from lookalike.privacy.t_closeness import TCloseness as TCloseness
    from lookalike.problem.recodings.cell_changes import Change as Change
    from lookalike.releasing.examination import Examination as Examination
    from lookalike.releasing.ledger import Ledger as Ledger
    from lookalike.releasing.release import Release as Release
    from lookalike.risks.column_sets.minimal_uniques import score_rows as score_rows
    from lookalike.risks.screening.quasi_identifier_finder import propose_columns as propose_columns
    from lookalike.risks.screening.safe_harbor import check_safe_harbor as check_safe_harbor
    from lookalike.risks.table_risk import Risk as Risk
    from lookalike.search.cells.cell_suppression.meyerson_williams import (
        MeyersonWilliams as MeyersonWilliams,
    )
    from lookalike.search.cells.cell_suppression.mu_argus import MuArgus as MuArgus
    from lookalike.search.cells.cell_suppression.mu_argus import Outliers as Outliers
    from lookalike.search.cells.cell_suppression.star_cells import StarCells as StarCells
    from lookalike.search.cells.clustering.k_member import KMember as KMember
    from lookalike.search.cells.clustering.mdav import Mdav as Mdav
    from lookalike.search.cells.exact.cell_optimal import CellOptimal as CellOptimal
    from lookalike.search.cells.lattice_greedy import LatticeGreedy as LatticeGreedy
    from lookalike.search.cells.mondrian import Mondrian as Mondrian
    from lookalike.search.cells.top_down import TopDown as TopDown
    from lookalike.search.cells.ungeneralize import Ungeneralize as Ungeneralize
    from lookalike.search.cuts.annealing import Annealing as Annealing
    from lookalike.search.cuts.genetic import Genetic as Genetic
    from lookalike.search.cuts.greedy_cuts import Greedy as Greedy
    from lookalike.search.cuts.hill_climbing import HillClimbing as HillClimbing
    from lookalike.search.cuts.k_optimize import KOptimize as KOptimize
    from lookalike.search.lattice.datafly import Datafly as Datafly
    from lookalike.search.lattice.flash import Flash as Flash
    from lookalike.search.lattice.hybrid import Hybrid as Hybrid
    from lookalike.search.lattice.incognito import Generalization as Generalization
    from lookalike.search.lattice.incognito import Incognito as Incognito
    from lookalike.search.lattice.incognito import (
        k_anonymous_generalizations as k_anonymous_generalizations,
    )
    from lookalike.search.lattice.mingen import MinGen as MinGen
    from lookalike.search.lattice.samarati import Samarati as Samarati
    from lookalike.search.limits import Limits as Limits
    from lookalike.search.papers.as_published_k_optimize import (
        KOptimizeAsPublished as KOptimizeAsPublished,
    )
    from lookalike.search.papers.minimality import Minimality as Minimality
    from lookalike.search.papers.minimality import is_k_minimal as is_k_minimal
    from lookalike.search.papers.minimality import (
        is_k_minimal_distortion as is_k_minimal_distortion,
    )
    from lookalike.search.papers.minimality import (
        k_minimal_generalizations as k_minimal_generalizations,
    )
    from lookalike.search.papers.optimal_tables import optimal_tables as optimal_tables
    from lookalike.solution.recoding import CellMap as CellMap
    from lookalike.solution.recoding import Cuts as Cuts
    from lookalike.solution.recoding import Levels as Levels
    from lookalike.solution.recoding import Space as Space
    from lookalike.solution.solution import Solution as Solution
    from lookalike.solution.solution import Status as Status
    from lookalike.solution.solution import Stop as Stop
    from lookalike.tables.resource_limits import limit_engine as limit_engine
    from lookalike.verifier.certificate.certificate import Certificate as Certificate

    OPTIMAL = Status.OPTIMAL
    FEASIBLE = Status.FEASIBLE
    INFEASIBLE = Status.INFEASIBLE
    UNKNOWN = Status.UNKNOWN
    UNMET = Status.UNMET
