"""``verify_release``: check a release against its original, and write the certificate.

Everything is checked: columns, rows, requirements, order, labels, cost and lower bound. What can be
checked without the original is in ``certificate/public_checks.py``.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from lookalike.errors import Fault, PolicyError
from lookalike.policy.policy import Policy
from lookalike.policy.requirement_names import requirements_from, requirements_to
from lookalike.pseudonyms.secret_key import Key
from lookalike.solution.solution import Solution
from lookalike.tables.engine_progress import Step, report_progress
from lookalike.tables.table import Table
from lookalike.verifier.certificate.certificate import Certificate
from lookalike.verifier.certificate.content import certificate_content
from lookalike.verifier.claim.lattice.floor_counts import count_floor
from lookalike.verifier.claim.optimality import check_claim, check_recoding
from lookalike.verifier.counted_original import CountedOriginal
from lookalike.verifier.finding import Finding
from lookalike.verifier.requirements.recount import recount
from lookalike.verifier.rows.faithfulness import same_rows, true_labels
from lookalike.verifier.rows.row_order import sorted_rows

SAMPLE_IS_SECRET = Fault(
    "verify",
    "with differential privacy the drawn rows are secret, so the release cannot be compared with "
    "its original row by row",
    "verify it with its certificate alone; it was compared with the sample when it was made",
)


def verify_release(
    original: Table,
    released: Table,
    policy: Policy,
    solution: Solution,
    version: str,
    key: Key | None = None,
) -> Certificate:
    """Check a release against its original, and write the findings into a certificate.

    A policy with pseudonyms needs the ``key``; the certificate says nothing about it.
    """
    secret = _is_secret_sample(original) if policy.needs_sample else False
    table, original = original, original.eligible_rows(policy.eligible)
    if solution.proof.floor:
        counts = original.count_columns(policy.names)
    else:
        column = policy.metric.class_column
        sensitive = dict.fromkeys([*([column] if column else []), *policy.required_columns])
        counts = original.count_groups(policy.names, tuple(sensitive))
    counted = CountedOriginal.of(counts, policy)
    findings = _findings(original, released, counted, solution, key)
    if policy.eligible:
        from lookalike.verifier.rows.eligible_rows import eligible_rows

        findings.append(eligible_rows(table, policy.eligible, counts.rows))
    content = certificate_content(released, counted, solution, findings, version)
    if policy.eligible:
        content["rows"]["table"] = table.rows()  # "original" of them were eligible
    if policy.needs_sample:
        from lookalike.verifier.certificate.sampled import sampled_content

        content = sampled_content(content, policy, secret=secret)
    original.free_memory()
    return Certificate(content)


def _is_secret_sample(table: Table) -> bool:
    """Was the sample drawn in secret? PolicyError if the table is not a sample."""
    from lookalike.tables.sampled_table import SampledTable  # late: few policies need it

    if not isinstance(table, SampledTable):
        raise PolicyError(SAMPLE_IS_SECRET)
    return table.secret


def _findings(
    original: Table,
    released: Table,
    counted: CountedOriginal,
    solution: Solution,
    key: Key | None,
) -> list[Finding]:
    if faults := counted.policy.faults(original.columns):  # a column without a role may be a leak
        return [Finding("roles", False, f"{f.where}: {f.problem}.", f.fix) for f in faults]
    if (misfit := check_recoding(counted, solution)) is not None:
        return [misfit]
    counted = count_floor(original, counted, solution.proof)
    with ThreadPoolExecutor(1) as pool:  # the claim of a large table needs its counts only
        claim = pool.submit(check_claim, counted, solution) if counted.floor else None
        rows = _row_findings(original, released, counted, solution, key)
        return [*rows, *(claim.result() if claim else check_claim(counted, solution))]


def _row_findings(
    original: Table,
    released: Table,
    counted: CountedOriginal,
    solution: Solution,
    key: Key | None,
) -> list[Finding]:
    policy, recoding = counted.policy, solution.recoding
    assert recoding is not None
    with report_progress(Step("verifying", 4)) as step:
        if policy.pseudonyms:
            from lookalike.verifier.pseudonyms import keyed_values

            pseudonyms = keyed_values.expected_pseudonyms(original, policy, key)
            findings = same_rows(original, released, counted, solution, pseudonyms)
            findings += keyed_values.pseudonym_findings(released, pseudonyms)
        else:
            findings = same_rows(original, released, counted, solution, {})
        step.add(1)
        if all(name in released.columns for name in policy.names):
            stars, levels = policy.conventions.stars, recoding.node or ()
            rules = requirements_from(requirements_to(policy.require, whole=True))  # as certified
            findings += recount(released, policy.sets, rules, stars, policy, levels)
            if shown := [name for name in policy.pseudonyms if name in released.columns]:
                from lookalike.verifier.pseudonyms.people_per_class import people_findings

                findings += people_findings(released, policy.sets, shown, policy.smallest, stars)
        step.add(1)
        findings.append(sorted_rows(released))
        step.add(1)
        findings.append(true_labels(counted, recoding))
    return findings
