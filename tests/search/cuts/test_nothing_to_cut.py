"""Where no cut can be made, or few can: the rivals of K-Optimize still end with a release."""

import pyarrow as pa
import pytest
from cut_oracle import many, problem

import lookalike as la
from lookalike.solution.solution import Status

RIVALS = {
    "hill-climbing": la.HillClimbing(starts=1),
    "genetic": la.Genetic(population=2, children=3),
    "annealing": la.Annealing(steps=3),
    "greedy": la.Greedy(),
}


@pytest.mark.parametrize("name", RIVALS)
def test_constant_columns_are_released_as_they_are(name):
    table = pa.table({"age": [40, 40, 40], "sex": ["f", "f", "f"]})
    policy = la.Policy(
        quasi_identifiers={"age": la.bands(5), "sex": la.flat()},
        require=la.KAnonymity(2),
        metric="discernibility",
    )
    release = la.anonymize(table, policy, RIVALS[name])
    assert release.table.to_pylist() == [{"age": 40, "sex": "f"}] * 3
    assert release.solution.cost == 9


@pytest.mark.parametrize("name", RIVALS)
def test_feasible_policies_are_met_with_few_steps(name):
    """The coarsest recoding suppresses fewest rows, and is always among those tried."""
    met = 0
    for tiny in many(60, seed=21, least_k=4):
        found = la.solve(problem(tiny, "discernibility"), RIVALS[name])
        least, _ = tiny.best("discernibility")
        assert (found.status is Status.UNKNOWN) == (least is None)
        met += least is not None
    assert met > 20
