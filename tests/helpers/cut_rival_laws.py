"""Laws of the heuristics that search for cuts; test files inherit them."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pandas as pd
from cut_oracle import METRICS, many, problem

import lookalike as la
from lookalike.search.limits import Limits
from lookalike.search.solve import solve
from lookalike.solution.solution import Status

TINY = many(120, seed=9, least_k=2)


class CutRivalLaws:
    """``rival`` is the algorithm, with small numbers so that it is quick."""

    rival: ClassVar[Any]

    def test_it_is_safe_and_never_below_the_optimum(self):
        reached = 0
        for tiny in TINY[:60]:
            for metric in METRICS:
                found = solve(problem(tiny, metric), self.rival)
                least, _ = tiny.best(metric)
                if least is None:
                    assert found.status is Status.UNKNOWN
                    continue
                if found.cost is not None:
                    assert found.cost >= least >= found.bound
                    reached += found.cost == least
        assert reached > 40

    def test_seeds_repeat(self):
        posed = problem(TINY[0], "discernibility")
        one, two = (solve(posed, self.rival, seed=5) for _ in range(2))
        assert one.recoding == two.recoding
        assert one.checks == two.checks

    def test_limits_end_it(self):
        found = solve(problem(TINY[1], "classification"), self.rival, Limits(checks=1))
        assert found.checks <= 4
        assert found.status in (Status.FEASIBLE, Status.UNKNOWN, Status.OPTIMAL)

    def test_siblings_are_kept(self):
        """It never offers cuts that lack those around their group."""
        tree = la.tree([(v, "low" if v < "c" else "high") for v in "abcdef"])
        rng = np.random.default_rng(1)
        values = list("abcdef")
        data = pd.DataFrame({"p": rng.choice(values, 60), "q": rng.choice(values, 60)})
        policy = la.Policy(
            quasi_identifiers={"p": tree, "q": tree},
            require=la.KAnonymity(3),
            suppress=10,
            metric="discernibility",
            conventions=la.Conventions(cuts="siblings"),
        )
        posed = la.prepare(data, policy)
        best = solve(posed, la.KOptimize())
        found = solve(posed, self.rival)
        assert posed.evaluate(found.recoding).meets
        assert found.cost >= best.cost
