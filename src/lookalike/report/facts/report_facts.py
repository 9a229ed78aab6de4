"""All facts of a report, without words or charts."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date

from lookalike.attacking.release_attacks import AttackResult
from lookalike.errors import LookalikeError
from lookalike.policy.policy_file import SearchSettings, dumps
from lookalike.problem.recodings.cell_changes import Change
from lookalike.report.facts.association import Associations, associations
from lookalike.report.facts.columns import ColumnFacts, column_facts
from lookalike.report.facts.legal_view import LegalQuestion
from lookalike.report.facts.quality import Quality, costliest, other_metrics, quality
from lookalike.report.facts.risk import RiskFacts, risk_facts
from lookalike.report.facts.search import Search, search_facts
from lookalike.report.facts.suppressed_rows import Suppression, suppression
from lookalike.report.facts.value_distributions import Distribution, distributions
from lookalike.report.number_format import some
from lookalike.report.subject import Edition, Subject
from lookalike.solution.solution import Solution
from lookalike.verifier.certificate.accepted_columns import accepted_sentences
from lookalike.verifier.certificate.certificate import Certificate
from lookalike.version import VERSION

LIBRARIES = ("numpy", "duckdb", "pyarrow", "narwhals", "numba", "altair", "vl-convert-python")


@dataclass(frozen=True, slots=True)
class Repeat:
    """What is needed to make the same release again."""

    command: str
    table: str  # its name, if it has one
    policy: str
    solution: Solution
    versions: tuple[tuple[str, str], ...]
    day: str


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a report; None where the edition does not show them."""

    edition: Edition
    title: str
    certificate: Certificate
    k: int  # rows in the smallest class that the policy allows
    columns: tuple[ColumnFacts, ...]
    risk: RiskFacts
    distributions: tuple[Distribution, ...]
    quality: Quality
    model: str
    allowance: int | None = None  # rows that the policy allows to suppress
    changes: tuple[Change, ...] | None = None
    suppression: Suppression | None = None
    associations: Associations | None = None
    search: Search | None = None
    repeat: Repeat | None = None
    not_measured: tuple[str, ...] = ()  # sentences that say what, and why
    revealed: tuple[str, ...] | None = None  # what the kept columns reveal, in sentences
    accepted: tuple[str, ...] = ()  # which of it the data holder accepts, and why
    attacks: tuple[AttackResult, ...] = ()
    legal: tuple[LegalQuestion, ...] = ()

    @property
    def matching_rows(self) -> int | None:
        """How many rows a search for a person finds at least, if that is promised."""
        content = self.certificate.content
        wildcard = content["conventions"]["stars"] == "wildcard"
        return None if wildcard else content["require"].get("k_anonymity")


def internal_facts(subject: Subject) -> Facts:
    """The facts of the internal edition, which uses the original."""
    metric = quality(subject.certificate.content, subject.policy.metric, subject.solution)
    model = subject.policy.model
    pairs = associations(subject)
    content, risk, screening = subject.certificate.content, risk_facts(subject), subject.screening
    return Facts(
        edition="internal",
        title=f"a {subject.original.name} table" if _is_frame(subject) else subject.original.name,
        certificate=subject.certificate,
        k=subject.problem.smallest,
        columns=column_facts(subject),
        risk=risk,
        distributions=distributions(subject),
        quality=replace(metric, others=other_metrics(subject), costliest=costliest(subject)),
        model=model.sentence() if model else "",
        allowance=subject.problem.allowance,
        changes=subject.applied.changes(),
        suppression=suppression(subject),
        associations=pairs,
        search=search_facts(subject),
        repeat=repeat(subject),
        not_measured=_not_measured(subject, pairs),
        revealed=None if screening is None else screening.sentences,
        accepted=accepted_sentences(content),
        attacks=subject.attacks,
        legal=subject.legal_view(),
    )


def repeat(subject: Subject) -> Repeat:
    solution = subject.solution
    try:
        policy = dumps(subject.policy, SearchSettings(by=solution.algorithm, seed=solution.seed))
    except (LookalikeError, TypeError, ValueError) as error:  # it has parts made in Python
        policy = f"# This policy was made in Python and cannot be written as a file: {error}"
    table, today = "" if _is_frame(subject) else subject.original.name, date.today().isoformat()
    return Repeat(subject.command, table, policy, solution, versions(), today)


def versions() -> tuple[tuple[str, str], ...]:
    """Versions of the software that a release may depend on."""
    known = [("lookalike", VERSION), ("Python", platform.python_version())]
    for name in LIBRARIES:
        with suppress(importlib.metadata.PackageNotFoundError):
            known.append((name, importlib.metadata.version(name)))
    return tuple(known)


def _is_frame(subject: Subject) -> bool:
    """A frame has no name; its kind takes the place of one."""
    return subject.original.name == subject.original.kind


def _not_measured(subject: Subject, pairs: Associations | None) -> tuple[str, ...]:
    notes = []
    if not subject.problem.holds_all_tuples:
        notes.append(
            "The original has too many different rows to count them in memory. The risk before "
            "the release and the associations between columns were not measured. Single columns "
            "were counted."
        )
    elif pairs is None:
        notes.append("The table is too large to measure the associations between columns.")
    skipped = [name for name in subject.policy.kept if name not in subject.counted_columns]
    return (*notes, *too_many_values(skipped))


def too_many_values(names: Sequence[str]) -> tuple[str, ...]:
    """The sentence about columns whose values were not counted, if there are any."""
    return (f"{some(names)}: too many different values to count them.",) if names else ()
