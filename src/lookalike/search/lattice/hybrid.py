"""Hybrid: Datafly gives an upper limit of the height, and Samarati's binary search finds the least.

The proposal of a survey (Saroha 2014, section 4.0.1): Datafly is to give lower and upper limits of
the height. The node where it ends meets the policy, so the least height is at most the height of
that node. It cannot give a lower limit: that its finer nodes do not meet the policy shows nothing
about other nodes of the same height.
"""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.algorithm_options import word
from lookalike.search.bounds.datafly_climb import climb_by_distinct_values
from lookalike.search.lattice.height_search import (
    PREFERENCES,
    Preference,
    lowest_nodes,
    settle_by_preference,
    why_heights_fail,
)
from lookalike.search.option_checks import check_word
from lookalike.search.run import Run
from lookalike.solution.recoding import Space


@dataclass(frozen=True, slots=True)
class Hybrid(Algorithm):
    """Samarati's search over full-domain recodings, below a height that Datafly finds.

    It is exact in the height, as Samarati's algorithm is.

    Parameters
    ----------
    preference : str
        How to choose among the nodes of the least height; see ``Samarati``.

    References
    ----------
    Saroha 2014, section 4.0.1.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> la.solve(la.prepare(table, policy), la.Hybrid())
    <Solution: optimal, full-domain, hybrid, cost 0.333333>
    """

    preference: Preference = "least-cost"
    name = "hybrid"
    space = Space.FULL_DOMAIN
    options = (word("preference"),)
    promise = (
        "The hybrid meets the policy with the fewest generalization steps possible, as Samarati's "
        "algorithm does."
    )

    def __post_init__(self) -> None:
        check_word("Hybrid(preference=...)", self.preference, PREFERENCES)

    def why_unsuitable(self, problem: Problem) -> str | None:
        return why_heights_fail(problem)

    def search(self, run: Run) -> None:
        top = climb_by_distinct_values(run)
        if top is not None:
            settle_by_preference(run, lowest_nodes(run, sum(top.levels)), self.preference)
