"""What a report is about: a release and all that was known when it was made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from lookalike.policy.policy import Policy
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.applied_recoding import AppliedRecoding
from lookalike.report.number_format import shown
from lookalike.solution.recoding import Recoding
from lookalike.solution.solution import Solution
from lookalike.tables.table import Table
from lookalike.verifier.certificate.certificate import Certificate

Edition = Literal["internal", "public"]
MANY = 200_000  # different values of a kept column, beyond which they are not counted one by one


@dataclass(frozen=True, slots=True)
class Subject:
    """A release, before and after. The public edition looks at ``released`` and ``certificate``."""

    original: Table
    released: Table
    policy: Policy
    problem: Problem
    solution: Solution
    certificate: Certificate
    command: str = ""  # that made the release, as typed, if one did
    _counted: dict[tuple[str, str], Mapping[str, int]] = field(default_factory=dict, repr=False)

    def before(self, name: str) -> Mapping[str, int]:
        """Eligible rows of the original that show each value of a column; counted once."""
        if ("before", name) not in self._counted:
            self._counted["before", name] = column_rows(self.eligible, name)
        return self._counted["before", name]

    def after(self, name: str) -> Mapping[str, int]:
        """Rows of the release that show each value of a column; counted once."""
        if ("after", name) not in self._counted:
            self._counted["after", name] = column_rows(self.released, name)
        return self._counted["after", name]

    @property
    def eligible(self) -> Table:
        """The rows of the original that could be released at all."""
        return self.original.eligible_rows(self.policy.eligible)

    @property
    def told(self) -> tuple[str, ...]:
        """The kept columns whose values are counted."""
        return tuple(one for one in self.policy.kept if not crowded(self.released, one))

    @property
    def recoding(self) -> Recoding:
        assert self.solution.recoding is not None  # a release is never made without
        return self.solution.recoding

    @property
    def applied(self) -> AppliedRecoding:
        """The recoding, applied to the original."""
        return self.problem.apply(self.recoding)

    @property
    def starred(self) -> bool:
        """Do suppressed rows stay, with ``*`` in every quasi-identifier?"""
        return self.policy.conventions.suppressed == "star"


def crowded(table: Table, name: str) -> bool:
    """Has a column so many values that counting them one by one would tell nobody anything?"""
    return table.rows() > MANY and table.estimate_groups((name,)) > MANY


def column_rows(table: Table, name: str) -> dict[str, int]:
    """How many rows of a table show each value of a column."""
    counts = table.count_columns((name,))
    found: dict[str, int] = {}
    for value, rows in zip(counts.values[0], counts.marginal(0).tolist(), strict=True):
        found[shown(value)] = found.get(shown(value), 0) + int(rows)
    return found
