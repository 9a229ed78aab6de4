"""The content of a certificate: promise, claim, rows, columns, conventions and findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from lookalike.policy.hierarchies.level_builder import UNCHANGED
from lookalike.policy.policy import Policy
from lookalike.policy.requirement_names import requirements_from, requirements_to
from lookalike.solution.recoding import Space
from lookalike.solution.solution import Solution
from lookalike.tables.table import Table
from lookalike.verifier.certificate.certificate import FORMAT, ORDER
from lookalike.verifier.certificate.column_facts import column_facts, unknown_columns
from lookalike.verifier.certificate.promise import promises
from lookalike.verifier.certificate.public_claim import public_claim, with_public_claim
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.finding import Finding
from lookalike.verifier.requirements.recount import released_classes
from lookalike.verifier.supplied_definitions import suppliers


def certificate_content(
    released: Table,
    original: CountedOriginal,
    solution: Solution,
    findings: Sequence[Finding],
    version: str,
) -> dict[str, Any]:
    """Ready to be written as JSON."""
    policy = original.policy
    require = requirements_to(policy.require, whole=True)
    packages = suppliers([policy.metric, *policy.require, *policy.hierarchies.values()])
    dropped = solution.suppressed if policy.conventions.suppressed == "drop" else 0
    fits = not any(finding.check in ("solution", "roles") for finding in findings)
    columns = column_facts(released, original, solution) if fits else unknown_columns(policy.names)
    claim = public_claim(original, solution, columns)
    findings = with_public_claim(findings, claim, policy)
    accepted = {}
    if policy.accept and set(policy.names) <= set(released.columns):
        from lookalike.verifier.certificate.accepted_columns import accepted_columns

        accepted = accepted_columns(released, policy.accept, policy.names, policy.smallest)
    content: dict[str, Any] = {
        "format": FORMAT,
        "made_with": f"lookalike {version}",
        "verified": all(finding.holds for finding in findings),
        "require": require,
        "model": policy.model.name if policy.model else None,
        "linking": [list(columns) for columns in policy.sets],
        "eligible": sorted(policy.eligible),
        **({"packages": packages} if packages else {}),
        "accepted": accepted,
        "promise": promises(
            requirements_from(require), policy.sets, policy.names, policy.conventions.stars
        ),
        "claim": claim,
        "rows": {
            "original": solution.rows,
            "suppressed": solution.suppressed,
            "allowed": policy.allowance(solution.rows),
            "released": solution.rows - dropped,
            "classes": solution.classes,
        },
        "columns": columns
        | {name: {"role": "sensitive", "shown": UNCHANGED} for name in policy.sensitive}
        | {name: {"role": "insensitive", "shown": UNCHANGED} for name in policy.insensitive}
        | _pseudonym_columns(policy)
        | {name: {"role": "identifier", "shown": "dropped"} for name in policy.identifiers},
        "conventions": {
            "nulls": policy.conventions.nulls,
            "stars": policy.conventions.stars,
            "suppressed": policy.conventions.suppressed,
            "order": ORDER,
        },
        "findings": list(map(asdict, findings)),
        "release_digest": released.digest(),
    }
    if solution.recoding is not None and solution.recoding.space is Space.CUTS:
        content["conventions"]["cuts"] = policy.conventions.cuts
    elif policy.interval_columns and set(policy.names) <= set(released.columns):
        starred_rows = solution.suppressed - dropped
        content["rows"]["classes"] = released_classes(released, policy.names, starred_rows)
    return content


def _pseudonym_columns(policy: Policy) -> dict[str, dict[str, str]]:
    if not policy.pseudonyms:
        return {}
    from lookalike.verifier.pseudonyms.keyed_values import SHOWN

    pseudonyms = policy.pseudonyms.items()
    return {name: {"role": "pseudonym", "shown": SHOWN[one.format]} for name, one in pseudonyms}
