"""MDAV: classes of k rows, from the outermost rows inwards, each with the rows nearest to it.

A heuristic for cell-level recoding: microaggregation by the maximum distance to an average vector
(Domingo-Ferrer and Torra 2005), with distances from hierarchies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.search.bounds.cell_layout import CellLayout
from lookalike.search.bounds.row_sets import Partition
from lookalike.search.cells.components import Clustering, Component
from lookalike.search.run import Run


@dataclass(frozen=True, slots=True)
class Mdav(Clustering):
    """Heuristic over cell-level recodings: classes of k rows from the outermost rows inwards.

    The row farthest from the center and the k − 1 rows nearest to it become a class; then the row
    farthest from that one, with its nearest; then again from the center of the rest, until fewer
    than 2k rows are left over: the last class. The distance of two rows is what they would pay
    together for the lowest labels they share; among equals, the first in canonical order counts.

    The center has, in each column, the value that is nearest to the remaining rows on average, of
    those they hold: the counterpart of the mean of numbers. The most frequent value would be
    simpler, but in a column of many values it shows little about where the rows are.

    All rows equal to the outermost row join it, even beyond k, as long as k rows remain: they cost
    nothing there.

    References
    ----------
    Domingo-Ferrer and Torra 2005. Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation.

    Examples
    --------
    >>> import lookalike as la, pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> la.solve(la.prepare(table, policy), la.Mdav())
    <Solution: optimal, cell-level, mdav, cost 0.333333>
    """

    name = "mdav"
    promise = "MDAV meets the policy. It does not promise a low cost."

    def clusters(self, layout: CellLayout, component: Component, run: Run) -> Partition:
        from lookalike.search.cells.clustering import mdav_kernels as kernels  # late: loads numba
        from lookalike.search.cells.clustering.class_growth_kernels import Clusters, Growth

        growth, clusters = Growth.begin(layout, 1), Clusters.begin(component)
        start, mean = np.empty(len(layout.at), dtype=np.int32), np.empty(len(layout.label))
        rows_of = np.zeros(len(layout.label), dtype=np.int64)
        np.add.at(rows_of, component.cell, component.rows[:, None])
        classes = 0
        while clusters.remaining[0] >= 2 * layout.k:
            run.mind_limits()
            classes = kernels.close_classes(
                layout, component, growth, clusters, classes, rows_of, mean, start
            )
        kernels.close_last(clusters, classes)
        return clusters.partition()
