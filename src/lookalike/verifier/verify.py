"""``verify``: look at a release with fresh eyes and say what holds.

With the original, everything is checked: columns, requirement, rows, labels, cost and proof. With
the release and its certificate alone, what can be seen from outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lookalike.counts.frequency_set import FrequencySet
from lookalike.counts.level_table import LevelTable
from lookalike.policy.policy import Policy
from lookalike.policy.requirements import requirements_from, requirements_to
from lookalike.solution.recoding import CellMap, Cuts, Levels, Space
from lookalike.solution.solution import Solution
from lookalike.tables.table import Table
from lookalike.verifier.by_cell import map_fits
from lookalike.verifier.by_cuts import cuts_fit
from lookalike.verifier.certificate import FORMAT, Certificate, digest
from lookalike.verifier.eligible import eligible_rows
from lookalike.verifier.finding import Finding
from lookalike.verifier.guarantee import guarantee
from lookalike.verifier.optimality import check_claim
from lookalike.verifier.order import sorted_rows
from lookalike.verifier.recount import recount
from lookalike.verifier.shown_cuts import cut_columns
from lookalike.verifier.truthful import same_rows, true_labels


def verify_release(
    original: Table, released: Table, policy: Policy, solution: Solution, version: str
) -> Certificate:
    """Check a release against its original, and write down the findings."""
    column = policy.metric.class_column
    whole, original = original, original.only(policy.eligible)
    counts = original.count_groups(policy.names, (column,) if column else ())
    tables = [
        policy.hierarchies[name].tabulate(name, values)
        for name, values in zip(counts.names, counts.values, strict=True)
    ]
    findings = _findings(original, released, policy, solution, counts, tables)
    if policy.eligible:
        findings.append(eligible_rows(whole, policy.eligible, counts.rows))
    content = _content(released, policy, solution, tables, findings, version)
    if policy.eligible:
        content["rows"]["table"] = whole.rows()  # of which "original" were eligible
    if (promised := guarantee(solution, policy, tables)) is not None:
        content["claim"]["guarantee"] = promised
    if isinstance(solution.recoding, Cuts):
        content["conventions"]["cuts"] = policy.conventions.cuts
        content["columns"] |= cut_columns(released, counts, tables, policy, solution.recoding)
    return Certificate(content)


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
    if recoding is None or recoding.names != policy.names:
        return [Finding("solution", False, "The solution has no recoding for this policy.")]
    if any(policy.bounds(table.name, table.height)[1] > table.height for table in tables):
        return [Finding("solution", False, "Levels are named that no hierarchy has.")]
    if (found := _fits(counts, tables, policy, solution)) is not None:
        return [found]
    findings = same_rows(original, released, policy, solution, counts, tables)
    if all(name in released.columns for name in policy.names):
        findings += recount(released, policy.sets, policy.require, policy.conventions.stars)
    findings.append(sorted_rows(released))
    findings.append(true_labels(counts, tables, policy, recoding))
    findings += check_claim(counts, tables, policy, solution)
    return findings


def _fits(
    counts: FrequencySet, tables: Sequence[LevelTable], policy: Policy, solution: Solution
) -> Finding | None:
    """Is it a recoding of this table, and of the space and the model it says?"""
    recoding = solution.recoding
    if (found := _another_space(solution)) is not None:
        return found
    if isinstance(recoding, CellMap):
        if policy.model is not None and not policy.model.by_cell:
            sentence = f"A cell map does not follow model {policy.model.name}."
            return Finding("solution", False, sentence)
        return map_fits(counts, tables, policy, recoding)
    if isinstance(recoding, Cuts):
        return cuts_fit(tables, policy, recoding)
    assert recoding is not None
    heights = [table.height for table in tables]
    if any(level > height for level, height in zip(recoding.levels, heights, strict=True)):
        return Finding("solution", False, "Levels are named that no hierarchy has.")
    return None


def _another_space(solution: Solution) -> Finding | None:
    """Is the recoding of another kind than its claim speaks of? Levels are cell maps as well."""
    recoding, space = solution.recoding, solution.space
    what = ""
    if isinstance(recoding, CellMap) and space is not Space.CELL_LEVEL:
        what = "A cell map"
    elif isinstance(recoding, Cuts) is not (space is Space.CUTS):
        what = "A recoding by cuts" if isinstance(recoding, Cuts) else "A recoding by levels"
    return Finding("solution", False, f"{what} is no {space.recoding}.") if what else None


def _content(
    released: Table,
    policy: Policy,
    solution: Solution,
    tables: Sequence[LevelTable],
    findings: Sequence[Finding],
    version: str,
) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "made_with": f"lookalike {version}",
        "verified": all(finding.holds for finding in findings),
        "require": requirements_to(policy.require),
        "model": policy.model.name if policy.model else None,
        "linking": [list(columns) for columns in policy.sets],
        "eligible": sorted(policy.eligible),
        "promise": [
            rule.sentence() + _over(columns, policy)
            for columns in policy.sets
            for rule in policy.require
        ],
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
            table.name: {"role": "quasi-identifier", **_shown(table, a, policy, solution)}
            for a, table in enumerate(tables)
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


def _over(columns: Sequence[str], policy: Policy) -> str:
    """Which columns and rows a promise is about, if not all columns together and every row."""
    told = ""
    if policy.sets != (policy.names,):
        told = f", by {', '.join(columns)} alone: not by these together with other columns"
    if policy.conventions.stars == "wildcard":
        told += "; rows that show nothing but * apart"
    return told


def _shown(table: LevelTable, a: int, policy: Policy, solution: Solution) -> dict[str, Any]:
    """What a quasi-identifier shows: one level, or how many released rows are at each."""

    def said(level: int) -> str:
        if level >= table.height:
            return "suppressed (*)"
        return policy.hierarchies[table.name].describe(level)

    recoding = solution.recoding
    if isinstance(recoding, CellMap) and recoding.names == policy.names:
        kept = ~recoding.gone
        rows = np.bincount(
            np.minimum(recoding.levels[kept, a], table.height),
            weights=recoding.rows[kept],
            minlength=table.height + 1,
        ).astype(int)
        used = [level for level in range(table.height + 1) if rows[level]]
        mean = float(rows @ np.arange(table.height + 1)) / max(1, int(rows.sum()))
        shown = "; ".join(f"{rows[level]:,} rows {said(level)}" for level in used)
        return {"level": _rounded(mean), "of": table.height, "shown": shown or "nothing"}
    level = recoding.levels[a] if isinstance(recoding, Levels) and a < len(recoding.levels) else 0
    return {"level": level, "of": table.height, "shown": said(level)}


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
        rules = requirements_from(content["require"])
        findings += recount(released, content["linking"], rules, content["conventions"]["stars"])
    return tuple(findings)
