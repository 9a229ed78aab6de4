"""``CellAlgorithm``: the base class of searches by cells whose inner loops are compiled."""

from __future__ import annotations

from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.jit_warmup import search_small_problem
from lookalike.solution.recoding import Space


class CellAlgorithm(Algorithm):
    """Searches cell-level recodings. A small problem is searched first, to compile its kernels."""

    __slots__ = ()

    space = Space.CELL_LEVEL

    def compile_kernels(self, problem: Problem) -> None:
        search_small_problem(type(self))
