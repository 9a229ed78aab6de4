"""Large-neighborhood search: a heuristic for lattices of any size."""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.problem.problem import Problem
from lookalike.search.algorithm import Algorithm
from lookalike.search.algorithm_options import whole_number
from lookalike.search.lattice.boxes.kernel_warmup import compile_boxes
from lookalike.search.lattice.boxes.neighborhoods import Neighborhoods
from lookalike.search.lattice.boxes.node_counts import NodeCounter
from lookalike.search.option_checks import check_whole
from lookalike.search.run import Run
from lookalike.solution.recoding import Space


@dataclass(frozen=True, slots=True)
class LargeNeighborhood(Algorithm):
    """Randomized heuristic over full-domain recodings, for lattices of any size.

    It changes a few columns of the best node at random, repairs the result until the policy is met,
    and lowers columns again. It proves nothing; ``BranchAndBound`` begins with it.

    Parameters
    ----------
    idle : int
        Rounds without success after which it ends.

    Raises
    ------
    PolicyError
        If it is not a whole number.

    References
    ----------
    Shaw 1998. Using constraint programming and local search methods to solve vehicle routing
    problems.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> la.solve(la.prepare(table, policy), la.LargeNeighborhood()).cost
    0.333333333333
    """

    idle: int = 200
    name = "large-neighborhood"
    space = Space.FULL_DOMAIN
    options = (whole_number("idle"),)
    promise = "Large-neighborhood search meets the policy. It does not promise a low cost."

    def __post_init__(self) -> None:
        check_whole("LargeNeighborhood(idle=...)", self.idle)

    def why_unsuitable(self, problem: Problem) -> str | None:
        return None

    def compile_kernels(self, problem: Problem) -> None:
        compile_boxes()

    def search(self, run: Run) -> None:
        neighborhoods = Neighborhoods(run, NodeCounter(run.problem, run.count_one))
        if neighborhoods.start():
            neighborhoods.search(self.idle)
