"""The numbers of a report, for the edition asked for: no words of a page yet, no pictures."""

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
from lookalike.report.facts.columns import ColumnFacts, column_changes, column_facts
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
    rows: int  # that could be released
    released: int
    suppressed: int
    starred: bool
    classes: int
    allowance: int | None  # rows that the policy allows to suppress
    table: int | None  # rows of the whole table, if not all were eligible
    eligible: tuple[str, ...]  # columns by which
    linking: tuple[tuple[str, ...], ...]
    wildcard: bool
    promise: tuple[str, ...]
    finds: int | None  # who looks for a person finds so many rows, or none; if that is promised
    passed: bool

    @property
    def kept(self) -> int:
        return self.rows - self.suppressed


@dataclass(frozen=True, slots=True)
class Repeat:
    """All that somebody needs to make the same release again."""

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
    """A report's numbers; what is None is not told in this edition."""

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
    left_out: tuple[str, ...] = ()  # sentences on what could not be measured, and why


def internal_facts(subject: Subject) -> Facts:
    """Everything; it belongs with the original."""
    content = subject.certificate.content
    found = quality(content, subject.policy.metric)
    model = subject.policy.model
    pairs = associations(subject)
    return Facts(
        edition="internal",
        title=_called(subject),
        summary=summary(content, subject.problem.smallest, subject.problem.allowance),
        columns=column_facts(subject),
        risk=risk_facts(subject),
        distributions=distributions(subject),
        quality=replace(found, others=other_metrics(subject)),
        conventions=content["conventions"],
        findings=subject.certificate.findings,
        digest=content["release_digest"],
        made_with=content["made_with"],
        model=model.sentence() if model else "",
        algorithm=content["claim"]["algorithm"],
        seed=content["claim"]["seed"],
        changes=column_changes(subject),
        suppression=suppression(subject),
        associations=pairs,
        search=search_facts(subject),
        repeat=repeat(subject),
        left_out=_left_out(subject, pairs),
    )


def summary(content: Mapping[str, Any], k: int, allowance: int | None) -> Summary:
    """From the certificate, and what the policy allows."""
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
        wildcard=wildcard,
        promise=tuple(content["promise"]),
        finds=None if wildcard else content["require"].get("k_anonymity"),
        passed=all(finding["holds"] for finding in content["findings"]),
    )


def repeat(subject: Subject) -> Repeat:
    solution = subject.solution
    try:
        policy = dumps(subject.policy, SearchSettings(by=solution.algorithm, seed=solution.seed))
    except (LookalikeError, TypeError, ValueError) as error:  # of parts made in Python
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
    """Of what a release may depend on."""
    found = [("lookalike", VERSION), ("Python", platform.python_version())]
    for name in LIBRARIES:
        try:
            found.append((name, importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            continue
    return tuple(found)


def _is_frame(subject: Subject) -> bool:
    """Has the table no name but the kind of frame it is?"""
    return subject.original.name == subject.original.kind


def _called(subject: Subject) -> str:
    name = subject.original.name
    return f"a {name} table" if _is_frame(subject) else name


def _left_out(subject: Subject, pairs: Associations | None) -> tuple[str, ...]:
    told = []
    if not subject.problem.holds_all_tuples:
        told.append(
            "The original has so many different rows that its counts stayed where the table is. "
            "What rests on whole rows of the original is left out here: the risk before, and how "
            "columns go together. Single columns were counted."
        )
    elif pairs is None:
        told.append("The table is too large to count how pairs of columns go together.")
    crowd = [name for name in subject.policy.kept if name not in subject.told]
    return (*told, *not_counted(crowd))


def not_counted(names: Sequence[str]) -> tuple[str, ...]:
    """The sentence on columns of too many values, if there are any."""
    if not names:
        return ()
    return (f"{some(names)}: so many different values that they were not counted one by one.",)
