"""What each system guarantees of its own accord: by its theorem, not by a check of the result.

Printed beside the claim, which is about this very table and is re-checked.
"""

from __future__ import annotations

from collections.abc import Mapping

from lookalike.problem.problem import Problem
from lookalike.search.cells.cell_suppression.meyerson_williams import factor

PROMISES: Mapping[str, str] = {
    "flash": "Flash finds a cheapest full-domain recoding, and proves it.",
    "mingen": "MinGen looks at every full-domain recoding and keeps the cheapest.",
    "datafly": "Datafly keeps k; it promises nothing about what that costs.",
    "samarati": "Samarati's algorithm keeps k at the least height of the lattice.",
    "incognito": "Incognito finds every full-domain recoding that keeps k, so the cheapest too.",
    "hybrid": "The hybrid keeps k at the least height of the lattice, as Samarati's algorithm.",
    "mu-argus": "μ-Argus tests two and three columns at a time; it promises no k over all of them.",
    "mondrian": "Mondrian keeps k; it promises nothing about what that costs.",
    "k-member": "k-member clustering keeps k; it promises nothing about what that costs.",
    "mdav": "MDAV keeps k; it promises nothing about what that costs.",
    "top-down": "Top-down specialization keeps k; it promises nothing about what that costs.",
    "ungeneralize": "Un-generalization keeps k and never costs more than the full-domain recoding "
    "it starts from.",
    "k-optimize": "K-Optimize finds a cheapest recoding by cuts, and proves it.",
    "k-optimize-printed": "K-Optimize as printed has searched its whole tree: nothing by cuts is "
    "cheaper. It leaves no proof to be re-checked.",
    "hill-climbing": "Hill climbing keeps k; it promises nothing about what that costs.",
    "genetic": "Genetic search keeps k; it promises nothing about what that costs.",
    "annealing": "Annealing keeps k; it promises nothing about what that costs.",
    "greedy": "Greedy cutting keeps k; it promises nothing about what that costs.",
    "star-cells": "Starring cells keeps k; it promises nothing about what that costs.",
}


def promise(algorithm: str, problem: Problem) -> str:
    """The guarantee in a sentence; nothing for algorithms that are not ours."""
    if algorithm == "meyerson-williams":
        return (
            "Meyerson and Williams' approximation suppresses at most "
            f"{factor(problem.smallest):.3g} times the fewest cells that any release by cell "
            "suppression alone must, counted with the columns' weights."
        )
    return PROMISES.get(algorithm, "")
