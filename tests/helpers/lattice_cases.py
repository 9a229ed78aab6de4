"""What exhaustive enumeration by the oracle says about a tiny lattice problem."""

from __future__ import annotations

import math

import oracle

import lookalike as la


def enumerate_by_oracle(problem):
    """The nodes that meet the policy, and those of them that are k-minimal."""
    asked = (
        problem.rows, problem.hierarchies, problem.k, problem.allowance, problem.low, problem.high
    )  # fmt: skip
    return set(oracle.feasible_nodes(*asked)), set(oracle.k_minimal_generalizations(*asked))


def is_optimum(solution, best, nodes):
    """Is it one of the cheapest nodes, or infeasible if there is none?"""
    if best is None:
        return solution.status is la.INFEASIBLE
    return (
        solution.status is la.OPTIMAL
        and solution.recoding.levels in nodes
        and math.isclose(solution.cost, float(best), rel_tol=1e-9, abs_tol=1e-9)
    )


def listed_nodes(solution):
    """The node of a solution and its alternatives."""
    return {solution.recoding.levels, *(other.levels for other in solution.alternatives)}
