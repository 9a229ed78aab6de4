"""All facts of a report, without words or charts."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from lookalike.errors import LookalikeError
from lookalike.policy.policy_file import SearchSettings, dumps
from lookalike.problem.recodings.cell_changes import Change
from lookalike.report.facts.association import Associations, associations
from lookalike.report.facts.columns import ColumnFacts, column_facts
from lookalike.report.facts.quality import Quality, other_metrics, quality
from lookalike.report.facts.risk import RiskFacts, risk_facts
from lookalike.report.facts.search import Search, search_facts
from lookalike.report.facts.suppressed_rows import Suppression, suppression
from lookalike.report.facts.value_distributions import Distribution, distributions
from lookalike.report.number_format import some
from lookalike.report.subject import Edition, Subject
from lookalike.verifier.finding import Finding
from lookalike.version import VERSION

LIBRARIES = ("numpy", "duckdb", "pyarrow", "narwhals", "numba", "altair", "vl-convert-python")


@dataclass(frozen=True, slots=True)
class Summary:
    """What the person who signs must know."""

    k: int
    rows: int  # that were eligible
    released: int
    suppressed: int
    starred: bool
    classes: int
    allowance: int | None  # rows that the policy allows to suppress
    table: int | None  # rows of the whole table, if not all were eligible
    eligible: tuple[str, ...]  # columns that decide which rows are
    linking: tuple[tuple[str, ...], ...]
    promise: tuple[str, ...]
    finds: int | None  # matching rows that a search for a person finds, if that is promised
    passed: bool

    @property
    def kept(self) -> int:
        return self.rows - self.suppressed


@dataclass(frozen=True, slots=True)
class Repeat:
    """What is needed to make the same release again."""

    command: str
    table: str  # its name, if it has one
    policy: str
    algorithm: str
    why: str
    seed: int
    stop: str
    checks: int
    seconds: float
    versions: tuple[tuple[str, str], ...]
    day: str


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a report; None where the edition does not show them."""

    edition: Edition
    title: str
    summary: Summary
    columns: tuple[ColumnFacts, ...]
    risk: RiskFacts
    distributions: tuple[Distribution, ...]
    quality: Quality
    conventions: Mapping[str, str]
    findings: tuple[Finding, ...]
    digest: str
    made_with: str
    model: str
    algorithm: str
    seed: int
    changes: tuple[Change, ...] | None = None
    suppression: Suppression | None = None
    associations: Associations | None = None
    search: Search | None = None
    repeat: Repeat | None = None
    not_measured: tuple[str, ...] = ()  # sentences that say what, and why


def internal_facts(subject: Subject) -> Facts:
    """The facts of the internal edition, which uses the original."""
    content = subject.certificate.content
    metric = quality(content, subject.policy.metric)
    model = subject.policy.model
    pairs = associations(subject)
    return Facts(
        edition="internal",
        title=f"a {subject.original.name} table" if _is_frame(subject) else subject.original.name,
        summary=summary(content, subject.problem.smallest, subject.problem.allowance),
        columns=column_facts(subject),
        risk=risk_facts(subject),
        distributions=distributions(subject),
        quality=replace(metric, others=other_metrics(subject)),
        conventions=content["conventions"],
        findings=subject.certificate.findings,
        digest=content["release_digest"],
        made_with=content["made_with"],
        model=model.sentence() if model else "",
        algorithm=content["claim"]["algorithm"],
        seed=content["claim"]["seed"],
        changes=subject.applied.changes(),
        suppression=suppression(subject),
        associations=pairs,
        search=search_facts(subject),
        repeat=repeat(subject),
        not_measured=_not_measured(subject, pairs),
    )


def summary(content: Mapping[str, Any], k: int, allowance: int | None) -> Summary:
    """From the content of the certificate."""
    rows = content["rows"]
    wildcard = content["conventions"]["stars"] == "wildcard"
    return Summary(
        k=k,
        rows=rows["original"],
        released=rows["released"],
        suppressed=rows["suppressed"],
        starred=content["conventions"]["suppressed"] == "star",
        classes=rows["classes"],
        allowance=allowance,
        table=rows.get("table"),
        eligible=tuple(content.get("eligible", ())),
        linking=tuple(tuple(names) for names in content["linking"]),
        promise=tuple(content["promise"]),
        finds=None if wildcard else content["require"].get("k_anonymity"),
        passed=all(finding["holds"] for finding in content["findings"]),
    )


def repeat(subject: Subject) -> Repeat:
    solution = subject.solution
    try:
        policy = dumps(subject.policy, SearchSettings(by=solution.algorithm, seed=solution.seed))
    except (LookalikeError, TypeError, ValueError) as error:  # it has parts made in Python
        policy = f"# This policy was made in Python and cannot be written as a file: {error}"
    return Repeat(
        subject.command,
        "" if _is_frame(subject) else subject.original.name,
        policy,
        solution.algorithm,
        solution.why,
        solution.seed,
        str(solution.stop),
        solution.checks,
        solution.seconds,
        versions(),
        date.today().isoformat(),
    )


def versions() -> tuple[tuple[str, str], ...]:
    """Versions of the software that a release may depend on."""
    known = [("lookalike", VERSION), ("Python", platform.python_version())]
    for name in LIBRARIES:
        try:
            known.append((name, importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            continue
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
