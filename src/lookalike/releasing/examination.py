"""Examine a recoding: recode a table to look at it, whether or not it may be released.

For systems that do not keep the requirement: the recoded table, the findings of the verifier, and
the rows that stand out. An examination cannot be written: only a release can.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lookalike.problem.problem import Problem
from lookalike.pseudonyms.secret_key import Key, needed_key
from lookalike.releasing.build_release import recode_and_verify
from lookalike.solution.solution import Solution
from lookalike.tables.table import Table
from lookalike.verifier.certificate.certificate import Certificate
from lookalike.verifier.rows.exposed_rows import Exposure, exposed_rows


@dataclass(frozen=True, slots=True)
class Examination:
    """A recoded table, the findings about it, and the rows that stand out. ``la.examine`` makes it.

    Attributes
    ----------
    certificate : Certificate
        The findings; some may not hold.
    exposed : Exposure
        Rows of ``table`` with fewer than k − 1 lookalikes, by their numbers, from 1.

    Examples
    --------
    >>> import pyarrow as pa, lookalike as la
    >>> table = pa.table({"age": [31, 34, 58, 57]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10)}, require=la.KAnonymity(2))
    >>> problem = la.prepare(table, policy)
    >>> examination = la.examine(table, problem, la.solve(problem))
    >>> examination.certificate.passed, examination.exposed.as_own
    (True, ())
    """

    recoded: Table = field(repr=False)
    certificate: Certificate
    exposed: Exposure

    @property
    def table(self) -> Any:
        """The recoded table, of the same type as the input (a pyarrow table for files)."""
        return self.recoded.native()


def examine(
    table: Table, problem: Problem, solution: Solution, key: Key | None = None
) -> Examination:
    """Recode and verify; nothing is refused."""
    key = needed_key(problem.policy, key)
    recoded, certificate = recode_and_verify(table, problem, solution, key)
    exposed = exposed_rows(recoded, problem.policy.names, problem.smallest)
    return Examination(recoded, certificate, exposed)
