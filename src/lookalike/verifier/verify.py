"""``verify``: look at a release with fresh eyes, beside its original, and say what holds.

Everything is checked: columns, requirement, rows, labels, cost and proof. What can be seen without
the original is in ``outside.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

from lookalike.policy.policy import Policy
from lookalike.policy.requirement_names import requirements_from, requirements_to
from lookalike.pseudonyms.secret_key import Key
from lookalike.solution.recoding import Space
from lookalike.solution.solution import Solution
from lookalike.tables.engine_progress import Step, report_progress
from lookalike.tables.table import Table
from lookalike.verifier.certificate.certificate import FORMAT, ORDER, Certificate, digest, rounded
from lookalike.verifier.certificate.column_facts import column_facts
from lookalike.verifier.certificate.promise import promises
from lookalike.verifier.claim.guarantee import guarantee
from lookalike.verifier.claim.lattice.floor_counts import count_floor
from lookalike.verifier.claim.optimality import check_claim, check_recoding
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.finding import Finding
from lookalike.verifier.pseudonyms.keyed_values import (
    described,
    expected_pseudonyms,
    pseudonyms_hold,
)
from lookalike.verifier.pseudonyms.people import people_in_classes
from lookalike.verifier.requirements.recount import classes_shown, recount
from lookalike.verifier.rows.eligible_rows import eligible_rows
from lookalike.verifier.rows.faithfulness import same_rows, true_labels
from lookalike.verifier.rows.row_order import sorted_rows
from lookalike.verifier.supplied_definitions import packages_used


def verify_release(
    original: Table,
    released: Table,
    policy: Policy,
    solution: Solution,
    version: str,
    key: Key | None = None,
) -> Certificate:
    """Check a release against its original, and write down the findings.

    A policy with pseudonyms needs the ``key``; nothing of it is written down.
    """
    column = policy.metric.class_column
    whole, original = original, original.eligible_rows(policy.eligible)
    if solution.proof.floor:
        counts = original.count_columns(policy.names)
    else:
        counted = dict.fromkeys([*([column] if column else []), *policy.required_columns])
        counts = original.count_groups(policy.names, tuple(counted))
    counted_original = CountedOriginal.of(counts, policy)
    findings = _findings(original, released, solution, counted_original, key)
    if policy.eligible:
        findings.append(eligible_rows(whole, policy.eligible, counts.rows))
    content = _content(released, counted_original, solution, findings, version)
    if policy.eligible:
        content["rows"]["table"] = whole.rows()  # of which "original" were eligible
    if (promised := guarantee(solution, policy, counted_original.tables)) is not None:
        content["claim"]["guarantee"] = promised
    if solution.recoding is not None and solution.recoding.space is Space.CUTS:
        content["conventions"]["cuts"] = policy.conventions.cuts
    elif policy.interval_columns and set(policy.names) <= set(released.columns):
        starred_rows = solution.suppressed if policy.conventions.suppressed == "star" else 0
        content["rows"]["classes"] = classes_shown(released, policy.names, starred_rows)
    original.free_memory()
    return Certificate(content)


def _findings(
    original: Table,
    released: Table,
    solution: Solution,
    counted: CountedOriginal,
    key: Key | None,
) -> list[Finding]:
    policy = counted.policy
    if faults := policy.faults(original.columns):  # a forgotten column would be the leak
        return [Finding("roles", False, f"{f.where}: {f.problem}.", f.fix) for f in faults]
    if (misfit := check_recoding(counted, solution)) is not None:
        return [misfit]
    counted = count_floor(original, counted, solution.proof)
    row_findings = partial(_row_findings, original, released, solution, counted, key)
    if not counted.floor:
        return [*row_findings(), *check_claim(counted, solution)]
    with ThreadPoolExecutor(1) as pool:  # of many rows: the claim is about counts alone
        claim = pool.submit(check_claim, counted, solution)
        return [*row_findings(), *claim.result()]


def _row_findings(
    original: Table,
    released: Table,
    solution: Solution,
    counted: CountedOriginal,
    key: Key | None,
) -> list[Finding]:
    assert solution.recoding is not None
    policy = counted.policy
    with report_progress(Step("verifying", 4)) as step:
        called = expected_pseudonyms(original, policy, key)
        found = same_rows(original, released, solution, counted, called)
        found += pseudonyms_hold(released, called)
        step.add(1)
        if all(name in released.columns for name in policy.names):
            levels = solution.recoding.node or ()
            found += recount(
                released, policy.sets, policy.require, policy.conventions.stars, policy, levels
            )
            found += people_in_classes(
                released,
                policy.sets,
                [name for name in policy.pseudonyms if name in released.columns],
                policy.smallest,
                policy.conventions.stars,
            )
        step.add(1)
        found.append(sorted_rows(released))
        step.add(1)
        found.append(true_labels(counted, solution.recoding))
    return found


def _content(
    released: Table,
    original: CountedOriginal,
    solution: Solution,
    findings: Sequence[Finding],
    version: str,
) -> dict[str, Any]:
    policy = original.policy
    require = requirements_to(policy.require, whole=True)
    told = _as_told(solution)
    packages = packages_used(policy)
    return {
        "format": FORMAT,
        "made_with": f"lookalike {version}",
        **({"packages": packages} if packages else {}),
        "verified": all(finding.holds for finding in findings),
        "require": require,
        "model": policy.model.name if policy.model else None,
        "linking": [list(columns) for columns in policy.sets],
        "eligible": sorted(policy.eligible),
        "promise": promises(
            requirements_from(require), policy.sets, policy.names, policy.conventions.stars
        ),
        "claim": {
            "status": str(solution.status),
            "sentence": told.claim(),
            "space": str(solution.space),
            "metric": policy.metric.name,
            "cost": rounded(told.cost),
            "bound": rounded(told.bound),
            "gap": rounded(told.gap),
            "bound_by": str(solution.proof.by),
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
        "columns": column_facts(released, original, solution.recoding)
        | {name: {"role": "sensitive", "shown": "unchanged"} for name in policy.sensitive}
        | {name: {"role": "insensitive", "shown": "unchanged"} for name in policy.insensitive}
        | {name: described(asked) for name, asked in policy.pseudonyms.items()}
        | {name: {"role": "identifier", "shown": "dropped"} for name in policy.identifiers},
        "conventions": {
            "nulls": policy.conventions.nulls,
            "stars": policy.conventions.stars,
            "suppressed": policy.conventions.suppressed,
            "order": ORDER,
        },
        "findings": [
            {"check": f.check, "holds": f.holds, "sentence": f.sentence, "fix": f.fix}
            for f in findings
        ],
        "release_digest": digest(released),
    }


def _as_told(solution: Solution) -> Solution:
    """With cost and bound as the certificate gives them, so that its sentence follows from them."""
    cost, bound = rounded(solution.cost), rounded(solution.bound)
    return replace(solution, cost=cost, bound=solution.bound if bound is None else bound)
