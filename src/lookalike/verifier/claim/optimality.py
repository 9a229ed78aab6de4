"""Check the claim of a solution without repeating the search: its recoding, cost and lower bound.

Each room (lattice, cuts, cells) checks its own recodings and proofs, by the same three functions:
``check_fit``, ``check_cost`` and ``check_bound``. Nothing is shared with ``search``, ``problem`` or
the formulas of ``cost``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from lookalike.solution.recoding import CellMap, Cuts, Levels, Recoding, Space
from lookalike.solution.solution import Solution, Status
from lookalike.verifier.claim.cells import cell_proof
from lookalike.verifier.claim.cells import recoding as cell_recoding
from lookalike.verifier.claim.cuts import recoding as cut_recoding
from lookalike.verifier.claim.cuts import tree_proof
from lookalike.verifier.claim.lattice import node_proof
from lookalike.verifier.claim.lattice import recoding as level_recoding
from lookalike.verifier.claim.lattice.floor_counts import floor_covers
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.finding import Finding

FIT_CHECKS: dict[type, Callable[[CountedOriginal, Recoding], Finding | None]] = {
    Levels: level_recoding.check_fit,
    Cuts: cut_recoding.check_fit,
    CellMap: cell_recoding.check_fit,
}
COST_CHECKS: dict[type, Callable[[CountedOriginal, Solution], Finding]] = {
    Levels: level_recoding.check_cost,
    Cuts: cut_recoding.check_cost,
    CellMap: cell_recoding.check_cost,
}
BOUND_CHECKS: dict[Space, Callable[[CountedOriginal, Solution], Finding]] = {
    Space.FULL_DOMAIN: node_proof.check_bound,
    Space.CUTS: tree_proof.check_bound,
    Space.CELL_LEVEL: cell_proof.check_bound,
}
SPACES: dict[type, tuple[str, tuple[Space, ...]]] = {  # a recoding by levels is a cell map as well
    Levels: ("A recoding by levels", (Space.FULL_DOMAIN, Space.CELL_LEVEL)),
    Cuts: ("A recoding by cuts", (Space.CUTS,)),
    CellMap: ("A cell map", (Space.CELL_LEVEL,)),
}


def check_recoding(original: CountedOriginal, solution: Solution) -> Finding | None:
    """Why this is not a recoding of the table within the policy and the space; None if it is."""
    recoding = solution.recoding
    if recoding is None or recoding.names != original.policy.names:
        return Finding("solution", False, "The solution has no recoding for this policy.")
    heights = [table.height for table in original.tables]
    if any(map(operator.gt, original.high, heights)):
        return Finding("solution", False, "The policy allows levels that no hierarchy has.")
    kind, spaces = SPACES[type(recoding)]
    if solution.space not in spaces:
        return Finding("solution", False, f"{kind} is not a {solution.space.recoding}.")
    return FIT_CHECKS[type(recoding)](original, recoding)


def check_claim(original: CountedOriginal, solution: Solution) -> list[Finding]:
    """The cost and the lower bound of a solution, recomputed from the original's counts."""
    proof = solution.proof
    if (original.floor or proof.floor or proof.refuted) and not floor_covers(original, solution):
        sentence = "The solution or its proof names nodes that cannot be counted from its floor."
        return [Finding("cost", False, sentence), Finding("bound", False, sentence)]
    findings = []
    if solution.recoding is not None:
        findings.append(COST_CHECKS[type(solution.recoding)](original, solution))
    if solution.status is not Status.UNMET:
        findings.append(BOUND_CHECKS[solution.space](original, solution))
    return findings
