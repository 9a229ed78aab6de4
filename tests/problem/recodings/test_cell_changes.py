"""Which cells changed and how far: as many as differ between original and release, cell by cell."""

import pyarrow as pa
import pytest
import tiny
from effort import effort

import lookalike as la
from lookalike.cli.output.cell_changes import strip
from lookalike.problem.recodings.cell_changes import Change

BY = [la.LatticeGreedy(), la.Flash(), la.Greedy()]


@pytest.mark.parametrize("by", BY, ids=lambda by: type(by).__name__)
def test_as_many_cells_change_as_differ_in_the_release(by):
    """Every row has a number of its own, so that released rows find their originals."""
    seen = 0
    for one in tiny.tiny_problems(effort(20), 5):
        table = tiny.table(one)
        policy = tiny.policy(one, la.Discernibility() if by.space == "cuts" else la.Precision())
        table = table.append_column("row_number", pa.array(range(table.num_rows)))
        policy = la.Policy(
            quasi_identifiers=policy.quasi_identifiers,
            require=policy.require,
            sensitive=policy.sensitive,
            insensitive=(*policy.insensitive, "row_number"),
            identifiers=policy.identifiers,
            suppress=policy.suppress,
            metric=policy.metric,
        )
        problem = la.prepare(table, policy)
        solution = la.solve(problem, by)
        if solution.recoding is None:
            continue
        original = table.to_pylist()
        rows = la.release(table, problem, solution).table.to_pylist()
        for change in la.changes(problem, solution):
            shown = [(row[change.column], original[row["row_number"]]) for row in rows]
            differ = sum(str(cell) != str(was[change.column]) for cell, was in shown)
            assert (change.rows, change.changed) == (len(rows), differ)
            hidden = sum(count for far, count in change.steps if far == 1)
            assert hidden <= differ
            assert 0 <= change.mean <= 1
        seen += 1
    assert seen > effort(20) // 3


def test_the_strip_draws_every_kind_of_cell_in_proportion():
    change = Change("age", ((0.0, 7_000), (0.25, 1), (0.5, 2_000), (1.0, 999)))
    drawn = strip(change, 20).plain
    assert drawn == "·" * 14 + "░" + "▒" * 4 + "█"
    assert strip(Change("age", ()), 20).plain == ""
    assert (change.changed, change.rows) == (3_000, 10_000)
