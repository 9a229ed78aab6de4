"""A bound on cuts holds for levels where these are cuts, and never the other way round."""

from dataclasses import dataclass

import pyarrow as pa
from cut_recodings import GivenCuts

import lookalike as la
from lookalike.solution.proof import By

TABLE = pa.table({"q": ["a", "b", "c", "d"] * 4, "ill": ["x"] * 16})


@dataclass(frozen=True)
class Proves(GivenCuts):
    """Offers cuts, and says that nothing costs less than a bound."""

    bound: float = 0.0

    def why_unsuitable(self, problem):
        return None

    def search(self, run):
        super().search(run)
        run.prove(self.bound, By.NODES)


def bounds(hierarchy, *algorithms):
    policy = la.Policy(
        quasi_identifiers={"q": hierarchy},
        sensitive="ill",
        require=la.KAnonymity(2),
        metric=la.Discernibility(),
    )
    return la.compare(la.prepare(TABLE, policy), algorithms, la.Limits(checks=1)).bounds


def test_a_bound_on_cuts_holds_for_levels_that_are_cuts():
    tree = la.tree({"one": ["a", "b"], "two": ["c", "d"]})
    found = bounds(tree, Proves(((1, 2, 3),), bound=50.0), la.Datafly())
    assert found[la.Space.CUTS] == 50.0
    assert found[la.Space.FULL_DOMAIN] >= 50.0


def test_a_bound_on_cuts_says_nothing_of_values_without_an_order():
    found = bounds(la.flat(), Proves(((),), bound=1000.0), "mondrian", la.Datafly())
    assert found[la.Space.CUTS] == 1000.0
    assert found[la.Space.CELL_LEVEL] <= 64.0
    assert found[la.Space.FULL_DOMAIN] <= 64.0


def test_a_bound_on_levels_says_nothing_of_cuts():
    tree = la.tree({"one": ["a", "b"], "two": ["c", "d"]})
    found = bounds(tree, GivenCuts(((2,),)), la.Flash())
    assert found[la.Space.CUTS] == 32.0
