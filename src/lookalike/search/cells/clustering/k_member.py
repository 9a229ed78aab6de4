"""Greedy k-member clustering: grow classes of k rows by the row that adds least cost.

A heuristic for cell-level recoding (Byun, Kamra, Bertino and Li 2007).
"""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.search.bounds.cell_layout import CellLayout
from lookalike.search.bounds.row_sets import Partition
from lookalike.search.cells.components import Clustering, Component
from lookalike.search.run import Run


@dataclass(frozen=True, slots=True)
class KMember(Clustering):
    """Heuristic over cell-level recodings: grow classes of k rows, by the row that adds least cost.

    Every class begins with the row farthest from the last class. Then the row joins that adds least
    to the cost of the class, until there are k; among equals, the first in canonical order. Fewer
    than k rows that are left over each join the class to whose cost they add least. The cost of a
    class is what its rows pay for the lowest labels they share.

    A row joins together with all rows equal to it, which add no more than it does. The first row
    takes all its equals, even beyond k, where the paper would stop: they cost nothing there. The
    paper measures from the last row that joined and begins at random; here it is the last class,
    and the first row.

    References
    ----------
    Byun, Kamra, Bertino and Li 2007. Efficient k-anonymization using clustering techniques.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> la.solve(la.prepare(table, policy), la.KMember())
    <Solution: optimal, cell-level, k-member, cost 0.333333>
    """

    name = "k-member"
    promise = "k-member clustering meets the policy. It does not promise a low cost."

    def clusters(self, layout: CellLayout, component: Component, run: Run) -> Partition:
        from lookalike.search.cells.clustering import k_member_kernels as kernels  # late: numba
        from lookalike.search.cells.clustering.class_growth_kernels import Clusters, Growth

        # Every class uses up a group: there are at most as many classes.
        growth, clusters = Growth.begin(layout, len(component.rows)), Clusters.begin(component)
        classes = 0
        while clusters.remaining[0] >= layout.k:
            run.mind_limits()
            kernels.close_class(layout, component, growth, clusters, classes)
            classes += 1
        kernels.join_classes(layout, component, growth, clusters, classes)
        return clusters.partition()
