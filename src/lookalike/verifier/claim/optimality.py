"""Check the claim of a solution without repeating the search: its recoding, cost and lower bound.

Each room (lattice, cuts, cells) checks its own recodings and proofs, by the same functions:
``check_fit``, ``check_cost`` and ``check_bound``; ``kept_groups`` says what is released. Nothing is
shared with ``search``, ``problem`` or the formulas of ``cost``.
"""

from __future__ import annotations

import operator
from importlib import import_module
from typing import Any

from lookalike.solution.proof import By
from lookalike.solution.recoding import CellMap, Cuts, Levels, Space
from lookalike.solution.solution import Solution, Status
from lookalike.verifier.claim.claim_findings import bound_check
from lookalike.verifier.claim.lattice.floor_counts import floor_covers
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.finding import Finding

ANOTHER_TABLE = (
    "The proof belongs to another table, or to this table with other column types (in a CSV file, "
    "every column is text)."
)
# Only the room that is needed is loaded.
RECODINGS: dict[Space, str] = {
    Space.FULL_DOMAIN: "lattice.recoding",
    Space.CUTS: "cuts.recoding",
    Space.CELL_LEVEL: "cells.recoding",
}
PROOFS: dict[Space, str] = {
    Space.FULL_DOMAIN: "lattice.node_proof",
    Space.CUTS: "cuts.tree_proof",
    Space.CELL_LEVEL: "cells.cell_proof",
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
    misfit: Finding | None = recoding_room(recoding.space).check_fit(original, recoding)
    return misfit


def recoding_room(space: Space) -> Any:
    """The module that knows the recodings of a space."""
    return _room(RECODINGS[space])


def _room(module: str) -> Any:
    return import_module(f"lookalike.verifier.claim.{module}")


def check_claim(original: CountedOriginal, solution: Solution) -> list[Finding]:
    """The cost and the lower bound of a solution, recomputed from the original's counts."""
    proof = solution.proof
    if (original.floor or proof.floor or proof.refuted) and not floor_covers(original, solution):
        sentence = "The solution or its proof names nodes that cannot be counted from its floor."
        return [Finding("cost", False, sentence), Finding("bound", False, sentence)]
    findings = []
    if solution.recoding is not None:
        findings.append(recoding_room(solution.recoding.space).check_cost(original, solution))
    if solution.status is Status.UNMET:
        return findings
    if proof.fingerprint != original.counts.fingerprint():
        return [*findings, Finding(bound_check(solution), False, ANOTHER_TABLE)]
    by_boxes = solution.space is Space.FULL_DOMAIN and proof.basis is By.BOXES
    room = _room("lattice.box_proof" if by_boxes else PROOFS[solution.space])
    return [*findings, room.check_bound(original, solution)]
