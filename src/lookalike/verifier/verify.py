"""``verify``: look at a release with fresh eyes and say what holds.

With the original, everything is checked: columns, requirement, rows, labels, cost and proof. With
the release and its certificate alone, what can be seen from outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.policy.policy import Policy
from lookalike.policy.requirements import requirements_from, requirements_to
from lookalike.solution.recoding import Levels
from lookalike.solution.solution import Solution
from lookalike.tables.table import Table
from lookalike.verifier.certificate import FORMAT, Certificate, digest
from lookalike.verifier.finding import Finding
from lookalike.verifier.optimality import check_claim
from lookalike.verifier.order import sorted_rows
from lookalike.verifier.recount import recount
from lookalike.verifier.truthful import same_rows, true_labels


def verify_release(
    original: Table, released: Table, policy: Policy, solution: Solution, version: str
) -> Certificate:
    """Check a release against its original, and write down the findings."""
    column = policy.metric.class_column
    counts = original.count_groups(policy.names, (column,) if column else ())
    tables = [
        policy.quasi_identifiers[name].tabulate(name, values)
        for name, values in zip(counts.names, counts.values, strict=True)
    ]
    findings = _findings(original, released, policy, solution, counts, tables)
    return Certificate(_content(released, policy, solution, tables, findings, version))


def _findings(
    original: Table,
    released: Table,
    policy: Policy,
    solution: Solution,
    counts: FrequencySet,
    tables: Sequence[LevelTable],
) -> list[Finding]:
    if faults := policy.faults(original.columns):  # a forgotten column would be the leak
        return [Finding("roles", False, f"{f.where}: {f.problem}.", f.fix) for f in faults]
    recoding = solution.recoding
    if not isinstance(recoding, Levels) or recoding.names != policy.names:
        return [Finding("solution", False, "The solution has no recoding for this policy.")]
    heights = [table.height for table in tables]
    tops = [policy.levels.get(name, (0, 0))[1] for name in policy.names]
    named = zip(recoding.levels, tops, heights, strict=True)
    if any(max(level, top) > height for level, top, height in named):
        return [Finding("solution", False, "Levels are named that no hierarchy has.")]
    findings = same_rows(original, released, policy, solution, tables)
    if all(name in released.columns for name in policy.names):
        findings += recount(released, policy.names, policy.require, policy.conventions.stars)
    findings.append(sorted_rows(released))
    findings.append(true_labels(counts, tables, policy, recoding))
    findings += check_claim(counts, tables, policy, solution)
    return findings


def _content(
    released: Table,
    policy: Policy,
    solution: Solution,
    tables: Sequence[LevelTable],
    findings: Sequence[Finding],
    version: str,
) -> dict[str, Any]:
    recoding = solution.recoding
    levels = recoding.levels if isinstance(recoding, Levels) else ()
    return {
        "format": FORMAT,
        "made_with": f"lookalike {version}",
        "verified": all(finding.holds for finding in findings),
        "require": requirements_to(policy.require),
        "promise": [rule.sentence() for rule in policy.require],
        "claim": {
            "status": str(solution.status),
            "sentence": solution.claim(),
            "space": str(solution.space),
            "metric": policy.metric.name,
            "cost": _rounded(solution.cost),
            "bound": _rounded(solution.bound),
            "gap": _rounded(solution.gap),
            "algorithm": solution.algorithm,
            "seed": solution.seed,
        },
        "rows": {
            "original": solution.rows,
            "suppressed": solution.suppressed,
            "released": solution.rows - solution.suppressed
            if policy.conventions.suppressed == "drop"
            else solution.rows,
            "classes": solution.classes,
        },
        "columns": {
            table.name: {
                "role": "quasi-identifier",
                "level": level,
                "of": table.height,
                "shown": policy.quasi_identifiers[table.name].describe(level)
                if level < table.height
                else "suppressed (*)",
            }
            for table, level in zip(tables, levels, strict=False)
        }
        | {name: {"role": "sensitive", "shown": "as it is"} for name in policy.sensitive}
        | {name: {"role": "insensitive", "shown": "as it is"} for name in policy.insensitive}
        | {name: {"role": "identifier", "shown": "dropped"} for name in policy.identifiers},
        "conventions": {
            "nulls": policy.conventions.nulls,
            "stars": policy.conventions.stars,
            "suppressed": policy.conventions.suppressed,
            "order": "rows are sorted by every released column",
        },
        "findings": [
            {"check": f.check, "holds": f.holds, "sentence": f.sentence, "fix": f.fix}
            for f in findings
        ],
        "release_digest": digest(released),
    }


def _rounded(value: float | None) -> float | None:
    """Ten digits: the rest is the noise of the order in which floats were added."""
    if value is None or value in (float("inf"), float("-inf")):
        return None
    return float(f"{value:.10g}")


def verify_from_outside(released: Table, certificate: Certificate) -> tuple[Finding, ...]:
    """What anyone can check who has the release and its certificate, and not the original."""
    content = certificate.content
    columns = content["columns"]
    expected = {name for name, facts in columns.items() if facts["role"] != "identifier"}
    sound = content["verified"] is True and certificate.passed and bool(content["require"])
    findings = [
        Finding("certificate", True, "The certificate says it was verified.")
        if sound
        else Finding(
            "certificate",
            False,
            "The certificate itself says that checks failed, or requires nothing.",
        )
    ]
    same = set(released.columns) == expected
    findings.append(
        Finding(
            "columns",
            same,
            "The columns are those on the certificate."
            if same
            else "The columns are not those on the certificate.",
        )
    )
    rows = released.rows()
    findings.append(
        Finding(
            "rows",
            rows == content["rows"]["released"],
            f"{rows:,} rows; the certificate says {content['rows']['released']:,}.",
        )
    )
    same = digest(released) == content["release_digest"]
    findings.append(
        Finding(
            "digest",
            same,
            "The rows are the very rows that were certified."
            if same
            else "These are not the rows that were certified: something was changed.",
            "ask the data holder for the table that belongs to this certificate",
        )
    )
    findings.append(sorted_rows(released))
    if set(released.columns) == expected:
        names = [name for name, facts in columns.items() if facts["role"] == "quasi-identifier"]
        rules = requirements_from(content["require"])
        findings += recount(released, names, rules, content["conventions"]["stars"])
    return tuple(findings)
