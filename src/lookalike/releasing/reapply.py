"""Re-apply a saved recoding to the next table of the same kind, and say what is new in it.

A recoding that stays the same from quarter to quarter keeps releases comparable, and gives nobody
away by being different (see the ledger). What a table holds may change, though: values that no tree
names, and people whose lookalikes are gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lookalike.errors import Fault, Infeasible, NotSuited
from lookalike.policy.cell_text import is_null, text
from lookalike.policy.hierarchies import Tree
from lookalike.policy.policy import Policy
from lookalike.problem.problem import Problem
from lookalike.solution.solution import Solution
from lookalike.tables.table import Table

NOT_LISTED = "not listed"  # the group of values that a tree does not name


@dataclass(frozen=True, slots=True)
class Unseen:
    """Values of a column that its tree does not name."""

    column: str
    values: int
    rows: int

    def sentence(self) -> str:
        many = "1 value is" if self.values == 1 else f"{self.values:,} values are"
        rows = "1 row" if self.rows == 1 else f"{self.rows:,} rows"
        return f"{self.column}: {many} new, in {rows}; coarser levels show them as {NOT_LISTED!r}"


def levels_of(solution: Solution) -> tuple[int, ...]:
    """The levels to apply again; NotSuited for recodings that belong to one table."""
    recoding = solution.recoding
    if recoding is not None and recoding.node is not None:
        return recoding.node
    kind = "nothing" if recoding is None else "cells or cuts of the very table it was made for"
    fix = "re-apply a full-domain recoding, as flash or datafly find; or search anew"
    raise NotSuited(Fault("solution", f"it recodes {kind}", fix))


def with_unseen(policy: Policy, table: Table) -> tuple[Policy, tuple[Unseen, ...]]:
    """The policy with new values under a group of their own in each tree, and what they are."""
    trees = {name: one for name, one in policy.quasi_identifiers.items() if isinstance(one, Tree)}
    counts = table.eligible_rows(policy.eligible).count_columns(tuple(trees)) if trees else None
    hierarchies, found = dict(policy.quasi_identifiers), []
    for a, (name, tree) in enumerate(trees.items()):
        assert counts is not None
        known = {row[0] for row in tree.rows}
        held = counts.marginal(a)
        new = [
            (text(value), int(rows))
            for value, rows in zip(counts.values[a], held.tolist(), strict=True)
            if not is_null(value) and text(value) not in known
        ]
        if new:
            found.append(Unseen(name, len(new), sum(rows for _, rows in new)))
            hierarchies[name] = Tree((*tree.rows, *(_row(tree, value) for value, _ in new)))
    return replace(policy, quasi_identifiers=hierarchies), tuple(found)


def _row(tree: Tree, value: str) -> tuple[str, ...]:
    """The value, in a group of its own on every level but a top that all share."""
    tops = {row[-1] for row in tree.rows}
    groups = [NOT_LISTED] * (len(tree.rows[0]) - 1)
    if groups and len(tops) == 1:
        groups[-1] = tops.pop()
    return (value, *groups)


def check_applied(
    problem: Problem, solution: Solution, levels: Sequence[int], unseen: Sequence[Unseen]
) -> None:
    """Infeasible, with numbers, if the recoding of before does not meet the policy now."""
    if solution.recoding is not None:
        return
    found = problem.evaluate_node(levels)
    more = f"set suppress to {found.suppressed:,} or more, or "
    if found.suppressed == problem.rows or problem.may_suppress(found.suppressed):
        more = ""
    raise Infeasible(
        Fault(
            "solution",
            f"the recoding of before would now suppress {found.suppressed:,} of {problem.rows:,} "
            f"rows; the policy allows {problem.allowance:,}, and what is left must be safe"
            + "".join(f"; {one.sentence()}" for one in unseen),
            f"{more}search anew (lookalike run)",
        )
    )
