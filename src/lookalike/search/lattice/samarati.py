"""Samarati: binary search on the height of the lattice for the lowest recoding that meets k.

Samarati 2001, as described in a survey (Saroha 2014, section 3.3), with an error of the survey
corrected: the lower half of the heights ends at ⌈h/2⌉, not ⌈h/4⌉.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import le

from lookalike.problem.evaluation import Evaluation
from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.algorithm_options import flag, word
from lookalike.search.lattice.height_search import (
    PREFERENCES,
    Preference,
    lowest_nodes,
    nodes_at_height,
    settle_by_preference,
    why_heights_fail,
)
from lookalike.search.option_checks import check_flag, check_word
from lookalike.search.run import Run
from lookalike.solution.recoding import Space


@dataclass(frozen=True, slots=True)
class Samarati(Algorithm):
    """Binary search over full-domain recodings for the fewest generalization steps (the height).

    It is exact in the height. Whether its recoding is also the cheapest, the lower bound shows.

    Parameters
    ----------
    preference : str
        How to choose among the nodes of the least height: ``"least-cost"`` (by the metric),
        ``"absolute-distance"`` or ``"relative-distance"``, ``"distribution"`` (the most classes),
        or ``"suppression"`` (the fewest suppressed rows).
    every : bool
        Find all k-minimal generalizations, also at greater heights, and choose among those.

    References
    ----------
    Samarati 2001. Protecting respondents' identities in microdata release.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> la.solve(la.prepare(table, policy), la.Samarati())
    <Solution: optimal, full-domain, samarati, cost 0.333333>
    """

    preference: Preference = "least-cost"
    every: bool = False
    name = "samarati"
    space = Space.FULL_DOMAIN
    options = (flag("every"), word("preference"))
    promise = (
        "Samarati's algorithm meets the policy with the fewest generalization steps possible "
        "(the least height of the lattice)."
    )

    def __post_init__(self) -> None:
        check_word("Samarati(preference=...)", self.preference, PREFERENCES)
        check_flag("Samarati(every=...)", self.every)

    def why_unsuitable(self, problem: Problem) -> str | None:
        return why_heights_fail(problem)

    def search(self, run: Run) -> None:
        if not run.check(run.problem.high).meets:
            return
        minimal = lowest_nodes(run, sum(run.problem.high))
        if self.every:
            minimal = _all_minimal(run, minimal)
        settle_by_preference(run, minimal, self.preference)


def _all_minimal(run: Run, lowest: list[Evaluation]) -> list[Evaluation]:
    """The k-minimal nodes of all heights: they meet the policy, and no finer node does."""
    minimal = list(lowest)
    top = sum(run.problem.high)
    for height in range(sum(lowest[0].levels) + 1, top + 1):
        for node in nodes_at_height(run.problem, height):
            run.mind_limits()
            if any(all(map(le, finer.levels, node)) for finer in minimal):
                continue
            if (evaluation := run.check(node)).meets:
                minimal.append(evaluation)
    return minimal
