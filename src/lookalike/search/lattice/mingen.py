"""MinGen: look at every generalization, keep the least distorted, prefer one.

Sweeney 2002, Fig. 5.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from lookalike.problem.evaluation import Evaluation
from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.algorithm_options import word
from lookalike.search.bounds.node_bounds import below
from lookalike.search.option_checks import check_word
from lookalike.search.run import Run
from lookalike.search.user_callback import call, one_of
from lookalike.solution.recoding import Space

LARGEST = 2_000_000  # nodes that can be looked at one by one in reasonable time

Rule = Literal["first", "fewest-suppressed", "most-classes", "least-height"]
Preferred = Callable[[list[Evaluation]], Evaluation]

RULES: Mapping[str, Preferred] = {
    "first": lambda found: min(found, key=lambda e: e.levels),
    "fewest-suppressed": lambda found: min(found, key=lambda e: (e.suppressed, e.levels)),
    "most-classes": lambda found: min(found, key=lambda e: (-e.classes, e.levels)),
    "least-height": lambda found: min(found, key=lambda e: (sum(e.levels), e.levels)),
}


@dataclass(frozen=True, slots=True)
class MinGen(Algorithm):
    """Exhaustive and exact at attribute level; lists every k-minimal distortion.

    ``preferred`` picks one of them: a named rule or a function from the list to one of its members.
    With the Precision metric and nothing suppressed this is the paper's algorithm; other metrics
    and allowances are searched in the same way.
    """

    preferred: Rule | Preferred = "first"
    name = "mingen"
    space = Space.FULL_DOMAIN
    options = (word("preferred"),)
    promise = "MinGen checks every full-domain recoding and keeps the cheapest."
    exact = True

    def __post_init__(self) -> None:
        if not callable(self.preferred):
            check_word("MinGen(preferred=...)", self.preferred, RULES)

    def why_unsuitable(self, problem: Problem) -> str | None:
        if problem.nodes > LARGEST:
            return f"the lattice has {problem.nodes:,} nodes, too many to look at each; use Flash"
        return None

    def search(self, run: Run) -> None:
        problem = run.problem
        levels = (range(low, high + 1) for low, high in zip(problem.low, problem.high, strict=True))
        # 2.1, 2.2: all generalizations, and those that meet the requirement
        protected = [
            found for node in itertools.product(*levels) if (found := run.check(node)).meets
        ]
        if not protected:
            return
        # 2.3: no protected table is less distorted
        least = min(found.cost for found in protected)
        minimal = [found for found in protected if below(found.cost) <= least]
        # 2.4
        prefer = RULES[self.preferred] if isinstance(self.preferred, str) else self.preferred
        chosen = call("mingen.preferred", prefer, minimal)
        run.settle(one_of("mingen.preferred", chosen, minimal), equals=minimal)
