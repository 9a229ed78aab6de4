"""Apply an earlier recoding to the next table of the same kind, and report what is new in it.

Releases with the same recoding, quarter after quarter, stay comparable, and their differences
expose nobody (see the ledger). But the table changes: it can hold values that no tree lists, and
people who have lost their lookalikes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lookalike.errors import Fault, Infeasible, NotSuited
from lookalike.policy.cell_text import is_null, text
from lookalike.policy.policy import Policy
from lookalike.problem.problem import Problem
from lookalike.solution.solution import Solution
from lookalike.tables.table import Table

if TYPE_CHECKING:
    from lookalike.policy.hierarchies.tree import Tree

NOT_LISTED = "not listed"  # the group of values that a tree does not list


@dataclass(frozen=True, slots=True)
class Unseen:
    """Values of a column that its tree does not list."""

    column: str
    values: int
    rows: int

    def sentence(self) -> str:
        """``job: 2 values are new, in 3 rows; …``"""
        values = "1 value is" if self.values == 1 else f"{self.values:,} values are"
        rows = "1 row" if self.rows == 1 else f"{self.rows:,} rows"
        return f"{self.column}: {values} new, in {rows}; higher levels show them as {NOT_LISTED!r}"


def levels_of(solution: Solution) -> tuple[int, ...]:
    """The levels to apply again; NotSuited if the recoding belongs to one table."""
    recoding = solution.recoding
    if recoding is not None and recoding.node is not None:
        return recoding.node
    problem = "it has no recoding"
    if recoding is not None:
        problem = f"it is a {recoding.space.recoding}, which fits only the table it was made for"
    fix = "apply a full-domain recoding, for example from flash or datafly; or search again"
    raise NotSuited(Fault("solution", problem, fix))


def with_unseen(policy: Policy, table: Table) -> tuple[Policy, tuple[Unseen, ...]]:
    """The policy with new values in a group of their own in each tree, and what they are."""
    from lookalike.policy.hierarchies.tree import Tree

    hierarchies = dict(policy.quasi_identifiers)
    trees = {name: tree for name, tree in hierarchies.items() if isinstance(tree, Tree)}
    if not trees:
        return policy, ()
    counts = table.eligible_rows(policy.eligible).count_columns(tuple(trees))
    unseen = []
    for a, (name, tree) in enumerate(trees.items()):
        known = {row[0] for row in tree.rows}
        new = [
            (text(value), rows)
            for value, rows in zip(counts.values[a], counts.marginal(a).tolist(), strict=True)
            if not is_null(value) and text(value) not in known
        ]
        if new:
            unseen.append(Unseen(name, len(new), sum(rows for _, rows in new)))
            hierarchies[name] = Tree((*tree.rows, *(_row(tree, value) for value, _ in new)))
    return replace(policy, quasi_identifiers=hierarchies), tuple(unseen)


def _row(tree: Tree, value: str) -> tuple[str, ...]:
    """The row of a new value: in its own group on every level, except a top that all share."""
    tops = {row[-1] for row in tree.rows}
    groups = [NOT_LISTED] * (len(tree.rows[0]) - 1)
    if groups and len(tops) == 1:
        groups[-1] = tops.pop()
    return (value, *groups)


def check_applied(
    problem: Problem, solution: Solution, levels: Sequence[int], unseen: Sequence[Unseen]
) -> None:
    """Infeasible, with numbers, if the earlier recoding does not meet the policy now."""
    if solution.recoding is not None:
        return
    suppressed = problem.evaluate_node(levels).suppressed
    fix = "search again (lookalike run)"
    if suppressed != problem.rows and not problem.may_suppress(suppressed):
        fix = f"set suppress to {suppressed:,} or more, or {fix}"
    found = (
        f"the earlier recoding would now suppress {suppressed:,} of {problem.rows:,} rows; the "
        f"policy allows {problem.allowance:,}, and the remaining rows must meet it"
    )
    raise Infeasible(Fault("solution", "; ".join([found, *map(Unseen.sentence, unseen)]), fix))
