"""The subject of a report: a release and what was known when it was made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from lookalike.counts.frequency_set import FrequencySet
from lookalike.policy.policy import Policy
from lookalike.problem.problem import Problem
from lookalike.problem.recodings.applied_recoding import AppliedRecoding
from lookalike.report.number_format import shown
from lookalike.solution.recoding import Recoding
from lookalike.solution.solution import Solution
from lookalike.tables.table import Table
from lookalike.verifier.certificate.certificate import Certificate

if TYPE_CHECKING:
    from lookalike.attacking.release_attacks import AttackResult
    from lookalike.report.facts.legal_view import LegalQuestion
    from lookalike.report.figures import Figure
    from lookalike.risks.kept_columns.screening import Screening

Edition = Literal["internal", "public"]
MAX_VALUES = 200_000  # of a kept column; the values of larger ones are not counted


@dataclass(frozen=True, slots=True)
class Subject:
    """A release, before and after. The public edition uses ``released`` and ``certificate``."""

    original: Table
    released: Table
    policy: Policy
    problem: Problem
    solution: Solution
    certificate: Certificate
    command: str = ""  # the command that made the release, as typed
    screening: Screening | None = None  # what the kept columns reveal
    attacks: tuple[AttackResult, ...] = ()  # what attacks on the release learn
    _counts: dict[tuple[str, str], Mapping[str, int]] = field(default_factory=dict, repr=False)

    def before(self, name: str) -> Mapping[str, int]:
        """Eligible rows of the original with each value of a column."""
        if ("before", name) not in self._counts:
            self._counts["before", name] = count_values(self.eligible, name)
        return self._counts["before", name]

    def after(self, name: str) -> Mapping[str, int]:
        """Rows of the release with each value of a column."""
        if ("after", name) not in self._counts:
            self._counts["after", name] = count_values(self.released, name)
        return self._counts["after", name]

    @property
    def eligible(self) -> Table:
        """The rows of the original that could be released."""
        return self.original.eligible_rows(self.policy.eligible)

    @property
    def counted_columns(self) -> tuple[str, ...]:
        """The kept columns whose values are counted."""
        return tuple(name for name in self.policy.kept if not has_many_values(self.released, name))

    @property
    def recoding(self) -> Recoding:
        assert self.solution.recoding is not None  # every release has one
        return self.solution.recoding

    @property
    def applied(self) -> AppliedRecoding:
        """The recoding, applied to the original."""
        return self.problem.apply(self.recoding)

    def figures(self) -> list[Figure]:
        """The figures of a page about the release: risk, generalization and search."""
        from lookalike.report.figures import overview  # late: loads the charts

        return overview(self)

    def legal_view(self) -> tuple[LegalQuestion, ...]:
        """What was measured and what was not examined, arranged as regulators ask."""
        from lookalike.report.facts.legal_view import legal_view  # late: it measures the risk
        from lookalike.report.facts.risk import risk_facts

        content = self.certificate.content
        return legal_view(content, risk_facts(self), self.screening, self.attacks)

    def before_and_after(self) -> Any | None:
        """Original tuples and what became of them; None if they stay on the engine."""
        from lookalike.report.facts.before_after import before_after

        return before_after(self.problem, self.solution)

    @property
    def starred(self) -> bool:
        """Do suppressed rows stay, with ``*`` in every quasi-identifier?"""
        return self.policy.conventions.suppressed == "star"


def has_many_values(table: Table, name: str) -> bool:
    """Does a column have too many values to count them one by one?"""
    return table.rows() > MAX_VALUES and table.estimate_groups((name,)) > MAX_VALUES


def count_values(table: Table, name: str) -> dict[str, int]:
    """How many rows of a table have each value of a column."""
    return rows_by_text(table.count_columns((name,)), 0)


def rows_by_text(counts: FrequencySet, a: int) -> dict[str, int]:
    """How many rows have each value of the ``a``-th column, as text."""
    rows: Counter[str] = Counter()
    for value, held in zip(counts.values[a], counts.marginal(a).tolist(), strict=True):
        rows[shown(value)] += held
    return dict(rows)
