"""``examine``: recode a table to look at it, whether or not it may be released.

For systems that do not keep what they are asked for: what would come out, what the verifier says of
it, and which rows stand out. There is no way to write it: only a release can be written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lookalike.errors import Fault, NotProven
from lookalike.problem.problem import Problem
from lookalike.pseudonyms.secret_key import Key, needed_key
from lookalike.releasing.build_release import check_fits
from lookalike.releasing.pseudonymize import pseudonymised
from lookalike.solution.solution import Solution
from lookalike.tables.table import Table
from lookalike.verifier.certificate.certificate import Certificate
from lookalike.verifier.rows.exposed_rows import Exposure, exposed_rows
from lookalike.verifier.verify import verify_release
from lookalike.version import VERSION


@dataclass(frozen=True, slots=True)
class Examination:
    """A recoded table, what was found, and who is exposed: by row numbers of ``table``, from 1."""

    recoded: Table = field(repr=False)
    certificate: Certificate
    exposed: Exposure

    @property
    def table(self) -> Any:
        """The recoded table, of the kind that came in (files: a pyarrow table)."""
        return self.recoded.native()


def examine(
    table: Table, problem: Problem, solution: Solution, key: Key | None = None
) -> Examination:
    """Recode and verify; nothing is refused."""
    key = needed_key(problem.policy, key)
    if solution.recoding is None:
        problem_said = f"there is no recoding to look at ({solution.status})"
        raise NotProven(Fault("solution", problem_said, "solve the problem again"))
    eligible = table.eligible_rows(problem.policy.eligible)
    check_fits(problem, solution.recoding)
    called = pseudonymised(eligible, problem.policy, key)
    recoded = called.edit(problem.apply(solution.recoding).edit(eligible.columns))
    certificate = verify_release(table, recoded, problem.policy, solution, VERSION, key)
    return Examination(
        recoded, certificate, exposed_rows(recoded, problem.policy.names, problem.smallest)
    )
