"""MinGen: check every generalization, keep the least distorted, and choose one.

Sweeney 2002, figure 5.
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

MAX_NODES = 2_000_000  # of the lattice; each is counted

Rule = Literal["first", "fewest-suppressed", "most-classes", "least-height"]
Preferred = Callable[[list[Evaluation]], Evaluation]

RULES: Mapping[str, Preferred] = {
    "first": lambda minimal: min(minimal, key=lambda e: e.levels),
    "fewest-suppressed": lambda minimal: min(minimal, key=lambda e: (e.suppressed, e.levels)),
    "most-classes": lambda minimal: min(minimal, key=lambda e: (-e.classes, e.levels)),
    "least-height": lambda minimal: min(minimal, key=lambda e: (sum(e.levels), e.levels)),
}


@dataclass(frozen=True, slots=True)
class MinGen(Algorithm):
    """Exact and exhaustive search over full-domain recodings: it checks every lattice node.

    It lists every k-minimal distortion (all recodings of the lowest cost) and then chooses one.
    With the precision metric and no suppression it is the algorithm of the paper; other metrics and
    allowances are searched in the same way.

    Parameters
    ----------
    preferred : {"first", "fewest-suppressed", "most-classes", "least-height"} or callable
        How to choose among the cheapest recodings: a rule, or a function from the list to one of
        its members.

    References
    ----------
    Sweeney 2002, figure 5.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> la.solve(la.prepare(table, policy), la.MinGen())
    <Solution: optimal, full-domain, mingen, cost 0.333333>
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
        if problem.nodes > MAX_NODES:
            return f"the lattice has {problem.nodes:,} nodes, too many to count each; use flash"
        return None

    def search(self, run: Run) -> None:
        problem = run.problem
        levels = (range(low, high + 1) for low, high in zip(problem.low, problem.high, strict=True))
        # 2.1, 2.2: all generalizations, and those that meet the requirement
        evaluations = map(run.check, itertools.product(*levels))
        protected = [evaluation for evaluation in evaluations if evaluation.meets]
        if not protected:
            return
        # 2.3: no protected table is less distorted
        least = min(evaluation.cost for evaluation in protected)
        minimal = [evaluation for evaluation in protected if below(evaluation.cost) <= least]
        # 2.4
        prefer = RULES[self.preferred] if isinstance(self.preferred, str) else self.preferred
        chosen = call("mingen.preferred", prefer, minimal)
        run.settle(one_of("mingen.preferred", chosen, minimal), equals=minimal)
