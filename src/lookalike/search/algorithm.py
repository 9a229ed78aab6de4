"""``Algorithm``: the base class of every search, with everything that lookalike knows about one.

A new algorithm is one class with ``name``, ``space``, ``why_unsuitable`` and ``search``; the rest
has defaults. It claims nothing: ``solve`` turns what the run has learned into a status.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from lookalike.problem.problem import Problem
from lookalike.search.algorithm_options import Option
from lookalike.search.run import Run
from lookalike.solution.recoding import Space

COLUMN_MODELS = frozenset({"AG_TS", "AG_AS", "AG_", "TS", "AS"})  # recode whole columns
CELL_MODELS = frozenset({"CG_", "CG_CS"})  # recode cell by cell


class Algorithm(ABC):
    """A search for a recoding that meets the policy and costs little."""

    __slots__ = ()

    name: ClassVar[str]  # as ``--by`` and the policy file write it
    options: ClassVar[tuple[Option, ...]] = ()  # what may follow the name
    promise: ClassVar[str] = ""  # what its theorem guarantees for every table, in a sentence
    exact: ClassVar[bool] = False  # a finished run has the cheapest recoding of its space
    bounds_every_node: ClassVar[bool] = True  # the run keeps a bound for each node of the lattice
    out_of_core: ClassVar[bool] = False  # needs only counts of nodes, not all tuples in memory
    any_requirement: ClassVar[bool] = False  # judges classes by all requirements, not by size alone
    several_sets: ClassVar[bool] = False  # by cells: keeps several sets of columns safe
    may_break_policy: ClassVar[bool] = False  # its answer is returned even if it breaks the policy
    only_by_name: ClassVar[bool] = False  # left out of ``compare all`` and of the studio

    @property
    @abstractmethod
    def space(self) -> Space:
        """The recodings among which it searches."""

    @property
    def models(self) -> frozenset[str]:
        """Which of the nine models it can follow, by name."""
        return CELL_MODELS if self.space is Space.CELL_LEVEL else COLUMN_MODELS

    @abstractmethod
    def why_unsuitable(self, problem: Problem) -> str | None:
        """Why it cannot honestly run on this problem, in a sentence; None if it can."""

    @abstractmethod
    def search(self, run: Run) -> None:
        """Offer recodings with ``run.check`` or ``run.offer``. Let ``Stopped`` pass through."""

    def guarantee(self, problem: Problem) -> str:
        """What its theorem guarantees on this problem, in a sentence; "" for nothing."""
        return self.promise

    def endless(self, problem: Problem) -> str | None:
        """Why ``compare`` should not start it without a time limit, in a sentence."""
        return None

    def max_nodes(self, problem: Problem) -> int | None:
        """How many lattice nodes it counts at most, if that is known before the search."""
        return None

    def compile_kernels(self, problem: Problem) -> None:  # noqa: B027 - most have none
        """Compile or load what a search needs. ``solve`` calls it before the clock starts."""
